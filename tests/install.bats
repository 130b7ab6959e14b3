# make install, uninstall and dist, without and with DESTDIR.
load helper

@test "installed tools find their share folder and the pages are there; uninstall takes all away" {
	make -s -C "$root" install DESTDIR="$T/dest" PREFIX=/opt/tl >/dev/null
	dest=$T/dest/opt/tl
	assert_file_exists "$dest/share/man/man1/tl.1"
	assert_file_exists "$dest/share/man/man5/tl-records.5"
	for f in "$root"/tools/tl-*.c; do
		assert_file_executable "$dest/bin/$(basename "$f" .c)"
		assert_file_exists "$dest/share/man/man1/$(basename "$f" .c).1"
	done
	(unset TL_SHARE && PATH=$dest/bin:$PATH && tl-extract -q "$fixtures/t.json" | tl-tree | tl-synth | tl-render -f md | grep -q 'aten::addmm')
	make -s -C "$root" uninstall DESTDIR="$T/dest" PREFIX=/opt/tl
	[ -z "$(find "$T/dest" -type f)" ]
}

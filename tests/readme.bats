# The README shows what its commands print.
load helper

@test "the output that README shows is what comes out" {
	"$root/tests/readme.sh" >"$T/README.md"
	if [ -n "${TL_GOLDEN:-}" ]; then
		cp "$T/README.md" "$root/README.md"
	fi
	diff -u "$root/README.md" "$T/README.md"
}

@test "the demo prints a report with operators and coverage" {
	# as make calls it: from the top, with a path of its own
	cd "$root"
	run -0 --separate-stderr env PATH=/usr/bin:/bin TL_BIN="$(realpath --relative-to=. "$bin")" examples/demo.sh
	assert_regex "$output" 'aten::addmm'
	assert_regex "$output" 'nvjet'
}

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
	run -0 --separate-stderr "$root/examples/demo.sh"
	assert_regex "$output" 'aten::addmm'
	assert_regex "$output" 'nvjet'
}

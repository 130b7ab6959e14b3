# Runs the unit programs; each exits 0 when all its expectations hold.
load helper


@test "unit programs pass" {
	for program in "$root"/tests/unit/*.c; do
		name=$(basename "$program" .c)
		run "$bin/unit/$name"
		assert_success
	done
}

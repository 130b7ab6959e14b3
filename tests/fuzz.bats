load helper

# Inputs that fuzzing has found, and the seeds it starts from: whatever a file holds, the tools end
# with a status of theirs and write whole records.
try() { # try COMMAND...
	local rc=0
	"$@" >"$T/out" 2>"$T/err" </dev/null || rc=$?
	[ $rc = 0 ] || [ $rc = 1 ] || [ $rc = 3 ] || {
		echo "exit $rc: $*"
		cat "$T/err"
		return 1
	}
	jq -es 'all(.[]; type == "object" and has("type"))' "$T/out" >/dev/null || {
		echo "no records: $*"
		return 1
	}
	tl-tree --skip-bad "$T/out" >"$T/tree" || [ $? -le 3 ]
}

files() {
	find "$fixtures/fuzz" "$root/tests/fuzz/seeds" -path "*/$1/*" -type f 2>/dev/null | sort
}

@test "what make fuzz builds still fits the library" {
	for f in "$root"/tests/fuzz/*.c; do
		run -0 "${CC:-cc}" -fsyntax-only -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wno-missing-field-initializers -Werror \
			-I"$bin/gen" "$f"
	done
}

@test "odd traces" {
	for f in $(files chrome) $(files source) $(files json); do
		try tl-extract "$f"
	done
}

@test "odd streams" {
	for f in $(files stream) $(files event); do
		try tl-tree --skip-bad "$f"
	done
}

@test "odd windows, alone or beside a trace" {
	for f in $(files window); do
		rm -f "$T"/part.*
		split -t '\0' -l 1 "$f" "$T/part."
		tr -d '\0' <"$T/part.aa" >"$T/window"
		try tl-extract --window "$T/window"
		[ ! -e "$T/part.ab" ] || try tl-extract --window "$T/window" "$T/part.ab"
	done
}

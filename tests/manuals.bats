# What the tools say of themselves, and what the pages say of them, is one story.
load helper

tools() {
	for f in "$root"/tools/tl-*.c; do basename "$f" .c; done
}

# text of a man page without markup
page() {
	mandoc -T ascii -O width=200 "$root/share/man/$1" | sed 's,.\x08,,g'
}

@test "every tool has a page, a test file, a line in README and one in tl(1)" {
	for t in $(tools); do
		assert_file_exists "$root/share/man/$t.1"
		assert_file_exists "$root/tests/$t.bats"
		grep -q "$t" "$root/README.md"
		grep -q "Xr $t 1" "$root/share/man/tl.1"
		grep -q "$t" "$root/share/completions/tl.bash"
		grep -qE "^\s+$t( |\\\\|$)" "$root/Makefile"
	done
}

@test "--help: usage line equals SYNOPSIS, fits a screen, ends with a pipe" {
	for t in $(tools); do
		"$t" --help >"$T/help"
		[ "$(wc -l <"$T/help")" -le 40 ]
		[ "$(awk 'length > 100' "$T/help" | wc -l)" = 0 ]
		tail -n 1 "$T/help" | grep -q 'tl-'
		usage=$(sed -n '1s/^usage: //p' "$T/help" | tr -s ' ')
		synopsis=$(page "$t.1" | sed -n '/^SYNOPSIS/,/^DESCRIPTION/p' | sed '1d;$d' | tr -s ' \n' ' ' | sed 's/^ //; s/ $//')
		# mdoc writes [option ...], the tools [option]...
		[ "$(sed 's/\[\([^]]*\)\]\.\.\./[\1 ...]/g' <<<"$usage")" = "$synopsis" ] || { echo "$t: '$usage' '$synopsis'"; false; }
	done
}

@test "--help and the page list the same options" {
	for t in $(tools); do
		"$t" --help | sed '/^example:/,$d' | grep -oE '^ +(-., )? *--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u >"$T/help"
		page "$t.1" | grep -E '^ {5,6}-' | grep -oE -- '--[a-z][a-z-]*' | sort -u >"$T/page"
		diff "$T/help" "$T/page" || { echo "$t"; false; }
	done
}

@test "--version names the tool" {
	for t in $(tools); do
		run -0 "$t" --version
		assert_regex "$output" "^$t [0-9]+\.[0-9]+\.[0-9]+$"
	done
}

@test "wrong options: one line on stderr, exit 2, in every tool" {
	for t in $(tools); do
		run -2 --separate-stderr "$t" --no-such-option
		[ "$(wc -l <<<"$stderr")" = 1 ]
		assert_regex "$stderr" "^$t: "
	done
}

@test "record types and fault codes of the code stand in tl-records(5)" {
	page tl-records.5 >"$T/page"
	for code in $(sed -n '/^} table\[TL_FAULT_CODES\]/,/^};/s/.*{"\([a-z0-9_]*\)",.*/\1/p' "$root/lib/format/fault.c"); do
		grep -q "$code" "$T/page" || { echo "$code"; false; }
	done
	for type in $(grep -ohE '(tl_record\([^,]+|overlap_begin\(o), "[a-z_]+' "$root"/lib/*/*.c | sed 's/.*"//' | sort -u); do
		# types that only reports see are in the contract of reports
		grep -qE "(^| )$type( |,|$)" "$T/page" || grep -q "\`$type\`" "$root/share/reports/README.md" || { echo "$type"; false; }
	done
}

@test "the pipes of the pages and of --help run" {
	mkdir "$T/traces"
	"$root/examples/traces.sh" "$T/made"
	for name in t rank0 traces/rank0; do cp "$T/made/train-rank0.json.gz" "$T/$name.json.gz"; done
	for name in rank1 traces/rank1; do cp "$T/made/train-rank1.json.gz" "$T/$name.json.gz"; done
	cp "$T/made/decode.json.gz" "$T/capture.json.gz"
	{
		sed -n 's/^\.Dl \(tl-.*\)/\1/p' "$root"/share/man/*.[15] | sed 's/\\(dq/"/g; s/\\e/\\/g'
		for t in $(tools); do "$t" --help | tail -n 1; done
	} >"$T/pipes"
	[ "$(wc -l <"$T/pipes")" -ge 25 ]
	cd "$T"
	while read -r pipe; do
		run bash -o pipefail -c "$pipe" </dev/null
		[ "$status" = 0 ] || [ "$status" = 141 ] || { printf '%s\n' "exit $status: $pipe" "$output"; false; }
	done <"$T/pipes"
}

@test "pages have no mandoc warnings" {
	run bash -c "mandoc -T lint -W warning '$root'/share/man/*.[15] 2>&1 | grep -vE 'referenced manual not found'"
	[ -z "$output" ] || { echo "$output"; false; }
}

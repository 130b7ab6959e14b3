# tl: the front end. What a report says is tested with tl-render; here: which tools run, and how it ends.
load helper

setup() {
	T=$BATS_TEST_TMPDIR
	"$root/examples/traces.sh" "$T"
}

@test "tl TRACE is the report look, of the pipe that it prints under -n" {
	cd "$T"
	run -0 tl -n train-rank0.json.gz
	assert_output 'tl-extract train-rank0.json.gz | tl-tree | tl-synth | tl-sourcemap | tl-overlap | tl-reliability | tl-render -r look'
	bash -c "$output" >1
	tl train-rank0.json.gz | cmp - 1
	grep -q '^# First look at train-rank0.json.gz\|^## First look at train-rank0.json.gz' 1
	# the figures are those of the summary
	tl report train-rank0.json.gz | grep -o '5.153' | sort -u | cmp - <(grep -o '5.153' 1 | sort -u)
}

@test "report: just the tools that the reports need, once each, in the order of the pipe" {
	run -0 tl report -n -r gemm t.json
	assert_output 'tl-extract t.json | tl-tree | tl-synth | tl-reliability | tl-render -r gemm'
	run -0 tl report -n -r gaps -r kernels -r timeline -f csv -o out.csv -q t.json
	assert_output 'tl-extract -q t.json | tl-tree -q | tl-sourcemap -q | tl-overlap --gaps 20 --by-step -q | tl-reliability -q | tl-render -r gaps -r kernels -r timeline -f csv -o out.csv -q'
	run -0 tl report -n "a b's.json"
	assert_output "tl-extract 'a b'\''s.json' | tl-tree | tl-synth | tl-overlap | tl-reliability | tl-render -r summary"
}

@test "a report file gets the tools that its head names, or all" {
	printf '#: answers: x\n#: needs: tl-overlap --gaps 3\n"gaps: \\(map(select(.type == "gap")) | length)"\n' >"$T/mine.jq"
	run -0 tl report -q -r "$T/mine.jq" "$T/train-rank0.json.gz"
	assert_output 'gaps: 3'
	echo '"hello"' >"$T/plain.jq"
	run -0 tl report -n -r "$T/plain.jq" t.json
	assert_output --partial 'tl-tree | tl-synth | tl-sourcemap | tl-overlap | tl-reliability | tl-render'
}

@test "streams are read by the first tool behind tl-extract; traces and streams do not mix" {
	cd "$T"
	tl-extract train-rank0.json.gz >s.tl
	run -0 tl report -n s.tl
	assert_output 'tl-tree s.tl | tl-synth | tl-overlap | tl-reliability | tl-render -r summary'
	tl report s.tl | cmp - <(tl report train-rank0.json.gz)
	gzip -k s.tl
	tl report s.tl.gz | cmp - <(tl report s.tl)
	run -2 tl s.tl train-rank0.json.gz
	assert_output --partial 'cannot be mixed'
}

@test "tl TOOL is tl-TOOL, whatever PATH says" {
	cmp <("$bin/tl" extract -q "$T/decode.json.gz") <(tl-extract -q "$T/decode.json.gz")
	cp -p "$bin"/tl "$T/tl"
	PATH=$bin:$PATH run -0 "$T/tl" render --list
	run -2 tl nosuch
	assert_output --partial 'nosuch: no tool and no trace'
	run -2 tl
	run -2 tl report -r nosuch t.json
	assert_output --partial 'there are: attention'
}

@test "the exit status is the worst of the tools'" {
	run -3 tl report -q "$T/absent.json"
	zcat "$T/train-rank0.json.gz" | head -c 400000 >"$T/cut.json"
	run -1 tl report -q "$T/cut.json"
	assert_output --partial 'truncated'
	run -3 bash -c 'tl report -q "$1" >/dev/full' - "$T/decode.json.gz"
	run -0 bash -o pipefail -c 'tl report -q "$1" | head -n 1' - "$T/decode.json.gz"
	mkdir "$T/bin" && ln -s "$bin"/tl-* "$T/bin" && rm "$T/bin/tl-overlap" && cp "$bin/tl" "$T/bin"
	PATH=/usr/bin:/bin TL_SHARE=$root/share run -3 "$T/bin/tl" report -q "$T/decode.json.gz"
	assert_output --partial 'cannot run tl-overlap'
}

@test "--version names the libraries, --help fits a screen" {
	run -0 tl --version
	assert_regex "$output" '^tl [0-9.]+ \(zlib [0-9.]+, protobuf-c [0-9.]+, libjq of jq-1\.[0-9.]+\)$'
	[ "$(tl --help | wc -l)" -le 24 ]
	[ "$(tl --help | awk 'length > 100' | wc -l)" = 0 ]
}

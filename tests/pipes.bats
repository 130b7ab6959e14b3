# Promises that every tool keeps: what it does not know passes, cuts are seen, output is checked.
load helper

setup() {
	filters=()
	for f in "$root"/tools/tl-*.c; do
		name=$(basename "$f" .c)
		case $name in tl-extract | tl-render) ;; *) filters+=("$name") ;; esac
	done
	tl-extract -q "$fixtures/t.json" >"$T/stream"
}

@test "records and keys that no tool knows pass byte for byte through every filter" {
	awk '/"type":"end"/ { print "{\"type\":\"mine\",\"trace\":0,\"x\":[1,{\"a\":null}],\"s\":\"\\u00e9\"}" } { print }' "$T/stream" |
		sed 's/\("type":"event".*\)}$/\1,"my_key":{"deep":[1,2]}}/' >"$T/in"
	for tool in "${filters[@]}"; do
		"$tool" "$T/in" >"$T/out"
		grep -qxF '{"type":"mine","trace":0,"x":[1,{"a":null}],"s":"\u00e9"}' "$T/out"
		[ "$(grep -c '"my_key":{"deep":\[1,2\]}' "$T/out")" = 7 ]
		# nothing but appended keys and new records
		grep -v '"type":"event"' "$T/in" | while read -r line; do grep -qxF -- "$line" "$T/out"; done
		grep '"type":"event"' "$T/in" | while read -r line; do grep -qF -- "${line%\}}" "$T/out"; done
	done
}

@test "a cut stream gives exit 3 and a message, and what was read is written" {
	lines=$(wc -l <"$T/stream")
	head -n $((lines - 1)) "$T/stream" >"$T/no-end"
	head -c $(($(wc -c <"$T/stream") - 30)) "$T/stream" >"$T/half-line"
	for tool in "${filters[@]}" 'tl-render -f md' 'tl-render -f chrome'; do
		for cut in no-end half-line; do
			run --separate-stderr bash -c "$tool <'$T/$cut'"
			assert_failure 3
			assert_regex "$stderr" 'cut|ends inside'
			assert_regex "$output" 'ampere_sgemm|trace'
		done
	done
}

@test "a producer that is killed is noticed at the end of the pipe, without pipefail" {
	run --separate-stderr bash -c "set +o pipefail; head -n 5 '$T/stream' | tl-tree | tl-synth | tl-render -f md"
	assert_failure 3
}

@test "an empty stream, and one that holds no trace, give exit 3" {
	for tool in "${filters[@]}" tl-render; do
		run -3 --separate-stderr bash -c "$tool </dev/null"
		[ -n "$stderr" ]
		run -3 --separate-stderr bash -c "echo '{\"type\":\"op\",\"trace\":0}' | $tool"
	done
}

@test "/dev/full gives exit 3 and a message" {
	for tool in "${filters[@]}" 'tl-render -f md' 'tl-render -f csv' 'tl-render -f chrome'; do
		run --separate-stderr bash -c "$tool '$T/stream' >/dev/full"
		assert_failure 3
		assert_regex "$stderr" 'cannot write: No space left on device'
	done
}

@test "head ends every tool quietly" {
	traces "$T"
	tl-extract -q "$T/train-rank0.json.gz" | tl-tree >"$T/big" # without a tree tl-synth has something to say, if it comes to the end
	for tool in "${filters[@]}" 'tl-render -f chrome'; do
		run --separate-stderr bash -c "$tool '$T/big' | head -c 100 >/dev/null; echo \${PIPESTATUS[0]}"
		assert_regex "$output" '^(0|141)$'
		[ -z "$stderr" ]
	done
}

# the example traces, made once for all tests of a run
traces() {
	[ -s "$bin/examples/decode.json.gz" ] || "$root/examples/traces.sh" "$bin/examples"
	cp "$bin"/examples/*.gz "$1"
}

@test "the whole pipe: two runs and two locales give the same bytes" {
	traces "$T"
	pipe='tl-extract -q "$0" | tl-tree | tl-synth | tl-sourcemap | tl-overlap | tl-reliability'
	for trace in train-rank0 decode; do
		bash -c "$pipe" "$T/$trace.json.gz" >"$T/1"
		LC_ALL=tr_TR.UTF-8 LANG=tr_TR.UTF-8 bash -c "$pipe" "$T/$trace.json.gz" >"$T/2"
		cmp "$T/1" "$T/2"
		for format in md table csv tsv; do
			tl-render -f "$format" "$T/1" >"$T/a"
			LC_ALL=tr_TR.UTF-8 tl-render -f "$format" "$T/1" >"$T/b"
			cmp "$T/a" "$T/b"
		done
	done
}

@test "the whole pipe: several traces in a stream give what each gives alone" {
	traces "$T"
	for r in 0 1; do
		tl-extract -q "$T/train-rank$r.json.gz" | tl-tree | tl-synth -n | tl-overlap -n | grep -vE '"type":"(trace|end)"' | sed 's/"trace":0/"trace":N/'
	done >"$T/alone"
	tl-extract -q "$T/train-rank0.json.gz" "$T/train-rank1.json.gz" | tl-tree | tl-synth -n | tl-overlap -n | grep -vE '"type":"(trace|end)"' | sed 's/"trace":[01]/"trace":N/' >"$T/together"
	cmp "$T/alone" "$T/together"
}

@test "a line that is no record: file and line, exit 3; left out and counted with --skip-bad" {
	{ head -n 3 "$T/stream"; echo 'INFO: profiler stopped'; echo; tail -n +4 "$T/stream" | sed 's/$/\r/'; } >"$T/noise"
	for tool in "${filters[@]}"; do
		run --separate-stderr bash -c "$tool '$T/noise'"
		assert_failure 3
		assert_regex "$stderr" 'noise:4: no record'
		run --separate-stderr bash -c "$tool --skip-bad '$T/noise'"
		assert_failure 1
		assert_regex "$stderr" '1 line left out, first at line 4'
		[ "$(grep -c '"type":"event"' <<<"$output")" = 7 ]
	done
}

@test "-n leaves out events and metadata, and what is left is a stream" {
	for tool in "${filters[@]}"; do
		"$tool" -n "$T/stream" >"$T/out"
		! grep -qE '"type":"(event|meta)"' "$T/out"
		tl-render -f md "$T/out" >/dev/null
	done
}

@test "gzipped streams are read, damage that an earlier tool recorded is not met again" {
	printf '{"traceEvents":[{"ph":"X","cat":"kernel","name":"a\\k","ts":1,"dur":NaN}]}' >"$T/bad.json"
	run -1 --separate-stderr tl-extract -o "$T/bad" "$T/bad.json"
	gzip "$T/bad"
	for tool in "${filters[@]}"; do
		run -0 --separate-stderr "$tool" "$T/bad.gz"
	done
	head -c -20 "$T/bad.gz" >"$T/cut.gz"
	run -3 --separate-stderr tl-tree "$T/cut.gz"
}

@test "-o: a run that cannot finish (exit 3) leaves the target as it was, to the byte, and nothing beside it" {
	mkdir "$T/o"
	cd "$T/o"
	trace '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{"device":0,"stream":7}}' >../t.json
	tl-extract -q ../t.json >../whole
	head -n 2 ../whole >../cut
	check() { # check COMMAND...: exit 3, and keep is as it was
		echo good >keep
		run "$@"
		assert_equal "$status" 3
		assert_equal "$(cat keep) $(ls -A)" 'good keep'
	}
	for tool in tl-tree tl-synth tl-sourcemap tl-overlap tl-reliability tl-render 'tl-render -f chrome' 'tl-render -f pftrace' 'tl-render --gzip -f chrome'; do
		# shellcheck disable=SC2086
		check $tool -o keep ../cut
		# shellcheck disable=SC2086
		check $tool -o keep /dev/null
	done
	check tl-extract -o keep ../missing.json
	check tl-extract -o keep ../t.json ../missing.json
	echo good >keep
	tl-tree -o keep ../whole
	jq -es 'map(select(.type == "end")) | length == 1' keep
	run ls -A
	assert_output keep
}

@test "a closed stderr gets no message into the file of -o" {
	trace '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2}' >"$T/t.json"
	cat "$T/t.json" "$T/t.json" >"$T/two.json" # which tl-extract has a note about
	tl-extract -q "$T/two.json" >"$T/want"
	tl-extract -o "$T/out" "$T/two.json" 2>&-
	diff "$T/want" "$T/out"
}

@test "a signal that was ignored at the start stays ignored while a file is written" {
	for signal in HUP INT; do
		(
			trap '' "$signal"
			{ cat "$T/stream"; sleep 1; } | tl-tree -o "$T/out" &
			sleep 0.5
			kill -"$signal" $!
			wait $!
		)
		tail -n 1 "$T/out" | grep -q '"type":"end"'
		rm "$T/out"
	done
}

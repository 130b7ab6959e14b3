# Loaded by every test: bin is where the tools are, T a scratch folder of the test.
bats_require_minimum_version 1.5.0
load '/usr/lib/bats/bats-support/load'
load '/usr/lib/bats/bats-assert/load'
load '/usr/lib/bats/bats-file/load'

root=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
fixtures=$root/tests/fixtures
case ${TL_BIN:-build} in
/*) bin=${TL_BIN} ;;
*) bin=$root/${TL_BIN:-build} ;;
esac
export PATH=$bin:$PATH LC_ALL=C
export TL_SHARE=$root/share
export ASAN_OPTIONS=detect_leaks=0
T=$BATS_TEST_TMPDIR

# trace EVENT... : a Chrome trace of these events, on stdout
trace() {
	local IFS=,
	printf '{"schemaVersion":1,"traceEvents":[%s]}\n' "$*"
}

# What the files build their events with, CAT NAME PID TID TS DUR first:
# span ... [MORE] is the members of a complete event, event ... [ARGS] the whole event of a Chrome trace
span() {
	printf '"ph":"X","cat":"%s","name":"%s","pid":%s,"tid":%s,"ts":%s,"dur":%s%s' "${@:1:6}" "${7:+,$7}"
}
event() {
	printf '{'
	span "${@:1:6}" "\"args\":{${7:-}}"
	printf '}'
}

# golden NAME: compares stdin with tests/fixtures/NAME (make golden rewrites it)
golden() {
	if [ -n "${TL_GOLDEN:-}" ]; then
		mkdir -p "$(dirname "$fixtures/$1")"
		cat >"$fixtures/$1"
	else
		diff -u "$fixtures/$1" - || return 1
	fi
}

#!/usr/bin/env bats
# share/nsys: an Nsight Systems export as an activity window.

setup() {
	load helper
	db=$T/report.sqlite
	sqlite3 "$db" <"$fixtures/nsys/old.sql"
}

as_window() {
	sqlite3 -batch "$db" <"$root/share/nsys/window.sql"
}

@test "an export becomes this window, and is not changed" {
	cp "$db" "$T/before"
	as_window | golden nsys/old.ndjson
	cmp "$db" "$T/before"
}

@test "columns and tables of newer versions are used" {
	sqlite3 "$db" <"$fixtures/nsys/newer.sql"
	as_window | golden nsys/newer.ndjson
}

@test "an export without any of the tables gives an empty window, not an error" {
	rm "$db"
	sqlite3 "$db" 'CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT)'
	run -0 as_window
	assert_output ''
}

@test "a call belongs to the innermost push/pop range of its thread, back to back ranges too" {
	run jq -c 'select(.kind == "external_correlation") | [.correlationId, .externalId]' <(as_window)
	assert_output "$(printf '%s\n' '[1,2]' '[2,2]' '[3,3]')"
}

@test "ranges that share a start, end together, or are empty do not confuse the nesting" {
	sqlite3 "$db" "DELETE FROM NVTX_EVENTS; DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME;
		INSERT INTO NVTX_EVENTS(rowid, start, end, eventType, text, globalTid) VALUES
			(11, 100, 900, 59, 'outer', 1), (12, 100, 500, 59, 'inner', 1), (13, 300, 300, 59, 'empty', 1),
			(14, 500, 900, 59, 'next', 1), (15, 100, 900, 59, 'other thread', 2);
		INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 110, 0, 1, 1, 2, 0), (310, 320, 0, 1, 2, 2, 0),
			(500, 510, 0, 1, 3, 2, 0), (890, 900, 0, 1, 4, 2, 0), (950, 960, 0, 1, 5, 2, 0), (310, 320, 0, 2, 6, 2, 0);"
	run jq -c 'select(.kind == "external_correlation") | [.correlationId, .externalId]' <(as_window)
	assert_output "$(printf '%s\n' '[1,12]' '[2,12]' '[3,14]' '[4,14]' '[6,15]')"
}

@test "the window of an export is a trace like any other" {
	as_window | tl-extract --window - | tl-tree | tl-synth >"$T/s"
	run jq -c 'select(.type == "coverage") | [.gpu_ops, .owned, .unlaunched, .duplicates]' "$T/s"
	assert_output '[4,4,0,0]'
	run jq -c 'select(.cat == "kernel") | [.ts, .name, (.parent | type)]' "$T/s"
	assert_output "$(printf '%s\n' '[1.7,"gemm<float>(int)","number"]' '[3.5,"gemm<float>(int)","number"]' '[4.7,"gemm<float>(int)","number"]')"
	run jq -c 'select(.cat == "gpu_user_annotation") | .name' "$T/s"
	assert_output "$(printf '%s\n' '"layer"' '"layer"')"
}

@test "the recipe makes a report of an export" {
	run -0 "$root/examples/recipes/nsys.sh" "$db" -f md
	assert_output --partial 'GPU time by category'
	run -2 "$root/examples/recipes/nsys.sh"
	assert_output 'usage: nsys.sh REPORT.sqlite|REPORT.nsys-rep [tl-render option]...'
	run -3 "$root/examples/recipes/nsys.sh" "$T/missing.sqlite"
}

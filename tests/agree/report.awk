# Lines that hold "trace":N and differ in, to a message: how many traces, and what of the first one.
# usage: awk -v what=FACT -f report.awk NAMES LINES      NAMES: number and name of each trace
# Exit 1 when no trace differs.
FNR == NR { name[$1] = $2; next }
match($0, /"trace":[0-9]+/) {
	t = substr($0, RSTART + 8, RLENGTH - 8) + 0
	if (!(t in lines)) { n++; if (n == 1 || t < first) first = t }
	if (lines[t] < 8) text[t] = text[t] "    " substr($0, 1, 400) "\n"
	lines[t]++
}
END {
	if (!n) exit 1
	for (t in lines) kinds[name[t] ~ /plain/ ? "plain" : "odd"]++
	printf "%s: %d plain and %d odd traces differ, the first is %s:\n%s", what, kinds["plain"], kinds["odd"], name[first], text[first]
}

# Derived records of traces that stand in the stream several times, -v n=N of them each time: those of
# each time to a file of their own, -v to='NAME NAME...', with the numbers that they had the first time.
BEGIN { split(to, name, " ") }
/^{"type":"(trace|meta|event|end)"/ { next }
{
	match($0, /"trace":[0-9]+/)
	t = substr($0, RSTART + 8, RLENGTH - 8)
	print substr($0, 1, RSTART + 7) t % n substr($0, RSTART + RLENGTH) > name[int(t / n) + 1]
}

# A stream with the events of each trace in another order, chosen by -v seed=N.
function next_random() { # of 0 to 2147483646
	state = (state * 16807) % 2147483647
	return state
}
BEGIN { state = seed % 2147483646 + 1; next_random() }
/^{"type":"event"/ { held[++n] = $0; next }
{
	for (; n > 0; n--) {
		k = 1 + next_random() % n
		print held[k]
		held[k] = held[n]
	}
	print
}

# A stream with -v from=N added to the numbers of its traces, to be put behind N others.
{ match($0, /"trace":[0-9]+/); print substr($0, 1, RSTART + 7) substr($0, RSTART + 8, RLENGTH - 8) + from substr($0, RSTART + RLENGTH) }

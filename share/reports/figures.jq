# Small things that reports say alike:
#
#     include "figures";
#     records("timeline"), total(.gpu_us), (.busy_us | ms), plural(3; "rank")

def records($type): map(select(.type == $type));
def total(f): map(f // 0) | add // 0;
def ms: if . == null then null else . / 1000 end;
def plural($n; $one): "\($n) \($one)\(if $n == 1 then "" else "s" end)";

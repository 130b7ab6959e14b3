# What `tl-overlap --by-step` says of each step against what `tl-tree --in STEP` keeps of it. Slurped:
#   {"type":"said", trace, name, gpu_us, nested}  of the step, by its name
#   {"type":"in", trace, name, id, dur}      a GPU op that --in NAME kept
#   {"type":"pooled", trace, name, gpu_us}   what tl-overlap says of all that --in NAME kept
#   {"type":"all", trace, gpu_us}            all GPU time of the trace
#   {"type":"steps", trace, value}           how its steps lie: none, apart, mixed
# One line out for each difference. A nested step's ops are those of the step around it, too.
def ns: . * 1000 | round;
def total(f): map(f // 0 | ns) | add // 0;

group_by(.trace)[]
| .[0].trace as $trace
| map(select(.type == "in")) as $in
| map(select(.type == "said")) as $said
| (map(select(.type == "all")) | total(.gpu_us)) as $all
| (map(select(.type == "steps" and .value == "mixed")) != []) as $mixed
| ($in | unique_by(.id)) as $inside
| ($in | group_by(.id) | map(select(length > 1)[0].id)) as $shared
| (
	((map(select(.type != "all" and .type != "steps").name) | unique[]) as $name
	| ($said | map(select(.name == $name)) | total(.gpu_us)) as $by
	| ($in | map(select(.name == $name))) as $ops
	| ($ops | total(.dur)) as $most
	| (map(select(.type == "pooled" and .name == $name)) | total(.gpu_us)) as $pooled
	| if $pooled != $most then {name: $name, in: $most, pooled: $pooled} else empty end,
	  if $by != $most then {name: $name, by_step: $by, in: $most} else empty end),
	(if $mixed or $shared == [] then empty else {in_several_steps: $shared} end),
	(($said | map(select(.nested | not)) | total(.gpu_us)) + $all - ($inside | total(.dur))
	| if . == $all then empty else {all: $all, steps_and_outside: .} end)
  )
| {trace: $trace} + .

# A stream that went through the tools in (slurped), one line out for each thing in which they
# disagree: {trace, fact, difference}; fact is operator, share, owned or comm.
def ns: . * 1000 | round;
def is_gpu_op: has("ts") and (.ph == "X" or (.ph == "B" and has("dur")))
	and ((.cat // "") | ascii_downcase | IN("kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"));
def is_kernel: .cat | ascii_downcase == "kernel";
def total(f): map(f // 0 | ns) | add // 0;

# the length of the union of [from, to]
def union: sort | reduce .[] as [$from, $to] ({us: 0, end: -1e18};
	if $from >= .end then {us: (.us + $to - $from), end: $to}
	elif $to > .end then {us: (.us + $to - .end), end: $to}
	else . end) | .us;

# The ids of the operator $id and of all events above it.
def upwards($event; $id): $id | [recurse($event["\(.)"].parent // empty)];

def operator($event; $ops; $rows):
	($rows | map(. as $row | .gpu_ops[] | {key: "\(.id)", value: $row}) | from_entries) as $row_of
	| $ops[] | select(.graph | not)
	| . as $op | $row_of["\(.id)"] as $row | $event["\(.operator)"] as $operator
	| (if $operator == null then $event["\(.launcher)"].name else $operator.name end) as $name
	| if .operator != null and $operator == null then "operator is no event of the trace"
	  elif $row == null then "no row"
	  elif ($row.kind == "orphan") != ($operator == null) then "row is \($row.kind)"
	  elif $operator != null and (upwards($event; $op.operator) | index($row.event) | not)
	  then "row of event \($row.event)"
	  elif .launch_op != $name then "launch_op \(.launch_op // "none")"
	  else empty end
	| "\(.): GPU op \($op.id), operator \($op.operator // "none") \($name // "")";

def share($ops; $said):
	($ops | map(select(is_kernel))) as $kernels
	| ($kernels | total(.dur)) as $all
	| ($kernels | map(select(.operator != null and (.graph | not))) | total(.dur)) as $owned
	| if $all == 0 then empty
	  elif $said == null then "no attributed_share"
	  elif (100 * $owned / $all - $said | fabs) < 0.001 then empty
	  else "attributed_share \($said), \(100 * $owned / $all) of kernel time has an operator" end;

def owned($ops; $rows; $coverage):
	{gpu_ops: ($ops | length), owned: ($ops | length), duplicates: 0, gpu_us: ($ops | total(.dur)), ids: ($ops | map(.id) | sort)}
	| . as $want
	| ($coverage | {gpu_ops, owned, duplicates, gpu_us: (.gpu_us | ns)} + {ids: ($rows | map(.gpu_ops[].id) | sort)})
	| select(. != $want) | "coverage and rows \(.), ops \($want)";

def comm($ops; $timelines):
	($ops | map(select(.class == "communication")) | group_by(.device // .pid | tostring)
		| map(map([(.ts | ns), (.ts | ns) + (.dur // 0 | ns)]) | union) | add // 0) as $class
	| ($timelines | total(.comm_us)) as $said
	| if $class == $said then empty else "comm_us \($said) ns, class communication \($class) ns" end;

group_by(.trace)[]
| .[0].trace as $trace
| map(select(.type == "event")) as $events
| map(select(.type == "op")) as $rows
| ($events | map(select(is_gpu_op))) as $ops
| (map(select(.type == "reliability"))[0]) as $reliability
| (map(select(.type == "coverage"))[0]) as $coverage
| ({fact: "comm", difference: comm($ops; map(select(.type == "timeline" and .device != null and .step == null)))},
  if $coverage == null then empty else
	{fact: "operator", difference: operator($events | map({key: "\(.id)", value: .}) | from_entries; $ops; $rows)},
	{fact: "share", difference: share($ops; $reliability.attributed_share)},
	{fact: "owned", difference: owned($ops; $rows; $coverage)}
  end)
| {trace: $trace} + .

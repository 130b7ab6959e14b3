# Collectives.
include "models_table";

# A collective among n ranks. bytes: what one rank puts in (all-gather: gets out), so that bytes / time is the
# algorithm's bandwidth; times bus_factor it is that of the wires: 2 (n - 1) / n for all-reduce, (n - 1) / n for
# all-gather, reduce-scatter and all-to-all, 1 for broadcast and reduce. comm: what the trace recorded of it, as far as
# it did: {collective, group_size, in_elements, out_elements, dtype}. It has no roof: not memory is what bounds it.
def collective:
  . as $p | (.comm // {}) as $c | $c.group_size as $n
  | ($p.collective // ($c.collective // .name | ascii_downcase | split("_") | add)) as $kind
  | {bytes: (if $c.dtype
        then (if $kind | contains("gather") then $c.out_elements else $c.in_elements end) * tables.comm_bytes[$c.dtype | ascii_downcase]
        else .elements[$p.x // 0] * .width[$p.x // 0] end),
     params: ({collective: $kind} + if $n then {group_size: $n, bus_factor:
      (if $kind | contains("allreduce") then 2 * ($n - 1) / $n elif $kind | test("gather|scatter|alltoall") then ($n - 1) / $n else 1 end)} else {} end)};

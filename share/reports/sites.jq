# Kernels and their places, the same in all reports that show them.
include "kernels" {"search": "../rules"};

def share_of($all): if . == null or ($all // 0) <= 0 then null else 100 * . / $all end;

# `source` records by kernel.
def sites: [.[] | select(.type == "source") | {(.kernel): .}] | add // {};

# Of a `source` record, or null: where its kernel comes from. A kernel that only graphs replay has no
# place of its own: tl-sourcemap --map finds it in the capture or in an eager run.
def location:
  if . == null then null
  elif .scope != null then
    ( (.scopes // {} | to_entries) as $seen
      | ($seen | map(.value) | add // 0) as $sum
      | .scope
        + (if .how == "map" then " (by the map)" elif .how == "forward" then " (its forward operator)" elif .how == "time" then " (by time alone)" else "" end)
        + (if ($seen | length) > 1 and (.scopes[.scope] // 0) > 0
           then " (\(100 * .scopes[.scope] / $sum | round) % of \($seen | length) places)" else "" end) )
  elif (.graph // 0) > 0 then "graph"
  else null end;

# Kernels, all devices together, the longest first: from tl-overlap's groups (of one stage when one
# is given), else from `source` records.
def kernel_rows($stage):
  map(select(.type == "kernel_group")) as $groups
  | ( if ($groups | length) > 0
      then $groups | map(select($stage == null or .stage == $stage)) | group_by(.name)
        | map({name: .[0].name, count: (map(.count) | add), gpu_us: (map(.gpu_us) | add),
               hidden_us: (if any(.[]; .hidden_us == null) then null else map(.hidden_us) | add end)})
      else map(select(.type == "source" and .launches > 0 and .gpu_us != null) | {name: .kernel, count: .launches, gpu_us, hidden_us: null}) end )
  | map(. + {class12: ({rules: "default", name} | class12)})
  | sort_by(-.gpu_us, .name);
def kernel_rows: kernel_rows(null);

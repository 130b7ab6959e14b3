# What the reports on operators share:
#
#     include "op_tables";
#     op_report("Convolutions"; ["CONV"]; op_table)
#
# Their rows are op_group records: those of the stream, or tl-render's own from the rows of tl-synth.
include "figures";

def op_groups: map(select(.type == "op_group"));

def share_of($total): if $total > 0 then 100 * . / $total else null end;

# [[1, 141, 512], [], [512]] -> "1x141x512 512"; a list of tensors in brackets; [5, 6], as some
# writers have it, is one tensor
def shape:
  def dims: map(tostring) | join("x");
  def list: if type == "array" then . else [] end;
  (.input_dims | list)
  | if length > 0 and all(.[]; type == "number") then [.] else . end
  | [.[] | list | select(length > 0) | if .[0] | type == "array" then "[" + (map(list | dims) | join(" ")) + "]" else dims end]
  | join(" ");

# The columns that every table of operators ends with.
def cost_columns:
  [{name: "count", num: 0}, {name: "GPU us", num: 3}, {name: "share %", num: 1}, {name: "TFLOP/s", num: 2}, {name: "TB/s", num: 3},
   {name: "bound"}, {name: "of roof %", num: 1}];
def cost: [.count, .gpu_us, .share, .tflops_s, .tb_s, .bound, .roofline_share];

def op_table:
  {columns: ([{name: "operator"}, {name: "shapes"}] + cost_columns), rows: map([.name, shape] + cost)};

def no_rows: "No rows of operators: tl-synth has not run.";

# The rows whose category begins with one of $categories, as $table, under a heading that says what they take.
def op_report($heading; $categories; table):
  op_groups as $all
  | if ($all | length) == 0 then no_rows else
      ($all | map(select(.category // "" | . as $c | any($categories[]; . as $p | $c | startswith($p))))) as $rows
      | {h: $heading},
        if ($rows | length) == 0 then "None in this trace."
        else
          ($rows | map(.gpu_us // 0) | add) as $us
          | ($rows | map(.count // 0) | add) as $count
          | ($us | share_of($all | map(.gpu_us // 0) | add)) as $share
          | "\(plural($rows | length; "shape")), \(plural($count; "call")), \($us * 1000 | round / 1000) us of GPU time"
            + if $share then ", \($share * 10 | round / 10) % of all." else "." end,
            ($rows | table)
        end
    end;

# What is far from its roof, by the time that reaching it would save.
#: answers: what is far from the device's roof, and what would reaching it save
#: needs: tl-tree | tl-synth | tl-reliability
include "op_tables";
include "doubt";

(op_groups as $all
| ($all | map(select(.roofline_share) | . + {saving: ([(.busy_us // .gpu_us) * (1 - .roofline_share / 100), 0] | max)}) | sort_by(-.saving)) as $rows
| if ($all | length) == 0 then no_rows
  else
    {h: "Roofline"},
    if ($rows | length) == 0 then "No row has a roof: the device is not known, or no operator has figures. tl-synth --arch names a device."
    else
      ($rows | map(.saving) | add) as $saving
      | "\($rows | length) of \($all | length) operators and shapes have a roof; all at theirs would save \($saving * 1000 | round / 1000) us of GPU time.",
        {columns: [{name: "operator"}, {name: "shapes"}, {name: "count", num: 0}, {name: "GPU us", num: 3}, {name: "bound"}, {name: "TFLOP/s", num: 2},
            {name: "TB/s", num: 3}, {name: "flop/byte", num: 2}, {name: "of roof %", num: 1}, {name: "saving us", num: 3}],
         rows: ($rows | map([.name, shape, .count, .gpu_us, .bound, .tflops_s, .tb_s, .flops_per_byte, .roofline_share, .saving]))}
    end
  end),
doubts

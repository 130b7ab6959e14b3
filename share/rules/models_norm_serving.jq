# RMS norms and RoPE, as servers of language models do them.
include "models_lib";

# x, weight vector of c: (n / c)(2c + 2) + 2n, 3n when a residual is added; input and result (out bytes per element when
# quantised) once, the weights, the residual read and written.
def rms_norm:
  . + {n: .elements[.x], c: .elements[.gamma], w: .width[.x]}
  | . + {o: (.out // .w), rows: (.n / .c)}
  | figure(.x; "vector"; "4 n + 2 rows + add n"; "n w + n o + 2 add n w + c w");

# Every element of the tensors named: 3 operations; each read and written.
def rope:
  .of as $of | . + {n: ([.elements[$of[]]] | add), w: .width[$of[0]]} | figure($of[0]; "vector"; "3 n"; "2 n w");

# share/rules/comm.jq's table of words as C (`make comm`): a row for each phrase, and for each word beside which another counts.
include "comm";

def rows:
  comm_words | to_entries[] | .key as $word
  | if .value == true then {$word, text: "", says: true}
    else .value | to_entries[] | {$word, text: " \(.key) ", says: .value} end;

"/* Written by `make comm` from share/rules/comm.jq: change that. */",
"// clang-format off",
"static const struct comm_row {",
"\tconst char *word, *text; /* what the word says where the name's words hold the text */",
"\tbool says;",
"} comm_rows[] = {",
([rows] | sort_by(.word, .text)[] | "\t{\(.word | tojson), \(.text | tojson), \(.says)},"),
"};",
"// clang-format on"

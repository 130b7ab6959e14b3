# The words of a kernel's name, as a text: " nccl dev kernel all reduce " of "ncclDevKernel_AllReduce". Rules look for whole
# words, which substrings are not: "gemm" is in fbgemm, "mma" in gamma. A word ends where letters or digits do, between
# letters and digits, and before a capital that follows a small letter or begins a capitalised word.
# Names can be thousands of letters of template arguments: the first 200 hold what rules look for.
# (_match_impl does the work of jq's scan, whose wrappers are long: README.md, "Time".)
def name_words:
  [.[:200] | _match_impl("[0-9]+|[A-Z]+(?![a-z\\x{80}-\\x{10ffff}])|[A-Z]?[a-z\\x{80}-\\x{10ffff}]+"; "g"; false)[].string
    | if . >= "A" and . < "a" then ascii_downcase else . end + " "]
  | " " + (add // "");

# What a kernel is called: the name without template and function arguments. `std::enable_if<...>::type f<float>(float*)` is
# called f; "(anonymous namespace)::" says nothing.
def without_arguments: (split("<")[0] // "" | split("(")[0]) // "";
def name_head:
  (split("(anonymous namespace)::") | add // "") as $name
  | $name | without_arguments
  | if endswith("enable_if") then $name | split("::type ")[1] // "" | without_arguments else . end;

# {name}, and from tl-overlap also .words and .head: the words of a kernel's name, and those of what it is called (of all its
# name, where it is called nothing: <unnamed>::f).
def words: .words // (.name | name_words);
def head: .head // ((.name | name_head | name_words | select(. != " ")) // words);

# The text of a name's words -> what the table says of it: a value for each of its words that the table has; of phrases,
# {phrase: value, ...}, for each that the text holds.
def found($table):
  . as $text
  | $table[split(" ")[]] | select(. != null)
  | if type == "object" then keys[] as $phrase | select($text | contains(" " + $phrase + " ")) | .[$phrase] else . end;

/* The words of a name: " fused add rms norm kernel " of `vllm::fused_add_rms_norm_kernel`. Rules
 * look for whole words, which substrings are not: "gemm" is in fbgemm, "mma" in gamma. */
#ifndef TL_RULES_WORDS_H
#define TL_RULES_WORDS_H
#include "../base/base.h"

/* Appends the words of `name` (UTF-8) in lower case, each between single blanks. A word ends where
 * letters or digits do, between letters and digits, and before a capital that follows a small
 * letter or begins a capitalised word (CUDAKernel: cuda kernel). A name without words: " ". */
void tl_words(struct tl_buf *out, struct tl_span name);

/* What share/rules/words.jq calls `words` and `head` of a kernel's name, which rules get with it:
 * the words of its first 200 characters, and those of what the kernel is called, without template
 * and function arguments (those of the whole name where it is called nothing). */
void tl_kernel_words(struct tl_buf *out, struct tl_span name);
void tl_kernel_head(struct tl_buf *out, struct tl_span name);

#endif

#include "comm.h"
#include "words.h"
#include "comm_words.h"

/* The rows of a word stand together; the words are in order. */
static const struct comm_row *first_row(struct tl_span word)
{
	size_t from = 0, to = sizeof comm_rows / sizeof *comm_rows;
	while (from < to) {
		size_t middle = (from + to) / 2, n = strlen(comm_rows[middle].word);
		int order = memcmp(comm_rows[middle].word, word.p, n < word.n ? n : word.n);
		if (order < 0 || (order == 0 && n < word.n))
			from = middle + 1;
		else
			to = middle;
	}
	return comm_rows + from;
}

static bool is_row_of(const struct comm_row *row, struct tl_span word)
{
	return row < comm_rows + sizeof comm_rows / sizeof *comm_rows &&
		   tl_span_eq(tl_str(row->word), word);
}

bool tl_name_communicates(struct tl_span plain_name)
{
	struct tl_buf text = {0};
	bool yes = false, no = false;
	tl_kernel_head(&text, plain_name);
	for (size_t at = 1, n; at < text.n; at += n + 1) {
		n = (size_t)((char *)memchr(text.p + at, ' ', text.n - at) - (text.p + at));
		struct tl_span word = {text.p + at, n};
		for (const struct comm_row *row = first_row(word); is_row_of(row, word); row++) {
			if (*row->text && !memmem(text.p, text.n, row->text, strlen(row->text)))
				continue;
			yes = yes || row->says;
			no = no || !row->says;
		}
	}
	tl_buf_free(&text);
	return yes && !no;
}

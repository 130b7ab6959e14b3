/* The reports there are: the files of share/reports whose head says what they answer and which
 * tools they need (share/reports/README.md); its other files are modules of these. */
#ifndef TL_REPORT_LIST_H
#define TL_REPORT_LIST_H
#include "../base/base.h"

struct tl_report_about {
	char *name; /* without .jq */
	char *path;
	char *answers; /* a question, as a phrase */
	char *needs;   /* "tl-tree | tl-overlap --gaps 20", between tl-extract and tl-render */
	bool sets;     /* of sets of traces, not of traces */
};

struct tl_report_list {
	struct tl_report_about *v; /* by name */
	size_t n;
};

/* False and `e` filled when share/reports cannot be read. */
bool tl_report_list(struct tl_report_list *list, struct tl_error *e);
void tl_report_list_free(struct tl_report_list *list);

/* The report of that name, or what the head of a file says, "FILE.jq" or with a '/' in it; its
 * `needs` may be NULL then, and the file need not be readable. False and `e` filled, with all
 * names, when there is none. */
bool tl_report_about(const char *name, struct tl_report_about *about, struct tl_error *e);
void tl_report_about_free(struct tl_report_about *about);

#endif

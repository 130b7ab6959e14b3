#include "share.h"
#include "buf.h"
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

static char *below(const char *folder, const char *middle, const char *relative)
{
	struct tl_buf b = {0};

	tl_buf_printf(&b, "%s%s/%s", folder, middle, relative);
	tl_buf_ch(&b, '\0');
	if (access(b.p, R_OK) == 0)
		return b.p;
	tl_buf_free(&b);
	return NULL;
}

char *tl_exe_folder(void)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	const char *slash = n > 0 ? memrchr(exe, '/', (size_t)n) : NULL;
	return slash ? strndup(exe, (size_t)(slash - exe)) : NULL;
}

static char *beside_executable(const char *relative)
{
	static const char *const places[] = {"/../share/tl", "/../share", "/../../share"};
	char *folder = tl_exe_folder(), *path = NULL;

	for (size_t i = 0; i < sizeof places / sizeof *places && folder && !path; i++)
		path = below(folder, places[i], relative);
	free(folder);
	return path;
}

char *tl_share_path(const char *relative)
{
	const char *set = getenv("TL_SHARE");
	char *path;

	if (set && *set)
		return below(set, "", relative);
	path = beside_executable(relative);
	return path ? path : below(TL_PREFIX "/share/tl", "", relative);
}

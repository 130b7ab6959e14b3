/* Where the files of share/ are. */
#ifndef TL_BASE_SHARE_H
#define TL_BASE_SHARE_H

/* The path of a file or folder below share/ ("reports/summary.jq", "rules/arch"), or NULL when it
 * is nowhere: in $TL_SHARE and only there when that is set, else in share/tl or share/ beside the
 * folder of the executable or one above (an installed tree, build/x, build/asan/x), else in
 * PREFIX/share/tl. The caller frees it. */
char *tl_share_path(const char *relative);

/* The folder of the executable, or NULL where the system does not tell. The caller frees it. */
char *tl_exe_folder(void);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/* Directories for files of tests.  Not by libop, of which these are tests. */
#include "tests/unit/test.h"

#include <ftw.h>

char *test_enter(const char *name)
{
	const char *base = getenv("TMPDIR");
	char *dir;

	if (asprintf(&dir, "%s/%s-XXXXXX", base ? base : "/tmp", name) < 0)
		return NULL;
	if (mkdtemp(dir) && !chdir(dir))
		return dir;
	free(dir);
	return NULL;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	(void)status;
	(void)kind;
	(void)where;
	return remove(path);
}

int test_remove(const char *dir)
{
	return nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

int test_leave(char *dir)
{
	int result = chdir("/") || test_remove(dir) ? -1 : 0;

	free(dir);
	return result;
}

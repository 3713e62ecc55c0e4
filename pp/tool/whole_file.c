// SPDX-License-Identifier: GPL-2.0-or-later
/* Files written whole or not at all: see whole_file.h. */
#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/memory.h"

static bool is_special(const char *path)
{
	struct stat status;

	return !stat(path, &status) && !S_ISREG(status.st_mode);
}

static int open_fresh(struct pp_whole_file *whole, struct op_error *error)
{
	int fd;

	whole->fresh = pp_format("%s.XXXXXX", whole->path);
	fd = mkostemp(whole->fresh, O_CLOEXEC);
	whole->file = fd >= 0 ? fdopen(fd, "w+") : NULL;
	if (whole->file)
		return 0;
	op_error_errno(error, "%s", whole->path);
	if (fd >= 0) {
		close(fd);
		unlink(whole->fresh);
	}
	free(whole->fresh);
	return -1;
}

int pp_whole_file_open(struct pp_whole_file *whole, const char *path, struct op_error *error)
{
	*whole = (struct pp_whole_file){.path = path};
	if (!path || !strcmp(path, "-")) {
		whole->path = "standard output";
		whole->file = stdout;
		return 0;
	}
	if (!is_special(path))
		return open_fresh(whole, error);
	whole->file = fopen(path, "we");
	return whole->file ? 0 : op_error_errno(error, "%s", path);
}

static int flush(struct pp_whole_file *whole, struct op_error *error)
{
	bool failed = ferror(whole->file);
	int code = errno;

	if (fflush(whole->file)) {
		code = errno;
		failed = true;
	}
	if (!failed)
		return 0;
	return op_error_code(error, code ? code : EIO, "%s can't be written", whole->path);
}

static int set_mode(struct pp_whole_file *whole, struct op_error *error)
{
	mode_t mask = umask(0);

	umask(mask);
	if (fchmod(fileno(whole->file), 0640 & ~mask))
		return op_error_errno(error, "%s", whole->path);
	return 0;
}

int pp_whole_file_close(struct pp_whole_file *whole, int result, struct op_error *error)
{
	if (!result)
		result = flush(whole, error);
	if (whole->file == stdout)
		return result;
	if (!result && whole->fresh)
		result = set_mode(whole, error);
	if (fclose(whole->file) && !result)
		result = op_error_errno(error, "%s can't be written", whole->path);
	if (!result && whole->fresh && rename(whole->fresh, whole->path))
		result = op_error_errno(error, "%s", whole->path);
	if (result && whole->fresh)
		unlink(whole->fresh);
	free(whole->fresh);
	return result;
}

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

/* A device, a pipe, or what this process has open: not what another user put there. */
static bool is_special(const struct foreign_place *place)
{
	struct stat status;

	return !place->is_others &&
	       !fstatat(place->dir, place->name, &status, AT_SYMLINK_NOFOLLOW) &&
	       !S_ISREG(status.st_mode);
}

static int whole_file_open_file(struct pp_whole_file *whole, struct op_error *error)
{
	const struct foreign_place *place = &whole->place;
	int fd = is_special(place) ? foreign_place_open(place, 0640, error)
				   : foreign_place_fresh(place, &whole->fresh, error);

	if (fd < 0)
		return -1;
	whole->file = fdopen(fd, whole->fresh ? "w+" : "w");
	if (whole->file)
		return 0;
	close(fd);
	if (whole->fresh)
		foreign_place_remove(place, whole->fresh);
	free(whole->fresh);
	return op_error_memory(error);
}

int pp_whole_file_open(struct pp_whole_file *whole, const char *path, struct op_error *error)
{
	*whole = (struct pp_whole_file){.path = path};
	if (!path || !strcmp(path, "-")) {
		whole->path = "standard output";
		whole->file = stdout;
		return 0;
	}
	if (!foreign_place_find(&whole->place, path, FOREIGN_PARENTS_FIND, FOREIGN_REPLACE,
				error) &&
	    !whole_file_open_file(whole, error))
		return 0;
	foreign_place_leave(&whole->place);
	return -1;
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
	if (!result && whole->fresh)
		result = foreign_place_replace(&whole->place, whole->fresh, error);
	if (result && whole->fresh)
		foreign_place_remove(&whole->place, whole->fresh);
	foreign_place_leave(&whole->place);
	free(whole->fresh);
	return result;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Profiles that are read, whoever owns them: see profile_input.h. */
#include "profile_input.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pp/formats/input/input.h"
#include "libop/base/file.h"
#include "libop/foreign/door.h"
#include "pp/formats/store/fetch.h"
#include "pp/formats/store/url.h"
#include "read_apart.h"

/* Finds one owner of all that is another user's; several are nobody. */
static int find_supplier(const char *path, const struct stat *status, void *context)
{
	uid_t *supplier = context, owner = foreign_owner(status);

	(void)path;
	if (!owner || owner == *supplier)
		return 0;
	*supplier = *supplier == FOREIGN_OURSELVES ? owner : FOREIGN_NOBODY;
	return 0;
}

/* Of what is read apart. */
static uid_t supplier_of(const struct profile_input *profile, const struct stat *status)
{
	uid_t supplier = FOREIGN_OURSELVES;

	find_supplier(profile->path, status, &supplier);
	if (profile->is_directory)
		op_walk(profile->path, find_supplier, &supplier, NULL);
	/* that is read apart because of a file that is gone by now */
	return supplier == FOREIGN_OURSELVES ? FOREIGN_NOBODY : supplier;
}

/* What a server says is parsed as a file of somebody else. */
static int open_store(struct profile_input *profile, const char *url,
		      const struct store_wanted *wanted, struct op_error *error)
{
	int fd = store_fetch(url, wanted, error);

	*profile = (struct profile_input){.path = url, .fd = -1, .supplier = FOREIGN_OURSELVES};
	if (fd < 0)
		return -1;
	if (!foreign_mark(fd, FOREIGN_NOBODY)) {
		close(fd);
		return op_error_memory(error);
	}
	profile->fd = fd;
	profile->supplier = FOREIGN_NOBODY;
	return 0;
}

int profile_input_open(struct profile_input *profile, const char *path,
		       const struct store_wanted *wanted, struct op_error *error)
{
	struct stat status;

	if (store_url_is(path))
		return open_store(profile, path, wanted, error);
	*profile = (struct profile_input){.path = path, .supplier = FOREIGN_OURSELVES};
	if (read_apart_open(path, &profile->fd, error))
		return -1;
	if (profile->fd < 0) {
		profile->input = input_open(path, error);
		if (!profile->input)
			return -1;
		profile->is_directory = input_is_directory(profile->input);
		return 0;
	}
	if (foreign_status(profile->fd, &status))
		status = (struct stat){.st_uid = FOREIGN_NOBODY};
	profile->is_directory = S_ISDIR(status.st_mode);
	profile->supplier = supplier_of(profile, &status);
	return 0;
}

void profile_input_close(struct profile_input *profile)
{
	input_close(profile->input);
	if (profile->fd >= 0)
		close(profile->fd);
}

const char *profile_input_name(const struct profile_input *profile)
{
	return strcmp(profile->path, "-") ? profile->path : "standard input";
}

const struct format *profile_input_format(const struct profile_input *profile,
					  struct op_error *error)
{
	return profile->input ? format_of(profile->input, error)
			      : read_apart_format(profile->fd, profile->path, error);
}

int profile_input_read(struct profile_input *profile, const struct format *format, unsigned int by,
		       struct prof_sink *sink, uint64_t *stored, struct op_error *error)
{
	uint64_t ignored;
	int result;

	if (!stored)
		stored = &ignored;
	if (profile->supplier != FOREIGN_OURSELVES)
		foreign_restrict(profile->supplier);
	if (!profile->input)
		return read_apart(profile->fd, profile->path, format, by, sink, stored, error);
	result = format->read(profile->input, sink, error);
	*stored = input_stored_size(profile->input);
	return result;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Room in a stack file: blocks of the disk behind its units, before anything is stored there.  A
 * disk that is full is no reason to stop, and is tried again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "libdb/odb/error.h"
#include "writer.h"

#define GROWTH_MOST (UINT64_C(1) << 20)
#define RETRY	    1024 /* a full disk is tried again after so many units without room */

static bool is_beyond_limit(uint64_t length)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY &&
	       length > limit.rlim_cur;
}

static uint32_t units_in(uint64_t length)
{
	return (uint32_t)((length - sizeof(struct stacks_header)) / sizeof(struct stacks_unit));
}

int stacks_back(struct stacks *stacks, uint64_t length, struct odb_error *error)
{
	int code;

	do
		code = posix_fallocate(stacks->fd, 0, (off_t)length);
	while (code == EINTR);
	/* A file system that cannot do it: then there is no such promise. */
	if (!code || code == EOPNOTSUPP)
		return 0;
	return odb_fail_code(error, code, stacks->path, "no room for %llu bytes",
			     (unsigned long long)length);
}

int stacks_map(struct stacks *stacks, uint64_t length, struct odb_error *error)
{
	void *where;

	if (stacks->header)
		where = mremap(stacks->header, stacks->map_length, length, MREMAP_MAYMOVE);
	else
		where = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, stacks->fd, 0);
	if (where == MAP_FAILED)
		return odb_fail_errno(error, stacks->path, "cannot map");
	stacks->header = where;
	stacks->units = (struct stacks_unit *)(stacks->header + 1);
	stacks->map_length = length;
	stacks->room = units_in(length);
	return 0;
}

/* Units of @room that only nodes of STACKS_OTHER take: two for its name, one below the root. */
static uint32_t reserve_of(uint32_t room)
{
	return 4 + room / 64;
}

/* Units of @room that nodes take. */
static uint32_t common_of(uint32_t room)
{
	return room > reserve_of(room) ? room - reserve_of(room) : 0;
}

/* Makes a longer file, whose nodes have room for @needed units. */
static int stacks_grow(struct stacks *stacks, uint64_t needed, struct odb_error *error)
{
	uint64_t length = stacks->map_length;
	uint64_t most = stacks_length(stacks->units_most);

	while (length < most && common_of(units_in(length)) < needed)
		length += length < GROWTH_MOST ? length : GROWTH_MOST;
	if (length > most)
		length = most;
	if (is_beyond_limit(length))
		return odb_fail(error, EFBIG, stacks->path,
				"cannot grow to %llu bytes: beyond the limit of file size",
				(unsigned long long)length);
	if (ftruncate(stacks->fd, (off_t)length))
		return odb_fail_errno(error, stacks->path, "cannot grow");
	if (!stacks_back(stacks, length, error) && !stacks_map(stacks, length, error))
		return 0;
	/* If this fails, too, the file is longer than it needs to be. */
	if (ftruncate(stacks->fd, (off_t)stacks->map_length))
		return -1;
	return -1;
}

int stacks_make_room(struct stacks *stacks, uint32_t n, bool is_other, struct odb_error *error)
{
	uint64_t needed = (uint64_t)stacks->used + n;

	if (needed <= (is_other ? stacks->room : common_of(stacks->room)))
		return 0;
	if (stacks->full.code && ++stacks->refused < RETRY) {
		*error = stacks->full;
		return -1;
	}
	if (needed > common_of(stacks->units_most)) {
		odb_fail(error, EFBIG, stacks->path, "%u units is all that it may have",
			 stacks->units_most);
	} else if (!stacks_grow(stacks, needed, error)) {
		stacks->full.code = 0;
		return 0;
	}
	stacks->full = *error;
	stacks->refused = 0;
	return -1;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* What the session of an import may take: see room.h. */
#include "room.h"

#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/session/paths.h"

#define BLOCK UINT64_C(4096)
/* Room for the name that a file has while it is made. */
#define NAME_OF_NEW 64

/* Of SESSION_ROOM_RATIO bytes each. */
#define FILES_RATIO  4
#define STACKS_RATIO 16
#define PACKED_RATIO 16
/* Whatever the input is. */
#define FILES_LEAST  ((uint64_t)2 << 20)
#define STACKS_LEAST ((uint64_t)6 << 20)
#define PACKED_LEAST ((uint64_t)2 << 20)
#define OTHERS_LEAST ((uint64_t)1 << 20)

void session_room_open(struct session_room *room, uint64_t input)
{
	if (!input || input > UINT64_MAX / SESSION_ROOM_RATIO / 2)
		*room = (struct session_room){UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
	else
		*room = (struct session_room){
			.files = FILES_LEAST + FILES_RATIO * input,
			.stacks = STACKS_LEAST + STACKS_RATIO * input,
			.packed = PACKED_LEAST + PACKED_RATIO * input,
			.others = OTHERS_LEAST,
		};
}

bool session_room_take(uint64_t *left, uint64_t bytes)
{
	if (bytes > *left)
		return false;
	*left -= bytes;
	return true;
}

uint64_t session_room_of_file(const char *dir, const char *name, uint64_t length)
{
	uint64_t blocks = 1 + length / BLOCK;
	char path[PATH_MAX], *slash;
	size_t at = strlen(dir);
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	if (n < 0 || (size_t)n >= sizeof(path))
		return UINT64_MAX;
	/* directories that are not there yet */
	while ((slash = strrchr(path + at, '/')) && slash != path + at) {
		*slash = '\0';
		if (!access(path, F_OK))
			break;
		blocks++;
	}
	return blocks * BLOCK;
}

bool session_room_is_name(const char *dir, const char *name)
{
	size_t part;

	if (strlen(dir) + strlen(name) + NAME_OF_NEW >= PATH_MAX)
		return false;
	for (; *name; name += part + (name[part] == '/')) {
		part = strcspn(name, "/");
		if (part > NAME_MAX)
			return false;
	}
	return true;
}

/* Return: bytes below a directory, or UINT64_MAX with errno set. */
static uint64_t measure(const char *dir)
{
	char *const roots[] = {(char *)dir, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	uint64_t sum = 0;
	const FTSENT *entry;

	if (!walk)
		return UINT64_MAX;
	errno = 0;
	while ((entry = fts_read(walk))) {
		if (entry->fts_info == FTS_D && !strcmp(entry->fts_name, OP_SAMPLES_SYMBOLS))
			fts_set(walk, (FTSENT *)entry, FTS_SKIP);
		else if (entry->fts_info != FTS_DP)
			sum += (uint64_t)entry->fts_statp->st_blocks * 512;
	}
	if (errno)
		sum = UINT64_MAX;
	fts_close(walk);
	return sum;
}

int session_room_check(const char *dir, uint64_t input, struct op_error *error)
{
	uint64_t least = input < SESSION_ROOM_LEAST ? SESSION_ROOM_LEAST : input, sum;

	if (!input || input > UINT64_MAX / SESSION_ROOM_RATIO / 2)
		return 0;
	sum = measure(dir);
	if (sum == UINT64_MAX)
		return op_error_errno(error, "%s", dir);
	if (sum <= SESSION_ROOM_RATIO * least)
		return 0;
	return op_error_set(error, EFBIG,
			    "%" PRIu64 " bytes of input become a session of %" PRIu64
			    ", more than %d times that",
			    input, sum, SESSION_ROOM_RATIO);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Who holds a session: see hold.h. */
#include "hold.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NANOSECONDS 2000000L
#define LOOKS		 (OP_HOLD_SECONDS * (1000000000L / LOOK_NANOSECONDS))

static int hold(const char *samples_dir, int how, long looks)
{
	const struct timespec moment = {.tv_nsec = LOOK_NANOSECONDS};
	int fd = open(samples_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	for (long i = 0; flock(fd, how | LOCK_NB); i++) {
		if (i == looks || (errno != EWOULDBLOCK && errno != EINTR)) {
			close(fd);
			return -1;
		}
		nanosleep(&moment, NULL);
	}
	return fd;
}

/* What the daemon of another user locks for a moment, that user can lock for ever. */
static bool is_trusted(const char *samples_dir)
{
	struct stat status;

	return !stat(samples_dir, &status) && (!status.st_uid || status.st_uid == geteuid());
}

int op_hold_to_read(const char *samples_dir)
{
	return hold(samples_dir, LOCK_SH, is_trusted(samples_dir) ? LOOKS : 0);
}

int op_hold_to_move(const char *samples_dir)
{
	return hold(samples_dir, LOCK_EX, 0);
}

void op_hold_release(int hold)
{
	if (hold >= 0)
		close(hold);
}

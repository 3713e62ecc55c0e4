// SPDX-License-Identifier: GPL-2.0-or-later
/* Waits for the disk in a thread: see syncer.h. */
#include "syncer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* What the thread has: its own, for it may outlive the daemon's loop. */
struct job {
	int directory;
	int event;
};

static void *syncer_run(void *argument)
{
	struct job *job = argument;
	int code = syncfs(job->directory) ? errno : 0;
	const uint64_t done = (uint64_t)code + 1;

	while (write(job->event, &done, sizeof(done)) < 0 && errno == EINTR)
		;
	close(job->directory);
	close(job->event);
	free(job);
	return NULL;
}

/* Begins a sync, and takes @directory over. */
static int syncer_start(struct syncer *syncer, int directory)
{
	struct job *job = malloc(sizeof(*job));
	int code = ENOMEM;

	if (job) {
		*job = (struct job){directory, fcntl(syncer->fd, F_DUPFD_CLOEXEC, 0)};
		code = job->event < 0 ? errno
				      : pthread_create(&syncer->thread, NULL, syncer_run, job);
	}
	if (code) {
		if (job && job->event >= 0)
			close(job->event);
		free(job);
		close(directory);
		return code;
	}
	syncer->running = true;
	return 0;
}

int syncer_open(struct syncer *syncer, struct op_error *error)
{
	*syncer = (struct syncer){.next = -1};
	syncer->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return syncer->fd < 0 ? op_error_errno(error, "cannot wait for the disk") : 0;
}

int syncer_ask(struct syncer *syncer, const char *directory, uint64_t *number,
	       struct op_error *error)
{
	int fd, code = 0;

	*number = syncer->number + 1;
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return op_error_errno(error, "cannot write %s to the disk", directory);
	if (!syncer->running) {
		code = syncer_start(syncer, fd);
		if (code)
			return op_error_code(error, code, "cannot write %s to the disk", directory);
		syncer->number++;
		return 0;
	}
	if (syncer->next >= 0)
		close(syncer->next);
	syncer->next = fd;
	return 0;
}

/* Begins the sync that was asked for while another one ran. */
static void start_next(struct syncer *syncer)
{
	const uint64_t failed = ENOMEM + 1;
	int next = syncer->next;

	syncer->next = -1;
	if (next < 0)
		return;
	syncer->number++;
	/* The result of one that cannot begin is taken as that of any other. */
	if (syncer_start(syncer, next) && write(syncer->fd, &failed, sizeof(failed)) < 0)
		return;
}

bool syncer_take(struct syncer *syncer, uint64_t *number, int *code)
{
	uint64_t done;

	if (read(syncer->fd, &done, sizeof(done)) != sizeof(done))
		return false;
	if (syncer->running)
		pthread_join(syncer->thread, NULL);
	syncer->running = false;
	*number = syncer->number;
	*code = (int)(done - 1);
	start_next(syncer);
	return true;
}

bool syncer_wait(struct syncer *syncer, unsigned int seconds)
{
	struct pollfd event = {.fd = syncer->fd, .events = POLLIN};

	return !syncer->running || poll(&event, 1, (int)seconds * 1000) > 0;
}

void syncer_close(struct syncer *syncer)
{
	if (syncer->running)
		pthread_detach(syncer->thread);
	if (syncer->next >= 0)
		close(syncer->next);
	if (syncer->fd >= 0)
		close(syncer->fd);
	*syncer = (struct syncer){.fd = -1, .next = -1};
}

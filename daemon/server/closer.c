// SPDX-License-Identifier: GPL-2.0-or-later
/* Closing the session by the clock: see closer.h. */
#include "closer.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/closed/samples.h"
#include "libop/session/log.h"
#include "libop/session/paths.h"

/* Where that is not allowed it has the daemon's. */
#define LOWEST_PRIORITY 19

/* ---- the clock ---- */

static int set_timer(const struct closer *closer)
{
	time_t every = (time_t)closer->config->seconds;
	struct itimerspec next = {0};
	struct timespec now;

	/* time() is behind the clock of timers, by a tick */
	clock_gettime(CLOCK_REALTIME, &now);
	next.it_value.tv_sec = (now.tv_sec / every + 1) * every;
	return timerfd_settime(closer->timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &next,
			       NULL);
}

bool closer_is_due(struct closer *closer)
{
	uint64_t times;
	bool due = read(closer->timer, &times, sizeof(times)) == sizeof(times);

	if (!due && errno != ECANCELED)
		return false;
	if (set_timer(closer))
		log_line_errno("the session is not closed by the clock any more");
	return due;
}

/* ---- packing ---- */

static void log_loose(void *context, const char *text)
{
	(void)context;
	log_line("not packed: %s", text);
}

static void log_removed(const char *text)
{
	log_line("%s", text);
}

static void *closer_run(void *argument)
{
	struct closer *closer = argument;
	struct op_error error;

	/* Linux has a priority for each thread. */
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), LOWEST_PRIORITY);
	for (size_t i = 0; i < closer->packing.count; i++)
		if (samples_pack(closer->session_dir, closer->packing.item[i], log_loose, &error) &&
		    error.code != EOPNOTSUPP && error.code != ENOENT)
			log_line("%s is not packed: %s", closer->packing.item[i], error.text);
	if (closer->packing.count &&
	    retention_apply(closer->session_dir, &closer->config->limits,
			    closer->packing.item[closer->packing.count - 1], log_removed, &error))
		log_line("%s", error.text);
	atomic_store(&closer->done, true);
	return NULL;
}

static void join_thread(struct closer *closer)
{
	if (closer->running)
		pthread_join(closer->thread, NULL);
	closer->running = false;
	op_strings_free(&closer->packing);
	closer->packing = (struct op_strings){0};
}

static void start_thread(struct closer *closer)
{
	int code;

	if (closer->running && !atomic_load(&closer->done))
		return;
	join_thread(closer);
	if (!closer->loose.count)
		return;
	closer->packing = closer->loose;
	closer->loose = (struct op_strings){0};
	atomic_store(&closer->done, false);
	code = pthread_create(&closer->thread, NULL, closer_run, closer);
	closer->running = !code;
	if (code) {
		log_line("closed sessions are not packed now: %s", strerror(code));
		closer->loose = closer->packing;
		closer->packing = (struct op_strings){0};
	}
}

void closer_pack(struct closer *closer, const char *name)
{
	if (op_strings_add(&closer->loose, name))
		log_line("%s is not packed: " OP_OUT_OF_MEMORY, name);
	start_thread(closer);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What was closed before: packing it again changes nothing. */
static void list_closed(struct closer *closer)
{
	char *path = op_path("%s/" OP_SESSION_SAMPLES, closer->session_dir);
	DIR *dir = path ? opendir(path) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (session_times_is_name(entry->d_name))
			op_strings_add(&closer->loose, entry->d_name);
	if (dir)
		closedir(dir);
	free(path);
	if (closer->loose.count)
		qsort(closer->loose.item, closer->loose.count, sizeof(*closer->loose.item),
		      compare_names);
}

/* ---- opening and closing ---- */

int closer_open(struct closer *closer, const struct closer_config *config, const char *session_dir,
		struct op_error *error)
{
	*closer = (struct closer){.config = config, .session_dir = session_dir, .timer = -1};
	if (!config->seconds)
		return 0;
	closer->timer = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (closer->timer < 0 || set_timer(closer))
		return op_error_errno(error, "cannot close sessions by the clock");
	return 0;
}

void closer_begin(struct closer *closer)
{
	if (!closer->config->seconds)
		return;
	list_closed(closer);
	start_thread(closer);
}

void closer_close(struct closer *closer)
{
	join_thread(closer);
	start_thread(closer);
	join_thread(closer);
	op_strings_free(&closer->loose);
	if (closer->timer >= 0)
		close(closer->timer);
	closer->timer = -1;
}

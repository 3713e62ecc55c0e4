// SPDX-License-Identifier: GPL-2.0-or-later
/* What waits to be sent: see spool.h. */
#include "spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/memory.h"
#include "libop/base/text_stream.h"
#include "libop/closed/times.h"
#include "libop/foreign/door.h"
#include "libop/foreign/output.h"
#include "libop/session/paths.h"
#include "libop/session/trusted_dir.h"
#include "pp/formats/model/format.h"

#define DONE	  "done"
#define LOG	  "opexport.log"
#define DONE_MOST ((size_t)16 << 20)
/* Rounds that a session is put off, as a power of two: an hour and a half of ten seconds. */
#define LONGEST_PUT_OFF 9
#define DONE_MODE	0600
#define BLOCK		512 /* the unit of st_blocks */

/* ---- lists of names ---- */

static void add_name(struct op_strings *names, const char *name)
{
	if (op_strings_add(names, name))
		op_out_of_memory();
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_names(struct op_strings *names)
{
	if (names->count)
		qsort(names->item, names->count, sizeof(*names->item), compare_names);
}

/* Names in a directory that @is_wanted; the suffix, if there is one, is cut off. */
static int list_names(const char *path, const char *suffix, struct op_strings *names,
		      struct op_error *error)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;

	if (!dir)
		return op_error_errno(error, "cannot read %s", path);
	while ((entry = readdir(dir))) {
		size_t n = strlen(entry->d_name), k = strlen(suffix);
		char *name = op_format("%.*s", (int)(n > k ? n - k : 0), entry->d_name);

		if (session_times_is_name(name) && !strcmp(entry->d_name + n - k, suffix))
			add_name(names, name);
		free(name);
	}
	closedir(dir);
	sort_names(names);
	return 0;
}

/* ---- the file "done" ---- */

static bool is_done(const struct spool *spool, const char *name)
{
	return spool->done.count && bsearch(&name, spool->done.item, spool->done.count,
					    sizeof(*spool->done.item), compare_names);
}

static void read_done(struct spool *spool)
{
	char *path = op_format("%s/" DONE, spool->dir), *line;
	char *text = foreign_read(path, DONE_MOST, NULL, NULL), *rest = text;

	while ((line = strsep(&rest, "\n")))
		if (*line)
			add_name(&spool->done, line);
	sort_names(&spool->done);
	free(text);
	free(path);
}

/* Of sessions that are gone nobody asks again. */
static int write_done(const struct spool *spool, const struct op_strings *sessions,
		      struct op_error *error)
{
	char *path = op_format("%s/" DONE, spool->dir);
	struct op_text_stream stream;
	int result;

	op_text_stream_open(&stream);
	for (size_t i = 0; i < sessions->count; i++)
		if (is_done(spool, sessions->item[i]))
			fprintf(stream.out, "%s\n", sessions->item[i]);
	op_text_stream_close(&stream);
	result = op_file_replace(path, stream.text, stream.length, DONE_MODE, error);
	free(stream.text);
	free(path);
	return result;
}

/* ---- opening ---- */

static char *path_of(const struct spool *spool, const char *name)
{
	return op_format("%s/%s.%s", spool->dir, name, spool->plan.format);
}

/* Nobody else can exchange it, nor what is in it, from here on. */
static int make_directory(const char *path, struct op_error *error)
{
	int fd;

	if (!foreign_is_own_way(path))
		return op_error_set(error, EPERM,
				    "the spool is not safe to write: another user can exchange "
				    "%s, or what is on the way to it",
				    path);
	fd = trusted_dir_open(path, TRUSTED_DIR_MAKE, error);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? -1 : 0;
}

int spool_open(struct spool *spool, const struct spool_plan *plan, struct op_error *error)
{
	char *suffix;
	int result;

	*spool = (struct spool){.plan = *plan, .lock = PTHREAD_MUTEX_INITIALIZER};
	spool->dir = op_format("%s/%s", plan->parent, plan->name);
	if (make_directory(plan->parent, error) || make_directory(spool->dir, error))
		return -1;
	read_done(spool);
	suffix = op_format(".%s", plan->format);
	result = list_names(spool->dir, suffix, &spool->names, error);
	free(suffix);
	return result;
}

void spool_close(struct spool *spool)
{
	op_strings_free(&spool->done);
	op_strings_free(&spool->names);
	for (size_t i = 0; i < spool->n_failures; i++)
		free(spool->failures[i].name);
	free(spool->failures);
	free(spool->begun);
	free(spool->dir);
}

/* ---- taking ---- */

/* Of one session. */
static uint64_t session_most(const struct spool *spool)
{
	return spool->plan.most / SPOOL_SESSIONS_LEAST;
}

/* Waits for it.  Return: whether it succeeded. */
static bool run_program(char *const *arguments, const char *log)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, ignored;
	int status = -1;
	pid_t pid;

	/* what it warns of is of interest if it fails only */
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC,
					 DONE_MODE);
	/* the service has signals blocked, and one ignored */
	sigemptyset(&none);
	sigemptyset(&ignored);
	sigaddset(&ignored, SIGPIPE);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &ignored);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (!posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments, environ))
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* No text of a label has a comma in it: it came between commas. */
static char *host_labels(const struct op_strings *labels)
{
	char *option = op_copy("--host-label=");

	for (size_t i = 0; i < labels->count; i++) {
		char *longer = op_format("%s%s%s", option, i ? "," : "", labels->item[i]);

		free(option);
		option = longer;
	}
	return option;
}

/* Names are looked up by a program of its own, which may take memory, and time. */
static bool convert(const struct spool *spool, const char *name)
{
	const struct spool_plan *plan = &spool->plan;
	const struct format *format = format_named(plan->format);
	char *path = path_of(spool, name), *log = op_format("%s/" LOG, spool->dir);
	char *arguments[] = {op_program_beside("opexport"), op_format("--to=%s", plan->format),
			     op_format("--session-dir=%s", plan->session_dir),
			     op_format("session:%s", name), op_format("--output=%s", path),
			     /* no session pushes out all others, however many stacks a user's
			      * programs have: what finds no room is added up */
			     op_format("--output-size=%" PRIu64, session_most(spool) >> 20), NULL,
			     NULL, NULL};
	size_t n = 6;
	bool result;

	if (format->has_service)
		arguments[n++] = op_format("--service-name=%s", plan->service);
	if (format->has_host_labels && plan->labels->count)
		arguments[n++] = host_labels(plan->labels);
	result = run_program(arguments, log);
	for (size_t i = 0; i < n; i++)
		free(arguments[i]);
	free(log);
	free(path);
	return result;
}

/* Return: whether the other spool has the same file, and this one has now, too. */
static bool take_from_twin(const struct spool *spool, const char *name)
{
	char *path, *other;
	bool result;

	if (!spool->plan.twin)
		return false;
	path = path_of(spool, name);
	other = path_of(spool->plan.twin, name);
	unlink(path);
	result = !link(other, path);
	free(other);
	free(path);
	return result;
}

static struct spool_failure *failure_of(const struct spool *spool, const char *name)
{
	for (size_t i = 0; i < spool->n_failures; i++)
		if (!strcmp(spool->failures[i].name, name))
			return &spool->failures[i];
	return NULL;
}

static bool is_put_off(const struct spool *spool, const char *name)
{
	const struct spool_failure *failure = failure_of(spool, name);

	return failure && spool->round < failure->next;
}

static void note_failure(struct spool *spool, const char *name)
{
	struct spool_failure *failure = failure_of(spool, name);

	if (!failure) {
		op_warn("the session %s cannot be read, it is tried again: see %s/" LOG, name,
			spool->dir);
		spool->failures = op_grow(spool->failures, &spool->failures_capacity,
					  spool->n_failures + 1, sizeof(*spool->failures));
		failure = &spool->failures[spool->n_failures++];
		*failure = (struct spool_failure){.name = op_copy(name)};
	}
	failure->tries += failure->tries < LONGEST_PUT_OFF;
	failure->next = spool->round + (1u << failure->tries);
}

static uint64_t file_bytes(const struct spool *spool, const char *name)
{
	char *path = path_of(spool, name);
	struct stat status;
	uint64_t bytes = lstat(path, &status) ? 0 : (uint64_t)status.st_blocks * BLOCK;

	free(path);
	return bytes;
}

static int remove_file(const struct spool *spool, const char *name, struct op_error *error)
{
	char *path = path_of(spool, name);
	int result = unlink(path) && errno != ENOENT
			     ? op_error_errno(error, "cannot remove %s", path)
			     : 0;

	free(path);
	return result;
}

/* Whether a signal waits that is to end the service, which has it blocked. */
static bool is_to_end(void)
{
	sigset_t waiting;

	sigpending(&waiting);
	return sigismember(&waiting, SIGTERM) || sigismember(&waiting, SIGINT);
}

/* Return: whether it was taken. */
static bool take_session(struct spool *spool, const char *name)
{
	if (!take_from_twin(spool, name) && !convert(spool, name)) {
		/* the signal may have ended opexport, too */
		if (!is_to_end())
			note_failure(spool, name);
		return false;
	}
	add_name(&spool->done, name);
	sort_names(&spool->done); /* it may be older than others, if it could not be read before */
	pthread_mutex_lock(&spool->lock);
	add_name(&spool->names, name);
	sort_names(&spool->names);
	pthread_mutex_unlock(&spool->lock);
	return true;
}

static void remove_name(struct op_strings *names, size_t i)
{
	free(names->item[i]);
	memmove(names->item + i, names->item + i + 1, (--names->count - i) * sizeof(*names->item));
}

/* ---- with the lock ---- */

static uint64_t spool_bytes(const struct spool *spool)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < spool->names.count; i++)
		bytes += file_bytes(spool, spool->names.item[i]);
	return bytes;
}

static bool is_begun(const struct spool *spool, const char *name)
{
	return spool->begun && !strcmp(spool->begun, name);
}

static int drop_oldest(struct spool *spool, struct op_error *error)
{
	size_t oldest = is_begun(spool, spool->names.item[0]);

	op_warn("the session %s is not sent: more than %" PRIu64 " MiB wait in %s",
		spool->names.item[oldest], spool->plan.most >> 20, spool->dir);
	if (remove_file(spool, spool->names.item[oldest], error))
		return -1;
	spool->dropped++;
	remove_name(&spool->names, oldest);
	return 0;
}

/* ---- all of it ---- */

/* @bytes: set to what waits then, if there is no error. */
static int drop_beyond(struct spool *spool, uint64_t *bytes, struct op_error *error)
{
	int result = 0;

	pthread_mutex_lock(&spool->lock);
	while (!result && (*bytes = spool_bytes(spool)) > spool->plan.most &&
	       spool->names.count > (spool->begun ? 1 : 0))
		result = drop_oldest(spool, error);
	pthread_mutex_unlock(&spool->lock);
	return result;
}

/*
 * The bound is kept all along: there may be sessions of weeks, if they are taken for the first
 * time.  What is sent meanwhile is not counted off until it seems to be reached.
 */
static int take_sessions(struct spool *spool, const struct op_strings *sessions, int *taken,
			 struct op_error *error)
{
	uint64_t bytes;
	int result = drop_beyond(spool, &bytes, error);

	for (size_t i = 0; !result && i < sessions->count && !is_to_end(); i++) {
		const char *name = sessions->item[i];

		if (is_done(spool, name) || is_put_off(spool, name) || !take_session(spool, name))
			continue;
		(*taken)++;
		bytes += file_bytes(spool, name);
		if (bytes > spool->plan.most)
			result = drop_beyond(spool, &bytes, error);
	}
	return result;
}

int spool_take(struct spool *spool, struct op_error *error)
{
	char *path = op_format("%s/" OP_SESSION_SAMPLES, spool->plan.session_dir);
	struct op_strings sessions = {0};
	int result = list_names(path, "", &sessions, error), taken = 0;

	spool->round++;
	if (!result)
		result = take_sessions(spool, &sessions, &taken, error);
	if (!result && taken)
		result = write_done(spool, &sessions, error);
	op_strings_free(&sessions);
	free(path);
	return result ? -1 : taken;
}

/* ---- sending ---- */

char *spool_begin(struct spool *spool)
{
	char *path = NULL;

	pthread_mutex_lock(&spool->lock);
	if (spool->names.count) {
		spool->begun = op_copy(spool->names.item[0]);
		path = path_of(spool, spool->begun);
	}
	pthread_mutex_unlock(&spool->lock);
	return path;
}

int spool_end(struct spool *spool, bool is_done, struct op_error *error)
{
	int result = 0;

	pthread_mutex_lock(&spool->lock);
	if (is_done)
		result = remove_file(spool, spool->begun, error);
	for (size_t i = 0; is_done && !result && i < spool->names.count; i++)
		if (is_begun(spool, spool->names.item[i])) {
			remove_name(&spool->names, i);
			break;
		}
	free(spool->begun);
	spool->begun = NULL;
	pthread_mutex_unlock(&spool->lock);
	return result;
}

struct spool_state spool_state(struct spool *spool)
{
	struct spool_state state = {.unreadable = spool->n_failures};

	pthread_mutex_lock(&spool->lock);
	state.waiting = spool->names.count;
	state.bytes = spool_bytes(spool);
	state.dropped = spool->dropped;
	pthread_mutex_unlock(&spool->lock);
	return state;
}

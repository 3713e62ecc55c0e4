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

#include "libop/base/file.h"
#include "libop/base/memory.h"
#include "libop/base/text_stream.h"
#include "libop/closed/times.h"
#include "libop/foreign/door.h"
#include "libop/session/paths.h"
#include "libop/session/trusted_dir.h"

#define SUFFIX	  ".fleet"
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

int spool_open(struct spool *spool, const char *dir, const char *session_dir, uint64_t most,
	       struct op_error *error)
{
	int fd;

	*spool = (struct spool){.dir = dir, .session_dir = session_dir, .most = most};
	/* nobody else can exchange it, nor what is in it, from here on */
	fd = trusted_dir_open(dir, TRUSTED_DIR_MAKE, error);
	if (fd < 0)
		return -1;
	close(fd);
	read_done(spool);
	return list_names(dir, SUFFIX, &spool->names, error);
}

void spool_close(struct spool *spool)
{
	op_strings_free(&spool->done);
	op_strings_free(&spool->names);
	for (size_t i = 0; i < spool->n_failures; i++)
		free(spool->failures[i].name);
	free(spool->failures);
}

/* ---- taking ---- */

/* Names are looked up by a program of its own, which may take memory, and time. */
static bool convert(const struct spool *spool, const char *name)
{
	char *program = op_program_beside("opexport");
	char *dir = op_format("--session-dir=%s", spool->session_dir);
	char *session = op_format("session:%s", name);
	char *output = op_format("--output=%s/%s" SUFFIX, spool->dir, name);
	/* no session pushes out all others, however many stacks a user's programs have in it */
	char *size =
		op_format("--output-size=%" PRIu64, (spool->most >> 20) / SPOOL_SESSIONS_LEAST);
	char *log = op_format("%s/" LOG, spool->dir);
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	char *arguments[] = {program, (char *)"--to=fleet", dir, session, output, size, NULL};
	int status = -1;
	pid_t pid;

	/* what it warns of is of interest if it fails only */
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC,
					 DONE_MODE);
	/* the service has signals blocked */
	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	if (!posix_spawnp(&pid, program, &actions, &attributes, arguments, environ))
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	free(log);
	free(size);
	free(output);
	free(session);
	free(dir);
	free(program);
	return WIFEXITED(status) && !WEXITSTATUS(status);
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

/* Return: whether it was taken. */
static bool take_session(struct spool *spool, const char *name)
{
	if (!convert(spool, name)) {
		note_failure(spool, name);
		return false;
	}
	add_name(&spool->names, name);
	add_name(&spool->done, name);
	return true;
}

static void remove_first_name(struct spool *spool)
{
	free(spool->names.item[0]);
	memmove(spool->names.item, spool->names.item + 1,
		--spool->names.count * sizeof(*spool->names.item));
}

static uint64_t spool_bytes(const struct spool *spool)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < spool->names.count; i++) {
		char *path = op_format("%s/%s" SUFFIX, spool->dir, spool->names.item[i]);
		struct stat status;

		if (!lstat(path, &status))
			bytes += (uint64_t)status.st_blocks * BLOCK;
		free(path);
	}
	return bytes;
}

static int drop_beyond(struct spool *spool, struct op_error *error)
{
	while (spool->names.count && spool_bytes(spool) > spool->most) {
		op_warn("the session %s is not sent: more than %" PRIu64 " MiB wait in %s",
			spool->names.item[0], spool->most >> 20, spool->dir);
		spool->dropped++;
		if (spool_remove_first(spool, error))
			return -1;
	}
	return 0;
}

int spool_take(struct spool *spool, struct op_error *error)
{
	char *path = op_format("%s/" OP_SESSION_SAMPLES, spool->session_dir);
	struct op_strings sessions = {0};
	int result = list_names(path, "", &sessions, error), taken = 0;

	spool->round++;
	for (size_t i = 0; !result && i < sessions.count; i++) {
		if (is_done(spool, sessions.item[i]) || is_put_off(spool, sessions.item[i]))
			continue;
		taken += take_session(spool, sessions.item[i]);
	}
	sort_names(&spool->names);
	sort_names(&spool->done);
	if (!result && taken)
		result = write_done(spool, &sessions, error);
	if (!result)
		result = drop_beyond(spool, error);
	op_strings_free(&sessions);
	free(path);
	return result ? -1 : taken;
}

/* ---- sending ---- */

char *spool_first(const struct spool *spool)
{
	return spool->names.count ? op_format("%s/%s" SUFFIX, spool->dir, spool->names.item[0])
				  : NULL;
}

int spool_remove_first(struct spool *spool, struct op_error *error)
{
	char *path = spool_first(spool);
	int result = path && unlink(path) && errno != ENOENT
			     ? op_error_errno(error, "cannot remove %s", path)
			     : 0;

	free(path);
	if (!result && spool->names.count)
		remove_first_name(spool);
	return result;
}

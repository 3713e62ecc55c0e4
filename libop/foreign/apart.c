// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes that work on files of others: see apart.h. */
#include "apart.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "account.h"
#include "confined.h"
#include "host.h"
#include "kept.h"
#include "worker.h"

/* Processes at a time.  One account has no more than one that works, so they are enough for as many
 * accounts. */
#define WORKERS_MOST 16

/* Failures of an account's files after which others are refused, seconds that one may take to count
 * once, and seconds in which all are forgotten. */
#define FAILURES_MOST	5
#define FAILURE_SECONDS 4
#define FAILURES_FADED	600

/* The time in which seconds of waiting are counted. */
#define PATIENCE_SECONDS 60

/* How long an answer that nobody waited for is kept, in seconds. */
#define ANSWER_KEPT 10

/* A user that owns nothing: for root's files in containers, where anybody may be root.  Each file
 * system is an account. */
#define NO_USER	     FOREIGN_NOBODY
#define IS_CONTAINER (UINT64_C(1) << 62)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct worker workers[WORKERS_MOST];
static pid_t parent; /* whose workers they are */
static uint64_t uses;
static unsigned long failed;

static struct foreign_limit failures = {
	.each = FAILURES_MOST, .all = INFINITY, .seconds = FAILURES_FADED};
static struct foreign_limit patience = {
	.each = INFINITY, .all = INFINITY, .seconds = PATIENCE_SECONDS};
static double patience_since; /* when its limits were set */

/* ---- questions ---- */

static void count_failure(const struct worker *worker)
{
	double amount = worker->spent / FAILURE_SECONDS;

	foreign_limit_use(&failures, worker->account, amount > 1 ? amount : 1);
}

static uint64_t apart_question_key_of(const struct apart_question *question,
				      const struct stat *status)
{
	uint64_t key = op_hash_mix((uintptr_t)question->work, status->st_dev);

	key = op_hash_mix(op_hash_mix(key, status->st_ino), (uint64_t)status->st_size);
	key = op_hash_mix(key, (uint64_t)status->st_mtim.tv_sec);
	key = op_hash_mix(key, (uint64_t)status->st_mtim.tv_nsec);
	return op_hash_bytes(key, question->bytes, question->length);
}

/* Waits for the answer as long as the account may keep this process waiting.  Return: 0, or -1 with
 * @error set. */
static int finish_talk(struct worker *worker, struct op_buffer *answer, struct op_error *error)
{
	double begun = worker_clock(CLOCK_MONOTONIC);
	enum worker_progress progress =
		worker_wait(worker, foreign_limit_left(&patience, worker->account));

	foreign_limit_use(&patience, worker->account, worker_clock(CLOCK_MONOTONIC) - begun);
	if (progress == WORKER_FAILED)
		return worker_fail(worker, error);
	if (progress == WORKER_WAITING)
		return op_error_set(error, EAGAIN, "reading it takes long");
	*answer = worker->talk.answer;
	worker->talk = (struct worker_talk){0};
	return 0;
}

/* Where memory is short, and nobody else waits, those that have nothing to do end. */
static void spare_memory(const struct worker *except)
{
	bool is_limited;

	foreign_memory_most(&is_limited);
	for (size_t i = 0; is_limited && isinf(patience.each) && i < WORKERS_MOST; i++)
		if (&workers[i] != except && workers[i].pid && !workers[i].talk.is_open)
			worker_end(&workers[i]);
}

/* What failed may have failed because of files that were read before: it begins anew, once. */
static int ask(struct worker *worker, const struct apart_question *question, uint64_t key,
	       struct op_buffer *answer, struct op_error *error)
{
	bool is_used = worker->pid && worker->questions;
	int result;

	worker->spent = 0;
	spare_memory(worker);
	result = worker->talk.is_open ? 0 : worker_ask(worker, question, key, error);

	if (!result)
		result = finish_talk(worker, answer, error);
	if (result && is_used && !worker->pid) {
		result = worker_ask(worker, question, key, error);
		if (!result)
			result = finish_talk(worker, answer, error);
	}
	if (result && worker->spent > 0)
		count_failure(worker);
	return result;
}

/* ---- whose ---- */

/* After fork(), they are those of another process. */
static void forget_those_of_others(void)
{
	for (size_t i = 0; parent != getpid() && i < WORKERS_MOST; i++) {
		if (workers[i].pid)
			close(workers[i].socket);
		op_buffer_free(&workers[i].talk.answer);
		workers[i] = (struct worker){0};
	}
	if (parent != getpid())
		worker_forget_lasting();
	parent = getpid();
}

/* Whether there is an answer that nobody will take: whoever asks again does it soon, and one
 * question after the other where all are waited for. */
static bool is_abandoned(const struct worker_talk *talk)
{
	double now = worker_clock(CLOCK_MONOTONIC);

	return talk->is_answered && (isinf(patience.each) || talk->begun < patience_since ||
				     now - talk->begun > ANSWER_KEPT);
}

/* Waits for a question other than @key for some seconds, and ends the process if it took too long.
 * Return: whether it may be asked something else. */
static bool settle(struct worker *worker, uint64_t key, double seconds)
{
	struct op_error ignored;

	if (!worker->talk.is_open || worker->talk.key == key)
		return true;
	if (worker_wait(worker, seconds) == WORKER_FAILED) {
		worker_fail(worker, &ignored);
		count_failure(worker);
	} else if (is_abandoned(&worker->talk)) {
		worker_drop_talk(worker);
	}
	return !worker->talk.is_open;
}

/* An account has one process that works.  Return: whether it may be asked. */
static bool settle_account(uint64_t account, uint64_t key)
{
	bool is_free = true;

	for (size_t i = 0; i < WORKERS_MOST; i++) {
		double begun = worker_clock(CLOCK_MONOTONIC);

		if (workers[i].account != account || !workers[i].talk.is_open)
			continue;
		is_free &= settle(&workers[i], key, foreign_limit_left(&patience, account));
		foreign_limit_use(&patience, account, worker_clock(CLOCK_MONOTONIC) - begun);
	}
	return is_free;
}

static void settle_all(uint64_t key)
{
	for (size_t i = 0; i < WORKERS_MOST; i++)
		settle(&workers[i], key, 0);
}

/* Return: NULL if there is no place for one. */
static struct worker *worker_of(uid_t user, dev_t device, uint64_t account)
{
	struct worker *oldest = NULL;

	for (size_t i = 0; i < WORKERS_MOST; i++) {
		struct worker *worker = &workers[i];

		if (worker->is_known && worker->user == user && worker->device == device)
			return worker;
		if (!worker->talk.is_open && (!oldest || worker->last_use < oldest->last_use))
			oldest = worker;
	}
	if (!oldest)
		return NULL;
	if (oldest->pid)
		worker_end(oldest);
	*oldest = (struct worker){
		.is_known = true, .user = user, .device = device, .account = account};
	return oldest;
}

/* A user that owns nothing has an account for each file system. */
static uint64_t account_of(const struct stat *status)
{
	return status->st_uid ? foreign_account(status->st_uid)
			      : IS_CONTAINER | (uint64_t)status->st_dev;
}

uint64_t apart_account(int fd)
{
	struct stat status = {0};

	foreign_status(fd, &status);
	return account_of(&status);
}

static int ask_of(const struct stat *status, const struct apart_question *question,
		  struct op_buffer *answer, struct op_error *error)
{
	uid_t user = status->st_uid ? status->st_uid : NO_USER;
	dev_t device = status->st_uid ? 0 : status->st_dev;
	uint64_t account = account_of(status);
	uint64_t key = apart_question_key_of(question, status);
	struct worker *worker;

	forget_those_of_others();
	settle_all(key);
	if (foreign_limit_left(&failures, account) < 1)
		return op_error_set(error, EBADMSG,
				    "too many other files of its owner could not be read");
	worker = settle_account(account, key) ? worker_of(user, device, account) : NULL;
	if (!worker)
		return op_error_set(error, EAGAIN, "reading other files takes long");
	worker->account = account; /* the file of subordinate ids may have changed */
	worker->last_use = ++uses;
	return ask(worker, question, key, answer, error);
}

/* ---- what apart.h has ---- */

/* Whether the file is below the root directory of another process, which is not the host's. */
static bool is_in_container(const char *path)
{
	return path && !strncmp(path, "/proc/", 6) && strstr(path, "/root/") && !host_has(path);
}

bool apart_is_needed(int fd, const char *path)
{
	struct stat status;

	return !confined_is_entered() && !foreign_status(fd, &status) &&
	       (!foreign_is_trusted(&status) || is_in_container(path));
}

void *apart_ask(const struct apart_question *question, size_t *length, struct op_error *error)
{
	struct op_buffer answer = {0};
	struct stat status = {0};
	int result;

	foreign_status(question->fd, &status);
	pthread_mutex_lock(&lock);
	result = ask_of(&status, question, &answer, error);
	failed += result && error->code != EAGAIN;
	pthread_mutex_unlock(&lock);
	if (result)
		return NULL;
	*length = answer.used;
	return answer.bytes ? answer.bytes : calloc(1, 1);
}

void apart_wait_at_most(double each, double all)
{
	pthread_mutex_lock(&lock);
	patience.each = each;
	patience.all = all;
	patience_since = worker_clock(CLOCK_MONOTONIC);
	pthread_mutex_unlock(&lock);
}

void apart_tend(void)
{
	pthread_mutex_lock(&lock);
	forget_those_of_others();
	settle_all(0);
	pthread_mutex_unlock(&lock);
}

static void *do_here(const struct apart_question *question, size_t *length, struct op_error *error)
{
	struct op_reader reader = op_reader_of(question->bytes, question->length, false);
	struct op_buffer answer = {0};

	question->work(question->fd, &reader, &answer);
	if (answer.failed || answer.used > question->answer_most) {
		op_error_set(error, answer.failed ? ENOMEM : EBADMSG, "%s",
			     answer.failed ? "out of memory" : "there is too much in it");
		op_buffer_free(&answer);
		return NULL;
	}
	*length = answer.used;
	return answer.bytes ? answer.bytes : calloc(1, 1);
}

void *apart_or_here(const struct apart_question *question, size_t *length, struct op_error *error)
{
	return apart_is_needed(question->fd, question->path) ? apart_ask(question, length, error)
							     : do_here(question, length, error);
}

unsigned long apart_failures(void)
{
	return failed;
}

void apart_warn(const char *what, const char *reason)
{
	if (!(failed & (failed - 1)))
		op_warn("%s of files that others own was not read: %s (%lu so far)", what, reason,
			failed);
}

void apart_end(void)
{
	pthread_mutex_lock(&lock);
	forget_those_of_others();
	for (size_t i = 0; i < WORKERS_MOST; i++)
		if (workers[i].pid)
			worker_end(&workers[i]);
	pthread_mutex_unlock(&lock);
}

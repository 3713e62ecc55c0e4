// SPDX-License-Identifier: GPL-2.0-or-later
/* What sends to one destination: see sender.h. */
#include "sender.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "libop/base/memory.h"

/* After the first failure. */
#define BACK_OFF_SECONDS 5
/* For a request that runs when the service is to end. */
#define GRACE_SECONDS 20
#define NS_PER_S      1000000000L

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / NS_PER_S;
}

/* From 0 to 1, as all hosts of a fleet close their sessions at one time. */
static double chance(void)
{
	uint32_t number = 0;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		number = (uint32_t)clock();
	return (double)number / UINT32_MAX;
}

/* ---- one file ---- */

static void count_outcome(struct sender *sender, enum push_outcome outcome, uint64_t bytes)
{
	pthread_mutex_lock(&sender->lock);
	sender->counts.bytes += bytes;
	sender->counts.sent += outcome == PUSH_SENT;
	if (outcome == PUSH_SENT)
		sender->counts.last_sent = (uint64_t)time(NULL);
	sender->counts.rejected += outcome == PUSH_REJECTED;
	sender->counts.failures += outcome == PUSH_FAILED;
	pthread_mutex_unlock(&sender->lock);
}

/* Return: PUSH_FAILED with @error set, also if the file cannot be removed. */
static enum push_outcome send_one(struct sender *sender, const char *path, uint64_t *retry_after,
				  struct op_error *error)
{
	struct push_result result;
	enum push_outcome outcome = push_file(sender->destination, sender->http, &sender->sent,
					      &sender->names, path, &result, error);

	*retry_after = result.retry_after;
	count_outcome(sender, outcome, result.bytes);
	if (outcome == PUSH_REJECTED)
		op_warn("%s; it is not sent again: %s", error->text, path);
	if (spool_end(&sender->spool, outcome != PUSH_FAILED,
		      outcome == PUSH_FAILED ? NULL : error))
		return PUSH_FAILED;
	return outcome;
}

static bool is_over(struct sender *sender)
{
	bool over;

	pthread_mutex_lock(&sender->lock);
	over = sender->is_over;
	pthread_mutex_unlock(&sender->lock);
	return over;
}

static int send_all(struct sender *sender, uint64_t *retry_after, struct op_error *error)
{
	enum push_outcome outcome = PUSH_SENT;
	char *path;

	*retry_after = 0;
	while (outcome != PUSH_FAILED && !is_over(sender) && (path = spool_begin(&sender->spool))) {
		outcome = send_one(sender, path, retry_after, error);
		free(path);
	}
	return outcome == PUSH_FAILED ? -1 : 0;
}

int sender_send(struct sender *sender, struct op_error *error)
{
	uint64_t retry_after;

	return send_all(sender, &retry_after, error);
}

/* ---- the thread ---- */

double sender_wait(double back_off, uint64_t retry_after, double chance)
{
	double wait = back_off * (0.5 + chance / 2);

	if (wait < (double)retry_after)
		wait = (double)retry_after;
	return wait < SENDER_WAIT_MOST ? wait : SENDER_WAIT_MOST;
}

/* Sends what waits, or puts it off. */
static void send_due(struct sender *sender)
{
	struct op_error why;
	uint64_t retry_after;
	int result = send_all(sender, &retry_after, &why);
	double wait, *back_off = &sender->counts.back_off;

	pthread_mutex_lock(&sender->lock);
	if (!result) {
		*back_off = 0;
	} else {
		if (*back_off <= 0 && !sender->is_over)
			op_warn("%s; it is tried again", why.text);
		*back_off = *back_off <= 0 ? BACK_OFF_SECONDS : 2 * *back_off;
		if (*back_off > SENDER_WAIT_MOST)
			*back_off = SENDER_WAIT_MOST;
		wait = sender_wait(*back_off, retry_after, chance());
		sender->due = now_seconds() + wait;
		sender->counts.back_off_total += wait;
	}
	pthread_mutex_unlock(&sender->lock);
}

/* With the lock, which is not held meanwhile. */
static void wait_until(struct sender *sender, double when)
{
	const struct timespec time = {(time_t)when,
				      (long)((when - (double)(time_t)when) * NS_PER_S)};

	pthread_cond_timedwait(&sender->wake, &sender->lock, &time);
}

/* Return: false if it is to end. */
static bool wait_for_more(struct sender *sender)
{
	bool is_over;

	pthread_mutex_lock(&sender->lock);
	while (!sender->is_over) {
		if (!sender->has_more && sender->counts.back_off <= 0)
			pthread_cond_wait(&sender->wake, &sender->lock);
		else if (now_seconds() < sender->due)
			wait_until(sender, sender->due);
		else
			break;
	}
	sender->has_more = false;
	is_over = sender->is_over;
	pthread_mutex_unlock(&sender->lock);
	return !is_over;
}

static void *sender_run(void *argument)
{
	struct sender *sender = argument;

	while (wait_for_more(sender))
		send_due(sender);
	return NULL;
}

int sender_start(struct sender *sender, struct op_error *error)
{
	int code;

	/* what waited before; hosts may have started at one time, too */
	sender->has_more = true;
	sender->due = now_seconds() + chance() * (double)sender->request->jitter;
	code = pthread_create(&sender->thread, NULL, sender_run, sender);
	if (code)
		return op_error_code(error, code, "cannot make a thread");
	sender->is_running = true;
	return 0;
}

void sender_stop(struct sender *sender)
{
	if (sender->http)
		store_http_stop(sender->http, GRACE_SECONDS);
	pthread_mutex_lock(&sender->lock);
	sender->is_over = true;
	pthread_cond_signal(&sender->wake);
	pthread_mutex_unlock(&sender->lock);
}

void sender_join(struct sender *sender)
{
	if (sender->is_running)
		pthread_join(sender->thread, NULL);
	sender->is_running = false;
}

/* ---- all of it ---- */

int sender_open(struct sender *sender, const struct request *request,
		const struct destination *destination, const struct push_names *names,
		struct sender *twin, struct op_error *error)
{
	const struct spool_plan plan = {
		.parent = request->spool,
		.name = destination->folder,
		.session_dir = request->session_dir,
		.format = destination_format(destination),
		.service = request->service,
		.labels = &request->labels,
		.most = request->spool_mib << 20,
		.twin = twin ? &twin->spool : NULL,
	};
	pthread_condattr_t monotonic;
	char *token;

	*sender = (struct sender){.request = request,
				  .destination = destination,
				  .names = *names,
				  .lock = PTHREAD_MUTEX_INITIALIZER};
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&sender->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	if (spool_open(&sender->spool, &plan, error) ||
	    destination_token(destination, &token, error))
		return -1;
	free(token); /* it is read when it is needed: another may have taken its place */
	sender->http = store_http_open(&destination->store, error);
	if (!sender->http)
		return -1;
	store_http_limit(sender->http, (unsigned int)request->timeout);
	return 0;
}

void sender_close(struct sender *sender)
{
	store_http_close(sender->http);
	sent_free(&sender->sent);
	spool_close(&sender->spool);
	pthread_cond_destroy(&sender->wake);
}

int sender_take(struct sender *sender, struct op_error *error)
{
	int taken = spool_take(&sender->spool, error);

	if (taken <= 0)
		return taken;
	pthread_mutex_lock(&sender->lock);
	/* the time of those that wait already stays */
	if (!sender->has_more && sender->counts.back_off <= 0)
		sender->due = now_seconds() + chance() * (double)sender->request->jitter;
	sender->has_more = true;
	pthread_cond_signal(&sender->wake);
	pthread_mutex_unlock(&sender->lock);
	return 0;
}

struct sender_counts sender_counts(struct sender *sender)
{
	struct sender_counts counts;

	pthread_mutex_lock(&sender->lock);
	counts = sender->counts;
	pthread_mutex_unlock(&sender->lock);
	return counts;
}

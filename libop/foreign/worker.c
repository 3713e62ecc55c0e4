// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes apart, as their parent has them: see worker.h. */
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "confined.h"
#include "kept.h"

/* A file of 500,000 symbols takes 175 MiB, 0.2 s and 25 MiB: there is room for six million. */
uint64_t worker_memory_most = UINT64_C(2) << 30;

/* What a process may have of the memory of this one. */
#define MEMORY_PART 4

/* Seconds of computing after which a process is started anew, and half of what it may compute. */
#define AGE_MOST 60

/* Processes that may be left to themselves, and how long one is waited for: so many times so many
 * microseconds. */
#define LASTING_MOST 64
#define LEAVE_TRIES  20
#define LEAVE_EVERY  10000

/* How often the time that a process has computed is looked at, in milliseconds. */
#define LOOK_EVERY 100

double worker_clock(clockid_t clock)
{
	struct timespec now = {0};

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Processes that do not end though they were killed: they wait for a file system that does not
 * answer. */
static struct worker lasting[LASTING_MOST];

/* Return: a free place, or NULL: there is none, or the account has such a process already. */
static struct worker *place_of_lasting(const struct worker *worker)
{
	struct worker *place = NULL;

	for (size_t i = 0; i < LASTING_MOST; i++) {
		if (lasting[i].pid && waitpid(lasting[i].pid, NULL, WNOHANG))
			lasting[i].pid = 0;
		if (!lasting[i].pid)
			place = &lasting[i];
		else if (lasting[i].account == worker->account)
			return NULL;
	}
	return place;
}

void worker_drop_talk(struct worker *worker)
{
	op_buffer_free(&worker->talk.answer);
	worker->talk = (struct worker_talk){0};
}

int worker_end(struct worker *worker)
{
	struct worker *place;
	int status = 0;

	worker_drop_talk(worker);
	close(worker->socket);
	confined_kill(worker->pid);
	for (int i = 0; i < LEAVE_TRIES; i++) {
		if (waitpid(worker->pid, &status, WNOHANG)) {
			worker->pid = 0;
			return status;
		}
		usleep(i ? LEAVE_EVERY : LEAVE_EVERY / 10);
	}
	place = place_of_lasting(worker);
	if (place)
		*place = *worker;
	worker->pid = 0;
	return 0;
}

static uint64_t worker_memory(void)
{
	bool is_limited;
	uint64_t part = foreign_memory_most(&is_limited) / MEMORY_PART;

	return is_limited && part < worker_memory_most ? part : worker_memory_most;
}

static int worker_start(struct worker *worker, struct op_error *error)
{
	int ends[2];

	if (!place_of_lasting(worker))
		return op_error_set(error, EBUSY, "other files still keep processes busy");
	if (!geteuid() && !confined_id())
		return op_error_set(error, EPERM,
				    "no user id is free for the process that reads it");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return op_error_errno(error, "cannot make a socket");
	worker->pid = fork();
	if (!worker->pid) {
		close(ends[0]);
		apart_child_run(worker->user, worker_memory(), 2 * AGE_MOST, ends[1]);
	}
	close(ends[1]);
	if (worker->pid < 0) {
		worker->pid = 0;
		close(ends[0]);
		return op_error_errno(error, "cannot start a process");
	}
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	worker->socket = ends[0];
	worker->questions = 0;
	if (clock_getcpuclockid(worker->pid, &worker->clock))
		worker->clock = CLOCK_MONOTONIC;
	return 0;
}

/* ---- answers ---- */

static bool is_late(struct worker *worker)
{
	struct worker_talk *talk = &worker->talk;

	if (worker_clock(worker->clock) - talk->computed > talk->seconds ||
	    worker_clock(CLOCK_MONOTONIC) - talk->begun > 3 * talk->seconds)
		talk->reason = "it took too long";
	return talk->reason;
}

int worker_fail(struct worker *worker, struct op_error *error)
{
	const char *reason = worker->talk.reason;
	int status;

	worker->spent = worker_clock(CLOCK_MONOTONIC) - worker->talk.begun;
	status = worker_end(worker);
	if (reason)
		return op_error_set(error, EBADMSG, "reading it was given up: %s", reason);
	if (WIFSIGNALED(status))
		return op_error_set(error, EBADMSG, "reading it failed: %s",
				    WTERMSIG(status) == SIGXCPU ? "it took too long"
								: strsignal(WTERMSIG(status)));
	return op_error_set(error, EBADMSG, "reading it failed: there is too much in it");
}

/* Takes up to @length bytes of what has come.  Return: how many; 0: none yet, -1: no more come. */
static ssize_t take_bytes(const struct worker *worker, void *bytes, size_t length)
{
	ssize_t n = recv(worker->socket, bytes, length, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return n ? n : -1;
}

/* Memory is taken as bytes come: a length that is only said takes none. */
static ssize_t take_part(struct worker *worker)
{
	const size_t step = 1 << 20;
	struct worker_talk *talk = &worker->talk;
	size_t left = talk->length - talk->answer.used;
	ssize_t n;

	if (talk->length > talk->answer_most) {
		talk->reason = "there is too much in it";
		return -1;
	}
	if (left > step)
		left = step;
	if (!op_buffer_reserve(&talk->answer, left)) {
		talk->reason = "out of memory";
		return -1;
	}
	n = take_bytes(worker, talk->answer.bytes + talk->answer.used, left);
	if (n > 0)
		talk->answer.used += (size_t)n;
	return n;
}

/* Takes what has come of the answer. */
static enum worker_progress take_answer(struct worker *worker)
{
	struct worker_talk *talk = &worker->talk;
	ssize_t n = 1;

	while (n > 0 && talk->n_length < sizeof(talk->length)) {
		n = take_bytes(worker, (uint8_t *)&talk->length + talk->n_length,
			       sizeof(talk->length) - talk->n_length);
		talk->n_length += n > 0 ? (size_t)n : 0;
	}
	while (n > 0 && talk->answer.used < talk->length)
		n = take_part(worker);
	if (n < 0)
		return WORKER_FAILED;
	if (!n)
		return WORKER_WAITING;
	worker->questions += !talk->is_answered;
	talk->is_answered = true;
	return WORKER_ANSWERED;
}

enum worker_progress worker_wait(struct worker *worker, double seconds)
{
	double until = worker_clock(CLOCK_MONOTONIC) + seconds;
	struct pollfd poller = {.fd = worker->socket, .events = POLLIN};
	enum worker_progress progress;

	while ((progress = take_answer(worker)) == WORKER_WAITING) {
		double left = 1e3 * (until - worker_clock(CLOCK_MONOTONIC));

		if (is_late(worker))
			return WORKER_FAILED;
		if (left <= 0)
			return WORKER_WAITING;
		poll(&poller, 1, left < LOOK_EVERY ? (int)left + 1 : LOOK_EVERY);
	}
	return progress;
}

/* ---- questions ---- */

/* Return: false if the process took too long, or is gone. */
static bool send_bytes(struct worker *worker, const void *bytes, size_t length)
{
	struct pollfd poller = {.fd = worker->socket, .events = POLLOUT};

	for (const uint8_t *at = bytes; length;) {
		ssize_t n = send(worker->socket, at, length, MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		if (n < 0 && poll(&poller, 1, LOOK_EVERY) <= 0 && is_late(worker))
			return false;
		at += n > 0 ? n : 0;
		length -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

static bool send_question(struct worker *worker, const struct apart_question *question)
{
	struct apart_head head = {question->work, question->length};
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)),
				.cmsg_level = SOL_SOCKET,
				.cmsg_type = SCM_RIGHTS}};
	struct iovec part = {.iov_base = &head, .iov_len = sizeof(head)};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};

	memcpy(CMSG_DATA(&control.header), &question->fd, sizeof(question->fd));
	/* nothing else is in the socket: it fits */
	return sendmsg(worker->socket, &message, MSG_NOSIGNAL) == sizeof(head) &&
	       send_bytes(worker, question->bytes, question->length);
}

int worker_ask(struct worker *worker, const struct apart_question *question, uint64_t key,
	       struct op_error *error)
{
	if (worker->pid && worker_clock(worker->clock) > AGE_MOST)
		worker_end(worker);
	if (!worker->pid && worker_start(worker, error))
		return -1;
	worker->talk = (struct worker_talk){
		.is_open = true,
		.key = key,
		.answer_most = question->answer_most,
		.seconds = question->seconds,
		.computed = worker_clock(worker->clock),
		.begun = worker_clock(CLOCK_MONOTONIC),
	};
	return send_question(worker, question) ? 0 : worker_fail(worker, error);
}

void worker_forget_lasting(void)
{
	memset(lasting, 0, sizeof(lasting));
}

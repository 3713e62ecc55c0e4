// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes that work on files of others: see apart.h. */
#include "apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "confined.h"
#include "host.h"

/* A file of 500,000 symbols takes 175 MiB, 0.2 s and 25 MiB: there is room for six million. */
uint64_t apart_memory_most = UINT64_C(2) << 30;

/* Owners at a time. */
#define WORKERS_MOST 8

/* Seconds of computing after which a process is started anew, and half of what it may compute. */
#define AGE_MOST 300

/* Failures of an owner's files after which others are refused, and for how many seconds. */
#define FAILURES_MOST  5
#define FAILURES_FADED 600

/* A user that owns nothing: for root's files in containers, where anybody may be root. */
#define NO_USER 65534

/* Processes that may be left to themselves, and how long one is waited for: so many times so many
 * microseconds. */
#define LASTING_MOST 8
#define LEAVE_TRIES  20
#define LEAVE_EVERY  10000

/* How often the time that a process has computed is looked at, in milliseconds. */
#define LOOK_EVERY 100

struct head {
	apart_work *work; /* at the same address in the child */
	uint64_t length;
};

struct worker {
	bool is_known;
	uid_t user;
	dev_t device; /* of NO_USER: containers do not share a process */
	pid_t pid;    /* 0: there is none */
	int socket;
	clockid_t clock;    /* of what it computes */
	uint64_t questions; /* that it has answered */
	uint64_t last_use;
	unsigned int failures;
	time_t last_failure;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct worker workers[WORKERS_MOST];
static pid_t parent; /* whose workers they are */
static uint64_t uses;
static unsigned long failed;

/* ---- in the child ---- */

static bool read_bytes(int from, void *bytes, size_t length)
{
	for (uint8_t *at = bytes; length;) {
		ssize_t n = read(from, at, length);

		if (n <= 0)
			return false;
		at += n;
		length -= (size_t)n;
	}
	return true;
}

static bool write_bytes(int to, const void *bytes, size_t length)
{
	for (const uint8_t *at = bytes; length;) {
		ssize_t n = write(to, at, length);

		if (n <= 0)
			return false;
		at += n;
		length -= (size_t)n;
	}
	return true;
}

/* Return: the descriptor that came with the head, or -1: there are no more questions. */
static int receive_head(int from, struct head *head)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = {.iov_base = head, .iov_len = sizeof(*head)};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(from, &message, MSG_CMSG_CLOEXEC);
	const struct cmsghdr *header = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	int fd = -1;

	if (header && header->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	if (fd < 0 || !read_bytes(from, (uint8_t *)head + n, sizeof(*head) - (size_t)n))
		return -1;
	return fd;
}

/* Return: false if there are no more questions. */
static bool answer_one(int socket)
{
	struct op_buffer answer = {0};
	struct op_reader question;
	struct head head;
	int fd = receive_head(socket, &head);
	void *bytes = fd >= 0 ? malloc(head.length + 1) : NULL;
	uint64_t length;
	bool good;

	if (!bytes || !read_bytes(socket, bytes, head.length))
		return false;
	question = op_reader_of(bytes, head.length, false);
	head.work(fd, &question, &answer);
	length = answer.used;
	good = !answer.failed && write_bytes(socket, &length, sizeof(length)) &&
	       write_bytes(socket, answer.bytes, length);
	op_buffer_free(&answer);
	free(bytes);
	close(fd);
	return good;
}

static _Noreturn void run(uid_t user, int socket)
{
	if (socket <= STDERR_FILENO)
		socket = fcntl(socket, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (!confined_enter(user, apart_memory_most, 2 * AGE_MOST, socket))
		_exit(2);
	while (answer_one(socket))
		;
	_exit(0);
}

/* ---- processes ---- */

static double seconds_of(clockid_t clock)
{
	struct timespec now = {0};

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Processes that do not end and cannot be killed, until their limit of time ends them: they have
 * another user, and a service may lack CAP_KILL. */
static struct worker lasting[LASTING_MOST];

static bool is_of(const struct worker *worker, uid_t user, dev_t device)
{
	return worker->user == user && worker->device == device;
}

/* Return: a free place, or NULL: there is none, or the owner has such a process already. */
static struct worker *place_of_lasting(const struct worker *worker)
{
	struct worker *place = NULL;

	for (size_t i = 0; i < LASTING_MOST; i++) {
		if (lasting[i].pid && waitpid(lasting[i].pid, NULL, WNOHANG))
			lasting[i].pid = 0;
		if (!lasting[i].pid)
			place = &lasting[i];
		else if (is_of(&lasting[i], worker->user, worker->device))
			return NULL;
	}
	return place;
}

/* Waits for one that was not killed; it ends by itself if it only waited for a question. */
static int leave(const struct worker *worker)
{
	struct worker *place;
	int status = 0;

	for (int i = 0; i < LEAVE_TRIES; i++) {
		if (waitpid(worker->pid, &status, WNOHANG))
			return status;
		usleep(LEAVE_EVERY);
	}
	place = place_of_lasting(worker);
	if (place)
		*place = *worker;
	return 0;
}

/* Return: its status, as of waitpid(2). */
static int end(struct worker *worker)
{
	int status = 0;

	close(worker->socket);
	if (kill(worker->pid, SIGKILL))
		status = leave(worker);
	else
		while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
			;
	worker->pid = 0;
	return status;
}

static int start(struct worker *worker, struct op_error *error)
{
	int ends[2];

	if (!place_of_lasting(worker))
		return op_error_set(error, EBUSY, "other files still keep processes busy");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return op_error_errno(error, "cannot make a socket");
	worker->pid = fork();
	if (!worker->pid) {
		close(ends[0]);
		run(worker->user, ends[1]);
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

/* After fork(), they are those of another process. */
static void forget_those_of_others(void)
{
	for (size_t i = 0; parent != getpid() && i < WORKERS_MOST; i++) {
		if (workers[i].pid)
			close(workers[i].socket);
		workers[i] = (struct worker){0};
	}
	if (parent != getpid())
		memset(lasting, 0, sizeof(lasting));
	parent = getpid();
}

static struct worker *worker_of(uid_t user, dev_t device)
{
	struct worker *oldest = workers;

	forget_those_of_others();
	for (size_t i = 0; i < WORKERS_MOST; i++) {
		if (workers[i].is_known && is_of(&workers[i], user, device))
			return &workers[i];
		if (workers[i].last_use < oldest->last_use)
			oldest = &workers[i];
	}
	if (oldest->pid)
		end(oldest);
	*oldest = (struct worker){.is_known = true, .user = user, .device = device};
	return oldest;
}

/* ---- questions ---- */

/* struct talk - a question on its way */
struct talk {
	struct worker *worker;
	const struct apart_question *question;
	double computed, begun;
	const char *reason; /* why the process must end; NULL: it has ended */
};

static bool is_late(struct talk *talk)
{
	double most = talk->question->seconds;

	if (seconds_of(talk->worker->clock) - talk->computed > most ||
	    seconds_of(CLOCK_MONOTONIC) - talk->begun > 3 * most)
		talk->reason = "it took too long";
	return talk->reason;
}

/* Waits until the socket is ready.  Return: false if the process took too long. */
static bool wait_for(struct talk *talk, short events)
{
	struct pollfd poller = {.fd = talk->worker->socket, .events = events};

	while (poll(&poller, 1, LOOK_EVERY) <= 0)
		if (is_late(talk))
			return false;
	return true;
}

static bool send_bytes(struct talk *talk, const void *bytes, size_t length)
{
	for (const uint8_t *at = bytes; length;) {
		ssize_t n = send(talk->worker->socket, at, length, MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		if (n < 0 && !wait_for(talk, POLLOUT))
			return false;
		at += n > 0 ? n : 0;
		length -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

static bool send_question(struct talk *talk)
{
	const struct apart_question *question = talk->question;
	struct head head = {question->work, question->length};
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
	return sendmsg(talk->worker->socket, &message, MSG_NOSIGNAL) == sizeof(head) &&
	       send_bytes(talk, question->bytes, question->length);
}

static bool receive_bytes(struct talk *talk, void *bytes, size_t length)
{
	for (uint8_t *at = bytes; length;) {
		ssize_t n = recv(talk->worker->socket, at, length, 0);

		if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
			return false;
		if (n < 0 && !wait_for(talk, POLLIN))
			return false;
		at += n > 0 ? n : 0;
		length -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Memory is taken as bytes come: a length that is only said takes none. */
static bool receive_answer(struct talk *talk, struct op_buffer *answer)
{
	const size_t step = 1 << 20;
	uint64_t length;

	if (!receive_bytes(talk, &length, sizeof(length)))
		return false;
	if (length > talk->question->answer_most) {
		talk->reason = "there is too much in it";
		return false;
	}
	while (answer->used < length) {
		size_t n = length - answer->used < step ? length - answer->used : step;

		if (!op_buffer_reserve(answer, n)) {
			talk->reason = "out of memory";
			return false;
		}
		if (!receive_bytes(talk, answer->bytes + answer->used, n))
			return false;
		answer->used += n;
	}
	return true;
}

static int fail(struct talk *talk, struct op_error *error)
{
	int status = end(talk->worker);

	if (talk->reason)
		return op_error_set(error, EBADMSG, "reading it was given up: %s", talk->reason);
	if (WIFSIGNALED(status))
		return op_error_set(error, EBADMSG, "reading it failed: %s",
				    WTERMSIG(status) == SIGXCPU ? "it took too long"
								: strsignal(WTERMSIG(status)));
	return op_error_set(error, EBADMSG, "reading it failed: there is too much in it");
}

static int ask(struct worker *worker, const struct apart_question *question,
	       struct op_buffer *answer, struct op_error *error)
{
	struct talk talk = {.worker = worker, .question = question};

	if (worker->pid && seconds_of(worker->clock) > AGE_MOST)
		end(worker);
	if (!worker->pid && start(worker, error))
		return -1;
	talk.computed = seconds_of(worker->clock);
	talk.begun = seconds_of(CLOCK_MONOTONIC);
	if (!send_question(&talk) || !receive_answer(&talk, answer)) {
		op_buffer_free(answer);
		return fail(&talk, error);
	}
	worker->questions++;
	return 0;
}

/* What failed may have failed because of files that were read before: it begins anew, once. */
static int ask_again(struct worker *worker, const struct apart_question *question,
		     struct op_buffer *answer, struct op_error *error)
{
	bool is_used = worker->pid && worker->questions;
	int result;

	worker->last_use = ++uses;
	if (worker->failures >= FAILURES_MOST && time(NULL) - worker->last_failure < FAILURES_FADED)
		result = op_error_set(error, EBADMSG,
				      "too many other files of its owner could not be read");
	else
		result = ask(worker, question, answer, error);
	if (result && is_used && !worker->pid)
		result = ask(worker, question, answer, error);
	return result;
}

static void count_failure(struct worker *worker)
{
	time_t now = time(NULL);

	if (now - worker->last_failure >= FAILURES_FADED)
		worker->failures = 0;
	if (worker->failures < FAILURES_MOST) {
		worker->failures++;
		worker->last_failure = now;
	}
	failed++;
}

/* Whether the file is below the root directory of another process, which is not the host's. */
static bool is_in_container(const char *path)
{
	return path && !strncmp(path, "/proc/", 6) && strstr(path, "/root/") && !host_has(path);
}

bool apart_is_needed(int fd, const char *path)
{
	struct stat status;

	return !geteuid() && !fstat(fd, &status) &&
	       (foreign_owner(&status) || is_in_container(path));
}

void *apart_ask(const struct apart_question *question, size_t *length, struct op_error *error)
{
	struct op_buffer answer = {0};
	struct stat status = {0};
	struct worker *worker;
	int result;

	fstat(question->fd, &status);
	pthread_mutex_lock(&lock);
	worker = status.st_uid ? worker_of(status.st_uid, 0) : worker_of(NO_USER, status.st_dev);
	result = ask_again(worker, question, &answer, error);
	if (result)
		count_failure(worker);
	pthread_mutex_unlock(&lock);
	if (result)
		return NULL;
	*length = answer.used;
	return answer.bytes ? answer.bytes : calloc(1, 1);
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
			end(&workers[i]);
	pthread_mutex_unlock(&lock);
}

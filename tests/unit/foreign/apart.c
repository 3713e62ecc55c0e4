// SPDX-License-Identifier: GPL-2.0-or-later
/* What a process apart can do, and what becomes of one that does something else. */
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "libop/base/array.h"
#include "libop/foreign/account.h"
#include "libop/foreign/apart.h"
#include "libop/foreign/door.h"
#include "libop/foreign/kept.h"
#include "libop/foreign/worker.h"
#include "tests/unit/test.h"

#define USER 54321

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITISED true /* sanitisers reserve terabytes, and have system calls of their own */
#else
#define IS_SANITISED false
#endif

static bool is_root(void)
{
	return !geteuid();
}

TEST_NEEDS(is_root, "only root has files read apart")

/* ---- how much memory there is ---- */

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return good;
}

/* In a mount namespace of its own, with control groups that have limits. */
static bool sees_limits_of_groups(void)
{
	bool is_limited = false;

	return !unshare(CLONE_NEWNS) && !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("groups", "/sys/fs/cgroup", "tmpfs", 0, NULL) &&
	       put("/sys/fs/cgroup/memory.max", "50331648\n") &&
	       !mkdir("/sys/fs/cgroup/memory", 0755) &&
	       put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "67108864\n") &&
	       foreign_memory_most(&is_limited) == 50331648 && is_limited;
}

/* It is looked up once, so this comes before all others. */
TEST(limits_of_control_groups_count)
{
	pid_t child;
	int status;

	if (access("/sys/fs/cgroup", F_OK))
		skip();
	child = fork();
	if (!child)
		_exit(sees_limits_of_groups() ? 0 : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void say(struct op_buffer *answer, const char *text)
{
	op_buffer_put(answer, text, strlen(text));
}

/* A file with "given" in it. */
static int make_file(uid_t owner)
{
	int fd = foreign_memory("file");

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "given", 5), 5);
	assert_int_equal(fchown(fd, owner, owner), 0);
	return fd;
}

/* Asks about a file of @owner.  Return: the answer, which the caller frees, or NULL. */
static char *ask_for(uid_t owner, apart_work *work, struct op_error *error)
{
	int fd = make_file(owner);
	const struct apart_question question = {.work = work,
						.fd = fd,
						.bytes = "question",
						.length = 8,
						.seconds = 1,
						.answer_most = 1 << 20};
	size_t length = 0;
	char *answer, *text;

	assert_true(apart_is_needed(fd, NULL));
	answer = apart_ask(&question, &length, error);
	text = answer ? strndup(answer, length) : NULL;
	free(answer);
	close(fd);
	return text;
}

static void expect_for(uid_t owner, apart_work *work, const char *expected)
{
	struct op_error error = {0};
	char *answer = ask_for(owner, work, &error);

	if (!answer)
		fail_msg("%s", error.text);
	assert_string_equal(answer, expected);
	free(answer);
}

static void expect(apart_work *work, const char *expected)
{
	expect_for(USER, work, expected);
}

/* Each failure is of another user's file. */
static void expect_failure(apart_work *work, const char *text)
{
	static uid_t user = USER + 1;
	struct op_error error = {0};
	unsigned long before = apart_failures();

	assert_null(ask_for(user++, work, &error));
	if (!strstr(error.text, text))
		assert_string_equal(error.text, text);
	assert_int_equal(apart_failures(), before + 1);
}

/* ---- what it has ---- */

static void tell_rights(int fd, struct op_reader *question, struct op_buffer *out)
{
	int secret = open("/etc/shadow", O_RDONLY), public = open("/etc/passwd", O_RDONLY);
	char text[64];

	(void)fd;
	(void)question;
	snprintf(text, sizeof(text), "%d %d %d", secret, public >= 0, fcntl(100, F_GETFD));
	say(out, text);
	close(public);
}

TEST(it_has_the_rights_of_the_user_and_no_descriptor)
{
	int other = fcntl(STDERR_FILENO, F_DUPFD, 100);

	assert_int_equal(other, 100);
	apart_end();
	expect(tell_rights, "-1 1 -1");
	close(other);
}

static void read_given(int fd, struct op_reader *question, struct op_buffer *out)
{
	char bytes[6] = "";
	int copy;

	foreign_lend("/a/path", fd);
	copy = foreign_open("/a/path", FOREIGN_OBJECT, FOREIGN_FOLLOW);
	say(out, copy >= 0 && read(copy, bytes, 5) == 5 ? bytes : "no");
	op_buffer_put(out, question->at, op_reader_left(question));
	close(copy);
	foreign_lend(NULL, -1);
}

TEST(it_reads_the_file_and_the_question)
{
	expect(read_given, "givenquestion");
}

static int asked;

static void count(int fd, struct op_reader *question, struct op_buffer *out)
{
	char text[16];

	(void)fd;
	(void)question;
	snprintf(text, sizeof(text), "%d", ++asked);
	say(out, text);
}

TEST(it_is_started_once_for_the_files_of_a_user)
{
	apart_end();
	expect(count, "1");
	expect(count, "2");
	expect_for(USER - 1, count, "1");
	expect(count, "3");
	assert_int_equal(asked, 0);
}

TEST(files_of_root_and_other_users_processes_need_none)
{
	int fd = make_file(0);

	assert_false(apart_is_needed(fd, "/usr/bin/true"));
	assert_true(apart_is_needed(fd, "/proc/1/root/usr/bin/true"));
	close(fd);
}

/* ---- what the kernel says of it ---- */

static void tell_process(int fd, struct op_reader *question, struct op_buffer *out)
{
	char text[16];

	(void)fd;
	(void)question;
	snprintf(text, sizeof(text), "%d", getpid());
	say(out, text);
}

static pid_t pid_for(uid_t owner)
{
	struct op_error error = {0};
	char *text = ask_for(owner, tell_process, &error);
	pid_t pid;

	assert_non_null(text);
	pid = (pid_t)strtol(text, NULL, 10);
	free(text);
	return pid;
}

TEST(files_of_root_that_others_may_write_need_one)
{
	char path[] = "/tmp/op-apart-XXXXXX";
	int fd = mkostemp(path, O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, 0755), 0);
	assert_false(apart_is_needed(fd, path));
	assert_int_equal(fchmod(fd, 0777), 0);
	assert_true(apart_is_needed(fd, path));
	assert_int_equal(fchmod(fd, 0775), 0);
	assert_false(apart_is_needed(fd, path)); /* root's own group */
	assert_int_equal(fchown(fd, 0, 65534), 0);
	assert_true(apart_is_needed(fd, path));
	close(fd);
	unlink(path);
}

/* Files go by the last id. */
TEST(the_kernel_says_that_it_is_nobodys_and_has_a_filter)
{
	static const char *const lines[] = {
		"NoNewPrivs:\t1",
		"Seccomp:\t2",
		"CapEff:\t0000000000000000",
		"CapPrm:\t0000000000000000",
		"Uid:\t2147450880\t2147450880\t2147450880\t54321",
		"Gid:\t2147450880\t2147450880\t2147450880\t2147450880",
	};
	char path[64], text[8192] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", pid_for(USER));
	if (IS_SANITISED)
		skip();
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	for (size_t i = 0; i < OP_ARRAY_SIZE(lines); i++)
		if (!strstr(text, lines[i]))
			fail_msg("not \"%s\" in\n%s", lines[i], text);
}

/* ---- what becomes of it ---- */

static volatile int *volatile nowhere;

static void fault(int fd, struct op_reader *question, struct op_buffer *out)
{
	(void)fd;
	(void)question;
	say(out, "half an answer");
	*nowhere = 1;
}

TEST(one_that_faults_has_no_answer)
{
	expect_failure(fault, "reading it failed: ");
}

static void allocate(int fd, struct op_reader *question, struct op_buffer *out)
{
	(void)fd;
	(void)question;
	say(out, malloc(16 << 20) && !malloc(256 << 20) ? "limited" : "not limited");
}

/* Runs a case with less memory than there is otherwise. */
static void with_little_memory(void (*run)(void))
{
	uint64_t before = worker_memory_most;

	if (IS_SANITISED)
		skip();
	worker_memory_most = 64 << 20;
	apart_end();
	run();
	worker_memory_most = before;
	apart_end();
}

static void expect_limit(void)
{
	expect(allocate, "limited");
}

TEST(its_memory_is_limited)
{
	with_little_memory(expect_limit);
}

static void lose_memory(int fd, struct op_reader *question, struct op_buffer *out)
{
	(void)fd;
	(void)question;
	while (calloc(1, 1 << 20))
		;
	say(out, "full");
}

static void need_memory(int fd, struct op_reader *question, struct op_buffer *out)
{
	void *bytes = calloc(1, 32 << 20);

	(void)fd;
	(void)question;
	if (!bytes)
		abort();
	free(bytes);
	say(out, "enough");
}

static void expect_a_new_one(void)
{
	expect(lose_memory, "full");
	expect(need_memory, "enough");
}

TEST(what_one_file_used_up_costs_no_other_file)
{
	with_little_memory(expect_a_new_one);
}

static void compute(int fd, struct op_reader *question, struct op_buffer *out)
{
	(void)fd;
	(void)question;
	for (volatile int i = 0;; i = i + 1)
		if (!out)
			return;
}

TEST(its_time_is_limited)
{
	expect_failure(compute, "reading it was given up: it took too long");
}

static struct __user_cap_header_struct caps_of_this = {.version = _LINUX_CAPABILITY_VERSION_3};

/* As in a service whose bounding set has no CAP_KILL; 0 takes nothing away. */
static void set_without(uint32_t capability, struct __user_cap_data_struct before[2])
{
	struct __user_cap_data_struct now[2];

	assert_int_equal(syscall(SYS_capget, &caps_of_this, before), 0);
	memcpy(now, before, sizeof(now));
	now[0].effective &= ~(1U << capability);
	assert_int_equal(syscall(SYS_capset, &caps_of_this, now), 0);
}

TEST(a_service_without_cap_kill_ends_those_that_take_too_long)
{
	struct __user_cap_data_struct before[2];
	struct op_error error = {0};
	char path[64];
	pid_t pid;

	set_without(CAP_KILL, before);
	expect_for(USER - 10, read_given, "givenquestion");
	pid = pid_for(USER - 10);
	assert_null(ask_for(USER - 10, compute, &error));
	assert_string_equal(error.text, "reading it was given up: it took too long");
	snprintf(path, sizeof(path), "/proc/%d", pid);
	assert_int_equal(access(path, F_OK), -1);
	expect_for(USER - 12, read_given, "givenquestion");
	assert_int_equal(syscall(SYS_capset, &caps_of_this, before), 0);
	assert_int_equal(getuid(), 0);
}

/* What the owner of a file may do to the process that reads it; as that user, in a child.  Return:
 * which of it was allowed, 0: nothing. */
static int try_on_process(pid_t pid)
{
	const struct sched_param none = {0};
	const struct rlimit limit = {0, 0};
	cpu_set_t cpus;
	char path[64];

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	snprintf(path, sizeof(path), "/proc/%d/fd/0", pid);
	if (setgroups(0, NULL) || setresgid(USER, USER, USER) || setresuid(USER, USER, USER))
		return 100;
	if (!kill(pid, SIGSTOP))
		return 1;
	if (!kill(pid, 0))
		return 2;
	if (!sched_setscheduler(pid, SCHED_IDLE, &none))
		return 3;
	if (!sched_setaffinity(pid, sizeof(cpus), &cpus))
		return 4;
	if (!setpriority(PRIO_PROCESS, (id_t)pid, 19))
		return 5;
	if (!prlimit(pid, RLIMIT_CPU, &limit, NULL))
		return 6;
	if (!ptrace(PTRACE_SEIZE, pid, 0, 0))
		return 7;
	return open(path, O_PATH) >= 0 ? 8 : 0;
}

TEST(the_owner_of_its_files_cannot_stop_slow_or_trace_it)
{
	pid_t pid = pid_for(USER), child = fork();
	int status;

	if (!child)
		_exit(try_on_process(pid));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	expect(read_given, "givenquestion");
}

static void read_secret(int fd, struct op_reader *question, struct op_buffer *out)
{
	char bytes[8] = "";
	int secret = foreign_open("/tmp/libop-apart-secret", FOREIGN_ANY, FOREIGN_FOLLOW);

	(void)fd;
	(void)question;
	say(out, secret >= 0 && read(secret, bytes, 6) == 6 ? bytes : "refused");
	close(secret);
}

/* Debug files and the like: it opens them by itself. */
TEST(it_reads_what_only_the_owner_may_read)
{
	int fd = open("/tmp/libop-apart-secret", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);

	assert_true(fd >= 0 && write(fd, "secret", 6) == 6);
	assert_int_equal(fchown(fd, USER, USER), 0);
	expect(read_secret, "secret");
	assert_int_equal(fchown(fd, USER - 1, USER - 1), 0);
	expect(read_secret, "refused");
	close(fd);
	unlink("/tmp/libop-apart-secret");
}

static void talk(int fd, struct op_reader *question, struct op_buffer *out)
{
	(void)fd;
	(void)question;
	op_buffer_zeros(out, 2 << 20);
}

TEST(its_answer_is_limited)
{
	expect_failure(talk, "reading it was given up: there is too much in it");
}

TEST(an_owner_whose_files_kill_it_again_and_again_is_refused)
{
	struct op_error error = {0};

	for (int i = 0; i < 20; i++)
		assert_null(ask_for(USER - 2, fault, &error));
	assert_string_equal(error.text, "too many other files of its owner could not be read");
	expect_for(USER - 3, read_given, "givenquestion");
}

/* Many others do not push out what is known of one. */
TEST(failures_are_not_forgotten_for_those_of_others)
{
	struct op_error error = {0};

	for (int i = 0; i < 5; i++)
		assert_null(ask_for(USER - 4, fault, &error));
	for (int i = 0; i < 40; i++)
		expect_for(USER + 1000 + (uid_t)i, read_given, "givenquestion");
	assert_null(ask_for(USER - 4, read_given, &error));
	assert_string_equal(error.text, "too many other files of its owner could not be read");
}

/* ---- accounts ---- */

TEST(the_subordinate_ids_of_a_user_fail_together)
{
	char path[] = "/tmp/op-apart-XXXXXX";
	static const char ids[] = "54000:700000:65536\n";
	int fd = mkostemp(path, O_CLOEXEC);
	struct op_error error = {0};

	assert_true(fd >= 0 && write(fd, ids, strlen(ids)) == (ssize_t)strlen(ids));
	foreign_subuid_file = path;
	for (uid_t i = 0; i < 5; i++)
		assert_null(ask_for(700000 + i, fault, &error));
	assert_null(ask_for(700100, read_given, &error));
	assert_string_equal(error.text, "too many other files of its owner could not be read");
	assert_null(ask_for(54000, read_given, &error));
	expect_for(54001, read_given, "givenquestion");
	close(fd);
	unlink(path);
}

/* ---- waiting ---- */

/* Until the mode of the file says that it may answer. */
static void answer_when_told(int fd, struct op_reader *question, struct op_buffer *out)
{
	struct stat status;

	while (!fstat(fd, &status) && !(status.st_mode & S_IRGRP))
		;
	read_given(fd, question, out);
}

/* The same file each time. */
static char *ask_about(int fd, apart_work *work, struct op_error *error)
{
	const struct apart_question question = {.work = work,
						.fd = fd,
						.bytes = "question",
						.length = 8,
						.seconds = 60,
						.answer_most = 1 << 20};
	size_t length;
	char *answer = apart_ask(&question, &length, error), *text;

	text = answer ? strndup(answer, length) : NULL;
	free(answer);
	return text;
}

TEST(a_process_that_must_not_wait_has_the_answer_later)
{
	int slow = make_file(USER - 20), other = make_file(USER - 20);
	unsigned long before = apart_failures();
	struct op_error error = {0};
	char *answer = NULL;

	apart_wait_at_most(0, 0);
	assert_null(ask_about(slow, answer_when_told, &error));
	assert_int_equal(error.code, EAGAIN);
	/* another file of this owner waits for it, those of others do not */
	assert_null(ask_about(other, read_given, &error));
	assert_int_equal(error.code, EAGAIN);
	apart_wait_at_most(INFINITY, INFINITY);
	expect_for(USER - 21, read_given, "givenquestion");
	apart_wait_at_most(0, 0);
	assert_null(ask_about(slow, answer_when_told, &error));
	assert_int_equal(fchmod(slow, 0640), 0);
	for (int i = 0; i < 6000 && !answer; i++) {
		usleep(10000);
		answer = ask_about(slow, answer_when_told, &error);
	}
	assert_non_null(answer);
	assert_string_equal(answer, "givenquestion");
	free(answer);
	apart_wait_at_most(INFINITY, INFINITY);
	answer = ask_about(other, read_given, &error);
	assert_non_null(answer);
	free(answer);
	assert_int_equal(apart_failures(), before);
	close(slow);
	close(other);
}

TEST(one_that_takes_too_long_is_ended_though_nobody_waits)
{
	struct op_error error = {0};
	char path[64];
	pid_t pid = pid_for(USER - 22);

	apart_wait_at_most(0, 0);
	assert_null(ask_for(USER - 22, compute, &error));
	assert_int_equal(error.code, EAGAIN);
	snprintf(path, sizeof(path), "/proc/%d", pid);
	for (int i = 0; i < 2000 && !access(path, F_OK); i++) {
		usleep(10000);
		apart_tend();
	}
	assert_int_equal(access(path, F_OK), -1);
	apart_wait_at_most(INFINITY, INFINITY);
	expect_for(USER - 22, read_given, "givenquestion");
}

/* More owners than there may be processes: each is at its question. */
TEST(others_that_are_busy_do_not_keep_one_waiting)
{
	struct op_error error = {0};
	unsigned int refused = 0;

	apart_wait_at_most(0, 0);
	for (int i = 0; i < 12; i++) {
		assert_null(ask_for(USER + 2000 + (uid_t)i, compute, &error));
		refused += error.code != EAGAIN;
	}
	assert_int_equal(refused, 0);
	apart_wait_at_most(INFINITY, INFINITY);
	expect_for(USER + 3000, read_given, "givenquestion");
	apart_end();
}

/* ---- memory of the parent ---- */

static char *shared;

static void write_shared(int fd, struct op_reader *question, struct op_buffer *out)
{
	(void)fd;
	(void)question;
	strcpy(shared, "changed");
	say(out, "changed");
}

TEST(it_cannot_change_what_the_parent_has_mapped)
{
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(shared, MAP_FAILED);
	apart_end();
	expect_failure(write_shared, "reading it failed: ");
	assert_string_equal(shared, "");
	munmap(shared, 4096);
}

/* ---- system calls ---- */

static void try_all(int fd, struct op_reader *question, struct op_buffer *out)
{
	char *const arguments[] = {"true", NULL};
	const int results[] = {
		socket(AF_INET, SOCK_STREAM, 0),
		fork(),
		kill(getppid(), 0),
		kill(getpid(), 0),
		open("/tmp/libop-apart-written", O_WRONLY | O_CREAT, 0600),
		mkdir("/tmp/libop-apart-made", 0700),
		execv("/bin/true", arguments),
		setuid(0),
		mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
				MAP_FAILED
			? -1
			: 0,
	};
	char text[3] = "0";

	(void)fd;
	(void)question;
	for (size_t i = 0; i < OP_ARRAY_SIZE(results); i++)
		if (results[i] != -1) {
			snprintf(text, sizeof(text), "%zu", i + 1);
			break;
		}
	say(out, text);
}

/* The answer is which of them was allowed. */
TEST(it_can_do_nothing_but_read)
{
	if (IS_SANITISED)
		skip();
	expect(try_all, "0");
}

/* ---- who is not root ---- */

#define SERVICE 54399 /* the user of a service */
#define TOKEN	"/tmp/libop-apart-token"

/* Runs a case in a process of that user.  Return: whether all in it held. */
static bool as_service(bool (*run)(void))
{
	pid_t child = fork();
	int status;

	if (!child) {
		bool good = !setgroups(0, NULL) && !setresgid(SERVICE, SERVICE, SERVICE) &&
			    !setresuid(SERVICE, SERVICE, SERVICE) && run();

		_exit(good ? 0 : 1);
	}
	return waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* A file in memory of another user, as the service has it. */
static int make_marked(uid_t owner)
{
	int fd = foreign_memory("file");

	return fd >= 0 && write(fd, "given", 5) == 5 && foreign_mark(fd, owner) ? fd : -1;
}

/* Asks about a file of USER.  Return: the answer, which the caller frees, or NULL. */
static char *ask_as_service(apart_work *work)
{
	int fd = make_marked(USER);
	const struct apart_question question = {.work = work,
						.fd = fd,
						.bytes = "question",
						.length = 8,
						.seconds = 5,
						.answer_most = 1 << 20};
	struct op_error error = {0};
	size_t length = 0;
	char *answer = apart_is_needed(fd, NULL) ? apart_ask(&question, &length, &error) : NULL;
	char *text = answer ? strndup(answer, length) : NULL;

	if (!answer)
		fprintf(stderr, "no answer: %s\n", error.text);
	free(answer);
	close(fd);
	return text;
}

static bool says(apart_work *work, const char *expected)
{
	char *text = ask_as_service(work);
	bool good = text && !strcmp(text, expected);

	if (!good)
		fprintf(stderr, "\"%s\" is not \"%s\"\n", text ? text : "", expected);
	free(text);
	return good;
}

/* What a process with a network, and with the rights of the service, could do. */
static void try_as_service(int fd, struct op_reader *question, struct op_buffer *out)
{
	const int got[] = {
		socket(AF_INET, SOCK_STREAM, 0),
		socket(AF_UNIX, SOCK_DGRAM, 0),
		open(TOKEN, O_RDONLY),
		foreign_open(TOKEN, FOREIGN_ANY, FOREIGN_FOLLOW),
		open("/etc/passwd", O_RDONLY),
		open("/tmp/libop-apart-made", O_WRONLY | O_CREAT, 0600),
		kill(getppid(), 0),
		(int)syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0),
		(int)fork(),
	};
	char text[64] = "", *end = text;

	(void)fd;
	(void)question;
	for (size_t i = 0; i < OP_ARRAY_SIZE(got); i++)
		end += sprintf(end, "%d", got[i] >= 0);
	say(out, text);
}

static bool has_a_sandbox(void)
{
	static const char *const lines[] = {"NoNewPrivs:\t1", "Seccomp:\t2",
					    "CapPrm:\t0000000000000000"};
	int token = open(TOKEN, O_WRONLY | O_CREAT | O_EXCL, 0600), own = foreign_memory("own"), fd;
	char path[64], text[8192] = "", *pid = ask_as_service(tell_process), *text_of, *own_text;
	bool good = pid && token >= 0 && own >= 0 && !apart_is_needed(own, NULL);

	/* nor does this process read what another user names, but for what all may read */
	text_of = foreign_read_for(USER, TOKEN, 64, NULL, NULL);
	own_text = foreign_read_for(SERVICE, TOKEN, 64, NULL, NULL);
	good = good && !text_of && own_text;
	free(own_text);
	good = good && says(read_given, "givenquestion") && says(try_as_service, "000000000");
	snprintf(path, sizeof(path), "/proc/%s/status", pid ? pid : "");
	fd = open(path, O_RDONLY);
	good = good && fd >= 0 && read(fd, text, sizeof(text) - 1) > 0;
	snprintf(path, sizeof(path), "PPid:\t%d\n", getpid());
	good = good && strstr(text, path);
	for (size_t i = 0; good && i < OP_ARRAY_SIZE(lines); i++)
		good = strstr(text, lines[i]);
	unlink(TOKEN);
	free(pid);
	return good;
}

/* As on a kernel without Landlock. */
static bool has_a_sandbox_without_landlock(void)
{
	static struct sock_filter refusal[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {.len = OP_ARRAY_SIZE(refusal), .filter = refusal};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) && has_a_sandbox();
}

TEST(a_service_that_is_not_root_has_them_without_network_and_files)
{
	if (IS_SANITISED)
		skip();
	assert_true(as_service(has_a_sandbox));
	assert_true(as_service(has_a_sandbox_without_landlock));
}

static bool has_a_bound(void)
{
	foreign_memory_given = 256 << 20;
	return says(allocate, "limited");
}

TEST(where_memory_is_limited_each_has_a_part_of_it)
{
	if (IS_SANITISED)
		skip();
	assert_true(as_service(has_a_bound));
}

TEST(each_owner_may_keep_half_of_what_the_others_leave)
{
	struct foreign_kept one = {0}, more = {0}, other = {0};

	foreign_memory_given = 8000;
	assert_true(foreign_kept_add(&one, 1, 600) && foreign_kept_add(&one, 1, 300));
	assert_false(foreign_kept_add(&more, 1, 101));
	assert_int_equal(foreign_kept_left(1), 100);
	assert_int_equal(foreign_kept_left(2), 550);
	assert_true(foreign_kept_add(&more, 2, 300) && foreign_kept_add(&more, 2, 250));
	assert_int_equal(foreign_kept_left(2), 0);
	/* however many have all that they may, there is some for the next */
	assert_int_equal(foreign_kept_left(3), 275);
	assert_false(foreign_kept_add(&other, 3, 276));
	foreign_kept_free(&one);
	assert_int_equal(foreign_kept_left(1), 725);
	assert_true(foreign_kept_add(&other, 3, 725));
	foreign_kept_free(&more);
	foreign_kept_free(&other);
	assert_int_equal(foreign_kept_left(3), 1000);
	foreign_memory_given = 0;
}

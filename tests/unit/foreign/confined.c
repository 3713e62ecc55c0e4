// SPDX-License-Identifier: GPL-2.0-or-later
/* What a confined process can do, and what becomes of one that does something else. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "libop/foreign/confined.h"
#include "libop/foreign/door.h"
#include "tests/unit/test.h"

#define USER 54321

static bool may_confine(void)
{
	return !geteuid();
}

TEST_NEEDS(may_confine, "only root may confine a process")

static void say(int out, const char *text)
{
	if (write(out, text, strlen(text)) < 0)
		_exit(3);
}

/* Runs @work.  Return: what it answered, which the caller frees, or NULL. */
static char *run(void (*work)(void *context, int out), int fd, struct op_error *error)
{
	const struct confined confined = {.user = USER,
					  .fd = fd,
					  .memory = 64 << 20,
					  .time = 1,
					  .answer_most = 1 << 20,
					  .work = work};
	size_t length = 0;
	char *answer = confined_run(&confined, &length, error);
	char *text = answer ? strndup(answer, length) : NULL;

	free(answer);
	return text;
}

static void expect(void (*work)(void *context, int out), int fd, const char *expected)
{
	struct op_error error = {0};
	char *answer = run(work, fd, &error);

	if (expected && !answer)
		print_message("%s\n", error.text);
	if (expected)
		assert_string_equal(answer, expected);
	else
		assert_null(answer);
	free(answer);
}

static void expect_failure(void (*work)(void *context, int out), const char *text)
{
	struct op_error error = {0};

	assert_null(run(work, -1, &error));
	if (!strstr(error.text, text))
		assert_string_equal(error.text, text);
}

static void tell_rights(void *context, int out)
{
	int secret = open("/etc/shadow", O_RDONLY), public = open("/etc/passwd", O_RDONLY);
	char text[64];

	(void)context;
	/* ids are in the auxiliary vector of the program only: ask what counts */
	snprintf(text, sizeof(text), "%d %d %d", secret, public >= 0, fcntl(100, F_GETFD));
	say(out, text);
	close(public);
}

TEST(it_has_the_rights_of_the_user_and_no_descriptor)
{
	int other = fcntl(STDERR_FILENO, F_DUPFD, 100);

	assert_int_equal(other, 100);
	expect(tell_rights, -1, "-1 1 -1");
	close(other);
}

static int given;

static void read_given(void *context, int out)
{
	char bytes[6] = "";
	int fd;

	(void)context;
	foreign_lend("/a/path", given);
	fd = foreign_open("/a/path", FOREIGN_OBJECT, FOREIGN_FOLLOW);
	say(out, fd >= 0 && read(fd, bytes, 5) == 5 ? bytes : "no");
}

TEST(it_reads_the_file_that_it_is_given)
{
	char name[] = "/tmp/libop-confined-XXXXXX";

	given = mkstemp(name);
	assert_true(given >= 0);
	assert_int_equal(unlink(name), 0);
	assert_int_equal(write(given, "given", 5), 5);
	expect(read_given, given, "given");
	close(given);
}

static volatile int *volatile nowhere;

static void fault(void *context, int out)
{
	(void)context;
	say(out, "half an answer");
	*nowhere = 1;
}

TEST(one_that_faults_has_no_answer)
{
	expect_failure(fault, "reading it failed: Segmentation fault");
}

static void allocate(void *context, int out)
{
	(void)context;
	say(out, malloc(16 << 20) && !malloc(256 << 20) ? "limited" : "not limited");
}

TEST(its_memory_is_limited)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip(); /* sanitisers reserve terabytes */
#endif
	expect(allocate, -1, "limited");
}

static void compute(void *context, int out)
{
	(void)context;
	for (volatile int i = 0;; i = i + 1)
		if (out < 0)
			return;
}

TEST(its_time_is_limited)
{
	expect_failure(compute, "it took too long");
}

static void talk(void *context, int out)
{
	static const char text[65536];

	(void)context;
	while (write(out, text, sizeof(text)) > 0)
		;
}

TEST(its_answer_is_limited)
{
	expect_failure(talk, "reading it was given up: there is too much in it");
}

/* ---- system calls ---- */

static void try_all(void *context, int out)
{
	char *const arguments[] = {"true", NULL};
	const int results[] = {
		socket(AF_INET, SOCK_STREAM, 0),
		fork(),
		kill(getppid(), 0),
		kill(getpid(), 0),
		open("/tmp/libop-confined-written", O_WRONLY | O_CREAT, 0600),
		mkdir("/tmp/libop-confined-made", 0700),
		execv("/bin/true", arguments),
		setuid(0),
		mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
				MAP_FAILED
			? -1
			: 0,
	};
	char text[3] = "0";

	(void)context;
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		if (results[i] != -1) {
			snprintf(text, sizeof(text), "%zu", i + 1);
			break;
		}
	say(out, text);
}

/* The answer is which of them was allowed. */
TEST(it_can_do_nothing_but_read)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip(); /* sanitisers have system calls of their own */
#endif
	expect(try_all, -1, "0");
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Report tools on a terminal: colours, pager and progress are there, and nowhere else.
 *
 *	pp_terminal OPREPORT SOURCES OPANNOTATE
 */
#include <pty.h>

#include "tests/unit/test.h"

#include "fixture.h"

static const char *opreport, *opannotate;
static struct test_session session;

#define HOT   "\033[1;31m"
#define PLAIN "\033[m"

/* What was set apart for a test, and all that a terminal showed; '\r' before '\n' is its own. */
static char *show(const char *environment, const char *program, const char *arguments, int *status)
{
	size_t n = 0, capacity = 1 << 16;
	char *text = malloc(capacity), *out;
	int terminal;
	struct winsize size = {.ws_row = 24, .ws_col = 80};
	pid_t pid = forkpty(&terminal, NULL, NULL, &size);

	test_need(pid >= 0 && text, "cannot make a terminal");
	if (!pid) {
		char *command;

		/* Nothing of the test's own environment. */
		if (asprintf(&command,
			     "/usr/bin/env -u PAGER -u LESS -u NO_COLOR TERM=xterm %s %s "
			     "--session-dir=%s %s",
			     environment, program, session.dir, arguments) < 0)
			_exit(127);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	for (ssize_t k;
	     (k = read(terminal, text + n, capacity - n - 1)) > 0 || (k < 0 && errno == EINTR);)
		n += k > 0 ? (size_t)k : 0;
	test_need(waitpid(pid, status, 0) == pid && WIFEXITED(*status), "lost %s", program);
	*status = WEXITSTATUS(*status);
	close(terminal);
	text[n] = '\0';
	out = text;
	for (char *in = text; *in; in++)
		if (in[0] != '\r' || in[1] != '\n')
			*out++ = *in;
	*out = '\0';
	return text;
}

static void expect(const char *environment, const char *arguments, const char *wanted)
{
	int status;
	char *text = show(environment, opreport, arguments, &status);

	if (status || strcmp(text, wanted))
		fail_msg("%s opreport %s: status %d\n%s\nwanted:\n%s", environment, arguments,
			 status, text, wanted);
	free(text);
}

TEST(test_colors)
{
	static const char plain[] = "90       98.9011  hot\n"
				    "1         1.0989  cold\n";
	static const char colored[] = "90       " HOT "98.9011" PLAIN "  hot\n"
				      "1        \033[33m 1.0989" PLAIN "  cold\n";
	char *path = test_session_path(&session, "report");
	char arguments[256];

	expect("PAGER=", "-l -n", colored);
	expect("PAGER=cat", "-l -n", colored);
	expect("", "--no-pager -l -n", colored);
	expect("PAGER= NO_COLOR=", "-l -n", colored);
	expect("PAGER= NO_COLOR=1", "-l -n", plain);
	expect("PAGER= TERM=dumb", "-l -n", plain);
	expect("PAGER=", "-l -n --color=never", plain);
	expect("PAGER= NO_COLOR=1", "-l -n --color=always", colored);
	expect("PAGER=", "-n", "       91 " HOT "100.000" PLAIN " prog\n");
	/* No terminal: no colours, unless they are asked for. */
	expect("", "--no-pager -l -n | cat", plain);
	expect("", "--no-pager -l -n --color=always | cat", colored);
	snprintf(arguments, sizeof(arguments), "-l -n -o %s; cat %s", path, path);
	expect("", arguments, plain);
	/* Reports for programs have none. */
	expect("", "--no-pager --csv --color=always | head -n 1", "TIMER:0,application,image\n");
	free(path);
}

TEST(test_heads)
{
	test_session_stat(&session, "lost_no_mapping", 9);
	expect("PAGER=", "-l -t 50",
	       "CPU: CPU with timer interrupt, speed 2000 MHz (estimated)\n"
	       "Profiling through timer interrupt\n"
	       "\033[1msamples  %        symbol name" PLAIN "\n"
	       "90       " HOT "98.9011" PLAIN "  hot\n"
	       "\n"
	       "Samples: 100 received, 91 stored\033[31m, 9 lost (9 %)" PLAIN "\n"
	       "        9  user code in no file or memory that is known\n");
	test_session_stat(&session, "lost_no_mapping", 0);
}

TEST(test_pager)
{
	int status;
	char *text;

	/* Any shell command; it is told that colours may come. */
	expect("PAGER='printf \"%s \" $LESS; tr a-z A-Z'", "-l -n --color=never",
	       "FRX 90       98.9011  HOT\n1         1.0989  COLD\n");
	expect("LESS=S PAGER='printf \"%s \" $LESS; cat'", "-n --color=never",
	       "S        91 100.000 prog\n");
	/* The default: what fits on the screen, less leaves there; it ends the line in its way. */
	text = show("PATH=/usr/bin:/bin", opreport, "-n", &status);
	assert_int_equal(status, 0);
	assert_non_null(strstr(text, "       91 " HOT "100.000" PLAIN " prog"));
	free(text);
	/* There is no less. */
	expect("PATH=/nonexistent", "-n --color=never", "       91 100.000 prog\n");
	/* Not for files, not for programs, not for errors. */
	expect("PAGER=false", "-n | cat", "       91 100.000 prog\n");
	text = show("PAGER=false", opreport, "-n cpu:7", &status);
	assert_int_equal(status, 1);
	assert_non_null(strstr(text, "opreport error: none of the"));
	free(text);
	/* Who has seen enough is no error. */
	text = show("PAGER='head -n 1'", opreport, "--color=never -d -n", &status);
	assert_int_equal(status, 0);
	assert_string_equal(text, "00401010 90       98.9011  hot\n");
	free(text);
	text = show("PAGER=true", opreport, "-d", &status);
	assert_int_equal(status, 0);
	assert_string_equal(text, "");
	free(text);
	text = show("PAGER=/nonexistent", opreport, "-n", &status);
	assert_int_equal(status, 1);
	assert_non_null(strstr(text, "opreport error: the pager '/nonexistent' cannot be run; "
				     "--no-pager or another PAGER shows the report\n"));
	free(text);
}

TEST(test_opannotate)
{
	int status;
	char *text = show("PAGER='grep -F 401010:'", opannotate, "-a", &status);

	assert_int_equal(status, 0);
	assert_memory_equal(text, "    90 " HOT "98.9011" PLAIN " :00401010:\t", 36);
	free(text);
}

TEST(test_progress)
{
	int status;
	char *text;

	/* Shown at once, and gone before the report. */
	expect("PAGER= OPROFILE_PROGRESS_DELAY=0", "-n --color=never",
	       "\rsample files found: 1\033[K\rsample files read: 1 of 1 (100 %)\033[K\r\033[K"
	       "       91 100.000 prog\n");
	/* stderr is no terminal. */
	expect("PAGER= OPROFILE_PROGRESS_DELAY=0", "-n --color=never 2>/dev/null",
	       "       91 100.000 prog\n");
	expect("PAGER= OPROFILE_PROGRESS_DELAY=3600", "-n --color=never",
	       "       91 100.000 prog\n");
	/* stdout is none, but people wait all the same; a message takes the line's place. */
	text = show("OPROFILE_PROGRESS_DELAY=0", opreport, "-n session:current,bad 2>&1 >/dev/null",
		    &status);
	assert_int_equal(status, 0);
	assert_non_null(
		strstr(text, "\rsample files found: 1\033[K\r\033[Kopreport warning: skipped"));
	free(text);
}

TEST_HOOK(setup)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") "TIMER.0.0.all.all.all", 0x1010, 90},
		{FIXTURE_ALONE("prog") "TIMER.0.0.all.all.all", 0x1030, 1},
	};

	fixture_samples(&session, samples, sizeof(samples) / sizeof(samples[0]));
	test_session_stat(&session, "total_samples", 100);
	test_session_stat(&session, "samples_stored", 91);
	test_session_write(&session, "samples/bad/{root}/x", "no sample file\n");
	return 0;
}

TEST_HOOK(teardown)
{
	test_session_remove(&session);
	return 0;
}

TEST_ARGUMENTS(3, "OPREPORT SOURCES OPANNOTATE")
{
	opreport = argv[1];
	opannotate = argv[3];
	test_session_make(&session);
	fixture_images(&session, argv[2]);
}

TEST_PROGRAM(setup, teardown)

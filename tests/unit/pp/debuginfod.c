// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Debug files from a server, one that is made of python's and stands on the loopback interface.
 * Skipped without python3 or libdebuginfod.
 */
#include "golden.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define ID "0123456789abcdef0123456789abcdef01234567" /* of prog, see fixture.c */

static const char server[] =
	"import http.server, functools, sys\n"
	"handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])\n"
	"httpd = http.server.HTTPServer(('127.0.0.1', 0), handler)\n"
	"print(httpd.server_port, flush=True)\n"
	"httpd.serve_forever()\n";

/* Starts it; returns its pid, with its port known. */
static pid_t serve(const struct test_session *session, int *port)
{
	int ends[2];
	FILE *out;
	pid_t pid;

	test_need(!pipe(ends), "no pipe");
	pid = fork();
	test_need(pid >= 0, "no process");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGTERM); /* should the test fail */
		dup2(ends[1], 1);
		close(ends[0]);
		test_need(freopen("/dev/null", "w", stderr) != NULL, "no /dev/null");
		execlp("python3", "python3", "-c", server, session->dir, NULL);
		_exit(127);
	}
	close(ends[1]);
	out = fdopen(ends[0], "r");
	test_need(out != NULL, "no memory");
	if (fscanf(out, "%d", port) != 1)
		*port = 0;
	fclose(out);
	return pid;
}

static void set(const char *name, const char *format, ...)
{
	char value[256];
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	setenv(name, value, 1);
}

static void test_debug_files_are_fetched(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 3}, /* hot */
	};
	static const struct golden fetched[] = {
		{"-l -n -g", 0, "3        100.000  prog.c:20                   hot\n", NULL},
	};
	static const struct golden stripped[] = {
		{"-l -n -g -f", 0, "3        100.000  (no location information)   @DIR@/prog\n",
		 NULL},
	};
	struct test_session session;
	pid_t pid;
	int port;

	(void)state;
	if (!dlopen("libdebuginfod.so.1", RTLD_NOW) || system("python3 -c '' 2>/dev/null")) {
		print_message("skipped: no libdebuginfod.so.1, or no python3\n");
		skip();
	}
	make_session(&session);
	ADD_ALL(&session, samples);
	test_shell("cd %s && mkdir -p buildid/" ID " && "
		   "objcopy --only-keep-debug prog buildid/" ID "/debuginfo && strip prog",
		   session.dir);
	pid = serve(&session, &port);
	assert_int_not_equal(port, 0);
	/* Without the user's word no server is asked. */
	unsetenv("DEBUGINFOD_URLS");
	set("DEBUGINFOD_CACHE_PATH", "%s/cache", session.dir);
	CHECK_ALL(&session, stripped);
	set("DEBUGINFOD_URLS", "http://127.0.0.1:%d/", port);
	CHECK_ALL(&session, fetched);
	/* One that sends the file of another image is not believed. */
	test_shell("cd %s && cp lib.so buildid/" ID "/debuginfo", session.dir);
	set("DEBUGINFOD_CACHE_PATH", "%s/cache2", session.dir);
	CHECK_ALL(&session, stripped);
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
	/* Nor is it missed when it is gone. */
	set("DEBUGINFOD_CACHE_PATH", "%s/cache3", session.dir);
	CHECK_ALL(&session, stripped);
	test_session_remove(&session);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_debug_files_are_fetched),
	};

	golden_begin(argc, argv);
	return cmocka_run_group_tests_name("debuginfod", tests, NULL, NULL);
}

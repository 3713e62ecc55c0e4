// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The client's side of the control socket, against a server that answers with literal bytes.
 */
#include <sys/socket.h>

#include "tests/unit/test.h"

#include "libop/session/control_socket.h"
#include "libop/base/array.h"
#include "libop/base/file.h"

static const struct {
	const char *answer;
	size_t repeat;	   /* how often it is sent */
	const char *reply; /* NULL: an error */
	const char *cause;
	int code;
} answers[] = {
	{"ok\n", 1, "", NULL, 0},
	{"pid 7\nstate running\nok\n", 1, "pid 7\nstate running\n", NULL, 0},
	{"error no room: on the disk\n", 1, NULL, "no room: on the disk", EIO},
	{"pid 7\nerror broken\n", 1, NULL, "broken", EIO},
	{"", 1, NULL, "before it had answered", EPROTO},
	{"ok", 1, NULL, "before it had answered", EPROTO},
	{"pid 7\n", 1, NULL, "while it answered", EPROTO},
	{"okay\n", 1, NULL, "while it answered", EPROTO},
	{"0123456789abcdef0123456789abcdef\n", 100000, NULL, "does not end", EPROTO},
};

/* A session deeper than the address of a socket can be: three directories. */
static char *top, *middle, *dir;

TEST_HOOK(enter)
{
	const char *base = getenv("TMPDIR");

	top = op_path("%s/libop-control-XXXXXX", base ? base : "/tmp");
	if (!top || !mkdtemp(top))
		return 1;
	middle = op_path("%s/%0120d", top, 1);
	dir = op_path("%s/%0120d/", middle, 2);
	return op_mkdir_parents(dir, 0700, NULL);
}

TEST_HOOK(leave)
{
	char *control = op_path("%s/control", dir);
	int result = unlink(control) || rmdir(dir) || rmdir(middle) || rmdir(top);

	free(control);
	free(dir);
	free(middle);
	free(top);
	return result;
}

static int listen_at(void)
{
	struct sockaddr_un address;
	struct op_error error;
	int folder = op_control_address(dir, &address, &error);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_return_code(folder, errno);
	unlink(address.sun_path);
	assert_return_code(bind(fd, (struct sockaddr *)&address, sizeof(address)), errno);
	assert_return_code(listen(fd, 1), errno);
	close(folder);
	return fd;
}

/* Takes one command and answers.  Runs in a process of its own; its status is the verdict. */
static void serve(int fd, size_t which)
{
	char line[64] = "";
	size_t used = 0;
	int client = accept(fd, NULL, NULL);

	while (used < sizeof(line) - 1 && !strchr(line, '\n')) {
		ssize_t n = recv(client, line + used, sizeof(line) - 1 - used, 0);

		if (n <= 0)
			_exit(1);
		used += (size_t)n;
		line[used] = '\0';
	}
	for (size_t i = 0; i < answers[which].repeat; i++) {
		size_t length = strlen(answers[which].answer);

		if (send(client, answers[which].answer, length, MSG_NOSIGNAL) != (ssize_t)length)
			break; /* the client has had enough */
	}
	_exit(strcmp(line, "dump\n") != 0);
}

TEST(answers_are_understood)
{
	int fd = listen_at();

	for (size_t i = 0; i < OP_ARRAY_SIZE(answers); i++) {
		struct op_error error = {0};
		char *reply = NULL;
		pid_t server = fork();
		int status;

		assert_return_code(server, errno);
		if (!server)
			serve(fd, i);
		assert_int_equal(op_control_call(dir, "dump", &reply, &error),
				 answers[i].reply ? 0 : -1);
		if (answers[i].reply) {
			assert_string_equal(reply, answers[i].reply);
		} else {
			assert_null(reply);
			assert_int_equal(error.code, answers[i].code);
			if (!strstr(error.text, answers[i].cause))
				fail_msg("case %zu: unclear: %s", i, error.text);
		}
		free(reply);
		assert_int_equal(waitpid(server, &status, 0), server);
		assert_int_equal(status, 0);
	}
	close(fd);
}

TEST(without_a_daemon)
{
	char *missing = op_path("%s/missing", dir);
	struct op_error error;

	assert_int_equal(op_control_call(missing, "dump", NULL, &error), -1);
	assert_int_equal(error.code, ENOENT);
	free(missing);
	close(listen_at()); /* leaves the socket of a daemon that has died */
	assert_int_equal(op_control_call(dir, "dump", NULL, &error), -1);
	assert_int_equal(error.code, ECONNREFUSED);
	assert_non_null(strstr(error.text, "no daemon serves the session"));
}

TEST(commands_are_short)
{
	struct op_error error;
	char line[400];
	int fd = listen_at();

	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	assert_int_equal(op_control_call(dir, line, NULL, &error), -1);
	assert_int_equal(error.code, EINVAL);
	close(fd);
}

TEST_PROGRAM(enter, leave)

// SPDX-License-Identifier: GPL-2.0-or-later
/* The socket that the daemon listens at. */
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "tests/unit/test.h"

#include "daemon/server/control.h"
#include "libop/base/file.h"
#include "libop/session/control_socket.h"
#include "libop/session/paths.h"

static char *dir, *file;
static bool was_there; /* when the server began to listen */

TEST_HOOK(enter)
{
	const char *base = getenv("TMPDIR");

	dir = op_path("%s/oprofile-control-XXXXXX", base ? base : "/tmp");
	if (!dir || !mkdtemp(dir))
		return 1;
	file = op_path("%s/" OP_SESSION_CONTROL, dir);
	return !file;
}

TEST_HOOK(leave)
{
	int result;

	unlink(file);
	result = rmdir(dir);
	free(file);
	free(dir);
	return result;
}

TEST_PROGRAM(enter, leave)

/* In the place of libc's. */
int listen(int fd, int backlog)
{
	was_there = !access(file, F_OK);
	return (int)syscall(SYS_listen, fd, backlog);
}

static void listen_at(struct control_server *server)
{
	struct op_error error;

	*server = (struct control_server){.epoll = epoll_create1(EPOLL_CLOEXEC)};
	assert_true(server->epoll >= 0);
	assert_int_equal(control_server_open(server, dir, &error), 0);
	assert_int_equal(access(file, F_OK), 0);
}

static void end(struct control_server *server)
{
	control_server_close(server, dir);
	close(server->epoll);
}

TEST(the_socket_appears_when_it_can_be_connected_to)
{
	struct control_server server;

	was_there = true;
	listen_at(&server);
	assert_false(was_there);
	end(&server);
}

TEST(the_socket_is_removed_at_the_end)
{
	struct control_server server;

	listen_at(&server);
	end(&server);
	assert_int_equal(access(file, F_OK), -1);
}

TEST(the_socket_of_a_successor_is_not_removed)
{
	struct control_server server, next;

	listen_at(&server);
	/* the daemon that opens a socket has the lock: what it finds there is of a dead one */
	listen_at(&next);
	end(&server);
	assert_int_equal(access(file, F_OK), 0);
	end(&next);
	assert_int_equal(access(file, F_OK), -1);
}

/* Takes the connection over, and says so to the client. */
static bool take_over(void *context, int fd, char **reply)
{
	int *feeds = context;

	(void)reply;
	(*feeds)++;
	assert_int_equal(write(fd, "here it comes", 13), 13);
	close(fd);
	return true;
}

static char *handle_nothing(void *context, const char *command, uint64_t *later)
{
	(void)context;
	(void)later;
	return op_path("error no %s\n", command);
}

TEST(who_asks_for_the_feed_is_handed_over)
{
	struct control_server server;
	struct op_error error;
	char reply[32] = "";
	int feeds = 0, client;

	listen_at(&server);
	server.feed = take_over;
	server.handle = handle_nothing;
	server.context = &feeds;
	client = op_control_connect(dir, "feed", &error);
	assert_true(client >= 0);
	/* it is accepted, and then heard */
	for (int i = 0; i < 2; i++) {
		struct epoll_event event;

		assert_int_equal(epoll_wait(server.epoll, &event, 1, 10000), 1);
		assert_true(control_server_event(&server, event.data.fd));
	}
	assert_int_equal(feeds, 1);
	assert_int_equal(read(client, reply, sizeof(reply) - 1), 13);
	assert_string_equal(reply, "here it comes");
	close(client);
	end(&server);
}

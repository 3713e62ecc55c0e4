// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The daemon's side of the control socket: see control.h.
 */
#include "control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/session/control_socket.h"
#include "libop/session/log.h"

static int control_server_wait_for(struct control_server *server, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	return epoll_ctl(server->epoll, EPOLL_CTL_ADD, fd, &event);
}

/* Binds and listens; the socket gets its name when clients can connect to it. */
static int listen_private(int fd, const struct sockaddr_un *address, struct stat *file)
{
	struct sockaddr_un fresh = *address;
	mode_t mask;
	int result;

	strncat(fresh.sun_path, ".new", sizeof(fresh.sun_path) - strlen(fresh.sun_path) - 1);
	unlink(fresh.sun_path);
	mask = umask(0177);
	result = bind(fd, (const struct sockaddr *)&fresh, sizeof(fresh));
	umask(mask);
	if (result)
		return -1;
	if (!lstat(fresh.sun_path, file) && !listen(fd, CONTROL_CLIENTS_MOST) &&
	    !rename(fresh.sun_path, address->sun_path))
		return 0;
	result = errno;
	unlink(fresh.sun_path);
	errno = result;
	return -1;
}

int control_server_open(struct control_server *server, const char *session_dir,
			struct op_error *error)
{
	struct sockaddr_un address;
	int dir, code = 0;

	for (size_t i = 0; i < CONTROL_CLIENTS_MOST; i++)
		server->client[i].fd = -1;
	server->fd = -1;
	dir = op_control_address(session_dir, &address, error);
	if (dir < 0)
		return -1;
	server->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (server->fd < 0 || control_server_wait_for(server, server->fd) ||
	    listen_private(server->fd, &address, &server->file))
		code = errno;
	close(dir);
	if (!code)
		return 0;
	if (server->fd >= 0)
		close(server->fd);
	server->fd = -1;
	return op_error_code(error, code, "cannot create the control socket of session %s",
			     session_dir);
}

static void control_client_drop(struct control_client *client)
{
	close(client->fd); /* which also takes it out of the epoll */
	client->fd = -1;
}

/* A free slot for a new client; if there is none, a client without a command is dropped, or any. */
static struct control_client *control_server_find_place(struct control_server *server)
{
	struct control_client *client;

	for (size_t i = 0; i < CONTROL_CLIENTS_MOST; i++) {
		if (server->client[i].fd < 0)
			return &server->client[i];
	}
	for (size_t i = 0; i < CONTROL_CLIENTS_MOST; i++) {
		client = &server->client[server->next++ % CONTROL_CLIENTS_MOST];
		if (!client->later)
			break;
	}
	control_client_drop(client);
	return client;
}

static void accept_client(struct control_server *server)
{
	int fd = accept4(server->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct control_client *client;

	if (fd < 0)
		return;
	client = control_server_find_place(server);
	*client = (struct control_client){.fd = fd};
	if (control_server_wait_for(server, fd))
		control_client_drop(client);
}

/* Replies fit the socket's buffer; the rest of one that does not is dropped. */
static void reply_to(struct control_client *client, const char *reply)
{
	if (reply && send(client->fd, reply, strlen(reply), MSG_NOSIGNAL) < 0)
		log_verbose(LOG_MISC, "no reply to \"%s\": %s", client->line, strerror(errno));
	control_client_drop(client);
}

/* The connection leaves the server, if it is taken over. */
static void feed_client(struct control_server *server, struct control_client *client)
{
	char *reply = NULL;

	if (!server->feed(server->context, client->fd, &reply)) {
		reply_to(client, reply);
		free(reply);
		return;
	}
	epoll_ctl(server->epoll, EPOLL_CTL_DEL, client->fd, NULL);
	client->fd = -1;
}

static void answer(struct control_server *server, struct control_client *client)
{
	char *reply;

	log_verbose(LOG_MISC, "command: %s", client->line);
	if (server->feed && !strcmp(client->line, "feed")) {
		feed_client(server, client);
		return;
	}
	reply = server->handle(server->context, client->line, &client->later);
	if (!client->later)
		reply_to(client, reply);
	free(reply);
}

void control_server_reply(struct control_server *server, uint64_t number, const char *reply)
{
	for (size_t i = 0; i < CONTROL_CLIENTS_MOST; i++) {
		struct control_client *client = &server->client[i];

		if (client->fd >= 0 && client->later && client->later <= number)
			reply_to(client, reply);
	}
}

bool control_server_is_awaited(const struct control_server *server)
{
	for (size_t i = 0; i < CONTROL_CLIENTS_MOST; i++) {
		if (server->client[i].fd >= 0 && server->client[i].later)
			return true;
	}
	return false;
}

/* One whose reply is to come has nothing more to say, but may leave. */
static void hear_waiting(struct control_client *client)
{
	char ignored[CONTROL_LINE_MOST];
	ssize_t n = recv(client->fd, ignored, sizeof(ignored), 0);

	if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
		control_client_drop(client);
}

static void read_client(struct control_server *server, struct control_client *client)
{
	size_t space = sizeof(client->line) - client->length;
	ssize_t n = recv(client->fd, client->line + client->length, space, 0);
	char *end;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		control_client_drop(client);
		return;
	}
	client->length += (size_t)n;
	end = memchr(client->line, '\n', client->length);
	if (end) {
		*end = '\0';
		answer(server, client);
	} else if (client->length == sizeof(client->line)) {
		control_client_drop(client); /* no command is that long */
	}
}

bool control_server_event(struct control_server *server, int fd)
{
	if (fd == server->fd) {
		accept_client(server);
		return true;
	}
	for (size_t i = 0; i < CONTROL_CLIENTS_MOST; i++) {
		if (server->client[i].fd != fd)
			continue;
		if (server->client[i].later)
			hear_waiting(&server->client[i]);
		else
			read_client(server, &server->client[i]);
		return true;
	}
	return false;
}

/* Whether @path is the socket that was made: a successor may have put its own there. */
static bool is_ours(const struct control_server *server, const char *path)
{
	struct stat status;

	return !lstat(path, &status) && status.st_dev == server->file.st_dev &&
	       status.st_ino == server->file.st_ino;
}

void control_server_close(struct control_server *server, const char *session_dir)
{
	struct sockaddr_un address;
	int dir;

	if (server->fd < 0)
		return;
	for (size_t i = 0; i < CONTROL_CLIENTS_MOST; i++) {
		if (server->client[i].fd >= 0)
			control_client_drop(&server->client[i]);
	}
	dir = op_control_address(session_dir, &address, NULL);
	if (dir >= 0) {
		if (is_ours(server, address.sun_path))
			unlink(address.sun_path);
		close(dir);
	}
	close(server->fd);
	server->fd = -1;
}

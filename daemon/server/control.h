/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon's side of the control socket (libop/session/control_socket.h).
 */
#ifndef DAEMON_SERVER_CONTROL_H
#define DAEMON_SERVER_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "libop/base/error.h"

#define CONTROL_CLIENTS_MOST 16
#define CONTROL_LINE_MOST    128

struct control_client {
	int fd;		/* -1: free */
	uint64_t later; /* what its reply waits for, or 0 */
	size_t length;
	char line[CONTROL_LINE_MOST];
};

struct control_server {
	int fd;
	struct stat file; /* the socket in the file system */
	int epoll; /* watches its descriptors */
	struct control_client client[CONTROL_CLIENTS_MOST];
	size_t next; /* the client to drop when there are too many */

	/*
	 * Runs a command; returns the reply, which is freed, or NULL when out of memory.  If it
	 * sets @later to a number, the reply comes by control_server_reply().
	 */
	char *(*handle)(void *context, const char *command, uint64_t *later);
	/*
	 * Takes over the connection @fd of a client that asks for the feed.  Return: whether it
	 * did; else *@reply is set as by @handle.
	 */
	bool (*feed)(void *context, int fd, char **reply);
	void *context;
};

/**
 * control_server_open - listen
 * @server: @epoll, @handle and @context are set
 *
 * The socket appears when connections to it succeed.  An existing one is that of a dead daemon, as
 * the session is locked, and is replaced.
 *
 * Return: 0, or -1 with @error set.
 */
int control_server_open(struct control_server *server, const char *session_dir,
			struct op_error *error);

/* Handles an event of @fd.  Return: false if @fd is not one of the server's. */
bool control_server_event(struct control_server *server, int fd);

/* Sends a reply to all clients that wait for a number up to @number. */
void control_server_reply(struct control_server *server, uint64_t number, const char *reply);

/* Whether a client waits for a reply. */
bool control_server_is_awaited(const struct control_server *server);

/* Closes the socket, and removes it if it is still the one that was made. */
void control_server_close(struct control_server *server, const char *session_dir);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The client's side of the daemon's control socket.
 */
#include "control_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "paths.h"

/* A status reply has some 20 lines; a longer one is not from oprofiled. */
#define REPLY_LIMIT (1 << 20)

int op_control_address(const char *session_dir, struct sockaddr_un *address, struct op_error *error)
{
	int dir = open(session_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return op_error_errno(error, "cannot open session directory %s", session_dir);
	/* sun_path holds 107 bytes, and session directories may be deeper than that. */
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(address->sun_path, sizeof(address->sun_path), "/proc/self/fd/%d/%s", dir,
		 OP_SESSION_CONTROL);
	return dir;
}

static int control_socket_refuse(const char *session_dir, uid_t user, struct op_error *error)
{
	return op_error_set(error, EPERM,
			    "the session %s is served by user %u, who is not believed", session_dir,
			    (unsigned int)user);
}

static bool is_ours(uid_t user)
{
	return !user || user == geteuid();
}

/* Sets *@user to whose process listens. */
static int connect_socket(int socket_file, uid_t *user)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct ucred peer;
	socklen_t size = sizeof(peer);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), code;

	/* that very file, whatever has its name by now */
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d", socket_file);
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof(address)) &&
	    !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size)) {
		*user = peer.uid;
		return fd;
	}
	code = errno;
	if (fd >= 0)
		close(fd);
	errno = code;
	return -1;
}

/* Another user's socket is not even connected to: that may wait for ever. */
static int connect_to(const char *session_dir, struct op_error *error)
{
	char *path = op_path("%s/" OP_SESSION_CONTROL, session_dir);
	int file = path ? open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1, fd = -1, code = errno;
	struct stat status;
	uid_t user = 0;

	free(path);
	if (file >= 0 && !fstat(file, &status)) {
		user = status.st_uid;
		if (is_ours(user))
			fd = connect_socket(file, &user);
		code = errno;
	}
	if (file >= 0)
		close(file);
	if (!is_ours(user)) {
		if (fd >= 0)
			close(fd);
		return control_socket_refuse(session_dir, user, error);
	}
	if (fd >= 0)
		return fd;
	if (code == ENOENT || code == ECONNREFUSED)
		return op_error_set(error, code,
				    "no daemon serves the session %s (\"opcontrol --start\")",
				    session_dir);
	return op_error_code(error, code, "cannot reach the daemon of session %s", session_dir);
}

static int send_line(int fd, const char *command, struct op_error *error)
{
	char line[256];
	size_t length, sent = 0;

	length = (size_t)snprintf(line, sizeof(line), "%s\n", command);
	if (length >= sizeof(line))
		return op_error_set(error, EINVAL, "command too long for the daemon: %s", command);
	while (sent < length) {
		ssize_t n = send(fd, line + sent, length - sent, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return op_error_errno(error, "cannot send \"%s\" to the daemon", command);
		sent += (size_t)n;
	}
	return 0;
}

/* Reads until the daemon closes the connection.  Return: a string that the caller frees. */
static char *receive_all(int fd, struct op_error *error)
{
	size_t used = 0, size = 4096;
	char *text = malloc(size);

	while (text) {
		ssize_t n = recv(fd, text + used, size - used - 1, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			op_error_errno(error, "no answer from the daemon");
			free(text);
			return NULL;
		}
		used += (size_t)n;
		text[used] = '\0';
		if (!n)
			return text;
		if (used > REPLY_LIMIT) {
			op_error_set(error, EPROTO, "the daemon's answer does not end");
			free(text);
			return NULL;
		}
		if (size - used < 2) {
			char *larger = realloc(text, size * 2);

			if (!larger)
				break;
			text = larger;
			size *= 2;
		}
	}
	free(text);
	op_error_memory(error);
	return NULL;
}

/* Cuts the last line off @text, which holds whole lines, and returns it. */
static char *last_line(char *text)
{
	size_t length = strlen(text);
	char *end;

	if (!length || text[length - 1] != '\n')
		return NULL;
	text[length - 1] = '\0';
	end = strrchr(text, '\n');
	return end ? end + 1 : text;
}

int op_control_connect(const char *session_dir, const char *command, struct op_error *error)
{
	int fd = connect_to(session_dir, error);

	if (fd >= 0 && send_line(fd, command, error)) {
		close(fd);
		return -1;
	}
	return fd;
}

int op_control_call(const char *session_dir, const char *command, char **reply,
		    struct op_error *error)
{
	char *text, *verdict;
	int fd, result = -1;

	fd = op_control_connect(session_dir, command, error);
	if (fd < 0)
		return -1;
	text = receive_all(fd, error);
	close(fd);
	if (!text)
		return -1;

	verdict = last_line(text);
	if (!verdict) {
		op_error_set(error, EPROTO, "the daemon ended before it had answered \"%s\"",
			     command);
	} else if (!strncmp(verdict, "error ", 6)) {
		op_error_set(error, EIO, "%s", verdict + 6);
	} else if (strcmp(verdict, "ok") != 0) {
		op_error_set(error, EPROTO, "the daemon ended while it answered \"%s\"", command);
	} else {
		*verdict = '\0';
		result = 0;
	}
	if (!result && reply)
		*reply = text;
	else
		free(text);
	return result;
}

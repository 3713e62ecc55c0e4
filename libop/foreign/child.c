// SPDX-License-Identifier: GPL-2.0-or-later
/* What a process apart does: see child.h. */
#include "child.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "confined.h"

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
static int receive_head(int from, struct apart_head *head)
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
	struct apart_head head;
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

void apart_child_run(uid_t user, uint64_t memory, unsigned int seconds, int socket)
{
	if (socket <= STDERR_FILENO)
		socket = fcntl(socket, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (!confined_enter(user, memory, seconds, socket))
		_exit(2);
	while (answer_one(socket))
		;
	_exit(0);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages to the service manager: see notify.h. */
#include "notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "libop/base/number.h"

/* The length of the address of @path, where '@' begins an abstract name; 0: it is none. */
static socklen_t put_address(struct sockaddr_un *address, const char *path)
{
	size_t length = path ? strlen(path) : 0;

	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (length < 2 || length >= sizeof(address->sun_path) || !strchr("/@", *path))
		return 0;
	memcpy(address->sun_path, path, length);
	if (*path == '@')
		address->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (*path == '/'));
}

void op_notify(const char *lines)
{
	struct sockaddr_un address;
	socklen_t length = put_address(&address, getenv("NOTIFY_SOCKET"));
	int fd;

	if (!length)
		return;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	(void)!sendto(fd, lines, strlen(lines), MSG_NOSIGNAL, (struct sockaddr *)&address, length);
	close(fd);
}

uint64_t op_notify_watchdog(void)
{
	const char *text = getenv("WATCHDOG_USEC");
	uint64_t period = 0;

	if (!getenv("NOTIFY_SOCKET") || !text ||
	    op_number_parse(text, "WATCHDOG_USEC", 1, UINT64_MAX / 1000, &period, NULL))
		return 0;
	return period;
}

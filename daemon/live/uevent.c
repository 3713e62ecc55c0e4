// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages of the kernel about CPUs: see uevent.h.
 */
#include "uevent.h"

#include <ctype.h>
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libop/base/array.h"

#define GROUP_KERNEL 1
/* The first string is enough; whole messages are shorter than this. */
#define MESSAGE_MOST 4096

int uevent_open(void)
{
	const struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = GROUP_KERNEL};
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		return -1;
	}
	return fd;
}

bool uevent_is_cpu(const char *message, size_t size)
{
	static const char *const starts[] = {"online@/devices/system/cpu/cpu",
					     "offline@/devices/system/cpu/cpu"};

	for (size_t i = 0; i < OP_ARRAY_SIZE(starts); i++) {
		size_t at = strlen(starts[i]), digits = 0;

		if (size < at || memcmp(message, starts[i], at) != 0)
			continue;
		while (at + digits < size && isdigit((unsigned char)message[at + digits]))
			digits++;
		return digits && (at + digits == size || !message[at + digits]);
	}
	return false;
}

bool uevent_read(int fd)
{
	char message[MESSAGE_MOST];
	struct sockaddr_nl from = {0};
	socklen_t length;
	bool any = false;
	ssize_t size;

	for (;;) {
		length = sizeof(from);
		size = recvfrom(fd, message, sizeof(message), 0, (struct sockaddr *)&from, &length);
		if (size < 0 && errno != ENOBUFS && errno != EINTR)
			return any;
		if (size < 0)
			any |= errno == ENOBUFS;
		else if (length == sizeof(from) && !from.nl_pid) /* the kernel's port is 0 */
			any |= uevent_is_cpu(message, (size_t)size);
	}
}

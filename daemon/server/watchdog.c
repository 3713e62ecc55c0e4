// SPDX-License-Identifier: GPL-2.0-or-later
/* The daemon's proof that it lives: see watchdog.h. */
#include "watchdog.h"

#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "notify.h"

#define MICROSECONDS 1000000

int watchdog_open(void)
{
	const uint64_t half = op_notify_watchdog() / 2;
	const struct timespec time = {
		.tv_sec = (time_t)(half / MICROSECONDS),
		.tv_nsec = (long)(half % MICROSECONDS * 1000),
	};
	const struct itimerspec period = {.it_interval = time, .it_value = time};
	int fd = half ? timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK) : -1;

	if (fd >= 0 && timerfd_settime(fd, 0, &period, NULL)) {
		close(fd);
		return -1;
	}
	return fd;
}

void watchdog_answer(int fd)
{
	uint64_t times;

	if (read(fd, &times, sizeof(times)) == sizeof(times))
		op_notify("WATCHDOG=1");
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A library to preload: a clock that runs faster.
 *
 *	OP_HURRY=N	seconds of CLOCK_MONOTONIC_COARSE take an N-th of a second
 *
 * The daemon counts the minutes by it after which it packs what is idle.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NANOSECONDS 1000000000

int clock_gettime(clockid_t clock, struct timespec *time)
{
	const char *hurry = getenv("OP_HURRY");
	int64_t all;

	if (syscall(SYS_clock_gettime, clock, time))
		return -1;
	if (clock == CLOCK_MONOTONIC_COARSE && hurry) {
		all = (time->tv_sec * NANOSECONDS + time->tv_nsec) * atol(hurry);
		time->tv_sec = all / NANOSECONDS;
		time->tv_nsec = all % NANOSECONDS;
	}
	return 0;
}

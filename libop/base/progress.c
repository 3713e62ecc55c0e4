// SPDX-License-Identifier: GPL-2.0-or-later
/* The line of progress: see progress.h. */
#include "progress.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "error.h"
#include "number.h"

#define NS		1000000000ull
#define SHOWN_EVERY_NS	(NS / 10)
#define LONGEST_DELAY_S 3600

static struct {
	bool active;
	bool visible;
	uint64_t due_ns;  /* when the next line may be shown */
	const char *what; /* is shown */
} progress;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * NS + (uint64_t)now.tv_nsec;
}

/* Removes the line until the next call of op_progress(). */
static void op_progress_clear(void)
{
	if (!progress.visible)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	progress.visible = false;
}

void op_progress_begin(void)
{
	const char *text = getenv(OP_PROGRESS_DELAY);
	uint64_t delay_s = 1;

	if (!isatty(STDERR_FILENO))
		return;
	if (text)
		op_number_parse(text, OP_PROGRESS_DELAY, 0, LONGEST_DELAY_S, &delay_s, NULL);
	progress.active = true;
	op_message_prepare(op_progress_clear);
	progress.what = NULL;
	progress.due_ns = now_ns() + delay_s * NS;
}

void op_progress(const char *what, uint64_t done, uint64_t total)
{
	uint64_t now;

	if (!progress.active)
		return;
	now = now_ns();
	/* What is new is shown at once, if anything is shown already. */
	if (now < progress.due_ns && !(progress.what && what != progress.what))
		return;
	progress.what = what;
	progress.due_ns = now + SHOWN_EVERY_NS;
	progress.visible = true;
	fprintf(stderr, "\r%s: %" PRIu64, what, done);
	if (total)
		fprintf(stderr, " of %" PRIu64 " (%.0f %%)", total,
			100.0 * (double)done / (double)total);
	fputs("\033[K", stderr);
	fflush(stderr);
}

void op_progress_end(void)
{
	op_progress_clear();
	progress.active = false;
}

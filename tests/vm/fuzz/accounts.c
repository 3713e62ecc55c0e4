// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A session that must add up.
 */
#include "accounts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "board.h"
#include "words.h"

static size_t size;
static unsigned long samples;

static void set(const char *path, unsigned long value)
{
	char text[32];
	int error;

	snprintf(text, sizeof(text), "%lu", value);
	error = put(path, text, strlen(text));
	if (error)
		board_wrong("accounts: %s to %s: %s", text, path, strerrorname_np(error));
}

static unsigned long draw_of(struct worker *worker, unsigned int n, const unsigned long *values)
{
	return values[stream_below(&worker->stream, n)];
}

#define DRAW(...)                                                                  \
	draw_of(worker, sizeof((unsigned long[]){ __VA_ARGS__ }) / sizeof(long), \
		(const unsigned long[]){ __VA_ARGS__ })

int accounts_open(struct worker *worker)
{
	unsigned long words = DRAW(1024, 4096, 16384, 131072);
	char path[64];
	int fd;

	set("buffer_size", words);
	set("buffer_watershed", DRAW(1, 512, 1023));
	set("cpu_buffer_size", DRAW(512, 1024, 8192));
	set("backtrace_depth", DRAW(0, 0, 1, 16, 255));
	if (tree_find("frequency"))
		set("frequency", DRAW(100, 1000, 5000, 10000));
	program_counter();
	size = words * sizeof(uint64_t);
	samples = 0;
	snprintf(path, sizeof(path), "%s/buffer", roots[0]);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		board_wrong("accounts: open of the buffer: %s", strerrorname_np(errno));
	else
		set("enable", 1);
	return fd;
}

/* Words read, or -1. */
static ssize_t read_once(struct worker *worker, int buffer)
{
	struct words words;
	const char *wrong;
	size_t at;
	ssize_t n;

	/* These must lose nothing. */
	if (read(buffer, worker->memory, size - 8) >= 0 || errno != EINVAL)
		board_wrong("accounts: a read of the wrong size was not refused");
	n = read(buffer, (void *)1, size);
	if (n > 0 || (n < 0 && errno != EFAULT && errno != EAGAIN))
		board_wrong("accounts: a read to a bad address returned %zd", n);
	if (!n)
		return 0; /* it was ready, but empty */
	n = read(buffer, worker->memory, size);
	if (n < 0)
		return -1;
	wrong = words_read((uint64_t *)worker->memory, (size_t)n / sizeof(uint64_t), &words, &at);
	if (wrong)
		board_wrong("accounts: word %zu of %zu: %s", at, (size_t)n / sizeof(uint64_t), wrong);
	samples += words.samples;
	atomic_fetch_add(&board->samples, words.samples);
	atomic_fetch_add(&board->buffers, 1);
	return n / (ssize_t)sizeof(uint64_t);
}

void accounts_read(struct worker *worker, int buffer)
{
	struct pollfd file = { buffer, POLLIN, 0 };

	if (poll(&file, 1, 20) > 0 && read_once(worker, buffer) < 0)
		board_wrong("accounts: ready, but a read said %s", strerrorname_np(errno));
}

static unsigned long lost(void)
{
	static const char *const causes[] = { "sample_lost_overflow",	"sample_lost_nested",
					      "sample_invalid_eip",	"sample_lost_no_mm",
					      "sample_lost_no_mapping", "sample_lost_busy",
					      "sample_lost_no_room" };
	unsigned long sum = 0;

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		sum += tree_sum(roots[0], causes[i]);
	return sum;
}

void accounts_close(struct worker *worker, int buffer)
{
	unsigned long received;

	set("enable", 0);
	/* What the event buffer had no room for comes with the reads. */
	do
		set("dump", 1);
	while (!board->stop && read_once(worker, buffer) > 0);

	received = tree_sum(roots[0], "sample_received");
	if (received != samples + lost())
		board_wrong("accounts: received %lu, but read %lu and lost %lu", received, samples,
			    lost());
	close(buffer);
}

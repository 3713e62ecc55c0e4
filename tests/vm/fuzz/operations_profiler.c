// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Operations as the daemon and opcontrol do them, so that the profiler is not always closed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "board.h"
#include "operation.h"

int put(const char *path, const char *text, size_t length)
{
	char name[128];
	int fd, error = 0;
	ssize_t n;

	snprintf(name, sizeof(name), "%s/%s", roots[0], path);
	fd = open(name, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	n = write(fd, text, length);
	if (n < 0)
		error = errno;
	else if ((size_t)n != length)
		board_wrong("%s took %zd of %zu bytes", path, n, length);
	close(fd);
	return error;
}

unsigned long buffer_words(void)
{
	unsigned long words;

	return tree_number(roots[0], "buffer_size", &words) ? words : 0;
}

void program_counter(void)
{
	static const char *const settings[][2] = {
		{ "0/enabled", "1" }, { "0/event", "0xc0" }, { "0/count", "100000" },
		{ "0/unit_mask", "0" }, { "0/kernel", "1" },  { "0/user", "1" },
	};

	if (!tree_find("0/event"))
		return;
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		put(settings[i][0], settings[i][1], strlen(settings[i][1]));
}

int op_set(struct worker *worker)
{
	const struct entry *entry;
	const char *text;
	size_t length;
	int error;

	do
		entry = tree_draw(&worker->stream);
	while (entry->kind != KIND_SETTING);
	describe(worker, " %s", entry->path);
	text = draw_text(worker, &length);
	if (!length)
		return EINVAL; /* nothing is written then */
	error = put(entry->path, text, length);
	if (!error && worker->calm)
		board_wrong("%s: it was changed while profiling was started", worker->text);
	return error;
}

int op_start(struct worker *worker)
{
	(void)worker;
	return put("enable", "1", 1);
}

int op_stop(struct worker *worker)
{
	(void)worker;
	return put("enable", "0", 1);
}

int op_dump(struct worker *worker)
{
	(void)worker;
	return put("dump", "1", 1);
}

int op_buffer(struct worker *worker)
{
	struct slot *slot = draw_free_slot(worker);
	bool wait = stream_chance(&worker->stream, 10);
	bool modest = stream_chance(&worker->stream, 70);
	char path[64];
	int fd;

	describe(worker, "%s%s", wait ? " to wait" : "", modest ? " modest" : "");
	if (modest) {
		put("buffer_watershed", "512", 3);
		put("buffer_size", "8192", 4);
		put("cpu_buffer_size", "1024", 4);
	}
	program_counter();
	snprintf(path, sizeof(path), "%s/buffer", roots[0]);
	fd = open(path, O_RDONLY | O_CLOEXEC | (wait ? 0 : O_NONBLOCK));
	if (fd < 0)
		return errno;
	slot_set(slot, fd, KIND_BUFFER, wait);
	return 0;
}

static struct slot *buffer_slot(struct worker *worker)
{
	for (int i = 0; i < SLOTS; i++)
		if (worker->slots[i].kind == KIND_BUFFER)
			return &worker->slots[i];
	return NULL;
}

int op_drain(struct worker *worker)
{
	size_t size = buffer_words() * 8;
	struct slot *slot = buffer_slot(worker);
	ssize_t n;

	if (!slot || slot->blocking)
		return EBADF;
	if (size > MEMORY)
		size = MEMORY;
	n = read(slot->fd, worker->memory, size);
	if (n < 0)
		return errno;
	judge_buffer(worker, slot->fd, (size_t)n);
	return 0;
}

int op_wait(struct worker *worker)
{
	unsigned int us = 1000 + stream_below(&worker->stream, 20000);
	struct itimerval timer = { { 0, 20000 }, { 0, us } }, off = { 0 };
	size_t size = buffer_words() * 8;
	struct slot *slot = buffer_slot(worker);
	int error = 0;
	ssize_t n;

	if (!slot || fcntl(slot->fd, F_SETFL, 0))
		return EBADF;
	setitimer(ITIMER_REAL, &timer, NULL);
	n = read(slot->fd, worker->memory, size > MEMORY ? MEMORY : size);
	if (n < 0)
		error = errno;
	setitimer(ITIMER_REAL, &off, NULL);
	fcntl(slot->fd, F_SETFL, O_NONBLOCK);
	if (n > 0)
		judge_buffer(worker, slot->fd, (size_t)n);
	return error;
}

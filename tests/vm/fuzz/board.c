// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The shared memory of the fuzzer.
 */
#include "board.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "operation.h"

struct board *board;

void board_open(uint64_t seed)
{
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (board == MAP_FAILED) {
		perror("fuzz: shared memory");
		exit(2);
	}
	board->seed = seed;
}

void board_wrong(const char *format, ...)
{
	char text[sizeof(board->wrong)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (!atomic_exchange(&board->stop, true))
		memcpy(board->wrong, text, sizeof(text));
}

void board_say(const char *format, ...)
{
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	va_list arguments;
	char text[400];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	puts(text);
	fflush(stdout);
	if (fd >= 0) {
		dprintf(fd, "<4>fuzz: %s", text);
		close(fd);
	}
}

static unsigned long print_errors(unsigned int kind)
{
	unsigned long failed = 0;

	for (int error = 1; error < ERRNOS_MAX; error++) {
		unsigned long n = board->results[kind][error];

		if (!n)
			continue;
		printf(" %s %lu", strerrorname_np(error), n);
		failed += n;
	}
	return failed;
}

void board_print_results(void)
{
	unsigned long succeeded = 0, failed = 0;

	printf("%-14s %9s %9s  failed\n", "operation", "succeeded", "us each");
	for (unsigned int kind = 0; kind < nr_operations; kind++) {
		unsigned long n = board->results[kind][0], all = 0;

		for (int error = 0; error < ERRNOS_MAX; error++)
			all += board->results[kind][error];
		printf("%-14s %9lu %9lu ", operations[kind].name, n,
		       all ? board->nanoseconds[kind] / all / 1000 : 0);
		failed += print_errors(kind);
		putchar('\n');
		succeeded += n;
	}
	printf("%lu operations: %lu succeeded, %lu failed as documented; %lu samples in %lu event buffers\n",
	       board->done, succeeded, failed, board->samples, board->buffers);
}

static void print_process(const struct process *process)
{
	unsigned int done = process->done;

	board_say("process %d (%s), last operations:", process->pid, process->who);
	for (unsigned int i = done < HISTORY ? 0 : done - HISTORY + 1; i <= done; i++) {
		const struct past *past = &process->past[i % HISTORY];

		if (past->number != i || !past->text[0])
			continue;
		board_say("  %u: %s: %s", i, past->text,
			  past->error < 0 ? "has not returned" :
			  past->error	  ? strerrorname_np(past->error) :
					    "ok");
	}
}

void board_print_history(void)
{
	for (unsigned int i = 0; i < PROCESSES_MAX; i++)
		if (board->processes[i].pid)
			print_process(&board->processes[i]);
}

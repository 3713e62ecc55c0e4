/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics of losses and overhead: what the daemon saved of its own and the kernel's counters
 * (OP_SAMPLES_STATS), so that a report says how much of the truth it has, and what that cost.
 */
#ifndef PP_LOSS_H
#define PP_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pp_loss_cause {
	const char *words;
	uint64_t n;
};

#define PP_LOSS_CAUSES 32

struct pp_loss {
	bool known;	  /* there were statistics */
	char sources[64]; /* what took the samples: "module, perf"; "" if it is not known */
	/* Samples, of the whole session. */
	uint64_t received, stored, filtered;
	/* Samples, since profiling was last started. */
	uint64_t kernel_received;
	/* Sums of the causes below. */
	uint64_t lost, kernel_lost;
	/* Times that there were too many samples, since profiling was last started. */
	uint64_t throttled;
	/* Of the whole session; @profiling_ms is 0 if it is not known. */
	uint64_t daemon_cpu_ms, profiling_ms;
	struct pp_loss_cause causes[PP_LOSS_CAUSES];
	size_t n_causes;
};

/* Adds up the statistics of @n sessions, given by their directories SESSION/samples/NAME. */
void pp_loss_read(struct pp_loss *loss, char *const *samples_dirs, size_t n);

/* Was anything lost, samples or frames of backtraces? */
bool pp_loss_any(const struct pp_loss *loss);

/*
 * What was received, stored and lost by which cause: one line if nothing was lost; then the
 * overhead, if it is known.
 */
void pp_loss_write(const struct pp_loss *loss, bool color, FILE *out);

#endif

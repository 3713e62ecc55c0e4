/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics of lost samples and overhead, from the statistics that the daemon saved of itself and
 * of the kernel (OP_SAMPLES_STATS).
 */
#ifndef PP_PROFILE_LOSS_H
#define PP_PROFILE_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pp_loss_cause {
	const char *text;
	uint64_t n;
};

#define PP_LOSS_CAUSES 32

struct pp_loss {
	bool known;	  /* the session has statistics */
	char sources[64]; /* the sources of the samples: "module, perf"; "" if it is not known */
	/* Samples, of the whole session. */
	uint64_t received, stored, filtered;
	/* Samples, since profiling was last started. */
	uint64_t kernel_received;
	/* Sums of the causes below. */
	uint64_t lost, kernel_lost;
	/* Number of times that sampling was throttled, since profiling was last started. */
	uint64_t throttled;
	/* Of the whole session; @profiling_ms is 0 if it is not known. */
	uint64_t daemon_cpu_ms, profiling_ms;
	struct pp_loss_cause causes[PP_LOSS_CAUSES];
	size_t n_causes;
};

/* Adds up the statistics of @n sessions, given by their directories SESSION/samples/NAME. */
void pp_loss_read(struct pp_loss *loss, char *const *samples_dirs, size_t n);

/* True if samples or frames of call chains were lost. */
bool pp_loss_any(const struct pp_loss *loss);

/*
 * Writes the numbers of samples received, stored and lost by cause: one line if nothing was lost;
 * then the overhead, if it is known.
 */
void pp_loss_write(const struct pp_loss *loss, bool color, FILE *out);

#endif

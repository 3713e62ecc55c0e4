/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics of lost samples and overhead, from the account of a session, which the daemon saved
 * (libop/session/account.h), compared with what is in its sample files.  Sessions of OProfile have
 * no account, only numbers in OP_SAMPLES_STATS.
 */
#ifndef PP_PROFILE_LOSS_H
#define PP_PROFILE_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "libop/base/error.h"
#include "libop/session/statistics.h"
#include "pp/select/sample_list.h"

struct pp_loss_cause {
	char text[OP_STAT_TEXT_SIZE];
	const char *help; /* what to do about it; or NULL */
	uint64_t n;
	bool is_of_samples; /* else of frames, names or records */
};

struct pp_loss {
	bool known; /* the session has statistics */
	/* How many sessions have no account, a damaged one, one whose last write is not there. */
	unsigned int missing, damaged, torn;
	/* Samples in all files of the sessions; compared with @stored if there are accounts. */
	bool compared;
	uint64_t in_files;
	/* Of them, those that living daemons have stored since they wrote their accounts; the age
	 * of the oldest of these accounts in seconds, or -1: not known. */
	uint64_t still_coming;
	int64_t account_age;
	char sources[64]; /* the sources of the samples: "module, perf"; "" if it is not known */
	uint64_t value[STAT_COUNT]; /* sums over all sessions: libop/session/statistics.h */
	/* Samples, of the whole session. */
	uint64_t received, stored, filtered;
	/* Sums of the causes below; @kernel_lost is what was lost before the daemon got it. */
	uint64_t lost, kernel_lost;
	struct pp_loss_cause causes[STAT_COUNT + 1];
	size_t n_causes;
};

/* Adds up the statistics of @n sessions, given by their directories SESSION/samples/NAME. */
void pp_loss_read(struct pp_loss *loss, char *const *samples_dirs, size_t n);

/* True if samples or frames of call chains were lost, or the account cannot be right. */
bool pp_loss_any(const struct pp_loss *loss);

/*
 * Writes what makes the account of the sessions doubtful, for the head of a report: that it is
 * missing or damaged, or that sample files have more or fewer samples.  Files of a session that a
 * daemon writes may have more: that is told, and is no doubt.
 */
void pp_loss_write_doubts(const struct pp_loss *loss, bool color, FILE *out);

/* The same as a word: "whole", "torn", "damaged" or "missing". */
const char *pp_loss_account(const struct pp_loss *loss);

/*
 * Writes the numbers of samples received, stored and lost by cause: one line if nothing was lost;
 * then the overhead, if it is known.
 */
void pp_loss_write(const struct pp_loss *loss, bool color, FILE *out);

/* Writes all other statistics that are not 0, for --verbose=stats. */
void pp_loss_write_others(const struct pp_loss *loss, FILE *out);

/* The largest cause of lost samples, or NULL. */
const struct pp_loss_cause *pp_loss_largest(const struct pp_loss *loss);

/**
 * pp_loss_explain - say why there is nothing to report
 * @list: as selected
 * @error: of the selection; if the sessions have no samples at all, it is replaced by their names
 *	and what became of the samples
 *
 * Return: -1.
 */
int pp_loss_explain(const struct pp_sample_list *list, struct op_error *error);

#endif

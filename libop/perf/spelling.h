/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events as users of perf write them: with modifiers behind a colon ("cycles:u"), raw ("r01c2"),
 * and tracepoints ("sched:sched_switch").
 */
#ifndef LIBOP_PERF_SPELLING_H
#define LIBOP_PERF_SPELLING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "libop/base/error.h"

enum perf_spelling_kind {
	PERF_SPELLING_NAME, /* an event by its name, perf's or the CPU's */
	PERF_SPELLING_RAW,
	PERF_SPELLING_TRACEPOINT,
};

struct perf_spelling {
	enum perf_spelling_kind kind;
	char *rest;   /* the specification without modifiers, with a name that sample files can have
		       */
	uint64_t raw; /* PERF_SPELLING_RAW: what is programmed */
	uint64_t id;  /* PERF_SPELLING_TRACEPOINT: perf_event_attr::config */
	bool has_modifiers;
	bool user, kernel;    /* what of both is counted, with modifiers */
	bool host, guest;     /* likewise */
	unsigned int precise; /* perf_event_attr::precise_ip */
};

/**
 * perf_spelling_parse - take the ways of perf out of a specification
 * @spelling: filled in; perf_spelling_free() frees what it holds, on error too
 *
 * A specification of OProfile (spec.h) is left as it is.
 *
 * Return: 0, or -1 with @error set: a modifier that is not known, or a tracepoint that the kernel
 * does not have or does not show.
 */
int perf_spelling_parse(const char *text, struct perf_spelling *spelling, struct op_error *error);
void perf_spelling_free(struct perf_spelling *spelling);

/* Sets what modifiers, and the kinds but names, say of an event. */
void perf_spelling_apply(const struct perf_spelling *spelling, struct perf_event_attr *attr);

#endif

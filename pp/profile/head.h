/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where, when and by which command the samples of a report were taken: OP_SAMPLES_ORIGIN of its
 * sessions, which the daemon, operf and opimport write.  Sessions of OProfile have none.
 */
#ifndef PP_PROFILE_HEAD_H
#define PP_PROFILE_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/session/thread_names.h"
#include "pp/select/classes.h"

/* A fact of all sessions. */
struct pp_fact {
	char *text;  /* NULL: not known */
	bool varies; /* some sessions have another one */
};

/* Samples a second of an event whose period the kernel adapts. */
struct pp_rate {
	char *event;
	uint64_t unit_mask, rate;
};

struct pp_head {
	char *const *dirs; /* of the sessions, as SESSION/samples/NAME; the list's */
	size_t n_dirs;
	struct op_thread_names threads;
	struct op_hash by_tid; /* numbers of @threads */
	struct pp_fact hostname, os_release, arch, cpu, backend, command;
	uint64_t start_ns;    /* since 1970, of the first session; 0: not known */
	uint64_t duration_ns; /* of all sessions together; 0: not known of one of them */
	struct pp_rate *rates;
	size_t n_rates, rates_capacity;
};

/**
 * pp_head_read - read the origins of sessions
 * @dirs: must live as long as @head
 *
 * What is not known is left out.  pp_head_free() frees what @head holds.
 */
void pp_head_read(struct pp_head *head, char *const *dirs, size_t n);
void pp_head_free(struct pp_head *head);

/* Samples a second of a class that has no period; 0: not known, or not one number. */
uint64_t pp_head_rate(const struct pp_head *head, const struct pp_class *class);

/* The name of the thread that a class is of, perhaps without its process; NULL: it is of none, or
 * that has no name, or several threads of the sessions had the number. */
const char *pp_head_thread_name(const struct pp_head *head, const struct pp_class *class);

/* How many sessions there are for users: a profile of another format that became several is one. */
size_t pp_head_sessions(const struct pp_head *head);

/* The name of a session as users give it, or its directory in samples; the caller frees it. */
char *pp_head_session_name(const char *samples_dir);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classes: sample files that differ in event, process, thread or CPU become columns of a
 * report.  They may differ along one axis only; --merge takes axes away.
 */
#ifndef PP_SELECT_CLASSES_H
#define PP_SELECT_CLASSES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"
#include "libop/base/option.h"
#include "libop/tables/name_index.h"
#include "sample_list.h"

#define PP_NO_CLASS UINT_MAX /* of a stack file without samples in the list */

/* The axes that are merged (--merge). */
struct pp_merge {
	bool cpu, tid, tgid, unit_mask;
	bool lib; /* each image is its own application */
	/* Processes, threads and CPUs, if samples differ in more ways than columns can show; then
	 * pp_classes.is_summed_up. */
	bool all_if_many;
	/* The label whose values are told apart, by the session (libop/session/labels.h); NULL:
	 * sessions are added up. */
	const char *label;
};

/**
 * pp_merge_parse - read the argument of --merge
 * @list: cpu, tid, tgid (which implies tid), unitmask, lib or library, all; with commas
 *
 * Return: 0, or -1 with @error set.
 */
int pp_merge_parse(struct pp_merge *merge, const char *list, struct op_error *error);

/* The end of a row of options (libop/base/option.h) that sets a struct pp_merge. */
#define PP_MERGE(struct_type, member)                                                              \
	.type = &pp_option_merge, .field = OP_FIELD(struct_type, member, struct pp_merge)
extern const struct op_option_type pp_option_merge;

enum pp_axis { PP_AXIS_EVENT, PP_AXIS_CPU, PP_AXIS_TGID, PP_AXIS_TID, PP_AXIS_LABEL };

struct pp_class {
	const char *event; /* of a file of the list; lives as long as the list */
	uint64_t count, unit_mask;
	bool many_unit_masks;	/* merged from files with different ones */
	int64_t tgid, tid, cpu; /* or OP_ALL */
	const char *label;	/* the value of pp_merge.label, of pp_classes; NULL: it has none */
	char *column;		/* "TIMER:0", "cpu:1": the head of its column */
	char *title;		/* "Samples on CPU 1"; NULL on the event axis */
	/* Time enabled and time running, in ns; set by pp_scales_find(). */
	uint64_t enabled_ns, running_ns;
	/* Likewise: the time paused by the kernel, of the latter, and samples; 0: not known. */
	uint64_t paused_ns, taken;
	uint64_t unsampled_ns; /* of a clock, in threads that ran for less than its period */
	uint64_t missing_ns;   /* used by the command, and not counted */
	bool is_scaled;	       /* its counts are scaled */
	bool is_weighted;      /* its samples have weights of their own; set by pp_weights_find() */
};

struct pp_classes {
	struct pp_class *items; /* in the order of the columns */
	size_t n;
	size_t columns; /* length of arrays of counts: samples by class, then weights by class */
	enum pp_axis axis;
	const char *label_name; /* of pp_merge.label */
	struct op_names labels; /* its values, which are owned */
	/* What sample files keep apart and is merged: process (of programs that are one), thread,
	 * CPU. */
	bool merged_tgid, merged_tid, merged_cpu;
	/* By pp_merge.all_if_many: any of them, and in which of them samples differed. */
	bool is_summed_up, summed_tgid, summed_tid, summed_cpu;
};

/**
 * pp_classes_make - sort the files of a list into classes
 * @classes: filled in; pp_classes_free() frees what it holds
 * @list: each file's class is set; if merged, its tgid, tid and CPU become OP_ALL
 *
 * Return: 0, or -1 with @error set: the classes differ along more than one axis, also after what
 * all_if_many merges; the error says what to merge.
 */
int pp_classes_make(struct pp_classes *classes, struct pp_sample_list *list,
		    const struct pp_merge *merge, struct op_error *error);
void pp_classes_free(struct pp_classes *classes);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The catalogue of events of a CPU type: what its counters can count.
 *
 * It is read from text files, DIR/CPUNAME/events and DIR/CPUNAME/unit_masks, whose syntax is
 * in oprofile-events(5).  libpfm4 adds further events if it is installed and has the CPU: see
 * pfm.h.
 */
#ifndef LIBOP_EVENTS_CATALOGUE_H
#define LIBOP_EVENTS_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters.h"
#include "libop/base/error.h"
#include "unit_mask.h"

/* Overrides the directory that holds the catalogues. */
#define OP_EVENTS_ENVIRONMENT "OPROFILE_EVENTS_DIR"

/* Prefix of catalogues that are entirely from libpfm4; its name of the PMU follows. */
#define OP_CATALOGUE_PFM "pfm/"

struct op_catalogue_event {
	char *name; /* without '.' and '/' */
	char *description;
	uint32_t code;
	uint64_t counters; /* bit N: may be on counter N; 0 for @ext */
	bool all_counters; /* on every general counter; then @counters is not used */
	char *ext;	   /* counted by something that is no counter, such as "ibs_op"; or NULL */
	int filter;	   /* bit of CPUID 0xA EBX that takes the event away, or -1 */
	uint32_t minimum;  /* least count */
	const struct op_unit_mask *unit_mask;
	bool from_pfm;
};

struct op_catalogue {
	char *cpu_name; /* "i386/haswell", or "pfm/" and a PMU of libpfm4 */
	int cpu_type;	/* OP_CPU_NONE for "pfm/..." */
	struct op_counters counters;
	struct op_catalogue_event *event;
	size_t count;
	struct op_unit_mask **unit_mask;
	size_t unit_mask_count;
	const char *pfm_pmu; /* libpfm4's name of the PMU that events were taken from, or NULL */
};

/**
 * op_catalogue_read - what gives the files of catalogues; op_catalogue_load() reads them from disk
 * @file: "events" or "unit_masks"
 * @path: set to what messages call it; the caller frees it, also on error
 * @length: set to the length of the text
 *
 * Return: the text and a NUL, which the caller frees, or NULL with @error set.
 */
typedef char *(*op_catalogue_read)(void *context, const char *cpu_name, const char *file,
				   char **path, size_t *length, struct op_error *error);

/**
 * op_catalogue_parse - read the text catalogue of a CPU type
 * @read: gives the files
 * @catalogue: filled in, but for the counters, which are those of @counters;
 *	op_catalogue_free() frees what it holds
 *
 * Return: 0, or -1 with @error set: "FILE:LINE: reason" of the first thing that is wrong.
 */
int op_catalogue_parse(const char *cpu_name, const struct op_counters *counters,
		       op_catalogue_read read, void *context, struct op_catalogue *catalogue,
		       struct op_error *error);

/**
 * op_catalogue_load - the catalogue of a CPU type: its text files, and libpfm4's events
 * @cpu_name: the name of a CPU type, or "pfm/" and a PMU of libpfm4
 * @counters: the counters of the machine that is to count (op_counters_of())
 * @with_pfm: false: only the text files.  true: CPU types newer than OProfile get all events
 *	that libpfm4 knows, where it is there; those of older ones op_events_resolve() asks for one
 *	by one if the text files do not have them
 *
 * Return: 0, or -1 with @error set: ENOENT if there is no catalogue of the CPU type.
 */
int op_catalogue_load(const char *cpu_name, const struct op_counters *counters, bool with_pfm,
		      struct op_catalogue *catalogue, struct op_error *error);

void op_catalogue_free(struct op_catalogue *catalogue);

/* The directory of the text catalogues: $OPROFILE_EVENTS_DIR, or where they are installed. */
const char *op_catalogue_dir(void);

/* Whether this machine has the event; CPUID may exclude architectural ones. */
bool op_catalogue_has(const struct op_catalogue *catalogue, const struct op_catalogue_event *event);

/**
 * op_catalogue_counters - the counters that an event may be on
 * @unit_mask: with which it is to be counted
 * @extra: and with which modifiers
 *
 * A fixed counter of Intel takes the one event that it has, coded as for a general counter
 * (0xc0 and 0x3c with unit mask 0), or as code 0 with the number of the fixed counter plus one
 * as unit mask, which is how events are coded that general counters don't have.
 *
 * Return: bit N: counter N, and it is usable; 0 for an event that is on no counter.
 */
uint64_t op_catalogue_counters(const struct op_catalogue *catalogue,
			       const struct op_catalogue_event *event, uint32_t unit_mask,
			       uint32_t extra);

/**
 * op_catalogue_by_name - the event of this name that takes the unit mask
 * @unit_mask: 0 takes the first event of the name
 *
 * Return: NULL if there is none.
 */
const struct op_catalogue_event *op_catalogue_by_name(const struct op_catalogue *catalogue,
						      const char *name, uint32_t unit_mask);
/* The same by code. */
const struct op_catalogue_event *op_catalogue_by_code(const struct op_catalogue *catalogue,
						      uint32_t code, uint32_t unit_mask);

/* For pfm.c: add an event, which the catalogue owns then, or a mask.  Return: 0 or -1 (memory). */
int op_catalogue_add_event(struct op_catalogue *catalogue, const struct op_catalogue_event *event);
int op_catalogue_add_mask(struct op_catalogue *catalogue, struct op_unit_mask *mask);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unit masks: the finer choices that an event offers, and the modifiers of its counting.
 */
#ifndef LIBOP_EVENTS_UNIT_MASK_H
#define LIBOP_EVENTS_UNIT_MASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"

/*
 * Modifiers.  Those of OP_EXTRA_REGISTER stand where x86 event selects have them, and go into
 * oprofilefs' file "extra" as they are; the others are marks that no register has.
 */
enum {
	OP_EXTRA_EDGE = 1u << 18,  /* count changes from off to on, not cycles */
	OP_EXTRA_PEBS = 1u << 19,  /* mark: the hardware can sample it precisely */
	OP_EXTRA_MSR = 1u << 20,   /* mark: needs one more register, so can't be counted */
	OP_EXTRA_ANY = 1u << 21,   /* both threads of the core */
	OP_EXTRA_NAMED = 1u << 22, /* mark: the short name may be used */
	OP_EXTRA_INV = 1u << 23,   /* cycles with fewer than cmask */
	OP_EXTRA_CMASK_SHIFT = 24, /* cycles with cmask events at least; 8 bits */
	OP_EXTRA_CMASK_MAX = 0xff,
};
#define OP_EXTRA_REGISTER (OP_EXTRA_EDGE | OP_EXTRA_ANY | OP_EXTRA_INV | 0xff000000u)

enum op_unit_mask_type {
	OP_UNIT_MASK_MANDATORY, /* one entry, which is always used */
	OP_UNIT_MASK_BITMASK,	/* entries may be joined */
	OP_UNIT_MASK_EXCLUSIVE, /* one of the entries */
};

/* An event has at most so many unit masks (of text catalogues; libpfm4 may have more). */
#define OP_UNIT_MASK_ENTRIES_MAX 64

struct op_unit_mask_entry {
	uint32_t value, extra;
	char *name; /* short name; NULL unless @extra has OP_EXTRA_NAMED */
	char *description;
};

struct op_unit_mask {
	char *name;
	enum op_unit_mask_type type;
	uint32_t default_value, default_extra;
	char *default_name; /* if the default is given by short name, else NULL */
	bool has_default;   /* false: one must be chosen (some events of libpfm4) */
	struct op_unit_mask_entry *entry;
	size_t count;
};

/* "mandatory", "bitmask" or "exclusive". */
const char *op_unit_mask_type_name(enum op_unit_mask_type type);

/* Adds an entry at the end; takes copies of @name (or NULL) and @description.
 * Return: 0, or -1 when out of memory. */
int op_unit_mask_add(struct op_unit_mask *mask, uint32_t value, uint32_t extra, const char *name,
		     const char *description);

/* Frees what @mask holds. */
void op_unit_mask_free(struct op_unit_mask *mask);

/* Is it the mask of an event that has no choices: one entry, zero, without modifiers? */
bool op_unit_mask_is_zero(const struct op_unit_mask *mask);

/**
 * op_unit_mask_check - is the mask well formed?
 *
 * A mandatory mask has one entry; the default of a bitmask is made of entries, that of the
 * others is an entry.
 *
 * Return: 0, or -1 with @error set: the reason without the name of the mask.
 */
int op_unit_mask_check(const struct op_unit_mask *mask, struct op_error *error);

/* The first entry with this short name or NULL; @copies is set to how many have it. */
const struct op_unit_mask_entry *op_unit_mask_named(const struct op_unit_mask *mask,
						    const char *name, size_t *copies);

/**
 * op_unit_mask_number - the modifiers of a unit mask given as a number
 * @extra: set to the modifiers of the entry with this value, or 0 for joined entries
 *
 * Return: 0, or -1 with @error set: no such value, or one of several entries that count in
 * different ways.
 */
int op_unit_mask_number(const struct op_unit_mask *mask, uint32_t value, uint32_t *extra,
			struct op_error *error);

/**
 * op_unit_mask_resolve - resolve a unit mask of a specification
 * @text: parts joined by '+', each a number, a short name or a modifier (edge, inv, any,
 *	cmask=N); modifiers alone change the default unit mask
 * @value: set to the value
 * @extra: set to all modifiers, those of the entries and those given
 *
 * Return: 0, or -1 with @error set.
 */
int op_unit_mask_resolve(const struct op_unit_mask *mask, const char *text, uint32_t *value,
			 uint32_t *extra, struct op_error *error);

/* Whether @value, of a sample file, is a value of this mask. */
bool op_unit_mask_takes(const struct op_unit_mask *mask, uint32_t value);

/* Whether @value is made of entries, which libpfm4 may join whatever the type of the mask. */
bool op_unit_mask_joins(const struct op_unit_mask *mask, uint32_t value);

/* What @value means, for reports: an entry's description; NULL if it is none or several. */
const char *op_unit_mask_meaning(const struct op_unit_mask *mask, uint32_t value);

/**
 * op_extra_parse - read modifiers as a catalogue has them: "edge,inv,cmask=HEX,any,pebs"
 * @extra: set to their bits and OP_EXTRA_NAMED; "" and "none" are no modifiers
 *
 * Return: 0, or -1 with @error set.
 */
int op_extra_parse(const char *text, uint32_t *extra, struct op_error *error);

#endif

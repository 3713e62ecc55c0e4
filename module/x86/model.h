/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kind of performance monitoring unit this CPU has.
 *
 * Sources: Intel SDM volume 3, "Performance Monitoring"; AMD64 Architecture Programmer's
 * Manual volume 2, "Performance Monitoring Counters".
 */
#ifndef OPROFILE_X86_MODEL_H
#define OPROFILE_X86_MODEL_H

#include <linux/types.h>

#define OP_X86_GENERAL_MAX 32
#define OP_X86_FIXED_MAX 4
#define OP_X86_COUNTERS_MAX (OP_X86_GENERAL_MAX + OP_X86_FIXED_MAX)

/* Up to so many numbers are offered, if the counters are fewer: see op_x86_numbers(). */
#define OP_X86_NUMBERS 32
#define OP_X86_NUMBERS_MAX OP_X86_COUNTERS_MAX

/* Where a counter with its own event select lives: at first + number * stride. */
struct op_x86_bank {
	u32 control;
	u32 counter;
	u32 write; /* where the counter is written: differs with full-width writes */
	u32 stride;
};

/* Registers that rule all counters of a CPU; status is 0 if there are none. */
struct op_x86_global {
	u32 control;
	u32 status;
	u32 acknowledge;
};

/**
 * struct op_x86_model - the machine's PMU
 * @cpu_type: as in the sample-file header's table
 * @nr_general: counters with an event select; they are the first in the numbering
 * @nr_fixed: counters of one event each, numbered behind the general ones
 * @counter_mask: the bits of a counter
 * @count_max: the largest period; a counter's top bit must be set after it was written
 * @event_max: the largest event code
 * @extra: bits that may be set in the entry extra
 * @enable_by_first: the enable bit of counter 0 rules all (P6)
 * @unreserved: it has its counters at further addresses, which the kernel's book-keeping does not
 *	know (version 6): perf could use them beside us
 * @mixed: its CPUs are of several kinds; the rest is what they have in common
 * @late_nmis: the APIC's entry is not masked by an interrupt (AMD): an overflow that was found
 *	early may still raise its NMI
 */
struct op_x86_model {
	const char *cpu_type;
	unsigned int nr_general;
	unsigned int nr_fixed;
	u64 counter_mask;
	u64 count_max;
	u32 event_max;
	u64 extra;
	bool enable_by_first;
	bool unreserved;
	bool mixed;
	bool late_nmis;
	struct op_x86_bank bank;
	struct op_x86_global global;
};

#define OP_X86_COUNT_MIN 500 /* below, a CPU does little but handle overflows */

/* What CPUID says of a CPU; a table's worth of it can be made up by tests. */
struct op_x86_identity {
	enum { OP_X86_INTEL, OP_X86_AMD, OP_X86_OTHER } vendor;
	u8 family;
	u8 model;
	u8 kind; /* of CPUID 0x1A, where CPUs are of several kinds: big, small; else 0 */
	u32 leaf_a_eax; /* 0 if there is no leaf 0xA */
	u32 leaf_a_edx;
	bool full_width_writes;	    /* IA32_PERF_CAPABILITIES bit 13 */
	bool amd_core_extension;    /* CPUID 0x80000001 ECX bit 23 */
	u8 amd_v2_counters;	    /* of CPUID 0x80000022 EBX, if its EAX bit 0 is set; else 0 */
};

/**
 * op_x86_model_find - describe the PMU of a CPU
 * @model: filled in
 *
 * Return: false if there is none that we know how to program.
 */
bool op_x86_model_find(const struct op_x86_identity *identity, struct op_x86_model *model);

/**
 * op_x86_model_of_machine - describe what the PMUs of all CPUs that are online have in common
 * @identity: what the first of them says of itself
 * @model: filled in
 *
 * Context: process, may sleep.  Return: false if one of them has none that we know.
 */
bool op_x86_model_of_machine(struct op_x86_identity *identity, struct op_x86_model *model);

/* Do both say the same of themselves? */
bool op_x86_identity_same(const struct op_x86_identity *one, const struct op_x86_identity *other);

/**
 * op_x86_event_common - is the event select of an event that all of Intel's CPUs have?
 *
 * Those that CPUID leaf 0xA tells of, which are the same on big and on small cores; all others may
 * be there, too, and be something else.
 */
bool op_x86_event_common(u64 select);

/*
 * Numbers of counters, as in oprofilefs: first the general counters, then the fixed ones, then
 * virtual ones, which are multiplexed on the general counters:
 *
 *	two general, three fixed	0 1   2 3 4   5 6   7 8   9 10  ...
 *	on the hardware's counter	0 1   2 3 4   0 1   0 1   0 1   ...
 *	group				0 0   all     1 1   2 2   3 3   ...
 */

/* How many numbers there are: all hardware counters, and whole groups of virtual ones. */
unsigned int op_x86_numbers(const struct op_x86_model *model);

static inline unsigned int op_x86_hardware_counters(const struct op_x86_model *model)
{
	return model->nr_general + model->nr_fixed;
}

/* The counter of the hardware that @number is counted on. */
static inline unsigned int op_x86_hardware_counter(const struct op_x86_model *model,
						   unsigned int number)
{
	unsigned int hardware = op_x86_hardware_counters(model);

	return number < hardware ? number : (number - hardware) % model->nr_general;
}

/* Its group; 0 for a fixed counter, which is in all groups. */
static inline unsigned int op_x86_group_number(const struct op_x86_model *model,
					       unsigned int number)
{
	unsigned int hardware = op_x86_hardware_counters(model);

	return number < hardware ? 0 : 1 + (number - hardware) / model->nr_general;
}

/* Asks this CPU.  Context: bound to it. */
void op_x86_identify(struct op_x86_identity *identity);

#endif

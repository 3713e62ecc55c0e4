/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A PMU made of memory, in the place of this CPU's registers: it counts what a test says, and
 * overflows, refuses what it has not, and keeps a log of what was done to it, in order.
 *
 * A suite includes this, then the file of the module whose accesses are to come here.
 */
#ifndef OPROFILE_KUNIT_FAKE_MSR_H
#define OPROFILE_KUNIT_FAKE_MSR_H

#include <linux/types.h>

#include "x86/msr.h"

/* The local APIC's entry is one more register here, by its address. */
#define FAKE_LVTPC 0xfee00340

#define FAKE_LVTPC_NMI 0x400
#define FAKE_LVTPC_MASKED 0x10000

/**
 * struct fake_pmu - what the hardware does
 * @bits: of a counter
 * @nr_general: counters that have an event select each, at @control, @counter + @stride * number
 * @nr_fixed: counters of one event each
 * @full_width: where all bits of the general counters can be written, besides; 0: nowhere
 * @sign_extends: a write at @counter takes 32 bits, and sign-extends them
 * @global_control, @global_status, @global_clear: 0: there are none
 * @first_enables: the enable bit of counter 0 is that of all
 * @masks_lvtpc: when the interrupt is delivered
 */
struct fake_pmu {
	unsigned int bits;
	unsigned int nr_general;
	u32 control, counter, stride;
	unsigned int nr_fixed;
	u32 full_width;
	bool sign_extends;
	u32 global_control, global_status, global_clear;
	bool first_enables;
	bool masks_lvtpc;
};

enum fake_access_kind { FAKE_READ, FAKE_WRITE };

struct fake_access {
	enum fake_access_kind kind;
	u32 msr;
	u64 value;
};

#define FAKE_LOG_MAX 512

/* What has happened since fake_msr_begin(). */
struct fake_msr_log {
	struct fake_access accesses[FAKE_LOG_MAX];
	unsigned int nr; /* may be more than there is room for */
	unsigned int faults; /* accesses to registers that are not there: an oops on a machine */
	unsigned int interrupts_lost; /* the entry was masked */
};

extern struct fake_msr_log fake_log;

/* Begins anew with this hardware, and each register at fake_msr_initial(). */
void fake_msr_begin(const struct fake_pmu *pmu);

/* What somebody else left in a register: another value for each, and nothing that counts. */
u64 fake_msr_initial(u32 msr);

/* Behind the back of the code: not logged. */
u64 fake_msr_get(u32 msr);
void fake_msr_set(u32 msr, u64 value);

/* From now on @msr is not there; writes only, if @writes_only. */
void fake_msr_refuse(u32 msr, bool writes_only);

/* Just before the next access to @msr, call @fn, once. */
void fake_msr_before(u32 msr, void (*fn)(void));

/* Called for each interrupt that the entry lets through; NULL: they wait in fake_msr_nmis(). */
void fake_msr_on_nmi(void (*fn)(void));
unsigned int fake_msr_nmis(void);

/* The first register that is not as it was at the beginning, or 0.  LVTPC is one of them. */
u32 fake_msr_changed(void);

/* @number: of the hardware; the fixed counters come behind the general ones.  Counts if enabled. */
void fake_msr_count(unsigned int number, u64 events);

u64 fake_msr_read(u32 msr);
void fake_msr_write(u32 msr, u64 value);
bool fake_msr_read_safe(u32 msr, u64 *value);
bool fake_msr_write_safe(u32 msr, u64 value);
u32 fake_lvtpc_read(void);
void fake_lvtpc_write(u32 value);

/* Seams. */
#define op_msr_read fake_msr_read
#define op_msr_write fake_msr_write
#define op_msr_read_safe fake_msr_read_safe
#define op_msr_write_safe fake_msr_write_safe
#define op_lvtpc_read fake_lvtpc_read
#define op_lvtpc_write fake_lvtpc_write

#endif

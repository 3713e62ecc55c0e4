// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PMU made of memory.
 *
 * Sources: as in x86/model.h.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "x86/fake_msr.h"

#define FIXED_CONTROL 0x38d
#define FIXED_COUNTER 0x309

#define CONTROL_INT BIT_ULL(20)
#define CONTROL_ENABLE BIT_ULL(22)
#define FIXED_RINGS 3ULL
#define FIXED_INT BIT_ULL(3)

static struct fake_register {
	u32 msr;
	u64 value;
	bool refuses_reads, refuses_writes;
} registers[128];
static unsigned int nr_registers;

static const struct fake_pmu *hardware;
static unsigned int nmis;
static void (*nmi_handler)(void);
static u32 watched;
static void (*watcher)(void);

struct fake_msr_log fake_log;

static u64 counter_mask(void)
{
	return GENMASK_ULL(hardware->bits - 1, 0);
}

static bool is_in_bank(u32 msr, u32 first, unsigned int nr, u32 stride)
{
	return first && msr >= first && msr < first + nr * stride && !((msr - first) % stride);
}

/* With full width, a counter has two addresses. */
static u32 counter_address(u32 msr)
{
	if (is_in_bank(msr, hardware->full_width, hardware->nr_general, 1))
		return hardware->counter + (msr - hardware->full_width) * hardware->stride;
	return msr;
}

static struct fake_register *find(u32 msr)
{
	unsigned int i;

	msr = counter_address(msr);
	for (i = 0; i < nr_registers; i++) {
		if (registers[i].msr == msr)
			return &registers[i];
	}
	return NULL;
}

static void add(u32 msr, u64 value)
{
	if (nr_registers < ARRAY_SIZE(registers))
		registers[nr_registers++] = (struct fake_register){ .msr = msr, .value = value };
}

u64 fake_msr_initial(u32 msr)
{
	if (msr == FAKE_LVTPC)
		return FAKE_LVTPC_MASKED | 0xf2;
	if (msr == FIXED_CONTROL || msr == hardware->global_control)
		return 0;
	if (msr == hardware->global_status || msr == hardware->global_clear)
		return 0;
	if (is_in_bank(msr, hardware->control, hardware->nr_general, hardware->stride))
		return 0x01020000 | (msr & 0xffff);
	/* A counter; positive, and such that a write of 32 bits restores it. */
	return 0x10000000 + msr;
}

void fake_msr_begin(const struct fake_pmu *pmu)
{
	unsigned int i;

	hardware = pmu;
	memset(registers, 0, sizeof(registers));
	memset(&fake_log, 0, sizeof(fake_log));
	nr_registers = 0;
	nmis = 0;
	nmi_handler = NULL;
	watcher = NULL;

	add(FAKE_LVTPC, fake_msr_initial(FAKE_LVTPC));
	for (i = 0; i < pmu->nr_general; i++) {
		u32 control = pmu->control + i * pmu->stride;
		u32 counter = pmu->counter + i * pmu->stride;

		add(control, fake_msr_initial(control));
		add(counter, fake_msr_initial(counter));
	}
	if (pmu->nr_fixed)
		add(FIXED_CONTROL, fake_msr_initial(FIXED_CONTROL));
	for (i = 0; i < pmu->nr_fixed; i++)
		add(FIXED_COUNTER + i, fake_msr_initial(FIXED_COUNTER + i));
	if (pmu->global_control) {
		add(pmu->global_control, fake_msr_initial(pmu->global_control));
		add(pmu->global_status, fake_msr_initial(pmu->global_status));
		add(pmu->global_clear, fake_msr_initial(pmu->global_clear));
	}
}

u64 fake_msr_get(u32 msr)
{
	struct fake_register *found = find(msr);

	return found ? found->value : 0;
}

void fake_msr_set(u32 msr, u64 value)
{
	struct fake_register *found = find(msr);

	if (found)
		found->value = value;
}

void fake_msr_refuse(u32 msr, bool writes_only)
{
	struct fake_register *found = find(msr);

	if (!found)
		return;
	found->refuses_writes = true;
	found->refuses_reads = !writes_only;
}

void fake_msr_before(u32 msr, void (*fn)(void))
{
	watched = msr;
	watcher = fn;
}

void fake_msr_on_nmi(void (*fn)(void))
{
	nmi_handler = fn;
}

unsigned int fake_msr_nmis(void)
{
	return nmis;
}

u32 fake_msr_changed(void)
{
	unsigned int i;

	for (i = 0; i < nr_registers; i++) {
		if (registers[i].value != fake_msr_initial(registers[i].msr))
			return registers[i].msr;
	}
	return 0;
}

static void raise_interrupt(void)
{
	u64 entry = fake_msr_get(FAKE_LVTPC);

	if (entry & FAKE_LVTPC_MASKED) {
		fake_log.interrupts_lost++;
		return;
	}
	if (hardware->masks_lvtpc)
		fake_msr_set(FAKE_LVTPC, entry | FAKE_LVTPC_MASKED);
	if (entry != FAKE_LVTPC_NMI)
		return;
	if (nmi_handler)
		nmi_handler();
	else
		nmis++;
}

static bool is_enabled(unsigned int number, bool *interrupts, u64 *global_bit)
{
	u64 control;

	if (number < hardware->nr_general) {
		u32 first = hardware->control;

		control = fake_msr_get(first + number * hardware->stride);
		*interrupts = control & CONTROL_INT;
		*global_bit = BIT_ULL(number);
		if (hardware->first_enables)
			control = fake_msr_get(first);
		return control & CONTROL_ENABLE;
	}
	number -= hardware->nr_general;
	control = fake_msr_get(FIXED_CONTROL) >> (4 * number);
	*interrupts = control & FIXED_INT;
	*global_bit = BIT_ULL(32 + number);
	return control & FIXED_RINGS;
}

void fake_msr_count(unsigned int number, u64 events)
{
	bool interrupts;
	u64 global_bit, sum;
	u32 msr = number < hardware->nr_general ?
			  hardware->counter + number * hardware->stride :
			  FIXED_COUNTER + number - hardware->nr_general;

	if (!is_enabled(number, &interrupts, &global_bit))
		return;
	if (hardware->global_control && !(fake_msr_get(hardware->global_control) & global_bit))
		return;
	sum = fake_msr_get(msr) + events;
	fake_msr_set(msr, sum & counter_mask());
	if (!(sum & ~counter_mask()))
		return;
	if (hardware->global_status)
		fake_msr_set(hardware->global_status,
			     fake_msr_get(hardware->global_status) | global_bit);
	if (interrupts)
		raise_interrupt();
}

static void note(enum fake_access_kind kind, u32 msr, u64 value)
{
	if (fake_log.nr < FAKE_LOG_MAX)
		fake_log.accesses[fake_log.nr] = (struct fake_access){ kind, msr, value };
	fake_log.nr++;
}

static void call_watcher(u32 msr)
{
	void (*fn)(void) = watcher;

	if (!fn || msr != watched)
		return;
	watcher = NULL;
	fn();
}

bool fake_msr_read_safe(u32 msr, u64 *value)
{
	struct fake_register *found = find(msr);

	call_watcher(msr);
	if (!found || found->refuses_reads)
		return false;
	*value = found->value;
	note(FAKE_READ, msr, found->value);
	return true;
}

static bool is_general_counter(u32 msr)
{
	return is_in_bank(msr, hardware->counter, hardware->nr_general, hardware->stride);
}

static bool is_counter(u32 msr)
{
	return is_general_counter(counter_address(msr)) ||
	       is_in_bank(msr, FIXED_COUNTER, hardware->nr_fixed, 1);
}

/* False for bits that a counter has not: they fault. */
static bool as_stored(u32 msr, u64 *value)
{
	if (is_general_counter(msr) && hardware->sign_extends)
		*value = (s64)(s32)*value & counter_mask();
	return !is_counter(msr) || !(*value & ~counter_mask());
}

bool fake_msr_write_safe(u32 msr, u64 value)
{
	struct fake_register *found = find(msr);
	u64 stored = value;

	call_watcher(msr);
	if (!found || found->refuses_writes || !as_stored(msr, &stored))
		return false;
	note(FAKE_WRITE, msr, value);
	if (msr == hardware->global_clear)
		fake_msr_set(hardware->global_status,
			     fake_msr_get(hardware->global_status) & ~value);
	else
		found->value = stored;
	return true;
}

u64 fake_msr_read(u32 msr)
{
	u64 value = 0;

	if (!fake_msr_read_safe(msr, &value))
		fake_log.faults++;
	return value;
}

void fake_msr_write(u32 msr, u64 value)
{
	if (!fake_msr_write_safe(msr, value))
		fake_log.faults++;
}

u32 fake_lvtpc_read(void)
{
	return fake_msr_read(FAKE_LVTPC);
}

void fake_lvtpc_write(u32 value)
{
	fake_msr_write(FAKE_LVTPC, value);
}

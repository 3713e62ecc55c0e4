// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Register numbers and their reserved bits: Intel SDM volume 4 and volume 3 chapter
 * "Performance Monitoring"; AMD APM volume 2 section 13.2.  Intel's reserved bits fault, AMD's
 * are ignored.
 */
#include "msr.h"

#define PMC	       0xc1  /* IA32_PMC0, P6 PerfCtr0 */
#define SELECT	       0x186 /* IA32_PERFEVTSEL0 */
#define CAPABILITIES   0x345 /* IA32_PERF_CAPABILITIES */
#define FIXED_CTR      0x309
#define FIXED_CTR_CTRL 0x38d
#define GLOBAL_STATUS  0x38e
#define GLOBAL_CTRL    0x38f
#define GLOBAL_RESET   0x390 /* IA32_PERF_GLOBAL_OVF_CTRL; from version 4 ..._STATUS_RESET */
#define GLOBAL_SET     0x391 /* from version 4; other registers on other models */
#define GLOBAL_INUSE   0x392 /* likewise */
#define FULL_PMC       0x4c1 /* IA32_A_PMC0 */
#define INTEL_ROOM     8     /* counters there is room for at each of these numbers */
/* from version 6: counter, event select and two more for each, other names of those above */
#define V6_GENERAL 0x1900
#define V6_FIXED   0x1980
#define V6_STEP	   4

#define CAPABILITY_FULL_WIDTH (UINT64_C(1) << 13)

#define INTEL_SELECT_BITS UINT64_C(0xffdfffff) /* and PMU_SELECT_ANY from version 3 */
/* trace, LBR and counter freezing, uncore, debug store, condition changed */
#define STATUS_OTHERS_V4 (UINT64_C(1) << 55 | UINT64_C(3) << 58)
#define STATUS_OTHERS	 (UINT64_C(7) << 61)

#define K7_SELECT	0xc0010000
#define K7_PMC		0xc0010004
#define K7_ROOM		4
#define AMD_CORE	0xc0010200 /* select, counter, select, ... */
#define AMD_CORE_ROOM	6
#define AMD_SELECT_BITS UINT64_C(0x30fffd7ffff)

/* PerfMonV2 */
#define AMD_GLOBAL_STATUS 0xc0000300
#define AMD_GLOBAL_CTRL	  0xc0000301
#define AMD_GLOBAL_CLEAR  0xc0000302

#define CONTROL_METRICS (UINT64_C(1) << 48) /* big cores: IA32_PERF_METRICS, which counts nothing */

#define RDPMC_FIXED (UINT32_C(1) << 30)

static bool within(uint32_t number, uint32_t first, unsigned int count)
{
	return number >= first && number - first < count;
}

/* Which register a number means. */
enum kind {
	NOTHING, /* a number the family uses, but this model lacks it */
	FOREIGN,
	COUNTER,      /* written as 32 bits that are sign-extended */
	COUNTER_FULL, /* written in full, excess bits fault */
	COUNTER_WRAP, /* written in full, excess bits are ignored */
	EVENT_SELECT,
	FIXED_CONTROL,
	STATUS,
	CONTROL,
	STATUS_CLEAR,
	STATUS_SET,
	IN_USE,
	PERF_CAPABILITIES,
};

struct where {
	enum kind kind;
	unsigned int i; /* of the counter */
};

static struct where at(bool exists, enum kind kind, unsigned int i)
{
	return (struct where){ exists ? kind : NOTHING, i };
}

static struct where locate_v6(const struct pmu_model *model, uint32_t number)
{
	bool fixed = number >= V6_FIXED;
	unsigned int i = (number - (fixed ? V6_FIXED : V6_GENERAL)) / V6_STEP;

	switch (number % V6_STEP) {
	case 0:
		if (fixed)
			return at(i < model->fixed, COUNTER_WRAP, PMU_GENERAL_MAX + i);
		return at(i < model->general, COUNTER_FULL, i);
	case 1:
		return at(!fixed && i < model->general, EVENT_SELECT, i);
	}
	return (struct where){ NOTHING, 0 };
}

static struct where locate_intel(const struct pmu_model *model, uint32_t number)
{
	bool global = pmu_has_global(model);
	bool version4 = global && model->version >= 4;
	unsigned int i;

	if (within(number, PMC, INTEL_ROOM))
		return at(number - PMC < model->general, COUNTER, number - PMC);
	if (within(number, SELECT, INTEL_ROOM))
		return at(number - SELECT < model->general, EVENT_SELECT, number - SELECT);
	if (model->family == PMU_P6)
		return (struct where){ FOREIGN, 0 };
	if (model->version >= 6 &&
	    (within(number, V6_GENERAL, V6_STEP * INTEL_ROOM) ||
	     within(number, V6_FIXED, V6_STEP * PMU_FIXED_MAX)))
		return locate_v6(model, number);
	if (within(number, FULL_PMC, INTEL_ROOM)) {
		i = number - FULL_PMC;
		return at(model->full_width && i < model->general, COUNTER_FULL, i);
	}
	if (within(number, FIXED_CTR, PMU_FIXED_MAX)) {
		i = number - FIXED_CTR;
		return at(i < model->fixed, COUNTER_WRAP, PMU_GENERAL_MAX + i);
	}
	switch (number) {
	case CAPABILITIES:
		return at(model->full_width, PERF_CAPABILITIES, 0);
	case FIXED_CTR_CTRL:
		return at(model->fixed, FIXED_CONTROL, 0);
	case GLOBAL_STATUS:
		return at(global, STATUS, 0);
	case GLOBAL_CTRL:
		return at(global, CONTROL, 0);
	case GLOBAL_RESET:
		return at(global, STATUS_CLEAR, 0);
	case GLOBAL_SET:
		return (struct where){ version4 ? STATUS_SET : FOREIGN, 0 };
	case GLOBAL_INUSE:
		return (struct where){ version4 ? IN_USE : FOREIGN, 0 };
	}
	return (struct where){ FOREIGN, 0 };
}

static struct where locate_amd(const struct pmu_model *model, uint32_t number)
{
	/* with the core extension these are other names of its first four */
	if (within(number, K7_SELECT, K7_ROOM))
		return (struct where){ EVENT_SELECT, number - K7_SELECT };
	if (within(number, K7_PMC, K7_ROOM))
		return (struct where){ COUNTER_WRAP, number - K7_PMC };
	if (within(number, AMD_CORE, 2 * AMD_CORE_ROOM))
		return at(model->family == PMU_AMD_CORE, number & 1 ? COUNTER_WRAP : EVENT_SELECT,
			  (number - AMD_CORE) / 2);
	if (pmu_has_global(model)) {
		switch (number) {
		case AMD_GLOBAL_STATUS:
			return (struct where){ STATUS, 0 };
		case AMD_GLOBAL_CTRL:
			return (struct where){ CONTROL, 0 };
		case AMD_GLOBAL_CLEAR:
			return (struct where){ STATUS_CLEAR, 0 };
		}
	}
	return (struct where){ FOREIGN, 0 };
}

static struct where locate(const struct pmu_model *model, uint32_t number)
{
	if (model->family == PMU_P6 || model->family == PMU_ARCH)
		return locate_intel(model, number);
	return locate_amd(model, number);
}

/* Counters that are set up, as IA32_PERF_GLOBAL_INUSE tells. */
static uint64_t in_use(const struct pmu *pmu)
{
	uint64_t bits = 0;

	for (unsigned int i = 0; i < pmu->model->general; i++)
		if (pmu->select[i] & 0xff)
			bits |= UINT64_C(1) << i;
	for (unsigned int i = 0; i < pmu->model->fixed; i++)
		if (pmu->fixed_control >> 4 * i & 3)
			bits |= UINT64_C(1) << (32 + i);
	for (unsigned int i = 0; i < pmu->model->general; i++)
		if (pmu->select[i] & PMU_SELECT_INT)
			bits |= UINT64_C(1) << 63;
	for (unsigned int i = 0; i < pmu->model->fixed; i++)
		if (pmu->fixed_control >> 4 * i & 8)
			bits |= UINT64_C(1) << 63;
	return bits;
}

enum pmu_access pmu_msr_read(const struct pmu *pmu, uint32_t number, uint64_t *value)
{
	struct where where = locate(pmu->model, number);

	switch (where.kind) {
	case FOREIGN:
		return PMU_ACCESS_FOREIGN;
	case NOTHING:
		return PMU_ACCESS_FAULT;
	case COUNTER:
	case COUNTER_FULL:
	case COUNTER_WRAP:
		*value = pmu->counter[where.i];
		break;
	case EVENT_SELECT:
		*value = pmu->select[where.i];
		break;
	case FIXED_CONTROL:
		*value = pmu->fixed_control;
		break;
	case STATUS:
		*value = pmu->global_status;
		break;
	case CONTROL:
		*value = pmu->global_control;
		break;
	case STATUS_CLEAR:
	case STATUS_SET:
		*value = 0;
		break;
	case IN_USE:
		*value = in_use(pmu);
		break;
	case PERF_CAPABILITIES:
		*value = CAPABILITY_FULL_WIDTH;
		break;
	}
	return PMU_ACCESS_DONE;
}

/* The bits that a register's writer may set. */
static uint64_t writable(const struct pmu_model *model, struct where where)
{
	uint64_t others = STATUS_OTHERS | (model->version >= 4 ? STATUS_OTHERS_V4 : 0);
	uint64_t bits = 0;

	switch (where.kind) {
	case COUNTER_FULL:
		return pmu_counter_max(model, where.i);
	case EVENT_SELECT:
		return INTEL_SELECT_BITS |
		       (model->family == PMU_ARCH && model->version >= 3 ? PMU_SELECT_ANY : 0);
	case FIXED_CONTROL:
		for (unsigned int i = 0; i < model->fixed; i++)
			bits |= (model->version >= 3 ? UINT64_C(0xf) : UINT64_C(0xb)) << 4 * i;
		return bits;
	case CONTROL:
		return pmu_global_mask(model) | (model->kind == PMU_BIG ? CONTROL_METRICS : 0);
	case STATUS_CLEAR:
	case STATUS_SET:
		return pmu_global_mask(model) | others;
	default:
		return UINT64_MAX;
	}
}

enum pmu_access pmu_msr_write(struct pmu *pmu, uint32_t number, uint64_t value)
{
	struct where where = locate(pmu->model, number);
	bool amd = pmu->model->family == PMU_AMD_K7 || pmu->model->family == PMU_AMD_CORE;

	if (where.kind == FOREIGN)
		return PMU_ACCESS_FOREIGN;
	if (amd && where.kind == EVENT_SELECT)
		value &= AMD_SELECT_BITS;
	else if (amd && (where.kind == CONTROL || where.kind == STATUS_CLEAR))
		value &= pmu_global_mask(pmu->model);
	else if (value & ~writable(pmu->model, where))
		return PMU_ACCESS_FAULT;
	switch (where.kind) {
	case COUNTER:
		pmu->counter[where.i] =
			(uint64_t)(int64_t)(int32_t)value & pmu_counter_max(pmu->model, where.i);
		break;
	case COUNTER_FULL:
	case COUNTER_WRAP:
		pmu->counter[where.i] = value & pmu_counter_max(pmu->model, where.i);
		break;
	case EVENT_SELECT:
		pmu->select[where.i] = value;
		break;
	case FIXED_CONTROL:
		pmu->fixed_control = value;
		break;
	case CONTROL:
		pmu->global_control = value;
		break;
	case STATUS_CLEAR:
		pmu->global_status &= ~value;
		break;
	case STATUS_SET:
		pmu->global_status |= value;
		break;
	case NOTHING:
	case FOREIGN:
	case STATUS:
	case IN_USE:
	case PERF_CAPABILITIES:
		return PMU_ACCESS_FAULT;
	}
	return PMU_ACCESS_DONE;
}

enum pmu_access pmu_rdpmc(const struct pmu *pmu, uint32_t index, uint64_t *value)
{
	unsigned int i = index;

	if (index & RDPMC_FIXED) {
		index &= ~RDPMC_FIXED;
		if (index >= PMU_FIXED_MAX)
			return PMU_ACCESS_FAULT;
		i = PMU_GENERAL_MAX + index;
	} else if (index >= PMU_GENERAL_MAX) {
		return PMU_ACCESS_FAULT;
	}
	if (!pmu_counter_exists(pmu->model, i))
		return PMU_ACCESS_FAULT;
	*value = pmu->counter[i];
	return PMU_ACCESS_DONE;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Event codes: Intel SDM volume 3, table "pre-defined architectural events", and for the unit
 * masks of BR_INST_RETIRED (0xC4) the event lists of Sandy Bridge and later, and of Gracemont;
 * AMD's PPRs for 0xC0, 0xC2 and 0x76.  A cycle of the emulated CPU is an instruction.
 */
#include "event.h"

#define SET(quantity) (UINT32_C(1) << (quantity))
#define BRANCHES                                                                                   \
	(SET(PMU_JUMP) | SET(PMU_CONDITIONAL) | SET(PMU_CALL) | SET(PMU_RETURN) | SET(PMU_FAR))

/* BR_INST_RETIRED's unit masks name kinds, and combine */
static pmu_quantity_set intel_branches(unsigned int mask)
{
	pmu_quantity_set set = 0;

	if (mask == 0x00 || mask == 0x04)
		return BRANCHES;
	if (mask & 0x01)
		set |= SET(PMU_CONDITIONAL);
	if (mask & 0x02)
		set |= SET(PMU_CALL);
	if (mask & 0x08)
		set |= SET(PMU_RETURN);
	if (mask & 0x40)
		set |= SET(PMU_FAR);
	return mask & ~0x4bU ? 0 : set;
}

/* Those of the small cores, since Goldmont: kinds have other masks, and do not combine. */
static pmu_quantity_set small_branches(unsigned int mask)
{
	switch (mask) {
	case 0x00:
		return BRANCHES;
	case 0x7e:
		return SET(PMU_CONDITIONAL);
	case 0xf9:
		return SET(PMU_CALL);
	case 0xf7:
		return SET(PMU_RETURN);
	case 0xbf:
		return SET(PMU_FAR);
	}
	return 0;
}

static pmu_quantity_set intel_event(enum pmu_kind kind, unsigned int event, unsigned int mask)
{
	switch (event) {
	case 0xc0: /* INST_RETIRED; mask 1 is its second name since Nehalem */
		return mask <= 0x01 ? SET(PMU_INSTRUCTIONS) : 0;
	case 0x3c: /* CPU_CLK_UNHALTED: core, and reference cycles */
		return mask <= 0x01 ? SET(PMU_INSTRUCTIONS) : 0;
	case 0xc4:
		return kind == PMU_SMALL ? small_branches(mask) : intel_branches(mask);
	}
	return 0;
}

static pmu_quantity_set p6_event(unsigned int event, unsigned int mask)
{
	switch (event) {
	case 0xc0: /* INST_RETIRED */
	case 0x79: /* CPU_CLK_UNHALTED */
		return mask == 0 ? SET(PMU_INSTRUCTIONS) : 0;
	case 0xc4: /* BR_INST_RETIRED */
		return mask == 0 ? BRANCHES : 0;
	}
	return 0;
}

static pmu_quantity_set amd_event(unsigned int event)
{
	switch (event) { /* none of them has unit masks */
	case 0xc0:	 /* retired instructions */
	case 0x76:	 /* cycles not in halt */
		return SET(PMU_INSTRUCTIONS);
	case 0xc2: /* retired branches */
		return BRANCHES;
	}
	return 0;
}

pmu_quantity_set pmu_event_quantities(const struct pmu_model *model, uint64_t select)
{
	unsigned int mask = select >> 8 & 0xff;

	switch (model->family) {
	case PMU_P6:
		return p6_event(select & 0xff, mask);
	case PMU_ARCH:
		return intel_event(model->kind, select & 0xff, mask);
	case PMU_AMD_K7:
	case PMU_AMD_CORE:
		return amd_event((select & 0xff) | (select >> 32 & 0xf) << 8);
	}
	return 0;
}

pmu_quantity_set pmu_fixed_quantities(unsigned int i)
{
	/* instructions, core cycles, reference cycles; slots are not emulated */
	return i < 3 ? SET(PMU_INSTRUCTIONS) : 0;
}

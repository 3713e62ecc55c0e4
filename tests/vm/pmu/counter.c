// SPDX-License-Identifier: GPL-2.0-or-later
#include "counter.h"

#include <string.h>

/* What a counter counts now. */
struct source {
	bool ring[PMU_RINGS];
	pmu_quantity_set quantities; /* empty: it stands still */
};

void pmu_reset(struct pmu *pmu, const struct pmu_model *model)
{
	memset(pmu, 0, sizeof(*pmu));
	pmu->model = model;
	/* SDM: all general counters are enabled globally after reset, the fixed ones not */
	pmu->global_control = pmu_global_mask(model) & UINT32_MAX;
}

bool pmu_has_global(const struct pmu_model *model)
{
	return (model->family == PMU_ARCH || model->family == PMU_AMD_CORE) && model->version >= 2;
}

uint64_t pmu_global_mask(const struct pmu_model *model)
{
	if (!pmu_has_global(model))
		return 0;
	return ((UINT64_C(1) << model->general) - 1) | ((UINT64_C(1) << model->fixed) - 1) << 32;
}

uint64_t pmu_counter_max(const struct pmu_model *model, unsigned int i)
{
	return (UINT64_C(1) << (i < PMU_GENERAL_MAX ? model->width : model->fixed_width)) - 1;
}

bool pmu_counter_exists(const struct pmu_model *model, unsigned int i)
{
	if (i < PMU_GENERAL_MAX)
		return i < model->general;
	return i - PMU_GENERAL_MAX < model->fixed;
}

static uint64_t global_bit(unsigned int i)
{
	return UINT64_C(1) << (i < PMU_GENERAL_MAX ? i : 32 + i - PMU_GENERAL_MAX);
}

static unsigned int fixed_field(const struct pmu *pmu, unsigned int i)
{
	return pmu->fixed_control >> (i - PMU_GENERAL_MAX) * 4 & 0xf;
}

static bool enabled(const struct pmu *pmu, unsigned int i)
{
	const struct pmu_model *model = pmu->model;

	if (pmu_has_global(model) && !(pmu->global_control & global_bit(i)))
		return false;
	if (i >= PMU_GENERAL_MAX)
		return true;
	/* the P6 has one enable bit, in the first register, for both counters */
	return pmu->select[model->family == PMU_P6 ? 0 : i] & PMU_SELECT_ENABLE;
}

static struct source source_of(const struct pmu *pmu, unsigned int i)
{
	struct source source = { 0 };

	if (!enabled(pmu, i))
		return source;
	if (i >= PMU_GENERAL_MAX) {
		source.ring[PMU_KERNEL] = fixed_field(pmu, i) & 1;
		source.ring[PMU_USER] = fixed_field(pmu, i) & 2;
		source.quantities = pmu_fixed_quantities(i - PMU_GENERAL_MAX);
	} else {
		source.ring[PMU_KERNEL] = pmu->select[i] & PMU_SELECT_OS;
		source.ring[PMU_USER] = pmu->select[i] & PMU_SELECT_USR;
		source.quantities = pmu_event_quantities(pmu->model, pmu->select[i]);
	}
	return source;
}

static bool asks_for_interrupt(const struct pmu *pmu, unsigned int i)
{
	if (i >= PMU_GENERAL_MAX)
		return fixed_field(pmu, i) & 8;
	return pmu->select[i] & PMU_SELECT_INT;
}

static uint64_t counted(const struct source *source, const struct pmu_totals *from,
			const struct pmu_totals *to)
{
	uint64_t sum = 0;

	for (unsigned int ring = 0; ring < PMU_RINGS; ring++) {
		if (!source->ring[ring])
			continue;
		for (unsigned int q = 0; q < PMU_QUANTITIES; q++)
			if (source->quantities >> q & 1)
				sum += to->count[ring][q] - from->count[ring][q];
	}
	return sum;
}

bool pmu_advance(struct pmu *pmu, const struct pmu_totals *now)
{
	bool interrupt = false;

	for (unsigned int i = 0; i < PMU_COUNTERS_MAX; i++) {
		struct source source;
		uint64_t max, more;

		if (!pmu_counter_exists(pmu->model, i))
			continue;
		source = source_of(pmu, i);
		more = counted(&source, &pmu->now, now);
		max = pmu_counter_max(pmu->model, i);
		if (more > max - pmu->counter[i]) {
			if (pmu_has_global(pmu->model))
				pmu->global_status |= global_bit(i);
			if (asks_for_interrupt(pmu, i))
				interrupt = true;
		}
		pmu->counter[i] = (pmu->counter[i] + more) & max;
	}
	pmu->now = *now;
	return interrupt;
}

/* Events until counter @i overflows; at least 1. */
static uint64_t distance(const struct pmu *pmu, unsigned int i)
{
	return pmu_counter_max(pmu->model, i) - pmu->counter[i] + 1;
}

unsigned int pmu_overflow_in(const struct pmu *pmu, const struct pmu_run *run)
{
	uint64_t first = PMU_FAR_AWAY;

	for (unsigned int i = 0; i < PMU_COUNTERS_MAX; i++) {
		struct source source;
		uint64_t at = PMU_FAR_AWAY;

		if (!pmu_counter_exists(pmu->model, i))
			continue;
		source = source_of(pmu, i);
		if (!source.ring[run->ring])
			continue;
		if (source.quantities >> PMU_INSTRUCTIONS & 1)
			at = distance(pmu, i);
		else if (source.quantities >> run->branch & 1 && distance(pmu, i) == 1)
			at = run->instructions;
		if (at < first)
			first = at;
	}
	return first <= run->instructions ? first : 0;
}

uint64_t pmu_budget(const struct pmu *pmu, enum pmu_ring ring)
{
	uint64_t budget = PMU_FAR_AWAY;

	for (unsigned int i = 0; i < PMU_COUNTERS_MAX; i++) {
		struct source source;
		uint64_t share;

		if (!pmu_counter_exists(pmu->model, i))
			continue;
		source = source_of(pmu, i);
		if (!source.ring[ring] || !source.quantities)
			continue;
		/* no event counts more than once an instruction */
		share = distance(pmu, i);
		if (source.ring[PMU_USER] && source.ring[PMU_KERNEL])
			share -= share / 2;
		if (share < budget)
			budget = share;
	}
	return budget;
}

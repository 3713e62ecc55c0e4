// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters: see counters.h.
 */
#include "counters.h"

#include <stdlib.h>

#include "libop/cpu/pmu.h"
#include "libop/cpu/type_names.h"

static uint64_t low_bits(unsigned int n)
{
	return n >= OP_COUNTERS_LIMIT ? UINT64_MAX : (1ull << n) - 1;
}

static unsigned int bounded(unsigned int n, unsigned int most)
{
	return n < most ? n : most;
}

struct op_counters op_counters_plain(unsigned int general, unsigned int fixed)
{
	struct op_counters counters = {0};

	counters.general = bounded(general, OP_COUNTERS_LIMIT);
	counters.fixed = bounded(fixed, OP_COUNTERS_LIMIT - counters.general);
	counters.usable = low_bits(counters.general + counters.fixed);
	return counters;
}

struct op_counters op_counters_multiplexed(unsigned int general, unsigned int fixed,
					   unsigned int virtual_counters)
{
	struct op_counters counters = op_counters_plain(general, fixed);
	unsigned int hardware = counters.general + counters.fixed;

	if (counters.general)
		counters.virtual_groups =
			bounded(virtual_counters, OP_COUNTERS_LIMIT - hardware) / counters.general;
	counters.usable = low_bits(hardware + counters.virtual_groups * counters.general);
	return counters;
}

unsigned int op_counters_hardware(const struct op_counters *counters, unsigned int number)
{
	unsigned int hardware = counters->general + counters->fixed;

	return number < hardware || !counters->general ? number
						       : (number - hardware) % counters->general;
}

unsigned int op_counters_group(const struct op_counters *counters, unsigned int number)
{
	unsigned int hardware = counters->general + counters->fixed;

	return number < hardware || !counters->general
		       ? 0
		       : 1 + (number - hardware) / counters->general;
}

/* The numbers of the groups up to @group, as bits. */
static uint64_t numbers_to(const struct op_counters *counters, unsigned int group)
{
	return low_bits(counters->general + counters->fixed + group * counters->general);
}

uint64_t op_counters_on(const struct op_counters *counters, uint64_t hardware)
{
	unsigned int first = counters->general + counters->fixed;
	uint64_t general = hardware & low_bits(counters->general), bits = hardware;

	for (unsigned int group = 0; group < counters->virtual_groups; group++)
		bits |= general << (first + group * counters->general);
	return bits & counters->usable;
}

/* Leaf 0xA: EAX[15:8] general counters, EAX[31:24] bits of EBX, EDX[4:0] fixed ones of v2. */
static struct op_counters of_perfmon(const struct op_cpu_id *cpu)
{
	unsigned int fixed = op_cpu_id_perfmon_version(cpu) > 1 ? cpu->perfmon_edx & 0x1f : 0;
	struct op_counters counters = op_counters_plain(cpu->perfmon_eax >> 8 & 0xff, fixed);

	counters.absent_events = cpu->perfmon_ebx & (uint32_t)low_bits(cpu->perfmon_eax >> 24);
	return counters;
}

struct op_counters op_counters_of(int cpu_type, const struct op_cpu_id *cpu)
{
	const char *name = op_cpu_type_name(cpu_type);
	const struct op_cpu_pmu *pmu = name ? op_cpu_pmu(name) : NULL;

	if (!pmu)
		return op_counters_plain(0, 0);
	if (cpu && pmu->perfmon)
		return of_perfmon(cpu);
	if (cpu && cpu->amd_counters)
		return op_counters_plain(cpu->amd_counters, 0);
	if (cpu && pmu->counters == 6 && !cpu->amd_core_counters)
		return op_counters_plain(4, 0); /* a virtual machine that hides the other two */
	return op_counters_plain(pmu->counters, 0);
}

/* Allocates a free counter to the event, or one whose event can move to another. */
static bool counters_place(const uint64_t *allowed, size_t event, uint64_t *tried, int owner[])
{
	for (unsigned int i = 0; i < OP_COUNTERS_LIMIT; i++) {
		if (!(allowed[event] & ~*tried & 1ull << i))
			continue;
		*tried |= 1ull << i;
		if (owner[i] < 0 || counters_place(allowed, (size_t)owner[i], tried, owner)) {
			owner[i] = (int)event;
			return true;
		}
	}
	return false;
}

/* Whether counters outside of @taken suffice for all events from @first on. */
static bool fits(const uint64_t *allowed, size_t first, size_t n, uint64_t taken)
{
	int owner[OP_COUNTERS_LIMIT];

	for (unsigned int i = 0; i < OP_COUNTERS_LIMIT; i++)
		owner[i] = -1;
	for (size_t i = first; i < n; i++) {
		uint64_t tried = taken;

		if (allowed[i] && !counters_place(allowed, i, &tried, owner))
			return false;
	}
	return true;
}

/*
 * An event takes the lowest counter that leaves enough for the others.  The result is that of
 * trying all combinations in order, which would take too long with 64 counters.
 */
int op_counters_allocate(const uint64_t *allowed, size_t n, unsigned int *counter)
{
	uint64_t taken = 0;

	if (!fits(allowed, 0, n, 0))
		return -1;
	for (size_t i = 0; i < n; i++) {
		for (unsigned int c = 0; allowed[i] && c < OP_COUNTERS_LIMIT; c++) {
			if (!(allowed[i] & ~taken & 1ull << c) ||
			    !fits(allowed, i + 1, n, taken | 1ull << c))
				continue;
			taken |= 1ull << c;
			counter[i] = c;
			break;
		}
	}
	return 0;
}

int op_counters_allocate_groups(const struct op_counters *counters, const uint64_t *allowed,
				size_t n, unsigned int *counter)
{
	uint64_t *now = calloc(n + 1, sizeof(*now));
	int result = -1;

	for (unsigned int group = 0; now && result && group <= counters->virtual_groups; group++) {
		size_t i;

		for (i = 0; i < n; i++) {
			now[i] = allowed[i] & numbers_to(counters, group);
			if (allowed[i] && !now[i])
				break;
		}
		if (i == n)
			result = op_counters_allocate(now, n, counter);
	}
	free(now);
	return result;
}

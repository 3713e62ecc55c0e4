// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events by libpfm4: each that it can encode in one event select comes out with the same
 * bits, for every PMU it knows; some are checked against numbers of the manuals.
 */
#include <perfmon/pfmlib.h>

#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/events/catalogue.h"
#include "libop/events/resolved_event.h"
#include "libop/cpu/type_names.h"
#include "libop/events/pfm.h"

static const struct op_resolve_options how = {.ignore_count = true};

/* The event select that libpfm4 makes: without OS, USR, INT, EN and PC; 0 if it makes more. */
static uint64_t encode(const char *text)
{
	pfm_pmu_encode_arg_t arg = {.size = sizeof(arg)};
	uint64_t select = 0;

	if (pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg) == PFM_SUCCESS)
		select = arg.count == 1 ? arg.codes[0] & ~0x5b0000ull : 0;
	free(arg.codes);
	return select;
}

static uint64_t select_of(const struct op_resolved_event *choice)
{
	return (choice->event_code & 0xff) | (uint64_t)(choice->event_code & 0xf00) << 24 |
	       (uint64_t)choice->unit_mask << 8 | choice->extra;
}

static unsigned int pmus, compared, other_register;

static void check_entry(struct op_catalogue *catalogue, const char *pmu, size_t at,
			const struct op_unit_mask_entry *entry)
{
	const char *name = catalogue->event[at].name;
	char spec[512], text[512], *specs = spec;
	struct op_resolved_event choice;
	struct op_error error = {0};

	snprintf(spec, sizeof(spec), "%s::%s", name, entry->name ? entry->name : "");
	snprintf(text, sizeof(text), "%s::%s%s%s", pmu, name, entry->name ? ":" : "",
		 entry->name ? entry->name : "");
	if (entry->extra & OP_EXTRA_MSR) {
		assert_int_equal(op_events_resolve(catalogue, &specs, 1, &how, &choice, &error),
				 -1);
		assert_int_equal(error.code, ENOTSUP);
		other_register++;
		return;
	}
	if (op_events_resolve(catalogue, &specs, 1, &how, &choice, &error)) {
		/* only for want of a counter that has it */
		if (error.code != EBUSY)
			fail_msg("%s: %s", pmu, error.text);
		return;
	}
	if (select_of(&choice) != encode(text))
		fail_msg("%s: 0x%" PRIx64 ", but libpfm4 has 0x%" PRIx64, text, select_of(&choice),
			 encode(text));
	compared++;
}

/* What libpfm4 can encode at all, with one unit mask or none. */
static bool has_encoding(const char *pmu, const pfm_event_info_t *event)
{
	char text[512];

	snprintf(text, sizeof(text), "%s::%s", pmu, event->name);
	if (encode(text))
		return true;
	for (int i = 0; i < event->nattrs; i++) {
		pfm_event_attr_info_t mask = {.size = sizeof(mask)};

		if (pfm_get_event_attr_info(event->idx, i, PFM_OS_NONE, &mask) != PFM_SUCCESS ||
		    mask.type != PFM_ATTR_UMASK)
			continue;
		snprintf(text, sizeof(text), "%s::%s:%s", pmu, event->name, mask.name);
		if (encode(text))
			return true;
	}
	return false;
}

static void check_all_there(const struct op_catalogue *catalogue, const char *pmu)
{
	pfm_pmu_info_t info;
	pfm_pmu_t id;

	pfm_for_all_pmus(id)
	{
		info = (pfm_pmu_info_t){.size = sizeof(info)};
		if (pfm_get_pmu_info(id, &info) == PFM_SUCCESS && !strcmp(info.name, pmu))
			break;
	}
	for (int e = info.first_event; e != -1; e = pfm_get_event_next(e)) {
		pfm_event_info_t event = {.size = sizeof(event)};

		assert_int_equal(pfm_get_event_info(e, PFM_OS_NONE, &event), PFM_SUCCESS);
		if (has_encoding(pmu, &event) && !op_catalogue_by_name(catalogue, event.name, 0))
			fail_msg("%s::%s is missing", pmu, event.name);
	}
}

static void check_pmu(const char *pmu, const char *title, unsigned int events, void *context)
{
	struct op_counters counters = op_counters_plain(8, 4);
	struct op_catalogue catalogue;
	struct op_error error;
	char name[128];

	(void)title;
	(void)context;
	/* NetBurst has no event selects of this kind */
	if (!strncmp(pmu, "netburst", 8))
		return;
	snprintf(name, sizeof(name), OP_CATALOGUE_PFM "%s", pmu);
	if (op_catalogue_load(name, &counters, true, &catalogue, &error))
		fail_msg("%s", error.text);
	assert_string_equal(catalogue.pfm_pmu, pmu);
	assert_true(events > 0);
	check_all_there(&catalogue, pmu);
	for (size_t i = 0; i < catalogue.count; i++) {
		const struct op_catalogue_event *event = &catalogue.event[i];

		assert_true(*event->description);
		if (op_unit_mask_check(event->unit_mask, &error))
			fail_msg("%s::%s: %s", pmu, event->name, error.text);
		for (size_t j = 0; j < event->unit_mask->count; j++)
			check_entry(&catalogue, pmu, i, &event->unit_mask->entry[j]);
	}
	op_catalogue_free(&catalogue);
	pmus++;
}

TEST(every_event_of_every_pmu_is_encoded)
{
	assert_true(op_pfm_is_there());
	op_pfm_each(check_pmu, NULL);
	print_message("%u PMUs, %u encodings compared, %u need one more register\n", pmus, compared,
		      other_register);
	assert_true(pmus > 30 && compared > 5000);
}

static const struct {
	const char *cpu_name, *spec;
	uint32_t event, unit_mask, extra;
} known[] = {
	{"pfm/spr", "INST_RETIRED:6000:ANY_P", 0xc0, 0, 0},
	{"i386/sapphirerapids", "MEM_LOAD_RETIRED:6000:L1_MISS", 0xd1, 8, 0},
	{"i386/sapphirerapids", "INT_MISC:6000:CLEARS_COUNT", 0xad, 1, 1 << 24 | 1 << 18},
	{"i386/sapphirerapids", "MEM_LOAD_RETIRED:6000:L1_MISS+edge+cmask=3", 0xd1, 8,
	 1 << 18 | 3 << 24},
	{"i386/icelake", "INT_VEC_RETIRED", 0, 0, 0}, /* it has no such event */
	/* Golden Cove is in both */
	{"i386/alderlake", "BR_MISP_RETIRED:6000:ALL_BRANCHES", 0xc5, 0, 0},
	/* AMD's event 0x1d0 has more than 8 bits */
	{"x86-64/zen2", "RETIRED_FUSED_INSTRUCTIONS:6000", 0x1d0, 0, 0},
	{"x86-64/zen4", "RETIRED_X87_FP_OPS:6000:ADD_SUB_OPS+MUL_OPS", 0x02, 3, 0},
	{"x86-64/zen4", "RETIRED_X87_FP_OPS:6000:0x6", 0x02, 6, 0},
	/* of an older type, what its text files lack */
	{"i386/nehalem", "UNHALTED_CORE_CYCLES:6000", 0x3c, 0, 0},
};

TEST(known_events_have_their_numbers)
{
	struct op_counters counters = op_counters_plain(8, 0);

	for (size_t i = 0; i < OP_ARRAY_SIZE(known); i++) {
		char *spec = (char *)known[i].spec;
		struct op_catalogue catalogue;
		struct op_resolved_event choice;
		struct op_error error;

		assert_int_equal(
			op_catalogue_load(known[i].cpu_name, &counters, false, &catalogue, &error),
			0);
		if (op_events_resolve(&catalogue, &spec, 1, &how, &choice, &error)) {
			if (known[i].event)
				fail_msg("%s: %s", known[i].cpu_name, error.text);
		} else if (choice.event_code != known[i].event ||
			   choice.unit_mask != known[i].unit_mask ||
			   choice.extra != known[i].extra) {
			fail_msg("%s: event 0x%x unit mask 0x%x extra 0x%x", spec,
				 choice.event_code, choice.unit_mask, choice.extra);
		}
		op_catalogue_free(&catalogue);
	}
}

TEST(fixed_counters_take_only_their_event)
{
	struct op_counters counters = op_counters_plain(8, 4);
	char *spec = (char *)"UNHALTED_REFERENCE_CYCLES:6000:0x3";
	struct op_catalogue catalogue;
	struct op_resolved_event choice;
	struct op_error error;

	assert_int_equal(op_catalogue_load("pfm/spr", &counters, true, &catalogue, &error), 0);
	assert_int_equal(op_events_resolve(&catalogue, &spec, 1, &how, &choice, &error), 0);
	assert_int_equal(choice.counter, 8 + 2);
	assert_int_equal(choice.event_code, 0);
	catalogue.counters.fixed = 2;
	assert_int_equal(op_events_resolve(&catalogue, &spec, 1, &how, &choice, &error), -1);
	assert_int_equal(error.code, EBUSY);
	op_catalogue_free(&catalogue);
}

TEST(unknown_pmus_are_refused)
{
	struct op_counters counters = op_counters_plain(8, 0);
	struct op_catalogue catalogue;
	struct op_error error;

	assert_int_equal(op_catalogue_load("pfm/nobody", &counters, true, &catalogue, &error), -1);
	assert_int_equal(error.code, ENOENT);
	assert_string_equal(error.text, "libpfm4 has no core PMU named \"nobody\"");
	/* it knows uncore PMUs, but oprofilefs has none */
	assert_int_equal(op_catalogue_load("pfm/rapl", &counters, true, &catalogue, &error), -1);
}

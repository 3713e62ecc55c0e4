// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The catalogues that are installed: each CPU type has one, it is sound, and its numbers are
 * those of OProfile 1.4 as the project's table of facts has them.
 *
 *	OPROFILE_EVENTS_DIR: the catalogues	argv[1]: the directory of the tables
 */
#include "tests/unit/test.h"

#include "libop/events/catalogue.h"
#include "libop/events/resolved_event.h"
#include "libop/cpu/pmu.h"
#include "libop/cpu/type_names.h"
#include "libop/base/file.h"
#include "libop/base/strings.h"

static const char *tables;

/* Loads the text catalogue of @cpu_name as for a machine with all its counters. */
static void load(const char *cpu_name, struct op_catalogue *catalogue)
{
	const struct op_cpu_pmu *pmu = op_cpu_pmu(cpu_name);
	struct op_counters counters = op_counters_plain(pmu->counters ? pmu->counters : 2, 0);
	struct op_error error;

	if (op_catalogue_load(cpu_name, &counters, false, catalogue, &error))
		fail_msg("%s", error.text);
}

/* Begins as a sentence does (or with x87), and says more than a word's first letters. */
static bool is_text(const char *text)
{
	static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

	return strlen(text) > 3 && (strchr(first, text[0]) || !strncmp(text, "x87", 3));
}

static void check_event(const struct op_catalogue *catalogue,
			const struct op_catalogue_event *event)
{
	const struct op_unit_mask *mask = event->unit_mask;
	struct op_error error = {0};
	uint32_t value, extra;

	if (!is_text(event->description))
		fail_msg("%s %s: description \"%s\"", catalogue->cpu_name, event->name,
			 event->description);
	assert_true(event->minimum > 0);
	assert_int_equal(op_unit_mask_check(mask, &error), 0);
	assert_true(mask->has_default);
	if (op_unit_mask_resolve(mask, "", &value, &extra, &error))
		fail_msg("%s %s: %s", catalogue->cpu_name, event->name, error.text);
	for (size_t i = 0; i < mask->count; i++) {
		if (!is_text(mask->entry[i].description))
			fail_msg("%s %s 0x%x: description \"%s\"", catalogue->cpu_name, event->name,
				 mask->entry[i].value, mask->entry[i].description);
		assert_true(op_unit_mask_takes(mask, mask->entry[i].value));
	}
	assert_true(op_catalogue_counters(catalogue, event, value, extra) || event->ext);
	assert_string_equal(op_catalogue_by_name(catalogue, event->name, 0)->name, event->name);
}

TEST(each_catalogue_is_sound)
{
	int seen = 0;

	for (int type = 0; op_cpu_type_name(type); type++) {
		struct op_catalogue catalogue;

		if (!op_cpu_pmu(op_cpu_type_name(type)))
			continue;
		load(op_cpu_type_name(type), &catalogue);
		assert_true(catalogue.count > 0);
		for (size_t i = 0; i < catalogue.count; i++)
			check_event(&catalogue, &catalogue.event[i]);
		op_catalogue_free(&catalogue);
		seen++;
	}
	assert_true(seen >= 46);
}

TEST(each_type_can_count_its_default_event)
{
	const struct op_resolve_options how = {0};

	for (int type = 0; op_cpu_type_name(type); type++) {
		struct op_catalogue catalogue;
		struct op_resolved_event choice;
		struct op_error error;
		char *spec;

		if (!op_cpu_pmu(op_cpu_type_name(type)))
			continue;
		load(op_cpu_type_name(type), &catalogue);
		spec = op_default_event(&catalogue, &error);
		assert_non_null(spec);
		if (op_events_resolve(&catalogue, &spec, 1, &how, &choice, &error))
			fail_msg("%s: %s", op_cpu_type_name(type), error.text);
		assert_int_equal(choice.counter, 0);
		free(spec);
		op_catalogue_free(&catalogue);
	}
}

/* Calls @visit with the fields of each line of a table but the first. */
static void each_row(const char *name, void (*visit)(char **field, size_t fields))
{
	char *path = op_path("%s/%s", tables, name), *text;
	struct op_strings lines = {0};

	if (access(path, R_OK)) {
		print_message("skipped: there is no table %s/%s\n", tables, name);
		free(path);
		skip();
	}
	text = op_file_read(path, 1 << 24, NULL, NULL);
	assert_non_null(text);
	assert_int_equal(op_strings_split(&lines, text, '\n'), 0);
	assert_true(lines.count > 1000);
	for (size_t i = 1; i < lines.count; i++) {
		struct op_strings field = {0};

		if (!*lines.item[i])
			continue;
		assert_int_equal(op_strings_split(&field, lines.item[i], '\t'), 0);
		visit(field.item, field.count);
		op_strings_free(&field);
	}
	op_strings_free(&lines);
	free(path);
	free(text);
}

/* The catalogue of the last row; rows of a CPU type stand together. */
static struct op_catalogue current;

static void use(const char *cpu_name)
{
	if (current.cpu_name && !strcmp(current.cpu_name, cpu_name))
		return;
	op_catalogue_free(&current);
	load(cpu_name, &current);
}

static uint64_t counter_bits(const char *list)
{
	uint64_t bits = 0;

	for (const char *c = list; *c; c++) {
		if (*c != ',')
			bits |= 1ull << (*c - '0');
	}
	return bits;
}

static unsigned int compared;

/* cpu event_name code counters ext filter um minimum include */
static void compare_event(char **field, size_t fields)
{
	const struct op_catalogue_event *found = NULL;

	assert_int_equal(fields, 9);
	use(field[0]);
	if (*field[8])
		return; /* an include: its events are rows of the other type */
	for (size_t i = 0; i < current.count; i++) {
		if (!strcmp(current.event[i].name, field[1]) &&
		    !strcmp(current.event[i].unit_mask->name, field[6]))
			found = &current.event[i];
	}
	if (!found)
		fail_msg("%s has no event %s with unit mask %s", field[0], field[1], field[6]);
	assert_int_equal(found->code, strtoul(field[2], NULL, 16));
	if (!strcmp(field[3], "cpuid"))
		assert_true(found->all_counters);
	else
		assert_int_equal(found->counters, counter_bits(field[3]));
	assert_int_equal(found->filter, *field[5] ? atoi(field[5]) : -1);
	assert_int_equal(found->minimum, strtoul(field[7], NULL, 10));
	compared++;
}

TEST(events_are_those_of_the_table)
{
	compared = 0;
	each_row("events-1.4.0.tsv", compare_event);
	op_catalogue_free(&current);
	assert_int_equal(compared, 1837);
}

static const struct op_unit_mask *find_mask(const char *name)
{
	for (size_t i = 0; i < current.unit_mask_count; i++) {
		if (!strcmp(current.unit_mask[i]->name, name))
			return current.unit_mask[i];
	}
	return NULL;
}

/* cpu um_name type default value extra short_name include: entries stand in their order */
static void compare_entry(char **field, size_t fields)
{
	static char last[256];
	static size_t index;
	char here[256];
	const struct op_unit_mask *mask;
	uint32_t extra = 0;

	assert_int_equal(fields, 8);
	use(field[0]);
	if (*field[7])
		return;
	mask = find_mask(field[1]);
	if (!mask)
		fail_msg("%s has no unit mask %s", field[0], field[1]);
	snprintf(here, sizeof(here), "%s %s", field[0], field[1]);
	index = strcmp(here, last) ? 0 : index + 1;
	strcpy(last, here);
	assert_string_equal(op_unit_mask_type_name(mask->type), field[2]);
	if (mask->default_name)
		assert_string_equal(mask->default_name, field[3]);
	else
		assert_int_equal(mask->default_value, strtoul(field[3], NULL, 16));
	assert_true(index < mask->count);
	assert_int_equal(mask->entry[index].value, strtoul(field[4], NULL, 16));
	if (*field[5])
		assert_int_equal(op_extra_parse(field[5], &extra, NULL), 0);
	assert_int_equal(mask->entry[index].extra, extra);
	if (*field[6])
		assert_string_equal(mask->entry[index].name, field[6]);
	else
		assert_null(mask->entry[index].name);
	compared++;
}

TEST(unit_masks_are_those_of_the_table)
{
	compared = 0;
	each_row("unit_masks-1.4.0.tsv", compare_entry);
	op_catalogue_free(&current);
	assert_int_equal(compared, 3843);
}

TEST_ARGUMENTS(0, "[FACTS]")
{
	tables = argc > 1 ? argv[1] : ".";
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters: entries and register values.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/stddef.h>

#include <asm/msr-index.h>
#include <asm/perf_event.h>

#include "oprofilefs.h"
#include "refusal.h"
#include "x86/counter.h"

static struct op_x86_setting settings[OP_X86_NUMBERS_MAX];

static const struct entry {
	const char *name;
	size_t offset;
} entries[] = {
	{ "enabled", offsetof(struct op_x86_setting, enabled) },
	{ "event", offsetof(struct op_x86_setting, event) },
	{ "count", offsetof(struct op_x86_setting, count) },
	{ "unit_mask", offsetof(struct op_x86_setting, unit_mask) },
	{ "kernel", offsetof(struct op_x86_setting, kernel) },
	{ "user", offsetof(struct op_x86_setting, user) },
	{ "extra", offsetof(struct op_x86_setting, extra) },
};

static struct oprofilefs_number files_of[OP_X86_NUMBERS_MAX][ARRAY_SIZE(entries)];
static u64 extra_allowed;
static unsigned long general_counters;
static unsigned long fixed_counters;
static unsigned long virtual_counters;

/* Zero is the word for "not set". */
static int check_count(unsigned long count)
{
	return count && count < OP_X86_COUNT_MIN ? -EINVAL : 0;
}

static int check_extra(unsigned long extra)
{
	return extra & ~extra_allowed ? -EINVAL : 0;
}

static void limit_numbers(unsigned int number, const struct op_x86_model *model)
{
	const struct oprofilefs_number limits[ARRAY_SIZE(entries)] = {
		{ .max = 1 },
		{ .max = model->event_max },
		{ .max = model->count_max, .check = check_count },
		{ .max = 0xff },
		{ .max = 1 },
		{ .max = 1 },
		{ .max = ULONG_MAX, .check = check_extra },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(entries); i++) {
		files_of[number][i] = limits[i];
		files_of[number][i].value = (void *)&settings[number] + entries[i].offset;
	}
}

static int create_counter(struct dentry *root, unsigned int number)
{
	struct dentry *directory;
	char name[16];
	int err = 0;
	int i;

	snprintf(name, sizeof(name), "%u", number);
	directory = oprofilefs_mkdir(root, name);
	if (IS_ERR(directory))
		return PTR_ERR(directory);
	for (i = 0; !err && i < ARRAY_SIZE(entries); i++)
		err = oprofilefs_create_number(directory, entries[i].name, &files_of[number][i]);
	return err;
}

int op_x86_counters_create(struct dentry *root, const struct op_x86_model *model,
			   bool (*offered)(const struct op_x86_model *model, unsigned int number))
{
	unsigned int number;
	int err;

	extra_allowed = model->extra;
	general_counters = model->nr_general;
	fixed_counters = model->nr_fixed;
	virtual_counters = op_x86_numbers(model) - op_x86_hardware_counters(model);
	err = oprofilefs_create_counter(root, "general_counters", &general_counters) ?:
	      oprofilefs_create_counter(root, "fixed_counters", &fixed_counters) ?:
	      oprofilefs_create_counter(root, "virtual_counters", &virtual_counters);
	if (err)
		return err;
	memset(settings, 0, sizeof(settings));
	for (number = 0; number < op_x86_numbers(model); number++) {
		if (offered && !offered(model, number))
			continue;
		limit_numbers(number, model);
		err = create_counter(root, number);
		if (err)
			return err;
	}
	return 0;
}

static u64 select_of(const struct op_x86_setting *setting)
{
	u64 select = ARCH_PERFMON_EVENTSEL_INT | ARCH_PERFMON_EVENTSEL_ENABLE |
		     (setting->event & 0xff) | (u64)(setting->event & 0xf00) << 24 |
		     setting->unit_mask << 8 | setting->extra;

	if (setting->user)
		select |= ARCH_PERFMON_EVENTSEL_USR;
	if (setting->kernel)
		select |= ARCH_PERFMON_EVENTSEL_OS;
	return select;
}

static int compile_general(const struct op_x86_model *model, struct op_x86_program *program)
{
	unsigned int at = program->hardware * model->bank.stride;

	program->control_msr = model->bank.control + at;
	program->counter_msr = model->bank.counter + at;
	program->write_msr = model->bank.write + at;
	program->global_bit = BIT_ULL(program->hardware);
	program->control = program->select;
	return 0;
}

/* SDM volume 3, "Fixed-function Performance Counters": what each of them counts. */
static const struct {
	u8 event;
	u8 unit_mask;
} fixed_events[] = {
	{ 0xc0, 0x00 }, /* instructions retired */
	{ 0x3c, 0x00 }, /* core cycles */
	{ 0x3c, 0x01 }, /* reference cycles */
};

#define FIXED_OS BIT(0)
#define FIXED_USER BIT(1)
#define FIXED_PMI BIT(3)

static int compile_fixed(const struct op_x86_model *model, const struct op_x86_setting *setting,
			 struct op_x86_program *program)
{
	unsigned int index = program->hardware - model->nr_general;
	u64 bits = FIXED_PMI;

	if (setting->event != fixed_events[index].event ||
	    setting->unit_mask != fixed_events[index].unit_mask || setting->extra) {
		op_log_refusal("counter %u counts event 0x%02x with unit mask 0x%02x only\n",
			       program->number, fixed_events[index].event,
			       fixed_events[index].unit_mask);
		return -EINVAL;
	}
	program->fixed = true;
	program->control_msr = MSR_CORE_PERF_FIXED_CTR_CTRL;
	program->counter_msr = MSR_CORE_PERF_FIXED_CTR0 + index;
	program->write_msr = program->counter_msr;
	program->global_bit = BIT_ULL(32 + index);
	if (setting->kernel)
		bits |= FIXED_OS;
	if (setting->user)
		bits |= FIXED_USER;
	program->control = bits << (4 * index);
	return 0;
}

int op_x86_counter_compile(const struct op_x86_model *model, unsigned int number,
			   const struct op_x86_setting *setting, struct op_x86_program *program)
{
	memset(program, 0, sizeof(*program));
	if (!setting->count || !(setting->kernel || setting->user)) {
		op_log_refusal("counter %u is enabled, but %s\n", number,
			       setting->count ? "counts neither kernel nor user code" :
						"has no count");
		return -EINVAL;
	}
	program->number = number;
	program->hardware = op_x86_hardware_counter(model, number);
	program->count = setting->count;
	program->select = select_of(setting);
	if (program->hardware < model->nr_general)
		return compile_general(model, program);
	return compile_fixed(model, setting, program);
}

int op_x86_counters_compile(const struct op_x86_model *model, struct op_x86_program *programs)
{
	unsigned int number;
	int nr = 0;
	int err;

	for (number = 0; number < op_x86_numbers(model); number++) {
		if (!settings[number].enabled)
			continue;
		err = op_x86_counter_compile(model, number, &settings[number], &programs[nr]);
		if (err)
			return err;
		nr++;
	}
	if (!nr) {
		op_log_refusal("no counter is enabled\n");
		return -EINVAL;
	}
	return nr;
}

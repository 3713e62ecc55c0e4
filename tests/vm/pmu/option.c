// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * QEMU runs with the C library of Debian 12.  With GNU's extensions, that of Debian 13 has numbers
 * read by functions that 12 has not.
 */
#undef _GNU_SOURCE

#include "option.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANGES_MAX (sizeof(((struct options *)0)->range) / sizeof(((struct options *)0)->range[0]))

/* A whole text that is a number of that base. */
static int parse_number(const char *text, int base, char end, uint64_t *value, const char **rest)
{
	char *stop;

	if (!((*text >= '0' && *text <= '9') || (base == 16 && *text)) || *text == '-' ||
	    *text == '+' || *text == ' ')
		return -1;
	errno = 0;
	*value = strtoull(text, &stop, base);
	if (errno || stop == text || *stop != end)
		return -1;
	*rest = stop + 1;
	return 0;
}

static int parse_count(const char *text, unsigned int *value)
{
	const char *rest;
	uint64_t wide;

	if (parse_number(text, 10, '\0', &wide, &rest) || wide > 1000)
		return -1;
	*value = wide;
	return 0;
}

static int parse_range(const char *text, struct options *options)
{
	uint64_t start, end;
	const char *rest;

	if (options->ranges == RANGES_MAX)
		return -1;
	if (!strcmp(text, "kernel")) {
		start = UINT64_C(0xffffffff80000000);
		end = UINT64_MAX;
	} else if (parse_number(text, 16, '-', &start, &rest) ||
		   parse_number(rest, 16, '\0', &end, &rest) || start >= end) {
		return -1;
	}
	options->range[options->ranges].start = start;
	options->range[options->ranges].end = end;
	options->ranges++;
	return 0;
}

static int parse_model(const char *text, struct options *options)
{
	const struct pmu_model *model = pmu_model_find(text);

	if (!model)
		return -1;
	options->model = *model;
	return 0;
}

/* How LVTPC behaves when its interrupt is delivered. */
static int parse_lvtpc(const char *text, struct pmu_model *model)
{
	if (strcmp(text, "mask") && strcmp(text, "keep"))
		return -1;
	model->masks_lvtpc = !strcmp(text, "mask");
	return 0;
}

/* Returns 0, -1 if the value is bad, -2 if there is no such key. */
static int parse(struct options *options, const char *key, const char *value)
{
	if (!strcmp(key, "model"))
		return 0; /* already known */
	if (!strcmp(key, "counters"))
		return parse_count(value, &options->model.general);
	if (!strcmp(key, "fixed"))
		return parse_count(value, &options->model.fixed);
	if (!strcmp(key, "width")) {
		int status = parse_count(value, &options->model.width);

		if (options->model.fixed)
			options->model.fixed_width = options->model.width;
		return status;
	}
	if (!strcmp(key, "lvtpc"))
		return parse_lvtpc(value, &options->model);
	if (!strcmp(key, "range"))
		return parse_range(value, options);
	if (!strcmp(key, "histogram")) {
		options->histogram = value;
		return *value ? 0 : -1;
	}
	return -2;
}

static int fail(char error[OPTION_ERROR], const char *argument, const char *why)
{
	snprintf(error, OPTION_ERROR, "%s: %s", argument, why);
	return -1;
}

int options_parse(struct options *options, int count, char **argument, char error[OPTION_ERROR])
{
	const char *flaw;

	memset(options, 0, sizeof(*options));
	/* the model comes first, wherever it stands: the others change it */
	for (int i = 0; i < count; i++) {
		if (strncmp(argument[i], "model=", 6))
			continue;
		if (options->model.name)
			return fail(error, argument[i], "a second model");
		if (parse_model(argument[i] + 6, options))
			return fail(error, argument[i], "there is no such model");
	}
	if (!options->model.name)
		return fail(error, "model", "this option must be given");
	for (int i = 0; i < count; i++) {
		char key[16];
		const char *value = strchr(argument[i], '=');
		int status = -2;

		if (value && value - argument[i] < (int)sizeof(key)) {
			memcpy(key, argument[i], value - argument[i]);
			key[value - argument[i]] = '\0';
			status = parse(options, key, value + 1);
		}
		if (status == -2)
			return fail(error, argument[i], "there is no such option");
		if (status)
			return fail(error, argument[i], "not a value of this option");
	}
	if (options->histogram && !options->ranges)
		return fail(error, "histogram", "it needs a range");
	flaw = pmu_model_flaw(&options->model);
	return flaw ? fail(error, options->model.name, flaw) : 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of options, by way of popt. */
#include "pp/tool/shared_options.h"

#include <errno.h>
#include <popt.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"

/* ---- types ---- */

static int take_flag(void *field, const char *name, const char *text, struct op_error *error)
{
	(void)name, (void)text, (void)error;
	*(bool *)field = true;
	return 0;
}

static int take_text(void *field, const char *name, const char *text, struct op_error *error)
{
	char **out = field;

	if (!*text)
		return op_error_set(error, EINVAL, "%s: empty argument", name);
	free(*out);
	*out = pp_copy(text);
	return 0;
}

static void release_text(void *field)
{
	free(*(char **)field);
	*(char **)field = NULL;
}

static int take_list(void *field, const char *name, const char *text, struct op_error *error)
{
	struct op_strings *list = field;
	size_t first = list->count;

	if (op_strings_split(list, text, ','))
		pp_out_of_memory();
	for (size_t i = first; i < list->count; i++)
		if (!*list->item[i])
			return op_error_set(error, EINVAL, "%s=%s: empty item in the list", name,
					    text);
	return 0;
}

static void release_list(void *field)
{
	op_strings_free(field);
}

static int take_percent(void *field, const char *name, const char *text, struct op_error *error)
{
	double value;
	char *end;

	errno = 0;
	value = strtod(text, &end);
	if (errno || end == text || *end || !(value >= 0) || value > 100)
		return op_error_set(error, EINVAL, "%s=%s: not a percentage from 0 to 100", name,
				    text);
	*(double *)field = value;
	return 0;
}

static int take_merge(void *field, const char *name, const char *text, struct op_error *error)
{
	(void)name; /* it is --merge wherever it is */
	return pp_merge_parse(field, text, error);
}

static int take_demangle(void *field, const char *name, const char *text, struct op_error *error)
{
	static const char *const styles[] = {[PP_DEMANGLE_NONE] = "none",
					     [PP_DEMANGLE_NORMAL] = "normal",
					     [PP_DEMANGLE_SMART] = "smart"};

	for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++) {
		if (!strcmp(text, styles[i])) {
			*(enum pp_demangle *)field = i;
			return 0;
		}
	}
	return op_error_set(error, EINVAL, "%s=%s: it is one of none, normal, smart", name, text);
}

const struct pp_option_type pp_option_flag = {.take = take_flag};
const struct pp_option_type pp_option_text = {.take = take_text, .release = release_text};
const struct pp_option_type pp_option_list = {.take = take_list, .release = release_list};
const struct pp_option_type pp_option_percent = {.take = take_percent};
const struct pp_option_type pp_option_merge = {.take = take_merge};
const struct pp_option_type pp_option_demangle = {.take = take_demangle};

/* ---- popt ---- */

#define TABLES_MAX 8
/* popt hands out one number an option: that of the table and of the row. */
#define TABLE_SHIFT 8

static struct poptOption *make_table(const struct pp_option *rows, size_t table)
{
	struct poptOption *made;
	size_t n = 0;

	while (rows[n].name)
		n++;
	made = pp_alloc(n + 1, sizeof(*made));
	for (size_t i = 0; i < n; i++)
		made[i] = (struct poptOption){
			.longName = rows[i].name,
			.shortName = rows[i].letter,
			.argInfo = rows[i].argument ? POPT_ARG_STRING : POPT_ARG_NONE,
			.val = (int)((table + 1) << TABLE_SHIFT | i),
			.descrip = rows[i].help,
			.argDescrip = rows[i].argument,
		};
	return made;
}

static int take(const struct pp_option_table *tables, int number, const char *text,
		struct op_error *error)
{
	const struct pp_option_table *table = &tables[(number >> TABLE_SHIFT) - 1];
	const struct pp_option *row = &table->rows[number & ((1 << TABLE_SHIFT) - 1)];
	char *name = pp_format("--%s", row->name);
	int result = row->type->take((char *)table->fields + row->field, name, text, error);

	free(name);
	return result;
}

static int read_all(const struct pp_option_table *tables, poptContext context,
		    struct op_strings *words, struct op_error *error)
{
	const char **rest;
	int number;

	while ((number = poptGetNextOpt(context)) > 0) {
		char *text = poptGetOptArg(context);
		int result = take(tables, number, text, error);

		free(text);
		if (result)
			return -1;
	}
	if (number < -1)
		return op_error_set(error, EINVAL, "%s: %s",
				    poptBadOption(context, POPT_BADOPTION_NOALIAS),
				    poptStrerror(number));
	rest = poptGetArgs(context);
	for (size_t i = 0; rest && rest[i]; i++)
		if (op_strings_add(words, rest[i]))
			pp_out_of_memory();
	return 0;
}

int pp_options_read(const struct pp_option_table *tables, const char *synopsis, int argc,
		    const char **argv, struct op_strings *words, struct op_error *error)
{
	struct poptOption help[] = {POPT_AUTOHELP POPT_TABLEEND};
	struct poptOption all[TABLES_MAX + 2] = {{0}};
	poptContext context;
	size_t n = 0;
	int result;

	for (; n < TABLES_MAX && tables[n].rows; n++)
		all[n] = (struct poptOption){
			.argInfo = POPT_ARG_INCLUDE_TABLE,
			.arg = make_table(tables[n].rows, n),
			/* What has no rows has no place in the help. */
			.descrip = tables[n].rows->name ? tables[n].title : NULL,
		};
	all[n] = help[0];
	context = poptGetContext(op_program(), argc, argv, all, 0);
	poptSetOtherOptionHelp(context, synopsis);
	result = read_all(tables, context, words, error);
	poptFreeContext(context);
	for (size_t i = 0; i < n; i++)
		free(all[i].arg);
	return result;
}

void pp_options_release(const struct pp_option_table *tables)
{
	for (; tables->rows; tables++)
		for (const struct pp_option *row = tables->rows; row->name; row++)
			if (row->type->release)
				row->type->release((char *)tables->fields + row->field);
}

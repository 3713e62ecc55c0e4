// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of options, read with popt: see option.h. */
#include "option.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "similar.h"

/* ---- errors ---- */

int op_option_refuse(const struct op_option *option, const char *text, struct op_error *error,
		     const char *format, ...)
{
	const char letter[] = {option->letter, '\0'};
	char reason[sizeof(error->text)];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	return op_error_set(error, EINVAL, "%s%s%s%s: %s", option->name ? "--" : "-",
			    option->name ? option->name : letter, text ? "=" : "", text ? text : "",
			    reason);
}

int op_usage_error(const struct op_error *error)
{
	op_complain("%s", error->text);
	fprintf(stderr, "Try '%s --help'.\n", op_program());
	return OP_EXIT_USAGE;
}

/* ---- types ---- */

static int take_flag(const struct op_option *option, void *field, const char *text,
		     struct op_error *error)
{
	(void)option, (void)text, (void)error;
	*(bool *)field = true;
	return 0;
}

static int take_text(const struct op_option *option, void *field, const char *text,
		     struct op_error *error)
{
	char **out = field;

	if (!*text)
		return op_option_refuse(option, text, error, "empty argument");
	free(*out);
	*out = strdup(text);
	return *out ? 0 : op_error_memory(error);
}

static void release_text(void *field)
{
	free(*(char **)field);
	*(char **)field = NULL;
}

static int take_list(const struct op_option *option, void *field, const char *text,
		     struct op_error *error)
{
	struct op_strings *list = field;
	size_t first = list->count;

	if (op_strings_split(list, text, ','))
		return op_error_memory(error);
	for (size_t i = first; i < list->count; i++)
		if (!*list->item[i])
			return op_option_refuse(option, text, error, "empty item in the list");
	return 0;
}

static void release_list(void *field)
{
	op_strings_free(field);
}

static int add_pid(struct op_pids *pids, pid_t pid, struct op_error *error)
{
	pid_t *larger = reallocarray(pids->item, pids->count + 1, sizeof(*larger));

	if (!larger)
		return op_error_memory(error);
	pids->item = larger;
	larger[pids->count++] = pid;
	return 0;
}

static int take_pids(const struct op_option *option, void *field, const char *text,
		     struct op_error *error)
{
	struct op_strings list = {0};
	int result = op_strings_split(&list, text, ',') ? op_error_memory(error) : 0;
	uint64_t pid;

	for (size_t i = 0; !result && i < list.count; i++) {
		if (op_number_parse(list.item[i], option->name, 1, INT_MAX, &pid, NULL))
			result = op_option_refuse(option, text, error, "\"%s\" is not an id",
						  list.item[i]);
		else
			result = add_pid(field, (pid_t)pid, error);
	}
	op_strings_free(&list);
	return result;
}

static void release_pids(void *field)
{
	struct op_pids *pids = field;

	free(pids->item);
	*pids = (struct op_pids){0};
}

static int take_number(const struct op_option *option, void *field, const char *text,
		       struct op_error *error)
{
	if (!op_number_parse(text, option->name, option->min, option->max, field, NULL))
		return 0;
	return op_option_refuse(option, text, error, "not a number from %" PRIu64 " to %" PRIu64,
				option->min, option->max);
}

static int take_percent(const struct op_option *option, void *field, const char *text,
			struct op_error *error)
{
	if (op_percent_all(text, field))
		return 0;
	return op_option_refuse(option, text, error, "not a percentage from 0 to 100");
}

static int take_word(const struct op_option *option, void *field, const char *text,
		     struct op_error *error)
{
	struct op_similar similar = op_similar_of(text, option->words);
	char all[256] = "";
	size_t length = 0;

	for (unsigned int i = 0; option->words[i]; i++) {
		if (!strcmp(text, option->words[i])) {
			*(unsigned int *)field = i;
			return 0;
		}
		if (length < sizeof(all))
			length += (size_t)snprintf(all + length, sizeof(all) - length, "%s%s",
						   i ? ", " : "", option->words[i]);
	}
	return op_option_refuse(option, text, error, "not one of %s" OP_SIMILAR_FORMAT, all,
				OP_SIMILAR_ARGUMENTS(similar, ""));
}

static int take_action(const struct op_option *option, void *field, const char *text,
		       struct op_error *error)
{
	const struct op_option **chosen = field;

	(void)text;
	if (*chosen && *chosen != option)
		return op_error_set(error, EINVAL, "--%s and --%s exclude each other",
				    (*chosen)->name, option->name);
	*chosen = option;
	return 0;
}

static int take_nothing(const struct op_option *option, void *field, const char *text,
			struct op_error *error)
{
	(void)option, (void)field, (void)text, (void)error;
	return 0;
}

static int refuse_with_hint(const struct op_option *option, void *field, const char *text,
			    struct op_error *error)
{
	(void)field, (void)text;
	return op_option_refuse(option, NULL, error, "%s", option->hint);
}

static int show_version(const struct op_option *option, void *field, const char *text,
			struct op_error *error)
{
	(void)option, (void)field, (void)text, (void)error;
	printf("%s: oprofile " OP_VERSION "\n", op_program());
	exit(OP_EXIT_OK);
}

const struct op_option_type op_option_flag = {.take = take_flag};
const struct op_option_type op_option_text = {.take = take_text, .release = release_text};
const struct op_option_type op_option_list = {.take = take_list, .release = release_list};
const struct op_option_type op_option_pids = {.take = take_pids, .release = release_pids};
const struct op_option_type op_option_number = {.take = take_number};
const struct op_option_type op_option_percent = {.take = take_percent};
const struct op_option_type op_option_word = {.take = take_word};
const struct op_option_type op_option_action = {.take = take_action};
const struct op_option_type op_option_ignored = {.take = take_nothing};
const struct op_option_type op_option_hint = {.take = refuse_with_hint};
const struct op_option_type op_option_version = {.take = show_version};

/* ---- what there is ---- */

static void print_row(const struct op_option *row)
{
	const char letter[] = {row->letter, '\0'};

	printf("%s\t%s\t%s\t%s\t", row->name ? row->name : "", letter,
	       row->argument ? row->argument : "", row->optional ? "optional" : "");
	for (size_t i = 0; row->words && row->words[i]; i++)
		printf("%s%s", i ? " " : "", row->words[i]);
	printf("\t%s\n", row->help);
}

/* Ends the program if it is asked for its options. */
static void answer_table(const struct op_option_table *tables, const char *synopsis, int argc,
			 const char **argv)
{
	if (argc != 2 || strcmp(argv[1], OP_OPTION_TABLE) != 0)
		return;
	printf("%s\n", synopsis);
	for (; tables->rows; tables++)
		for (const struct op_option *row = tables->rows; row->type; row++)
			if (row->help)
				print_row(row);
	exit(fflush(stdout) || ferror(stdout) ? OP_EXIT_FAILURE : OP_EXIT_OK);
}

/* ---- popt ---- */

#define TABLES_MAX 8
/* popt returns one number per option: that of the table and of the row. */
#define TABLE_SHIFT 8

/* A command line while it is read: popt's form of the tables, and the last one is the help. */
struct reader {
	poptContext context;
	struct poptOption tables[TABLES_MAX + 2];
	size_t count; /* of tables, without the help */
};

static unsigned int argument_flags(const struct op_option *row)
{
	unsigned int flags = POPT_ARG_NONE;

	if (row->argument)
		flags = POPT_ARG_STRING;
	if (row->optional)
		flags |= POPT_ARGFLAG_OPTIONAL;
	if (!row->help)
		flags |= POPT_ARGFLAG_DOC_HIDDEN;
	return flags;
}

static struct poptOption *make_table(const struct op_option *rows, size_t table)
{
	struct poptOption *made;
	size_t n = 0;

	while (rows[n].type)
		n++;
	made = calloc(n + 1, sizeof(*made));
	for (size_t i = 0; made && i < n; i++)
		made[i] = (struct poptOption){
			.longName = rows[i].name,
			.shortName = rows[i].letter,
			.argInfo = argument_flags(&rows[i]),
			.val = (int)((table + 1) << TABLE_SHIFT | i),
			.descrip = rows[i].help,
			.argDescrip = rows[i].argument,
		};
	return made;
}

static void close_reader(struct reader *reader)
{
	if (reader->context)
		poptFreeContext(reader->context);
	for (size_t i = 0; i < reader->count; i++)
		free(reader->tables[i].arg);
}

/* @flags: POPT_CONTEXT_...  Return: 0, or -1 with @error set; close_reader() in any case. */
static int open_reader(struct reader *reader, const struct op_option_table *tables,
		       const char *synopsis, int argc, const char **argv, unsigned int flags,
		       struct op_error *error)
{
	static struct poptOption help[] = {POPT_AUTOHELP POPT_TABLEEND};

	answer_table(tables, synopsis, argc, argv);
	*reader = (struct reader){0};
	while (reader->count < TABLES_MAX && tables[reader->count].rows) {
		size_t n = reader->count++;

		reader->tables[n] = (struct poptOption){
			.argInfo = POPT_ARG_INCLUDE_TABLE,
			.arg = make_table(tables[n].rows, n),
			/* the help does not list an empty table */
			.descrip = tables[n].rows->type ? tables[n].title : NULL,
		};
		if (!reader->tables[n].arg)
			return op_error_memory(error);
	}
	reader->tables[reader->count] = help[0];
	reader->context = poptGetContext(op_program(), argc, argv, reader->tables, flags);
	if (!reader->context)
		return op_error_memory(error);
	poptSetOtherOptionHelp(reader->context, synopsis);
	return 0;
}

static int option_table_take(const struct op_option_table *tables, int number, const char *text,
			     struct op_error *error)
{
	const struct op_option_table *table = &tables[(number >> TABLE_SHIFT) - 1];
	const struct op_option *row = &table->rows[number & ((1 << TABLE_SHIFT) - 1)];

	return row->type->take(row, (char *)table->fields + row->field, text, error);
}

/* The name that the help lists and that is nearest to @name. */
static struct op_similar similar_option(const struct op_option_table *tables, const char *name)
{
	struct op_similar similar = {.word = name};

	for (; tables->rows; tables++)
		for (const struct op_option *row = tables->rows; row->type; row++)
			if (row->name && row->help)
				op_similar_try(&similar, row->name);
	return similar;
}

/* @number: popt's error.  An unknown name may be one that the help lists. */
static int refuse_bad(const struct op_option_table *tables, const char *bad, int number,
		      struct op_error *error)
{
	size_t length = strcspn(bad, "=");
	struct op_similar similar = {0};
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)(length > 2 ? length - 2 : 0), bad + 2);
	if (number == POPT_ERROR_BADOPT && length > 2)
		similar = similar_option(tables, name);
	return op_error_set(error, EINVAL, "%s: %s" OP_SIMILAR_FORMAT, bad, poptStrerror(number),
			    OP_SIMILAR_ARGUMENTS(similar, "--"));
}

/* A word where there is none may be an option without its dashes. */
static int refuse_word(const struct op_option_table *tables, const char *word,
		       struct op_error *error)
{
	struct op_similar similar = similar_option(tables, word);

	return op_error_set(error, EINVAL, "\"%s\" is not an option" OP_SIMILAR_FORMAT, word,
			    OP_SIMILAR_ARGUMENTS(similar, "--"));
}

static int read_options(const struct op_option_table *tables, poptContext context,
			struct op_error *error)
{
	int number;

	while ((number = poptGetNextOpt(context)) > 0) {
		char *text = poptGetOptArg(context);
		int result = option_table_take(tables, number, text, error);

		free(text);
		if (result)
			return -1;
	}
	if (number < -1)
		return refuse_bad(tables, poptBadOption(context, POPT_BADOPTION_NOALIAS), number,
				  error);
	return 0;
}

static int read_words(const struct op_option_table *tables, poptContext context,
		      struct op_strings *words, struct op_error *error)
{
	const char **rest = poptGetArgs(context);

	if (!words && rest && *rest)
		return refuse_word(tables, *rest, error);
	for (size_t i = 0; rest && rest[i]; i++)
		if (op_strings_add(words, rest[i]))
			return op_error_memory(error);
	return 0;
}

int op_options_read(const struct op_option_table *tables, const char *synopsis, int argc,
		    const char **argv, struct op_strings *words, struct op_error *error)
{
	struct reader reader;
	int result = open_reader(&reader, tables, synopsis, argc, argv, 0, error);

	if (!result)
		result = read_options(tables, reader.context, error);
	if (!result)
		result = read_words(tables, reader.context, words, error);
	close_reader(&reader);
	return result;
}

int op_options_read_command(const struct op_option_table *tables, const char *synopsis, int argc,
			    const char **argv, char ***command, struct op_error *error)
{
	struct reader reader;
	int result = open_reader(&reader, tables, synopsis, argc, argv, POPT_CONTEXT_POSIXMEHARDER,
				 error);
	const char **rest;
	int count = 0;

	if (!result)
		result = read_options(tables, reader.context, error);
	rest = result ? NULL : poptGetArgs(reader.context);
	while (rest && rest[count])
		count++;
	*command = count ? (char **)argv + argc - count : NULL;
	close_reader(&reader);
	return result;
}

void op_options_print_help(const struct op_option_table *tables, const char *synopsis)
{
	const char *argv[] = {op_program(), NULL};
	struct reader reader;

	if (!open_reader(&reader, tables, synopsis, 1, argv, 0, NULL))
		poptPrintHelp(reader.context, stdout, 0);
	close_reader(&reader);
}

void op_options_release(const struct op_option_table *tables)
{
	for (; tables->rows; tables++)
		for (const struct op_option *row = tables->rows; row->type; row++)
			if (row->type->release)
				row->type->release((char *)tables->fields + row->field);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Command lines of the report tools. */
#include "pp/arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/session.h"
#include "pp/memory.h"

int pp_argument_threshold(double *out, const char *text, struct op_error *error)
{
	double value;
	char *end;

	errno = 0;
	value = strtod(text, &end);
	if (errno || end == text || *end || !(value >= 0) || value > 100)
		return op_error_set(error, EINVAL, "--threshold=%s: not a percentage from 0 to 100",
				    text);
	*out = value;
	return 0;
}

int pp_argument_demangle(enum pp_demangle *out, const char *text, struct op_error *error)
{
	if (!strcmp(text, "none"))
		*out = PP_DEMANGLE_NONE;
	else if (!strcmp(text, "normal"))
		*out = PP_DEMANGLE_NORMAL;
	else if (!strcmp(text, "smart"))
		*out = PP_DEMANGLE_SMART;
	else
		return op_error_set(error, EINVAL,
				    "--demangle=%s: it is one of none, normal, smart", text);
	return 0;
}

int pp_argument_verbose(bool *verbose, bool *stats, const char *list, struct op_error *error)
{
	static const char *const topics[] = {"all",   "debug", "bfd", "level1",
					     "sfile", "stats", "xml"};
	char *copy = pp_copy(list), *rest = copy, *item;
	int result = 0;

	while (!result && (item = strsep(&rest, ",")) != NULL) {
		size_t i = 0;

		while (i < sizeof(topics) / sizeof(topics[0]) && strcmp(item, topics[i]))
			i++;
		if (i == sizeof(topics) / sizeof(topics[0]))
			result = op_error_set(error, EINVAL,
					      "--verbose=%s: '%s' is none of all, debug, bfd, "
					      "level1, sfile, stats, xml",
					      list, item);
		*stats |= !strcmp(item, "stats") || !strcmp(item, "all");
		*verbose |= strcmp(item, "stats") != 0;
	}
	free(copy);
	return result;
}

int pp_argument_list(struct op_strings *list, const char *text, const char *what,
		     struct op_error *error)
{
	size_t first = list->count;

	if (op_strings_split(list, text, ','))
		pp_out_of_memory();
	for (size_t i = first; i < list->count; i++)
		if (!*list->item[i])
			return op_error_set(error, EINVAL, "%s=%s: empty item in the list", what,
					    text);
	return 0;
}

int pp_argument_text(char **out, const char *text, const char *what, struct op_error *error)
{
	if (!*text)
		return op_error_set(error, EINVAL, "%s: empty argument", what);
	free(*out);
	*out = pp_copy(text);
	return 0;
}

enum common_option {
	COMMON_SESSION_DIR = 1000, /* above those of the tools */
	COMMON_IMAGE_PATH,
	COMMON_ROOT,
	COMMON_VERBOSE,
	COMMON_VERSION,
};

static const struct poptOption session_table[] = {
	{"session-dir", 0, POPT_ARG_STRING, NULL, COMMON_SESSION_DIR,
	 "where the sessions are (default: oprofile_data, or " OP_SESSION_DEFAULT_DIR ")", "dir"},
	{"image-path", 'p', POPT_ARG_STRING, NULL, COMMON_IMAGE_PATH,
	 "search these directories for images, too", "dirs"},
	{"root", 'R', POPT_ARG_STRING, NULL, COMMON_ROOT, "images are below this directory", "dir"},
	POPT_TABLEEND};

static const struct poptOption common_table[] = {
	{"verbose", 'V', POPT_ARG_STRING, NULL, COMMON_VERBOSE, "show every warning (all)",
	 "all,..."},
	{"version", 'v', POPT_ARG_NONE, NULL, COMMON_VERSION, "show the version", NULL},
	POPT_TABLEEND};

static enum pp_options_result take(struct pp_common *common, const struct pp_command *command,
				   int option, const char *text, struct op_error *error)
{
	bool stats = false; /* only opreport has them */
	int result;

	switch (option) {
	case COMMON_SESSION_DIR:
		common->session_given = true;
		result = pp_argument_text(&common->session_dir, text, "--session-dir", error);
		break;
	case COMMON_IMAGE_PATH:
		result = pp_argument_list(&common->image_paths, text, "--image-path", error);
		break;
	case COMMON_ROOT:
		result = pp_argument_text(&common->root, text, "--root", error);
		break;
	case COMMON_VERBOSE:
		result = pp_argument_verbose(&common->verbose, &stats, text, error);
		break;
	case COMMON_VERSION:
		printf("%s: oprofile " OP_VERSION "\n", command->name);
		return PP_OPTIONS_DONE;
	default:
		result = command->take(command->context, option, text, error);
	}
	return result ? PP_OPTIONS_WRONG : PP_OPTIONS_RUN;
}

static void finish(struct pp_common *common, poptContext context)
{
	const char **words = poptGetArgs(context);
	char *chosen = op_session_dir(common->session_dir);

	for (size_t i = 0; words && words[i]; i++)
		if (op_strings_add(&common->words, words[i]))
			pp_out_of_memory();
	if (!chosen)
		pp_out_of_memory();
	free(common->session_dir);
	common->session_dir = chosen;
}

enum pp_options_result pp_arguments_parse(struct pp_common *common,
					  const struct pp_command *command, int argc,
					  const char **argv, struct op_error *error)
{
	static const struct poptOption none[] = {POPT_TABLEEND};
	const struct poptOption *session = command->no_session ? none : session_table;
	const struct poptOption table[] = {
		{NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)command->table, 0, NULL, NULL},
		{NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)session, 0,
		 command->no_session ? NULL : "Where things are:", NULL},
		{NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)common_table, 0,
		 "Options of all report tools:", NULL},
		POPT_AUTOHELP POPT_TABLEEND};
	poptContext context = poptGetContext(command->name, argc, argv, table, 0);
	enum pp_options_result result = PP_OPTIONS_RUN;
	int option = -1;

	memset(common, 0, sizeof(*common));
	poptSetOtherOptionHelp(context, command->usage);
	while (result == PP_OPTIONS_RUN && (option = poptGetNextOpt(context)) > 0) {
		char *text = poptGetOptArg(context);

		result = take(common, command, option, text, error);
		free(text);
	}
	if (result == PP_OPTIONS_RUN && option < -1) {
		op_error_set(error, EINVAL, "%s: %s",
			     poptBadOption(context, POPT_BADOPTION_NOALIAS), poptStrerror(option));
		result = PP_OPTIONS_WRONG;
	}
	finish(common, context);
	poptFreeContext(context);
	return result;
}

void pp_common_free(struct pp_common *common)
{
	free(common->session_dir);
	free(common->root);
	op_strings_free(&common->image_paths);
	op_strings_free(&common->words);
}

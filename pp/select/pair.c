// SPDX-License-Identifier: GPL-2.0-or-later
/* Pairs of specifications in braces. */
#include "pair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/memory.h"

static void select_pair_add(struct op_strings *list, const char *word)
{
	if (op_strings_add(list, word))
		op_out_of_memory();
}

static int wrong(struct op_error *error)
{
	return op_error_set(error, EINVAL,
			    "a difference needs two pairs of braces: { OLD } { NEW }");
}

/* Words outside of braces belong to both; adds those before the ones inside. */
static void add_common(struct pp_pair *pair, const struct op_strings *words)
{
	bool inside = false;

	for (size_t i = 0; i < words->count; i++) {
		const char *word = words->item[i];

		if (!strcmp(word, "{") || !strcmp(word, "}")) {
			inside = *word == '{';
		} else if (!inside && strcmp(word, "{}") != 0) {
			select_pair_add(&pair->words[0], word);
			select_pair_add(&pair->words[1], word);
		}
	}
}

#define SESSION_OPTION "--session-dir"
#define SESSION_TAG    "session-dir:"

/*
 * The directory of "--session-dir=DIR", or of "--session-dir" "DIR", which advances *@i; NULL if
 * @argv[*@i] is another word.
 */
static const char *session_option(int argc, char **argv, int *i)
{
	size_t n = strlen(SESSION_OPTION);

	if (strncmp(argv[*i], SESSION_OPTION, n) != 0)
		return NULL;
	if (argv[*i][n] == '=')
		return argv[*i] + n + 1;
	return !argv[*i][n] && *i + 1 < argc ? argv[++*i] : NULL;
}

static int add_inside(struct op_strings *out, int argc, char **argv, int *i, struct op_error *error)
{
	const char *given = argv[*i], *dir = session_option(argc, argv, i);
	char *word;

	if (!dir && given[0] == '-')
		return op_error_set(error, EINVAL,
				    "%s: of all options only " SESSION_OPTION
				    " may stand inside of braces",
				    given);
	if (!dir) {
		select_pair_add(out, given);
		return 0;
	}
	word = op_format(SESSION_TAG "%s", dir);
	select_pair_add(out, word);
	free(word);
	return 0;
}

int pp_pair_options(struct op_strings *out, int argc, char **argv, struct op_error *error)
{
	bool inside = false;

	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "{") || !strcmp(argv[i], "}"))
			inside = argv[i][0] == '{';
		else if (inside && add_inside(out, argc, argv, &i, error))
			return -1;
		else if (inside)
			continue;
		select_pair_add(out, argv[i]);
	}
	return 0;
}

int pp_pair_split(struct pp_pair *pair, const struct op_strings *words, struct op_error *error)
{
	size_t n_own[2] = {0}, closed = 0;
	bool inside = false;

	memset(pair, 0, sizeof(*pair));
	add_common(pair, words);
	for (size_t i = 0; i < words->count; i++) {
		const char *word = words->item[i];
		bool both = !strcmp(word, "{}"), opens = both || !strcmp(word, "{");
		bool closes = both || !strcmp(word, "}");

		if ((opens && (inside || closed == 2)) || (closes && !both && !inside))
			return wrong(error);
		if (!opens && !closes && inside) {
			select_pair_add(&pair->words[closed], word);
			n_own[closed]++;
		}
		inside = (inside || opens) && !closes;
		closed += closes;
	}
	pair->is_pair = pair->has_braces = closed > 0;
	if (inside || closed == 1)
		return wrong(error);
	if (closed && !n_own[0] && n_own[1])
		return op_error_set(error, EINVAL,
				    "the first pair of braces is empty, but not the "
				    "second");
	if (!closed)
		op_strings_free(&pair->words[1]);
	return 0;
}

static bool is_brace(const char *word)
{
	return !strcmp(word, "{") || !strcmp(word, "}") || !strcmp(word, "{}");
}

int pp_pair_of_two(struct pp_pair *pair, const struct op_strings *words, struct op_error *error)
{
	for (size_t i = 0; i < words->count; i++)
		if (is_brace(words->item[i]))
			return pp_pair_split(pair, words, error);
	memset(pair, 0, sizeof(*pair));
	pair->is_pair = true;
	if (words->count < 2)
		return op_error_set(error, EINVAL,
				    "two profiles are needed, the old one and the new one: session "
				    "directories, sessions, archives or files of other profilers");
	for (size_t which = 0; which < 2; which++) {
		select_pair_add(&pair->words[which], words->item[which]);
		for (size_t i = 2; i < words->count; i++)
			select_pair_add(&pair->words[which], words->item[i]);
	}
	return 0;
}

void pp_pair_free(struct pp_pair *pair)
{
	op_strings_free(&pair->words[0]);
	op_strings_free(&pair->words[1]);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Pairs of specifications in braces. */
#include "pair.h"

#include <errno.h>
#include <string.h>

#include "libop/base/memory.h"

static void add(struct op_strings *list, const char *word)
{
	if (op_strings_add(list, word))
		pp_out_of_memory();
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
			add(&pair->words[0], word);
			add(&pair->words[1], word);
		}
	}
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
			add(&pair->words[closed], word);
			n_own[closed]++;
		}
		inside = (inside || opens) && !closes;
		closed += closes;
	}
	pair->is_pair = closed > 0;
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

void pp_pair_free(struct pp_pair *pair)
{
	op_strings_free(&pair->words[0]);
	op_strings_free(&pair->words[1]);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Searching events: see search.h.
 */
#include "search.h"

#include <errno.h>
#include <stdlib.h>

#include "libop/base/array.h"
#include "libop/base/strings.h"

static int compile_word(struct search *search, const char *word, struct op_error *error)
{
	char reason[128];
	int result;

	if (!*word)
		return 0;
	if (op_array_extend(search->word, search->count))
		return op_error_memory(error);
	result = regcomp(&search->word[search->count], word, REG_EXTENDED | REG_ICASE | REG_NOSUB);
	if (result) {
		regerror(result, &search->word[search->count], reason, sizeof(reason));
		return op_error_set(error, EINVAL, "--search: \"%s\": %s", word, reason);
	}
	search->count++;
	return 0;
}

int search_compile(struct search *search, const char *words, struct op_error *error)
{
	struct op_strings word = {0};
	int result = 0;

	*search = (struct search){0};
	if (!words)
		return 0;
	if (op_strings_split(&word, words, ' '))
		result = op_error_memory(error);
	for (size_t i = 0; !result && i < word.count; i++)
		result = compile_word(search, word.item[i], error);
	op_strings_free(&word);
	if (result)
		search_free(search);
	return result;
}

void search_free(struct search *search)
{
	for (size_t i = 0; i < search->count; i++)
		regfree(&search->word[i]);
	free(search->word);
	*search = (struct search){0};
}

static bool matches(const regex_t *word, const char *text)
{
	return text && !regexec(word, text, 0, NULL, 0);
}

static bool has_word(const regex_t *word, const struct op_catalogue_event *event)
{
	if (matches(word, event->name) || matches(word, event->description))
		return true;
	for (size_t i = 0; i < event->unit_mask->count; i++) {
		const struct op_unit_mask_entry *entry = &event->unit_mask->entry[i];

		if (!op_unit_mask_is_zero(event->unit_mask) &&
		    (matches(word, entry->name) || matches(word, entry->description)))
			return true;
	}
	return false;
}

bool search_finds(const struct search *search, const struct op_catalogue_event *event)
{
	for (size_t i = 0; i < search->count; i++) {
		if (!has_word(&search->word[i], event))
			return false;
	}
	return true;
}

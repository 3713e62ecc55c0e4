// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of perf: see perf_line.h. */
#include "perf_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf_add.h"
#include "perf_table.h"
#include "perf_values.h"

/* Where in the line. */
struct reader {
	struct perf_line *line;
	char **next; /* word that has not been looked at */
};

static bool runs_command(enum perf_of of)
{
	return of == OF_RECORD || of == OF_STAT;
}

static int take_own(struct perf_line *line, const char *word, struct op_error *error)
{
	return op_strings_add(&line->out, word) ? op_error_memory(error) : 0;
}

/* As it was typed: "-D 500", "--delay=500". */
static void name_option(char *text, size_t size, const struct perf_word *word, bool by_name,
			const char *value)
{
	const char letter[] = {word->letter, '\0'};

	snprintf(text, size, "%s%.100s%s%.100s", by_name ? "--" : "-",
		 by_name ? word->name : letter,
		 !value	   ? ""
		 : by_name ? "="
			   : " ",
		 value ? value : "");
}

static int take_option(struct perf_line *line, const struct perf_word *word, bool by_name,
		       const char *value, struct op_error *error)
{
	struct op_error why;
	char typed[256];

	name_option(typed, sizeof(typed), word, by_name, value);
	switch (word->becomes) {
	case BECOMES_TEXT:
		return perf_add(&line->out, word->text, value, error);
	case BECOMES_NOTHING:
		return 0;
	case BECOMES_NOTE:
		op_warn("%s: %s", typed, word->text);
		return 0;
	case BECOMES_ERROR:
		return op_error_set(error, EINVAL, "%s: %s", typed, word->text);
	case BECOMES_VALUE:
		break;
	}
	if (!word->take(line, value, &why))
		return 0;
	if (why.code != EINVAL)
		return op_error_set(error, why.code, "%s", why.text);
	return op_error_set(error, EINVAL, "%s: %s", typed, why.text);
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1];
}

static bool is_method(const char *word)
{
	return !strcmp(word, "fp") || !strcmp(word, "lbr") || !strcmp(word, "dwarf") ||
	       !strncmp(word, "dwarf,", 6);
}

/* The value of an option that has none in its own word; NULL: it has none. */
static const char *next_value(struct reader *reader, enum perf_takes takes)
{
	const char *next = *reader->next;
	bool is_value =
		next && (takes == TAKES_VALUE || (takes == TAKES_WORD && !is_option(next)) ||
			 (takes == TAKES_METHOD && is_method(next)));

	return is_value ? *reader->next++ : NULL;
}

static int check_value(const struct perf_word *word, bool by_name, const char *value,
		       struct op_error *error)
{
	char typed[256];

	if (value || word->takes != TAKES_VALUE)
		return 0;
	name_option(typed, sizeof(typed), word, by_name, NULL);
	return op_error_set(error, EINVAL, "%s: missing argument", typed);
}

/* "--name", "--name=value" */
static int take_long(struct reader *reader, const char *word, struct op_error *error)
{
	const char *name = word + 2, *equals = strchr(name, '=');
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const struct perf_word *row = perf_table_name(reader->line->of, name, length);
	const char *value = equals ? equals + 1 : NULL;

	if (!row || (value && row->takes == TAKES_NOTHING))
		return take_own(reader->line, word, error);
	if (!value)
		value = next_value(reader, row->takes);
	return check_value(row, true, value, error) ||
			       take_option(reader->line, row, true, value, error)
		       ? -1
		       : 0;
}

/* "-a", "-F99", "-ag" */
static int take_letters(struct reader *reader, const char *word, struct op_error *error)
{
	for (const char *letter = word + 1; *letter; letter++) {
		const struct perf_word *row = perf_table_letter(reader->line->of, *letter);
		const char *value = NULL;
		char own[3] = {'-', *letter, '\0'};
		int result;

		if (!row && letter == word + 1)
			return take_own(reader->line, word, error);
		if (!row) {
			if (take_own(reader->line, own, error))
				return -1;
			continue;
		}
		if (row->takes != TAKES_NOTHING && row->takes != TAKES_METHOD && letter[1])
			value = letter + 1;
		else if (!letter[1])
			value = next_value(reader, row->takes);
		result = check_value(row, false, value, error) ||
			 take_option(reader->line, row, false, value, error);
		if (result)
			return -1;
		if (value)
			break;
	}
	return 0;
}

/* A symbol that perf would annotate, unless it is what a profile or an image is named by. */
static int take_word(struct perf_line *line, const char *word, struct op_error *error)
{
	bool is_symbol = line->of == OF_ANNOTATE && !strpbrk(word, "/:{}") && access(word, F_OK);

	line->words++;
	return perf_add(&line->out, is_symbol ? "--include-symbols=%" : "%", word, error);
}

static int read_line(struct reader *reader, struct op_error *error)
{
	struct perf_line *line = reader->line;
	const char *word;
	int result = 0;

	while (!result && (word = *reader->next)) {
		if (runs_command(line->of) && (!strcmp(word, "--") || !is_option(word))) {
			line->command = reader->next + !strcmp(word, "--");
			break;
		}
		reader->next++;
		if (!strcmp(word, "--"))
			continue;
		if (!strncmp(word, "--", 2))
			result = take_long(reader, word, error);
		else if (is_option(word))
			result = take_letters(reader, word, error);
		else
			result = take_word(line, word, error);
	}
	return result;
}

static int put_together(const struct perf_line *line, struct op_strings *out)
{
	int result = 0;

	for (size_t i = 0; i < line->front.count; i++)
		result |= op_strings_add(out, line->front.item[i]);
	for (size_t i = 0; i < line->out.count; i++)
		result |= op_strings_add(out, line->out.item[i]);
	if (line->command && *line->command)
		result |= op_strings_add(out, "--");
	for (char **word = line->command; word && *word; word++)
		result |= op_strings_add(out, *word);
	return result;
}

int perf_line_translate(enum perf_of of, char **argv, struct op_strings *out,
			struct op_error *error)
{
	struct perf_line line = {.of = of};
	struct reader reader = {&line, argv};
	int result = read_line(&reader, error);

	if (!result)
		result = perf_finish(&line, error);
	if (!result && put_together(&line, out))
		result = op_error_memory(error);
	op_strings_free(&line.front);
	op_strings_free(&line.out);
	free(line.events);
	return result;
}

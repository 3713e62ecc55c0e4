// SPDX-License-Identifier: GPL-2.0-or-later
/* What programs have written: see results.h. */
#include "results.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/number.h"

#define FIELDS_MOST 16

/* Columns that are of use, and where they are; 0, where the samples are: the list has none. */
enum column { COLUMN_EVENTS, COLUMN_IMAGE, COLUMN_SYMBOL, COLUMN_ADDRESS, COLUMN_LINE, COLUMNS };

struct columns {
	size_t at[COLUMNS];
};

static enum column find_column(const char *head)
{
	static const char *const names[] = {
		[COLUMN_IMAGE] = "image",
		[COLUMN_SYMBOL] = "symbol",
		[COLUMN_ADDRESS] = "address",
		[COLUMN_LINE] = "line",
	};
	const char *blank = strchr(head, ' ');
	enum column column = COLUMN_IMAGE;

	if (blank && !strcmp(blank, " (events)"))
		return COLUMN_EVENTS;
	while (column < COLUMNS && strcmp(names[column], head))
		column++;
	return column;
}

/* Splits a line at commas that are not in quotes.  Return: the number of fields. */
static size_t split(char *line, char *field[FIELDS_MOST])
{
	char *from = line, *to;
	size_t n = 0;
	bool quoted = false;

	for (bool more = true; more && n < FIELDS_MOST;) {
		field[n++] = to = from;
		for (; *from && (quoted || *from != ','); from++) {
			if (*from == '"' && quoted && from[1] == '"')
				*to++ = *from++;
			else if (*from == '"')
				quoted = !quoted;
			else
				*to++ = *from;
		}
		more = *from;
		from += more;
		*to = '\0';
	}
	return n;
}

static int take_head(char *line, struct results *results, struct columns *columns,
		     struct op_error *error)
{
	char *field[FIELDS_MOST], *colon;
	size_t n = split(line, field);

	*columns = (struct columns){0};
	colon = strchr(field[0], ':');
	if (!colon || !op_number_all(colon + 1, 10, UINT64_MAX, &results->period))
		return op_error_set(error, EINVAL, "opreport: no event NAME:COUNT: %s", field[0]);
	*colon = '\0';
	results->event = field[0];
	for (size_t i = 1; i < n; i++) {
		enum column column = find_column(field[i]);

		if (column < COLUMNS)
			columns->at[column] = i;
	}
	return 0;
}

static bool results_take_line(char *line, const struct columns *columns, struct results *results)
{
	char *field[FIELDS_MOST], *of[COLUMNS], none[] = "";
	size_t n = split(line, field);
	struct result *result = &results->item[results->count];

	for (size_t i = 0; i < COLUMNS; i++)
		of[i] = columns->at[i] && columns->at[i] < n ? field[columns->at[i]] : none;
	*result = (struct result){.image = of[COLUMN_IMAGE], .symbol = of[COLUMN_SYMBOL]};
	if (!op_real_all(field[0], &result->tally.samples))
		return false;
	result->tally.events = result->tally.samples * (double)results->period;
	if (columns->at[COLUMN_EVENTS] && !op_real_all(of[COLUMN_EVENTS], &result->tally.events))
		return false;
	if (!strncmp(of[COLUMN_ADDRESS], "0x", 2))
		op_number_all(of[COLUMN_ADDRESS] + 2, 16, UINT64_MAX, &result->address);
	op_number_all(of[COLUMN_LINE], 10, UINT64_MAX, &result->line);
	results->count++;
	return true;
}

/* Of all lines that begin with "# ", the one with the numbers of samples. */
static void take_comment(const char *line, struct results *results)
{
	unsigned long long received, stored, lost;

	if (sscanf(line, "# samples received %llu, stored %llu, lost %llu", &received, &stored,
		   &lost) != 3)
		return;
	results->received = received;
	results->stored = stored;
	results->lost = lost;
}

int results_parse(char *text, struct results *results, struct op_error *error)
{
	struct columns columns;
	size_t lines = 1;
	char *rest, *line;

	*results = (struct results){0};
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	line = strtok_r(text, "\n", &rest);
	if (!line)
		return op_error_set(error, EINVAL, "opreport has written nothing");
	if (take_head(line, results, &columns, error))
		return -1;
	results->item = calloc(lines, sizeof(*results->item));
	if (!results->item)
		return op_error_memory(error);
	while ((line = strtok_r(NULL, "\n", &rest))) {
		if (*line == '#') {
			take_comment(line, results);
		} else if (!results_take_line(line, &columns, results)) {
			results_free(results);
			return op_error_set(error, EINVAL, "opreport: no number: %s", line);
		}
	}
	return 0;
}

void results_free(struct results *results)
{
	free(results->item);
	*results = (struct results){0};
}

struct tally results_of_symbol(const struct results *results, const char *symbol)
{
	struct tally sum = {0};

	for (size_t i = 0; i < results->count; i++) {
		if (strcmp(results->item[i].symbol, symbol))
			continue;
		sum.samples += results->item[i].tally.samples;
		sum.events += results->item[i].tally.events;
	}
	return sum;
}

double results_of_stack(const char *folded, const char *frames)
{
	double sum = 0;
	size_t length = strlen(frames);

	for (const char *at = folded; (at = strstr(at, frames)); at += length)
		if (at[length] == ' ' && (at == folded || at[-1] == ';' || at[-1] == '\n'))
			sum += strtod(at + length + 1, NULL);
	return sum;
}

double results_truth(const char *truth, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = truth; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, length) && line[length] == ' ')
			return strtod(line + length + 1, NULL);
	}
	return NAN;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Parsing lines of perf script: see script_line.h. */
#include "script_line.h"

#include <ctype.h>
#include <string.h>

#include "libop/base/number.h"

#define NS_DIGITS 9

static char *skip_blanks(char *at)
{
	return at + strspn(at, " \t");
}

static bool is_end(char c)
{
	return !c || c == ' ' || c == '\t';
}

/* ---- heads ---- */

/* "3124/3125" or "3125", and the blanks behind it. */
static bool take_ids(char **at, struct script_head *head)
{
	const char *end = *at;
	uint64_t first, second;

	if (!op_number_take(&end, 10, INT32_MAX, &first))
		return false;
	head->pid = head->tid = (int64_t)first;
	if (*end == '/') {
		end++;
		if (!op_number_take(&end, 10, INT32_MAX, &second))
			return false;
		head->tid = (int64_t)second;
	}
	if (!is_end(*end))
		return false;
	*at = skip_blanks(*at + (end - *at));
	return true;
}

static bool take_cpu(char **at, struct script_head *head)
{
	const char *end = *at + 1;
	uint64_t cpu;

	head->cpu = -1;
	if (**at != '[' || !op_number_take(&end, 10, INT32_MAX, &cpu) || *end++ != ']')
		return false;
	head->cpu = (int64_t)cpu;
	*at = skip_blanks(*at + (end - *at));
	return true;
}

/* "123.456789:" is in seconds, with any number of digits behind the point. */
static bool take_time(char **at, struct script_head *head)
{
	enum { NS = 1000000000 };
	const char *end = *at, *point;
	uint64_t seconds, fraction;

	head->time = 0;
	if (!op_number_take(&end, 10, UINT64_MAX / NS - 1, &seconds) || *end != '.')
		return false;
	point = ++end;
	if (!op_number_take(&end, 10, NS - 1, &fraction) || *end != ':' || end - point > NS_DIGITS)
		return false;
	for (ptrdiff_t digits = end - point; digits < NS_DIGITS; digits++)
		fraction *= 10;
	head->time = seconds * NS + fraction;
	*at = skip_blanks(*at + (end + 1 - *at));
	return true;
}

static void take_period(char **at, struct script_head *head)
{
	const char *end = *at;
	uint64_t period;

	head->period = 0;
	if (!op_number_take(&end, 10, INT64_MAX, &period) || !is_end(*end))
		return;
	head->period = period;
	*at = skip_blanks(*at + (end - *at));
}

/* What comes after "cycles": ":u", ":pppH". */
static void cut_modifiers(char *event)
{
	char *colon = strrchr(event, ':');

	if (colon && colon > event && strspn(colon + 1, "ukhIGHpPDSeWbR") == strlen(colon + 1))
		*colon = '\0';
}

/* "cycles:u:" up to a blank or the end. */
static bool find_event(char *at, char **end)
{
	size_t n = strcspn(at, " \t");

	*end = at + n;
	return n > 1 && at[n - 1] == ':' && !isdigit((unsigned char)*at);
}

/* "55d4c0de1179 cmp+0x4", or nothing. */
static bool is_frame_or_end(const char *at)
{
	uint64_t address;

	return !*at || (op_number_take(&at, 16, UINT64_MAX, &address) && is_end(*at));
}

/* @is_bare: there may be no CPU, time and event, if nothing else is there than a frame. */
static bool take_tail(char *at, struct script_head *head, bool is_bare)
{
	static const char record[] = "PERF_RECORD_";
	bool has_cpu = take_cpu(&at, head), has_time = take_time(&at, head), has_event;
	char *end;

	take_period(&at, head);
	has_event = find_event(at, &end);
	head->is_bare = !has_cpu && !has_time && !has_event;
	if (head->is_bare && (!is_bare || !is_frame_or_end(at)))
		return false;
	head->event = head->record = NULL;
	head->rest = at;
	if (!strncmp(at, record, sizeof(record) - 1)) {
		head->record = at + sizeof(record) - 1;
		return true;
	}
	if (!has_event)
		return true;
	head->event = at;
	head->rest = *end ? skip_blanks(end) : end;
	end[-1] = '\0';
	cut_modifiers(at);
	return true;
}

/* The name of a program may have blanks and numbers: the first number that all fits to counts. */
static bool parse_head(char *line, struct script_head *head, bool is_bare)
{
	char *comm = skip_blanks(line), *at = comm;

	while (*(at += strcspn(at, " \t"))) {
		char *end = at;

		at = skip_blanks(at);
		head->rest = at;
		if (!take_ids(&head->rest, head) || !take_tail(head->rest, head, is_bare))
			continue;
		*end = '\0';
		head->comm = comm;
		return end > comm;
	}
	return false;
}

bool script_head_parse(char *line, struct script_head *head)
{
	return parse_head(line, head, false) || parse_head(line, head, true);
}

/* ---- frames ---- */

/* The '(' behind "cmp+0x4 " or "[unknown] ", or NULL: whatever follows it is the image. */
static char *image_behind_function(char *text)
{
	static const char unknown[] = "[unknown] ";
	uint64_t distance;

	if (!strncmp(text, unknown, sizeof(unknown) - 1) && text[sizeof(unknown) - 1] == '(')
		return text + sizeof(unknown) - 1;
	for (char *at = text; (at = strchr(at, '+')); at++) {
		const char *end = at;

		if (strncmp(at, "+0x", 3) != 0)
			continue;
		end += 3;
		if (op_number_take(&end, 16, UINT64_MAX, &distance) && end[0] == ' ' &&
		    end[1] == '(')
			return at + (end + 1 - at);
	}
	return NULL;
}

/* The first '(' that a path or "[vdso]" follows, or NULL: names of functions have none such. */
static char *image_like_path(char *text)
{
	for (char *at = text; (at = strchr(at, '(')); at++)
		if ((at == text || at[-1] == ' ') && (at[1] == '/' || at[1] == '['))
			return at;
	return NULL;
}

/* The '(' that belongs to the ')' at the end, or NULL. */
static char *image_in_parentheses(char *text, size_t n)
{
	size_t depth = 0;

	for (char *at = text + n; at-- > text;) {
		depth += *at == ')';
		if (*at == '(' && !--depth)
			return at == text || at[-1] == ' ' ? at : NULL;
	}
	return NULL;
}

/* "(/tmp/busy)" at the end.  Paths have parentheses, balanced or not, and so have functions. */
static void script_line_take_image(char *text, struct script_frame *frame)
{
	static const char inlined[] = "(inlined)";
	size_t n = strlen(text);
	char *open = NULL;

	frame->image = text + n;
	frame->is_inlined = false;
	if (!n || text[n - 1] != ')')
		return;
	if (n >= sizeof(inlined) - 1 && !strcmp(text + n - (sizeof(inlined) - 1), inlined))
		open = text + n - (sizeof(inlined) - 1);
	if (!open)
		open = image_behind_function(text);
	if (!open)
		open = image_like_path(text);
	if (!open)
		open = image_in_parentheses(text, n);
	if (!open)
		return;
	text[n - 1] = '\0';
	frame->image = open + 1;
	*open = '\0';
	frame->is_inlined = !strcmp(frame->image, "inlined");
	if (frame->is_inlined || !strcmp(frame->image, "[unknown]"))
		frame->image = text + n - 1;
}

/* "cmp+0x4 " becomes "cmp". */
static void take_function(char *text, struct script_frame *frame)
{
	size_t n = strlen(text);
	uint64_t distance;
	const char *digits;
	char *plus;

	while (n && text[n - 1] == ' ')
		text[--n] = '\0';
	plus = strrchr(text, '+');
	digits = plus ? plus + 3 : NULL;
	if (plus && plus > text && !strncmp(plus, "+0x", 3) &&
	    op_number_take(&digits, 16, UINT64_MAX, &distance) && !*digits)
		*plus = '\0';
	frame->function = strcmp(text, "[unknown]") ? text : text + strlen(text);
}

/* "busy[1194]", of code without lines. */
static bool is_place_without_line(const char *text)
{
	const char *digits = strrchr(text, '[');
	uint64_t address;

	if (!digits || digits == text)
		return false;
	digits++;
	return op_number_take(&digits, 16, UINT64_MAX, &address) && !strcmp(digits, "]");
}

/* Behind the number there may be " (discriminator 3)". */
bool script_source_parse(char *text, const char **file, int64_t *number)
{
	char *at = skip_blanks(text), *colon = strrchr(at, ':');
	const char *end = colon ? colon + 1 : at;
	uint64_t line;

	*number = 0;
	if (at != text + 2 || text[1] != ' ')
		return false;
	if (is_place_without_line(at))
		return true;
	if (!colon || colon == at || !op_number_take(&end, 10, INT32_MAX, &line) || !is_end(*end))
		return false;
	*colon = '\0';
	*file = at;
	*number = (int64_t)line;
	return true;
}

bool script_frame_parse(char *line, struct script_frame *frame)
{
	char *at = skip_blanks(line);
	const char *end = at;

	if (!op_number_take(&end, 16, UINT64_MAX, &frame->address) || !is_end(*end))
		return false;
	at = skip_blanks(at + (end - at));
	script_line_take_image(at, frame);
	take_function(at, frame);
	return true;
}

/* The address is 16 wide, behind a tab or a blank. */
bool script_is_headless(const char *line)
{
	const char *end = line + strspn(line, " \t");
	uint64_t address;

	return end > line && op_number_take(&end, 16, UINT64_MAX, &address) && *end == ' ' &&
	       end - line >= 17 && end[1];
}

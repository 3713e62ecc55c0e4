// SPDX-License-Identifier: GPL-2.0-or-later
/* Events as perf has them: see spelling.h. */
#include "spelling.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/base/number.h"

/* perf_event_attr::precise_ip has two bits. */
#define PRECISE_MOST 3

/* Modifiers of perf.  All but these are of what operf has no place for. */
static const char known_modifiers[] = "ukpPGH";
static const char all_modifiers[] = "ukhpPGHSDIWebR";

/* ---- fields ---- */

static bool is_identifier(const char *text, size_t n)
{
	if (!n || !(isalpha((unsigned char)*text) || *text == '_'))
		return false;
	for (size_t i = 1; i < n; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	return true;
}

/* Whether a word can be nothing but modifiers. */
static bool is_modifiers(const char *word)
{
	return *word && word[strspn(word, all_modifiers)] == '\0';
}

static int take_modifiers(const char *text, const char *modifiers, struct perf_spelling *spelling,
			  struct op_error *error)
{
	const char *unknown = modifiers + strspn(modifiers, known_modifiers);

	if (*unknown)
		return op_error_set(error, EINVAL,
				    "event \"%s\": modifier \"%c\" is not one of u (user), k "
				    "(kernel), p (precise), G (guest) and H (host)",
				    text, *unknown);
	for (; *modifiers; modifiers++) {
		spelling->user |= *modifiers == 'u';
		spelling->kernel |= *modifiers == 'k';
		spelling->guest |= *modifiers == 'G';
		spelling->host |= *modifiers == 'H';
		spelling->precise += *modifiers == 'p';
		if (*modifiers == 'P' || spelling->precise > PRECISE_MOST)
			spelling->precise = PRECISE_MOST;
	}
	spelling->has_modifiers = true;
	if (!spelling->user && !spelling->kernel)
		spelling->user = spelling->kernel = true;
	if (!spelling->guest && !spelling->host)
		spelling->guest = spelling->host = true;
	return 0;
}

/* ---- raw events ---- */

/* "r" and hexadecimal digits only, perhaps with what a specification has behind the name. */
static bool take_raw(const char *text, size_t n, struct perf_spelling *spelling)
{
	char digits[17] = "";

	if (*text != 'r' || n < 2 || n - 1 >= sizeof(digits))
		return false;
	memcpy(digits, text + 1, n - 1);
	if (digits[strspn(digits, "0123456789abcdefABCDEF")])
		return false;
	spelling->kind = PERF_SPELLING_RAW;
	spelling->raw = strtoull(digits, NULL, 16);
	return true;
}

/* ---- tracepoints ---- */

static char *read_id(const char *group, size_t n, const char *name, size_t name_length,
		     struct op_error *error)
{
	static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	char *text = NULL;

	for (size_t i = 0; !text && i < OP_ARRAY_SIZE(roots); i++) {
		char *path = op_path("%s/events/%.*s/%.*s/id", roots[i], (int)n, group,
				     (int)name_length, name);

		text = path ? op_file_read(path, 64, NULL, error) : NULL;
		free(path);
	}
	return text;
}

static int take_tracepoint(const char *text, size_t n, struct perf_spelling *spelling,
			   struct op_error *error)
{
	const char *name = text + n + 1;
	size_t name_length = strcspn(name, ":");
	struct op_error cause = {.code = ENOMEM};
	char *id = read_id(text, n, name, name_length, &cause);

	if (!id)
		return op_error_set(error, cause.code,
				    cause.code == ENOENT
					    ? "event \"%.*s\": no event of OProfile, whose second "
					      "field is a count, and no tracepoint of this kernel "
					      "(in /sys/kernel/tracing/events)"
					    : "event \"%.*s\": the kernel shows tracepoints "
					      "(/sys/kernel/tracing) to root only",
				    (int)(n + 1 + name_length), text);
	spelling->id = strtoull(id, NULL, 10);
	free(id);
	spelling->kind = PERF_SPELLING_TRACEPOINT;
	return 0;
}

/* ---- all together ---- */

/* A colon would end the name. */
static char *rest_of(const char *text, size_t name, size_t tail_at)
{
	char *rest = op_path("%.*s%s", (int)name, text, text + tail_at);

	for (size_t i = 0; rest && i < name; i++)
		if (rest[i] == ':')
			rest[i] = '-';
	return rest;
}

int perf_spelling_parse(const char *text, struct perf_spelling *spelling, struct op_error *error)
{
	size_t n = strcspn(text, ":"), name = n;
	const char *second = text[n] ? text + n + 1 : "", *modifiers = NULL;
	size_t length = strcspn(second, ":");

	*spelling = (struct perf_spelling){0};
	if (take_raw(text, n, spelling) || is_modifiers(second)) {
		if (is_modifiers(second))
			modifiers = second;
	} else if (is_identifier(text, n) && is_identifier(second, length)) {
		if (take_tracepoint(text, n, spelling, error))
			return -1;
		name = n + 1 + length;
		if (text[name] && is_modifiers(text + name + 1))
			modifiers = text + name + 1;
	}
	if (modifiers && take_modifiers(text, modifiers, spelling, error))
		return -1;
	spelling->rest = rest_of(text, name, modifiers ? strlen(text) : name);
	return spelling->rest ? 0 : op_error_memory(error);
}

void perf_spelling_free(struct perf_spelling *spelling)
{
	free(spelling->rest);
	spelling->rest = NULL;
}

void perf_spelling_apply(const struct perf_spelling *spelling, struct perf_event_attr *attr)
{
	if (spelling->kind == PERF_SPELLING_TRACEPOINT) {
		attr->type = PERF_TYPE_TRACEPOINT;
		attr->config = spelling->id;
	} else if (spelling->kind == PERF_SPELLING_RAW) {
		attr->type = PERF_TYPE_RAW;
		attr->config = spelling->raw;
	}
	if (!spelling->has_modifiers)
		return;
	attr->exclude_user |= !spelling->user;
	attr->exclude_kernel |= !spelling->kernel;
	attr->exclude_guest = !spelling->guest;
	attr->exclude_host = !spelling->host;
	if (attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT)
		attr->precise_ip = spelling->precise & PRECISE_MOST;
}

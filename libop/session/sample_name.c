// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sample-file names, made and parsed.
 *
 * A path of an image may itself have a component such as "{dep}".  It is written with a
 * backslash before it, and one that has backslashes there already with one more; the parser
 * takes one away.  So each name is read as what it was made of, whatever users call their
 * files, and names without such components are those of OProfile 1.x.
 */
#include "sample_name.h"

#include "paths.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT   "{root}"
#define KERN   "{kern}"
#define DEP    "{dep}"
#define CG     "{cg}"
#define ANON   "{anon"
#define STACKS OP_SAMPLES_STACKS

static bool equals(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && !memcmp(text, word, length);
}

static bool starts(const char *text, size_t length, const char *word)
{
	return strlen(word) <= length && !memcmp(text, word, strlen(word));
}

static bool is_marker(const char *part, size_t length)
{
	return equals(part, length, ROOT) || equals(part, length, KERN) ||
	       equals(part, length, DEP) || equals(part, length, CG) || starts(part, length, ANON);
}

/* A marker after any number of backslashes. */
static bool is_masked_marker(const char *part, size_t length)
{
	while (length && *part == '\\') {
		part++;
		length--;
	}
	return is_marker(part, length);
}

/* A name that can stand as one component of a path. */
static bool is_component(const char *part, size_t length)
{
	return length && !memchr(part, '/', length) && !equals(part, length, ".") &&
	       !equals(part, length, "..");
}

/* ---- making ---- */

static bool put_component(FILE *out, const char *part, size_t length)
{
	if (!is_component(part, length))
		return false;
	fprintf(out, "%s%.*s/", is_masked_marker(part, length) ? "\\" : "", (int)length, part);
	return true;
}

static bool put_path(FILE *out, const char *path)
{
	if (*path != '/')
		return false;
	while (*path) {
		size_t length = strcspn(++path, "/");

		if (!put_component(out, path, length))
			return false;
		path += length;
	}
	return true;
}

static bool sample_name_put_image(FILE *out, const struct op_image_name *image)
{
	switch (image->kind) {
	case OP_IMAGE_FILE:
		fputs(ROOT "/", out);
		return put_path(out, image->name);
	case OP_IMAGE_KERNEL:
		fputs(KERN "/", out);
		return put_component(out, image->name, strlen(image->name));
	case OP_IMAGE_ANON:
		if (strchr(image->name, '/'))
			return false;
		fprintf(out, ANON ":%s}/%" PRIu32 ".0x%" PRIx64 ".0x%" PRIx64 "/", image->name,
			image->tgid, image->start, image->end);
		return true;
	}
	return false;
}

static void put_separation(FILE *out, int64_t value)
{
	if (value == OP_ALL)
		fputs(".all", out);
	else
		fprintf(out, ".%" PRId64, value);
}

static bool sample_name_put_event(FILE *out, const struct op_sample_name *name)
{
	if (!is_component(name->event, strlen(name->event)) || strchr(name->event, '.'))
		return false;
	fprintf(out, "%s.%" PRIu64 ".%" PRIu64, name->event, name->count, name->unit_mask);
	put_separation(out, name->tgid);
	put_separation(out, name->tid);
	put_separation(out, name->cpu);
	return true;
}

static bool sample_name_put_name(FILE *out, const struct op_sample_name *name)
{
	if (name->app.kind == OP_IMAGE_ANON || !sample_name_put_image(out, &name->app))
		return false;
	fputs(DEP "/", out);
	if (!sample_name_put_image(out, &name->dep))
		return false;
	if (name->is_arc) {
		fputs(CG "/", out);
		if (!sample_name_put_image(out, &name->callee))
			return false;
	}
	return sample_name_put_event(out, name);
}

static bool put_stacks_name(FILE *out, const struct op_sample_name *name)
{
	fputs(STACKS "/", out);
	return name->app.kind != OP_IMAGE_ANON && sample_name_put_image(out, &name->app) &&
	       sample_name_put_event(out, name);
}

/* A text that is being made. */
struct making {
	FILE *out;
	char *text;
	size_t length;
};

static bool sample_name_begin(struct making *making)
{
	*making = (struct making){0};
	making->out = open_memstream(&making->text, &making->length);
	return making->out;
}

static char *sample_name_end(struct making *making, bool valid)
{
	int code = fclose(making->out) ? ENOMEM : EINVAL;

	if (valid && code == EINVAL)
		return making->text;
	free(making->text);
	errno = code;
	return NULL;
}

char *op_sample_name_make(const struct op_sample_name *name)
{
	struct making making;

	return sample_name_begin(&making)
		       ? sample_name_end(&making, sample_name_put_name(making.out, name))
		       : NULL;
}

const char *op_name_of_weighted(const char *name)
{
	static const char before[] = OP_SAMPLES_WEIGHTS "/";

	return strncmp(name, before, strlen(before)) ? name : name + strlen(before);
}

char *op_stacks_name_make(const struct op_sample_name *name)
{
	struct making making;

	return sample_name_begin(&making)
		       ? sample_name_end(&making, put_stacks_name(making.out, name))
		       : NULL;
}

char *op_image_name_make(const struct op_image_name *image)
{
	struct making making;
	char *text;
	size_t length;

	text = sample_name_begin(&making)
		       ? sample_name_end(&making, sample_name_put_image(making.out, image))
		       : NULL;
	length = text ? strlen(text) : 0;
	if (length)
		text[length - 1] = '\0';
	return text;
}

/* ---- parsing ---- */

/* The rest of a path that is parsed by component; empty components are skipped. */
struct cursor {
	const char *path; /* the whole, for messages */
	const char *part; /* the current component; length 0 at the end */
	size_t length;
};

static void advance(struct cursor *at)
{
	at->part += at->length;
	at->part += strspn(at->part, "/");
	at->length = strcspn(at->part, "/");
}

static bool is_last(const struct cursor *at)
{
	const char *rest = at->part + at->length;

	return !rest[strspn(rest, "/")];
}

static int bad(const struct cursor *at, struct op_error *error, const char *cause)
{
	return op_error_set(error, EINVAL, "%s: not the name of a sample file: %s at offset %td",
			    at->path, cause, at->part - at->path);
}

/* A decimal (or, with @base 16, hexadecimal) number that fills all of @text. */
static bool parse_number(const char *text, size_t length, int base, uint64_t *out)
{
	uint64_t value = 0;

	if (!length)
		return false;
	for (size_t i = 0; i < length; i++) {
		char c = text[i];
		uint64_t digit;

		if (c >= '0' && c <= '9')
			digit = (uint64_t)(c - '0');
		else if (base == 16 && c >= 'a' && c <= 'f')
			digit = (uint64_t)(c - 'a' + 10);
		else
			return false;
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*out = value;
	return true;
}

static bool parse_address(const char *text, size_t length, uint64_t *out)
{
	return starts(text, length, "0x") && parse_number(text + 2, length - 2, 16, out);
}

/* OProfile printed 32-bit counts with a sign. */
static bool parse_count(const char *text, size_t length, uint64_t *out)
{
	uint64_t value;

	if (!length || *text != '-')
		return parse_number(text, length, 10, out);
	if (!parse_number(text + 1, length - 1, 10, &value) || value > UINT64_C(1) << 31)
		return false;
	*out = (uint32_t)-value;
	return true;
}

static bool parse_separation(const char *text, size_t length, int64_t *out)
{
	uint64_t value;

	if (equals(text, length, "all")) {
		*out = OP_ALL;
		return true;
	}
	if (!parse_number(text, length, 10, &value) || value > INT32_MAX)
		return false;
	*out = (int64_t)value;
	return true;
}

/* Appends "/component", without its mask, to @path. */
static bool sample_name_append(char **path, size_t *used, const char *part, size_t length)
{
	char *larger;

	if (*part == '\\' && is_masked_marker(part, length)) {
		part++;
		length--;
	}
	larger = realloc(*path, *used + length + 2);
	if (!larger)
		return false;
	larger[*used] = '/';
	memcpy(larger + *used + 1, part, length);
	*used += length + 1;
	larger[*used] = '\0';
	*path = larger;
	return true;
}

/* The components up to the next marker, or up to the event, which is the last one, as a path. */
static int parse_path(struct cursor *at, struct op_image_name *image, struct op_error *error)
{
	size_t used = 0;

	while (at->length && !is_marker(at->part, at->length) && !is_last(at)) {
		if (!is_component(at->part, at->length))
			return bad(at, error, "\".\" or \"..\" in the path of an image");
		if (!sample_name_append(&image->name, &used, at->part, at->length))
			return op_error_memory(error);
		advance(at);
	}
	return used ? 0 : bad(at, error, "an image without a name");
}

static int parse_kernel_name(struct cursor *at, struct op_image_name *image, struct op_error *error)
{
	int result = parse_path(at, image, error);

	if (result)
		return result;
	memmove(image->name, image->name + 1, strlen(image->name));
	if (strchr(image->name, '/'))
		return bad(at, error, "more than one component after {kern}");
	return 0;
}

static int parse_anon(struct cursor *at, struct op_image_name *image, struct op_error *error)
{
	const char *label = at->part + strlen(ANON), *first, *second, *end;
	size_t length = at->length - strlen(ANON);
	uint64_t tgid;

	if (!length || label[length - 1] != '}' || (length > 1 && *label != ':'))
		return bad(at, error, "a broken {anon:label}");
	image->name = length > 1 ? strndup(label + 1, length - 2) : strdup("");
	if (!image->name)
		return op_error_memory(error);

	advance(at);
	end = at->part + at->length;
	first = memchr(at->part, '.', at->length);
	second = first ? memchr(first + 1, '.', (size_t)(end - first - 1)) : NULL;
	if (!second || !parse_number(at->part, (size_t)(first - at->part), 10, &tgid) ||
	    tgid > UINT32_MAX ||
	    !parse_address(first + 1, (size_t)(second - first - 1), &image->start) ||
	    !parse_address(second + 1, (size_t)(end - second - 1), &image->end))
		return bad(at, error, "not TGID.0xSTART.0xEND");
	image->tgid = (uint32_t)tgid;
	advance(at);
	return 0;
}

static int parse_image(struct cursor *at, bool may_be_anon, struct op_image_name *image,
		       struct op_error *error)
{
	if (equals(at->part, at->length, ROOT)) {
		image->kind = OP_IMAGE_FILE;
		advance(at);
		return parse_path(at, image, error);
	}
	if (equals(at->part, at->length, KERN)) {
		image->kind = OP_IMAGE_KERNEL;
		advance(at);
		return parse_kernel_name(at, image, error);
	}
	if (may_be_anon && starts(at->part, at->length, ANON)) {
		image->kind = OP_IMAGE_ANON;
		return parse_anon(at, image, error);
	}
	return bad(at, error,
		   may_be_anon ? "expected {root}, {kern} or {anon:label}"
			       : "expected {root} or {kern}");
}

/* NAME.COUNT.UNITMASK.TGID.TID.CPU */
static int parse_event(struct cursor *at, struct op_sample_name *name, struct op_error *error)
{
	const char *field[6], *end = at->part + at->length;
	size_t length[6], n = 0;

	if (!is_last(at))
		return bad(at, error, "expected the event");
	for (const char *from = at->part;; from += length[n - 1] + 1) {
		const char *dot = memchr(from, '.', (size_t)(end - from));

		if (n == 6)
			return bad(at, error, "more than 6 fields");
		field[n] = from;
		length[n++] = (size_t)((dot ? dot : end) - from);
		if (!dot)
			break;
	}
	if (n != 6 || !length[0])
		return bad(at, error, "not EVENT.COUNT.UNITMASK.TGID.TID.CPU");
	if (!parse_count(field[1], length[1], &name->count) ||
	    !parse_count(field[2], length[2], &name->unit_mask) ||
	    !parse_separation(field[3], length[3], &name->tgid) ||
	    !parse_separation(field[4], length[4], &name->tid) ||
	    !parse_separation(field[5], length[5], &name->cpu))
		return bad(at, error, "a field that is not a number");
	name->event = strndup(field[0], length[0]);
	return name->event ? 0 : op_error_memory(error);
}

static int cursor_parse(struct cursor *at, struct op_sample_name *name, struct op_error *error)
{
	while (at->length && !equals(at->part, at->length, ROOT) &&
	       !equals(at->part, at->length, KERN))
		advance(at);
	if (parse_image(at, false, &name->app, error))
		return -1;
	if (!equals(at->part, at->length, DEP))
		return bad(at, error, "expected {dep}");
	advance(at);
	if (parse_image(at, true, &name->dep, error))
		return -1;
	if (equals(at->part, at->length, CG)) {
		name->is_arc = true;
		advance(at);
		if (parse_image(at, true, &name->callee, error))
			return -1;
	}
	return parse_event(at, name, error);
}

int op_sample_name_parse(const char *path, struct op_sample_name *name, struct op_error *error)
{
	struct cursor at = {.path = path, .part = path};
	int result;

	*name = (struct op_sample_name){0};
	advance(&at);
	result = cursor_parse(&at, name, error);
	if (result)
		op_sample_name_free(name);
	return result;
}

static int parse_stacks(struct cursor *at, struct op_sample_name *name, struct op_error *error)
{
	while (at->length && !equals(at->part, at->length, ROOT) &&
	       !equals(at->part, at->length, KERN))
		advance(at);
	if (parse_image(at, false, &name->app, error))
		return -1;
	name->dep = name->app;
	name->dep.name = strdup(name->app.name);
	if (!name->dep.name)
		return op_error_memory(error);
	return parse_event(at, name, error);
}

int op_stacks_name_parse(const char *path, struct op_sample_name *name, struct op_error *error)
{
	struct cursor at = {.path = path, .part = path};
	int result;

	*name = (struct op_sample_name){0};
	advance(&at);
	result = parse_stacks(&at, name, error);
	if (result)
		op_sample_name_free(name);
	return result;
}

int op_image_name_parse(const char *text, struct op_image_name *image, struct op_error *error)
{
	struct cursor at = {.part = text};
	char *path = NULL;
	int result;

	*image = (struct op_image_name){0};
	/* an event behind it, as the last component of a path is one */
	if (asprintf(&path, "%s/x", text) < 0)
		return op_error_memory(error);
	at.path = at.part = path;
	advance(&at);
	result = parse_image(&at, true, image, error);
	if (!result && !is_last(&at))
		result = bad(&at, error, "more than one image");
	if (result) {
		free(image->name);
		*image = (struct op_image_name){0};
	}
	free(path);
	return result;
}

void op_sample_name_free(struct op_sample_name *name)
{
	free(name->app.name);
	free(name->dep.name);
	free(name->callee.name);
	free(name->event);
	*name = (struct op_sample_name){0};
}

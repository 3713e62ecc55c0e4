// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds and reads source files. */
#include "source_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libop/base/memory.h"
#include "libop/foreign/door.h"

/* A size limit: names in debug information are untrusted. */
#define SOURCE_LIMIT (64 << 20)

static bool is_file(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode);
}

/* Returns @path if it is a file; else frees it and returns NULL. */
static char *if_file(char *path)
{
	if (is_file(path))
		return path;
	free(path);
	return NULL;
}

/* The rest of @name after @base, or NULL. */
static const char *below(const char *name, const char *base)
{
	size_t n = strlen(base);

	while (n && base[n - 1] == '/')
		n--;
	return !strncmp(name, base, n) && name[n] == '/' ? name + n + 1 : NULL;
}

static char *find_moved(const struct pp_source_search *search, const char *name)
{
	for (size_t b = 0; b < search->base_dirs->count; b++) {
		const char *rest = below(name, search->base_dirs->item[b]);

		for (size_t i = 0; rest && i < search->search_dirs->count; i++) {
			char *path =
				if_file(op_format("%s/%s", search->search_dirs->item[i], rest));

			if (path)
				return path;
		}
	}
	return NULL;
}

static char *source_search_find(const struct pp_source_search *search, const char *name)
{
	const char *slash = strrchr(name, '/');
	char *path = find_moved(search, name);

	if (!path)
		path = if_file(op_copy(name));
	for (size_t i = 0; !path && i < search->search_dirs->count; i++) {
		const char *dir = search->search_dirs->item[i];

		path = if_file(op_format("%s/%s", dir, name));
		if (!path && slash)
			path = if_file(op_format("%s/%s", dir, slash + 1));
	}
	return path;
}

/* Lines end with \n, \r\n, or the end of the file; a NUL in the text is shown as a blank. */
static void split(struct pp_source *source, size_t length)
{
	size_t capacity = 0;
	char *at = source->text, *end = at + length;

	for (char *p = at; p < end; p++)
		if (!*p)
			*p = ' ';
	while (at < end) {
		char *newline = memchr(at, '\n', end - at);

		source->lines =
			op_grow(source->lines, &capacity, source->n + 1, sizeof(*source->lines));
		source->lines[source->n++] = at;
		if (!newline)
			break;
		*newline = '\0';
		if (newline > at && newline[-1] == '\r')
			newline[-1] = '\0';
		at = newline + 1;
	}
}

int pp_source_read(struct pp_source *source, const struct pp_source_search *search,
		   const char *name, uid_t namer, struct op_error *error)
{
	char *path = source_search_find(search, name);
	size_t length;

	memset(source, 0, sizeof(*source));
	if (!path)
		return op_error_set(error, ENOENT, "source file %s was not found", name);
	source->text = foreign_read_for(namer, path, SOURCE_LIMIT, &length, error);
	free(path);
	if (!source->text)
		return -1;
	split(source, length);
	return 0;
}

void pp_source_free(struct pp_source *source)
{
	free(source->text);
	free(source->lines);
	memset(source, 0, sizeof(*source));
}

const char *pp_source_line(const struct pp_source *source, int line)
{
	return line > 0 && (size_t)line <= source->n ? source->lines[line - 1] : NULL;
}

char *pp_source_output(const char *dir, const char *name)
{
	char *out = op_alloc(strlen(dir) + strlen(name) + 2, 1), *root, *end;

	root = end = stpcpy(out, dir);
	while (*name) {
		size_t n = strcspn(name, "/");

		if (n == 2 && !strncmp(name, "..", 2)) {
			while (end > root && *--end != '/')
				;
		} else if (n && !(n == 1 && *name == '.')) {
			*end++ = '/';
			end = mempcpy(end, name, n);
		}
		name += n + (name[n] == '/');
	}
	*end = '\0';
	return out;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Open directories as paths: see pinned_path.h. */
#include "pinned_path.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "/proc/self/fd/"

struct pinned {
	struct pinned *next;
	int fd; /* -1: of op_path_show_as() */
	char *path, *shown;
};

static struct pinned *list;

static void pinned_release(struct pinned *pinned)
{
	if (pinned->fd >= 0)
		close(pinned->fd);
	free(pinned->path);
	free(pinned->shown);
	free(pinned);
}

/* Which pinned path @text begins with. */
static const struct pinned *pinned_path_find(const char *text)
{
	for (const struct pinned *pinned = list; pinned; pinned = pinned->next) {
		size_t length = strlen(pinned->path);

		if (!strncmp(text, pinned->path, length) && !isalnum((unsigned char)text[length]))
			return pinned;
	}
	return NULL;
}

/* Writes @text to @out.  Return: whether anything was replaced. */
static bool write_names(const char *text, FILE *out)
{
	const char *at = text;
	bool any = false;

	while ((at = strchr(at, '/'))) {
		const struct pinned *pinned = pinned_path_find(at);

		if (pinned) {
			fwrite(text, 1, (size_t)(at - text), out);
			fputs(pinned->shown, out);
			text = at += strlen(pinned->path);
			any = true;
		} else {
			at++;
		}
	}
	fputs(text, out);
	return any;
}

char *op_pinned_names(const char *text)
{
	char *names = NULL;
	size_t size;
	FILE *out;
	bool any;

	if (!list || !strchr(text, '/'))
		return NULL;
	out = open_memstream(&names, &size);
	if (!out)
		return NULL;
	any = write_names(text, out);
	if (!fclose(out) && any)
		return names;
	free(names);
	return NULL;
}

char *op_pinned_path(int fd, const char *shown)
{
	struct pinned *pinned = calloc(1, sizeof(*pinned));

	if (!pinned) {
		close(fd);
		return NULL;
	}
	pinned->fd = fd;
	pinned->shown = op_pinned_names(shown);
	if (!pinned->shown)
		pinned->shown = strdup(shown);
	if (!pinned->shown || asprintf(&pinned->path, PREFIX "%d", fd) < 0) {
		pinned->path = NULL;
		pinned_release(pinned);
		return NULL;
	}
	pinned->next = list;
	list = pinned;
	return pinned->path;
}

static void remove_pinned(const char *path)
{
	for (struct pinned **at = &list; *at; at = &(*at)->next) {
		struct pinned *pinned = *at;

		if (!strcmp(pinned->path, path)) {
			*at = pinned->next;
			pinned_release(pinned);
			return;
		}
	}
}

void op_path_show_as(const char *path, const char *shown)
{
	struct pinned *pinned;

	remove_pinned(path);
	pinned = shown ? calloc(1, sizeof(*pinned)) : NULL;
	if (!pinned)
		return;
	*pinned = (struct pinned){
		.next = list, .fd = -1, .path = strdup(path), .shown = strdup(shown)};
	if (pinned->path && pinned->shown)
		list = pinned;
	else
		pinned_release(pinned);
}

void op_pinned_close(char *path)
{
	if (path)
		remove_pinned(path);
}

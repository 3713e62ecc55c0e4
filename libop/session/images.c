// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of the images of a session: see images.h. */
#include "images.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/number.h"
#include "small_files.h"
#include "paths.h"

/* Bytes of a list: 300 for each image, and more if there are fewer. */
#define LIST_MOST ((size_t)OP_IMAGES_MOST * 300)
/* What a line has beside the name. */
#define LINE_MOST 200

/* ---- the list ---- */

struct op_image_known *op_image_list_find(const struct op_image_list *list, const char *name)
{
	uint32_t i;

	op_hash_for_each_possible (&list->by_name, op_hash_text(0, name), i) {
		if (!strcmp(list->items[i].name, name))
			return &list->items[i];
	}
	return NULL;
}

/* Bytes of a line, at most. */
static size_t line_size(const char *name)
{
	size_t size = LINE_MOST;

	for (; *name; name++)
		size += *name == '\n' || *name == '\\' ? 4 : 1;
	return size;
}

static int image_list_append(struct op_image_list *list, const char *name,
			     const struct op_identity *identity)
{
	size_t size = line_size(name);
	char *copy;

	if (list->n >= OP_IMAGES_MOST || list->bytes + size > LIST_MOST ||
	    op_array_fit(list->items, list->capacity, list->n + 1))
		return -1;
	copy = strdup(name);
	if (!copy || op_hash_add(&list->by_name, op_hash_text(0, name), (uint32_t)list->n)) {
		free(copy);
		return -1;
	}
	list->bytes += size;
	list->items[list->n++] = (struct op_image_known){.name = copy, .identity = *identity};
	return 0;
}

int op_image_list_add(struct op_image_list *list, const char *name,
		      const struct op_identity *identity)
{
	struct op_image_known *known = op_image_list_find(list, name);

	if (!known)
		return image_list_append(list, name, identity);
	known->is_ambiguous |= !identity_fits(&known->identity, identity, true);
	return 0;
}

void op_image_list_free(struct op_image_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->items[i].name);
	free(list->items);
	op_hash_free(&list->by_name);
	*list = (struct op_image_list){0};
}

/* ---- reading ---- */

/* Takes the digits at @at and a blank.  Return: false if they are not there. */
static bool session_images_take(const char **at, unsigned int base, uint64_t *number)
{
	if (!op_number_take(at, base, UINT64_MAX, number) || **at != ' ')
		return false;
	++*at;
	return true;
}

static bool take_build_id(const char **at, struct op_identity *identity)
{
	size_t digits = strspn(*at, "0123456789abcdef");

	if (**at == '-')
		digits = 1;
	else if (!digits || digits % 2 || digits / 2 > BUILD_ID_MAX ||
		 !op_bytes_take(*at, identity->build_id, digits / 2))
		return false;
	identity->build_id_size = (uint8_t)(digits / 2);
	*at += digits;
	return *(*at)++ == ' ';
}

/* "\012" is a newline, "\134" a backslash, as in /proc/PID/maps. */
static void unescape(char *name)
{
	char *out = name;

	for (const char *at = name; *at; at++, out++) {
		if (!strncmp(at, "\\012", 4) || !strncmp(at, "\\134", 4)) {
			*out = at[1] == '0' ? '\n' : '\\';
			at += 3;
		} else {
			*out = *at;
		}
	}
	*out = '\0';
}

/* BUILD-ID SIZE MTIME INODE HEAD OWNER NAME */
static void session_images_take_line(void *list, char *line)
{
	struct op_identity identity = {.has_file = true};
	const char *at = line;
	uint64_t owner;

	if (!take_build_id(&at, &identity) || !session_images_take(&at, 10, &identity.size) ||
	    !session_images_take(&at, 10, &identity.mtime) ||
	    !session_images_take(&at, 10, &identity.inode) ||
	    !session_images_take(&at, 16, &identity.head) ||
	    !session_images_take(&at, 10, &owner) || owner > UINT32_MAX || !*at)
		return;
	identity.has_file = identity.mtime;
	identity.owner = (uint32_t)owner;
	unescape(line + (at - line));
	op_image_list_add(list, at, &identity);
}

/* image BUILD-ID START END OFFSET NAME */
static void take_origin_line(void *list, char *line)
{
	struct op_identity identity = {0};
	const char *at = line + strlen("image ");
	uint64_t ignored;

	if (strncmp(line, "image ", strlen("image ")) != 0 || !take_build_id(&at, &identity) ||
	    !session_images_take(&at, 16, &ignored) || !session_images_take(&at, 16, &ignored) ||
	    !session_images_take(&at, 16, &ignored) || !identity.build_id_size ||
	    strncmp(at, "{root}", strlen("{root}")) != 0)
		return;
	op_image_list_add(list, at, &identity);
}

void op_image_list_read(struct op_image_list *list, const char *samples_dir)
{
	list_file_read(samples_dir, OP_SAMPLES_IMAGES, LIST_MOST, session_images_take_line, list);
	list_file_read(samples_dir, OP_SAMPLES_ORIGIN, LIST_MOST, take_origin_line, list);
}

/* ---- writing ---- */

static void session_images_put_name(FILE *out, const char *name)
{
	for (; *name; name++) {
		if (*name == '\n' || *name == '\\')
			fprintf(out, "\\%03o", (unsigned int)*name);
		else
			fputc(*name, out);
	}
	fputc('\n', out);
}

static void session_images_put_line(FILE *out, const struct op_image_known *known)
{
	const struct op_identity *identity = &known->identity;
	char text[IDENTITY_TEXT];

	fprintf(out, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIx64 " %" PRIu32 " ",
		identity->build_id_size ? identity_text(identity, text) : "-", identity->size,
		identity->mtime, identity->inode, identity->head, identity->owner);
	session_images_put_name(out, known->name);
}

static bool is_known(const struct op_identity *identity)
{
	return identity->has_file || identity->build_id_size;
}

static void session_images_put_lines(FILE *out, const void *context)
{
	const struct op_image_list *list = context;

	for (size_t i = 0; i < list->n; i++)
		if (is_known(&list->items[i].identity))
			session_images_put_line(out, &list->items[i]);
}

int op_image_list_save(const struct op_image_list *list, const char *samples_dir,
		       struct op_error *error)
{
	return list_file_save(samples_dir, OP_SAMPLES_IMAGES, session_images_put_lines, list,
			      error);
}

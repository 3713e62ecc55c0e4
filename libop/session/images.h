/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The images of a session and what identifies their files: OP_SAMPLES_IMAGES, which
 * oprofile-session(5) describes; of imported sessions also the images of OP_SAMPLES_ORIGIN.
 */
#ifndef LIBOP_SESSION_IMAGES_H
#define LIBOP_SESSION_IMAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "libop/base/error.h"
#include "libop/base/hash.h"
#include "libop/elf/identity.h"

/* Images that a list has at most; further ones are known by their path only. */
#define OP_IMAGES_MOST (1 << 16)

struct op_image_known {
	char *name; /* as in paths of sample files: "{root}/bin/ls" */
	struct op_identity identity;
	bool is_ambiguous; /* lists differ about it */
};

/* All zero is an empty list. */
struct op_image_list {
	struct op_image_known *items;
	size_t n, capacity;
	size_t bytes; /* that its file has at most */
	struct op_hash by_name;
};

/**
 * op_image_list_add - add an image
 * @name: is copied
 *
 * If the list has another identity under this name, that one stays, and is ambiguous.
 *
 * Return: 0, or -1 when out of memory or the list is full.
 */
int op_image_list_add(struct op_image_list *list, const char *name,
		      const struct op_identity *identity);

/* Return: what is known of an image, good until the list changes, or NULL. */
struct op_image_known *op_image_list_find(const struct op_image_list *list, const char *name);

/**
 * op_image_list_read - add the images of a session
 * @samples_dir: SESSION/samples/NAME
 *
 * Malformed lines are skipped; a file that is missing has none.
 */
void op_image_list_read(struct op_image_list *list, const char *samples_dir);

/**
 * op_image_list_save - write a list as that of a session
 *
 * Return: 0, or -1 with @error set.
 */
int op_image_list_save(const struct op_image_list *list, const char *samples_dir,
		       struct op_error *error);

void op_image_list_free(struct op_image_list *list);

#endif

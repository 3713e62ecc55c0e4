// SPDX-License-Identifier: GPL-2.0-or-later
/* Saved unwind tables: see unwind.h. */
#include "unwind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libop/foreign/account.h"
#include "libop/foreign/apart.h"
#include "libop/pack/text.h"
#include "libop/unwind/image.h"
#include "store.h"
#include "symbols.h"

#define PREFIX "unwind-"

/* Fewer bytes are made as fast as they are read. */
#define KEPT_LEAST 4096

/* Bytes of tables, unpacked, of files that are neither root's nor this user's, that this process
 * keeps in a day: they must not push out all others. */
static struct foreign_limit of_others = {
	.each = 64 << 20, .all = 256 << 20, .seconds = 24 * 60 * 60};

/* "" if not all of the identity is known. */
static const char *identity_name_of(const struct op_identity *identity,
				    char name[static SAVED_NAME + sizeof(PREFIX)])
{
	char file[SAVED_NAME];

	*name = '\0';
	if (identity && *saved_symbols_name(identity, file))
		snprintf(name, SAVED_NAME + sizeof(PREFIX), PREFIX "%s", file);
	return name;
}

/* Return: NULL if there is none, or it is damaged. */
static struct unwind_table *read_kept(const char *name)
{
	char *path = saved_path(NULL, name, NULL), *bytes = NULL;
	struct op_error ignored;
	size_t length;

	if (path)
		bytes = op_packed_read(path, UNWIND_TABLE_MOST, &length, &ignored);
	free(path);
	if (bytes && unwind_table_check(bytes, length))
		return (struct unwind_table *)bytes;
	free(bytes);
	return NULL;
}

static void saved_unwind_keep(const char *name, const struct op_identity *identity,
			      const struct unwind_table *table)
{
	size_t size = unwind_table_size(table);
	struct op_error ignored;

	if (size < KEPT_LEAST)
		return;
	if (identity->owner && identity->owner != geteuid()) {
		uint64_t account = foreign_account(identity->owner);

		if ((double)size > foreign_limit_left(&of_others, account))
			return;
		foreign_limit_use(&of_others, account, (double)size);
	}
	saved_put(NULL, name, table, size, &ignored);
}

struct unwind_table *saved_unwind_open(int fd, bool is_apart, const struct op_identity *identity,
				       struct op_error *error)
{
	char name[SAVED_NAME + sizeof(PREFIX)];
	bool has_name = *identity_name_of(identity, name);
	struct unwind_table *table = has_name ? read_kept(name) : NULL;

	if (table)
		return table;
	*error = (struct op_error){0};
	table = unwind_image_open(fd, is_apart, error);
	if (!table && is_apart && error->code != EAGAIN)
		apart_warn("call frame information", error->text);
	if (table && has_name)
		saved_unwind_keep(name, identity, table);
	return table;
}

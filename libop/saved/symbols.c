// SPDX-License-Identifier: GPL-2.0-or-later
/* Saved symbols: see symbols.h. */
#include "symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/elf/symbol_part.h"
#include "libop/foreign/door.h"
#include "libop/foreign/host.h"
#include "libop/pack/text.h"
#include "store.h"

#define ROOT "{root}"

/* Headers of ranges, beside the bytes of a part. */
#define RANGES_MOST (1 << 20)

/* Bytes of symbols, unpacked, of files that are neither root's nor this user's: of one, and of all
 * that this process saves in a day.  Reading and packing them takes 5 s, and pushes no more than a
 * quarter of the others out. */
#define OTHERS_ONE_MOST (UINT64_C(32) << 20)
static struct foreign_limit of_others = {
	.each = 128 << 20, .all = 256 << 20, .seconds = 24 * 60 * 60};

const char *saved_symbols_name(const struct op_identity *identity, char name[static SAVED_NAME])
{
	char text[IDENTITY_TEXT];

	*name = '\0';
	if (!identity->has_file)
		return name;
	if (!identity->build_id_size)
		sprintf(text, "file-%" PRIx64, identity->head);
	else
		identity_text(identity, text);
	snprintf(name, SAVED_NAME, "%s-%" PRIx64 "-%" PRIx64 "-%" PRIx64 "-%" PRIu32, text,
		 identity->size, identity->mtime, identity->inode, identity->owner);
	return name;
}

static bool is_others(const struct op_identity *identity)
{
	return identity->owner && identity->owner != geteuid();
}

/* How many bytes of a file's symbols may be saved. */
static uint64_t most_of(const struct op_identity *identity)
{
	double left;

	if (!is_others(identity))
		return SYMBOL_PART_MOST;
	left = foreign_limit_left(&of_others, foreign_account(identity->owner));
	return left < OTHERS_ONE_MOST ? (uint64_t)left : OTHERS_ONE_MOST;
}

int saved_symbols_save(int fd, const struct op_identity *identity, const char *samples_dir,
		       struct op_error *error)
{
	struct op_buffer part = {0};
	char name[SAVED_NAME];
	int result;

	if (!*saved_symbols_name(identity, name) || saved_has(samples_dir, name))
		return 0;
	result = symbol_part_read(fd, most_of(identity), &part, error);
	if (!result && is_others(identity))
		foreign_limit_use(&of_others, foreign_account(identity->owner), (double)part.used);
	if (!result && part.failed)
		result = op_error_memory(error);
	if (!result)
		result = saved_put(samples_dir, name, part.bytes, part.used, error);
	op_buffer_free(&part);
	return result;
}

/* Whether the file that is there is the one that was profiled, and its symbols are those. */
static bool is_file_of(const struct op_identity *there, const struct op_identity *known)
{
	return known->has_file ? identity_is_of_file(there, known, false)
			       : identity_fits(there, known, false);
}

/* Opens the file of an image, and finds out its identity, if it is at @path.  Or -1. */
static int open_known_at(const struct op_image_known *known, const char *path,
			 struct op_identity *identity)
{
	int fd = foreign_open(path, FOREIGN_OBJECT, FOREIGN_NONE);

	if (fd < 0)
		return -1;
	if (identity_of_open(fd, path, identity) && is_file_of(identity, &known->identity))
		return fd;
	close(fd);
	return -1;
}

/* The same at its path, which is the host's.  @is_apart: of host_is_apart(), asked once. */
static int open_known(const struct op_image_known *known, bool is_apart,
		      struct op_identity *identity)
{
	const char *name = known->name + strlen(ROOT);
	char *path;
	int fd;

	if (strncmp(known->name, ROOT "/", strlen(ROOT "/")) != 0 || !strncmp(name, "/[", 2))
		return -1;
	fd = open_known_at(known, name, identity);
	if (fd >= 0 || !is_apart)
		return fd;
	path = op_path(HOST_ROOT "%s", name);
	fd = path ? open_known_at(known, path, identity) : -1;
	free(path);
	return fd;
}

size_t saved_symbols_identify(struct op_image_list *list)
{
	bool is_apart = host_is_apart();
	struct op_identity identity;
	size_t identified = 0;

	for (size_t i = 0; i < list->n; i++) {
		int fd = list->items[i].identity.has_file
				 ? -1
				 : open_known(&list->items[i], is_apart, &identity);

		if (fd < 0)
			continue;
		list->items[i].identity = identity;
		identified++;
		close(fd);
	}
	return identified;
}

/* ---- turns ---- */

#define TURNS_MOST    2048
#define TURNS_SECONDS 300

void saved_turns_free(struct saved_turns *turns)
{
	foreign_limit_reset(&turns->own);
	foreign_limit_reset(&turns->others);
}

void saved_turns_begin(struct saved_turns *turns)
{
	const struct foreign_limit all = {
		.each = TURNS_MOST, .all = TURNS_MOST, .seconds = TURNS_SECONDS};

	saved_turns_free(turns);
	*turns = (struct saved_turns){.own = all, .others = all};
	turns->others.each /= 4;
}

/* Whether a file of this owner has a turn.  @takes: it takes it. */
static bool has_turn(struct saved_turns *turns, const struct op_identity *identity, bool takes)
{
	bool others = is_others(identity);
	struct foreign_limit *limit = others ? &turns->others : &turns->own;
	uint64_t account = others ? foreign_account(identity->owner) : 0;

	if (foreign_limit_left(limit, account) < 1)
		return false;
	if (takes)
		foreign_limit_use(limit, account, 1);
	return true;
}

/* @turns: NULL: any number of them. */
static void save_known(const struct op_image_known *known, bool is_apart, struct saved_turns *turns,
		       const char *samples_dir)
{
	struct op_identity identity;
	struct op_error ignored;
	int fd;

	if (turns && !has_turn(turns, &known->identity, false)) {
		turns->refused++;
		return;
	}
	fd = open_known(known, is_apart, &identity);
	if (fd < 0)
		return;
	if (!turns || has_turn(turns, &identity, true))
		saved_symbols_save(fd, &identity, samples_dir, &ignored);
	else
		turns->refused++;
	close(fd);
}

size_t saved_symbols_save_some(const struct op_image_list *list, size_t first, size_t most,
			       struct saved_turns *turns, const char *samples_dir)
{
	size_t end = most < list->n - first ? first + most : list->n;
	bool is_apart = first < end && host_is_apart();

	for (size_t i = first; i < end; i++)
		save_known(&list->items[i], is_apart, turns, samples_dir);
	return end;
}

void saved_symbols_save_open(int fd, const struct op_identity *identity, struct saved_turns *turns,
			     const char *samples_dir)
{
	char name[SAVED_NAME];
	struct op_error ignored;

	if (!*saved_symbols_name(identity, name) || saved_has(samples_dir, name))
		return;
	if (has_turn(turns, identity, true))
		saved_symbols_save(fd, identity, samples_dir, &ignored);
	else
		turns->refused++;
}

void saved_symbols_save_all(const struct op_image_list *list, size_t first, const char *samples_dir)
{
	saved_symbols_save_some(list, first, list->n, NULL, samples_dir);
}

/* Whoever could have made the symbols owns them, so that nothing is read as root's that is not. */
static int give(int fd, const struct op_identity *identity, uid_t writer)
{
	uid_t owner = writer ? writer : identity->owner;

	if (foreign_mark(fd, owner))
		return fd;
	close(fd);
	return -1;
}

int saved_symbols_open(const char *samples_dir, const struct op_identity *identity)
{
	char name[SAVED_NAME], *path, *bytes;
	struct op_error ignored;
	uid_t writer = 0;
	size_t length;
	int fd;

	if (!*saved_symbols_name(identity, name))
		return -1;
	path = saved_path(samples_dir, name, &writer);
	if (!path)
		return -1;
	bytes = op_packed_read(path, SYMBOL_PART_MOST + RANGES_MOST, &length, &ignored);
	free(path);
	fd = bytes ? symbol_part_open(bytes, length, &ignored) : -1;
	free(bytes);
	return fd < 0 ? -1 : give(fd, identity, writer);
}

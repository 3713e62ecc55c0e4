/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols of images that sessions keep, by the identity of the file: libop/elf/symbol_part.h in the
 * directories of store.h.
 *
 * Names are of one file: besides the build-id count size, time and inode, as builds may have one
 * build-id whose static functions have other names.  And its owner: a program of another user with
 * the build-id of the C library does not name what is in this library.
 */
#ifndef LIBOP_SAVED_SYMBOLS_H
#define LIBOP_SAVED_SYMBOLS_H

#include "libop/elf/identity.h"
#include "libop/foreign/account.h"
#include "libop/session/images.h"
#include "libop/base/error.h"

/* Room for the name of a file. */
#define SAVED_NAME 160

/* The name of the symbols of an image; "" if not all of its identity is known. */
const char *saved_symbols_name(const struct op_identity *identity, char name[static SAVED_NAME]);

/**
 * saved_symbols_save - save the symbols of a file, unless they are saved
 * @fd: the file
 * @identity: of it
 * @samples_dir: as of saved_put()
 *
 * Return: 0, or -1 with @error set; ENOENT if it has no symbols.
 */
int saved_symbols_save(int fd, const struct op_identity *identity, const char *samples_dir,
		       struct op_error *error);

/**
 * saved_symbols_save_all - save the symbols of the images of a session that are at their paths
 * @first: index of the first image of @list that is looked at
 *
 * Those that are not any more, or are other files now, are left out.
 */
void saved_symbols_save_all(const struct op_image_list *list, size_t first,
			    const char *samples_dir);

/*
 * How many images of a running session may have their symbols saved now: half a millisecond each,
 * and whoever may execute programs may make thousands.  What comes beyond that has none saved; its
 * file has them as long as it is there.
 */
struct saved_turns {
	struct foreign_limit own;    /* of root's and this user's files */
	struct foreign_limit others; /* of others' files */
	uint64_t refused;	     /* images that there was no turn for */
};

/* Gives all turns: two thousand of each kind, of others a quarter to each account.  They come back
 * in five minutes.  @turns: all zero, or given before. */
void saved_turns_begin(struct saved_turns *turns);
void saved_turns_free(struct saved_turns *turns);

/**
 * saved_symbols_save_some - as saved_symbols_save_all(), of as many as there are turns for
 * @first: index of the first image of @list that is looked at
 * @most: images that are looked at
 *
 * Return: the index of the first one that was not looked at.
 */
size_t saved_symbols_save_some(const struct op_image_list *list, size_t first, size_t most,
			       struct saved_turns *turns, const char *samples_dir);

/* Saves the symbols of an open file, unless they are saved, if there is a turn for it. */
void saved_symbols_save_open(int fd, const struct op_identity *identity, struct saved_turns *turns,
			     const char *samples_dir);

/**
 * saved_symbols_identify - complete the identities of images whose build-id is all that is known
 *
 * Return: of how many, because a file with that build-id is at their paths.
 */
size_t saved_symbols_identify(struct op_image_list *list);

/**
 * saved_symbols_open - the saved symbols of an image as an object file without code
 *
 * The file belongs to whom the image, or the saved file, belonged, so that it is read with as much
 * care.
 *
 * Return: a descriptor, or -1.
 */
int saved_symbols_open(const char *samples_dir, const struct op_identity *identity);

#endif

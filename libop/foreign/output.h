/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are written where the user says, and where others may have put links, FIFOs, or
 * directories that they exchange.
 *
 * Root goes to the file from directory to directory.  In a directory of another user it has no more
 * rights than that user: what is made there belongs to that user.  It has these rights, too, from
 * the first link on that another user made or could have put there, so that such links lead to
 * nothing that was not open to that user.  In a directory of root that others can write to, such as
 * /tmp, no file of theirs is taken.  Who is not root has the rights of its own.
 */
#ifndef LIBOP_FOREIGN_OUTPUT_H
#define LIBOP_FOREIGN_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "libop/base/error.h"

enum foreign_parents {
	FOREIGN_PARENTS_FIND, /* a directory that is missing is the error ENOENT */
	FOREIGN_PARENTS_MAKE, /* mode 0755 */
};

enum foreign_existing {
	FOREIGN_REPLACE, /* what was in the file is gone; a device or a FIFO is opened */
	FOREIGN_REFUSE,	 /* a file that exists, whatever it is, is the error EEXIST */
};

/* struct foreign_place - where a file is, or is to be */
struct foreign_place {
	int dir;	  /* the directory: a descriptor that only tells what it is (O_PATH) */
	char *name;	  /* of the file, without a slash */
	char *path;	  /* what errors call it */
	const char *verb; /* that errors say can't be done */
	enum foreign_existing existing;
	bool is_directory; /* not a file: @name may be "." */
	bool is_shared;	   /* others may write to the directory, too */
	bool is_others;	   /* it is another user's: with the rights of @user, @group */
	bool is_linked;	   /* and so is a link that led to it */
	bool is_passed;	   /* others can exchange something on the way */
	uid_t user;
	gid_t group;
};

/**
 * foreign_place_find - find the place of a file that is to be written
 * @place: is filled in; foreign_place_leave() frees what is in it, also after an error
 * @path: of the file, which need not exist
 *
 * Return: 0, or -1 with @error set.
 */
int foreign_place_find(struct foreign_place *place, const char *path, enum foreign_parents parents,
		       enum foreign_existing existing, struct op_error *error);

/* The same for a directory: its path may end with a slash, "." or "..". */
int foreign_place_find_directory(struct foreign_place *place, const char *path,
				 enum foreign_parents parents, struct op_error *error);

void foreign_place_leave(struct foreign_place *place);

/**
 * foreign_place_open - open the file of a place for writing, or make it
 * @mode: of a new file
 *
 * Return: a descriptor, or -1 with @error set.
 */
int foreign_place_open(const struct foreign_place *place, mode_t mode, struct op_error *error);

/**
 * foreign_place_fresh - make a file of another name beside the file of a place
 * @name: is set to that name, which the caller frees
 *
 * Return: a descriptor, for reading and writing, or -1 with @error set.
 */
int foreign_place_fresh(const struct foreign_place *place, char **name, struct op_error *error);

/**
 * foreign_place_replace - give a fresh file the name of the place
 * @name: of foreign_place_fresh()
 *
 * Return: 0, or -1 with @error set.
 */
int foreign_place_replace(const struct foreign_place *place, const char *name,
			  struct op_error *error);

/* Removes a file beside that of the place, or that one itself, if @name is its name. */
void foreign_place_remove(const struct foreign_place *place, const char *name);

/**
 * foreign_create - foreign_place_find() and foreign_place_open() in one
 *
 * Return: a descriptor, or -1 with @error set.
 */
int foreign_create(const char *path, enum foreign_parents parents, enum foreign_existing existing,
		   mode_t mode, struct op_error *error);

/* foreign_create() as a stream for writing. */
FILE *foreign_create_stream(const char *path, enum foreign_parents parents,
			    enum foreign_existing existing, struct op_error *error);

/**
 * foreign_make_own_directory - make a directory that only this user can change
 * @path: must not exist
 *
 * In a directory of another user it is this user's all the same, so that what is written below it,
 * by a path of its descriptor (pinned_path.h), needs no care.
 *
 * Return: a descriptor, or -1 with @error set.
 */
int foreign_make_own_directory(const char *path, mode_t mode, struct op_error *error);

/* Removes a directory, if it is empty. */
void foreign_remove_directory(const char *path);

/**
 * foreign_make_directory - make a directory, and open it
 * @parents: of those on the way to it
 *
 * One that exists is not an error.
 *
 * Return: a descriptor that may be read, or -1 with @error set.
 */
int foreign_make_directory(const char *path, enum foreign_parents parents, mode_t mode,
			   struct op_error *error);

/**
 * foreign_is_own_way - whether nobody else can exchange a directory of root, nor what is on the way
 *
 * What is written there by its path, from then on, is written there: each directory on the way, and
 * it, belongs to root, and others cannot write to it, unless it has the sticky bit, as /tmp.  Of
 * one that is missing, the nearest one above it counts.
 *
 * Return: true for who is not root: links of others lead to nothing that this user has not, then.
 */
bool foreign_is_own_way(const char *directory);

/* A directory for temporary files: $TMPDIR if that is a foreign_is_own_way(), as it is not of root
 * under "sudo -E", or /tmp. */
const char *foreign_temporary_top(void);

#endif

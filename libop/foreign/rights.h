/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rights of another user, for a while, in one thread.
 */
#ifndef LIBOP_FOREIGN_RIGHTS_H
#define LIBOP_FOREIGN_RIGHTS_H

#include <stdbool.h>
#include <sys/types.h>

/* What decides which files a thread may open. */
struct foreign_rights {
	uid_t user;
	gid_t group, *groups;
	int n_groups;
};

/* A group that owns nothing. */
#define FOREIGN_NO_GROUP ((gid_t)65534)

/**
 * foreign_rights_take - act on files as another user
 * @before: is set to the rights of this thread, for foreign_rights_return()
 * @group: the only one that counts, and that of new files; or FOREIGN_NO_GROUP
 *
 * Return: false if this process may not, or there is no memory; then nothing changed.
 */
bool foreign_rights_take(struct foreign_rights *before, uid_t user, gid_t group);

/* Gives the rights back; errno is kept. */
void foreign_rights_return(struct foreign_rights *before);

#endif

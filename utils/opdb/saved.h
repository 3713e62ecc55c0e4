/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opdb drop: removes saved symbols that sessions share (libop/saved/store.h). */
#ifndef UTILS_OPDB_SAVED_H
#define UTILS_OPDB_SAVED_H

/* Removes those that no session and no report used for @days days, and prints how many. Return: 0,
 * or -1 after a message. */
int saved_symbols_drop(const char *days);

#endif

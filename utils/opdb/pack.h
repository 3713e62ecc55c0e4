/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packs: checking, mending and showing what is in them. */
#ifndef OPDB_PACK_H
#define OPDB_PACK_H

#include "dump.h"

/* Prints a line for each file of a pack that cannot be unpacked.  Return: 0, or -1 if any is. */
int check_pack(const char *path);

/* Puts a pack of all that can be unpacked in its place.  Return: 0, or -1 after a complaint. */
int repair_pack(const char *path);

/* Prints all files of a pack.  Return: 0, or -1 after a complaint. */
int dump_pack(const struct dump_style *style, const char *path);

#endif

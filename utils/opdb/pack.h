/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packs: checking, mending and showing what is in them. */
#ifndef UTILS_OPDB_PACK_H
#define UTILS_OPDB_PACK_H

#include "dump_samples.h"

/* Prints a line for each file of a pack that cannot be unpacked.  Return: 0, or -1 if any is. */
int check_pack(const char *path);

/* Replaces the pack by one of all files that can be unpacked.  Return: 0, or -1 after a message. */
int repair_pack(const char *path);

/* Prints all files of a pack.  Return: 0, or -1 after a complaint. */
int dump_pack(const struct dump_style *style, const char *path);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Build-ids of ELF files, and in the files of notes that /sys shows.
 */
#ifndef DAEMON_BUILD_ID_H
#define DAEMON_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX 32

/* Finds NT_GNU_BUILD_ID among ELF notes.  Return: its length in bytes, or 0. */
size_t build_id_of_notes(const void *notes, size_t length, uint8_t id[static BUILD_ID_MAX]);

/* Reads the build-id of an ELF file.  Return: its length in bytes, or 0. */
size_t build_id_of_file(const char *path, uint8_t id[static BUILD_ID_MAX]);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Build-ids (NT_GNU_BUILD_ID) in ELF files, and in the files of ELF notes below /sys.
 */
#ifndef LIBOP_ELF_BUILD_ID_H
#define LIBOP_ELF_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX 32

/* Finds the build-id among ELF notes.  Return: its length in bytes, or 0. */
size_t build_id_of_notes(const void *notes, size_t length, uint8_t id[static BUILD_ID_MAX]);

/* The same for a file of notes, such as /sys/kernel/notes. */
size_t build_id_of_notes_file(const char *path, uint8_t id[static BUILD_ID_MAX]);

/* Reads the build-id of an ELF file.  Return: its length in bytes, or 0. */
size_t build_id_of_file(const char *path, uint8_t id[static BUILD_ID_MAX]);

#endif

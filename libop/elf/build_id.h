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

/**
 * build_id_of_open - read the build-id of an open ELF file, of any class and byte order
 * @path: as of apart_is_needed(); may be NULL
 *
 * Segments are looked at first, then sections, no more of them than limits.h says.  Of a file that
 * others own, root has this done apart (apart.h).
 *
 * Return: its length in bytes, or 0.
 */
size_t build_id_of_open(int fd, const char *path, uint8_t id[static BUILD_ID_MAX]);

/* The same in this process, whoever owns the file: for work that is apart already. */
size_t build_id_read(int fd, uint8_t id[static BUILD_ID_MAX]);

/* The same of a file by a path that the kernel told: FOREIGN_NONE of door.h. */
size_t build_id_of_file(const char *path, uint8_t id[static BUILD_ID_MAX]);

#endif

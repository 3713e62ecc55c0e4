/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Survival of faults in mapped files.
 *
 * An access to a mapped page that the file no longer has (it was truncated, or the disk failed)
 * is the signal SIGBUS.  With the guard, such a page is replaced by one of zeros in anonymous
 * memory: the access succeeds, the file is not changed, and its user finds out by
 * page_guard_hit().
 */
#ifndef LIBOP_BASE_PAGE_GUARD_H
#define LIBOP_BASE_PAGE_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* Handles SIGBUS from now on.  Other causes than pages without content end the process as ever. */
void page_guard_install(void);

/* How many pages were replaced so far. */
unsigned int page_guard_count(void);

/*
 * Whether a page of a mapping was replaced since page_guard_clear().  PAGE_GUARD_KEPT addresses are
 * known; if there were more, it is true for every mapping.
 */
bool page_guard_hit(const void *from, size_t length);
#define PAGE_GUARD_KEPT 256

/* Forgets the addresses, once each mapping was looked at. */
void page_guard_clear(void);

/* A file that would exceed RLIMIT_FSIZE is the error EFBIG from now on, not the signal SIGXFSZ. */
void page_guard_ignore_file_limit(void);

#endif

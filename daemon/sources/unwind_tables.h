/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives the kernel module the unwind tables for the lack of which call chains have ended.
 */
#ifndef DAEMON_SOURCES_UNWIND_TABLES_H
#define DAEMON_SOURCES_UNWIND_TABLES_H

#include "source.h"

/**
 * unwind_tables_give - give those that the module wants
 * @source: the kernel module; its descriptor is that of the opened event buffer
 *
 * An image without call frame information has a table without rows.  What would take too long is
 * left to the next call.
 */
void unwind_tables_give(struct source *source);

#endif

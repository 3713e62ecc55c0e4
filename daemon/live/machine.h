/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What /proc and /sys say of the machine, for the sources that profile it.
 */
#ifndef DAEMON_MACHINE_H
#define DAEMON_MACHINE_H

#include <stdint.h>

#include "daemon/sources/source.h"

/* struct machine - what was found out once; all zero at first */
struct machine {
	uint64_t text_start, text_end; /* of the kernel, from kallsyms; 0: not read yet */
};

/* The text of /proc/@tgid/maps, which the caller frees, or NULL. */
char *machine_maps(uint32_t tgid);

/* As of source_kallsyms(). */
char *machine_kallsyms(struct machine *machine);

/* As of source_modules(). */
char *machine_modules(struct machine *machine);

/* Fills in @facts->present and @facts->mtime from @facts->told. */
void machine_find_image(struct image_facts *facts);

/* The clock rate of the CPUs in MHz, or 0 if it is unknown. */
double machine_cpu_mhz(void);

#endif

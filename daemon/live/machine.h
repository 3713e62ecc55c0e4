/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The running machine as /proc and /sys show it, for the sources that profile it.
 */
#ifndef DAEMON_LIVE_MACHINE_H
#define DAEMON_LIVE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "image_facts.h"

/* struct machine - what is read once only; all zero at first */
struct machine {
	uint64_t text_start, text_end; /* of the kernel, from kallsyms; 0: not read yet */
};

/**
 * machine_thread - a thread of a process that still runs
 *
 * /proc/PID shows the memory, the program and the root directory of the first thread; once that has
 * ended, and others go on, nothing.  /proc/TID shows those of any thread.
 *
 * Return: @tgid itself if it runs, or if no thread does.
 */
uint32_t machine_thread(uint32_t tgid);

/**
 * machine_user - whose process it is
 * @thread: of machine_thread()
 * @user: set to the first of its user ids that is not root's; 0 if all are
 *
 * The owner of its files in /proc is root for a process that may not be dumped, too.
 *
 * Return: false if it is gone.
 */
bool machine_user(uint32_t thread, uid_t *user);

/* The text of /proc/PID/maps, of any thread of @tgid, which the caller frees, or NULL. */
char *machine_maps(uint32_t tgid);

/**
 * machine_jit_dump - the jitdump that a process has mapped
 * @inner: its pid in its own namespace
 *
 * Programs map it as executable, only to tell profilers where it is.
 *
 * Return: its path, which the caller frees, or NULL, also if paths of the process are not the
 * host's.
 */
char *machine_jit_dump(uint32_t tgid, uint32_t inner);

/* As of source_kallsyms(). */
char *machine_kallsyms(struct machine *machine);

/* As of source_modules(). */
char *machine_modules(struct machine *machine);

/* Fills in the rest of @facts from @facts->reported. */
void machine_find_image(struct image_facts *facts);

/**
 * machine_open_image - open the file of an image, wherever it is
 * @facts: its identity is filled in
 * @tgid: a process that maps it, through which files of other mount namespaces and removed programs
 *	are reached; 0 if there is none
 *
 * Return: a descriptor of the very file, or -1.
 */
int machine_open_image(struct image_facts *facts, int32_t tgid);

/* Lines as of OP_SAMPLES_ORIGIN (libop/session/paths.h) that say what machine this is; the caller
 * frees them.  NULL when out of memory. */
char *machine_facts(void);

/* The clock rate of the CPUs in MHz, or 0 if it is unknown. */
double machine_cpu_mhz(void);

#endif

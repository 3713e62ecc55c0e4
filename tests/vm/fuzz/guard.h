/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is watched while operations are done, and looked at when all is closed: the kernel's log,
 * processes that hang, and what the module has left behind.
 */
#ifndef TESTS_VM_FUZZ_GUARD_H
#define TESTS_VM_FUZZ_GUARD_H

void guard_open(void);

/* Looks at the log since the last time; board_wrong() if there is a report. */
void guard_look(void);

/* board_wrong() if a process has done nothing for minutes. */
void guard_progress(void);

/* The profiler is closed, but loaded: what memory it still has must be gone. */
void guard_closed(void);

/* The module is unloaded. */
void guard_unloaded(void);

#endif

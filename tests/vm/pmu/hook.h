/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts the plugin's own functions in the place of some of QEMU's: those that execute RDMSR,
 * WRMSR, RDPMC, CPUID and INT, and those that deliver exceptions and interrupts.
 */
#ifndef PMU_HOOK_H
#define PMU_HOOK_H

/* Must be called before any code is translated. Fails if QEMU is not as expected. */
void hook_install(void);

#endif

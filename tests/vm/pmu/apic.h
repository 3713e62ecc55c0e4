/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The local APIC's entry for performance counters, LVTPC.
 */
#ifndef PMU_APIC_H
#define PMU_APIC_H

#include <stdbool.h>
#include <stdint.h>

enum apic_result {
	APIC_MASKED, /* nothing happens: the interrupt is lost */
	APIC_SENT,   /* as an ordinary interrupt */
	APIC_SENT_NMI,
};

/*
 * Delivers the counters' interrupt on the current CPU as LVTPC says; with @masks, sets LVTPC's
 * mask first, as Intel's APIC does.
 */
enum apic_result apic_counter_interrupt(bool masks);

/* LVTPC of the current CPU, for those who ask. */
uint32_t apic_lvtpc_read(void);
void apic_lvtpc_write(uint32_t value);

#endif

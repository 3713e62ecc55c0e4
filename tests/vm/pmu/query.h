/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a program in the guest can ask the plugin, by CPUID with a leaf that no CPU has; also
 * used by the program that does (guest/pmu.c).  Arguments and answers are 64 bits wide.
 */
#ifndef PMU_QUERY_H
#define PMU_QUERY_H

#define PMU_QUERY_BASE 0x4f500000

/*
 * out: RAX PMU_QUERY_MAGIC, RBX number of CPUs, RCX general counters, RDX fixed ones, and
 * PMU_QUERY_MASKS if the APIC masks LVTPC with each interrupt
 */
#define PMU_QUERY_IDENTIFY (PMU_QUERY_BASE + 0)
#define PMU_QUERY_MAGIC	   0x31554d50
#define PMU_QUERY_MASKS	   0x100

/* in: RCX number; out: RAX addresses in the snapshot, RBX 1 (0: no such number) */
#define PMU_QUERY_SNAPSHOT (PMU_QUERY_BASE + 1)

/* in: RCX number, RBX start, RDX end; out: RAX executions there, RBX 1 (0: never taken) */
#define PMU_QUERY_COUNT (PMU_QUERY_BASE + 2)

/*
 * in: RCX number, RBX ring (0 user, 1 kernel), RDX quantity (enum pmu_quantity) and
 * PMU_QUERY_CPU times the CPU; out: RAX how many of it were retired there, RBX 1 (0: never
 * taken, or no such CPU, ring or quantity)
 */
#define PMU_QUERY_TOTAL (PMU_QUERY_BASE + 3)
#define PMU_QUERY_CPU	0x100

/*
 * sums of all CPUs since the start, out: RAX interrupts delivered, RBX interrupts lost since
 * LVTPC was masked, RCX overflows that were stepped to, RDX blocks that were left early
 */
#define PMU_QUERY_STATISTICS (PMU_QUERY_BASE + 4)

/*
 * LVTPC of the CPU that asks; in: RCX 1 to set it, to RBX, 0 not to; out: RAX what it is now
 */
#define PMU_QUERY_LVTPC (PMU_QUERY_BASE + 5)

#define PMU_QUERY_END (PMU_QUERY_BASE + 6)

#ifdef PMU_PLUGIN
#include <stdbool.h>
#include <stdint.h>

struct env;
struct vcpu;

bool query_is(uint32_t leaf);

/* Whether all other CPUs must stand still for it. */
bool query_wants_alone(uint32_t leaf);

/* Answers in the registers of the current CPU. */
void query_answer(uint32_t leaf, struct vcpu *vcpu, struct env *env);
#endif

#endif

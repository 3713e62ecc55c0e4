// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intel SDM volume 3, chapter "APIC", sections "Local Vector Table" and "Interrupt Command
 * Register".
 */
#include "apic.h"

#include "fail.h"
#include "qemu.h"

#define APIC_BASE      0xfee00000
#define REGISTER_ICR   0x30
#define REGISTER_LVTPC 0x34

#define LVT_VECTOR     0xff
#define LVT_MODE       0x700
#define LVT_MODE_FIXED 0x000
#define LVT_MODE_NMI   0x400
#define LVT_MASKED     (UINT32_C(1) << 16)
#define ICR_SELF       (UINT32_C(1) << 18)

static uint32_t apic_read(unsigned int number)
{
	uint64_t wide;
	uint32_t value;

	if (apic_msr_read(number, &wide) == 0)
		return wide;
	cpu_physical_memory_rw(APIC_BASE + number * 16, &value, sizeof(value), false);
	return value;
}

static void apic_write(unsigned int number, uint32_t value)
{
	uint64_t wide;

	if (apic_msr_read(number, &wide) == 0) {
		if (apic_msr_write(number, value))
			pmu_fail("the APIC refuses %#x for register %#x", value, number);
		return;
	}
	cpu_physical_memory_rw(APIC_BASE + number * 16, &value, sizeof(value), true);
}

uint32_t apic_lvtpc_read(void)
{
	bool locked = bql_locked();
	uint32_t value;

	if (!locked)
		bql_lock_impl(__FILE__, __LINE__);
	value = apic_read(REGISTER_LVTPC);
	if (!locked)
		bql_unlock();
	return value;
}

void apic_lvtpc_write(uint32_t value)
{
	bool locked = bql_locked();

	if (!locked)
		bql_lock_impl(__FILE__, __LINE__);
	apic_write(REGISTER_LVTPC, value);
	if (!locked)
		bql_unlock();
}

static void send(CPUState *cpu, run_on_cpu_data vector)
{
	bool locked = bql_locked();

	if (!locked)
		bql_lock_impl(__FILE__, __LINE__);
	if (vector.host_int)
		apic_write(REGISTER_ICR, ICR_SELF | vector.host_int);
	else
		cpu_interrupt(cpu, CPU_INTERRUPT_NMI);
	if (!locked)
		bql_unlock();
}

enum apic_result apic_counter_interrupt(bool masks)
{
	run_on_cpu_data vector = { .host_ptr = 0 };
	bool locked = bql_locked();
	uint32_t lvt;

	if (!locked)
		bql_lock_impl(__FILE__, __LINE__);
	lvt = apic_read(REGISTER_LVTPC);
	if (masks && !(lvt & LVT_MASKED))
		apic_write(REGISTER_LVTPC, lvt | LVT_MASKED);
	if (!locked)
		bql_unlock();
	if (lvt & LVT_MASKED)
		return APIC_MASKED;

	switch (lvt & LVT_MODE) {
	case LVT_MODE_NMI:
		break;
	case LVT_MODE_FIXED:
		vector.host_int = lvt & LVT_VECTOR;
		if (vector.host_int < 16) /* the APIC calls that an error */
			return APIC_MASKED;
		break;
	default:
		pmu_fail("LVTPC %#x: only fixed interrupts and NMIs can be emulated", lvt);
	}
	/*
	 * With -icount an interrupt can't be raised in the middle of translated code: do it
	 * as soon as the CPU is out of it, which is before the next instruction.
	 */
	if (use_icount)
		async_run_on_cpu(current_cpu, send, vector);
	else
		send(current_cpu, vector);
	return vector.host_int ? APIC_SENT : APIC_SENT_NMI;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The backend x86: does the machine have counters, and whose are they.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include <asm/cpufeature.h>
#include <asm/nmi.h>
#include <asm/processor.h>

#include "suite.h"

#include "x86/machines.h"
#include "x86/model.h"
#include "x86/owners.h"
#include "x86/settings.h"

static struct cpuinfo_x86 fake_cpu;
static struct op_x86_identity fake_identity;
static int nmi_handler_error;
static unsigned int nmi_handlers;

static bool fake_mixed;

static void seam_identify(struct op_x86_identity *identity)
{
	*identity = fake_identity;
}

static bool seam_model_of_machine(struct op_x86_identity *identity, struct op_x86_model *model)
{
	*identity = fake_identity;
	if (!op_x86_model_find(&fake_identity, model))
		return false;
	model->mixed = fake_mixed;
	return true;
}

static int seam_register_nmi_handler(unsigned int type, nmi_handler_t handler,
				     unsigned long flags, const char *name)
{
	if (!nmi_handler_error)
		nmi_handlers++;
	return nmi_handler_error;
}

static void seam_unregister_nmi_handler(unsigned int type, const char *name)
{
	nmi_handlers--;
}

static bool fake_lent; /* to virtual machines */
static int fake_perf;  /* what perf says to all events */
static int nr_perf_events;

static struct perf_event *seam_create_event(struct perf_event_attr *attr, int cpu,
					    struct task_struct *task,
					    perf_overflow_handler_t overflow, void *context)
{
	static struct perf_event event;

	if (fake_perf)
		return ERR_PTR(fake_perf);
	if (fake_lent && !attr->exclude_guest)
		return ERR_PTR(-EOPNOTSUPP);
	nr_perf_events += attr->disabled ? 1 : 1000;
	return &event;
}

static int seam_release_event(struct perf_event *event)
{
	nr_perf_events--;
	return 0;
}

/* Seams. */
#define perf_event_create_kernel_counter seam_create_event
#define perf_event_release_kernel seam_release_event
#define boot_cpu_data fake_cpu
#define op_x86_identify seam_identify
#define op_x86_model_of_machine seam_model_of_machine
#undef register_nmi_handler
#define register_nmi_handler seam_register_nmi_handler
#define unregister_nmi_handler seam_unregister_nmi_handler

#include "x86/backend.c"

static void use(const struct machine *machine)
{
	memset(&fake_cpu, 0, sizeof(fake_cpu));
	set_bit(X86_FEATURE_APIC, (unsigned long *)fake_cpu.x86_capability);
	fake_identity = machine->identity;
	fake_msr_begin(&machine->pmu);
	owners_clear();
}

static void probe_finds_counters(struct kunit *test)
{
	static const struct machine *const machines[] = {
		&machine_pentium3, &machine_core, &machine_core2, &machine_nehalem,
		&machine_skylake, &machine_sapphire, &machine_hypervisor, &machine_family10,
		&machine_family15, &machine_zen4,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(machines); i++) {
		use(machines[i]);
		KUNIT_EXPECT_EQ(test, op_x86_backend.probe(), 0);
		KUNIT_EXPECT_EQ_MSG(test, fake_msr_changed(), 0, "on %s", machines[i]->name);
		KUNIT_EXPECT_EQ(test, fake_log.faults, 0);
		KUNIT_EXPECT_EQ(test, owners_ours(), 0);
	}
	KUNIT_EXPECT_STREQ(test, op_x86_backend.cpu_type(), "x86-64/generic");
}

static void lose_write(void)
{
	fake_msr_set(0xc1, 0);
}

static void probe_finds_none(struct kunit *test)
{
	static const struct machine none = {
		.identity = { .vendor = OP_X86_INTEL, .family = 15 },
	};
	struct machine version6 = machine_core2;

	use(&none);
	KUNIT_EXPECT_EQ(test, op_x86_backend.probe(), -ENODEV);
	KUNIT_EXPECT_NULL(test, op_x86_backend.obstacle());

	use(&machine_core2);
	clear_bit(X86_FEATURE_APIC, (unsigned long *)fake_cpu.x86_capability);
	KUNIT_EXPECT_EQ(test, op_x86_backend.probe(), -ENODEV);

	use(&machine_core2);
	set_bit(X86_FEATURE_XENPV, (unsigned long *)fake_cpu.x86_capability);
	KUNIT_EXPECT_EQ(test, op_x86_backend.probe(), -ENODEV);

	version6.identity.leaf_a_eax = (version6.identity.leaf_a_eax & ~0xff) | 6;
	use(&version6);
	KUNIT_EXPECT_EQ(test, op_x86_backend.probe(), -ENODEV);
	KUNIT_EXPECT_STREQ(test, op_x86_backend.obstacle(),
			   "counters of version 6 cannot be reserved against perf");

	use(&machine_core2);
	fake_mixed = true;
	KUNIT_EXPECT_EQ(test, op_x86_backend.probe(), -ENODEV);
	KUNIT_EXPECT_STREQ(test, op_x86_backend.obstacle(),
			   "the CPUs are of several kinds, which perf tells apart");
	fake_mixed = false;
	KUNIT_EXPECT_EQ(test, op_x86_backend.probe(), 0);
	KUNIT_EXPECT_NULL(test, op_x86_backend.obstacle());
}

/* CPUID promises more than the hypervisor keeps: faults are an answer, too, and nothing is left. */
static void probe_finds_promises(struct kunit *test)
{
	static const struct {
		u32 msr;
		bool writes_only;
	} refused[] = { { 0x186, false }, { 0xc1, false }, { 0xc1, true } };
	int i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		use(&machine_core2);
		fake_msr_refuse(refused[i].msr, refused[i].writes_only);
		KUNIT_EXPECT_EQ(test, op_x86_backend.probe(), -ENODEV);
		KUNIT_EXPECT_EQ(test, fake_log.faults, 0);
		KUNIT_EXPECT_EQ(test, owners_ours(), 0);
	}
}

static void watch_for_read_back(void)
{
	fake_msr_before(0xc1, lose_write);
}

static void watch_for_write(void)
{
	fake_msr_before(0xc1, watch_for_read_back);
}

/* Writes are taken, and forgotten. */
static void probe_finds_dead_counter(struct kunit *test)
{
	use(&machine_core2);
	fake_msr_before(0xc1, watch_for_write); /* read, write, and then the read that tells */
	KUNIT_EXPECT_EQ(test, op_x86_backend.probe(), -ENODEV);
	KUNIT_EXPECT_EQ(test, owners_ours(), 0);
}

/* perf has the counters at this moment: not touched, and believed in. */
static void probe_leaves_owned(struct kunit *test)
{
	use(&machine_core2);
	owners_add(0xc1);
	KUNIT_EXPECT_EQ(test, op_x86_backend.probe(), 0);
	KUNIT_EXPECT_EQ(test, fake_log.nr, 0);
}

static const struct op_x86_setting setting = {
	.enabled = 1, .event = 0xc0, .count = 6000, .user = 1,
};

static void set_up_and_shut_down(struct kunit *test)
{
	use(&machine_core2);
	KUNIT_ASSERT_EQ(test, op_x86_backend.probe(), 0);
	settings_put(0, &setting);
	settings_put(1, &setting);
	settings_put(2, &setting); /* fixed */
	settings_put(8, &setting); /* multiplexed with 1 */
	KUNIT_ASSERT_EQ(test, op_x86_backend.setup(), 0);
	KUNIT_EXPECT_EQ(test, nmi_handlers, 1);
	KUNIT_EXPECT_EQ(test, owners_ours(), 0);
	KUNIT_ASSERT_EQ(test, op_x86_backend.start(), 0);
	KUNIT_EXPECT_EQ(test, owners_ours(), 4);
	op_x86_backend.stop(); /* gives them back, and the next start takes them again */
	KUNIT_EXPECT_EQ(test, owners_ours(), 0);
	owners_add(0x187);
	KUNIT_EXPECT_EQ(test, op_x86_backend.start(), -EBUSY);
	KUNIT_EXPECT_STREQ(test, op_x86_backend.reason(),
			   "counter 1 is held by perf or the NMI watchdog");
	KUNIT_EXPECT_EQ(test, owners_ours(), 0);
	op_x86_backend.shutdown();
	KUNIT_EXPECT_EQ(test, nmi_handlers, 0);
	KUNIT_EXPECT_EQ(test, owners_ours(), 0);
	KUNIT_EXPECT_EQ(test, owners_wrongly_released(), 0);
}

/* Each of the four registers in turn is somebody's; or there is no room for a handler. */
static void set_up_fails(struct kunit *test)
{
	static const u32 held[] = { 0xc1, 0x186, 0xc2, 0x187 };
	int i;

	use(&machine_core2);
	KUNIT_ASSERT_EQ(test, op_x86_backend.probe(), 0);
	settings_put(0, &setting);
	settings_put(1, &setting);
	settings_put(2, &setting);
	for (i = 0; i < ARRAY_SIZE(held); i++) {
		owners_clear();
		owners_add(held[i]);
		KUNIT_EXPECT_EQ(test, op_x86_backend.setup(), -EBUSY);
		KUNIT_EXPECT_EQ(test, owners_ours(), 0);
		KUNIT_EXPECT_EQ(test, nmi_handlers, 0);
	}
	owners_clear();
	nmi_handler_error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, op_x86_backend.setup(), -ENOMEM);
	KUNIT_EXPECT_EQ(test, owners_ours(), 0);

	nmi_handler_error = 0;
	settings_clear();
	KUNIT_EXPECT_EQ(test, op_x86_backend.setup(), -EINVAL);
	KUNIT_EXPECT_EQ(test, owners_ours(), 0);
	KUNIT_EXPECT_EQ(test, owners_wrongly_released(), 0);
	KUNIT_EXPECT_EQ(test, fake_msr_changed(), 0);
}

/* Nobody has reserved it, but it counts. */
static void start_finds_use(struct kunit *test)
{
	use(&machine_core2);
	KUNIT_ASSERT_EQ(test, op_x86_backend.probe(), 0);
	settings_put(1, &setting);
	KUNIT_ASSERT_EQ(test, op_x86_backend.setup(), 0);
	fake_msr_set(0x186, 0x5300c0); /* of another counter than ours */
	fake_msr_set(0x38f, 3);
	KUNIT_EXPECT_EQ(test, op_x86_backend.start(), 0);
	op_x86_backend.stop();
	fake_msr_set(0x187, 0x5300c0);
	KUNIT_EXPECT_EQ(test, op_x86_backend.start(), -EBUSY);
	KUNIT_EXPECT_STREQ(test, op_x86_backend.reason(),
			   "a counter is in use on CPU 0, unreserved");
	KUNIT_EXPECT_EQ(test, owners_ours(), 0);
	fake_msr_set(0x187, 0);
	KUNIT_EXPECT_EQ(test, op_x86_backend.start(), 0);
	op_x86_backend.stop();
	op_x86_backend.shutdown();
	KUNIT_EXPECT_EQ(test, owners_wrongly_released(), 0);
}

/* KVM has lent them, and writes what its machines want to them; nobody has reserved them. */
static void start_while_lent(struct kunit *test)
{
	use(&machine_core2);
	KUNIT_ASSERT_EQ(test, op_x86_backend.probe(), 0);
	settings_put(1, &setting);
	KUNIT_ASSERT_EQ(test, op_x86_backend.setup(), 0);
	can_lend = true;
	fake_lent = true;
	KUNIT_EXPECT_EQ(test, op_x86_backend.start(), -EBUSY);
	KUNIT_EXPECT_STREQ(test, op_x86_backend.reason(), "virtual machines use the counters");
	KUNIT_EXPECT_EQ(test, owners_ours(), 0);

	/* A perf that has no such events at all says nothing of virtual machines. */
	fake_perf = -EOPNOTSUPP;
	KUNIT_EXPECT_EQ(test, op_x86_backend.start(), 0);
	op_x86_backend.stop();
	fake_perf = 0;
	fake_lent = false;
	KUNIT_EXPECT_EQ(test, op_x86_backend.start(), 0);
	op_x86_backend.stop();
	KUNIT_EXPECT_EQ(test, nr_perf_events, 0);

	/* A kernel without such machines has perf leave the CPU's registers alone. */
	can_lend = false;
	fake_lent = true;
	KUNIT_EXPECT_EQ(test, op_x86_backend.start(), 0);
	op_x86_backend.stop();
	fake_lent = false;
	op_x86_backend.shutdown();
}

/* A loss makes one start fail, that which follows it. */
static void start_after_loss(struct kunit *test)
{
	use(&machine_core2);
	KUNIT_ASSERT_EQ(test, op_x86_backend.probe(), 0);
	settings_put(1, &setting);
	KUNIT_ASSERT_EQ(test, op_x86_backend.setup(), 0);
	op_x86_watch_report(1, "an event select was changed");
	op_x86_watch_report(0, "an overflow was taken");
	KUNIT_EXPECT_EQ(test, op_x86_backend.start(), -EBUSY);
	KUNIT_EXPECT_STREQ(test, op_x86_backend.reason(),
			   "others use the counters: an event select was changed on CPU 1");
	KUNIT_EXPECT_EQ(test, owners_ours(), 0);
	KUNIT_EXPECT_EQ(test, op_x86_backend.start(), 0);
	op_x86_backend.stop();
	op_x86_watch_report(1, "an event select was changed");
	op_x86_backend.shutdown();
	KUNIT_ASSERT_EQ(test, op_x86_backend.setup(), 0);
	KUNIT_EXPECT_EQ(test, op_x86_backend.start(), 0);
	op_x86_backend.stop();
	op_x86_backend.shutdown();
}

/* One that comes later, and is another kind, is left alone. */
static void cpu_that_differs(struct kunit *test)
{
	use(&machine_core2);
	KUNIT_ASSERT_EQ(test, op_x86_backend.probe(), 0);
	fake_identity.kind = 0x20;
	fake_log.nr = 0;
	op_x86_backend.cpu_start(0);
	op_x86_backend.cpu_stop(0);
	KUNIT_EXPECT_EQ(test, fake_log.nr, 0);
}

/* A counter that somebody holds is not offered, nor its virtual ones. */
static void offered_counters(struct kunit *test)
{
	unsigned int number;

	use(&machine_core2);
	KUNIT_ASSERT_EQ(test, op_x86_backend.probe(), 0);
	owners_add(0xc2);
	for (number = 0; number < op_x86_numbers(&x86_model); number++)
		KUNIT_EXPECT_EQ(test, is_offered(&x86_model, number),
				op_x86_hardware_counter(&x86_model, number) != 1);
	owners_add(0xc1);
	for (number = 0; number < op_x86_numbers(&x86_model); number++)
		KUNIT_EXPECT_FALSE(test, is_offered(&x86_model, number));
	KUNIT_EXPECT_EQ(test, owners_ours(), 0);
}

static int backend_init(struct kunit *test)
{
	settings_clear();
	nmi_handler_error = 0;
	nmi_handlers = 0;
	fake_lent = false;
	fake_perf = 0;
	nr_perf_events = 0;
	return 0;
}

static void backend_exit(struct kunit *test)
{
	settings_clear();
	owners_clear();
}

TEST_SUITE(oprofile_x86_backend, backend_init, backend_exit,
	   KUNIT_CASE(probe_finds_counters),
	   KUNIT_CASE(probe_finds_none),
	   KUNIT_CASE(probe_finds_promises),
	   KUNIT_CASE(probe_finds_dead_counter),
	   KUNIT_CASE(probe_leaves_owned),
	   KUNIT_CASE(set_up_and_shut_down),
	   KUNIT_CASE(set_up_fails),
	   KUNIT_CASE(start_finds_use),
	   KUNIT_CASE(start_while_lent),
	   KUNIT_CASE(start_after_loss),
	   KUNIT_CASE(cpu_that_differs),
	   KUNIT_CASE(offered_counters));

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts NMIs that no handler has claimed, and sends some that are nobody's to each CPU in turn:
 *
 *	insmod inject_nmi.ko
 *	cat /sys/module/inject_nmi/parameters/unknown
 *	echo 5 >/sys/module/inject_nmi/parameters/send
 *
 * The kernel's log does not tell how many there were: newer kernels limit its messages.
 */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/sysfs.h>
#include <asm/apic.h>
#include <asm/irq_vectors.h>
#include <asm/nmi.h>

static atomic_t nr_unknown;

/* Context: NMI. */
static int count_unknown(unsigned int type, struct pt_regs *regs)
{
	atomic_inc(&nr_unknown);
	return NMI_HANDLED;
}

static int get_unknown(char *text, const struct kernel_param *param)
{
	return sysfs_emit(text, "%d\n", atomic_read(&nr_unknown));
}

static const struct kernel_param_ops unknown_ops = { .get = get_unknown };
module_param_cb(unknown, &unknown_ops, NULL, 0444);

static void nothing(void *data)
{
}

static int send_nmis(const char *text, const struct kernel_param *param)
{
	unsigned int times, cpu, i;
	int err = kstrtouint(text, 0, &times);

	if (err)
		return err;
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		for (i = 0; i < times; i++) {
			msleep(20); /* no overflow was just now, whose NMI may be late */
			apic->send_IPI(cpu, NMI_VECTOR);
			/* A second one would be merged with one that has not been taken yet. */
			smp_call_function_single(cpu, nothing, NULL, 1);
		}
	}
	cpus_read_unlock();
	return 0;
}

static const struct kernel_param_ops send_ops = { .set = send_nmis };
module_param_cb(send, &send_ops, NULL, 0200);

static int __init inject_nmi_init(void)
{
	return register_nmi_handler(NMI_UNKNOWN, count_unknown, 0, "inject_nmi");
}

static void __exit inject_nmi_exit(void)
{
	unregister_nmi_handler(NMI_UNKNOWN, "inject_nmi");
}

module_init(inject_nmi_init);
module_exit(inject_nmi_exit);
MODULE_DESCRIPTION("Counts and sends NMIs that are nobody's");
MODULE_LICENSE("GPL");

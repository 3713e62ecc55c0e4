// SPDX-License-Identifier: GPL-2.0-only
/*
 * A call graph of the kernel, known by construction:
 *
 *	echo TURNS >/proc/deep
 *
 * calls kdeep_19(), that kdeep_18(), and so on down to kdeep_00(), which calls kbottom(): there
 * is all the work, a loop of so many turns of two instructions.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/uaccess.h>

#define FUNCTION static __attribute__((noipa)) void

FUNCTION kbottom(unsigned long turns)
{
	asm volatile("1:\tdec %0\n\t"
		     "jnz 1b"
		     : "+r"(turns)
		     :
		     : "cc");
}

/* barrier() keeps the call from becoming a jump */
#define LEVEL(name, below)                   \
	FUNCTION kdeep_##name(unsigned long turns) \
	{                                    \
		below(turns);                \
		barrier();                   \
	}
#define TEN(tens, below)                \
	LEVEL(tens##0, below)           \
	LEVEL(tens##1, kdeep_##tens##0) \
	LEVEL(tens##2, kdeep_##tens##1) \
	LEVEL(tens##3, kdeep_##tens##2) \
	LEVEL(tens##4, kdeep_##tens##3) \
	LEVEL(tens##5, kdeep_##tens##4) \
	LEVEL(tens##6, kdeep_##tens##5) \
	LEVEL(tens##7, kdeep_##tens##6) \
	LEVEL(tens##8, kdeep_##tens##7) \
	LEVEL(tens##9, kdeep_##tens##8)

TEN(0, kbottom)
TEN(1, kdeep_09)

static ssize_t deep_write(struct file *file, const char __user *text, size_t size, loff_t *pos)
{
	unsigned long turns;
	int err;

	err = kstrtoul_from_user(text, size, 10, &turns);
	if (err)
		return err;
	if (!turns || turns > 1000000000)
		return -EINVAL;
	kdeep_19(turns);
	return size;
}

static const struct proc_ops deep_ops = { .proc_write = deep_write };

static int __init deep_init(void)
{
	return proc_create("deep", 0200, NULL, &deep_ops) ? 0 : -ENOMEM;
}

static void __exit deep_exit(void)
{
	remove_proc_entry("deep", NULL);
}

module_init(deep_init);
module_exit(deep_exit);
MODULE_DESCRIPTION("A deep call graph, for tests of the profiler");
MODULE_LICENSE("GPL");

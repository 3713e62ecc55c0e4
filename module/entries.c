// SPDX-License-Identifier: GPL-2.0-only
/*
 * What stands in /dev/oprofile:
 *
 *	enable			1 while profiling is started; write to start and stop
 *	dump			write anything: sync all CPUs, then let the reader read
 *	buffer			the event buffer, see buffer_file.c
 *	buffer_size		words of the event buffer	\
 *	buffer_watershed	free words at which the reader	 | for the next opening
 *				is woken			 | of the buffer
 *	cpu_buffer_size		entries of a CPU's buffer	/
 *	backtrace_depth		callers to log with a sample	/
 *	backend			which one samples, and why this one
 *	cpu_type		what the backend says it is
 *	pointer_size		bytes of a word of the event buffer
 *	stats/			see stats.c
 *	...			what the backend adds
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/string.h>

#include "backend.h"
#include "buffer_file.h"
#include "core.h"
#include "cpu_buffer.h"
#include "entries.h"
#include "event_buffer.h"
#include "oprofilefs.h"
#include "stats.h"

static ssize_t enable_read(struct file *file, char __user *to, size_t count, loff_t *ppos)
{
	return oprofilefs_read_number(oprofile_started(), to, count, ppos);
}

static ssize_t enable_write(struct file *file, const char __user *from, size_t count, loff_t *ppos)
{
	unsigned long value;
	int err;

	err = oprofilefs_parse_number(from, count, ppos, &value);
	if (err)
		return err;
	err = value ? oprofile_start() : oprofile_stop();
	return err ?: count;
}

static const struct file_operations enable_fops = {
	.owner = THIS_MODULE,
	.read = enable_read,
	.write = enable_write,
	.llseek = default_llseek,
};

static ssize_t dump_write(struct file *file, const char __user *from, size_t count, loff_t *ppos)
{
	int err = oprofile_dump();

	return err ?: count;
}

static const struct file_operations dump_fops = {
	.owner = THIS_MODULE,
	.write = dump_write,
	.llseek = noop_llseek,
};

static ssize_t cpu_type_read(struct file *file, char __user *to, size_t count, loff_t *ppos)
{
	const char *type = op_backend()->cpu_type();

	return simple_read_from_buffer(to, count, ppos, type, strlen(type));
}

static const struct file_operations cpu_type_fops = {
	.owner = THIS_MODULE,
	.read = cpu_type_read,
	.llseek = default_llseek,
};

static ssize_t backend_read(struct file *file, char __user *to, size_t count, loff_t *ppos)
{
	char text[128], why[96];
	int length;

	op_backend_why(why, sizeof(why));
	length = scnprintf(text, sizeof(text), "%s (%s)\n", op_backend()->name, why);
	return simple_read_from_buffer(to, count, ppos, text, length);
}

static const struct file_operations backend_fops = {
	.owner = THIS_MODULE,
	.read = backend_read,
	.llseek = default_llseek,
};

static unsigned long pointer_size(void)
{
	return sizeof(u64);
}

static int depth_possible(unsigned long depth)
{
	return depth && !op_backend()->backtrace ? -EINVAL : 0;
}

static const struct oprofilefs_number buffer_size_number = {
	.value = &oprofile_settings.buffer_size,
	.min = OP_BUFFER_SIZE_MIN,
	.max = OP_BUFFER_SIZE_MAX,
};

static const struct oprofilefs_number buffer_watershed_number = {
	.value = &oprofile_settings.buffer_watershed,
	.min = 1,
	.max = OP_BUFFER_SIZE_MAX,
};

static const struct oprofilefs_number cpu_buffer_size_number = {
	.value = &oprofile_settings.cpu_buffer_size,
	.min = OP_CPU_BUFFER_SIZE_MIN,
	.max = OP_CPU_BUFFER_SIZE_MAX,
};

static const struct oprofilefs_number backtrace_depth_number = {
	.value = &oprofile_settings.backtrace_depth,
	.min = 0,
	.max = OP_BACKTRACE_DEPTH_MAX,
	.check = depth_possible,
};

static const struct {
	const char *name;
	umode_t mode;
	const struct file_operations *fops;
} files[] = {
	{ "enable", 0600, &enable_fops },
	{ "dump", 0200, &dump_fops },
	{ "buffer", 0400, &op_buffer_fops },
	{ "cpu_type", 0400, &cpu_type_fops },
	{ "backend", 0400, &backend_fops },
};

static const struct {
	const char *name;
	const struct oprofilefs_number *number;
} numbers[] = {
	{ "buffer_size", &buffer_size_number },
	{ "buffer_watershed", &buffer_watershed_number },
	{ "cpu_buffer_size", &cpu_buffer_size_number },
	{ "backtrace_depth", &backtrace_depth_number },
};

int oprofile_create_entries(struct dentry *root)
{
	int err;
	int i;

	err = op_backend_choose_anew();
	if (err)
		return err;
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		err = oprofilefs_create_file(root, files[i].name, files[i].mode, files[i].fops);
		if (err)
			return err;
	}
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		err = oprofilefs_create_number(root, numbers[i].name, numbers[i].number);
		if (err)
			return err;
	}
	err = oprofilefs_create_getter(root, "pointer_size", pointer_size);
	if (err)
		return err;
	err = op_stats_create(root);
	if (err)
		return err;
	return op_backend()->create_files ? op_backend()->create_files(root) : 0;
}

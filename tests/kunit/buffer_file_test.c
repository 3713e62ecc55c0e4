// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file `buffer`: who may open it, what reading and asking it answers.
 */
#include <linux/bitops.h>
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "suite.h"

#include "core.h"
#include "cpu_buffer.h"
#include "images/dcookie.h"
#include "event_buffer.h"
#include "fake_backend.h"
#include "fake_task.h"
#include "fake_user.h"
#include "mounted.h"
#include "scratch_file.h"
#include "sync.h"
#include "uapi/oprofile.h"

static bool capable_of_nothing;
static bool no_memory;

static void *seam_kzalloc(size_t size, gfp_t flags)
{
	return no_memory ? NULL : kzalloc(size, flags);
}

/* Seams. */
#define perfmon_capable() (!capable_of_nothing)
#undef kzalloc
#define kzalloc seam_kzalloc

#include "buffer_file.c"

#define WORDS 2048UL
#define BYTES (WORDS * sizeof(u64))

static void no_cpu(unsigned int cpu)
{
}

static int setup_answer;

static int fake_setup(void)
{
	return setup_answer;
}

static const struct oprofile_backend fake_backend = {
	.name = "fake",
	.setup = fake_setup,
	.cpu_start = no_cpu,
	.cpu_stop = no_cpu,
};

static u64 *words; /* where the buffer is read to */
static struct file *buffer;

static struct file *open_buffer(int flags)
{
	struct file *file = mounted_open("buffer", O_RDONLY | flags);

	if (!IS_ERR(file))
		buffer = file;
	return file;
}

static void close_buffer(void)
{
	mounted_close(buffer);
	buffer = NULL;
}

static ssize_t read_at(size_t count, loff_t position)
{
	return buffer->f_op->read(buffer, fake_user(words), count, &position);
}

static void add_sample(unsigned long pc)
{
	static struct pt_regs regs;

	fake_regs(&regs, false, pc);
	preempt_disable();
	oprofile_add_sample(&regs, 0);
	preempt_enable();
}

static void buffer_file_permission(struct kunit *test)
{
	capable_of_nothing = true;
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(open_buffer(0)), -EPERM);
	capable_of_nothing = false;
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(open_buffer(0)), 0);
}

static void buffer_file_busy(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(open_buffer(0)), 0);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(mounted_open("buffer", O_RDONLY)), -EBUSY);
	close_buffer();
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(open_buffer(0)), 0);
}

/* Who could not set up does not keep others from trying. */
static void buffer_file_setup_fails(struct kunit *test)
{
	setup_answer = -ENODEV;
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(open_buffer(0)), -ENODEV);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(open_buffer(0)), -ENODEV);
	setup_answer = 0;
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(open_buffer(0)), 0);
}

static void buffer_file_read_sizes(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(open_buffer(O_NONBLOCK)), 0);
	KUNIT_EXPECT_EQ(test, read_at(0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, read_at(8, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, read_at(BYTES - 8, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, read_at(BYTES + 8, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, read_at(WORDS, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, read_at(BYTES, 8), -EINVAL);
	KUNIT_EXPECT_EQ(test, read_at(BYTES, 0), -EAGAIN);
	oprofile_dump();
	KUNIT_EXPECT_EQ(test, read_at(BYTES, 0), 0);
	KUNIT_EXPECT_EQ(test, read_at(BYTES, 0), -EAGAIN);
}

static void buffer_file_reads(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(open_buffer(O_NONBLOCK)), 0);
	KUNIT_EXPECT_EQ(test, vfs_poll(buffer, NULL), 0);
	add_sample(0x1234);
	oprofile_dump();
	KUNIT_EXPECT_EQ(test, vfs_poll(buffer, NULL), EPOLLIN | EPOLLRDNORM);
	/* CPU, task, mode, sample */
	KUNIT_EXPECT_EQ(test, read_at(BYTES, 0), (3 + 7 + 2 + 2) * sizeof(u64));
	KUNIT_EXPECT_EQ(test, words[0], OPROFILE_ESCAPE_CODE);
	KUNIT_EXPECT_EQ(test, words[1], OPROFILE_CPU_SWITCH);
	KUNIT_EXPECT_EQ(test, words[12], 0x1234);
	KUNIT_EXPECT_EQ(test, vfs_poll(buffer, NULL), 0);
}

static void buffer_file_read_fault(struct kunit *test)
{
	loff_t position = 0;

	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(open_buffer(O_NONBLOCK)), 0);
	add_sample(0x1234);
	oprofile_dump();
	KUNIT_EXPECT_EQ(test, buffer->f_op->read(buffer, FAKE_USER_FAULT, BYTES, &position),
			-EFAULT);
	KUNIT_EXPECT_EQ(test, read_at(BYTES, 0), (3 + 7 + 2 + 2) * sizeof(u64));
}

static void dump_later(struct work_struct *work)
{
	oprofile_dump();
}

static DECLARE_DELAYED_WORK(dump_work, dump_later);

static void buffer_file_waits(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(open_buffer(0)), 0);
	add_sample(0x1234);
	schedule_delayed_work(&dump_work, 2);
	KUNIT_EXPECT_EQ(test, read_at(BYTES, 0), (3 + 7 + 2 + 2) * sizeof(u64));
	flush_delayed_work(&dump_work);
}

static void buffer_file_interrupted(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(open_buffer(0)), 0);
	set_thread_flag(TIF_SIGPENDING);
	KUNIT_EXPECT_EQ(test, read_at(BYTES, 0), -EINTR);
	clear_thread_flag(TIF_SIGPENDING);
}

/* What found no room comes with the reads that follow. */
static void buffer_file_slow_reader(struct kunit *test)
{
	unsigned long pc, samples = 0, reads = 0;
	ssize_t nr;

	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(open_buffer(O_NONBLOCK)), 0);
	for (pc = 0; pc < 3000; pc++)
		add_sample(pc);
	oprofile_dump();
	while ((nr = read_at(BYTES, 0)) > 0) {
		unsigned long i = 3 + 7 + 2;

		for (; i < nr / sizeof(u64); i += 2)
			KUNIT_ASSERT_EQ(test, words[i], samples++);
		reads++;
	}
	KUNIT_EXPECT_EQ(test, nr, -EAGAIN);
	KUNIT_EXPECT_EQ(test, samples, 3000);
	KUNIT_EXPECT_GT(test, reads, 2);
}

static long ask(unsigned int command, const void __user *argument)
{
	return buffer->f_op->unlocked_ioctl(buffer, command, (unsigned long)argument);
}

static void buffer_file_image(struct kunit *test)
{
	struct oprofile_image *image = kunit_kzalloc(test, sizeof(*image), GFP_KERNEL);
	struct file *file;

	KUNIT_ASSERT_NOT_NULL(test, image);
	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(open_buffer(0)), 0);
	file = scratch_file(test, "oprofile_image", "", 0);
	image->cookie = op_dcookie_get(file, 0);

	KUNIT_EXPECT_EQ(test, ask(OPROFILE_IOC_IMAGE + 1, fake_user(image)), -ENOTTY);
	KUNIT_EXPECT_EQ(test, ask(0, fake_user(image)), -ENOTTY);
	KUNIT_EXPECT_EQ(test, ask(OPROFILE_IOC_IMAGE, FAKE_USER_FAULT), -EFAULT);
	fake_user_read_only = image;
	KUNIT_EXPECT_EQ(test, ask(OPROFILE_IOC_IMAGE, fake_user(image)), -EFAULT);
	fake_user_read_only = NULL;
	KUNIT_EXPECT_STREQ(test, image->path, "");
	no_memory = true;
	KUNIT_EXPECT_EQ(test, ask(OPROFILE_IOC_IMAGE, fake_user(image)), -ENOMEM);
	no_memory = false;
	KUNIT_EXPECT_EQ(test, ask(OPROFILE_IOC_IMAGE, fake_user(image)), 0);
	KUNIT_EXPECT_STREQ(test, image->path, "/oprofile_image");
	image->cookie++;
	KUNIT_EXPECT_EQ(test, ask(OPROFILE_IOC_IMAGE, fake_user(image)), -EINVAL);
	scratch_file_end(test, file);
}

static void buffer_file_unwind(struct kunit *test)
{
	struct oprofile_unwind_wanted wanted = { .cookie = 1 };
	struct oprofile_unwind unwind = {
		.cookie = 1, .table = (unsigned long)FAKE_USER_FAULT, .size = 8,
	};

	KUNIT_ASSERT_EQ(test, PTR_ERR_OR_ZERO(open_buffer(0)), 0);
	KUNIT_EXPECT_EQ(test, ask(OPROFILE_IOC_UNWIND, FAKE_USER_FAULT), -EFAULT);
	KUNIT_EXPECT_EQ(test, ask(OPROFILE_IOC_UNWIND, fake_user(&unwind)), -EINVAL);
	unwind.size = 4096;
	KUNIT_EXPECT_EQ(test, ask(OPROFILE_IOC_UNWIND, fake_user(&unwind)), -EFAULT);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/unwind_refused"), 2);
	KUNIT_EXPECT_EQ(test, ask(OPROFILE_IOC_UNWIND_WANTED, FAKE_USER_FAULT), -EFAULT);
	KUNIT_EXPECT_EQ(test, ask(OPROFILE_IOC_UNWIND_WANTED, fake_user(&wanted)), 0);
	KUNIT_EXPECT_EQ(test, wanted.cookie, OPROFILE_NO_COOKIE);
}

static struct oprofile_settings saved;

static int buffer_file_init(struct kunit *test)
{
	words = kunit_kzalloc(test, BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, words);
	saved = oprofile_settings;
	oprofile_settings.buffer_size = WORDS;
	oprofile_settings.buffer_watershed = 64;
	fake_backend_use(&fake_backend);
	/* One task on one CPU takes all samples. */
	set_cpus_allowed_ptr(current, cpumask_of(cpumask_first(cpu_online_mask)));
	fake_current = fake_task(test, 10, 11, NULL);
	return mounted_begin();
}

static void buffer_file_exit(struct kunit *test)
{
	clear_thread_flag(TIF_SIGPENDING);
	if (buffer)
		close_buffer();
	mounted_end();
	oprofile_settings = saved;
	capable_of_nothing = false;
	no_memory = false;
	setup_answer = 0;
	fake_current = NULL;
	fake_backend_use(NULL);
}

TEST_SUITE(oprofile_buffer_file, buffer_file_init, buffer_file_exit,
	   KUNIT_CASE(buffer_file_permission),
	   KUNIT_CASE(buffer_file_busy),
	   KUNIT_CASE(buffer_file_setup_fails),
	   KUNIT_CASE(buffer_file_read_sizes),
	   KUNIT_CASE(buffer_file_reads),
	   KUNIT_CASE(buffer_file_read_fault),
	   KUNIT_CASE(buffer_file_waits),
	   KUNIT_CASE(buffer_file_interrupted),
	   KUNIT_CASE(buffer_file_slow_reader),
	   KUNIT_CASE(buffer_file_unwind),
	   KUNIT_CASE(buffer_file_image));

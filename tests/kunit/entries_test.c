// SPDX-License-Identifier: GPL-2.0-only
/*
 * What stands in oprofilefs, and what it does to who writes and reads it.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/string.h>

#include "suite.h"

#include "backend.h"
#include "core.h"
#include "cpu_buffer.h"
#include "event_buffer.h"
#include "fake_backend.h"
#include "fake_user.h"
#include "mounted.h"
#include "oprofilefs.h"
#include "stats.h"
#include "resolve.h"
#include "images/unmapped.h"

#include "entries.c"

static unsigned long answers; /* what the files of the backend have */
static int files_answer, stats_answer;

static void no_cpu(unsigned int cpu)
{
}

static const char *fake_cpu_type(void)
{
	return "fake/type";
}

static int create_files(struct dentry *root)
{
	return files_answer ?: oprofilefs_create_counter(root, "of_backend", &answers);
}

static int create_stats(struct dentry *stats)
{
	return stats_answer ?: oprofilefs_create_counter(stats, "of_backend", &answers);
}

static void no_callers(struct pt_regs *regs, struct op_frames *frames)
{
}

static struct oprofile_backend fake_backend = {
	.name = "fake",
	.cpu_start = no_cpu,
	.cpu_stop = no_cpu,
	.create_files = create_files,
	.create_stats = create_stats,
	.cpu_type = fake_cpu_type,
};

static const struct {
	const char *name;
	umode_t mode;
} tree[] = {
	{ "enable", 0600 },
	{ "dump", 0200 },
	{ "buffer", 0400 },
	{ "cpu_type", 0400 },
	{ "backend", 0400 },
	{ "buffer_size", 0600 },
	{ "buffer_watershed", 0600 },
	{ "cpu_buffer_size", 0600 },
	{ "backtrace_depth", 0600 },
	{ "pointer_size", 0400 },
	{ "of_backend", 0400 },
	{ "stats/sample_lost_no_mm", 0400 },
	{ "stats/sample_lost_no_mapping", 0400 },
	{ "stats/sample_lost_busy", 0400 },
	{ "stats/sample_lost_no_room", 0400 },
	{ "stats/event_lost_overflow", 0400 },
	{ "stats/bt_lost_no_mapping", 0400 },
	{ "stats/unmapped_lost", 0400 },
	{ "stats/images_lost", 0400 },
	{ "stats/hooks_disarmed", 0400 },
	{ "stats/hooks_missed", 0400 },
	{ "stats/unwind_bytes", 0400 },
	{ "stats/unwind_tables", 0400 },
	{ "stats/unwind_dropped", 0400 },
	{ "stats/unwind_refused", 0400 },
	{ "stats/of_backend", 0400 },
	{ "stats/cpu0/sample_received", 0400 },
	{ "stats/cpu0/sample_lost_overflow", 0400 },
	{ "stats/cpu0/sample_lost_nested", 0400 },
	{ "stats/cpu0/sample_invalid_eip", 0400 },
	{ "stats/cpu0/backtrace_aborted", 0400 },
	{ "stats/cpu0/throttled", 0400 },
	{ "stats/cpu0/sample_idle", 0400 },
	{ "stats/cpu0/chain_depth", 0400 },
	{ "stats/cpu0/chain_root", 0400 },
	{ "stats/cpu0/chain_no_table", 0400 },
	{ "stats/cpu0/chain_no_rule", 0400 },
	{ "stats/cpu0/chain_unreadable", 0400 },
	{ "stats/cpu0/chain_bad_frame", 0400 },
	{ "stats/cpu0/sample_guest", 0400 },
};

static void entries_tree(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tree); i++) {
		struct file *file = mounted_open(tree[i].name, O_PATH);

		KUNIT_EXPECT_FALSE_MSG(test, IS_ERR(file), "%s", tree[i].name);
		if (IS_ERR(file))
			continue;
		KUNIT_EXPECT_EQ_MSG(test, file_inode(file)->i_mode, S_IFREG | tree[i].mode,
				    "%s", tree[i].name);
		mounted_close(file);
	}
}

static void entries_constants(struct kunit *test)
{
	char text[32];

	KUNIT_EXPECT_EQ(test, mounted_read("cpu_type", text, sizeof(text)), 9);
	KUNIT_EXPECT_STREQ(test, text, "fake/type");
	KUNIT_EXPECT_EQ(test, mounted_number(test, "pointer_size"), 8);
	answers = 99;
	KUNIT_EXPECT_EQ(test, mounted_number(test, "of_backend"), 99);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/of_backend"), 99);
}

static void entries_settings(struct kunit *test)
{
	static const struct {
		const char *name;
		const char *text;
		ssize_t answer;
		unsigned long after;
	} writes[] = {
		{ "buffer_size", "1023", -EINVAL, 131072 },
		{ "buffer_size", "1024", 4, 1024 },
		{ "buffer_size", "134217728", 9, 134217728 },
		{ "buffer_size", "134217729", -EINVAL, 134217728 },
		{ "buffer_watershed", "0", -EINVAL, 32768 },
		{ "buffer_watershed", "1", 1, 1 },
		{ "cpu_buffer_size", "511", -EINVAL, 8192 },
		{ "cpu_buffer_size", "512", 3, 512 },
		{ "cpu_buffer_size", "4194304", 7, 4194304 },
		{ "cpu_buffer_size", "4194305", -EINVAL, 4194304 },
		{ "backtrace_depth", "1", -EINVAL, 0 },
		{ "backtrace_depth", "0", 1, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(writes); i++) {
		KUNIT_EXPECT_EQ_MSG(test, mounted_write(writes[i].name, writes[i].text),
				    writes[i].answer, "%s to %s", writes[i].text, writes[i].name);
		KUNIT_EXPECT_EQ(test, mounted_number(test, writes[i].name), writes[i].after);
	}

	fake_backend.backtrace = no_callers;
	KUNIT_EXPECT_EQ(test, mounted_write("backtrace_depth", "256"), -EINVAL);
	KUNIT_EXPECT_EQ(test, mounted_write("backtrace_depth", "255"), 3);
	KUNIT_EXPECT_EQ(test, oprofile_settings.backtrace_depth, 255);
}

static void entries_enable(struct kunit *test)
{
	struct file *file;
	loff_t position = 1;

	KUNIT_EXPECT_EQ(test, mounted_number(test, "enable"), 0);
	KUNIT_EXPECT_EQ(test, mounted_write("enable", "1"), -EINVAL); /* nobody would read */
	KUNIT_EXPECT_EQ(test, mounted_write("enable", "0"), 1);

	file = mounted_open("buffer", O_RDONLY);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "enable"), 0);
	KUNIT_EXPECT_EQ(test, mounted_write("enable", "yes"), -EINVAL);
	KUNIT_EXPECT_EQ(test, mounted_write("enable", "1\n"), 2);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "enable"), 1);
	KUNIT_EXPECT_EQ(test, mounted_write("enable", "1"), 1);
	KUNIT_EXPECT_EQ(test, mounted_write("enable", ""), -EINVAL);
	KUNIT_EXPECT_EQ(test, enable_write(NULL, fake_user("0"), 1, &position), -EINVAL);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "enable"), 1);

	/* Meanwhile settings stay as they are. */
	KUNIT_EXPECT_EQ(test, mounted_write("buffer_size", "2048"), -EBUSY);
	KUNIT_EXPECT_EQ(test, mounted_write("cpu_buffer_size", "2048"), -EBUSY);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "buffer_size"), OP_BUFFER_SIZE_DEFAULT);

	KUNIT_EXPECT_EQ(test, mounted_write("enable", "0"), 1);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "enable"), 0);
	KUNIT_EXPECT_EQ(test, mounted_write("buffer_size", "2048"), 4);
	KUNIT_EXPECT_EQ(test, mounted_write("enable", "1"), 1);
	mounted_close(file);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "enable"), 0); /* closing stops */
}

static void entries_dump(struct kunit *test)
{
	struct file *file;

	KUNIT_EXPECT_EQ(test, mounted_write("dump", "1"), 1);
	file = mounted_open("buffer", O_RDONLY);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	KUNIT_EXPECT_FALSE(test, op_event_buffer_ready());
	KUNIT_EXPECT_EQ(test, mounted_write("dump", "whatever"), 8);
	KUNIT_EXPECT_TRUE(test, op_event_buffer_ready());
	mounted_close(file);
}

/* Each number is that of its name: every one gets another value. */
static void entries_statistics(struct kunit *test)
{
	struct op_cpu_stats *cpu = op_cpu_stats(0);

	op_resolve_stats = (struct op_resolve_stats){
		.lost_no_mm = 1, .lost_no_mapping = 2, .lost_no_room = 3, .event_lost_overflow = 4,
		.bt_lost_no_mapping = 5, .lost_busy = 6,
	};
	*cpu = (struct op_cpu_stats){
		.received = 11, .lost_overflow = 12, .lost_nested = 13, .invalid_eip = 14,
		.backtrace_aborted = 15, .throttled = 16, .idle = 17,
		.chains = { 21, 22, 23, 24, 25, 26 },
	};
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/sample_lost_no_mm"), 1);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/sample_lost_no_mapping"), 2);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/sample_lost_no_room"), 3);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/event_lost_overflow"), 4);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/bt_lost_no_mapping"), 5);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/sample_lost_busy"), 6);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/unmapped_lost"), 0);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/cpu0/sample_received"), 11);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/cpu0/sample_lost_overflow"), 12);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/cpu0/sample_lost_nested"), 13);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/cpu0/sample_invalid_eip"), 14);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/cpu0/backtrace_aborted"), 15);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/cpu0/throttled"), 16);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/cpu0/sample_idle"), 17);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/cpu0/chain_depth"), 21);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/cpu0/chain_root"), 22);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/cpu0/chain_no_table"), 23);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/cpu0/chain_no_rule"), 24);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/cpu0/chain_unreadable"), 25);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/cpu0/chain_bad_frame"), 26);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/unwind_tables"), 0);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/unwind_bytes"), 0);

	op_stats_reset();
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/sample_lost_no_mm"), 0);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/bt_lost_no_mapping"), 0);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/cpu0/sample_received"), 0);
	KUNIT_EXPECT_EQ(test, mounted_number(test, "stats/cpu0/sample_idle"), 0);
}

static void entries_of_backend_fail(struct kunit *test)
{
	mounted_end();
	files_answer = -ENOSPC;
	KUNIT_EXPECT_EQ(test, mounted_begin(), -ENOSPC);
	files_answer = 0;
	stats_answer = -ENODEV;
	KUNIT_EXPECT_EQ(test, mounted_begin(), -ENODEV);
	stats_answer = 0;
	KUNIT_EXPECT_EQ(test, mounted_begin(), 0);
}

static struct oprofile_settings saved;

static int entries_init(struct kunit *test)
{
	saved = oprofile_settings;
	fake_backend_use(&fake_backend);
	return mounted_begin();
}

static void entries_exit(struct kunit *test)
{
	mounted_end();
	oprofile_shutdown(); /* if a case gave up with the buffer open */
	op_stats_reset();
	oprofile_settings = saved;
	fake_backend.backtrace = NULL;
	files_answer = 0;
	stats_answer = 0;
	fake_backend_use(NULL);
}

TEST_SUITE(oprofile_entries, entries_init, entries_exit,
	   KUNIT_CASE(entries_tree),
	   KUNIT_CASE(entries_constants),
	   KUNIT_CASE(entries_settings),
	   KUNIT_CASE(entries_enable),
	   KUNIT_CASE(entries_dump),
	   KUNIT_CASE(entries_statistics),
	   KUNIT_CASE(entries_of_backend_fail));

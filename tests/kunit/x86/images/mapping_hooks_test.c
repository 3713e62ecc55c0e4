// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks that cannot be set: the message says which, and why.
 */
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "suite.h"

#include "refusal.h"

static char refusal[160];
static const char *missing; /* the kernel has no such function */
static int answer;	    /* to a probe of any other; 0, and nothing missing: the kernel's own */

static int seam_register_kprobes(struct kprobe **probes, int nr)
{
	static kprobe_opcode_t code;
	int i;

	if (!missing && !answer)
		return register_kprobes(probes, nr);
	for (i = 0; i < nr; i++) {
		if (missing && !strcmp(probes[i]->symbol_name, missing))
			return -ENOENT;
		if (answer)
			return answer;
		probes[i]->addr = &code;
	}
	return 0;
}

/* Seams. */
#undef op_log_refusal
#define op_log_refusal(...) snprintf(refusal, sizeof(refusal), __VA_ARGS__)
#define register_kprobes seam_register_kprobes

#include "images/mapping_hooks.c"

#define PREFIX "cannot watch mappings come and go: "

static void mapping_hooks_name_what_is_missing(struct kunit *test)
{
	missing = "uprobe_munmap";
	KUNIT_EXPECT_EQ(test, op_mapping_hooks_set_up(), -ENOENT);
	KUNIT_EXPECT_STREQ(test, refusal,
			   PREFIX "this kernel has no uprobe_munmap (CONFIG_UPROBES)\n");
	missing = "exit_mmap";
	KUNIT_EXPECT_EQ(test, op_mapping_hooks_set_up(), -ENOENT);
	KUNIT_EXPECT_STREQ(test, refusal,
			   PREFIX "this kernel has no exit_mmap\n");
	missing = NULL;
	answer = -EOPNOTSUPP;
	KUNIT_EXPECT_EQ(test, op_mapping_hooks_set_up(), -EOPNOTSUPP);
	KUNIT_EXPECT_STREQ(test, refusal,
			   PREFIX "no kprobe is set (error 95)\n");
	answer = 0;
}

TEST_SUITE(oprofile_mapping_hooks, NULL, NULL,
	   KUNIT_CASE(mapping_hooks_name_what_is_missing));

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks by unwind tables, in a real NMI that this CPU sends to itself: of a program's stack that is
 * written here, through code with rows, without, and with rows that lead nowhere.
 */
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mman.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include <asm/apic.h>
#include <asm/nmi.h>
#include <asm/segment.h>

#include "suite.h"

#include "kick.h"
#include "unwind/map.h"

static struct op_unwind_map *the_map;

static unsigned int asked;

/* Seam: there is no sync. */
static void fake_sync_kick_later(void)
{
	asked++;
}

NOKPROBE_SYMBOL(fake_sync_kick_later);

/* Seam: the map of the program that there is here. */
static struct op_unwind_map *fake_map_find(const struct mm_struct *mm)
{
	return the_map;
}

#define op_unwind_map_find fake_map_find
#define op_sync_kick_later fake_sync_kick_later

#include "unwind/walk.c"

#define WORDS 64 /* of the ring */
#define DEPTH 16
#define PATIENCE (30LL * NSEC_PER_SEC)

static u64 words[WORDS];
static struct op_frames frames;
static struct {
	struct pt_regs *regs;
	bool wanted;
	bool done;
	bool walked;
} request;

static int walk_in_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!READ_ONCE(request.wanted))
		return NMI_DONE;
	WRITE_ONCE(request.wanted, false);
	request.walked = op_unwind_user(request.regs, &frames);
	WRITE_ONCE(request.done, true);
	return NMI_HANDLED;
}

/* Return: false if no NMI came. */
static noinline bool walk_by_nmi(struct pt_regs *regs, unsigned int depth)
{
	ktime_t begin = ktime_get();

	memset(words, 0, sizeof(words));
	frames = (struct op_frames){ .words = words, .mask = WORDS - 1, .depth = depth };
	request.regs = regs;
	request.done = false;
	WRITE_ONCE(request.wanted, true);
	barrier();
	preempt_disable();
	apic->send_IPI(smp_processor_id(), NMI_VECTOR);
	while (!READ_ONCE(request.done) && ktime_get() - begin < PATIENCE)
		cpu_relax();
	preempt_enable();
	return request.done;
}

/* The stack, at an address that is free, and code that is nowhere but in the map. */
#define STACK 0x20000000UL
#define HOLE 0x1000 /* from there on nothing is mapped */
#define IMAGE 0x500000UL /* with a table, mapped from offset 0x1000 on */
#define BARE 0x600000UL /* without one */

/* Functions of the image, by offsets of code: 16 bytes each. */
enum {
	LEAF = 0x1000, /* return address at the stack pointer */
	SAVES_FP = 0x1010, /* two words, and the caller's frame pointer is on the stack */
	BY_FP = 0x1020, /* as push %rbp; mov %rsp, %rbp */
	ENDS = 0x1030, /* has no caller */
	ODD = 0x1040, /* has no simple rule */
	SIGNALLED = 0x1050, /* the frame of a signal: CFA and pc are at the stack pointer */
	BY_R12 = 0x1060, /* the CFA is in another register */
	DOWN = 0x1070, /* its caller is below */
	LOSES_FP = 0x1080, /* as LEAF, but the caller's frame pointer is lost */
	UNKNOWN = 0x1090, /* nothing is said */
	STUB = 0x10a0, /* of a PLT: from its byte 11 on there is one word more */
};

#define SP_ROW(at, words) { at, UNWIND_SP, UNWIND_FP_SAME, words, 0 }

static const struct unwind_row rows[] = {
	SP_ROW(LEAF, 1),
	{ SAVES_FP, UNWIND_SP, UNWIND_FP_AT_CFA, 2, -2 },
	{ BY_FP, UNWIND_FP, UNWIND_FP_AT_CFA, 2, -2 },
	{ ENDS, UNWIND_ROOT },
	{ ODD, UNWIND_STOP },
	{ SIGNALLED, UNWIND_AT_SP, UNWIND_FP_SAME | UNWIND_RETURN_BEHIND | UNWIND_SIGNAL, 0, 0 },
	{ BY_R12, UNWIND_OTHER | 12 << UNWIND_EXTRA_SHIFT, UNWIND_FP_SAME, 1, 0 },
	SP_ROW(DOWN, -4),
	{ LOSES_FP, UNWIND_SP, UNWIND_FP_LOST, 1, 0 },
	{ UNKNOWN, UNWIND_NONE },
	{ STUB, UNWIND_PLT | 11 << UNWIND_EXTRA_SHIFT, UNWIND_FP_SAME, 1, 0 },
};

/* Addresses: of functions, behind a call in them, and of code without a table. */
#define IN(function) (IMAGE + (function) - 0x1000 + 4)
#define JIT(offset) (BARE + (offset))
#define ON_STACK(offset) (STACK + (offset))

static struct mm_struct *program;

static const struct walk_case {
	const char *what;
	u64 pc;
	u64 fp;
	u64 stack[12]; /* words at 0x100 from STACK on, where the stack pointer is */
	u64 callers[8]; /* ends with zero */
	enum unwind_end end;
	unsigned int depth; /* 0: DEPTH */
	u64 sp; /* 0: 0x100 */
} walk_cases[] = {
	{ "to the root", IN(LEAF), 0,
	  { IN(SAVES_FP), 0x77, IN(LEAF), IN(ENDS) },
	  { IN(SAVES_FP), IN(LEAF), IN(ENDS) }, UNWIND_AT_ROOT },
	{ "frame pointers in between", IN(SAVES_FP), 0,
	  { ON_STACK(0x120), IN(BY_FP), 1, 2, ON_STACK(0x150), IN(BY_FP), 0, 0, 0, 0,
	    0, IN(ENDS) },
	  { IN(BY_FP), IN(BY_FP), IN(ENDS) }, UNWIND_AT_ROOT },
	{ "at the depth", IN(LEAF), 0, { IN(LEAF), IN(LEAF), IN(LEAF) },
	  { IN(LEAF), IN(LEAF) }, UNWIND_GOES_ON, 2 },
	{ "the root at the depth", IN(LEAF), 0, { IN(LEAF), IN(ENDS) },
	  { IN(LEAF), IN(ENDS) }, UNWIND_AT_ROOT, 2 },
	{ "no simple rule", IN(LEAF), 0, { IN(ODD) }, { IN(ODD) }, UNWIND_NOT_SIMPLE },
	{ "code without a table, by its frame pointer", JIT(0x10), ON_STACK(0x110),
	  { 1, 2, ON_STACK(0x130), JIT(0x20), IN(ENDS), 0, 0, IN(LEAF), IN(ENDS) },
	  { JIT(0x20), IN(LEAF), IN(ENDS) }, UNWIND_AT_ROOT },
	{ "the end as the ABI has it", JIT(0x10), ON_STACK(0x100), { 0, JIT(0x20) },
	  { JIT(0x20) }, UNWIND_AT_ROOT },
	{ "no table, and no frame pointer", JIT(0x10), 5, { IN(LEAF) }, { 0 }, UNWIND_NO_ROW },
	{ "no row, and no frame pointer", IN(UNKNOWN), 5, { IN(LEAF) }, { 0 }, UNWIND_NO_ROW },
	{ "the frame pointer is lost", IN(LOSES_FP), ON_STACK(0x110),
	  { JIT(0x10), 1, 2, JIT(0x20) }, { JIT(0x10) }, UNWIND_NO_ROW },
	{ "a word in a hole", IN(BY_FP), ON_STACK(HOLE), { 0 }, { 0 }, UNWIND_UNREADABLE },
	{ "a stack in a hole", IN(LEAF), 0, { 0 }, { 0 }, UNWIND_UNREADABLE, 0, HOLE },
	{ "the kernel's memory", IN(BY_FP), 0xffffffff81000000, { 0 }, { 0 }, UNWIND_UNREADABLE },
	{ "a return address of zero", IN(LEAF), 0, { 0 }, { 0 }, UNWIND_BAD_FRAME, 0, HOLE - 8 },
	{ "down the stack", IN(DOWN), 0, { 0 }, { 0 }, UNWIND_BAD_FRAME },
	{ "an address that is no code", IN(LEAF), 0, { 0x12345 }, { 0x12345 }, UNWIND_BAD_FRAME },
	{ "a frame of a signal", IN(LEAF), 0,
	  { IN(SIGNALLED), ON_STACK(0x140), IN(LEAF) - 4, 0, 0, 0, 0, 0, IN(ENDS) },
	  { IN(SIGNALLED), IN(LEAF) - 4 + 1, IN(ENDS) }, UNWIND_AT_ROOT },
	{ "another register", IN(BY_R12), 0, { 1, 2, 3, 4, 5, 6, 7, 8, IN(ENDS) },
	  { IN(ENDS) }, UNWIND_AT_ROOT },
	{ "another register of a caller", IN(LEAF), 0, { IN(BY_R12) }, { IN(BY_R12) },
	  UNWIND_NOT_SIMPLE },
	{ "a stub, at its start", IN(STUB), 0, { IN(ENDS) }, { IN(ENDS) }, UNWIND_AT_ROOT },
	{ "a stub, behind its push", IN(STUB) + 8, 0, { 1, IN(ENDS) }, { IN(ENDS) },
	  UNWIND_AT_ROOT },
	{ "the escape code", IN(LEAF), 0, { ~0ULL }, { 0 }, UNWIND_BAD_FRAME },
};

static void walk_describe(const struct walk_case *walk, char *text)
{
	strscpy(text, walk->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(walk_case, walk_cases, walk_describe);

static struct op_unwind_table *make_table(struct kunit *test)
{
	size_t size = sizeof(struct op_unwind_table) + 2 * sizeof(u32) + sizeof(rows);
	struct op_unwind_table *table = kunit_kzalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, table);
	table->table = (struct unwind_table){
		.magic = UNWIND_MAGIC, .version = UNWIND_VERSION,
		.pages = 1, .rows = ARRAY_SIZE(rows),
	};
	table->table.index[1] = ARRAY_SIZE(rows);
	memcpy((void *)unwind_table_rows(&table->table), rows, sizeof(rows));
	return table;
}

static void make_map(struct kunit *test)
{
	static u64 last_id = 1000000;

	the_map = kunit_kzalloc(test, struct_size(the_map, mappings, 2), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, the_map);
	the_map->id = ++last_id;
	the_map->nr = 2;
	the_map->mappings[0] = (struct op_unwind_mapping){
		.start = IMAGE, .end = IMAGE + 0x1000, .offset = 0x1000, .cookie = 1,
	};
	RCU_INIT_POINTER(the_map->mappings[0].table, make_table(test));
	the_map->mappings[1] = (struct op_unwind_mapping){
		.start = BARE, .end = BARE + 0x1000, .cookie = 2,
	};
}

static bool make_stack(const struct walk_case *walk)
{
	if (vm_mmap(NULL, STACK, HOLE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, 0) != STACK)
		return false;
	/* the last word, so that it is there in all cases */
	return !put_user(0, (u64 __user *)(STACK + HOLE - 8)) &&
	       !copy_to_user((void __user *)(STACK + 0x100), walk->stack, sizeof(walk->stack));
}

static void expect_walk(struct kunit *test, const struct walk_case *walk)
{
	unsigned int i;

	KUNIT_EXPECT_TRUE(test, request.walked);
	for (i = 0; walk->callers[i]; i++)
		KUNIT_EXPECT_EQ(test, words[i], walk->callers[i]);
	KUNIT_EXPECT_EQ(test, frames.nr, i);
	KUNIT_EXPECT_EQ(test, words[i], 0);
	KUNIT_EXPECT_EQ(test, frames.end, walk->end);
	KUNIT_EXPECT_EQ(test, frames.aborted,
			walk->end == UNWIND_UNREADABLE || walk->end == UNWIND_BAD_FRAME);
}

static void walk_of_program(struct kunit *test)
{
	const struct walk_case *walk = test->param_value;
	struct pt_regs regs = {
		.cs = __USER_CS,
		.ip = walk->pc,
		.bp = walk->fp,
		.sp = ON_STACK(walk->sp ?: 0x100),
		.r12 = ON_STACK(0x140),
	};
	bool made, interrupted = false, again = false;

	KUNIT_ASSERT_NOT_NULL(test, program);
	make_map(test);
	kthread_use_mm(program);
	made = make_stack(walk);
	if (made) {
		interrupted = walk_by_nmi(&regs, walk->depth ?: DEPTH);
		if (interrupted)
			expect_walk(test, walk);
		/* and once more, by remembered rows */
		again = walk_by_nmi(&regs, walk->depth ?: DEPTH);
		if (again)
			expect_walk(test, walk);
		vm_munmap(STACK, HOLE);
	}
	kthread_unuse_mm(program);
	KUNIT_ASSERT_TRUE(test, made);
	KUNIT_ASSERT_TRUE(test, interrupted);
	KUNIT_ASSERT_TRUE(test, again);
}

/* What ends for the lack of a table is wanted; what has nothing to say is not. */
static void walk_misses_tables(struct kunit *test)
{
	struct pt_regs regs = { .cs = __USER_CS, .ip = JIT(0x10) };

	make_map(test);
	KUNIT_ASSERT_TRUE(test, walk_by_nmi(&regs, DEPTH));
	KUNIT_EXPECT_TRUE(test, the_map->missed);
	the_map->missed = false;
	regs.ip = IN(UNKNOWN);
	KUNIT_ASSERT_TRUE(test, walk_by_nmi(&regs, DEPTH));
	KUNIT_EXPECT_FALSE(test, the_map->missed);
	regs.ip = JIT(0x10);
	the_map->mappings[1].cookie = OPROFILE_NO_COOKIE;
	KUNIT_ASSERT_TRUE(test, walk_by_nmi(&regs, DEPTH));
	KUNIT_EXPECT_FALSE(test, the_map->missed);
}

/* Rows are remembered by map: where other code is mapped now, they are not used. */
static void walk_forgets_rows_with_map(struct kunit *test)
{
	struct pt_regs regs = { .cs = __USER_CS, .ip = IN(ENDS) };

	make_map(test);
	KUNIT_ASSERT_TRUE(test, walk_by_nmi(&regs, DEPTH));
	KUNIT_EXPECT_EQ(test, frames.end, UNWIND_AT_ROOT);
	the_map->mappings[0].end = the_map->mappings[0].start;
	the_map->id++;
	KUNIT_ASSERT_TRUE(test, walk_by_nmi(&regs, DEPTH));
	KUNIT_EXPECT_EQ(test, frames.end, UNWIND_NO_ROW);
}

static void walk_without_map(struct kunit *test)
{
	struct pt_regs regs = { .cs = __USER_CS, .ip = IN(LEAF) };

	the_map = NULL;
	asked = 0;
	asked_at = jiffies - HZ;
	KUNIT_ASSERT_TRUE(test, walk_by_nmi(&regs, DEPTH));
	KUNIT_EXPECT_FALSE(test, request.walked);
	KUNIT_EXPECT_EQ(test, frames.nr, 0);
	KUNIT_EXPECT_EQ(test, asked, 1);
}

/* Sync is not kept busy, whatever is mapped how often. */
static void walk_asks_once_in_a_jiffy(struct kunit *test)
{
	struct pt_regs regs = { .cs = __USER_CS, .ip = IN(LEAF) };
	unsigned long begin, end;
	unsigned int i;

	the_map = NULL;
	asked = 0;
	asked_at = jiffies - HZ;
	begin = jiffies;
	for (i = 0; i < 20; i++)
		KUNIT_ASSERT_TRUE(test, walk_by_nmi(&regs, DEPTH));
	end = jiffies;
	KUNIT_EXPECT_GE(test, asked, 1);
	KUNIT_EXPECT_LE(test, asked, end - begin + 1);
}

static void walk_with_stale_map(struct kunit *test)
{
	struct pt_regs regs = { .cs = __USER_CS, .ip = IN(ENDS) };

	make_map(test);
	asked = 0;
	KUNIT_ASSERT_TRUE(test, walk_by_nmi(&regs, DEPTH));
	KUNIT_EXPECT_EQ(test, asked, 0);
	asked_at = jiffies - HZ;
	the_map->stale = true;
	KUNIT_ASSERT_TRUE(test, walk_by_nmi(&regs, DEPTH));
	KUNIT_EXPECT_EQ(test, asked, 1);
	KUNIT_EXPECT_EQ(test, frames.end, UNWIND_AT_ROOT); /* what it has is right */
}

/* Suites are begun by the program that loads the module: its address space is as good as any. */
static int walk_suite_init(struct kunit_suite *suite)
{
	int err = op_unwind_set_up();

	if (err)
		return err;
	program = get_task_mm(current);
	return register_nmi_handler(NMI_LOCAL, walk_in_nmi, 0, "oprofile_kunit_walk");
}

static void walk_suite_exit(struct kunit_suite *suite)
{
	unregister_nmi_handler(NMI_LOCAL, "oprofile_kunit_walk");
	if (program)
		mmput(program);
	program = NULL;
	op_unwind_tear_down();
}

TEST_SUITE_AT(oprofile_unwind_walk, suite_init, suite_exit, walk_suite_init, walk_suite_exit,
	      KUNIT_CASE_PARAM(walk_of_program, walk_case_gen_params),
	      KUNIT_CASE(walk_misses_tables),
	      KUNIT_CASE(walk_forgets_rows_with_map),
	      KUNIT_CASE(walk_with_stale_map),
	      KUNIT_CASE(walk_asks_once_in_a_jiffy),
	      KUNIT_CASE(walk_without_map));

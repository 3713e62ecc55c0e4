// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backtraces, in a real NMI that this CPU sends to itself: of a program's stack that is written
 * here, with all that can be wrong with it, and of the kernel's own.
 */
#include <linux/kallsyms.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mman.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched/mm.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <asm/apic.h>
#include <asm/nmi.h>
#include <asm/segment.h>

#include "suite.h"
#include "unwind/walk.h"

/* Seam: no unwind tables are known. */
#define op_unwind_user(regs, frames) false

#include "backtrace.c"

#define WORDS 64 /* of the ring */
#define DEPTH 16
#define PATIENCE (30LL * NSEC_PER_SEC)

static u64 words[WORDS];
static struct op_frames frames;

static struct {
	struct pt_regs *regs; /* NULL: those of the NMI */
	unsigned int flags; /* of the task, instead of PF_KTHREAD; 0: as it is */
	bool wanted;
	bool done;
} request;

/* As if it interrupted a task with other flags.  Nobody else looks: this is an NMI of the task. */
static void backtrace_as(struct pt_regs *regs)
{
	unsigned int flags = current->flags;

	if (request.flags)
		current->flags = (flags & ~PF_KTHREAD) | request.flags;
	op_backtrace(regs, &frames);
	current->flags = flags;
}

static int handle_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!READ_ONCE(request.wanted))
		return NMI_DONE;
	WRITE_ONCE(request.wanted, false);
	backtrace_as(request.regs ?: regs);
	WRITE_ONCE(request.done, true);
	return NMI_HANDLED;
}

/* Return: false if no NMI came. */
static noinline bool backtrace_by_nmi(struct pt_regs *regs, unsigned int depth)
{
	ktime_t begin = ktime_get();

	memset(words, 0, sizeof(words));
	frames = (struct op_frames){
		.words = words,
		.mask = WORDS - 1,
		.position = WORDS - 3, /* it wraps */
		.depth = depth,
	};
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

static u64 frame_at(unsigned int i)
{
	return words[(WORDS - 3 + i) & (WORDS - 1)];
}

/*
 * The program's memory, from BASE: a page that is there, one that nobody has touched, and a hole.
 * Numbers in the tables are offsets from BASE, but for zero; KERNEL is far away.
 */
#define BASE 0x20000000UL
#define UNTOUCHED 0x1000
#define HOLE 0x2000
#define KERNEL 0xffff888000000000ULL
#define ESCAPE ~0ULL

static struct mm_struct *program;

static const struct chain {
	const char *what;
	unsigned int depth;
	bool is_32bit;
	u64 bp;
	struct {
		unsigned int at;
		u64 next, return_address;
	} stack[6]; /* ends with a return address of zero at zero */
	u64 callers[6]; /* ends with zero */
	bool aborted;
	u64 sp;
} chains[] = {
	{ "as the ABI says", DEPTH, false, 0x100,
	  { { 0x100, 0x140, 0x1001 }, { 0x140, 0x180, 0x1002 }, { 0x180, 0, 0x1003 } },
	  { 0x1001, 0x1002, 0x1003 }, false },
	{ "ends with a return address of zero", DEPTH, false, 0x100,
	  { { 0x100, 0x140, 0x1001 }, { 0x140, 0x180, 0 } }, { 0x1001 }, false },
	{ "no frame pointer", DEPTH, false, 0, { { 0 } }, { 0 }, false },
	{ "depth of two", 2, false, 0x100,
	  { { 0x100, 0x140, 0x1001 }, { 0x140, 0x180, 0x1002 }, { 0x180, 0, 0x1003 } },
	  { 0x1001, 0x1002 }, false },
	{ "a loop of one", DEPTH, false, 0x100, { { 0x100, 0x100, 0x1001 } }, { 0x1001 }, true },
	{ "a loop of two", DEPTH, false, 0x100,
	  { { 0x100, 0x140, 0x1001 }, { 0x140, 0x100, 0x1002 } }, { 0x1001, 0x1002 }, true },
	{ "down the stack", DEPTH, false, 0x140,
	  { { 0x140, 0x100, 0x1001 }, { 0x100, 0, 0x1002 } }, { 0x1001 }, true },
	{ "misaligned", DEPTH, false, 0x103,
	  { { 0x103, 0x147, 0x1001 }, { 0x147, 0, 0x1002 } }, { 0x1001, 0x1002 }, false },
	{ "first frame in a hole", DEPTH, false, HOLE, { { 0 } }, { 0 }, true },
	{ "fault in the middle", DEPTH, false, 0x100,
	  { { 0x100, 0x140, 0x1001 }, { 0x140, HOLE, 0x1002 } }, { 0x1001, 0x1002 }, true },
	{ "a page that is not in memory", DEPTH, false, 0x100,
	  { { 0x100, UNTOUCHED, 0x1001 } }, { 0x1001 }, true },
	{ "half of a frame", DEPTH, false, 0x100,
	  { { 0x100, UNTOUCHED - 8, 0x1001 } }, { 0x1001 }, true },
	{ "into the kernel", DEPTH, false, 0x100,
	  { { 0x100, KERNEL, 0x1001 } }, { 0x1001 }, true },
	{ "begins in the kernel", DEPTH, false, KERNEL, { { 0 } }, { 0 }, true },
	{ "the escape code", DEPTH, false, 0x100,
	  { { 0x100, 0x140, 0x1001 }, { 0x140, 0x180, ESCAPE }, { 0x180, 0, 0x1003 } },
	  { 0x1001 }, true },
	{ "a frame at the stack pointer", DEPTH, false, 0x100,
	  { { 0x100, 0, 0x1001 } }, { 0x1001 }, false, 0x100 },
	{ "no frame: below the stack pointer", DEPTH, false, 0x100,
	  { { 0x100, 0, 0x1001 } }, { 0 }, true, 0x101 },
	{ "32 bits", DEPTH, true, 0x100,
	  { { 0x100, 0x140, 0x1001 }, { 0x140, 0x149, 0x80001002 }, { 0x149, 0, 0x1003 } },
	  { 0x1001, 0x80001002, 0x1003 }, false },
	{ "32 bits, a fault", DEPTH, true, 0x100,
	  { { 0x100, 0x140, 0x1001 }, { 0x140, HOLE, 0x1002 } }, { 0x1001, 0x1002 }, true },
	{ "32 bits, first frame in a hole", DEPTH, true, HOLE, { { 0 } }, { 0 }, true },
};

static void chain_describe(const struct chain *chain, char *text)
{
	strscpy(text, chain->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(chain, chains, chain_describe);

static u64 address_of(u64 offset)
{
	return offset && offset != KERNEL ? BASE + offset : offset;
}

static bool write_stack(const struct chain *chain)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(chain->stack) && chain->stack[i].at; i++) {
		void __user *at = (void __user *)(BASE + chain->stack[i].at);
		u64 next = address_of(chain->stack[i].next);
		u64 frame64[] = { next, chain->stack[i].return_address };
		u32 frame32[] = { next, chain->stack[i].return_address };

		if (chain->is_32bit ? copy_to_user(at, frame32, sizeof(frame32)) :
				      copy_to_user(at, frame64, sizeof(frame64)))
			return false;
	}
	return true;
}

static bool make_memory(void)
{
	if (vm_mmap(NULL, BASE, 3 * PAGE_SIZE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, 0) != BASE)
		return false;
	if (vm_munmap(BASE + HOLE, PAGE_SIZE))
		return false;
	/* The last word of the first page, so that it is there in all cases. */
	return !put_user(0, (u64 __user *)(BASE + UNTOUCHED - 8));
}

static void backtrace_of_program(struct kunit *test)
{
	const struct chain *chain = test->param_value;
	struct pt_regs regs = {
		.cs = chain->is_32bit ? __USER32_CS : __USER_CS,
		.ip = BASE,
		.bp = address_of(chain->bp),
		.sp = address_of(chain->sp),
	};
	bool memory, written = false, interrupted = false;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, program);
	kthread_use_mm(program);
	memory = make_memory();
	if (memory) {
		written = write_stack(chain);
		interrupted = backtrace_by_nmi(&regs, chain->depth);
		vm_munmap(BASE, HOLE);
	}
	kthread_unuse_mm(program);
	KUNIT_ASSERT_TRUE(test, memory);
	KUNIT_ASSERT_TRUE(test, written);
	KUNIT_ASSERT_TRUE(test, interrupted);

	for (i = 0; chain->callers[i]; i++)
		KUNIT_EXPECT_EQ(test, frame_at(i), chain->callers[i]);
	KUNIT_EXPECT_EQ(test, frames.nr, i);
	KUNIT_EXPECT_EQ(test, frames.nr_kernel, 0);
	KUNIT_EXPECT_EQ(test, frames.aborted, chain->aborted);
	/* Nothing is written behind the last caller. */
	KUNIT_EXPECT_EQ(test, frame_at(i), 0);
}

/* Not in the first instructions of an entry; while an interrupt is handled on its own stack. */
static void backtrace_trusts_saved_registers(struct kunit *test)
{
	unsigned long saved = (unsigned long)task_pt_regs(current);
	unsigned long top = (unsigned long)task_stack_page(current) + THREAD_SIZE;

	KUNIT_EXPECT_FALSE(test, user_regs_saved(0x7ffff0001000)); /* the user's */
	KUNIT_EXPECT_FALSE(test, user_regs_saved(CPU_ENTRY_AREA_BASE + 0x2fd8));
	KUNIT_EXPECT_FALSE(test, user_regs_saved(top));
	KUNIT_EXPECT_FALSE(test, user_regs_saved(saved + 8));
	KUNIT_EXPECT_TRUE(test, user_regs_saved(saved));
	KUNIT_EXPECT_TRUE(test, user_regs_saved(saved - 200));
	KUNIT_EXPECT_TRUE(test, user_regs_saved(top + PAGE_SIZE));
}

/* A chain that is longer than wanted ends there, and is no error. */
static noinline bool inner(unsigned int depth)
{
	bool interrupted = backtrace_by_nmi(NULL, depth);

	barrier(); /* no tail call */
	return interrupted;
}

static noinline bool outer(unsigned int depth)
{
	bool interrupted = inner(depth);

	barrier();
	return interrupted;
}

static bool is_in(u64 address, const char *function)
{
	char name[KSYM_SYMBOL_LEN];

	sprint_symbol_no_offset(name, address - 1);
	return !strncmp(name, function, strlen(function)) &&
	       (name[strlen(function)] == '\0' || name[strlen(function)] == ' ');
}

static void backtrace_of_kernel(struct kunit *test)
{
	unsigned int i;

	KUNIT_ASSERT_TRUE(test, outer(40));
	KUNIT_EXPECT_FALSE(test, frames.aborted);
	KUNIT_EXPECT_EQ(test, frames.nr, frames.nr_kernel);
	KUNIT_ASSERT_LT(test, frames.nr, 40U);
	for (i = 0; i < frames.nr && !is_in(frame_at(i), "inner"); i++)
		;
	KUNIT_ASSERT_LT_MSG(test, i + 2, frames.nr, "inner() is not among the callers");
	KUNIT_EXPECT_TRUE(test, is_in(frame_at(i + 1), "outer"));
	KUNIT_EXPECT_TRUE(test, is_in(frame_at(i + 2), "backtrace_of_kernel"));
}

static void backtrace_of_kernel_limited(struct kunit *test)
{
	unsigned int depth;

	for (depth = 1; depth <= 3; depth++) {
		KUNIT_ASSERT_TRUE(test, outer(depth));
		KUNIT_EXPECT_EQ(test, frames.nr, depth);
		KUNIT_EXPECT_EQ(test, frames.nr_kernel, depth);
		KUNIT_EXPECT_FALSE(test, frames.aborted);
		KUNIT_EXPECT_EQ(test, frame_at(depth), 0);
	}
}

/* A worker of io_uring or vhost: what lies where a program's registers are saved is not its own. */
static void backtrace_of_worker(struct kunit *test)
{
	static const unsigned int workers[] = { PF_IO_WORKER, PF_USER_WORKER };
	struct pt_regs *saved = task_pt_regs(current), kept = *saved;
	bool memory, interrupted[ARRAY_SIZE(workers)];
	struct op_frames of[ARRAY_SIZE(workers)];
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, program);
	kthread_use_mm(program);
	memory = make_memory();
	*saved = (struct pt_regs){ .cs = __USER_CS, .ip = BASE, .sp = BASE, .bp = BASE + 0x100 };
	for (i = 0; memory && i < ARRAY_SIZE(workers); i++) {
		request.flags = workers[i];
		interrupted[i] = backtrace_by_nmi(NULL, 40);
		of[i] = frames;
	}
	request.flags = 0;
	*saved = kept;
	if (memory)
		vm_munmap(BASE, HOLE);
	kthread_unuse_mm(program);
	KUNIT_ASSERT_TRUE(test, memory);
	for (i = 0; i < ARRAY_SIZE(workers); i++) {
		KUNIT_ASSERT_TRUE(test, interrupted[i]);
		KUNIT_EXPECT_EQ(test, of[i].nr, of[i].nr_kernel);
		KUNIT_EXPECT_GT(test, of[i].nr_kernel, 0);
		KUNIT_EXPECT_FALSE(test, of[i].aborted);
		KUNIT_EXPECT_EQ(test, of[i].end, UNWIND_AT_ROOT);
	}
}

/* Suites are begun by the program that loads the module: its address space is as good as any. */
static int backtrace_suite_init(struct kunit_suite *suite)
{
	program = get_task_mm(current);
	return register_nmi_handler(NMI_LOCAL, handle_nmi, 0, "oprofile_kunit");
}

static void backtrace_suite_exit(struct kunit_suite *suite)
{
	unregister_nmi_handler(NMI_LOCAL, "oprofile_kunit");
	if (program)
		mmput(program);
	program = NULL;
}

TEST_SUITE_AT(oprofile_backtrace, suite_init, suite_exit,
	      backtrace_suite_init, backtrace_suite_exit,
	      KUNIT_CASE_PARAM(backtrace_of_program, chain_gen_params),
	      KUNIT_CASE(backtrace_trusts_saved_registers),
	      KUNIT_CASE(backtrace_of_kernel),
	      KUNIT_CASE(backtrace_of_kernel_limited),
	      KUNIT_CASE(backtrace_of_worker));

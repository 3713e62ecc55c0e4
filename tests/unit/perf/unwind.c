// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks of this process: the chains are those of libdw, and cost a tenth. */
#include <signal.h>
#include <sys/ptrace.h>
#include <ucontext.h>

#include "space.h"
#include "tests/unit/test.h"

static bool may_run(void)
{
	return sizeof(void *) == 8;
}

TEST_NEEDS(may_run, "stacks are unwound on 64 bits only")

static struct space space;

TEST_HOOK(set_up)
{
	return space_read(&space, getpid()) ? 0 : -1;
}

TEST_HOOK(tear_down)
{
	space_end();
	return 0;
}

TEST_PROGRAM(set_up, tear_down)

/* ---- stacks ---- */

/* With the arguments and the environment, which are above. */
#define STACK_MOST (256 << 10)

/* struct snapshot - registers as the kernel gives them, and the stack */
struct snapshot {
	uint64_t registers[20];
	uint8_t stack[STACK_MOST];
	struct perf_user_state user;
};

static struct snapshot taken;
static volatile int kept;

static void take_registers(const greg_t *regs)
{
	static const int order[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP,
				    REG_RSP, REG_RIP, REG_EFL, -1,	-1,	 REG_R8,  REG_R9,
				    REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

	for (size_t i = 0; i < 20; i++)
		taken.registers[i] = order[i] < 0 ? 0 : (uint64_t)regs[order[i]];
}

/* Takes the stack of its caller. */
static __attribute__((noinline)) void take(void)
{
	ucontext_t context;
	uint64_t start;

	getcontext(&context);
	take_registers(context.uc_mcontext.gregs);
	start = taken.registers[7];
	taken.user = (struct perf_user_state){.abi = PERF_SAMPLE_REGS_ABI_64,
					      .registers = (const uint8_t *)taken.registers,
					      .stack = taken.stack,
					      .size = space.stack_end - start};
	assert_true(space.stack_end > start && space.stack_end - start <= STACK_MOST);
	memcpy(taken.stack, (const void *)(uintptr_t)start, space.stack_end - start);
}

static __attribute__((noinline)) int compare(const void *a, const void *b)
{
	if (!taken.user.size)
		take();
	return memcmp(a, b, sizeof(int));
}

/* Deep, and through the C library. */
static __attribute__((noinline)) int dive(int depth)
{
	int numbers[] = {3, 1, 2};

	if (depth)
		return dive(depth - 1) + 1;
	qsort(numbers, 3, sizeof(*numbers), compare);
	return *numbers;
}

static void forget(void)
{
	taken.user.size = 0;
}

static size_t walk(struct perf_unwind *unwind, const struct snapshot *snapshot, uint64_t *frame)
{
	return perf_unwind_stack(unwind, &space, &snapshot->user, PERF_UNWIND_X86_64, frame);
}

/* The chains of all sizes of the copy are those of libdw.  Return: frames of the whole one. */
static size_t check_chains(struct perf_unwind *unwind)
{
	uint64_t expected[PERF_UNWIND_FRAMES_MOST], frame[PERF_UNWIND_FRAMES_MOST];
	size_t n = 0, size = taken.user.size;

	for (taken.user.size = 8; taken.user.size <= size; taken.user.size += 8) {
		n = space_walk_by_libdw(&space, &taken.user, expected);
		assert_int_equal(walk(unwind, &taken, frame), n);
		assert_memory_equal(frame, expected, n * sizeof(*frame));
	}
	taken.user.size = size;
	return n;
}

TEST(chains_through_libraries_are_those_of_libdw)
{
	struct perf_unwind *unwind = perf_unwind_new(&space_files);
	const struct perf_unwind_counts *counts = perf_unwind_count(unwind);

	forget();
	dive(20);
	assert_uint_in_range(check_chains(unwind), 27, 60);
	assert_uint_in_range(counts->stacks, 500, UINT32_MAX);
	assert_int_equal(counts->slow, 0);
	perf_unwind_free(unwind);
}

/* ---- signals ---- */

void faulting(void);
void call_faulting(void);
void by_other_register(void (*call)(void));

static void on_signal(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	take();
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2; /* ud2 */
}

/* Takes the stack of a handler that has interrupted faulting(). */
static __attribute__((noinline)) void interrupt(void)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO}, old;

	assert_int_equal(sigaction(SIGILL, &action, &old), 0);
	call_faulting();
	assert_int_equal(sigaction(SIGILL, &old, NULL), 0);
}

static void check_interrupted(uint64_t slow)
{
	struct perf_unwind *unwind = perf_unwind_new(&space_files);
	uint64_t frame[PERF_UNWIND_FRAMES_MOST];
	size_t n = check_chains(unwind), at;

	assert_int_equal(walk(unwind, &taken, frame), n);
	for (at = 0; at < n && frame[at] != (uint64_t)(uintptr_t)faulting + 1; at++)
		;
	/* the handler, and what returns from it */
	assert_uint_in_range(at, 2, 4);
	assert_true(at + 3 < n);
	assert_uint_in_range(frame[at + 1], (uintptr_t)call_faulting,
			     (uintptr_t)call_faulting + 16);
	assert_true(slow == !!perf_unwind_count(unwind)->slow);
	perf_unwind_free(unwind);
}

TEST(what_a_signal_has_interrupted_is_where_it_says)
{
	forget();
	interrupt();
	check_interrupted(0);
}

TEST(stacks_with_frames_of_other_registers_are_whole)
{
	forget();
	by_other_register(interrupt);
	check_interrupted(1);
}

/* ---- code without tables ---- */

void without_table(void (*call)(void));
void with_pointer(void (*call)(void));

static void interrupt_by_other_register(void)
{
	by_other_register(interrupt);
}

static void (*innermost)(void);

static __attribute__((noinline)) void call_without_table(void)
{
	without_table(innermost);
	kept++; /* no jump instead of a call */
}

static __attribute__((noinline)) void call_with_pointer(void)
{
	with_pointer(call_without_table);
	kept++;
}

static size_t find_in(const uint64_t *frame, size_t n, void (*function)(void (*)(void)),
		      size_t size)
{
	size_t at = 0;

	while (at < n &&
	       (frame[at] < (uintptr_t)function || frame[at] > (uintptr_t)function + size))
		at++;
	return at;
}

static void check_without_tables(uint64_t slow)
{
	struct perf_unwind *unwind = perf_unwind_new(&space_files);
	const struct perf_unwind_counts *counts = perf_unwind_count(unwind);
	uint64_t frame[PERF_UNWIND_FRAMES_MOST];
	size_t n = walk(unwind, &taken, frame);
	size_t code = find_in(frame, n, without_table, 24);
	size_t pointer = find_in(frame, n, with_pointer, 24);

	assert_int_equal(counts->slow, slow);
	assert_true(code < n && pointer == code + 2 && pointer + 3 < n);
	assert_uint_in_range(frame[code + 1], (uintptr_t)call_without_table,
			     (uintptr_t)call_without_table + 64);
	assert_uint_in_range(frame[pointer + 1], (uintptr_t)call_with_pointer,
			     (uintptr_t)call_with_pointer + 64);
	assert_int_equal(counts->by_code, 1);
	assert_int_equal(counts->by_fp, 1);
	perf_unwind_free(unwind);
}

TEST(stacks_go_on_through_code_of_which_nothing_is_said)
{
	forget();
	innermost = interrupt;
	call_with_pointer();
	check_without_tables(0);
}

TEST(so_do_stacks_that_tables_do_not_have)
{
	forget();
	innermost = interrupt_by_other_register;
	call_with_pointer();
	check_without_tables(1);
}

/* ---- cost ---- */

static void stop_here(void)
{
	raise(SIGSTOP);
}

/* Walks between its stops: by tables, by libdw, not at all. */
static void run_stepped(struct perf_unwind *unwind)
{
	uint64_t frame[PERF_UNWIND_FRAMES_MOST];

	walk(unwind, &taken, frame);
	space_walk_by_libdw(&space, &taken.user, frame);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(2);
	stop_here();
	walk(unwind, &taken, frame);
	stop_here();
	space_walk_by_libdw(&space, &taken.user, frame);
	stop_here();
	stop_here();
	_exit(0);
}

/* Instructions up to the next stop. */
static unsigned long count_steps(pid_t pid)
{
	unsigned long steps = 0;
	int status;

	do {
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSTOPPED(status));
		steps++;
	} while (WSTOPSIG(status) != SIGSTOP);
	return steps;
}

TEST(tables_take_a_tenth_of_the_instructions_of_libdw)
{
	struct perf_unwind *unwind = perf_unwind_new(&space_files);
	unsigned long tables, libdw, nothing;
	uint64_t frame[PERF_UNWIND_FRAMES_MOST];
	size_t n;
	int status;
	pid_t pid;

	forget();
	dive(4);
	n = walk(unwind, &taken, frame);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		run_stepped(unwind);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFSTOPPED(status)) {
		print_message("no process can be traced here\n");
		skip();
	}
	tables = count_steps(pid);
	libdw = count_steps(pid);
	nothing = count_steps(pid);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	tables -= nothing;
	libdw -= nothing;
	print_message("%zu frames: %lu instructions by tables, %lu by libdw\n", n, tables, libdw);
	assert_true(10 * tables <= libdw);
	perf_unwind_free(unwind);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The workloads: see workloads.h.
 *
 * Functions that reports are to name are global and exported, so that a stripped program has their
 * names, too.  Each has a constant of its own: no compiler or linker can take two of them for one.
 * Clocks are read between slices of work only.
 */
#include "workloads.h"

#include <assert.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Keeps a function as it is written: not inlined, not cloned, not called by a jump. */
#if __has_attribute(noipa)
#define FUNCTION __attribute__((noipa, noinline))
#else /* clang has no such attribute */
#define FUNCTION __attribute__((noinline, disable_tail_calls))
#endif

#define SLICE UINT64_C(4000) /* turns; some 0.1 ms */
#define CHUNK UINT64_C(500)  /* of work up to a time, which is overrun by one chunk at most */

/* A step that takes some cycles, and that needs the one before. */
#define STEP(value, constant)                                                                      \
	do {                                                                                       \
		(value) = (value)*UINT64_C(6364136223846793005) + (constant);                      \
		__asm__ volatile("" : "+r"(value));                                                \
	} while (0)

/* The line that has most of the time of its function, which is @line. */
#define HOT_STEPS(value, line)                                                                     \
	do {                                                                                       \
		static_assert(__LINE__ == (line), "the hot line is another one");                  \
		STEP(value, 1071);                                                                 \
		STEP(value, 1072);                                                                 \
		STEP(value, 1073);                                                                 \
		STEP(value, 1074);                                                                 \
	} while (0)

#define SPINNER(name, constant)                                                                    \
	FUNCTION void name(uint64_t turns);                                                        \
	FUNCTION void name(uint64_t turns)                                                         \
	{                                                                                          \
		for (uint64_t value = turns; turns; turns--) {                                     \
			STEP(value, constant);                                                     \
			STEP(value, (constant) + 1);                                               \
			STEP(value, (constant) + 2);                                               \
			STEP(value, (constant) + 3);                                               \
		}                                                                                  \
	}

SPINNER(selftest_half, 1001)
SPINNER(selftest_third, 1011)
SPINNER(selftest_rest, 1021)
SPINNER(selftest_long, 1031)
SPINNER(selftest_brief, 1041)
SPINNER(selftest_process, 1051)
SPINNER(selftest_fixed, 1061)

/* ---- time ---- */

static double read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double cpu_now(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* Whether the workload that began at @begin is to go on. */
static bool is_time_left(double begin, double seconds)
{
	return read_clock(CLOCK_MONOTONIC) - begin < seconds;
}

/* Adds the CPU time of @work to @sum. */
static void add_slice(double *sum, void (*work)(uint64_t turns), uint64_t turns)
{
	double begin = cpu_now();

	work(turns);
	*sum += cpu_now() - begin;
}

/* The same, of work up to @end of the CPU clock. */
static void add_until(double *sum, void (*work)(uint64_t turns), double end)
{
	double begin = cpu_now(), now = begin;

	while (now < end) {
		work(CHUNK);
		now = cpu_now();
	}
	*sum += now - begin;
}

/* From half of @turns to one and a half. */
static uint64_t uneven(uint64_t turns, unsigned int *seed)
{
	return turns / 2 + (uint64_t)rand_r(seed) % turns;
}

/* ---- shares, lockstep ---- */

static int run_shares(double seconds, FILE *truth)
{
	double begin = read_clock(CLOCK_MONOTONIC), half = 0, third = 0, rest = 0;
	unsigned int seed = 1;

	while (is_time_left(begin, seconds)) {
		add_slice(&half, selftest_half, uneven(5 * SLICE, &seed));
		add_slice(&third, selftest_third, uneven(3 * SLICE, &seed));
		add_slice(&rest, selftest_rest, uneven(2 * SLICE, &seed));
	}
	fprintf(truth, "half %.9f\nthird %.9f\nrest %.9f\n", half, third, rest);
	return 0;
}

static int run_lockstep(double seconds, FILE *truth)
{
	double begin = read_clock(CLOCK_MONOTONIC), at = cpu_now(), longer = 0, brief = 0;

	while (is_time_left(begin, seconds)) {
		add_until(&longer, selftest_long, at + 0.75 * WORKLOAD_LOCKSTEP_MS / 1e3);
		at += WORKLOAD_LOCKSTEP_MS / 1e3;
		add_until(&brief, selftest_brief, at);
	}
	fprintf(truth, "long %.9f\nbrief %.9f\n", longer, brief);
	return 0;
}

/* ---- short processes ---- */

static double as_seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static int run_process(unsigned int *seed)
{
	unsigned int range = (WORKLOAD_SHORT_MOST - WORKLOAD_SHORT_LEAST) * 1000;
	double ms = WORKLOAD_SHORT_LEAST + (double)((unsigned int)rand_r(seed) % range) / 1000;
	double unused = 0;
	int status;
	pid_t pid = fork();

	if (!pid) {
		add_until(&unused, selftest_process, ms / 1e3);
		_exit(0);
	}
	return pid < 0 || waitpid(pid, &status, 0) != pid ? -1 : 0;
}

static int run_short(double seconds, FILE *truth)
{
	double begin = read_clock(CLOCK_MONOTONIC), user, system;
	struct rusage self, children;
	unsigned int seed = 1, processes = 1;

	for (; is_time_left(begin, seconds); processes++)
		if (run_process(&seed))
			return -1;
	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	user = as_seconds(self.ru_utime) + as_seconds(children.ru_utime);
	system = as_seconds(self.ru_stime) + as_seconds(children.ru_stime);
	fprintf(truth, "cpu %.9f\nuser %.9f\nprocesses %u\n", user + system, user, processes);
	return 0;
}

/* ---- call chains and lines ---- */

/* Asks for a frame, which gcc leaves out of functions that need none. */
#define FRAME __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

enum { LINE_HOT = __LINE__ + 10 }; /* of the function below */

FUNCTION void selftest_leaf(uint64_t turns);
FUNCTION void selftest_leaf(uint64_t turns)
{
	uint64_t value = turns;

	FRAME;
	for (; turns; turns--) {
		__asm__ volatile("" : "+r"(value));
		HOT_STEPS(value, LINE_HOT);
		__asm__ volatile("" : "+r"(value));
	}
}

FUNCTION void selftest_often(uint64_t turns);
FUNCTION void selftest_often(uint64_t turns)
{
	selftest_leaf(turns);
	__asm__ volatile("nop");
}

FUNCTION void selftest_seldom(uint64_t turns);
FUNCTION void selftest_seldom(uint64_t turns)
{
	selftest_leaf(turns);
	__asm__ volatile("nop\n\tnop");
}

static int run_chains(double seconds, FILE *truth)
{
	double begin = read_clock(CLOCK_MONOTONIC), often = 0, seldom = 0;
	unsigned int seed = 1;

	while (is_time_left(begin, seconds)) {
		add_slice(&often, selftest_often, uneven(7 * SLICE, &seed));
		add_slice(&seldom, selftest_seldom, uneven(3 * SLICE, &seed));
	}
	fprintf(truth, "often %.9f\nseldom %.9f\nline %d\n", often, seldom, LINE_HOT);
	return 0;
}

/* ---- skid ---- */

#ifdef __x86_64__
/*
 * The loop waits for a chain of one division; what comes behind it takes a tenth of that.
 *
 * Return: the address of the division.
 */
FUNCTION uintptr_t selftest_skid(uint64_t turns);
FUNCTION uintptr_t selftest_skid(uint64_t turns)
{
	uint64_t value = 3, rest = 1, one = 0x7ffffffffffffffe;
	uintptr_t at;

	__asm__ volatile("lea 1f(%%rip), %[at]\n\t"
			 ".balign 64\n"
			 "1:\tdivq %[one]\n\t"
			 "or $1, %%rdx\n\t"
			 ".rept 16\n\tnop\n\t.endr\n\t"
			 "dec %[turns]\n\t"
			 "jnz 1b"
			 : [at] "=&r"(at), [turns] "+r"(turns), "+a"(value), "+d"(rest)
			 : [one] "r"(one)
			 : "cc");
	return at;
}

static int run_skid(double seconds, FILE *truth)
{
	double begin = read_clock(CLOCK_MONOTONIC);
	uintptr_t slow = 0;

	while (is_time_left(begin, seconds))
		slow = selftest_skid(30 * SLICE);
	/* as in the file: the dynamic linker's first entry is the program */
	fprintf(truth, "slow %zu\n", (size_t)(slow - _r_debug.r_map->l_addr));
	return 0;
}
#else
static int run_skid(double seconds, FILE *truth)
{
	(void)seconds;
	(void)truth;
	return 0;
}
#endif

/* ---- fixed work ---- */

static int run_fixed(double turns, FILE *truth)
{
	for (uint64_t left = (uint64_t)turns / SLICE; left; left--)
		selftest_fixed(SLICE);
	fprintf(truth, "cpu %.9f\n", read_clock(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}

double workload_calibrate(void)
{
	double best = 0, sum, turns = 100 * SLICE;

	for (int i = 0; i < 5; i++) {
		sum = 0;
		add_slice(&sum, selftest_fixed, (uint64_t)turns);
		if (!best || sum < best)
			best = sum;
	}
	return turns / best;
}

int workload_run(const char *name, double amount, FILE *truth)
{
	static const struct {
		const char *name;
		int (*run)(double amount, FILE *truth);
	} workloads[] = {{"shares", run_shares}, {"lockstep", run_lockstep}, {"short", run_short},
			 {"chains", run_chains}, {"skid", run_skid},	     {"fixed", run_fixed}};

	for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++)
		if (!strcmp(workloads[i].name, name))
			return workloads[i].run(amount, truth);
	return -1;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stock programs, an instruction at a time: at each place that they have not been at before, the
 * chain is the one that libdw finds; where it ends at code without call frame information, ours
 * may go on.
 *
 *	stepped [STEPS [COMMAND]]	of each program; between some of them it runs for a moment
 */
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <time.h>

#include "libop/base/array.h"
#include "space.h"
#include "tests/unit/test.h"

/* Some work for each; in bash, which is one of them. */
static const char *const stock[] = {
	"exec bash -c 'for i in 1 2 3; do x=${x}$(echo $i | tr 1 2); done; echo ${x//2/3}'",
	"exec perl -e 'my %h; $h{$_ * 7 % 1000} .= sprintf(\"%05d\", $_) for 1 .. 20000; "
	"print join(\",\", sort keys %h)'",
	"exec /usr/bin/python3 -S -c 'import re, json; print(json.dumps({str(i): "
	"re.sub(\"a+\", \"b\", \"aab\" * i) for i in range(300)}))'",
	"exec sqlite3 :memory: 'create table t (a, b); insert into t values (1, 2), (3, 4); "
	"select sum(a), group_concat(b) from t group by a order by b'",
	"exec openssl dgst -sha256 /usr/bin/bash",
	"exec openssl enc -aes-256-cbc -pbkdf2 -k key -in /usr/bin/dash",
	"exec xz -c /usr/bin/dash",
	"exec gzip -c /usr/bin/bash",
	"exec git --no-pager help -a",
	"exec sort -k 2 /etc/services",
	"exec awk '{ n[$1]++ } END { for (i in n) print i, n[i] }' /etc/services",
	"exec sed -E 's/(a|b)+/<&>/g' /etc/services",
	"exec grep -E '(tcp|udp).*#' /etc/services",
	"exec tar -cf - /usr/share/doc/bash",
	"exec find /usr/share/doc/bash -name '*a*' -printf '%p %s\\n'",
	"exec ls -lR /usr/share/doc/bash",
	"exec objdump -d --stop-address=0x5000 /usr/bin/dash",
	"exec nm -D /usr/bin/bash",
	"exec gdb --version",
	"echo 'int main(void) { return 0; }' | exec $(gcc -print-prog-name=cc1) -quiet -O2 -o - -",
	"echo 'mov %rsp, %rax' | exec as -o /dev/null -",
	"exec ps -ef",
};

/* A program that ends early is run again: it is looked at elsewhere. */
static unsigned long steps = 4000, runs = 8;
static const char *const *commands = stock;
static size_t n_commands = OP_ARRAY_SIZE(stock);

TEST_ARGUMENTS(0, "[STEPS [COMMAND]]")
{
	if (argc > 1)
		runs = steps = strtoul(argv[1], NULL, 10);
	if (argc > 2) {
		commands = (const char *const *)argv + 2;
		n_commands = 1;
	}
}

static bool may_run(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) ? 1 : 0);
	return sizeof(void *) == 8 && pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

TEST_NEEDS(may_run, "no process of 64 bits can be traced here")

/* ---- places ---- */

/* Whether a place of a file has been seen; it is seen now. */
static bool is_seen(uint64_t file, uint64_t offset)
{
	static struct {
		uint8_t *bits;
		uint64_t bytes;
	} all[512];
	struct stat status;
	bool seen;

	if (!all[file].bits) {
		if (stat(space_path(file), &status))
			return true; /* it is deleted */
		all[file].bytes = (uint64_t)status.st_size / 8 + 1;
		all[file].bits = calloc(all[file].bytes, 1);
		assert_non_null(all[file].bits);
	}
	if (offset / 8 >= all[file].bytes)
		return true;
	seen = all[file].bits[offset / 8] >> offset % 8 & 1;
	all[file].bits[offset / 8] |= (uint8_t)(1 << offset % 8);
	return seen;
}

/* ---- chains ---- */

#define STACK_MOST (64 << 10)

struct counts {
	unsigned long steps, places, frames, different, longer;
};

static void compare(struct perf_unwind *unwind, struct space *space,
		    const struct user_regs_struct *regs, struct counts *counts)
{
	static uint8_t stack[STACK_MOST];
	const uint64_t registers[] = {regs->rax, regs->rbx, regs->rcx, regs->rdx, regs->rsi,
				      regs->rdi, regs->rbp, regs->rsp, regs->rip, 0,
				      0,	 0,	    regs->r8,  regs->r9,  regs->r10,
				      regs->r11, regs->r12, regs->r13, regs->r14, regs->r15};
	uint64_t expected[PERF_UNWIND_FRAMES_MOST], frame[PERF_UNWIND_FRAMES_MOST];
	uint64_t size = regs->rsp < space->stack_end ? space->stack_end - regs->rsp : 0;
	struct iovec here = {stack, size < STACK_MOST ? size : STACK_MOST};
	struct iovec there = {(void *)(uintptr_t)regs->rsp, here.iov_len};
	ssize_t n = process_vm_readv(space->pid, &here, 1, &there, 1, 0);
	const struct perf_user_state user = {.abi = PERF_SAMPLE_REGS_ABI_64,
					     .registers = (const uint8_t *)registers,
					     .stack = stack,
					     .size = n > 0 ? (uint64_t)n : 0};
	size_t count = space_walk_by_libdw(space, &user, expected), ours;
	const struct perf_unwind_counts before = *perf_unwind_count(unwind),
					*after = perf_unwind_count(unwind);
	bool may_go_on;

	counts->places++;
	counts->frames += count;
	ours = perf_unwind_stack(unwind, space, &user, PERF_UNWIND_X86_64, frame);
	may_go_on = before.by_code != after->by_code || before.by_fp != after->by_fp;
	counts->longer += ours > count;
	if ((ours == count || (ours > count && may_go_on)) &&
	    !memcmp(frame, expected, count * sizeof(*frame)))
		return;
	if (!counts->different++)
		print_message("another chain at %#llx, of %zu frames\n",
			      (unsigned long long)regs->rip, count);
}

static void look(struct perf_unwind *unwind, struct space *space, struct counts *counts)
{
	struct user_regs_struct regs;
	uint64_t file, offset;

	assert_int_equal(ptrace(PTRACE_GETREGS, space->pid, NULL, &regs), 0);
	if (!space_place(space, regs.rip, &file, &offset)) {
		space_read(space, space->pid);
		if (!space_place(space, regs.rip, &file, &offset))
			return;
	}
	if (!is_seen(file, offset))
		compare(unwind, space, &regs, counts);
}

/* ---- programs ---- */

/* Steps in a row; then the program runs for a moment. */
#define STEPS_IN_A_ROW 100

/* Waits until it stops; signals of its own are given to it.  Return: false: it has ended. */
static bool wait_stop(pid_t pid, int *signal)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFSTOPPED(status))
		return false;
	*signal = WSTOPSIG(status) == SIGTRAP || WSTOPSIG(status) == SIGSTOP ? 0 : WSTOPSIG(status);
	return true;
}

/* Lets it run, until it is stopped. */
static bool run_on(pid_t pid, int *signal)
{
	const struct timespec moment = {.tv_nsec = 50000};

	if (ptrace(PTRACE_CONT, pid, NULL, (void *)(intptr_t)*signal))
		return false;
	nanosleep(&moment, NULL); /* of any length: it only decides what is looked at */
	kill(pid, SIGSTOP);
	return wait_stop(pid, signal);
}

static void run_command(const char *command)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 ||
	    ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(126);
	raise(SIGSTOP);
	execl("/bin/bash", "bash", "-c", command, (char *)NULL);
	_exit(127);
}

static void step_through(struct perf_unwind *unwind, const char *command, struct counts *counts)
{
	struct space space = {.pid = fork()};
	int signal = 0;

	assert_true(space.pid >= 0);
	if (!space.pid)
		run_command(command);
	for (bool lives = wait_stop(space.pid, &signal); lives && counts->steps < steps;) {
		if (++counts->steps % STEPS_IN_A_ROW == 0) {
			lives = run_on(space.pid, &signal);
		} else {
			lives = !ptrace(PTRACE_SINGLESTEP, space.pid, NULL,
					(void *)(intptr_t)signal) &&
				wait_stop(space.pid, &signal);
		}
		if (lives)
			look(unwind, &space, counts);
	}
	kill(space.pid, SIGKILL);
	waitpid(space.pid, NULL, 0);
}

TEST(chains_of_stock_programs_are_those_of_libdw)
{
	struct perf_unwind *unwind = perf_unwind_new(&space_files);
	const struct perf_unwind_counts *walks = perf_unwind_count(unwind);
	struct counts all = {0};

	for (size_t i = 0; i < n_commands; i++) {
		struct counts counts = {0};
		uint64_t slow = walks->slow;

		for (unsigned long run = 0; run < runs && counts.steps < steps; run++)
			step_through(unwind, commands[i], &counts);
		print_message("%.30s: %lu steps, %lu new places, %.1f frames, %lu different, "
			      "%lu longer, %" PRIu64 " by libdw\n",
			      commands[i], counts.steps, counts.places,
			      (double)counts.frames / (double)(counts.places ? counts.places : 1),
			      counts.different, counts.longer, walks->slow - slow);
		all.places += counts.places;
		all.different += counts.different;
		all.longer += counts.longer;
	}
	print_message("%lu places, %lu different, %" PRIu64 " by libdw\n", all.places,
		      all.different, walks->slow);
	assert_uint_in_range(all.places, 1000, UINT32_MAX);
	assert_int_equal(all.different, 0);
	/* nearly all code of stock programs has call frame information */
	assert_true(50 * all.longer < all.places);
	perf_unwind_free(unwind);
	space_end();
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A structured fuzzer of oprofilefs, its ioctl, and the module's coming and going:
 *
 *	fuzz -m MODULE [-n OPERATIONS] [-S SEED] [-p PROCESSES] [-r ROUND]
 *
 * In rounds.  Each loads the module with parameters that work, mounts oprofilefs, and lets some
 * processes do random operations at once, of which none is forbidden; then it tidies up, keeps
 * the accounts of a session while the processes do all that must not disturb it, and unloads the
 * module, which must leave nothing behind.  Of each five processes three are root, one is root
 * without capabilities, one is nobody; the latter two have some files open from before.
 *
 * SEED (printed) reproduces what each process does in each round, with -r from a later round on;
 * not how the processes take turns, nor what the machine answers.
 *
 * Exit codes: 0 nothing was wrong, 1 something was, 2 it could not be tried.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "accounts.h"
#include "board.h"
#include "guard.h"
#include "operation.h"

#define WILD_STEPS 9000 /* of each process in a round, at most */
#define CALM_STEPS 3000
#define STEPS_AS_ROOT 600 /* before the others let go of their rights */
#define NOBODY 65534
#define COORDINATOR (PROCESSES_MAX - 1)

static unsigned long operations_wanted = 20000;
static unsigned int nr_workers = 5;
static unsigned int first_round;

static void usage(void)
{
	fputs("usage: fuzz -m MODULE [-n OPERATIONS] [-S SEED] [-p PROCESSES] [-r ROUND]\n",
	      stderr);
	exit(2);
}

static unsigned long number_of(const char *text, unsigned long max)
{
	char *end;
	unsigned long number;

	errno = 0;
	number = strtoul(text, &end, 0);
	if (errno || end == text || *end || number > max)
		usage();
	return number;
}

static void interrupted(int signal) { (void)signal; }

static void prepare(struct worker *worker, unsigned int number)
{
	static const struct sigaction action = { .sa_handler = interrupted }; /* no SA_RESTART */

	memset(worker, 0, sizeof(*worker));
	worker->number = number;
	for (int i = 0; i < SLOTS; i++)
		worker->slots[i].fd = -1;
	/* Behind it there is nothing, so that nothing can be written there unnoticed. */
	worker->memory = mmap(NULL, MEMORY + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (worker->memory == MAP_FAILED ||
	    mprotect(worker->memory, MEMORY, PROT_READ | PROT_WRITE)) {
		perror("fuzz: memory");
		exit(2);
	}
	sigaction(SIGALRM, &action, NULL);
}

static const char *who(unsigned int number)
{
	static const char *const names[] = { "root", "root", "root without capabilities",
					     "nobody", "root" };

	return names[number % 5];
}

static void let_go_of_rights(unsigned int number)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct none[2] = { { 0 } };
	int failed = 0;

	if (number % 5 == 2)
		failed = (int)syscall(SYS_capset, &header, none);
	else if (number % 5 == 3)
		failed = setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
			 setresuid(NOBODY, NOBODY, NOBODY);
	if (failed)
		board_wrong("rights could not be let go of: %s", strerrorname_np(errno));
}

static void work(unsigned int number, bool calm, unsigned int steps)
{
	struct worker worker;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prepare(&worker, number);
	worker.calm = calm;
	/* The two parts of a round are different streams. */
	for (unsigned int i = 0; i < steps && !board->stop; i++) {
		if (i == STEPS_AS_ROOT)
			let_go_of_rights(number);
		worker_step(&worker, i + (calm ? WILD_STEPS : 0));
	}
	_exit(0);
}

static void begin_workers(bool calm, unsigned int steps, int not_theirs)
{
	for (unsigned int i = 0; i < nr_workers; i++) {
		struct process *process = &board->processes[i];
		pid_t pid;

		process->done = 0;
		process->who = who(i);
		pid = fork();
		if (pid == 0) {
			if (not_theirs >= 0)
				close(not_theirs);
			work(i, calm, steps);
		}
		if (pid < 0)
			board_wrong("fork: %s", strerrorname_np(errno));
		process->pid = pid;
	}
}

/* Takes note of workers that have ended.  Returns how many have not. */
static unsigned int reap(void)
{
	unsigned int left = 0;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (unsigned int i = 0; i < nr_workers; i++)
			if (board->processes[i].pid == pid) {
				if (status)
					board_wrong("process %d ended with status %#x", pid,
						    (unsigned int)status);
				board->processes[i].pid = 0;
			}
	}
	for (unsigned int i = 0; i < nr_workers; i++)
		left += board->processes[i].pid != 0;
	return left;
}

/* Until all workers have ended.  @buffer, if it is one, is read meanwhile by @reader. */
static void watch_workers(struct worker *reader, int buffer)
{
	while (reap() && !board->stop) {
		if (buffer >= 0)
			accounts_read(reader, buffer);
		else
			poll(NULL, 0, 50);
		guard_look();
		guard_progress();
	}
}

/* A condition that the kernel brings about by itself, if not at once. */
static bool comes_true(bool (*condition)(void))
{
	for (int tries = 0; tries < 1000; tries++) {
		if (condition())
			return true;
		poll(NULL, 0, 20);
	}
	return false;
}

static bool nothing_mounted(void)
{
	bool any = false;

	for (int i = 0; i < ROOTS; i++) {
		while (mounted_on(roots[i]) && !umount2(roots[i], 0))
			;
		umount2(roots[i], 0); /* a bind of what was not mounted any more */
		any |= mounted_on(roots[i]);
	}
	return !any;
}

static int last_error;

static bool unloaded(void)
{
	last_error = module_unload();
	return !last_error || last_error == ENOENT;
}

static bool tidy(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	char path[64];

	for (long cpu = 1; cpu < cpus; cpu++) {
		int fd;

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/online", cpu);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0 || write(fd, "1", 1) != 1)
			board_wrong("CPU %ld would not come back: %s", cpu, strerrorname_np(errno));
		if (fd >= 0)
			close(fd);
	}
	if (!comes_true(nothing_mounted))
		board_wrong("nobody uses it, but it cannot be unmounted: %s",
			    strerrorname_np(errno));
	guard_closed();
	if (!comes_true(unloaded))
		board_wrong("nobody uses it, but the module cannot be unloaded: %s",
			    strerrorname_np(last_error));
	guard_unloaded();
	return !board->stop;
}

/* With one of the backends that work here, as the stream says. */
static bool begin(struct stream *stream)
{
	static const char *const backends[] = { "", "backend=nmi_timer", "backend=timer",
						"backend=x86", "backend=perf" };
	unsigned int which = stream_below(stream, 5);
	const char *wrong;
	int error;

	error = module_load(backends[which]);
	if (error && which >= 3)
		error = module_load(""); /* there are no counters */
	if (error) {
		board_wrong("the module could not be loaded: %s", strerrorname_np(error));
		return false;
	}
	if (mount("fuzz", roots[0], "oprofilefs", 0, NULL)) {
		board_wrong("oprofilefs could not be mounted: %s", strerrorname_np(errno));
		return false;
	}
	wrong = tree_read(roots[0]);
	if (wrong)
		board_wrong("the tree: %s", wrong);
	return !wrong;
}

static bool wild_part(struct stream *stream, unsigned int steps)
{
	if (!begin(stream))
		return false;
	begin_workers(false, steps, -1);
	watch_workers(NULL, -1);
	return !board->stop && tidy();
}

static bool calm_part(struct stream *stream, struct worker *accountant, unsigned int steps)
{
	int buffer;

	if (!begin(stream))
		return false;
	accountant->stream = *stream;
	buffer = accounts_open(accountant);
	if (buffer < 0 || board->stop)
		return false;
	begin_workers(true, steps, buffer);
	watch_workers(accountant, buffer);
	if (!board->stop)
		accounts_close(accountant, buffer);
	return !board->stop && tidy();
}

static unsigned int steps_left(unsigned int most)
{
	unsigned long left = operations_wanted - board->done;
	unsigned long each = (left + nr_workers - 1) / nr_workers;

	if (board->done >= operations_wanted)
		return 0;
	return each < most ? (unsigned int)each : most;
}

static void run(void)
{
	struct worker accountant;

	prepare(&accountant, COORDINATOR);
	for (board->round = first_round; board->done < operations_wanted; board->round++) {
		struct stream stream = stream_of(board->seed, board->round, COORDINATOR, 0);

		board_say("seed %#lx round %u, %lu operations so far", board->seed, board->round,
			  board->done);
		if (!wild_part(&stream, steps_left(WILD_STEPS)) ||
		    !calm_part(&stream, &accountant, steps_left(CALM_STEPS) ?: 1))
			return;
	}
}

/* Folders that nobody can make anything in, so that what is seen there is oprofilefs's. */
static void make_roots(void)
{
	bool made = true;

	mkdir("/tmp/fuzz", 0755);
	made = !mount("fuzz-roots", "/tmp/fuzz", "tmpfs", 0, "mode=0755");
	for (int i = 0; made && i < ROOTS; i++)
		made = !mkdir(roots[i], 0755);
	if (!made || mount(NULL, "/tmp/fuzz", NULL, MS_REMOUNT | MS_RDONLY, NULL)) {
		perror("fuzz: /tmp/fuzz");
		exit(2);
	}
}

static void end_workers(void)
{
	for (unsigned int i = 0; i < nr_workers; i++)
		if (board->processes[i].pid)
			kill(board->processes[i].pid, SIGKILL);
}

int main(int argc, char **argv)
{
	uint64_t seed = (uint64_t)time(NULL) * 1000003;
	int option;

	while ((option = getopt(argc, argv, "m:n:S:p:r:")) != -1) {
		switch (option) {
		case 'm': module_path = optarg; break;
		case 'n': operations_wanted = number_of(optarg, 1UL << 40); break;
		case 'S': seed = number_of(optarg, UINT64_MAX); break;
		case 'p': nr_workers = (unsigned int)number_of(optarg, COORDINATOR); break;
		case 'r': first_round = (unsigned int)number_of(optarg, UINT32_MAX); break;
		default: usage();
		}
	}
	if (!module_path || optind != argc || !nr_workers)
		usage();

	board_open(seed);
	guard_open();
	make_roots();
	run();
	guard_look();
	board_print_results();
	if (!board->stop)
		return 0;
	/* A report has more lines than the first, and a process may be in the midst of it. */
	poll(NULL, 0, 2000);
	board_print_history();
	end_workers();
	board_say("after %lu operations, seed %#lx, round %u: %s", board->done, board->seed,
		  board->round, board->wrong);
	return 1;
}

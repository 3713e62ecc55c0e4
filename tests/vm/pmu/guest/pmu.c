// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Asks the emulated PMU, from within the guest, for what was really executed:
 *
 *	pmu identify		CPUs and counters; exit status 1 if there is no such PMU
 *	pmu snapshot N		take snapshot N (0-63) of all that was retired so far
 *	pmu totals A B		what was retired between snapshots A and B, a line for each ring
 *	pmu cpus A B		the same, a line for each CPU and ring
 *	pmu count A B START END	executions of instructions in [START, END) between them;
 *				hex numbers, and +SIZE for an END
 *	pmu symbols A B FILE	the same for each symbol of FILE, whose lines are
 *				"ADDRESS TYPE NAME" as in /proc/kallsyms; a symbol ends
 *				where the next one begins, the last one is not counted
 *	pmu statistics		interrupts, and what else happened
 *	pmu msr CPU MSR [VALUE]	a register of a CPU, hex, by way of the kernel's module msr; set it
 *	pmu msrs CPU MSR...	several of them, "MSR VALUE" each
 *	pmu lvtpc [VALUE]	the local APIC's LVTPC of the CPU that this runs on, hex; set it
 *	pmu nmi TIMES US	have QEMU's monitor raise NMIs of nobody, US microseconds apart
 *	pmu profile A B COMMAND...	run a command that the profiler samples, from snapshot A
 *				to snapshot B; samples begin before and end after by no more
 *				than what it takes to start and stop them
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "tests/vm/pmu/event.h"
#include "tests/vm/pmu/query.h"

struct registers {
	uint64_t rax, rbx, rcx, rdx;
};

static void ask(struct registers *r)
{
	__asm__ volatile("cpuid"
			 : "+a"(r->rax), "+b"(r->rbx), "+c"(r->rcx), "+d"(r->rdx)
			 :
			 : "memory");
}

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...)
{
	__builtin_va_list list;

	fputs("pmu: ", stderr);
	__builtin_va_start(list, format);
	vfprintf(stderr, format, list);
	__builtin_va_end(list);
	fputc('\n', stderr);
	exit(1);
}

static uint64_t number(const char *text, int base)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, base);
	if (errno || end == text || *end)
		die("%s is not a number", text);
	return value;
}

static uint64_t count_in(unsigned int snapshot, uint64_t start, uint64_t end)
{
	struct registers r = { PMU_QUERY_COUNT, start, snapshot, end };

	ask(&r);
	if (r.rbx != 1)
		die("snapshot %u was never taken", snapshot);
	return r.rax;
}

static uint64_t total_of(unsigned int snapshot, unsigned int cpu, unsigned int ring,
			 unsigned int quantity)
{
	struct registers r = { PMU_QUERY_TOTAL, ring, snapshot, quantity + PMU_QUERY_CPU * cpu };

	ask(&r);
	if (r.rbx != 1)
		die("snapshot %u was never taken", snapshot);
	return r.rax;
}

static int identify(char **argument)
{
	struct registers r = { .rax = PMU_QUERY_IDENTIFY };

	(void)argument;
	ask(&r);
	printf("cpus %" PRIu64 " counters %" PRIu64 " fixed %" PRIu64 " lvtpc %s\n", r.rbx, r.rcx,
	       r.rdx & ~(uint64_t)PMU_QUERY_MASKS, r.rdx & PMU_QUERY_MASKS ? "mask" : "keep");
	return 0;
}

static int snapshot(char **argument)
{
	struct registers r = { .rax = PMU_QUERY_SNAPSHOT, .rcx = number(argument[0], 0) };

	ask(&r);
	if (r.rbx != 1)
		die("there is no snapshot %s", argument[0]);
	return 0;
}

static unsigned int cpus_of_machine(void)
{
	struct registers r = { .rax = PMU_QUERY_IDENTIFY };

	ask(&r);
	return r.rbx;
}

/* The sums of @nr_cpus CPUs from @first on. */
static void print_totals(char **argument, const char *whose, unsigned int first,
			 unsigned int nr_cpus)
{
	static const char *const rings[] = { "user", "kernel" };
	static const char *const names[] = { "instructions", "jumps",	"conditionals",
					     "calls",	     "returns", "far" };
	unsigned int from = number(argument[0], 0), to = number(argument[1], 0);

	for (unsigned int ring = 0; ring < PMU_RINGS; ring++) {
		printf("%s%s", whose, rings[ring]);
		for (unsigned int q = 0; q < PMU_QUANTITIES; q++) {
			uint64_t sum = 0;

			for (unsigned int cpu = first; cpu < first + nr_cpus; cpu++)
				sum += total_of(to, cpu, ring, q) - total_of(from, cpu, ring, q);
			printf(" %s %" PRIu64, names[q], sum);
		}
		putchar('\n');
	}
}

static int totals(char **argument)
{
	print_totals(argument, "", 0, cpus_of_machine());
	return 0;
}

static int cpus(char **argument)
{
	for (unsigned int cpu = 0; cpu < cpus_of_machine(); cpu++) {
		char whose[16];

		snprintf(whose, sizeof(whose), "cpu%u ", cpu);
		print_totals(argument, whose, cpu, 1);
	}
	return 0;
}

static int count(char **argument)
{
	unsigned int from = number(argument[0], 0), to = number(argument[1], 0);
	uint64_t start = number(argument[2], 16), end = number(argument[3], 16);

	if (argument[3][0] == '+')
		end += start;
	printf("%" PRIu64 "\n", count_in(to, start, end) - count_in(from, start, end));
	return 0;
}

struct symbol {
	uint64_t address;
	char *name;
};

static int by_address(const void *a, const void *b)
{
	const struct symbol *one = a, *other = b;

	return (one->address > other->address) - (one->address < other->address);
}

static size_t read_symbols(const char *path, struct symbol **symbols)
{
	FILE *in = fopen(path, "r");
	size_t n = 0, room = 0;
	char line[1024], type, name[900];

	if (!in)
		die("%s: %m", path);
	*symbols = NULL;
	while (fgets(line, sizeof(line), in)) {
		struct symbol symbol;

		if (sscanf(line, "%" SCNx64 " %c %899s", &symbol.address, &type, name) != 3)
			die("%s:%zu: not ADDRESS TYPE NAME", path, n + 1);
		symbol.name = strdup(name);
		if (n == room) {
			room = room ? 2 * room : 1024;
			*symbols = realloc(*symbols, room * sizeof(symbol));
		}
		if (!*symbols || !symbol.name)
			die("out of memory");
		(*symbols)[n++] = symbol;
	}
	if (ferror(in) | fclose(in))
		die("%s: %m", path);
	return n;
}

static int symbols(char **argument)
{
	unsigned int from = number(argument[0], 0), to = number(argument[1], 0);
	struct symbol *symbol;
	size_t n = read_symbols(argument[2], &symbol);

	qsort(symbol, n, sizeof(*symbol), by_address);
	for (size_t i = 0; i + 1 < n; i++) {
		uint64_t start = symbol[i].address, end = symbol[i + 1].address, executions;

		executions = count_in(to, start, end) - count_in(from, start, end);
		if (executions)
			printf("%s %" PRIu64 "\n", symbol[i].name, executions);
	}
	return 0;
}

static int statistics(char **argument)
{
	struct registers r = { .rax = PMU_QUERY_STATISTICS };

	(void)argument;
	ask(&r);
	printf("interrupts %" PRIu64 " masked %" PRIu64 " steps %" PRIu64 " early %" PRIu64 "\n",
	       r.rax, r.rbx, r.rcx, r.rdx);
	return 0;
}

/* The registers of a CPU, as a file of the kernel's module msr. */
static int open_registers(const char *cpu, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", (unsigned int)number(cpu, 0));
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		die("%s: %m", path);
	return fd;
}

static uint64_t read_register(int fd, const char *name)
{
	uint64_t value;

	if (pread(fd, &value, sizeof(value), (off_t)number(name, 16)) != sizeof(value))
		die("cannot read register %s: %m", name);
	return value;
}

static int msr(char **argument)
{
	int fd = open_registers(argument[0], argument[2] ? O_RDWR : O_RDONLY);

	if (argument[2]) {
		uint64_t value = number(argument[2], 16);

		if (pwrite(fd, &value, sizeof(value), (off_t)number(argument[1], 16)) !=
		    sizeof(value))
			die("cannot write %" PRIx64 " to register %s: %m", value, argument[1]);
	}
	printf("%" PRIx64 "\n", read_register(fd, argument[1]));
	close(fd);
	return 0;
}

static int msrs(char **argument)
{
	int fd = open_registers(*argument, O_RDONLY);

	while (*++argument)
		printf("%s %" PRIx64 "\n", *argument, read_register(fd, *argument));
	close(fd);
	return 0;
}

static int lvtpc(char **argument)
{
	struct registers r = { .rax = PMU_QUERY_LVTPC };

	if (*argument) {
		r.rbx = number(*argument, 16);
		r.rcx = 1;
	}
	ask(&r);
	printf("%" PRIx64 "\n", r.rax);
	return 0;
}

#define MONITOR	      "/dev/ttyS3"
#define PROMPT	      "\n(qemu) "
#define QUIET_MS      500
#define ANSWER_MS     60000
#define SILENT_MS     2000
#define MONITORED_CPU 0 /* the one with LINT1, where the monitor's NMIs come in */

static int open_monitor(void)
{
	struct termios mode;
	int fd = open(MONITOR, O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || tcgetattr(fd, &mode))
		die(MONITOR ": %m");
	cfmakeraw(&mode);
	if (tcsetattr(fd, TCSANOW, &mode))
		die(MONITOR ": %m");
	return fd;
}

/* Reads what comes within that time; 0: nothing. */
static size_t hear(int fd, char *text, size_t size, int ms)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	ssize_t n;

	if (poll(&ready, 1, ms) <= 0)
		return 0;
	n = read(fd, text, size);
	if (n < 0)
		die(MONITOR ": %m");
	return n;
}

/*
 * It prompts again when it has done what it was told to.  Of what it says some may be missing, as
 * the port holds no more than 16 characters and handlers of NMIs may last for milliseconds: then it
 * is done when it says no more.
 */
static void tell_monitor(int fd, const char *command)
{
	char heard[4096];
	size_t length = 0, more;

	if (write(fd, command, strlen(command)) != (ssize_t)strlen(command))
		die(MONITOR ": %m");
	do {
		more = hear(fd, heard + length, sizeof(heard) - 1 - length,
			    length ? SILENT_MS : ANSWER_MS);
		length += more;
		heard[length] = '\0';
	} while (more && !strstr(heard, PROMPT));
	if (!length)
		die(MONITOR ": no answer to %s", command);
}

static int nmi(char **argument)
{
	uint64_t times = number(argument[0], 0), us = number(argument[1], 0);
	struct timespec pause = { us / 1000000, us % 1000000 * 1000 };
	int fd = open_monitor();
	cpu_set_t only;
	char old[256];

	/* What runs there again has taken the NMI: two are never merged into one. */
	CPU_ZERO(&only);
	CPU_SET(MONITORED_CPU, &only);
	if (sched_setaffinity(0, sizeof(only), &only))
		die("CPU %d: %m", MONITORED_CPU);
	while (hear(fd, old, sizeof(old), QUIET_MS))
		;
	while (times--) {
		tell_monitor(fd, "nmi\n");
		nanosleep(&pause, NULL);
	}
	close(fd);
	return 0;
}

/* The profiler's switch; it must be set up. */
static void enable(const char *value)
{
	int fd = open("/dev/oprofile/enable", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, value, 1) != 1)
		die("/dev/oprofile/enable: %m");
	close(fd);
}

static int profile(char **argument)
{
	int status;
	pid_t pid;

	enable("1");
	snapshot(argument);
	pid = fork();
	if (pid == 0) {
		execvp(argument[2], argument + 2);
		die("%s: %m", argument[2]);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		die("%s: %m", argument[2]);
	snapshot(argument + 1);
	enable("0");
	return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static const struct command {
	const char *name;
	int arguments;
	bool more; /* there may be more of them */
	int (*run)(char **argument);
} commands[] = {
	{ "identify", 0, false, identify },	{ "snapshot", 1, false, snapshot },
	{ "totals", 2, false, totals },		{ "cpus", 2, false, cpus },
	{ "count", 4, false, count },		{ "symbols", 3, false, symbols },
	{ "statistics", 0, false, statistics }, { "lvtpc", 0, true, lvtpc },
	{ "msr", 2, true, msr },		{ "msrs", 2, true, msrs },
	{ "profile", 3, true, profile },	{ "nmi", 2, false, nmi },
};

int main(int argc, char **argv)
{
	struct registers r = { .rax = PMU_QUERY_IDENTIFY };

	ask(&r);
	if (r.rax != PMU_QUERY_MAGIC)
		die("this machine has no emulated PMU");
	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name) &&
		    (argc == commands[i].arguments + 2 ||
		     (commands[i].more && argc > commands[i].arguments + 2)))
			return commands[i].run(argv + 2);
	die("usage: pmu identify | snapshot N | totals A B | cpus A B | count A B START END |"
	    " symbols A B FILE | statistics | msr CPU MSR [VALUE] | msrs CPU MSR... |"
	    " lvtpc [VALUE] | nmi TIMES US | profile A B COMMAND...");
}

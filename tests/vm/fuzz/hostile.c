// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What an ordinary user can do to whoever looks into address spaces:
 *
 *	hostile KIND [REST]
 *
 *	fork	copies an address space of 20,000 mappings, half of them executable, again and
 *		again, while a thread computes in it: its lock is held for as long as that takes
 *	protect	code that moves from page to page of one area, whose pages lose and get back the
 *		right to be run, so that mappings are split and merged
 *	userfault	computes with a frame pointer into memory that only its user could fill in,
 *		but does not; another thread waits for it
 *	chain	computes below 255 made-up callers, each in a mapping of its own
 *
 * with REST microseconds between turns (default 0), as nobody, until it is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534
#define PAGE 4096UL
#define MAPPINGS 20000UL
#define AREA_PAGES 64U
#define STACK_SIZE (1UL << 18)
#define USERFAULT_MS 200U
#define CALLERS 255

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "hostile: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void *map(size_t size, int protection)
{
	void *at = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	check(at != MAP_FAILED, "mmap");
	return at;
}

__attribute__((noinline)) static void spin(unsigned long turns)
{
	__asm__ volatile("1:\tdec %0\n\tjnz 1b" : "+r"(turns) : : "cc");
}

static void *compute(void *unused)
{
	(void)unused;
	for (;;)
		spin(1000000);
	return NULL;
}

static void begin_thread(void *(*run)(void *), void *argument)
{
	pthread_t thread;

	errno = pthread_create(&thread, NULL, run, argument);
	check(!errno, "pthread_create");
}

/* The same on a stack of one's own, of STACK_SIZE. */
static void begin_thread_on(void *stack, void *(*run)(void *), void *argument)
{
	pthread_attr_t attributes;
	pthread_t thread;

	errno = pthread_attr_init(&attributes) ?:
		pthread_attr_setstack(&attributes, stack, STACK_SIZE) ?:
		pthread_create(&thread, &attributes, run, argument);
	check(!errno, "pthread_create");
}

static void fork_begin(void)
{
	char *area = map(MAPPINGS * PAGE, PROT_NONE);

	for (unsigned long i = 0; i < MAPPINGS; i += 2)
		check(!mprotect(area + i * PAGE, PAGE, PROT_READ | PROT_EXEC), "mprotect");
	begin_thread(compute, NULL);
}

static void fork_turn(unsigned int turn)
{
	pid_t child = fork();

	(void)turn;
	check(child >= 0, "fork");
	if (!child)
		_exit(0);
	check(waitpid(child, NULL, 0) == child, "waitpid");
}

/* mov ecx, 20000; 1: dec ecx; jnz 1b; ret */
static const uint8_t spin_code[] = { 0xb9, 0x20, 0x4e, 0, 0, 0xff, 0xc9, 0x75, 0xfc, 0xc3 };
static char *code;

static void protect_begin(void)
{
	code = map(AREA_PAGES * PAGE, PROT_READ | PROT_WRITE);
	for (unsigned int i = 0; i < AREA_PAGES; i++)
		memcpy(code + i * PAGE, spin_code, sizeof(spin_code));
}

static void protect_turn(unsigned int turn)
{
	char *page = code + turn * 7 % AREA_PAGES * PAGE;

	check(!mprotect(page, PAGE, PROT_READ | PROT_EXEC), "mprotect");
	((void (*)(void))page)();
	if (turn % 2)
		check(!mprotect(page, PAGE, PROT_READ), "mprotect");
	if (turn % 1000 == 999)
		check(!mprotect(code, AREA_PAGES * PAGE, PROT_READ), "mprotect");
}

static void touch(const volatile char *at) { (void)*at; }

/* As if the caller had its frame at @frame. */
static void *compute_in_frame(void *frame)
{
	__asm__ volatile("push %%rbp\n\t"
			 "mov %0, %%rbp\n"
			 "1:\tjmp 1b\n\t"
			 "pop %%rbp"
			 :
			 : "r"(frame)
			 : "memory");
	return NULL;
}

/* A process, which is killed.  What can't be read lies above the stack, as callers do. */
static void wait_in_userfault(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	char *stack = map(2 * STACK_SIZE, PROT_READ | PROT_WRITE), *missing = stack + STACK_SIZE;
	int fd;

	fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	check(fd >= 0 && !ioctl(fd, UFFDIO_API, &api), "userfaultfd");
	range.range.start = (uintptr_t)missing;
	range.range.len = STACK_SIZE;
	check(!ioctl(fd, UFFDIO_REGISTER, &range), "UFFDIO_REGISTER");
	begin_thread_on(stack, compute_in_frame, missing + PAGE);
	touch(missing);
}

static void userfault_turn(unsigned int turn)
{
	pid_t child = fork();

	(void)turn;
	check(child >= 0, "fork");
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		wait_in_userfault();
		_exit(1);
	}
	usleep(USERFAULT_MS * 1000);
	kill(child, SIGKILL);
	check(waitpid(child, NULL, 0) == child, "waitpid");
}

/* mov rbp, rdi; 1: jmp 1b; of code that no unwind table is known for */
static const uint8_t endless_code[] = { 0x48, 0x89, 0xfd, 0xeb, 0xfe };

/*
 * Frames as they lie on a stack: of each function, where its caller's is, and the return address.
 */
static void chain_begin(void)
{
	char *area = map(2 * CALLERS * PAGE, PROT_READ | PROT_WRITE);
	char *stack = map(2 * STACK_SIZE, PROT_READ | PROT_WRITE);
	uintptr_t(*frames)[2] = (void *)(stack + STACK_SIZE);

	memcpy(area, endless_code, sizeof(endless_code));
	for (unsigned long i = 0; i < CALLERS; i++) {
		check(!mprotect(area + 2 * i * PAGE, PAGE, PROT_READ | PROT_EXEC), "mprotect");
		frames[i][0] = (uintptr_t)frames[i + 1];
		frames[i][1] = (uintptr_t)(area + 2 * i * PAGE + i + 1);
	}
	begin_thread_on(stack, (void *(*)(void *))area, frames[0]);
}

static void chain_turn(unsigned int turn)
{
	(void)turn;
	pause();
}

static void nothing(void) {}

static const struct {
	const char *name;
	void (*begin)(void);
	void (*turn)(unsigned int turn);
} kinds[] = {
	{ "fork", fork_begin, fork_turn },
	{ "protect", protect_begin, protect_turn },
	{ "userfault", nothing, userfault_turn },
	{ "chain", chain_begin, chain_turn },
};

static void become_nobody(void)
{
	check(!setgroups(0, NULL), "setgroups");
	check(!setresgid(NOBODY, NOBODY, NOBODY), "setresgid");
	check(!setresuid(NOBODY, NOBODY, NOBODY), "setresuid");
}

int main(int argc, char **argv)
{
	useconds_t rest = argc > 2 ? (useconds_t)atoi(argv[2]) : 0;
	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(argv[1], kinds[i].name))
			continue;
		become_nobody();
		kinds[i].begin();
		for (unsigned int turn = 0;; turn++) {
			kinds[i].turn(turn);
			if (rest)
				usleep(rest);
		}
	}
	fputs("usage: hostile fork|protect|userfault|chain [REST]\n", stderr);
	return 2;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An ordinary user's process whose mmap lock is held for ever:
 *
 *	silent_fuse [SECONDS]
 *
 * mounts, as nobody and in a user namespace, a FUSE file system with one file.  Its server answers
 * the first two reads of a page with an error and no later one.  A fault reads a page twice, with
 * the lock released, and is then tried again: that time it waits with the lock held for reading,
 * and mmap() behind it for writing.  Prints
 * "stuck" when both do, and runs silent_burn() until it is killed.  The server, a process of its
 * own whose number is printed first, then ends, too, and with it the connection.
 *
 * With SECONDS, both are children that are killed so long after they are stuck; then all begins
 * anew, in the same namespaces, without end.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin.h"

#define NOBODY 65534
#define FILE_NODE 2
#define PLACE "/tmp/silent"
#define WAIT_SECONDS 60

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "silent_fuse: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	check(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), path);
	close(fd);
}

/* From root to nobody, with a user and a mount namespace of its own. */
static void become_nobody(void)
{
	check(!setgroups(0, NULL), "setgroups");
	check(!setresgid(NOBODY, NOBODY, NOBODY), "setresgid");
	check(!setresuid(NOBODY, NOBODY, NOBODY), "setresuid");
	check(!prctl(PR_SET_DUMPABLE, 1), "prctl");
	check(!unshare(CLONE_NEWUSER | CLONE_NEWNS), "unshare");
	write_file("/proc/self/setgroups", "deny");
	write_file("/proc/self/uid_map", "0 65534 1");
	write_file("/proc/self/gid_map", "0 65534 1");
}

static int mount_here(void)
{
	char options[128];
	int fd = open("/dev/fuse", O_RDWR);

	check(fd >= 0, "/dev/fuse");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	check(!mount("silent", PLACE, "fuse", MS_NOSUID | MS_NODEV, options), "mount");
	return fd;
}

static void answer(int fd, const struct fuse_in_header *in, int error, const void *body,
		   size_t size)
{
	struct fuse_out_header out = {
		.len = (uint32_t)(sizeof(out) + (error ? 0 : size)),
		.error = -error,
		.unique = in->unique,
	};
	struct iovec parts[] = {{&out, sizeof(out)}, {(void *)(uintptr_t)body, error ? 0 : size}};

	if (writev(fd, parts, 2) < 0 && errno == ENODEV)
		exit(0);
}

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){
		.ino = node,
		.size = node == FILE_NODE ? 4096 : 0,
		.mode = node == FILE_NODE ? S_IFREG | 0700 : S_IFDIR | 0700,
		.nlink = 1,
	};
}

static void answer_init(int fd, const struct fuse_in_header *in, const struct fuse_init_in *init)
{
	struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = init->minor < FUSE_KERNEL_MINOR_VERSION ? init->minor :
								    FUSE_KERNEL_MINOR_VERSION,
		.max_readahead = 4096,
		.max_write = 4096,
	};

	answer(fd, in, 0, &out, sizeof(out));
}

static void answer_lookup(int fd, const struct fuse_in_header *in)
{
	struct fuse_entry_out out = {
		.nodeid = FILE_NODE,
		.entry_valid = 3600,
		.attr_valid = 3600,
		.attr = attributes(FILE_NODE),
	};

	answer(fd, in, 0, &out, sizeof(out));
}

static void answer_attributes(int fd, const struct fuse_in_header *in)
{
	struct fuse_attr_out out = {.attr_valid = 3600, .attr = attributes(in->nodeid)};

	answer(fd, in, 0, &out, sizeof(out));
}

static void answer_open(int fd, const struct fuse_in_header *in)
{
	struct fuse_open_out out = {.fh = 1};

	answer(fd, in, 0, &out, sizeof(out));
}

static void serve_one(int fd, const struct fuse_in_header *in)
{
	static unsigned int reads;

	switch (in->opcode) {
	case FUSE_INIT:
		answer_init(fd, in, (const void *)(in + 1));
		break;
	case FUSE_LOOKUP:
		answer_lookup(fd, in);
		break;
	case FUSE_GETATTR:
		answer_attributes(fd, in);
		break;
	case FUSE_OPEN:
		answer_open(fd, in);
		break;
	case FUSE_READ:
		if (reads++ < 2)
			answer(fd, in, EIO, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break; /* nobody waits for an answer */
	default:
		answer(fd, in, ENOSYS, NULL, 0);
	}
}

/* Until the connection ends, or the parent. */
static void serve(int fd)
{
	static union {
		struct fuse_in_header in;
		char bytes[1 << 17];
	} request;

	for (;;) {
		ssize_t nr = read(fd, &request, sizeof(request));

		if (nr >= (ssize_t)sizeof(request.in))
			serve_one(fd, &request.in);
		else if (errno != EINTR && errno != EAGAIN)
			exit(0);
	}
}

static pid_t faulting, mapping; /* threads, while they do so */
static char *page; /* of the file */

static void wait_for(const pid_t *thread)
{
	while (!__atomic_load_n(thread, __ATOMIC_SEQ_CST))
		usleep(10000);
}

static void *fault(void *unused)
{
	(void)unused;
	while (!__atomic_load_n(&page, __ATOMIC_SEQ_CST))
		usleep(10000);
	__atomic_store_n(&faulting, (pid_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	return (void *)(uintptr_t) * (volatile char *)page;
}

static bool may_map;

/* Maps until it waits for the thread that faults. */
static void *map(void *unused)
{
	(void)unused;
	wait_for(&faulting);
	while (!__atomic_load_n(&may_map, __ATOMIC_SEQ_CST))
		usleep(10000);
	__atomic_store_n(&mapping, (pid_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	for (;;) {
		void *some = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (some != MAP_FAILED)
			munmap(some, 4096);
	}
	return NULL;
}

/* Without memory of its own, for which it might need the lock. */
static bool asleep(pid_t thread)
{
	char path[64], line[256], *state;
	ssize_t nr;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	fd = open(path, O_RDONLY);
	nr = fd < 0 ? 0 : read(fd, line, sizeof(line) - 1);
	line[nr > 0 ? nr : 0] = '\0';
	close(fd);
	state = strrchr(line, ')');
	return state && state[1] && (state[2] == 'D' || state[2] == 'S');
}

/* Whether the thread sleeps for a second on end. */
static bool stuck(const pid_t *thread)
{
	unsigned int times;
	pid_t id = __atomic_load_n(thread, __ATOMIC_SEQ_CST);

	for (times = 0; id && times < 20 && asleep(id); times++)
		usleep(50000);
	return times == 20;
}

static void wait_until_stuck(const pid_t *thread, const char *what)
{
	int tries = WAIT_SECONDS * 20;

	while (!stuck(thread) && --tries > 0)
		usleep(50000);
	errno = ETIMEDOUT;
	check(tries > 0, what);
}

__attribute__((noinline)) static void silent_burn(void)
{
	for (;;)
		spin(1000000);
}

/* Returns the server; @fuse is left to it alone: with it ends the connection. */
static pid_t begin_server(int fuse)
{
	pid_t server = fork();

	check(server >= 0, "fork");
	if (!server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(fuse);
	}
	close(fuse);
	return server;
}

static void become_stuck(void)
{
	pthread_t fault_thread, map_thread;
	char *mapped;
	int file;

	/* From now on this thread must not fault, nor map, or it would wait for the lock, too. */
	check(!pthread_create(&fault_thread, NULL, fault, NULL), "pthread_create");
	check(!pthread_create(&map_thread, NULL, map, NULL), "pthread_create");
	check(!mlockall(MCL_CURRENT), "mlockall");
	file = open(PLACE "/file", O_RDONLY);
	check(file >= 0, PLACE "/file");
	mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
	check(mapped != MAP_FAILED, "mmap");
	__atomic_store_n(&page, mapped, __ATOMIC_SEQ_CST);
	wait_until_stuck(&faulting, "the fault");
	__atomic_store_n(&may_map, true, __ATOMIC_SEQ_CST);
	wait_until_stuck(&mapping, "mmap");
}

/* Until it has said that it is stuck, and @seconds more. */
static void let_be_stuck(unsigned int seconds)
{
	int fuse = mount_here(), said[2];
	pid_t server = begin_server(fuse), stuck_one;
	char byte;

	check(!pipe2(said, O_CLOEXEC), "pipe");
	stuck_one = fork();
	check(stuck_one >= 0, "fork");
	if (!stuck_one) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		become_stuck();
		check(write(said[1], "", 1) == 1, "write");
		silent_burn();
	}
	close(said[1]);
	check(read(said[0], &byte, 1) == 1, "a child that was to be stuck");
	close(said[0]);
	sleep(seconds);
	/* The one that is stuck cannot die before its request has an answer, or no server. */
	kill(server, SIGKILL);
	kill(stuck_one, SIGKILL);
	check(waitpid(server, NULL, 0) == server && waitpid(stuck_one, NULL, 0) == stuck_one,
	      "waitpid");
	check(!umount2(PLACE, MNT_DETACH), "umount");
}

int main(int argc, char **argv)
{
	const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
	unsigned int seconds = argc > 1 ? (unsigned int)atoi(argv[1]) : 0;

	setvbuf(stdout, NULL, _IONBF, 0);
	check((!mkdir(PLACE, 0777) || errno == EEXIST) && !chmod(PLACE, 0777), PLACE);
	check(!setrlimit(RLIMIT_MEMLOCK, &unlimited), "setrlimit");
	become_nobody();
	if (seconds) {
		for (;;)
			let_be_stuck(seconds);
	}
	printf("server %d\n", begin_server(mount_here()));
	become_stuck();
	puts("stuck");
	silent_burn();
}

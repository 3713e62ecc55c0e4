// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program whose system calls are counted, or made to fail:
 *
 *	fail_call COUNTS - PROGRAM ARGUMENT...
 *	fail_call COUNTS NUMBER:N:ERRNO PROGRAM ARGUMENT...	the N-th call, from 1
 *	fail_call COUNTS NUMBER:N+:ERRNO PROGRAM ARGUMENT...	the N-th call and those after it
 *
 * COUNTS is a file for lines "NUMBER NAME ERRNO CALLS": how often a call was made, and an error
 * that it may have.  Calls of other processes are neither counted nor do they fail.
 *
 * It is the kernel that asks before each call (seccomp_unotify(2)), so calls are seen whoever makes
 * them: the C library in its own functions, raw calls, threads with all signals blocked.  A library
 * that is preloaded sees only what goes through names of the C library.
 *
 * Exit status: that of the program, 128 and the number of the signal that ended it, or 77 if the
 * kernel cannot do it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NUMBERS 1024
#define SKIPPED 77

/* Always asked for: the child makes it to wait until there is an answer. */
#define WAITING SYS_getpgid

/*
 * Calls that do not fail in practice, or after which the C library gives up by design, have no row:
 * futex, rt_sigreturn, exit and the like.  Nor has close(), which releases the descriptor also when
 * it fails: to refuse it would leave pipes open that a program has closed; nor brk(), which tells
 * its failure by another value than an errno.
 */
static const struct {
	int number;
	const char *name;
	int error;
} calls[] = {
#define CALL(name, error) {SYS_##name, #name, error}
	CALL(openat, EMFILE),
	CALL(openat2, EMFILE),
	CALL(read, EIO),
	CALL(pread64, EIO),
	CALL(readv, EIO),
	CALL(write, ENOSPC),
	CALL(pwrite64, ENOSPC),
	CALL(writev, ENOSPC),
	CALL(fstat, EIO),
	CALL(newfstatat, EACCES),
	CALL(statx, EACCES),
	CALL(statfs, EIO),
	CALL(fstatfs, EIO),
	CALL(lseek, EIO),
	CALL(mmap, ENOMEM),
	CALL(mprotect, ENOMEM),
	CALL(munmap, ENOMEM),
	CALL(mremap, ENOMEM),
	CALL(madvise, EAGAIN),
	CALL(msync, EIO),
	CALL(faccessat, EACCES),
	CALL(faccessat2, EACCES),
	CALL(getdents64, EIO),
	CALL(readlinkat, EACCES),
	CALL(mkdirat, ENOSPC),
	CALL(unlinkat, EIO),
	CALL(renameat, ENOSPC),
	CALL(renameat2, ENOSPC),
	CALL(linkat, EMLINK),
	CALL(symlinkat, ENOSPC),
	CALL(fchmod, EPERM),
	CALL(fchmodat, EPERM),
	CALL(fchown, EPERM),
	CALL(fchownat, EPERM),
	CALL(fchdir, EACCES),
	CALL(utimensat, EPERM),
	CALL(ftruncate, ENOSPC),
	CALL(fallocate, ENOSPC),
	CALL(fsync, EIO),
	CALL(fdatasync, EIO),
	CALL(syncfs, EIO),
	CALL(flock, ENOLCK),
	CALL(fcntl, ENOLCK),
	CALL(dup, EMFILE),
	CALL(dup3, EMFILE),
	CALL(pipe2, EMFILE),
	CALL(ioctl, EIO),
	CALL(perf_event_open, EMFILE),
	CALL(epoll_create1, EMFILE),
	CALL(epoll_ctl, ENOMEM),
	CALL(epoll_pwait, EIO),
	CALL(ppoll, ENOMEM),
	CALL(signalfd4, EMFILE),
	CALL(timerfd_create, EMFILE),
	CALL(timerfd_settime, EINVAL),
	CALL(eventfd2, EMFILE),
	CALL(socket, EMFILE),
	CALL(bind, ENOSPC),
	CALL(listen, EADDRINUSE),
	CALL(accept4, EMFILE),
	CALL(connect, ECONNREFUSED),
	CALL(sendto, EPIPE),
	CALL(recvfrom, EIO),
	CALL(sendmsg, EPIPE),
	CALL(recvmsg, EIO),
	CALL(setsockopt, ENOMEM),
	CALL(clone, EAGAIN),
	CALL(clone3, EAGAIN),
	CALL(wait4, ECHILD),
	CALL(waitid, ECHILD),
	CALL(kill, EPERM),
	CALL(setsid, EPERM),
	CALL(prlimit64, EPERM),
	CALL(prctl, EINVAL),
	CALL(sched_getaffinity, EINVAL),
	CALL(sched_setaffinity, EINVAL),
	CALL(getrandom, EAGAIN),
	CALL(uname, EFAULT),
	CALL(sysinfo, EFAULT),
	CALL(getrusage, EINVAL),
	CALL(getcwd, ENOENT),
	CALL(chdir, EACCES),
	CALL(rt_sigaction, EINVAL),
	CALL(setfsuid, EPERM),
	CALL(setfsgid, EPERM),
	CALL(capget, EPERM),
	CALL(seccomp, EINVAL),
	CALL(process_vm_readv, EPERM),
#ifdef SYS_open /* those of older architectures */
	CALL(open, EMFILE),
	CALL(stat, EACCES),
	CALL(lstat, EACCES),
	CALL(access, EACCES),
	CALL(mkdir, ENOSPC),
	CALL(rmdir, EIO),
	CALL(unlink, EIO),
	CALL(rename, ENOSPC),
	CALL(link, EMLINK),
	CALL(symlink, ENOSPC),
	CALL(readlink, EACCES),
	CALL(chmod, EPERM),
	CALL(chown, EPERM),
	CALL(lchown, EPERM),
	CALL(poll, ENOMEM),
	CALL(select, ENOMEM),
	CALL(epoll_wait, EIO),
	CALL(dup2, EMFILE),
	CALL(pipe, EMFILE),
	CALL(fork, EAGAIN),
	CALL(vfork, EAGAIN),
	CALL(time, EFAULT),
#endif
#undef CALL
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

static struct {
	int number; /* -1: none fails */
	unsigned long at;
	bool stays;
	int error;
} fault = {.number = -1};

static unsigned long counts[NUMBERS];
static pid_t program;

static void die(const char *what)
{
	perror(what);
	exit(SKIPPED);
}

static void forward(int number)
{
	kill(program, number);
}

/* ---- the program ---- */

/* Asks for one call, or for all that have a row.  Return: the descriptor of the questions. */
static int install(void)
{
	struct sock_filter filter[2 * CALLS + 4] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, WAITING, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
	};
	struct sock_fprog list = {.filter = filter};
	unsigned short n = 3;

	for (size_t i = 0; i < CALLS; i++) {
		if (fault.number >= 0 && fault.number != calls[i].number)
			continue;
		filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							   (uint32_t)calls[i].number, 0, 1);
		filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
							   SECCOMP_RET_USER_NOTIF);
	}
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	list.len = n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			    &list);
}

/* The parent takes the descriptor of the questions from a child that waits for its first answer. */
static int take_listener(int number)
{
	int of_child = (int)syscall(SYS_pidfd_open, program, 0), fd;

	if (of_child < 0)
		die("pidfd_open");
	do
		fd = (int)syscall(SYS_pidfd_getfd, of_child, number, 0);
	while (fd < 0 && errno == EBADF && !waitpid(program, NULL, WNOHANG));
	if (fd < 0)
		die("fail_call: the child's listener");
	close(of_child);
	return fd;
}

/* ---- answers ---- */

static bool is_of_program(pid_t thread)
{
	char path[64], line[128];
	bool is = false;
	FILE *in;

	if (thread == program)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/status", thread);
	in = fopen(path, "re");
	while (in && fgets(line, sizeof(line), in)) {
		if (!strncmp(line, "Tgid:", 5)) {
			is = atoi(line + 5) == program;
			break;
		}
	}
	if (in)
		fclose(in);
	return is;
}

static bool fails(int number)
{
	unsigned long n = ++counts[number];

	return number == fault.number && (n == fault.at || (fault.stays && n > fault.at));
}

static void answer(int listener, const struct seccomp_notif *question)
{
	struct seccomp_notif_resp reply = {
		.id = question->id,
		.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE,
	};
	int number = question->data.nr;

	if (number >= 0 && number < NUMBERS && is_of_program((pid_t)question->pid) &&
	    fails(number)) {
		reply.flags = 0;
		reply.error = -fault.error;
	}
	/* one that was killed meanwhile needs none */
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
}

static void serve(int listener)
{
	int of_child = (int)syscall(SYS_pidfd_open, program, 0);
	struct pollfd waiting[] = {
		{.fd = listener, .events = POLLIN},
		{.fd = of_child, .events = POLLIN},
	};

	while (!(waiting[1].revents & POLLIN)) {
		struct seccomp_notif question = {0};

		if (poll(waiting, 2, -1) < 0)
			continue;
		if ((waiting[0].revents & POLLIN) &&
		    !ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &question))
			answer(listener, &question);
	}
}

static void write_counts(const char *path)
{
	FILE *out = fopen(path, "we");

	if (!out)
		die(path);
	for (size_t i = 0; i < CALLS; i++) {
		if (counts[calls[i].number])
			fprintf(out, "%d %s %d %lu\n", calls[i].number, calls[i].name,
				calls[i].error, counts[calls[i].number]);
	}
	fclose(out);
}

static bool parse(const char *text)
{
	char *end;

	if (!strcmp(text, "-"))
		return true;
	fault.number = (int)strtol(text, &end, 10);
	fault.at = *end == ':' ? strtoul(end + 1, &end, 10) : 0;
	fault.stays = *end == '+';
	end += fault.stays;
	fault.error = *end == ':' ? atoi(end + 1) : 0;
	return fault.at && fault.error && fault.number >= 0 && fault.number < NUMBERS;
}

int main(int argc, char **argv)
{
	int number, listener, status;

	if (argc < 4 || !parse(argv[2])) {
		fputs("usage: fail_call COUNTS FAULT|- PROGRAM ARGUMENT...\n", stderr);
		return 2;
	}
	/* the number that the listener will have in the child */
	number = open("/dev/null", O_RDONLY | O_CLOEXEC);
	close(number);
	program = fork();
	if (program < 0)
		die("fork");
	if (!program) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (install() < 0) {
			perror("fail_call: seccomp");
			_exit(SKIPPED);
		}
		(void)getpgid(0); /* exec closes the listener: not before it was taken */
		execv(argv[3], argv + 3);
		_exit(127);
	}
	signal(SIGTERM, forward);
	signal(SIGINT, forward);
	listener = take_listener(number);
	serve(listener);
	if (waitpid(program, &status, 0) != program)
		die("waitpid");
	write_counts(argv[1]);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

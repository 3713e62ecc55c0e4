// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs a command that cannot set a set-user-ID or set-group-ID bit, as RestrictSUIDSGID= of systemd
 * has it: calls whose mode has one fail with EPERM.
 *
 *	no_setid COMMAND ARGUMENT...
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BITS 06000u

/* Refuses the system call of this number if argument @i, its mode, has one of the bits. */
#define REFUSE(number, i)                                                                          \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(number), 0, 4),                             \
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,                                                 \
			 (uint32_t)offsetof(struct seccomp_data, args[i])),                        \
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, BITS, 0, 1),                                  \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),                              \
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, nr))

int main(int argc, char **argv)
{
	static struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, nr)),
#ifdef SYS_chmod
		REFUSE(SYS_chmod, 1),
		REFUSE(SYS_mkdir, 1),
		REFUSE(SYS_open, 2),
#endif
		REFUSE(SYS_fchmod, 1),
		REFUSE(SYS_fchmodat, 2),
		REFUSE(SYS_mkdirat, 2),
		REFUSE(SYS_openat, 3),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {.len = sizeof(filter) / sizeof(filter[0]),
					   .filter = filter};

	if (argc < 2)
		return 2;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0)) {
		fprintf(stderr, "no_setid: %s\n", strerror(errno));
		return 2;
	}
	execvp(argv[1], argv + 1);
	fprintf(stderr, "no_setid: %s: %s\n", argv[1], strerror(errno));
	return 2;
}

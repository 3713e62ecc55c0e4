// SPDX-License-Identifier: GPL-2.0-or-later
/* System calls of a process that only reads files: see syscalls.h. */
#include "syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libop/base/array.h"

/* ---- files ---- */

/* What everybody may read, and code and debug files are in. */
static const char *const public[] = {"/usr", "/lib",  "/lib32", "/lib64",
				     "/bin", "/sbin", "/opt",	"/nix/store"};

#define READING (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)

static void allow_public(int rules)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(public); i++) {
		struct landlock_path_beneath_attr beneath = {
			.allowed_access = READING,
			.parent_fd = open(public[i], O_PATH | O_DIRECTORY | O_CLOEXEC)};

		if (beneath.parent_fd < 0)
			continue;
		syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
		close(beneath.parent_fd);
	}
}

/* Nothing is allowed: a set of rules without a rule, but for reading.  Kernels may lack Landlock.
 * Return: whether this one has it. */
static bool restrict_files(enum foreign_reading reading)
{
	const struct landlock_ruleset_attr all = {
		.handled_access_fs =
			(reading == FOREIGN_READS_PUBLIC ? READING : 0) |
			LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
			LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
			LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
			LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
			LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
			LANDLOCK_ACCESS_FS_MAKE_SYM,
	};
	int rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);
	bool restricted;

	if (rules < 0)
		return false;
	if (reading == FOREIGN_READS_PUBLIC)
		allow_public(rules);
	restricted = !syscall(SYS_landlock_restrict_self, rules, 0);
	close(rules);
	return restricted;
}

/* ---- system calls ---- */

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#ifdef MACHINE

/* Not the end of the process: libraries try what they can do without. */
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)

#define LOAD(field)                                                                                \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, (action))
/* Refuses the system call of this number; others go on behind it. */
#define REFUSE_CALL(number)                                                                        \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(number), 0, 1), RETURN(REFUSE)
/* The opposite. */
#define ALLOW(number)                                                                              \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(number), 0, 1), RETURN(SECCOMP_RET_ALLOW)
/* The same if no bit of @bits is in the low half of argument @i. */
#define ALLOW_WITHOUT(number, i, bits)                                                             \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(number), 0, 4), LOAD(args[i]),              \
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)(bits), 1, 0),                      \
		RETURN(SECCOMP_RET_ALLOW), RETURN(REFUSE)

static const struct sock_filter filter[] = {
	LOAD(arch),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0),
	RETURN(SECCOMP_RET_KILL_PROCESS),
	LOAD(nr),
	/* memory, the most frequent ones first */
	ALLOW(SYS_pread64), ALLOW(SYS_read), ALLOW(SYS_lseek), ALLOW(SYS_brk), ALLOW(SYS_munmap),
	ALLOW(SYS_mremap), ALLOW(SYS_madvise), ALLOW_WITHOUT(SYS_mmap, 2, 4 /* PROT_EXEC */),
	ALLOW_WITHOUT(SYS_mprotect, 2, 4),
	/* files that are there; the bits of openat2() are in memory, which Landlock makes up for */
	ALLOW(SYS_openat2), ALLOW_WITHOUT(SYS_openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC),
	ALLOW(SYS_close), ALLOW(SYS_fstat), ALLOW(SYS_fstatfs),
	ALLOW(SYS_newfstatat), ALLOW(SYS_statx), ALLOW(SYS_readlinkat), ALLOW(SYS_faccessat),
	ALLOW(SYS_getdents64), ALLOW(SYS_getcwd), ALLOW(SYS_fcntl), ALLOW(SYS_recvmsg),
	ALLOW(SYS_dup), ALLOW(SYS_dup3), ALLOW(SYS_memfd_create), ALLOW(SYS_write),
	ALLOW(SYS_writev), ALLOW(SYS_pwrite64), ALLOW(SYS_ftruncate),
#ifdef SYS_open
	ALLOW_WITHOUT(SYS_open, 1, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC), ALLOW(SYS_stat),
	ALLOW(SYS_lstat), ALLOW(SYS_readlink), ALLOW(SYS_access), ALLOW(SYS_dup2),
#endif
	/* what the C library asks for by the way; limits are read, not set */
	ALLOW(SYS_sysinfo), ALLOW(SYS_futex), ALLOW(SYS_getrandom), ALLOW(SYS_clock_gettime),
	ALLOW(SYS_getpid), ALLOW(SYS_gettid), ALLOW(SYS_geteuid),
	ALLOW(SYS_rt_sigprocmask), ALLOW(SYS_rt_sigreturn),
	ALLOW_WITHOUT(SYS_prlimit64, 2, UINT32_MAX), ALLOW(SYS_exit), ALLOW(SYS_exit_group),
	RETURN(REFUSE),
};

/* Of two filters, the one that allows less decides. */
static const struct sock_filter opens_nothing[] = {
	LOAD(nr),
	REFUSE_CALL(SYS_openat),
	REFUSE_CALL(SYS_openat2),
#ifdef SYS_open
	REFUSE_CALL(SYS_open),
#endif
	RETURN(SECCOMP_RET_ALLOW),
};

static int add_filter(const struct sock_filter *instructions, size_t n)
{
	const struct sock_fprog program = {.len = (unsigned short)n,
					   .filter = (struct sock_filter *)instructions};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static int filter_calls(enum foreign_reading reading, bool has_landlock)
{
	if (reading == FOREIGN_READS_PUBLIC && !has_landlock &&
	    add_filter(opens_nothing, OP_ARRAY_SIZE(opens_nothing)))
		return -1;
	return add_filter(filter, OP_ARRAY_SIZE(filter));
}

#else

static int filter_calls(enum foreign_reading reading, bool has_landlock)
{
	(void)has_landlock;
	errno = ENOSYS;
	return reading == FOREIGN_READS_ITS_OWN ? 0 : -1;
}

#endif

int foreign_filter_syscalls(enum foreign_reading reading)
{
	return filter_calls(reading, restrict_files(reading));
}

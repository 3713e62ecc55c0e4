// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of operations, and the process that does them.
 *
 * Errors are from errno(3)'s documented set for each: the kernel's own for a file without that
 * method, and what module/oprofilefs.h, buffer_file.c and core.h promise.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "board.h"
#include "operation.h"

/* An open of the buffer sets the profiler up; any open may meet a path that is not there. */
#define PATH_ERRORS ENOENT, ENOTDIR, EACCES, EPERM, EROFS
#define ALTERING_ERRORS PATH_ERRORS, EEXIST, EISDIR, EBUSY, EXDEV

/*
 * Weights: what takes the profiler up or down, or makes a process, costs ten thousand times what a
 * read does.  Two in a thousand operations are such; of those that may open, or write to, what does
 * as much there are not so many either.
 */
const struct operation operations[] = {
	/* open files */
	{ "open", 2000, true, op_open,
	  ERRNOS(PATH_ERRORS, EBUSY, EINVAL, EISDIR, ENOMEM, EEXIST, EOPNOTSUPP) },
	{ "close", 600, true, op_close, ERRNOS(EBADF) },
	{ "read", 6000, true, op_read, ERRNOS(EBADF, EINVAL, EFAULT, EAGAIN, EISDIR) },
	{ "pread", 800, true, op_pread, ERRNOS(EBADF, EINVAL, EFAULT, EAGAIN, EISDIR) },
	{ "readv", 400, true, op_readv, ERRNOS(EBADF, EINVAL, EFAULT, EAGAIN, EISDIR) },
	{ "write", 2000, true, op_write, ERRNOS(EBADF, EINVAL, EFAULT, EBUSY, ENOMEM) },
	{ "pwrite", 200, true, op_pwrite, ERRNOS(EBADF, EINVAL, EFAULT, EBUSY, ENOMEM) },
	{ "writev", 200, true, op_writev, ERRNOS(EBADF, EINVAL, EFAULT, EBUSY, ENOMEM) },
	{ "lseek", 1600, true, op_lseek, ERRNOS(EBADF, EINVAL, ENXIO, EOVERFLOW) },
	{ "poll", 1600, true, op_poll, ERRNOS(EINVAL) },
	{ "epoll", 400, true, op_epoll, ERRNOS(EBADF, EPERM) },
	{ "select", 400, true, op_select, ERRNOS(EBADF) },
	{ "ioctl", 1200, true, op_ioctl, ERRNOS(EBADF, ENOTTY, EINVAL, EFAULT, EPERM) },
	{ "image", 1600, true, op_image, ERRNOS(EBADF, ENOTTY, EINVAL, EFAULT) },
	{ "unwind", 1200, true, op_unwind, ERRNOS(EBADF, ENOTTY, EINVAL, EFAULT, ENOMEM, ENOSPC) },
	{ "mmap", 800, true, op_mmap, ERRNOS(EBADF, ENODEV, EACCES, EPERM, EINVAL) },
	{ "dup", 300, true, op_dup, ERRNOS(EBADF) },
	{ "dup2", 300, true, op_dup2, ERRNOS(EBADF) },
	{ "fcntl", 800, true, op_fcntl, ERRNOS(EBADF, EINVAL, EAGAIN, EACCES, EPERM, ENODEV) },
	{ "fstat", 400, true, op_fstat, ERRNOS(EBADF) },
	{ "ftruncate", 200, true, op_ftruncate, ERRNOS(EBADF, EINVAL, EFBIG, EISDIR) },
	{ "fallocate", 200, true, op_fallocate,
	  ERRNOS(EBADF, EINVAL, EOPNOTSUPP, EFBIG, EISDIR, ENODEV, EPERM) },
	{ "sendfile", 400, true, op_sendfile,
	  ERRNOS(EBADF, EINVAL, EAGAIN, EISDIR, EOVERFLOW) },
	{ "splice", 400, true, op_splice, ERRNOS(EBADF, EINVAL, EAGAIN, EISDIR) },
	{ "copy_range", 200, true, op_copy_range,
	  ERRNOS(EBADF, EINVAL, EXDEV, EISDIR, EOPNOTSUPP, EFBIG, EOVERFLOW) },
	{ "getdents", 600, true, op_getdents, ERRNOS(EBADF, ENOTDIR, ENOENT) },
	{ "flock", 200, true, op_flock, ERRNOS(EBADF, EAGAIN) },
	{ "fsync", 200, true, op_fsync, ERRNOS(EBADF, EINVAL) },
	{ "fchmod", 200, true, op_fchmod, ERRNOS(EBADF, EPERM, EROFS) },
	/* paths */
	{ "stat", 400, true, op_stat, ERRNOS(PATH_ERRORS) },
	{ "access", 200, true, op_access, ERRNOS(PATH_ERRORS) },
	{ "chmod", 200, true, op_chmod, ERRNOS(ALTERING_ERRORS) },
	{ "chown", 120, true, op_chown, ERRNOS(ALTERING_ERRORS) },
	{ "truncate", 200, true, op_truncate, ERRNOS(ALTERING_ERRORS, EINVAL, EFBIG) },
	{ "creat", 40, true, op_creat, ERRNOS(ALTERING_ERRORS, EINVAL) },
	{ "unlink", 200, true, op_unlink, ERRNOS(ALTERING_ERRORS) },
	{ "rename", 200, true, op_rename, ERRNOS(ALTERING_ERRORS, EINVAL, ENOTEMPTY) },
	{ "mkdir", 120, true, op_mkdir, ERRNOS(ALTERING_ERRORS) },
	{ "rmdir", 120, true, op_rmdir, ERRNOS(ALTERING_ERRORS, ENOTEMPTY, EINVAL) },
	{ "link", 120, true, op_link, ERRNOS(ALTERING_ERRORS) },
	{ "symlink", 120, true, op_symlink, ERRNOS(ALTERING_ERRORS) },
	{ "mknod", 120, true, op_mknod, ERRNOS(ALTERING_ERRORS) },
	{ "xattr", 200, true, op_xattr, ERRNOS(ALTERING_ERRORS, EOPNOTSUPP, ENODATA) },
	{ "statfs", 200, true, op_statfs, ERRNOS(PATH_ERRORS) },
	{ "chdir", 120, true, op_chdir, ERRNOS(PATH_ERRORS) },
	/* the profiler */
	{ "set", 400, true, op_set, ERRNOS(PATH_ERRORS, EINVAL, EBUSY) },
	{ "start", 16, true, op_start, ERRNOS(PATH_ERRORS, EINVAL, ENOMEM) },
	{ "dump", 20, true, op_dump, ERRNOS(PATH_ERRORS) },
	{ "stop", 6, false, op_stop, ERRNOS(PATH_ERRORS) },
	{ "buffer", 12, false, op_buffer, ERRNOS(PATH_ERRORS, EBUSY, EINVAL, ENOMEM) },
	{ "drain", 1200, false, op_drain, ERRNOS(EBADF, EINVAL, EAGAIN) },
	{ "wait", 2, false, op_wait, ERRNOS(EBADF, EINVAL, EINTR) },
	/* the file system and the module */
	{ "mount", 20, false, op_mount, ERRNOS(EPERM, ENODEV, EBUSY, EINVAL, ENOENT, ENOMEM) },
	{ "umount", 8, false, op_umount, ERRNOS(EPERM, EINVAL, EBUSY, ENOENT, EAGAIN) },
	{ "remount", 6, false, op_remount, ERRNOS(EPERM, EINVAL, EBUSY) },
	{ "bind", 2, false, op_bind, ERRNOS(EPERM, EINVAL, ENOENT, ENOTDIR, ELOOP) },
	{ "userns", 1, true, op_userns, ERRNOS(EPERM, EINVAL, ENODEV, ENOSPC) },
	{ "insmod", 3, false, op_insmod,
	  ERRNOS(EPERM, EEXIST, EBUSY, EINVAL, ENODEV, ENOENT, EOPNOTSUPP, ENOSPC, E2BIG) },
	{ "rmmod", 3, false, op_rmmod, ERRNOS(EPERM, ENOENT, EAGAIN, EBUSY) },
	{ "parameter", 120, true, op_parameter, ERRNOS(PATH_ERRORS, EINVAL, ERANGE, ENODEV) },
	/* the machine */
	{ "hotplug", 2, true, op_hotplug, ERRNOS(EACCES, EPERM, ENOENT, EBUSY, EINTR, EAGAIN) },
	{ "fork", 2, true, op_fork, ERRNOS(EAGAIN) },
	{ "kill", 2, false, op_kill, ERRNOS(EAGAIN) },
};

const unsigned int nr_operations = sizeof(operations) / sizeof(operations[0]);
_Static_assert(sizeof(operations) / sizeof(operations[0]) <= OPERATIONS_MAX, "OPERATIONS_MAX");

void describe(struct worker *worker, const char *format, ...)
{
	size_t used = strlen(worker->text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(worker->text + used, sizeof(worker->text) - used, format, arguments);
	va_end(arguments);
	/* Before it is done: this may be the last that is heard of it. */
	if (worker->number < PROCESSES_MAX) {
		struct process *process = &board->processes[worker->number];

		memcpy(process->past[process->done % HISTORY].text, worker->text,
		       sizeof(worker->text));
	}
}

static unsigned int draw_operation(struct worker *worker)
{
	unsigned int all = 0, at;

	for (unsigned int i = 0; i < nr_operations; i++)
		all += worker->calm && !operations[i].calm ? 0 : operations[i].weight;
	at = stream_below(&worker->stream, all);
	for (unsigned int i = 0;; i++) {
		unsigned int weight =
			worker->calm && !operations[i].calm ? 0 : operations[i].weight;

		if (at < weight)
			return i;
		at -= weight;
	}
}

static bool documented(const int *errors, int error)
{
	while (*errors && *errors != error)
		errors++;
	return !error || *errors;
}

static unsigned long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned long)now.tv_sec * 1000000000 + (unsigned long)now.tv_nsec;
}

void worker_step(struct worker *worker, unsigned int index)
{
	struct process *process = &board->processes[worker->number];
	struct past *past = &process->past[index % HISTORY];
	const struct operation *operation;
	unsigned long began;
	unsigned int kind;
	int error;

	worker->stream = stream_of(board->seed, board->round, worker->number, index);
	kind = draw_operation(worker);
	operation = &operations[kind];
	past->number = index;
	past->error = -1;
	worker->text[0] = 0;
	describe(worker, "%s", operation->name);

	began = now_ns();
	error = operation->run(worker);
	atomic_fetch_add(&board->nanoseconds[kind], now_ns() - began);
	past->error = error;
	if (error < 0 || error >= ERRNOS_MAX || !documented(operation->errors, error))
		board_wrong("%s: %s is not one of its errors", worker->text,
			    strerrorname_np(error) ?: "an unknown error");
	else
		atomic_fetch_add(&board->results[kind][error], 1);
	atomic_fetch_add(&board->done, 1);
	process->done = index + 1;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Operations on the file system, the module, CPUs and processes.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "board.h"
#include "operation.h"

#define OPROFILEFS_MAGIC 0x6f70726f

const char *module_path;

static int result(long returned) { return returned < 0 ? errno : 0; }

bool mounted_on(const char *root)
{
	struct statfs st;

	return !statfs(root, &st) && st.f_type == OPROFILEFS_MAGIC;
}

/* @usual: how often, in percent, the first */
static const char *draw_root(struct worker *worker, unsigned int usual)
{
	bool first = stream_chance(&worker->stream, usual);
	const char *root = roots[first ? 0 : 1 + stream_below(&worker->stream, ROOTS - 1)];

	describe(worker, " %s", root);
	return root;
}

int op_mount(struct worker *worker)
{
	static const unsigned long flags[] = { 0, 0, 0, MS_NOSUID | MS_NOEXEC | MS_NODEV,
					       MS_SYNCHRONOUS, MS_RDONLY };
	static const char *const options[] = { NULL, NULL, NULL, "", "mode=0777", "x", "\xff=,," };
	const char *root = draw_root(worker, 70);
	unsigned long flag = flags[stream_below(&worker->stream, 6)];
	const char *option = options[stream_below(&worker->stream, 7)];

	describe(worker, " flags %#lx options %s", flag, option ?: "none");
	return result(mount("fuzz", root, "oprofilefs", flag, option));
}

int op_umount(struct worker *worker)
{
	static const int flags[] = { 0, 0, MNT_DETACH, MNT_FORCE, MNT_EXPIRE, UMOUNT_NOFOLLOW };
	const char *root = draw_root(worker, 25);
	int flag = flags[stream_below(&worker->stream, 6)];

	describe(worker, " flags %d", flag);
	return result(umount2(root, flag));
}

int op_remount(struct worker *worker)
{
	const char *root = draw_root(worker, 50);
	bool read_only = stream_chance(&worker->stream, 20);

	describe(worker, read_only ? " read-only" : " writable");
	if (!mounted_on(root))
		return EINVAL;
	return result(mount(NULL, root, NULL, MS_REMOUNT | (read_only ? MS_RDONLY : 0), NULL));
}

int op_bind(struct worker *worker)
{
	bool move = stream_chance(&worker->stream, 30);
	const char *to = roots[1 + stream_below(&worker->stream, 2)];

	describe(worker, " %s %s", move ? "moved to" : "also at", to);
	if (!mounted_on(roots[0]))
		return EINVAL;
	return result(mount(roots[0], to, NULL, move ? MS_MOVE : MS_BIND, NULL));
}

/* What a child did, as its exit status. */
static int outcome(pid_t child)
{
	int status;

	if (child < 0)
		return errno;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

int op_userns(struct worker *worker)
{
	pid_t child = fork();

	if (child)
		return outcome(child);
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		_exit(errno);
	if (!mount("fuzz", roots[2], "oprofilefs", 0, NULL))
		board_wrong("%s: mounted from a user namespace", worker->text);
	_exit(errno);
}

int module_load(const char *parameters)
{
	int fd = open(module_path, O_RDONLY | O_CLOEXEC);
	int error;

	if (fd < 0)
		return errno;
	error = result(syscall(SYS_finit_module, fd, parameters, 0));
	close(fd);
	return error;
}

int module_unload(void) { return result(syscall(SYS_delete_module, "oprofile", O_NONBLOCK)); }

int op_insmod(struct worker *worker)
{
	static char long_name[1100] = "backend=";
	static const char *const parameters[] = {
		"", "", "backend=nmi_timer", "backend=nmi_timer", "backend=timer",
		"backend=timer", "backend=x86", "backend=perf", "backend=", "backend=nosuch",
		"backend=\"a b\"", "backend", "cpu_time_max_percent=0",
		"cpu_time_max_percent=100", "cpu_time_max_percent=101",
		"cpu_time_max_percent=-1", "cpu_time_max_percent=x",
		"backend=timer backend=nmi_timer", "nosuch=1", long_name,
	};
	const char *parameter = parameters[stream_below(
		&worker->stream, sizeof(parameters) / sizeof(parameters[0]))];

	memset(long_name + 8, 'x', sizeof(long_name) - 9);
	describe(worker, " %.40s", parameter);
	return module_load(parameter);
}

int op_rmmod(struct worker *worker)
{
	(void)worker;
	return module_unload();
}

static int write_file(const char *path, const char *text, size_t length)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int error;

	if (fd < 0)
		return errno;
	error = result(write(fd, text, length));
	close(fd);
	return error;
}

int op_parameter(struct worker *worker)
{
	bool backend = stream_chance(&worker->stream, 20);
	size_t length;
	const char *text = draw_text(worker, &length);

	return write_file(backend ? "/sys/module/oprofile/parameters/backend" :
				    "/sys/module/oprofile/parameters/cpu_time_max_percent",
			  text, length);
}

int op_hotplug(struct worker *worker)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	unsigned int cpu = 1 + stream_below(&worker->stream, cpus > 1 ? (unsigned int)cpus - 1 : 1);
	bool up = stream_chance(&worker->stream, 60);
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	describe(worker, " CPU %u %s", cpu, up ? "up" : "down");
	return write_file(path, up ? "1" : "0", 1);
}

/* With copies of all open files, and with nothing said of how it went. */
static void act_as_child(struct worker *worker, unsigned int steps)
{
	static int (*const some[])(struct worker *) = { op_read,  op_write, op_lseek, op_poll,
							op_image, op_dup,   op_close, op_fcntl };

	worker->number = PROCESSES_MAX;
	while (steps--) {
		worker->text[0] = 0;
		some[stream_below(&worker->stream, 8)](worker);
	}
	_exit(0);
}

int op_fork(struct worker *worker)
{
	unsigned int steps = 1 + stream_below(&worker->stream, 30);
	pid_t child = fork();

	if (!child)
		act_as_child(worker, steps);
	return outcome(child);
}

/* Reads as the daemon does, until it is killed. */
static void act_as_daemon(struct worker *worker, bool alone)
{
	struct slot *slot = &worker->slots[0];

	worker->number = PROCESSES_MAX;
	if (alone) {
		for (int i = 0; i < SLOTS; i++)
			slot_close(&worker->slots[i]);
		worker->text[0] = 0;
		op_buffer(worker);
		put("enable", "1", 1);
	}
	for (int i = 0; i < SLOTS; i++)
		if (worker->slots[i].kind == KIND_BUFFER)
			slot = &worker->slots[i];
	fcntl(slot->fd, F_SETFL, 0);
	for (;;) {
		size_t size = buffer_words() * 8;

		if (read(slot->fd, worker->memory, size > MEMORY ? MEMORY : size) < 0)
			put("dump", "1", 1);
	}
}

int op_kill(struct worker *worker)
{
	struct timespec life = { 0, stream_below(&worker->stream, 30000000) };
	bool alone = stream_chance(&worker->stream, 60);
	pid_t child;

	describe(worker, "%s after %ld us", alone ? " a daemon" : "", life.tv_nsec / 1000);
	child = fork();
	if (!child)
		act_as_daemon(worker, alone);
	if (child < 0)
		return errno;
	nanosleep(&life, NULL);
	kill(child, SIGKILL);
	return outcome(child);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libopagent: part of other programs, so it needs nothing but the C library, prints nothing, and
 * ends nobody.
 */
#include "opagent.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "jitdump.h"
#include "libop/foreign/limits.h"

#define DEFAULT_DIR "/tmp"

struct agent {
	pthread_mutex_t lock; /* of the fields below */
	int fd;
	uint64_t size; /* of the file: what was written whole */
	uint64_t index;
	pid_t pid;  /* who opened it; constant */
	void *mark; /* constant */
	size_t mark_size;
};

int op_major_version(void)
{
	return 1;
}

int op_minor_version(void)
{
	return 0;
}

static int agent_fail(int number)
{
	errno = number;
	return -1;
}

static uint64_t agent_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* The machine whose code this process executes. */
static uint32_t machine(void)
{
#if defined(__x86_64__)
	return EM_X86_64;
#elif defined(__i386__)
	return EM_386;
#elif defined(__aarch64__)
	return EM_AARCH64;
#else
	return EM_NONE;
#endif
}

/* ---- the file ---- */

static bool is_left_over(const char *path)
{
	struct stat status;

	return !lstat(path, &status) && S_ISREG(status.st_mode) && status.st_uid == geteuid();
}

static int create(const char *path)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(path, flags, 0600);

	if (fd >= 0 || errno != EEXIST)
		return fd;
	if (!is_left_over(path) || unlink(path))
		return agent_fail(EEXIST);
	return open(path, flags, 0600);
}

static int agent_open_file(pid_t pid)
{
	const char *dir = secure_getenv("OPROFILE_JIT_DIR");
	char *path;
	int fd, error;

	if (asprintf(&path, "%s/jit-%d.dump", dir && *dir ? dir : DEFAULT_DIR, (int)pid) < 0)
		return agent_fail(ENOMEM);
	fd = create(path);
	error = errno;
	free(path);
	errno = error;
	return fd;
}

/* Writes a record whole, or leaves the file as it was.  Called with the lock held. */
static int agent_append(struct agent *agent, const struct iovec *parts, int n)
{
	uint64_t length = 0;
	ssize_t written;
	int error;

	for (int i = 0; i < n; i++)
		length += parts[i].iov_len;
	if (length > FOREIGN_JIT_DUMP_MOST - agent->size)
		return agent_fail(EFBIG);
	written = pwritev(agent->fd, parts, n, (off_t)agent->size);
	if (written >= 0 && (uint64_t)written == length) {
		agent->size += length;
		return 0;
	}
	error = written < 0 ? errno : ENOSPC;
	/* readers stop at a record that has no end */
	if (ftruncate(agent->fd, (off_t)agent->size))
		error = errno;
	return agent_fail(error);
}

/* perf finds the file by an executable mapping of it.  Not where it may not be executed. */
static void make_mark(struct agent *agent)
{
	agent->mark_size = (size_t)sysconf(_SC_PAGESIZE);
	agent->mark =
		mmap(NULL, agent->mark_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, agent->fd, 0);
	if (agent->mark == MAP_FAILED)
		agent->mark = NULL;
}

op_agent_t op_open_agent(void)
{
	struct agent *agent = calloc(1, sizeof(*agent));
	struct jitdump_head head = {
		.magic = JITDUMP_MAGIC,
		.version = JITDUMP_VERSION,
		.size = sizeof(head),
		.elf_machine = machine(),
		.pid = (uint32_t)getpid(),
		.time = agent_now(),
	};
	const struct iovec part = {&head, sizeof(head)};

	if (!agent)
		return NULL;
	pthread_mutex_init(&agent->lock, NULL);
	agent->pid = getpid();
	agent->fd = agent_open_file(agent->pid);
	if (agent->fd < 0 || agent_append(agent, &part, 1)) {
		int error = errno;

		if (agent->fd >= 0)
			close(agent->fd);
		free(agent);
		errno = error;
		return NULL;
	}
	make_mark(agent);
	return agent;
}

/* As agent_append(), of any thread. */
static int append_locked(struct agent *agent, const struct iovec *parts, int n)
{
	int result;

	if (agent->pid != getpid())
		return agent_fail(ESTALE);
	pthread_mutex_lock(&agent->lock);
	result = agent_append(agent, parts, n);
	pthread_mutex_unlock(&agent->lock);
	return result;
}

int op_close_agent(op_agent_t handle)
{
	struct agent *agent = handle;
	struct jitdump_record close_record = {JITDUMP_CLOSE, sizeof(close_record), agent_now()};
	const struct iovec part = {&close_record, sizeof(close_record)};
	int result, error;

	if (!agent)
		return agent_fail(EINVAL);
	result = agent->pid == getpid() ? append_locked(agent, &part, 1) : 0;
	error = errno;
	if (agent->mark)
		munmap(agent->mark, agent->mark_size);
	if (close(agent->fd) && !result) {
		error = errno;
		result = -1;
	}
	pthread_mutex_destroy(&agent->lock);
	free(agent);
	errno = error;
	return result;
}

/* ---- records ---- */

int op_write_native_code(op_agent_t handle, const char *symbol_name, uint64_t vma, const void *code,
			 unsigned int size)
{
	struct agent *agent = handle;
	struct jitdump_load load = {
		.record = {.id = JITDUMP_LOAD, .time = agent_now()},
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)gettid(),
		.vma = vma,
		.code_address = vma,
		.code_size = size,
	};
	uint64_t length;
	void *zeros = NULL;
	int result;

	if (!agent || !symbol_name || !size || vma > UINT64_MAX - size)
		return agent_fail(EINVAL);
	length = sizeof(load) + strlen(symbol_name) + 1 + size;
	if (length > FOREIGN_JIT_DUMP_MOST)
		return agent_fail(EFBIG);
	if (!code)
		code = zeros = calloc(1, size);
	if (!code)
		return agent_fail(ENOMEM);
	load.record.size = (uint32_t)length;
	load.index = __atomic_fetch_add(&agent->index, 1, __ATOMIC_RELAXED);
	result =
		append_locked(agent,
			      (const struct iovec[]){{&load, sizeof(load)},
						     {(void *)symbol_name, strlen(symbol_name) + 1},
						     {(void *)code, size}},
			      3);
	free(zeros);
	return result;
}

/* Return: bytes of the lines in the record, or 0: one has no file name. */
static uint64_t lines_size(const struct debug_line_info *lines, size_t n)
{
	uint64_t size = 0;

	for (size_t i = 0; i < n; i++) {
		if (!lines[i].filename)
			return 0;
		size += sizeof(struct jitdump_line) + strlen(lines[i].filename) + 1;
	}
	return size;
}

static void agent_put_lines(uint8_t *to, const struct debug_line_info *lines, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct jitdump_line line = {lines[i].vma, lines[i].lineno, 0};
		size_t length = strlen(lines[i].filename) + 1;

		memcpy(to, &line, sizeof(line));
		memcpy(to + sizeof(line), lines[i].filename, length);
		to += sizeof(line) + length;
	}
}

int op_write_debug_line_info(op_agent_t handle, const void *code, size_t nr_entry,
			     const struct debug_line_info *compile_map)
{
	struct agent *agent = handle;
	struct jitdump_lines lines = {
		.record = {.id = JITDUMP_LINES, .time = agent_now()},
		.code_address = (uintptr_t)code,
		.n = nr_entry,
	};
	uint64_t size;
	uint8_t *bytes;
	int result;

	if (!agent || !code || (nr_entry && !compile_map))
		return agent_fail(EINVAL);
	if (!nr_entry)
		return 0;
	size = lines_size(compile_map, nr_entry);
	if (!size)
		return agent_fail(EINVAL);
	if (size > FOREIGN_JIT_DUMP_MOST)
		return agent_fail(EFBIG);
	bytes = malloc(size);
	if (!bytes)
		return agent_fail(ENOMEM);
	agent_put_lines(bytes, compile_map, nr_entry);
	lines.record.size = (uint32_t)(sizeof(lines) + size);
	result = append_locked(agent,
			       (const struct iovec[]){{&lines, sizeof(lines)}, {bytes, size}}, 2);
	free(bytes);
	return result;
}

int op_unload_native_code(op_agent_t handle, uint64_t vma)
{
	(void)vma;
	return handle ? 0 : agent_fail(EINVAL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Operations on open files.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "board.h"
#include "module/uapi/oprofile.h"
#include "module/uapi/unwind.h"
#include "operation.h"
#include "words.h"

static int result(long returned) { return returned < 0 ? errno : 0; }

static void *draw_address(struct worker *worker, void *good)
{
	unsigned int which = stream_below(&worker->stream, 40);

	switch (which) {
	case 0: describe(worker, " at NULL"); return NULL;
	case 1: describe(worker, " at 1"); return (void *)1;
	case 2: describe(worker, " at -1"); return (void *)-1;
	case 3: describe(worker, " at kernel"); return (void *)0xffffffff81000000;
	case 4: describe(worker, " at edge"); return worker->memory + MEMORY - 4;
	default: return good;
	}
}

static size_t draw_size(struct worker *worker, const struct slot *slot)
{
	static const size_t sizes[] = { 0, 1, 7, 8, 23, 24, 4096, 65536, MEMORY,
					(size_t)1 << 31, SIZE_MAX };
	unsigned int which = stream_below(&worker->stream, 16);
	unsigned long words = 0;
	size_t size = 64;

	if (which < sizeof(sizes) / sizeof(sizes[0]))
		size = sizes[which];
	else if (slot->kind == KIND_BUFFER && tree_number(roots[0], "buffer_size", &words))
		size = words * sizeof(uint64_t); /* if it was not changed since */
	describe(worker, " size %zu", size);
	/* What is read goes to memory; the rest is the kernel's to refuse. */
	return size > MEMORY && size < SIZE_MAX / 2 ? MEMORY : size;
}

static off_t draw_offset(struct worker *worker)
{
	static const off_t offsets[] = { 0, 0, 0, 1, 8, 4096, -1, INT64_MAX, INT64_MIN,
					 1L << 40 };
	off_t offset = offsets[stream_below(&worker->stream,
					    sizeof(offsets) / sizeof(offsets[0]))];

	describe(worker, " offset %ld", (long)offset);
	return offset;
}

void judge_buffer(struct worker *worker, int fd, size_t size)
{
	static struct oprofile_image image;
	struct words words;
	const char *wrong;
	size_t at;

	if (size % sizeof(uint64_t)) {
		board_wrong("%s: %zu bytes are not whole words", worker->text, size);
		return;
	}
	wrong = words_read((uint64_t *)worker->memory, size / sizeof(uint64_t), &words, &at);
	if (wrong)
		board_wrong("%s: word %zu of %zu: %s", worker->text, at,
			    size / sizeof(uint64_t), wrong);
	atomic_fetch_add(&board->samples, words.samples);
	atomic_fetch_add(&board->buffers, 1);
	if (!words.cookie)
		return;
	image.cookie = words.cookie;
	if (ioctl(fd, OPROFILE_IOC_IMAGE, &image))
		board_wrong("%s: the cookie %llu of the buffer is not known: %s", worker->text,
			    (unsigned long long)words.cookie, strerrorname_np(errno));
	else if (image.path_size != strlen(image.path) + 1 ||
		 image.build_id_size > OPROFILE_BUILD_ID_MAX)
		board_wrong("%s: the image of cookie %llu is damaged", worker->text,
			    (unsigned long long)words.cookie);
}

/* What a file that was read without an error may hold. */
static void judge_read(struct worker *worker, const struct slot *slot, const void *at, ssize_t n)
{
	const char *text = at;

	if (n < 0 && slot->kind != KIND_BUFFER && errno == EAGAIN)
		board_wrong("%s: EAGAIN is the buffer's error only", worker->text);
	if (n <= 0 || at != worker->memory)
		return;
	switch (slot->kind) {
	case KIND_BUFFER:
		judge_buffer(worker, slot->fd, (size_t)n);
		break;
	case KIND_SETTING:
	case KIND_STATISTIC:
	case KIND_ENABLE:
		for (ssize_t i = 0; i < n; i++)
			if ((text[i] < '0' || text[i] > '9') && text[i] != '\n') {
				board_wrong("%s: not a number", worker->text);
				break;
			}
		break;
	case KIND_DUMP:
		board_wrong("%s: dump could be read", worker->text);
		break;
	default:
		break;
	}
}

/* A read that would wait for ever is interrupted by these. */
static void ticks(bool on)
{
	struct itimerval timer = { { 0, on ? 10000 : 0 }, { 0, on ? 10000 : 0 } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

static ssize_t guarded(const struct slot *slot, long number, int fd, void *at, size_t size,
		       off_t offset)
{
	ssize_t n;

	if (slot->blocking)
		ticks(true);
	n = syscall(number, fd, at, size, offset);
	if (slot->blocking) {
		int error = errno;

		ticks(false);
		errno = n < 0 && error == EINTR ? EAGAIN : error;
	}
	return n;
}

static int read_by(struct worker *worker, long number, bool with_offset)
{
	struct slot *slot = draw_slot(worker);
	void *at = draw_address(worker, worker->memory);
	size_t size = draw_size(worker, slot);
	off_t offset = with_offset ? draw_offset(worker) : 0;
	ssize_t n;
	int error;

	n = guarded(slot, number, slot->fd, at, size, offset);
	error = result(n);
	judge_read(worker, slot, at, n);
	return error;
}

int op_read(struct worker *worker) { return read_by(worker, SYS_read, false); }
int op_pread(struct worker *worker) { return read_by(worker, SYS_pread64, true); }

int op_readv(struct worker *worker)
{
	struct slot *slot = draw_slot(worker);
	struct iovec parts[3] = {
		{ worker->memory, 3 },
		{ draw_address(worker, worker->memory + 3), 5 },
		{ worker->memory + 8, draw_size(worker, slot) % MEMORY },
	};

	if (slot->blocking)
		return 0;
	return result(readv(slot->fd, parts, 3));
}

/* What must not be written while the accounts are kept: "enable" would stop them. */
static bool barred(const struct worker *worker, const struct slot *slot)
{
	return worker->calm && slot->kind == KIND_ENABLE;
}

static int write_by(struct worker *worker, long number, bool with_offset)
{
	struct slot *slot = draw_slot(worker);
	size_t length, size;
	const char *text = draw_text(worker, &length);
	const void *at = draw_address(worker, (void *)text);
	off_t offset = with_offset ? draw_offset(worker) : 0;
	bool huge = stream_chance(&worker->stream, 3);
	int error;

	size = huge ? MEMORY : length;
	if (huge)
		at = worker->memory;
	if (barred(worker, slot))
		return 0;
	error = result(syscall(number, slot->fd, at, size, offset));
	if (error == ENOMEM && slot->kind == KIND_SETTING)
		board_wrong("%s: a setting needs no memory", worker->text);
	if (!error && slot->kind == KIND_STATISTIC)
		board_wrong("%s: a statistic could be written", worker->text);
	return error;
}

int op_write(struct worker *worker) { return write_by(worker, SYS_write, false); }
int op_pwrite(struct worker *worker) { return write_by(worker, SYS_pwrite64, true); }

int op_writev(struct worker *worker)
{
	struct slot *slot = draw_slot(worker);
	size_t length;
	const char *text = draw_text(worker, &length);
	struct iovec parts[2] = { { (void *)text, length },
				  { draw_address(worker, (void *)text), length } };

	if (barred(worker, slot))
		return 0;
	return result(writev(slot->fd, parts, 2));
}

int op_close(struct worker *worker)
{
	struct slot *slot = draw_slot(worker);
	bool open = slot->fd >= 0;

	slot_close(slot);
	return open ? 0 : EBADF;
}

/* As somebody would who means it. */
static const int usual_flags[NR_KINDS] = {
	[KIND_DIRECTORY] = O_RDONLY | O_DIRECTORY,
	[KIND_BUFFER] = O_RDONLY | O_NONBLOCK,
	[KIND_ENABLE] = O_RDWR,
	[KIND_DUMP] = O_WRONLY,
	[KIND_SETTING] = O_RDWR,
};

int op_open(struct worker *worker)
{
	static const int flags[] = { O_RDONLY, O_WRONLY, O_RDWR, O_RDONLY | O_NONBLOCK,
				     O_WRONLY | O_TRUNC, O_WRONLY | O_APPEND, O_RDONLY | O_DIRECT,
				     O_PATH, O_RDWR | O_CREAT, O_RDONLY | O_SYNC };
	struct slot *slot = draw_free_slot(worker);
	int flag = flags[stream_below(&worker->stream, sizeof(flags) / sizeof(flags[0]))];
	bool usual = stream_chance(&worker->stream, 75);
	const struct entry *entry;
	char path[128];
	int fd;

	entry = draw_path(worker, path, sizeof(path));
	if (usual)
		flag = usual_flags[entry->kind];
	describe(worker, " flags %o", (unsigned int)flag);
	fd = open(path, flag | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	slot_set(slot, fd, entry->kind, entry->kind == KIND_BUFFER && !(flag & O_NONBLOCK));
	return 0;
}

int op_lseek(struct worker *worker)
{
	struct slot *slot = draw_slot(worker);
	int whence = (int)stream_below(&worker->stream, 7);

	return result(lseek(slot->fd, draw_offset(worker), whence));
}

int op_poll(struct worker *worker)
{
	struct slot *slot = draw_slot(worker);
	struct pollfd file = { slot->fd, (short)stream_next(&worker->stream), 0 };

	return result(poll(&file, 1, 0));
}

int op_epoll(struct worker *worker)
{
	struct slot *slot = draw_slot(worker);
	struct epoll_event event = { (uint32_t)stream_next(&worker->stream) & ~EPOLLWAKEUP &
					     ~EPOLLEXCLUSIVE, { 0 } };
	int set = epoll_create1(EPOLL_CLOEXEC);
	int error;

	error = result(epoll_ctl(set, EPOLL_CTL_ADD, slot->fd, &event));
	if (!error)
		error = result(epoll_wait(set, &event, 1, 0));
	/* Some close the file first. */
	if (stream_chance(&worker->stream, 20))
		slot_close(slot);
	close(set);
	return error;
}

int op_select(struct worker *worker)
{
	struct slot *slot = draw_slot(worker);
	struct timeval none = { 0, 0 };
	fd_set readable, special;

	if (slot->fd < 0)
		return EBADF;
	FD_ZERO(&readable);
	FD_SET(slot->fd, &readable);
	special = readable;
	return result(select(slot->fd + 1, &readable, NULL, &special, &none));
}

/* A file's O_NONBLOCK was changed, and so that of its copies in other slots. */
static void may_block(struct worker *worker)
{
	for (int i = 0; i < SLOTS; i++)
		if (worker->slots[i].kind == KIND_BUFFER)
			worker->slots[i].blocking = true;
}

int op_ioctl(struct worker *worker)
{
	static const unsigned long commands[] = { 0, 1, OPROFILE_IOC_IMAGE + 1,
						  OPROFILE_IOC_IMAGE & 0xffff, FIONREAD,
						  OPROFILE_IOC_UNWIND,
						  OPROFILE_IOC_UNWIND_WANTED,
						  FIGETBSZ, FIONBIO, FIBMAP, ~0UL,
						  0x5401 /* TCGETS */ };
	struct slot *slot = draw_slot(worker);
	unsigned long command = commands[stream_below(
		&worker->stream, sizeof(commands) / sizeof(commands[0]))];
	void *at = draw_address(worker, worker->memory);
	int error;

	describe(worker, " command %#lx", command);
	memset(worker->memory, 1, 4); /* FIONBIO: do not wait */
	error = result(syscall(SYS_ioctl, slot->fd, command, at));
	if (command == FIONBIO && !error)
		may_block(worker); /* whatever was at that address */
	return error;
}

int op_image(struct worker *worker)
{
	static const uint64_t cookies[] = { 0, 1, 2, 3, 10, 1000, UINT32_MAX,
					    (uint64_t)UINT32_MAX + 1, OPROFILE_INVALID_COOKIE };
	struct slot *slot = draw_slot(worker);
	struct oprofile_image *image = draw_address(worker, worker->memory);

	memset(worker->memory, 0xa5, sizeof(*image));
	((struct oprofile_image *)worker->memory)->cookie = cookies[stream_below(
		&worker->stream, sizeof(cookies) / sizeof(cookies[0]))];
	return result(ioctl(slot->fd, OPROFILE_IOC_IMAGE, image));
}

/* A table that is valid but for some bytes, for an image that there may be. */
int op_unwind(struct worker *worker)
{
	struct slot *slot = draw_slot(worker);
	struct unwind_table *table = (struct unwind_table *)worker->memory;
	struct oprofile_unwind unwind = {.cookie = 1 + stream_below(&worker->stream, 40)};
	struct unwind_row *rows;

	memset(worker->memory, 0, 4096);
	table->magic = UNWIND_MAGIC;
	table->version = UNWIND_VERSION;
	table->pages = (uint32_t)stream_below(&worker->stream, 40);
	table->rows = (uint32_t)stream_below(&worker->stream, 400);
	rows = (struct unwind_row *)unwind_table_rows(table);
	for (uint32_t i = 0; i < table->rows; i++) {
		rows[i].at = (uint16_t)(i * 128);
		rows[i].cfa_in = (uint8_t)stream_below(&worker->stream, UNWIND_OTHER + 1);
		rows[i].fp_in = (uint8_t)stream_below(&worker->stream, UNWIND_FP_LOST + 1);
		rows[i].cfa = (int16_t)stream_below(&worker->stream, 8);
		rows[i].fp = (int16_t)-stream_below(&worker->stream, 8);
	}
	for (uint32_t i = 1; i <= table->pages; i++)
		table->index[i] = table->rows;
	unwind.table = (uintptr_t)draw_address(worker, worker->memory);
	unwind.size = unwind_table_size(table);
	unwind.owner = (uint32_t)stream_below(&worker->stream, 4);
	for (uint64_t n = stream_below(&worker->stream, 3); n; n--)
		((uint8_t *)table)[stream_below(&worker->stream, unwind.size)] ^=
			(uint8_t)(1u << stream_below(&worker->stream, 8));
	return result(ioctl(slot->fd, OPROFILE_IOC_UNWIND, &unwind));
}

int op_mmap(struct worker *worker)
{
	struct slot *slot = draw_slot(worker);
	int protection = (int)stream_below(&worker->stream, 8);
	bool shared = stream_chance(&worker->stream, 50);
	void *at = mmap(NULL, 4096, protection, shared ? MAP_SHARED : MAP_PRIVATE, slot->fd, 0);

	if (at == MAP_FAILED)
		return errno;
	if (slot->kind != KIND_FOREIGN)
		board_wrong("%s: it could be mapped", worker->text);
	return result(munmap(at, 4096));
}

int op_dup(struct worker *worker)
{
	struct slot *from = draw_slot(worker), *to = draw_slot(worker);
	int fd = fcntl(from->fd, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return errno;
	if (from == to)
		return result(close(fd));
	slot_set(to, fd, from->kind, from->blocking);
	return 0;
}

int op_dup2(struct worker *worker)
{
	struct slot *from = draw_slot(worker), *to = draw_slot(worker);

	if (from->fd < 0 || to->fd < 0)
		return EBADF;
	if (from == to)
		return 0;
	if (dup3(from->fd, to->fd, O_CLOEXEC) < 0)
		return errno;
	to->kind = from->kind;
	to->blocking = from->blocking;
	return 0;
}

int op_fcntl(struct worker *worker)
{
	static const int flags[] = { 0, O_NONBLOCK, O_APPEND, O_ASYNC, O_DIRECT, O_NOATIME };
	struct slot *slot = draw_slot(worker);
	int flag = flags[stream_below(&worker->stream, sizeof(flags) / sizeof(flags[0]))];
	bool get = stream_chance(&worker->stream, 30);

	if (get)
		return result(fcntl(slot->fd, F_GETFL));
	if (fcntl(slot->fd, F_SETFL, flag) < 0)
		return errno;
	may_block(worker);
	return 0;
}

int op_fstat(struct worker *worker)
{
	struct slot *slot = draw_slot(worker);
	struct stat st;

	return result(fstat(slot->fd, &st));
}

int op_ftruncate(struct worker *worker)
{
	struct slot *slot = draw_slot(worker);

	return result(ftruncate(slot->fd, draw_offset(worker)));
}

int op_fallocate(struct worker *worker)
{
	struct slot *slot = draw_slot(worker);

	return result(fallocate(slot->fd, (int)stream_below(&worker->stream, 4),
				draw_offset(worker), 4096));
}

int op_sendfile(struct worker *worker)
{
	struct slot *from = draw_slot(worker), *to = draw_slot(worker);

	if (from->blocking || barred(worker, to))
		return 0;
	return result(sendfile(to->fd, from->fd, NULL, 4096));
}

int op_splice(struct worker *worker)
{
	struct slot *slot = draw_slot(worker);
	bool in = stream_chance(&worker->stream, 50);
	int ends[2], error;

	if (slot->blocking || barred(worker, slot))
		return 0;
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return errno;
	if (write(ends[1], "1", 1) != 1)
		board_wrong("%s: a pipe that takes nothing", worker->text);
	error = result(in ? splice(ends[0], NULL, slot->fd, NULL, 1, SPLICE_F_NONBLOCK) :
			    splice(slot->fd, NULL, ends[1], NULL, 64, SPLICE_F_NONBLOCK));
	close(ends[0]);
	close(ends[1]);
	return error;
}

int op_copy_range(struct worker *worker)
{
	struct slot *from = draw_slot(worker), *to = draw_slot(worker);

	if (from->blocking || barred(worker, to))
		return 0;
	return result(copy_file_range(from->fd, NULL, to->fd, NULL, 64, 0));
}

int op_getdents(struct worker *worker)
{
	struct slot *slot = draw_slot(worker);

	return result(syscall(SYS_getdents64, slot->fd, worker->memory, MEMORY));
}

int op_flock(struct worker *worker)
{
	struct slot *slot = draw_slot(worker);
	bool lock = stream_chance(&worker->stream, 50);

	return result(flock(slot->fd, lock ? LOCK_EX | LOCK_NB : LOCK_UN));
}

int op_fsync(struct worker *worker)
{
	struct slot *slot = draw_slot(worker);

	return result(fsync(slot->fd));
}

int op_fchmod(struct worker *worker)
{
	struct slot *slot = draw_slot(worker);
	mode_t mode = slot->kind == KIND_DIRECTORY ? 0700 : 0600;

	return result(fchmod(slot->fd, mode));
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files of live processes, for unwinding: see unwind.h.
 */
#include "unwind.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/live/machine.h"
#include "libop/base/number.h"
#include "libop/elf/build_id.h"
#include "libop/foreign/door.h"
#include "module/uapi/oprofile.h"
#include "resolve.h"

/* Whose stack it is. */
struct task {
	struct perf_processes *processes;
	struct perf_process *process;
	struct perf_code *code;
};

/* Whether an open file is the one that the kernel has reported. */
static bool is_reported(int fd, const char *path, const struct oprofile_image *reported)
{
	uint8_t id[BUILD_ID_MAX];
	struct stat status;

	if (!(reported->flags & OPROFILE_IMAGE_BUILD_ID))
		return !fstat(fd, &status) && status.st_ino == reported->inode;
	return reported->build_id_size &&
	       build_id_of_open(fd, path, id) == reported->build_id_size &&
	       !memcmp(id, reported->build_id, reported->build_id_size);
}

/*
 * Opens the very file: by its path, or below the root directory of a process that has it mapped,
 * whose mount namespace may be another one.  The path may name anything by now.
 */
static int perf_unwind_open_file(void *context, uint64_t cookie, bool *is_in_container)
{
	const struct task *task = context;
	struct image_facts facts = {0};
	const struct oprofile_image *reported = &facts.reported;
	char root[32], path[OPROFILE_PATH_MAX + 64];
	int fd;

	if (perf_image_facts(&task->processes->images, cookie, &facts))
		return -1;
	if (!facts.present && !(reported->flags & OPROFILE_IMAGE_BUILD_ID))
		return -1;
	*is_in_container = !facts.present;
	snprintf(root, sizeof(root), "/proc/%u/root",
		 (unsigned int)machine_thread((uint32_t)task->process->task.pid));
	snprintf(path, sizeof(path), "%s%s", facts.present ? facts.root : root, reported->path);
	fd = foreign_open(path, FOREIGN_OBJECT, FOREIGN_NONE);
	if (fd >= 0 && !is_reported(fd, path, reported)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

int perf_unwind_parse(const char *text, uint32_t *bytes, struct op_error *error)
{
	uint64_t number = PERF_UNWIND_STACK;
	const char *comma = strchr(text, ',');

	*bytes = 0;
	if (!strcmp(text, "auto")) {
		*bytes = PERF_UNWIND_AUTO;
		return 0;
	}
	if (strncmp(text, "dwarf", 5) != 0 || (text[5] && comma != text + 5))
		return 0;
	if (comma && op_number_parse(comma + 1, "size of copies of stacks", 8,
				     PERF_UNWIND_STACK_MOST, &number, error))
		return -1;
	if (number % 8)
		return op_error_set(error, EINVAL,
				    "size of copies of stacks: %" PRIu64 " is no multiple of 8",
				    number);
	*bytes = (uint32_t)number;
	return 0;
}

static enum perf_unwind_place perf_unwind_place(void *context, uint64_t address, bool is_return,
						uint64_t *cookie, uint64_t *offset)
{
	const struct task *task = context;
	const struct space_mapping *mapping =
		is_return ? perf_process_known(task->process, address)
			  : perf_process_where(task->processes, task->process, address);

	if (!mapping)
		return PERF_UNWIND_NOWHERE;
	if (mapping->image == OPROFILE_NO_COOKIE)
		return PERF_UNWIND_MEMORY;
	*cookie = mapping->image;
	*offset = address - mapping->start + mapping->offset;
	return PERF_UNWIND_FILE;
}

static size_t perf_unwind_read_code(void *context, uint64_t address, uint8_t *bytes, size_t most)
{
	const struct task *task = context;

	return perf_code_read(task->code, task->processes, task->process, address, bytes, most);
}

const struct perf_unwind_files perf_unwind_live = {
	.place = perf_unwind_place,
	.open = perf_unwind_open_file,
	.code = perf_unwind_read_code,
};

size_t perf_unwind_chain(struct perf_unwind *unwind, struct perf_code *code,
			 struct perf_processes *processes, struct perf_process *process,
			 const struct perf_user_state *user,
			 uint64_t frame[static PERF_UNWIND_FRAMES_MOST])
{
	struct task task = {processes, process, code};

	return perf_unwind_stack(unwind, &task, user, PERF_UNWIND_REGISTERS, frame);
}

bool perf_unwind_starts(struct perf_unwind *unwind, struct perf_processes *processes,
			struct perf_process *process, uint64_t address)
{
	struct task task = {processes, process, NULL};

	return perf_unwind_is_start(unwind, &task, address);
}

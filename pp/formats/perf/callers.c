// SPDX-License-Identifier: GPL-2.0-or-later
/* See callers.h. */
#include "callers.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/memory.h"
#include "libop/elf/build_id.h"
#include "libop/foreign/door.h"

static enum perf_unwind_place callers_place(void *context, uint64_t address, bool is_return,
					    uint64_t *file, uint64_t *offset)
{
	const struct perf_callers *callers = context;
	struct prof_frame ignored;

	(void)is_return;
	if (maps_file(callers->maps, callers->pid, address, file, offset))
		return PERF_UNWIND_FILE;
	return maps_find(callers->maps, callers->pid, address, &ignored) ? PERF_UNWIND_MEMORY
									 : PERF_UNWIND_NOWHERE;
}

/* Whether an open file is the one that was recorded.  What says nothing of it proves nothing. */
static bool is_recorded(int fd, const struct prof_image *image)
{
	uint8_t id[BUILD_ID_MAX];
	struct stat status;

	if (image->build_id_length)
		return build_id_of_open(fd, image->path, id) == image->build_id_length &&
		       !memcmp(id, image->build_id, image->build_id_length);
	return image->inode && !fstat(fd, &status) && status.st_ino == image->inode;
}

static int callers_open_file(void *context, uint64_t file, bool *is_in_container)
{
	struct perf_callers *callers = context;
	const struct prof_image *image = maps_file_image(callers->maps, file);
	int fd = *image->path == '/' ? foreign_open(image->path, FOREIGN_OBJECT, FOREIGN_FOLLOW)
				     : -1;

	*is_in_container = false;
	if (fd >= 0 && is_recorded(fd, image))
		return fd;
	if (fd >= 0)
		close(fd);
	if (callers->n_refused < PERF_CALLERS_NAMED)
		callers->refused[callers->n_refused++] = file;
	return -1;
}

static const struct perf_unwind_files files = {.place = callers_place, .open = callers_open_file};

void perf_callers_init(struct perf_callers *callers, struct maps *maps)
{
	*callers = (struct perf_callers){.maps = maps, .unwind = perf_unwind_new(&files)};
	if (!callers->unwind)
		op_out_of_memory();
}

void perf_callers_free(struct perf_callers *callers)
{
	perf_unwind_free(callers->unwind);
}

size_t perf_callers_find(struct perf_callers *callers, const struct perf_sample *sample,
			 const struct perf_attr *attr, int64_t pid,
			 uint64_t frame[static PERF_UNWIND_FRAMES_MOST])
{
	size_t n = 0;

	callers->pid = pid;
	callers->stacks++;
	if (pid != PROF_ANY && !sample->swap)
		n = perf_unwind_stack(callers->unwind, callers, &sample->user,
				      attr->sample_regs_user, frame);
	callers->unwound += n > 1;
	return n;
}

void perf_callers_tell(const struct perf_callers *callers, struct prof_sink *sink)
{
	if (!callers->stacks)
		return;
	prof_sink_note(sink,
		       "copies of the stack of %" PRIu64 " samples: callers of %" PRIu64
		       " were found by call frame information",
		       callers->stacks, callers->unwound);
	for (size_t i = 0; i < callers->n_refused; i++)
		prof_sink_note(sink,
			       "%.900s: callers above it are not known: it cannot be read here, or "
			       "is not the file that was recorded",
			       maps_file_image(callers->maps, callers->refused[i])->path);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* A kernel that tells build-ids to who has not asked: see build_ids.h. */
#include "build_ids.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libop/perf/event.h"
#include "ring.h"

/* Pages of a ring for a handful of records. */
#define PAGES 1

/* An event of this thread that counts nothing, and reports what is mapped. */
static int open_event(bool wants_ids)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.build_id = wants_ids,
	};

	return op_perf_open(&attr, 0, -1, -1);
}

static void map_code(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *code = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (code != MAP_FAILED)
		munmap(code, size);
	if (fd >= 0)
		close(fd);
}

static bool has_build_id(struct perf_ring *ring)
{
	const struct perf_event_header *header;
	bool found = false;
	size_t size;

	perf_ring_look(ring);
	while ((header = perf_ring_peek(ring, &size))) {
		found |= header->type == PERF_RECORD_MMAP2 &&
			 header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID;
		perf_ring_pass(ring, size);
	}
	return found;
}

/* One event has asked, before or after the other one was opened: whether the other is told. */
static bool tells(bool asks_first)
{
	int asking = asks_first ? open_event(true) : -1, other = open_event(false);
	struct perf_ring asked, ring;
	bool found = false;

	if (!asks_first)
		asking = open_event(true);
	if (asking >= 0 && other >= 0 && !perf_ring_open(&asked, asking, PAGES)) {
		if (!perf_ring_open(&ring, other, PAGES)) {
			map_code();
			found = has_build_id(&ring);
			perf_ring_close(&ring);
		}
		perf_ring_close(&asked);
	}
	if (asking >= 0)
		close(asking);
	if (other >= 0)
		close(other);
	return found;
}

bool perf_build_ids_leak(void)
{
	static enum { UNKNOWN, NO, YES } leaks;

	if (leaks == UNKNOWN)
		leaks = tells(true) || tells(false) ? YES : NO;
	return leaks == YES;
}

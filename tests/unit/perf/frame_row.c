// SPDX-License-Identifier: GPL-2.0-or-later
/* Call frame information of files that others own is that which libdw gives in this process. */
#include <fcntl.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "libop/foreign/door.h"
#include "libop/foreign/apart.h"
#include "libop/perf/frame_row.h"
#include "tests/unit/test.h"

#define USER 54321

static bool may_run(void)
{
	return !geteuid() && sizeof(void *) == 8;
}

TEST_NEEDS(may_run, "only root has files of others read apart")

/* A copy of the C library. */
static int copy_of_library(uid_t owner)
{
	int copy = foreign_memory("library"), fd;
	struct stat status;
	off_t at = 0;
	Dl_info info;

	assert_true(dladdr(dlsym(RTLD_DEFAULT, "qsort"), &info));
	fd = open(info.dli_fname, O_RDONLY);
	assert_true(copy >= 0 && fd >= 0 && !fstat(fd, &status));
	while (at < status.st_size)
		assert_true(sendfile(copy, fd, &at, (size_t)(status.st_size - at)) > 0);
	close(fd);
	assert_int_equal(fchown(copy, owner, owner), 0);
	return copy;
}

#define STACK 4096

static struct frame_state some_state(void)
{
	static uint64_t stack[STACK / sizeof(uint64_t)];
	struct frame_state state = {.known = (1u << FRAME_REGISTERS) - 1,
				    .stack = (const uint8_t *)stack,
				    .start = UINT64_C(0x7ffd00000000),
				    .size = STACK};

	for (size_t i = 0; i < STACK / sizeof(uint64_t); i++)
		stack[i] = 0x400000 + 7 * i;
	for (int i = 0; i < FRAME_REGISTERS; i++)
		state.reg[i] = state.start + 64 * (uint64_t)i;
	return state;
}

/* Steps from each of many places.  Return: how many have callers. */
static size_t compare(struct frame_file *here, struct frame_file *apart)
{
	size_t found = 0;

	for (uint64_t offset = 0; offset < UINT64_C(0x180000); offset += 0x333) {
		struct frame_state one = some_state(), other = some_state();
		bool is_found = frame_file_step(here, offset, &one);

		assert_int_equal(frame_file_step(apart, offset, &other), is_found);
		if (is_found)
			assert_memory_equal(&one, &other, sizeof(one));
		found += is_found;
	}
	return found;
}

TEST(callers_are_the_same_whoever_reads_the_file)
{
	struct frame_file *here = frame_file_open(copy_of_library(0), false);
	struct frame_file *apart = frame_file_open(copy_of_library(USER), false);
	struct frame_file *container = frame_file_open(copy_of_library(0), true);
	size_t kept;

	assert_uint_in_range(compare(here, apart), 1000, 10000);
	assert_uint_in_range(compare(here, container), 1000, 10000);
	assert_int_equal(frame_file_kept(here), 0);
	kept = frame_file_kept(apart);
	assert_uint_in_range(kept, 1, 16 << 20);
	/* what is kept is not asked for again */
	compare(here, apart);
	assert_int_equal(frame_file_kept(apart), kept);
	frame_file_close(here);
	frame_file_close(apart);
	frame_file_close(container);
}

TEST(a_file_that_rests_is_not_open_and_goes_on_with_another_descriptor)
{
	int fd = copy_of_library(0), again = dup(fd);
	struct frame_file *rested = frame_file_open(fd, false);
	struct frame_file *other = frame_file_open(copy_of_library(0), false);

	assert_uint_in_range(compare(rested, other), 1000, 10000);
	assert_true(frame_file_table(other) && frame_file_has_no_table_yet(rested));
	frame_file_rest(rested);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_true(frame_file_rests(rested));
	frame_file_resume(rested, again);
	assert_false(frame_file_rests(rested));
	assert_uint_in_range(compare(rested, other), 1000, 10000);
	/* what cannot be opened again has no callers; what has a table keeps it */
	frame_file_rest(rested);
	frame_file_resume(rested, -1);
	assert_false(frame_file_step(rested, 0x30000, &(struct frame_state){0}));
	frame_file_rest(rested);
	assert_true(frame_file_rests(rested));
	frame_file_rest(other);
	assert_non_null(frame_file_table(other));
	frame_file_close(rested);
	frame_file_close(other);
}

/* Whether libdw has a fault; --wrap calls this in the place of dwarf_getcfi_elf(). */
static bool is_deadly;

Dwarf_CFI *__real_dwarf_getcfi_elf(Elf *elf);
Dwarf_CFI *__wrap_dwarf_getcfi_elf(Elf *elf);

Dwarf_CFI *__wrap_dwarf_getcfi_elf(Elf *elf)
{
	if (is_deadly)
		abort();
	return __real_dwarf_getcfi_elf(elf);
}

/* Were it read in this process, this would end. */
TEST(a_reader_that_dies_costs_callers_only)
{
	struct frame_file *apart = frame_file_open(copy_of_library(USER + 1), false);
	unsigned long before = apart_failures();

	is_deadly = true;
	for (uint64_t offset = 0x30000; offset < 0x40000; offset += 0x333) {
		struct frame_state frames = some_state();

		assert_false(frame_file_step(apart, offset, &frames));
	}
	is_deadly = false;
	assert_int_equal(apart_failures(), before + 1);
	frame_file_close(apart);
}

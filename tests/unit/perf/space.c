// SPDX-License-Identifier: GPL-2.0-or-later
/* The code of a process: see space.h. */
#include "space.h"

#include "libop/base/array.h"
#include "libop/base/file.h"
#include "libop/elf/proc_maps.h"
#include "libop/perf/frame_row.h"
#include "tests/unit/test.h"

#define FILES_MOST 512

/* struct known_file - files of all processes; a number is the index here */
static struct known_file {
	char *path;
	struct frame_file *file; /* for libdw; NULL: it was not opened yet */
} known[FILES_MOST];
static uint64_t n_known;

static uint64_t number_of(const char *path, size_t length)
{
	for (uint64_t i = 0; i < n_known; i++) {
		if (strlen(known[i].path) == length && !memcmp(known[i].path, path, length))
			return i;
	}
	assert_true(n_known < FILES_MOST);
	known[n_known].path = strndup(path, length);
	assert_non_null(known[n_known].path);
	return n_known++;
}

const char *space_path(uint64_t file)
{
	return known[file].path;
}

bool space_read(struct space *space, pid_t pid)
{
	static const char stack[] = "[stack]";
	char path[32];
	struct op_maps_line line;
	size_t length;
	const char *at;
	char *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	*space = (struct space){.pid = pid};
	maps = op_file_read(path, 1 << 20, &length, NULL);
	at = maps;
	while (maps && op_maps_next(&at, &line)) {
		if (line.name_length == strlen(stack) && !memcmp(line.name, stack, strlen(stack)))
			space->stack_end = line.end;
		if (!line.executable || *line.name != '/')
			continue;
		assert_true(space->n < SPACE_MAPPINGS_MOST);
		space->mappings[space->n++] = (struct space_mapping){
			line.start, line.end, line.offset, number_of(line.name, line.name_length)};
	}
	free(maps);
	return space->n;
}

bool space_place(const struct space *space, uint64_t address, uint64_t *file, uint64_t *offset)
{
	for (size_t i = 0; i < space->n; i++) {
		const struct space_mapping *mapping = &space->mappings[i];

		if (address < mapping->start || address >= mapping->end)
			continue;
		*file = mapping->file;
		*offset = address - mapping->start + mapping->offset;
		return true;
	}
	return false;
}

static enum perf_unwind_place place(void *context, uint64_t address, bool is_return, uint64_t *file,
				    uint64_t *offset)
{
	(void)is_return;
	return space_place(context, address, file, offset) ? PERF_UNWIND_FILE : PERF_UNWIND_NOWHERE;
}

static int open_file(void *context, uint64_t file, bool *is_in_container)
{
	(void)context;
	*is_in_container = false;
	return open(space_path(file), O_RDONLY | O_CLOEXEC);
}

const struct perf_unwind_files space_files = {.place = place, .open = open_file};

static bool step(const struct space *space, struct frame_state *state)
{
	uint64_t number, offset;
	struct known_file *file;

	if (!space_place(space, state->reg[FRAME_PC] - !state->is_exact, &number, &offset))
		return false;
	file = &known[number];
	if (!file->file)
		file->file = frame_file_open(open(file->path, O_RDONLY | O_CLOEXEC), false);
	assert_non_null(file->file);
	return frame_file_step(file->file, offset, state);
}

size_t space_walk_by_libdw(const struct space *space, const struct perf_user_state *user,
			   uint64_t frame[static PERF_UNWIND_FRAMES_MOST])
{
	/* AX BX CX DX SI DI BP SP IP, flags and segments, R8 to R15 */
	static const int numbers[] = {0,  3,  2, 1, 4,	5,  6,	7,  16, -1,
				      -1, -1, 8, 9, 10, 11, 12, 13, 14, 15};
	struct frame_state state = {.known = (1u << FRAME_REGISTERS) - 1,
				    .stack = user->stack,
				    .size = user->size,
				    .is_exact = true};
	size_t count = 0;

	for (size_t i = 0; i < OP_ARRAY_SIZE(numbers); i++) {
		if (numbers[i] >= 0)
			memcpy(&state.reg[numbers[i]], user->registers + 8 * i, 8);
	}
	state.start = state.reg[FRAME_SP];
	frame[count++] = state.reg[FRAME_PC];
	while (count < PERF_UNWIND_FRAMES_MOST && step(space, &state))
		frame[count++] = state.reg[FRAME_PC] + state.is_exact;
	return count;
}

void space_end(void)
{
	for (uint64_t i = 0; i < n_known; i++) {
		frame_file_close(known[i].file);
		free(known[i].path);
	}
	n_known = 0;
}

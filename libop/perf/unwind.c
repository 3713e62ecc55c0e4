// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Callers by call frame information: see unwind.h.
 */
#include "unwind.h"

#include <stdlib.h>
#include <string.h>

#include "frame_row.h"
#include "libop/base/hash.h"

/* Files whose information is kept; an unwound program needs some dozens. */
#define FILES_MOST 1024

/* Bytes of their rows that are kept of files that are read apart. */
#define ROWS_MOST (32 << 20)

struct perf_unwind {
	const struct perf_unwind_files *files;
	struct op_hash_map by_number; /* struct frame_file */
	size_t kept;		      /* bytes of their rows */
};

struct perf_unwind *perf_unwind_new(const struct perf_unwind_files *files)
{
	struct perf_unwind *unwind = calloc(1, sizeof(*unwind));

	if (unwind)
		unwind->files = files;
	return unwind;
}

static void forget_files(struct perf_unwind *unwind)
{
	const struct op_hash_map *map = &unwind->by_number;

	for (size_t i = 0; i < map->n; i++)
		frame_file_close(map->entries[i].value);
	unwind->kept = 0;
	op_hash_map_free(&unwind->by_number);
}

void perf_unwind_free(struct perf_unwind *unwind)
{
	if (unwind)
		forget_files(unwind);
	free(unwind);
}

static struct frame_file *file_of(struct perf_unwind *unwind, void *context, uint64_t number)
{
	struct frame_file *file;
	bool is_in_container = false;
	int fd;

	if (unwind->kept >= ROWS_MOST)
		forget_files(unwind);
	file = op_hash_map_find(&unwind->by_number, number);
	if (file)
		return file;
	if (unwind->by_number.n >= FILES_MOST)
		forget_files(unwind);
	fd = unwind->files->open(context, number, &is_in_container);
	file = frame_file_open(fd, is_in_container);
	if (file && op_hash_map_set(&unwind->by_number, number, file)) {
		frame_file_close(file);
		return NULL;
	}
	return file;
}

/* ---- frames ---- */

/*
 * Goes to the caller.  A return address may be that of the code behind a call that ends a
 * function: what counts is the call.
 */
static bool go_up(struct perf_unwind *unwind, void *context, bool is_return,
		  struct frame_state *state)
{
	uint64_t pc = state->reg[FRAME_PC] - is_return, number, offset;
	struct frame_file *file;
	size_t kept;
	bool good;

	if (!unwind->files->place(context, pc, is_return, &number, &offset))
		return false;
	file = file_of(unwind, context, number);
	if (!file)
		return false;
	kept = frame_file_kept(file);
	good = frame_file_step(file, offset, state);
	unwind->kept += frame_file_kept(file) - kept;
	return good;
}

/* The kernel's order of registers, as DWARF numbers them; flags and segments are passed over. */
static bool read_registers(const struct perf_user_state *user, uint64_t registers,
			   struct frame_state *state)
{
	static const int8_t numbers[] = {0,  3,	 2,  1,	 4, 5, 6,  7,  16, -1, -1, -1,
					 -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15};
	const uint8_t *at = user->registers;

	if (user->abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (size_t i = 0; i < sizeof(numbers); i++) {
		if (!(registers >> i & 1))
			continue;
		if (numbers[i] >= 0) {
			memcpy(&state->reg[numbers[i]], at, sizeof(uint64_t));
			state->known |= 1u << numbers[i];
		}
		at += sizeof(uint64_t);
	}
	state->stack = user->stack;
	state->start = state->reg[FRAME_SP];
	state->size = user->size;
	return state->known & 1u << FRAME_PC && state->known & 1u << FRAME_SP;
}

size_t perf_unwind_stack(struct perf_unwind *unwind, void *context,
			 const struct perf_user_state *user, uint64_t registers,
			 uint64_t frame[static PERF_UNWIND_FRAMES_MOST])
{
	struct frame_state state = {0};
	size_t count = 0;

	if (!read_registers(user, registers, &state))
		return 0;
	frame[count++] = state.reg[FRAME_PC];
	while (count < PERF_UNWIND_FRAMES_MOST && go_up(unwind, context, count > 1, &state))
		frame[count++] = state.reg[FRAME_PC];
	return count;
}

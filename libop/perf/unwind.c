// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Callers by call frame information: see unwind.h.
 */
#include "unwind.h"

#include <stdlib.h>
#include <string.h>

#include "frame_row.h"
#include "libop/base/hash.h"
#include "libop/unwind/code.h"
#include "libop/unwind/walk.h"

/* Files whose information is kept; an unwound program needs some dozens. */
#define FILES_MOST 1024

/* Where a program begins: bytes that it may put below its arguments, and above the stack pointer at
 * most. */
#define ENTRY_ALIGNED	 24
#define ENTRY_STACK_MOST (8 << 20)

/* Bytes of their tables and rows that are kept. */
#define KEPT_MOST (128 << 20)

/*
 * Rows of recent frames: those of a program's callers are the same again and again.  Debian's
 * compiler has some thousands of them.
 */
#define RECENT_BITS 13

/* struct recent_row - the row of code; a copy, as it is rarely in the CPU's cache */
struct recent_row {
	uint64_t number, offset; /* of its file, and there */
	struct unwind_row row;
	bool is_used;
};

struct perf_unwind {
	const struct perf_unwind_files *files;
	struct op_hash_map by_number; /* struct frame_file */
	size_t kept;		      /* bytes of their tables and rows */
	struct perf_unwind_counts counts;
	struct perf_unwind_end last;
	struct recent_row recent[1 << RECENT_BITS];
	struct code_cache code; /* of files */
};

/* struct walk - a stack that is walked, whose process @context knows */
struct walk {
	struct perf_unwind *unwind;
	void *context;
	struct unwind_stack stack;
	uint64_t *frame; /* what was found: @count addresses */
	size_t count;
	uint64_t used; /* bytes of the copy of the stack */
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
	memset(unwind->recent, 0, sizeof(unwind->recent));
	op_hash_map_free(&unwind->by_number);
}

void perf_unwind_free(struct perf_unwind *unwind)
{
	if (unwind) {
		forget_files(unwind);
		code_cache_free(&unwind->code);
	}
	free(unwind);
}

static struct frame_file *file_of(struct perf_unwind *unwind, void *context, uint64_t number)
{
	struct frame_file *file;
	bool is_in_container = false;
	int fd;

	if (unwind->kept >= KEPT_MOST)
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

/* The same, with the file open, if it can be. */
static struct frame_file *open_file_of(struct perf_unwind *unwind, void *context, uint64_t number)
{
	struct frame_file *file = file_of(unwind, context, number);
	bool is_in_container = false;

	if (file && frame_file_rests(file))
		frame_file_resume(file, unwind->files->open(context, number, &is_in_container));
	return file;
}

void perf_unwind_rest(struct perf_unwind *unwind)
{
	const struct op_hash_map *map = &unwind->by_number;

	for (size_t i = 0; i < map->n; i++)
		frame_file_rest(map->entries[i].value);
}

/* ---- frames ---- */

/* A caller.  Of what was interrupted, the address behind is given, too: whoever looks it up takes
 * the byte before. */
static void perf_unwind_add_frame(struct walk *walk, uint64_t pc, bool is_exact)
{
	walk->frame[walk->count++] = pc + is_exact;
}

/* struct code_place - where the code of a frame is */
struct code_place {
	enum perf_unwind_place kind;
	uint64_t number, offset; /* of its file, and there */
};

static inline void perf_unwind_find_place(const struct walk *walk, uint64_t pc, bool is_return,
					  struct code_place *place)
{
	place->kind = walk->unwind->files->place(walk->context, pc, is_return, &place->number,
						 &place->offset);
}

/* In a file whose row is not one of the recent ones.  Return: NULL if it has no table. */
static const struct unwind_row *perf_unwind_look_up(const struct walk *walk, uint64_t number,
						    uint64_t offset)
{
	static const struct unwind_row none = {.cfa_in = UNWIND_NONE};
	struct perf_unwind *unwind = walk->unwind;
	struct frame_file *file = file_of(unwind, walk->context, number);
	const struct unwind_table *table;
	const struct unwind_row *row;
	size_t kept;

	if (file && frame_file_has_no_table_yet(file))
		file = open_file_of(unwind, walk->context, number);
	if (!file)
		return &none;
	kept = frame_file_kept(file);
	table = frame_file_table(file);
	unwind->kept += frame_file_kept(file) - kept;
	if (!table)
		return NULL;
	row = unwind_table_find(table, offset);
	return row ? row : &none;
}

static const struct unwind_row *find_row(const struct walk *walk, uint64_t number, uint64_t offset)
{
	static const struct unwind_row stop = {.cfa_in = UNWIND_STOP};
	uint64_t mixed = (offset + (number << 32)) * UINT64_C(0x9e3779b97f4a7c15);
	struct recent_row *recent = &walk->unwind->recent[mixed >> (64 - RECENT_BITS)];

	if (!recent->is_used || recent->number != number || recent->offset != offset) {
		/* first: it may forget all */
		const struct unwind_row *row = perf_unwind_look_up(walk, number, offset);

		if (!row) /* it may have one later */
			return &stop;
		*recent = (struct recent_row){number, offset, *row, true};
	}
	return &recent->row;
}

/* ---- code without call frame information ---- */

/* Code of a frame, from where it goes on.  Return: how many bytes are known. */
static size_t read_code(const struct walk *walk, const struct code_place *place,
			const struct unwind_frame *frame, uint8_t bytes[static UNWIND_CODE_MOST])
{
	const struct perf_unwind_files *files = walk->unwind->files;
	struct frame_file *file;

	if (place->kind == PERF_UNWIND_MEMORY)
		return files->code ? files->code(walk->context, frame->pc, bytes, UNWIND_CODE_MOST)
				   : 0;
	file = open_file_of(walk->unwind, walk->context, place->number);
	return file ? frame_file_code(file, &walk->unwind->code, place->offset + !frame->is_exact,
				      bytes, UNWIND_CODE_MOST)
		    : 0;
}

/* Whether a step has led to code: what no table says may be wrong. */
static bool is_at_code(const struct walk *walk, const struct unwind_frame *frame)
{
	struct code_place place;

	perf_unwind_find_place(walk, unwind_frame_code(frame), true, &place);
	return place.kind != PERF_UNWIND_NOWHERE;
}

/* By what the code itself says. */
static bool step_by_code(struct walk *walk, const struct code_place *place,
			 struct unwind_frame *frame)
{
	struct perf_unwind_counts *counts = &walk->unwind->counts;
	uint8_t bytes[UNWIND_CODE_MOST];
	struct unwind_frame caller = *frame;
	struct unwind_row row;
	size_t n = read_code(walk, place, frame, bytes);

	if (!n) {
		counts->unread++;
		return false;
	}
	if (!unwind_code_row(bytes, n, frame->is_exact, &row) ||
	    unwind_step(&row, &walk->stack, &caller) != UNWIND_GOES_ON ||
	    !is_at_code(walk, &caller)) {
		counts->unknown++;
		return false;
	}
	counts->by_code++;
	*frame = caller;
	return true;
}

/* Of code of which nothing is said. */
static enum unwind_end step_without_row(struct walk *walk, const struct code_place *place,
					struct unwind_frame *frame)
{
	struct unwind_frame caller = *frame;
	enum unwind_end end;

	if (step_by_code(walk, place, frame))
		return UNWIND_GOES_ON;
	end = unwind_step_by_frame_pointer(&walk->stack, &caller);
	if (end != UNWIND_GOES_ON)
		return end;
	if (!is_at_code(walk, &caller))
		return UNWIND_BAD_FRAME;
	walk->unwind->counts.by_fp++;
	*frame = caller;
	return UNWIND_GOES_ON;
}

/* ---- stacks ---- */

static enum unwind_end go_up(struct walk *walk, struct unwind_frame *frame)
{
	enum unwind_end end = UNWIND_NO_ROW;
	struct code_place place;

	perf_unwind_find_place(walk, unwind_frame_code(frame), walk->count > 1, &place);
	if (place.kind == PERF_UNWIND_NOWHERE)
		return end;
	if (place.kind == PERF_UNWIND_FILE)
		end = unwind_step(find_row(walk, place.number, place.offset), &walk->stack, frame);
	return end == UNWIND_NO_ROW ? step_without_row(walk, &place, frame) : end;
}

/* By unwind tables.  Return: how the stack ends; UNWIND_NOT_SIMPLE: tables do not have it. */
static enum unwind_end walk_tables(struct walk *walk, const struct frame_state *state)
{
	struct unwind_frame frame = {.pc = state->reg[FRAME_PC],
				     .sp = state->reg[FRAME_SP],
				     .fp = state->reg[FRAME_FP],
				     .knows_fp = state->known & 1u << FRAME_FP,
				     .registers = state->reg,
				     .known = state->known,
				     .is_exact = true};

	while (walk->count < PERF_UNWIND_FRAMES_MOST) {
		enum unwind_end end = go_up(walk, &frame);

		if (end != UNWIND_GOES_ON)
			return end;
		perf_unwind_add_frame(walk, frame.pc, frame.is_exact);
		walk->used = frame.sp - state->start;
	}
	return UNWIND_GOES_ON;
}

/* As step_without_row(); of registers, what the code does not say is not known then. */
static bool go_up_without_row(struct walk *walk, const struct code_place *place,
			      struct frame_state *state)
{
	struct unwind_frame frame = {.pc = state->reg[FRAME_PC],
				     .sp = state->reg[FRAME_SP],
				     .fp = state->reg[FRAME_FP],
				     .knows_fp = state->known & 1u << FRAME_FP,
				     .is_exact = state->is_exact};

	if (step_without_row(walk, place, &frame) != UNWIND_GOES_ON)
		return false;
	state->reg[FRAME_PC] = frame.pc;
	state->reg[FRAME_SP] = frame.sp;
	state->reg[FRAME_FP] = frame.fp;
	state->known = 1u << FRAME_PC | 1u << FRAME_SP | (uint32_t)frame.knows_fp << FRAME_FP;
	state->is_exact = frame.is_exact;
	return true;
}

/* Whether a table says something of code in a file, or there is no table yet. */
static bool is_described(const struct walk *walk, const struct code_place *place)
{
	const struct unwind_row *row = perf_unwind_look_up(walk, place->number, place->offset);

	return !row || unwind_row_cfa(row) != UNWIND_NONE;
}

/* Goes to the caller by what libdw finds, which knows all registers. */
static bool go_up_slowly(struct walk *walk, struct frame_state *state)
{
	struct code_place place;
	struct frame_file *file;
	size_t kept;
	bool good;

	perf_unwind_find_place(walk, state->reg[FRAME_PC] - !state->is_exact, walk->count > 1,
			       &place);
	if (place.kind == PERF_UNWIND_NOWHERE)
		return false;
	if (place.kind == PERF_UNWIND_MEMORY || !is_described(walk, &place))
		return go_up_without_row(walk, &place, state);
	file = open_file_of(walk->unwind, walk->context, place.number);
	if (!file)
		return false;
	kept = frame_file_kept(file);
	good = frame_file_step(file, place.offset, state);
	walk->unwind->kept += frame_file_kept(file) - kept;
	return good;
}

static void walk_slowly(struct walk *walk, struct frame_state *state)
{
	while (walk->count < PERF_UNWIND_FRAMES_MOST && go_up_slowly(walk, state))
		perf_unwind_add_frame(walk, state->reg[FRAME_PC], state->is_exact);
	walk->used = state->reg[FRAME_SP] - state->start;
}

/* Whether a table says that the code of a frame has no caller. */
static bool is_start(const struct walk *walk, uint64_t address)
{
	struct code_place place;

	perf_unwind_find_place(walk, address - 1, true, &place);
	return place.kind == PERF_UNWIND_FILE &&
	       unwind_row_cfa(find_row(walk, place.number, place.offset)) == UNWIND_ROOT;
}

static uint64_t word_at(const struct frame_state *state, uint64_t at)
{
	uint64_t word = 0;

	if (state->size >= sizeof(word) && at <= state->size - sizeof(word))
		memcpy(&word, state->stack + at, sizeof(word));
	return word;
}

/*
 * Whether the stack is as the kernel leaves it to a new program: the number of arguments, pointers
 * to them, which are above, and 0.  The dynamic linker, which begins there, has no call frame
 * information for that, and may align the stack below.
 */
static bool is_entry(const struct frame_state *state, uint64_t used)
{
	/* call frame information may say any value of the stack pointer */
	for (uint64_t at = used & ~UINT64_C(7); at < state->size && at <= used + ENTRY_ALIGNED;
	     at += 8) {
		uint64_t arguments = word_at(state, at), i = 1;

		while (i <= arguments && word_at(state, at + 8 * i) > state->start &&
		       word_at(state, at + 8 * i) - state->start < ENTRY_STACK_MOST)
			i++;
		if (arguments && i > arguments && at + 8 * i < state->size &&
		    !word_at(state, at + 8 * i))
			return true;
	}
	return false;
}

bool perf_unwind_is_start(struct perf_unwind *unwind, void *context, uint64_t address)
{
	/* a caller */
	const struct walk walk = {.unwind = unwind, .context = context, .count = 2};

	return is_start(&walk, address);
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
	state->is_exact = true;
	return state->known & 1u << FRAME_PC && state->known & 1u << FRAME_SP;
}

size_t perf_unwind_stack(struct perf_unwind *unwind, void *context,
			 const struct perf_user_state *user, uint64_t registers,
			 uint64_t frame[static PERF_UNWIND_FRAMES_MOST])
{
	struct walk walk = {.unwind = unwind, .context = context, .frame = frame};
	struct frame_state state = {0};
	enum unwind_end end;

	unwind->last = (struct perf_unwind_end){0};
	if (!read_registers(user, registers, &state))
		return 0;
	walk.stack = (struct unwind_stack){state.stack, state.start, state.size};
	unwind->counts.stacks++;
	frame[walk.count++] = state.reg[FRAME_PC];
	end = walk_tables(&walk, &state);
	if (end == UNWIND_NOT_SIMPLE) {
		/* from the start: tables do not follow all registers */
		unwind->counts.slow++;
		walk.count = 1;
		walk_slowly(&walk, &state);
		end = is_start(&walk, frame[walk.count - 1]) ? UNWIND_AT_ROOT : end;
	}
	if (end != UNWIND_AT_ROOT && walk.count > 1 && is_entry(&state, walk.used))
		end = UNWIND_AT_ROOT;
	unwind->last = (struct perf_unwind_end){.is_start = end == UNWIND_AT_ROOT,
						.is_cut = end == UNWIND_UNREADABLE,
						.used = walk.used};
	return walk.count;
}

const struct perf_unwind_end *perf_unwind_last(const struct perf_unwind *unwind)
{
	return &unwind->last;
}

const struct perf_unwind_counts *perf_unwind_count(const struct perf_unwind *unwind)
{
	return &unwind->counts;
}

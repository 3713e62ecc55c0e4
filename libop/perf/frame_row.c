// SPDX-License-Identifier: GPL-2.0-or-later
/* Call frame information of files: see frame_row.h. */
#include "frame_row.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/error.h"
#include "libop/foreign/apart.h"
#include "libop/unwind/image.h"

/* Operations of one expression; compilers need three, the linker nine. */
#define OPS_MOST 64

/* Bytes of the row of a range of code. */
#define ANSWER_MOST (64 << 10)

/* struct open_elf - a file as libdw has it */
struct open_elf {
	Elf *elf;	/* NULL: the file cannot be read */
	Dwarf_CFI *cfi; /* NULL: it has none */
};

/* struct kept_row - a row that came from a process apart: ranges are of offsets */
struct kept_row {
	uint64_t start, end;
	uint8_t *bytes; /* NULL: there is no row */
	struct frame_row row;
};

struct frame_file {
	int fd;
	struct unwind_table *table; /* NULL: it was not made */
	bool has_tried;		    /* to make the table */
	struct open_elf open;	    /* of a file that is not read apart */
	bool is_open, is_apart, has_failed;
	bool can_open;	       /* it was open */
	bool rests;	       /* it is closed for a while */
	uint64_t number;       /* of it, for the process apart */
	struct kept_row *rows; /* by start */
	size_t n, capacity, kept;
};

/* ---- reading ---- */

/* Whether it is one whose registers have the numbers that are used here. */
static bool is_known(Elf *elf)
{
	GElf_Ehdr header;

	return elf && elf_kind(elf) == ELF_K_ELF && gelf_getclass(elf) == ELFCLASS64 &&
	       gelf_getehdr(elf, &header) && header.e_machine == EM_X86_64;
}

static struct open_elf open_elf(int fd)
{
	struct open_elf open = {0};

	elf_version(EV_CURRENT);
	/* read, not mapped: a file that gets shorter would end us */
	open.elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	if (is_known(open.elf))
		open.cfi = dwarf_getcfi_elf(open.elf);
	return open;
}

static void close_elf(struct open_elf *open)
{
	dwarf_cfi_end(open->cfi);
	elf_end(open->elf);
}

/* From an offset in the file to the address that its own headers give it. */
static bool to_address(const struct open_elf *open, uint64_t offset, uint64_t *address)
{
	size_t segments;
	GElf_Phdr header;

	if (elf_getphdrnum(open->elf, &segments))
		return false;
	for (size_t i = 0; i < segments; i++) {
		if (gelf_getphdr(open->elf, (int)i, &header) && header.p_type == PT_LOAD &&
		    offset >= header.p_offset && offset - header.p_offset < header.p_filesz) {
			*address = offset - header.p_offset + header.p_vaddr;
			return true;
		}
	}
	return false;
}

/* Return: what the caller frees, or NULL. */
static Dwarf_Frame *find_frame(const struct open_elf *open, uint64_t offset, uint64_t *address)
{
	Dwarf_Frame *frame;

	if (!open->cfi || !to_address(open, offset, address) ||
	    dwarf_cfi_addrframe(open->cfi, *address, &frame))
		return NULL;
	return frame;
}

/* libdw writes some operations to @room. */
static bool read_row(Dwarf_Frame *frame, struct frame_row *row, Dwarf_Op room[][3])
{
	Dwarf_Op *ops;
	size_t n;

	*row = (struct frame_row){0};
	dwarf_frame_info(frame, NULL, NULL, &row->is_signal);
	if (dwarf_frame_cfa(frame, &ops, &n) || !n)
		return false;
	row->cfa = ops;
	row->n_cfa = n;
	for (int i = 0; i < FRAME_REGISTERS; i++) {
		if (dwarf_frame_register(frame, i, room[i], &ops, &n))
			continue;
		row->registers[i].ops = ops;
		row->registers[i].n = n;
		if (n)
			row->registers[i].rule = FRAME_VALUE;
		else
			row->registers[i].rule = ops == room[i] ? FRAME_UNKNOWN : FRAME_SAME;
	}
	return true;
}

/* ---- rows ---- */

/* The caller's registers.  Return: whether there is a caller that is known. */
static bool frame_row_apply(const struct frame_row *row, struct frame_state *state)
{
	struct frame_state caller = *state;

	if (!frame_value(state, row->cfa, row->n_cfa, false, &state->cfa))
		return false;
	caller.known = 0;
	for (int i = 0; i < FRAME_REGISTERS; i++) {
		bool known = false;

		if (row->registers[i].rule == FRAME_SAME)
			known = state->known & 1u << i;
		else if (row->registers[i].rule == FRAME_VALUE)
			known = frame_value(state, row->registers[i].ops, row->registers[i].n, true,
					    &caller.reg[i]);
		caller.known |= (uint32_t)known << i;
	}
	/* a signal handler may have a stack of its own */
	if ((state->cfa <= state->reg[FRAME_SP] && !row->is_signal) ||
	    !(caller.known & 1u << FRAME_PC) || !caller.reg[FRAME_PC])
		return false;
	caller.is_exact = row->is_signal;
	caller.reg[FRAME_SP] = state->cfa;
	caller.known |= 1u << FRAME_SP;
	*state = caller;
	return true;
}

/* ---- in the process apart ---- */

/* Files that stay open. */
#define OPEN_MOST 16

struct question {
	uint64_t number, offset;
};

/* struct answer - what is said first; then the operations of all expressions */
struct answer {
	uint64_t behind; /* bytes of code from the offset on for which the row is valid */
	uint32_t n_cfa, is_signal;
	uint32_t rule[FRAME_REGISTERS], n[FRAME_REGISTERS];
};

static const struct open_elf *open_here(int fd, uint64_t number)
{
	static struct {
		uint64_t number;
		int fd;
		struct open_elf open;
	} all[OPEN_MOST];
	size_t i = number % OPEN_MOST;

	if (all[i].number == number)
		return &all[i].open;
	if (all[i].number) {
		close_elf(&all[i].open);
		close(all[i].fd);
	}
	all[i].number = number;
	all[i].fd = dup(fd);
	all[i].open = open_elf(all[i].fd);
	return &all[i].open;
}

static void put_row(const struct frame_row *row, struct answer *answer, struct op_buffer *out)
{
	answer->n_cfa = (uint32_t)row->n_cfa;
	answer->is_signal = row->is_signal;
	for (int i = 0; i < FRAME_REGISTERS; i++) {
		answer->rule[i] = row->registers[i].rule;
		answer->n[i] = (uint32_t)row->registers[i].n;
	}
	op_buffer_put(out, answer, sizeof(*answer));
	op_buffer_put(out, row->cfa, row->n_cfa * sizeof(*row->cfa));
	for (int i = 0; i < FRAME_REGISTERS; i++)
		op_buffer_put(out, row->registers[i].ops, row->registers[i].n * sizeof(*row->cfa));
}

static void frame_row_work(int fd, struct op_reader *reader, struct op_buffer *out)
{
	Dwarf_Op room[FRAME_REGISTERS][3];
	struct answer answer = {0};
	struct question question;
	struct frame_row row;
	Dwarf_Frame *frame;
	Dwarf_Addr start, end, address;

	if (!op_reader_copy(reader, &question, sizeof(question)))
		return;
	frame = find_frame(open_here(fd, question.number), question.offset, &address);
	if (frame && read_row(frame, &row, room)) {
		dwarf_frame_info(frame, &start, &end, NULL);
		/* libdw's start is that of the state which was remembered, if it was restored */
		answer.behind = end - address;
		put_row(&row, &answer, out);
	}
	free(frame);
}

/* ---- rows that are kept ---- */

static const Dwarf_Op *take_ops(struct op_reader *reader, uint32_t n, bool *good)
{
	const Dwarf_Op *ops = n <= OPS_MOST ? op_reader_take(reader, n * sizeof(*ops)) : NULL;

	*good = *good && ops;
	return ops;
}

/* Takes a row from @length bytes of malloc(), which stay where they are. */
static bool take_row(const uint8_t *bytes, size_t length, struct answer *answer,
		     struct frame_row *row)
{
	struct op_reader reader = op_reader_of(bytes, length, false);
	bool good = op_reader_copy(&reader, answer, sizeof(*answer)) && answer->n_cfa;

	if (!good)
		return false;
	row->cfa = take_ops(&reader, answer->n_cfa, &good);
	row->n_cfa = answer->n_cfa;
	row->is_signal = answer->is_signal;
	for (int i = 0; i < FRAME_REGISTERS && good; i++) {
		row->registers[i].rule = answer->n[i] ? FRAME_VALUE : answer->rule[i];
		row->registers[i].n = answer->n[i];
		if (answer->n[i])
			row->registers[i].ops = take_ops(&reader, answer->n[i], &good);
	}
	return good;
}

/* The index of the first row that starts above an offset. */
static size_t first_above(const struct frame_file *file, uint64_t offset)
{
	size_t low = 0, high = file->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->rows[middle].start > offset)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static bool add_row(struct frame_file *file, const struct kept_row *row, size_t length)
{
	size_t at = first_above(file, row->start);

	if (file->n == file->capacity) {
		size_t capacity = file->capacity ? 2 * file->capacity : 64;
		struct kept_row *rows = reallocarray(file->rows, capacity, sizeof(*rows));

		if (!rows)
			return false;
		file->rows = rows;
		file->capacity = capacity;
	}
	memmove(&file->rows[at + 1], &file->rows[at], (file->n - at) * sizeof(*row));
	file->rows[at] = *row;
	file->n++;
	file->kept += length + sizeof(*row);
	return true;
}

/* Keeps the row of @offset, or that there is none. */
static void frame_file_ask(struct frame_file *file, uint64_t offset)
{
	const struct question what = {file->number, offset};
	const struct apart_question question = {.work = frame_row_work,
						.fd = file->fd,
						.bytes = &what,
						.length = sizeof(what),
						.seconds = APART_SECONDS_OF_DAEMON,
						.answer_most = ANSWER_MOST};
	struct kept_row row = {.start = offset, .end = offset + 1};
	struct answer answer;
	struct op_error error;
	size_t length = 0;

	row.bytes = apart_ask(&question, &length, &error);
	if (!row.bytes && error.code == EAGAIN) /* at the next sample there */
		return;
	if (!row.bytes) {
		file->has_failed = true;
		apart_warn("call frame information", error.text);
		return;
	}
	if (!take_row(row.bytes, length, &answer, &row.row)) {
		free(row.bytes);
		row.bytes = NULL;
	} else if (answer.behind && answer.behind <= ~offset) {
		row.end = offset + answer.behind;
	}
	if (!add_row(file, &row, length))
		free(row.bytes);
}

static const struct kept_row *find_row(const struct frame_file *file, uint64_t offset)
{
	size_t at = first_above(file, offset);

	return at && file->rows[at - 1].end > offset ? &file->rows[at - 1] : NULL;
}

static bool step_apart(struct frame_file *file, uint64_t offset, struct frame_state *state)
{
	const struct kept_row *row = find_row(file, offset);

	if (!row && !file->has_failed && file->fd >= 0) {
		frame_file_ask(file, offset);
		row = find_row(file, offset);
	}
	return row && row->bytes && frame_row_apply(&row->row, state);
}

/* ---- files ---- */

struct frame_file *frame_file_open(int fd, bool is_in_container)
{
	static uint64_t numbers;
	struct frame_file *file = calloc(1, sizeof(*file));

	if (!file) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	file->fd = fd;
	file->can_open = fd >= 0;
	file->number = ++numbers;
	file->is_apart = fd >= 0 && (is_in_container || apart_is_needed(fd, NULL));
	return file;
}

void frame_file_close(struct frame_file *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->n; i++)
		free(file->rows[i].bytes);
	free(file->rows);
	free(file->table);
	close_elf(&file->open);
	if (file->fd >= 0)
		close(file->fd);
	free(file);
}

void frame_file_rest(struct frame_file *file)
{
	close_elf(&file->open);
	file->open = (struct open_elf){0};
	file->is_open = false;
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
	file->rests = file->can_open;
}

bool frame_file_rests(const struct frame_file *file)
{
	return file->rests;
}

void frame_file_resume(struct frame_file *file, int fd)
{
	file->fd = fd;
	file->rests = false;
}

bool frame_file_has_no_table_yet(const struct frame_file *file)
{
	return !file->has_tried && !file->has_failed;
}

size_t frame_file_kept(const struct frame_file *file)
{
	return file->kept;
}

const struct unwind_table *frame_file_table(struct frame_file *file)
{
	struct op_error error = {0};

	if (!frame_file_has_no_table_yet(file))
		return file->table;
	file->has_tried = true;
	file->table = unwind_image_open(file->fd, file->is_apart, &error);
	if (file->table) {
		file->kept += unwind_table_size(file->table);
	} else if (error.code == EAGAIN) {
		file->has_tried = false;
	} else if (file->is_apart) {
		file->has_failed = true;
		apart_warn("call frame information", error.text);
	}
	return file->table;
}

static bool step_here(struct frame_file *file, uint64_t offset, struct frame_state *state)
{
	Dwarf_Op room[FRAME_REGISTERS][3];
	struct frame_row row;
	Dwarf_Frame *frame;
	uint64_t address;
	bool good;

	if (!file->is_open)
		file->open = open_elf(file->fd);
	file->is_open = true;
	frame = find_frame(&file->open, offset, &address);
	good = frame && read_row(frame, &row, room) && frame_row_apply(&row, state);
	free(frame);
	return good;
}

bool frame_file_step(struct frame_file *file, uint64_t offset, struct frame_state *state)
{
	return file->is_apart ? step_apart(file, offset, state) : step_here(file, offset, state);
}

size_t frame_file_code(const struct frame_file *file, struct code_cache *cache, uint64_t offset,
		       uint8_t *bytes, size_t most)
{
	const struct code_source source = {.number = file->number,
					   .fd = file->fd,
					   .is_apart = file->is_apart,
					   .end = INT64_MAX};

	return file->fd >= 0 ? code_cache_read(cache, &source, offset, bytes, most) : 0;
}

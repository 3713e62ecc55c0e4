// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unwind tables of stock programs and libraries say of each byte of code what libdw says; and code
 * itself, where it is followed up to its return, says the same of what is behind its calls.
 *
 *	equality [FILE...]
 *
 * Rules are compared by what they make of registers and a stack of random words, from each place
 * where the one or the other has another row.  Bytes of code that differ, and those that are of no
 * simple rule, are counted.
 */
#include <elfutils/libdw.h>
#include <gelf.h>
#include <libelf.h>

#include "libop/base/array.h"
#include "libop/base/reader.h"
#include "libop/perf/frame_row.h"
#include "libop/unwind/code.h"
#include "libop/unwind/image.h"
#include "libop/unwind/walk.h"
#include "tests/unit/test.h"

/* What distributions have, and Debian's names for it. */
static const char *const stock[] = {
	"/lib/x86_64-linux-gnu/libc.so.6",
	"/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2",
	"/lib/x86_64-linux-gnu/libm.so.6",
	"/lib/x86_64-linux-gnu/libstdc++.so.6",
	"/lib/x86_64-linux-gnu/libgcc_s.so.1",
	"/lib/x86_64-linux-gnu/libcrypto.so.3",
	"/lib/x86_64-linux-gnu/libssl.so.3",
	"/lib/x86_64-linux-gnu/libsqlite3.so.0",
	"/lib/x86_64-linux-gnu/libz.so.1",
	"/lib/x86_64-linux-gnu/libzstd.so.1",
	"/lib/x86_64-linux-gnu/liblzma.so.5",
	"/lib/x86_64-linux-gnu/libdw.so.1",
	"/lib/x86_64-linux-gnu/libelf.so.1",
	"/lib/x86_64-linux-gnu/libgmp.so.10",
	"/lib/x86_64-linux-gnu/libsystemd.so.0",
	"/usr/bin/bash",
	"/usr/bin/dash",
	"/usr/bin/perl",
	"/usr/bin/python3.11",
	"/usr/bin/git",
	"/usr/bin/openssl",
	"/usr/bin/xz",
	"/usr/bin/sqlite3",
	"/usr/bin/sort",
	"/usr/bin/sed",
	"/usr/bin/tar",
	"/usr/bin/x86_64-linux-gnu-as",
	"/usr/bin/x86_64-linux-gnu-ld.bfd",
	"/usr/bin/x86_64-linux-gnu-gcc-12",
};

/* How many of them must be there. */
#define STOCK_LEAST 15

static const char *const *names = stock;
static size_t n_names = OP_ARRAY_SIZE(stock);

TEST_ARGUMENTS(0, "[FILE...]")
{
	if (argc > 1) {
		names = (const char *const *)argv + 1;
		n_names = (size_t)argc - 1;
	}
}

static bool may_run(void)
{
	return sizeof(void *) == 8;
}

TEST_NEEDS(may_run, "call frame information is read on 64 bits only")

/* ---- registers and stack ---- */

#define STACK_BYTES UINT64_C(0x200000)
#define STACK_START UINT64_C(0x7ffd00000000)

/* A stack whose words are addresses in it, so that a rule may use them. */
static const uint8_t *random_stack(void)
{
	static uint64_t words[STACK_BYTES / 8];
	uint64_t random = 88172645463325252u;

	for (size_t i = 0; i < STACK_BYTES / 8; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		words[i] = STACK_START + random % (STACK_BYTES / 16) * 8 + STACK_BYTES / 4;
	}
	return (const uint8_t *)words;
}

static void make_state(uint64_t pc, struct frame_state *state)
{
	static const uint8_t *stack;

	if (!stack)
		stack = random_stack();
	*state = (struct frame_state){.known = (1u << FRAME_REGISTERS) - 1,
				      .stack = stack,
				      .start = STACK_START,
				      .size = STACK_BYTES,
				      .is_exact = true};
	for (size_t i = 0; i < FRAME_REGISTERS; i++)
		state->reg[i] = STACK_START + STACK_BYTES / 2 + 8 * (i * 97 % 61);
	state->reg[FRAME_SP] = STACK_START + STACK_BYTES / 4;
	state->reg[FRAME_PC] = pc;
}

/* ---- files ---- */

struct counts {
	uint64_t places, bytes, with_caller, different, stops;
	uint64_t calls, followed, wrong; /* by the code behind calls */
};

/* struct subject - a file that is looked at */
struct subject {
	const char *name;
	Elf *elf;
	Dwarf_CFI *cfi;
	struct frame_file *file; /* for libdw's rows */
	const struct unwind_table *table;
	uint64_t to_address; /* of the segment with code: address - offset */
	uint64_t *places;    /* offsets where there may be another row */
	size_t n, capacity;
	struct counts counts;
};

static void add_place(struct subject *subject, uint64_t offset)
{
	assert_int_equal(op_array_fit(subject->places, subject->capacity, subject->n + 1), 0);
	subject->places[subject->n++] = offset;
}

/* Where code is.  Return: false if there is none, or some is elsewhere. */
static bool find_code(struct subject *subject)
{
	size_t n = 0, count;
	GElf_Phdr header;

	assert_int_equal(elf_getphdrnum(subject->elf, &count), 0);
	for (size_t i = 0; i < count; i++) {
		assert_non_null(gelf_getphdr(subject->elf, (int)i, &header));
		if (header.p_type != PT_LOAD || !(header.p_flags & PF_X))
			continue;
		if (n++ && subject->to_address != header.p_vaddr - header.p_offset)
			return false;
		subject->to_address = header.p_vaddr - header.p_offset;
	}
	return n;
}

/* Where libdw has other rows, from an offset up to another one. */
static void add_rows_of_libdw(struct subject *subject, uint64_t offset, uint64_t end)
{
	while (offset < end) {
		Dwarf_Addr behind;
		Dwarf_Frame *frame;

		add_place(subject, offset);
		if (dwarf_cfi_addrframe(subject->cfi, offset + subject->to_address, &frame))
			return;
		dwarf_frame_info(frame, NULL, &behind, NULL);
		free(frame);
		assert_true(behind - subject->to_address > offset);
		offset = behind - subject->to_address;
	}
}

/* Where the table has other rows. */
static void add_rows_of_table(struct subject *subject)
{
	const struct unwind_table *table = subject->table;
	const struct unwind_row *rows = unwind_table_rows(table);

	for (uint32_t page = 0; page < table->pages; page++) {
		for (uint32_t i = table->index[page]; i < table->index[page + 1]; i++)
			add_place(subject, (uint64_t)page << UNWIND_PAGE_BITS | rows[i].at);
	}
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x < y ? -1 : x > y;
}

/* The search table of the linker says where ranges start; all offsets are of four bytes. */
static void add_places(struct subject *subject)
{
	size_t names_section;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t ours;

	add_rows_of_table(subject);
	assert_int_equal(elf_getshdrstrndx(subject->elf, &names_section), 0);
	while ((section = elf_nextscn(subject->elf, section))) {
		struct op_reader reader;
		Elf_Data *data;
		uint32_t count;

		assert_non_null(gelf_getshdr(section, &header));
		if (strcmp(elf_strptr(subject->elf, names_section, header.sh_name),
			   ".eh_frame_hdr") != 0)
			continue;
		data = elf_rawdata(section, NULL);
		assert_non_null(data);
		reader = op_reader_of(data->d_buf, data->d_size, false);
		/* version 1, pcrel sdata4, udata4, datarel sdata4 */
		assert_int_equal(op_reader_u32(&reader), 0x3b031b01);
		op_reader_u32(&reader);
		count = op_reader_u32(&reader);
		for (uint32_t i = 0; i < count; i++) {
			uint64_t offset =
				header.sh_addr + (uint64_t)(int32_t)op_reader_u32(&reader);

			offset -= subject->to_address;
			op_reader_u32(&reader);
			add_place(subject, offset);
		}
		assert_false(reader.failed);
	}
	qsort(subject->places, subject->n, sizeof(*subject->places), compare_numbers);
	ours = subject->n;
	for (size_t i = 0; i + 1 < ours; i++)
		add_rows_of_libdw(subject, subject->places[i], subject->places[i + 1]);
	qsort(subject->places, subject->n, sizeof(*subject->places), compare_numbers);
}

/* ---- rows ---- */

static bool is_equal(const struct frame_state *state, bool goes_on,
		     const struct unwind_frame *frame, enum unwind_end end)
{
	bool knows_fp = state->known & 1u << FRAME_FP;

	if (goes_on != (end == UNWIND_GOES_ON))
		return false;
	return !goes_on ||
	       (state->reg[FRAME_PC] == frame->pc && state->reg[FRAME_SP] == frame->sp &&
		knows_fp == frame->knows_fp && (!knows_fp || state->reg[FRAME_FP] == frame->fp) &&
		state->is_exact == frame->is_exact);
}

/* Compares the rows of a place, which are valid for @bytes. */
static void compare_at(struct subject *subject, uint64_t offset, uint64_t bytes)
{
	const struct unwind_row *row = unwind_table_find(subject->table, offset);
	struct counts *counts = &subject->counts;
	struct unwind_frame frame;
	struct unwind_stack stack;
	struct frame_state state;
	enum unwind_end end;
	bool goes_on;

	make_state(offset, &state);
	stack = (struct unwind_stack){state.stack, state.start, state.size};
	frame = (struct unwind_frame){.pc = state.reg[FRAME_PC],
				      .sp = state.reg[FRAME_SP],
				      .fp = state.reg[FRAME_FP],
				      .knows_fp = true,
				      .registers = state.reg,
				      .known = state.known,
				      .is_exact = true};
	end = unwind_step(row, &stack, &frame);
	goes_on = frame_file_step(subject->file, offset, &state);
	counts->places++;
	counts->bytes += end == UNWIND_NO_ROW && !goes_on ? 0 : bytes;
	if (end == UNWIND_NOT_SIMPLE) {
		counts->stops += bytes;
		return;
	}
	counts->with_caller += goes_on ? bytes : 0;
	if (is_equal(&state, goes_on, &frame, end))
		return;
	if (!counts->different)
		print_message("%s: at %#" PRIx64 ": libdw goes on: %d, table: %d\n", subject->name,
			      offset, goes_on, end);
	counts->different += bytes;
}

/* In a PLT, the frame is another one from a byte of each stub on. */
static void compare_stubs(struct subject *subject, uint64_t offset, uint64_t bytes)
{
	uint64_t n = bytes < 16 ? bytes : 16;

	for (uint64_t i = 1; i < n; i++)
		compare_at(subject, offset + i, 1);
	compare_at(subject, offset, bytes - n + 1);
}

static void compare_file(struct subject *subject)
{
	add_places(subject);
	for (size_t i = 0; i + 1 < subject->n; i++) {
		uint64_t at = subject->places[i], bytes = subject->places[i + 1] - at;
		const struct unwind_row *row = unwind_table_find(subject->table, at);

		if (bytes && row && unwind_row_cfa(row) == UNWIND_PLT)
			compare_stubs(subject, at, bytes);
		else if (bytes)
			compare_at(subject, at, bytes);
	}
}

/* ---- code ---- */

/* Whether a function begins at an offset, as far as its row says so. */
static bool is_entry(const struct unwind_table *table, uint64_t offset)
{
	const struct unwind_row *row = unwind_table_find(table, offset);

	return row && unwind_row_cfa(row) == UNWIND_SP && row->cfa == 1;
}

/* What is behind a call, if the table has a rule of the same kind. */
static void compare_code(struct subject *subject, const uint8_t *code, size_t size, uint64_t offset)
{
	const struct unwind_row *row = unwind_table_find(subject->table, offset - 1);
	struct unwind_row found;

	if (!row || !unwind_code_row(code, size, false, &found) ||
	    unwind_row_cfa(row) != unwind_row_cfa(&found))
		return;
	subject->counts.followed++;
	if (found.cfa == row->cfa &&
	    (unwind_row_fp(&found) == UNWIND_FP_LOST ||
	     (unwind_row_fp(&found) == unwind_row_fp(row) && found.fp == row->fp)))
		return;
	if (!subject->counts.wrong++)
		print_message("%s: behind the call at %#" PRIx64 ": the code says %d, its table "
			      "%d\n",
			      subject->name, offset, found.cfa, row->cfa);
}

/* Calls are the bytes of direct ones that lead to where functions begin. */
static void follow_code(struct subject *subject, int fd)
{
	static uint8_t code[1 << 20];
	ssize_t n;

	for (uint64_t at = 0; (n = pread(fd, code, sizeof(code), (off_t)at)) > 5; at += (size_t)n) {
		for (size_t i = 5; i < (size_t)n; i++) {
			int32_t to;

			memcpy(&to, code + i - 4, sizeof(to));
			if (code[i - 5] != 0xe8 ||
			    !is_entry(subject->table, at + i + (uint64_t)(int64_t)to))
				continue;
			subject->counts.calls++;
			compare_code(subject, code + i, (size_t)n - i, at + i);
		}
	}
}

/* Return: false if the file is not there, or its code is elsewhere than code usually is. */
static bool look_at(const char *name, struct counts *all)
{
	struct subject subject = {.name = name};
	struct counts *counts = &subject.counts;
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	bool is_known;

	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	subject.elf = elf_begin(fd, ELF_C_READ, NULL);
	assert_non_null(subject.elf);
	subject.file = frame_file_open(dup(fd), false);
	subject.table = frame_file_table(subject.file);
	assert_non_null(subject.table);
	is_known = find_code(&subject);
	if (is_known) {
		subject.cfi = dwarf_getcfi_elf(subject.elf);
		assert_non_null(subject.cfi);
		assert_int_equal(subject.table->refused, 0);
		compare_file(&subject);
		follow_code(&subject, fd);
		print_message("%s: %" PRIu64 " places, %" PRIu64 " bytes, different: %" PRIu64
			      ", no simple rule: %" PRIu64 "; %" PRIu64 " calls, %" PRIu64
			      " followed, %" PRIu64 " wrong\n",
			      name, counts->places, counts->bytes, counts->different, counts->stops,
			      counts->calls, counts->followed, counts->wrong);
		/* otherwise little was compared */
		assert_true(counts->with_caller > counts->bytes / 2);
	}
	all->places += counts->places;
	all->bytes += counts->bytes;
	all->different += counts->different;
	all->stops += counts->stops;
	all->calls += counts->calls;
	all->followed += counts->followed;
	all->wrong += counts->wrong;
	dwarf_cfi_end(subject.cfi);
	frame_file_close(subject.file);
	elf_end(subject.elf);
	free(subject.places);
	close(fd);
	return is_known;
}

TEST(tables_of_stock_images_equal_libdw)
{
	struct counts all = {0};
	size_t n = 0;

	for (size_t i = 0; i < n_names; i++)
		n += look_at(names[i], &all);
	print_message("%zu files: %" PRIu64 " places, %" PRIu64 " bytes, different: %" PRIu64
		      ", no simple rule: %" PRIu64 "; %" PRIu64 " calls, %" PRIu64
		      " followed, %" PRIu64 " wrong\n",
		      n, all.places, all.bytes, all.different, all.stops, all.calls, all.followed,
		      all.wrong);
	assert_true(n >= (names == stock ? STOCK_LEAST : 1));
	assert_int_equal(all.different, 0);
	/* below 0.1 % */
	assert_true(1000 * all.stops < all.bytes);
	assert_true(10 * all.followed > all.calls);
	/* behind calls that never return, there is other code */
	assert_true(1000 * all.wrong <= all.followed);
}

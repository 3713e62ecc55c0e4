// SPDX-License-Identifier: GPL-2.0-or-later
/* Code that no table describes: the rows that follow from its instructions, and how it is read. */
#include <sys/mman.h>

#include "libop/base/array.h"
#include "libop/unwind/code.h"
#include "libop/unwind/code_cache.h"
#include "tests/unit/test.h"

/* ---- rows ---- */

/* struct sample_code - instructions from where code goes on, behind a call unless it is exact */
struct sample_code {
	const char *name, *bytes; /* in hexadecimal */
	bool is_exact;
	struct unwind_row row;
};

#define BY_SP(words)                                                                               \
	{                                                                                          \
		0, UNWIND_SP, UNWIND_FP_SAME, words, 0                                             \
	}
#define BY_FP(fp_from)                                                                             \
	{                                                                                          \
		0, UNWIND_FP, UNWIND_FP_AT_CFA, 2, fp_from                                         \
	}
#define NO_ROW                                                                                     \
	{                                                                                          \
		0, UNWIND_NONE, 0, 0, 0                                                            \
	}

static const struct sample_code samples[] = {
	/* what compilers of languages make to have a frame of their own */
	{"add 8; ret", "4883c408 c3", false, BY_SP(2)},
	{"endbr64; sub 8; call *rcx; add 8; ret", "f30f1efa 4883ec08 ffd1 4883c408 c3", true,
	 BY_SP(1)},
	{"call *rcx; add 8; ret", "ffd1 4883c408 c3", true, BY_SP(2)},
	{"ret", "c3", true, BY_SP(1)},
	{"pop rbp; ret", "5d c3", false, {0, UNWIND_SP, UNWIND_FP_AT_CFA, 2, -2}},
	{"push rbp; mov rbp, rsp; call *rcx; pop rbp; ret", "55 4889e5 ffd1 5d c3", true, BY_SP(1)},
	{"leave; ret", "c9 c3", false, BY_FP(-2)},
	{"mov rsp, rbp; pop rbp; ret", "4889ec 5d c3", false, BY_FP(-2)},
	{"lea rsp, [rbp-8]; pop rbx; pop rbp; ret", "488d65f8 5b 5d c3", false, BY_FP(-2)},
	{"add 0x118; pop rbx; pop r12; ret", "4881c418010000 5b 415c c3", false, BY_SP(38)},
	{"lea rsp, [rsp+0x28]; ret", "488d642428 c3", false, BY_SP(6)},
	{"sub -128; add 128; pop rbx; ret", "4883ec80 4881c480000000 5b c3", true, BY_SP(34)},
	{"mov rbp, [rsp+16]; add 24; ret",
	 "488b6c2410 4883c418 c3",
	 false,
	 {0, UNWIND_SP, UNWIND_FP_AT_CFA, 4, -2}},
	/* what does not matter */
	{"rep ret", "f3c3", true, BY_SP(1)},
	{"vzeroupper; nopw; add 8; ret", "c5f877 66660f1f840000000000 4883c408 c3", false,
	 BY_SP(2)},
	{"mov, xor, movzx, lea, test, cmov, set",
	 "4889c3 31c0 0fb603 488d0c40 4885db 480f44c1 0f94c0 "
	 "4883c408 c3",
	 false, BY_SP(2)},
	{"movabs; mov [rsp+8], rax; add [rip+1], 2",
	 "48b80102030405060708 4889442408 "
	 "83050100000002 4883c408 c3",
	 false, BY_SP(2)},
	{"test of the group; 16 bits", "f6c301 66f7c30100 6681c30100 4883c408 c3", false, BY_SP(2)},
	{"cmp rsp, [r15+8]; ja; pop rbx; ret", "493b6708 7705 5b c3", false, BY_SP(2)},
	{"cmp rsp, 8", "4883fc08 5b c3", false, BY_SP(2)},
	{"jmp over int3", "eb02 cccc 5b c3", false, BY_SP(2)},
	{"jne back is not taken", "75f0 0f85f0ffffff 5b c3", false, BY_SP(2)},
	{"call; call; pop rbx; ret", "e800000000 ff5308 5b c3", false, BY_SP(2)},
	{"push rsi; push rdi; call; add 16; pop rbx; ret", "56 57 e800000000 4883c410 5b c3", false,
	 BY_SP(2)},
	{"rbp is a number; pop rbp; ret",
	 "31ed 5d c3",
	 false,
	 {0, UNWIND_SP, UNWIND_FP_AT_CFA, 2, -2}},
	{"rbp is a number; pop rbx; ret",
	 "31ed 5b c3",
	 false,
	 {0, UNWIND_SP, UNWIND_FP_LOST, 2, 0}},
	{"xmm: movups, cvttsd2si, addsd", "0f100424 f20f2cc0 f20f58c1 5b c3", false, BY_SP(2)},
	/* what ends it */
	{"int3", "cc 5b c3", false, NO_ROW},
	{"zeroes", "0000 0000 0000 0000", false, NO_ROW},
	{"jmp *rax", "ffe0 5b c3", false, NO_ROW},
	{"jmp back", "ebfe 5b c3", false, NO_ROW},
	{"jmp beyond", "eb7f 5b c3", false, NO_ROW},
	{"ret 16", "c21000", true, NO_ROW},
	{"pop rsp", "5c c3", false, NO_ROW},
	{"mov rsp, rax", "4889c4 5b c3", false, NO_ROW},
	{"mov esp, ebp", "89ec 5d c3", false, NO_ROW},
	{"and rsp, -16", "4883e4f0 5b c3", false, NO_ROW},
	{"lea rsp, [rsp+rax]", "488d2404 5b c3", false, NO_ROW},
	{"lea rsp, [rax+8]", "488d6008 5b c3", false, NO_ROW},
	{"add rsp, rax", "4801c4 5b c3", false, NO_ROW},
	{"inc rsp", "48ffc4 5b c3", false, NO_ROW},
	{"xchg rsp, rax", "4887c4 5b c3", false, NO_ROW},
	{"mov rsp, a number", "48c7c400000000 5b c3", false, NO_ROW},
	{"mov spl, 1", "40b401 5b c3", false, NO_ROW},
	{"cmov rsp", "480f44e0 5b c3", false, NO_ROW},
	{"add 4: no word", "4883c404 c3", true, NO_ROW},
	{"leave without a frame pointer", "31ed c9 c3", false, NO_ROW},
	{"return to what was pushed", "50 c3", true, NO_ROW},
	{"vpaddd", "c5f5fec2 5b c3", false, NO_ROW},
	{"pushw", "6650 5b c3", false, NO_ROW},
	{"too far", "4881c4ffffff7f 4881c4ffffff7f c3", true, NO_ROW},
	{"a row has no such number", "4881c400000800 5b c3", false, NO_ROW},
	/* calls that never return, and the function behind them */
	{"endbr64 behind a call", "f30f1efa 4883ec08 ffd1 4883c408 c3", false, NO_ROW},
	{"sub 8; call; add 8; ret behind a call", "4883ec08 ffd1 4883c408 c3", false, NO_ROW},
	{"ret behind a call", "c3", false, NO_ROW},
	/* not whole */
	{"half of add", "4883", true, NO_ROW},
	{"half of a number", "4881c40001", true, NO_ROW},
	{"half of an address", "488d6424", true, NO_ROW},
	{"no return", "4883c408", false, NO_ROW},
	{"prefixes only", "66666666", false, NO_ROW},
	{"nothing", "", false, NO_ROW},
};

/* Memory of exactly so many bytes: a sanitiser sees what is read behind them. */
static uint8_t *bytes_of(const char *text, size_t *size)
{
	uint8_t *bytes = malloc(strlen(text) / 2 + 1), *exact;
	unsigned int byte;
	int taken;

	assert_non_null(bytes);
	for (*size = 0; sscanf(text, " %2x%n", &byte, &taken) == 1; text += taken)
		bytes[(*size)++] = (uint8_t)byte;
	exact = malloc(*size ? *size : 1);
	assert_non_null(exact);
	memcpy(exact, bytes, *size);
	free(bytes);
	return exact;
}

TEST(instructions_up_to_the_return_say_where_the_caller_is)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(samples); i++) {
		const struct sample_code *sample = &samples[i];
		bool has_row = unwind_row_cfa(&sample->row) != UNWIND_NONE;
		struct unwind_row row;
		size_t size;
		uint8_t *bytes = bytes_of(sample->bytes, &size);

		if (unwind_code_row(bytes, size, sample->is_exact, &row) != has_row ||
		    memcmp(&row, &sample->row, sizeof(row)) != 0)
			fail_msg("%s: base %u, fp %u, CFA %d, FP %d", sample->name, row.cfa_in,
				 row.fp_in, row.cfa, row.fp);
		free(bytes);
	}
}

TEST(code_is_followed_so_far_only)
{
	static uint8_t nops[2 * UNWIND_CODE_MOST];
	static const uint8_t long_nop[] = {0x66, 0x0f, 0x1f, 0x44, 0, 0};
	struct unwind_row row;

	/* instructions */
	memset(nops, 0x90, sizeof(nops));
	nops[63] = 0xc3;
	assert_true(unwind_code_row(nops, sizeof(nops), true, &row));
	nops[63] = 0x90;
	nops[64] = 0xc3;
	assert_false(unwind_code_row(nops, sizeof(nops), true, &row));
	/* bytes */
	for (size_t i = 0; i + sizeof(long_nop) <= sizeof(nops); i += sizeof(long_nop))
		memcpy(nops + i, long_nop, sizeof(long_nop));
	nops[252] = 0xc3;
	assert_true(unwind_code_row(nops, sizeof(nops), true, &row));
	memcpy(nops + 252, long_nop, sizeof(long_nop));
	nops[258] = 0xc3;
	assert_false(unwind_code_row(nops, sizeof(nops), true, &row));
}

TEST(rows_of_any_bytes_are_valid)
{
	uint64_t random = 88172645463325252u;
	uint8_t bytes[32];
	size_t found = 0;

	for (size_t i = 0; i < 200000; i++) {
		struct unwind_row row;

		for (size_t k = 0; k < sizeof(bytes); k++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			bytes[k] = (uint8_t)(random >> 32);
		}
		bytes[i % sizeof(bytes)] = 0xc3;
		found += unwind_code_row(bytes, i % sizeof(bytes) + 1, i & 1, &row);
		assert_true(unwind_row_is_valid(&row));
	}
	assert_uint_in_range(found, 1000, 200000);
}

/* ---- reading ---- */

/* A file whose bytes are the low ones of their offsets, but for pages, which are their numbers. */
static int make_file(size_t size)
{
	int fd = memfd_create("code", MFD_CLOEXEC);
	uint8_t *bytes = malloc(size);

	assert_true(fd >= 0 && bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(i % 256 ? i : i / CODE_BLOCK_SMALL);
	assert_int_equal(write(fd, bytes, size), size);
	free(bytes);
	return fd;
}

static uint8_t got[64];

static size_t read_at(struct code_cache *cache, const struct code_source *source, uint64_t address)
{
	memset(got, 0xee, sizeof(got));
	return code_cache_read(cache, source, address, got, sizeof(got));
}

TEST(code_is_read_across_blocks_and_up_to_the_end)
{
	struct code_cache *cache = calloc(1, sizeof(*cache));
	struct code_source source = {
		.number = 1, .fd = make_file(3 * CODE_BLOCK_SMALL), .end = INT64_MAX};

	assert_int_equal(read_at(cache, &source, 4090), sizeof(got));
	assert_int_equal(got[5], 0xff);
	assert_int_equal(got[6], 1);
	assert_int_equal(got[7], 1);
	/* the file has no more, */
	assert_int_equal(read_at(cache, &source, 3 * CODE_BLOCK_SMALL - 10), 10);
	assert_int_equal(read_at(cache, &source, 3 * CODE_BLOCK_SMALL), 0);
	/* or no more is mapped */
	source.number = 2;
	source.end = CODE_BLOCK_SMALL + 8;
	assert_int_equal(read_at(cache, &source, CODE_BLOCK_SMALL), 8);
	assert_int_equal(read_at(cache, &source, CODE_BLOCK_SMALL + 8), 0);
	source.start = CODE_BLOCK_SMALL;
	assert_int_equal(read_at(cache, &source, CODE_BLOCK_SMALL - 1), 0);
	close(source.fd);
	code_cache_free(cache);
	free(cache);
}

TEST(small_mappings_are_known_whole_when_their_process_is_gone)
{
	struct code_cache *cache = calloc(1, sizeof(*cache));
	struct code_source source = {
		.number = 1, .fd = make_file(4 * CODE_BLOCK_SMALL), .end = 4 * CODE_BLOCK_SMALL};
	int fd = source.fd;

	assert_int_equal(read_at(cache, &source, 0), sizeof(got));
	source.fd = -1;
	assert_int_equal(read_at(cache, &source, 3 * CODE_BLOCK_SMALL), sizeof(got));
	assert_int_equal(got[0], 3);
	/* another process */
	source.number = 2;
	assert_int_equal(read_at(cache, &source, 0), 0);
	/* of a large one, the page */
	source.fd = fd;
	source.end = CODE_BLOCK_MOST + 1;
	assert_int_equal(read_at(cache, &source, CODE_BLOCK_SMALL), sizeof(got));
	source.fd = -1;
	assert_int_equal(read_at(cache, &source, 0), 0);
	assert_int_equal(read_at(cache, &source, CODE_BLOCK_SMALL), sizeof(got));
	close(fd);
	code_cache_free(cache);
	free(cache);
}

TEST(code_is_read_again_when_it_is_old)
{
	struct code_cache *cache = calloc(1, sizeof(*cache));
	struct code_source source = {
		.number = 1, .fd = make_file(CODE_BLOCK_SMALL), .end = CODE_BLOCK_SMALL, .now = 10};
	const uint8_t changed = 0xcc;

	read_at(cache, &source, 0);
	assert_int_equal(pwrite(source.fd, &changed, 1, 1), 1);
	source.now = 15;
	source.until = 10;
	read_at(cache, &source, 0);
	assert_int_equal(got[1], 1);
	source.until = 11;
	read_at(cache, &source, 0);
	assert_int_equal(got[1], changed);
	/* of memory that is gone, what there was is still true */
	assert_int_equal(ftruncate(source.fd, 0), 0);
	source.until = source.now = 20;
	assert_int_equal(read_at(cache, &source, 0), sizeof(got));
	assert_int_equal(got[1], changed);
	close(source.fd);
	code_cache_free(cache);
	free(cache);
}

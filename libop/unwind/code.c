// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The caller of code that no table describes: see code.h.
 *
 * Registers but the stack pointer and the frame pointer do not matter, nor does what is in memory,
 * but for the frame pointer that the code itself has saved.
 */
#include "code.h"

#include <string.h>

#include "libop/base/array.h"

/* Instructions that are followed, at most. */
#define STEPS_MOST 64

#define UNALIGNED (-1)

/* By the processor's numbers; those above 7 are others. */
enum { REGISTER_SP = 4, REGISTER_FP = 5, NO_REGISTER = -1 };

/* struct place - an address of the stack: a register as it was at first, and bytes */
struct place {
	bool by_fp; /* the frame pointer; else the stack pointer */
	int32_t bytes;
};

/* What the frame pointer is. */
enum value {
	VALUE_SAME,  /* as it was at first */
	VALUE_AT,    /* the word at a place */
	VALUE_PLACE, /* the place itself */
	VALUE_LOST,
};

struct fp {
	enum value value;
	struct place place;
};

/* struct follower - code that is followed */
struct follower {
	const uint8_t *at, *end;
	struct place sp;
	struct fp fp, saved; /* @saved: what was pushed last, */
	struct place saved_at;
	bool has_saved;
	int32_t aligned; /* where the stack was at a call, to two words; UNALIGNED: nowhere yet */
	bool is_exact, has_returned;
};

/* struct instruction - one that is decoded */
struct instruction {
	uint8_t rex, opcode;
	bool is_two; /* its opcode follows 0x0f */
	bool is_word, is_repeated;
	uint8_t mod, reg, rm; /* registers with the bits of REX */
	uint8_t base;	      /* of an address: register, as far as it is only that and a number */
	bool is_plain;	      /* an address is @base + @offset */
	int32_t offset;
	int32_t number;
};

/* ---- what instructions look like ---- */

/* What follows an opcode, and what it writes. */
enum form {
	UNKNOWN = 0,
	PLAIN = 0x01, /* known, and nothing follows */
	MODRM = 0x02,
	BYTE = 0x04,	 /* a number of a byte, */
	LONG = 0x08,	 /* of four, or two with the prefix for words */
	TO_REG = 0x10,	 /* the register of ModRM is written, */
	TO_RM = 0x20,	 /* its other operand, */
	TO_OPCODE = 0x40 /* the register that is in the opcode */
};

struct range {
	uint8_t first, last;
	uint8_t form;
};

/* Opcodes of one byte.  Those below 0x40 are eight times the same. */
static const struct range single[] = {
	{0x50, 0x57, PLAIN},	      /* push */
	{0x58, 0x5f, TO_OPCODE},      /* pop */
	{0x63, 0x63, MODRM | TO_REG}, /* movslq */
	{0x69, 0x69, MODRM | LONG | TO_REG},
	{0x6b, 0x6b, MODRM | BYTE | TO_REG}, /* imul */
	{0x70, 0x7f, BYTE},		     /* jumps with a condition */
	{0x80, 0x80, MODRM | BYTE | TO_RM},
	{0x81, 0x81, MODRM | LONG | TO_RM},
	{0x83, 0x83, MODRM | BYTE | TO_RM},   /* add, sub, ... a number */
	{0x84, 0x85, MODRM},		      /* test */
	{0x86, 0x87, MODRM | TO_REG | TO_RM}, /* xchg */
	{0x88, 0x89, MODRM | TO_RM},
	{0x8a, 0x8b, MODRM | TO_REG}, /* mov */
	{0x8d, 0x8d, MODRM | TO_REG}, /* lea */
	{0x90, 0x90, PLAIN},	      /* nop */
	{0x98, 0x99, PLAIN},	      /* cltq, cqto */
	{0xa8, 0xa8, BYTE},
	{0xa9, 0xa9, LONG}, /* test */
	{0xb0, 0xb7, BYTE | TO_OPCODE},
	{0xb8, 0xbf, LONG | TO_OPCODE},	    /* mov a number */
	{0xc0, 0xc1, MODRM | BYTE | TO_RM}, /* shifts */
	{0xc2, 0xc3, PLAIN},		    /* ret */
	{0xc6, 0xc6, MODRM | BYTE | TO_RM},
	{0xc7, 0xc7, MODRM | LONG | TO_RM}, /* mov a number */
	{0xc9, 0xc9, PLAIN},		    /* leave */
	{0xd0, 0xd3, MODRM | TO_RM},	    /* shifts */
	{0xe8, 0xe9, LONG},		    /* call, jmp */
	{0xeb, 0xeb, BYTE},		    /* jmp */
	{0xf6, 0xf7, MODRM | TO_RM},	    /* test, not, neg, mul, div */
	{0xfe, 0xff, MODRM | TO_RM},	    /* inc, dec, call, push */
};

/* Those behind 0x0f; registers of vectors do not matter. */
static const struct range behind_0f[] = {
	{0x10, 0x17, MODRM},	      /* moves of vectors */
	{0x1e, 0x1f, MODRM},	      /* nop, endbr64 */
	{0x28, 0x2a, MODRM},	      /* moves, conversions */
	{0x2c, 0x2d, MODRM | TO_REG}, /* conversions */
	{0x2e, 0x2f, MODRM},	      /* comparisons */
	{0x40, 0x4f, MODRM | TO_REG}, /* cmov */
	{0x51, 0x5f, MODRM},	      /* arithmetic */
	{0x6e, 0x6f, MODRM},	      /* moves */
	{0x7e, 0x7e, MODRM | TO_RM},  {0x7f, 0x7f, MODRM},
	{0x80, 0x8f, LONG},					    /* jumps with a condition */
	{0x90, 0x9f, MODRM | TO_RM},				    /* set */
	{0xa3, 0xa3, MODRM},					    /* bt */
	{0xaf, 0xaf, MODRM | TO_REG},				    /* imul */
	{0xb6, 0xb7, MODRM | TO_REG}, {0xbe, 0xbf, MODRM | TO_REG}, /* movzx, movsx */
	{0xd6, 0xd6, MODRM},	      {0xef, 0xef, MODRM},
};

static unsigned int form_in(const struct range *ranges, size_t n, uint8_t opcode)
{
	for (size_t i = 0; i < n; i++) {
		if (opcode >= ranges[i].first && opcode <= ranges[i].last)
			return ranges[i].form;
	}
	return UNKNOWN;
}

/* add, or, adc, sbb, and, sub, xor, cmp, of which the last writes nothing */
static unsigned int form_of_arithmetic(uint8_t opcode)
{
	static const uint8_t forms[8] = {MODRM | TO_RM,	 MODRM | TO_RM, MODRM | TO_REG,
					 MODRM | TO_REG, BYTE,		LONG};
	unsigned int form = forms[opcode & 7];

	return opcode >= 0x38 ? form & ~(TO_RM | TO_REG) : form;
}

static unsigned int form_of(const struct instruction *it)
{
	if (it->is_two)
		return form_in(behind_0f, OP_ARRAY_SIZE(behind_0f), it->opcode);
	if (it->opcode < 0x40)
		return form_of_arithmetic(it->opcode);
	return form_in(single, OP_ARRAY_SIZE(single), it->opcode);
}

/* ---- decoding ---- */

/* Bytes of the code as a number with a sign.  Return: whether it has so many. */
static bool take_number(struct follower *code, size_t size, int32_t *number)
{
	int16_t word;

	if ((size_t)(code->end - code->at) < size)
		return false;
	if (size == 1) {
		*number = *code->at - (*code->at & 0x80 ? 0x100 : 0);
	} else if (size == 2) {
		memcpy(&word, code->at, 2);
		*number = word;
	} else {
		memcpy(number, code->at, 4);
	}
	code->at += size;
	return true;
}

static bool take_byte(struct follower *code, uint8_t *byte)
{
	if (code->at == code->end)
		return false;
	*byte = *code->at++;
	return true;
}

/* The address of an operand in memory. */
static bool take_address(struct follower *code, struct instruction *it)
{
	bool has_base = true;
	uint8_t index = 0x20;

	it->base = it->rm;
	if ((it->rm & 7) == 4) {
		if (!take_byte(code, &index))
			return false;
		it->base = (index & 7) | (it->rex & 1) << 3;
	}
	if (!it->mod && (it->base & 7) == 5)
		has_base = false;
	/* an index of 4 is none */
	it->is_plain = has_base && (index & 0x38) == 0x20 && !(it->rex & 2);
	if (!has_base || it->mod == 2)
		return take_number(code, 4, &it->offset);
	return it->mod != 1 || take_number(code, 1, &it->offset);
}

static bool take_operands(struct follower *code, struct instruction *it)
{
	uint8_t byte;

	if (!take_byte(code, &byte))
		return false;
	it->mod = byte >> 6;
	it->reg = (byte >> 3 & 7) | (it->rex & 4) << 1;
	it->rm = (byte & 7) | (it->rex & 1) << 3;
	return it->mod == 3 || take_address(code, it);
}

static bool take_opcode(struct follower *code, struct instruction *it)
{
	bool good = take_byte(code, &it->opcode);

	/* none of them changes what is written, nor how long it is, but that of words */
	for (; good && (it->opcode == 0x66 || it->opcode == 0xf2 || it->opcode == 0xf3 ||
			it->opcode == 0x2e || it->opcode == 0x3e || it->opcode == 0x64 ||
			it->opcode == 0x65);
	     good = take_byte(code, &it->opcode)) {
		it->is_word |= it->opcode == 0x66;
		it->is_repeated |= it->opcode == 0xf3;
	}
	if (good && (it->opcode & 0xf0) == 0x40) {
		it->rex = it->opcode;
		good = take_byte(code, &it->opcode);
	}
	if (good && it->opcode == 0x0f) {
		it->is_two = true;
		good = take_byte(code, &it->opcode);
	}
	return good;
}

/* The number that comes last.  test of the group 0xf6 has one, and mov may have eight bytes. */
static bool take_last(struct follower *code, struct instruction *it, unsigned int form)
{
	bool is_jump = it->is_two ? (it->opcode & 0xf0) == 0x80 : (it->opcode & 0xfc) == 0xe8;
	int32_t above;

	if (!it->is_two && (it->opcode & 0xfe) == 0xf6 && !(it->reg & 6))
		form |= it->opcode & 1 ? LONG : BYTE;
	if (form & BYTE)
		return take_number(code, 1, &it->number);
	if (!(form & LONG))
		return true;
	if (!take_number(code, it->is_word && !is_jump && !(it->rex & 8) ? 2 : 4, &it->number))
		return false;
	return !(form & TO_OPCODE) || !(it->rex & 8) || take_number(code, 4, &above);
}

/* Return: its form; UNKNOWN if it is not known, or not whole. */
static unsigned int take_instruction(struct follower *code, struct instruction *it)
{
	unsigned int form;

	*it = (struct instruction){0};
	form = take_opcode(code, it) ? form_of(it) : UNKNOWN;
	if (form & MODRM && !take_operands(code, it))
		return UNKNOWN;
	return form && take_last(code, it, form) ? form : UNKNOWN;
}

/* ---- following ---- */

static bool is_same_place(struct place a, struct place b)
{
	return a.by_fp == b.by_fp && a.bytes == b.bytes;
}

/* The value of the stack pointer, or of the frame pointer as far as it is a place. */
static bool follower_place_of(const struct follower *code, uint8_t number, struct place *place)
{
	if (number == REGISTER_SP) {
		*place = code->sp;
		return true;
	}
	if (number != REGISTER_FP)
		return false;
	if (code->fp.value == VALUE_SAME)
		*place = (struct place){.by_fp = true};
	else if (code->fp.value == VALUE_PLACE)
		*place = code->fp.place;
	return code->fp.value == VALUE_SAME || code->fp.value == VALUE_PLACE;
}

/* The address of an operand in the stack. */
static bool follower_address_of(const struct follower *code, const struct instruction *it,
				struct place *place)
{
	return it->mod != 3 && it->is_plain && follower_place_of(code, it->base, place) &&
	       !__builtin_add_overflow(place->bytes, it->offset, &place->bytes);
}

/* The frame pointer is read from the stack.  Below where the stack pointer was at first, there is
 * only what this code has pushed, and that was not done yet. */
static void follower_load_fp(struct follower *code, struct place from)
{
	if (code->has_saved && is_same_place(from, code->saved_at))
		code->fp = code->saved;
	else if (from.by_fp || from.bytes >= 0)
		code->fp = (struct fp){VALUE_AT, from};
	else
		code->fp.value = VALUE_LOST;
}

static bool follower_move_sp(struct follower *code, int32_t bytes)
{
	return !__builtin_add_overflow(code->sp.bytes, bytes, &code->sp.bytes);
}

static bool follower_push(struct follower *code, int number)
{
	if (!follower_move_sp(code, -UNWIND_WORD))
		return false;
	if (number == REGISTER_FP) {
		code->saved = code->fp;
		code->saved_at = code->sp;
		code->has_saved = true;
	} else if (code->has_saved && is_same_place(code->sp, code->saved_at)) {
		code->has_saved = false;
	}
	return true;
}

static bool follower_pop(struct follower *code, int number)
{
	if (number == REGISTER_SP)
		return false;
	if (number == REGISTER_FP)
		follower_load_fp(code, code->sp);
	return follower_move_sp(code, UNWIND_WORD);
}

/*
 * At a call the stack is aligned to two words.  If it is not so at a second one, or where the
 * code returns, the first has never returned, and what is behind it is other code.
 */
static bool follower_is_aligned(const struct follower *code, int32_t bytes)
{
	return code->sp.by_fp || code->aligned == UNALIGNED ||
	       (bytes & (2 * UNWIND_WORD - 1)) == code->aligned;
}

static bool follower_call(struct follower *code)
{
	if (!follower_is_aligned(code, code->sp.bytes))
		return false;
	if (!code->sp.by_fp)
		code->aligned = code->sp.bytes & (2 * UNWIND_WORD - 1);
	return true;
}

static bool follower_leave(struct follower *code)
{
	return follower_place_of(code, REGISTER_FP, &code->sp) && follower_pop(code, REGISTER_FP);
}

/* Forward only, so that it comes to an end. */
static bool follower_jump(struct follower *code, int32_t bytes)
{
	if (bytes < 0 || bytes > code->end - code->at)
		return false;
	code->at += bytes;
	return true;
}

/* add, sub, lea and mov to the stack pointer, of all its bits. */
static bool follower_set_sp(struct follower *code, const struct instruction *it)
{
	if (!(it->rex & 8) || it->is_two)
		return false;
	if (it->opcode == 0x8d)
		return follower_address_of(code, it, &code->sp);
	if (it->opcode == 0x89 || it->opcode == 0x8b)
		return it->mod == 3 &&
		       follower_place_of(code, it->opcode == 0x89 ? it->reg : it->rm, &code->sp);
	if ((it->opcode != 0x81 && it->opcode != 0x83) || it->number == INT32_MIN)
		return false;
	if (it->reg == 5)
		return follower_move_sp(code, -it->number);
	return !it->reg && follower_move_sp(code, it->number);
}

/* Most code with an unknown value there restores it from the stack before it returns. */
static void follower_set_fp(struct follower *code, const struct instruction *it)
{
	struct place place;

	if (it->rex & 8 && !it->is_two && it->opcode == 0x8d &&
	    follower_address_of(code, it, &place))
		code->fp = (struct fp){VALUE_PLACE, place};
	else if (it->rex & 8 && !it->is_two && it->opcode == 0x8b &&
		 follower_address_of(code, it, &place))
		follower_load_fp(code, place);
	else if (it->rex & 8 && !it->is_two && it->mod == 3 &&
		 ((it->opcode == 0x89 && it->reg == REGISTER_SP) ||
		  (it->opcode == 0x8b && it->rm == REGISTER_SP)))
		code->fp = (struct fp){VALUE_PLACE, code->sp};
	else
		code->fp.value = VALUE_LOST;
}

/* One that writes registers as its form says.  Comparisons are of the forms of others. */
static bool follower_write(struct follower *code, const struct instruction *it, unsigned int form)
{
	const bool to_reg = form & TO_REG;
	bool to_rm = form & TO_RM && it->mod == 3;

	if (!it->is_two && (it->opcode & 0xfc) == 0x80)
		to_rm &= it->reg != 7; /* cmp */
	if (!it->is_two && (it->opcode & 0xfe) == 0xf6)
		to_rm &= it->reg == 2 || it->reg == 3; /* not, neg */
	if ((to_reg && it->reg == REGISTER_SP) || (to_rm && it->rm == REGISTER_SP))
		return follower_set_sp(code, it);
	if ((to_reg && it->reg == REGISTER_FP) || (to_rm && it->rm == REGISTER_FP))
		follower_set_fp(code, it);
	if (form & TO_OPCODE) {
		uint8_t number = (it->opcode & 7) | (it->rex & 1) << 3;

		if (number == REGISTER_FP)
			code->fp.value = VALUE_LOST;
		return number != REGISTER_SP;
	}
	return true;
}

/* inc, dec, call, push; not a jump to anywhere. */
static bool follower_group(struct follower *code, const struct instruction *it, unsigned int form)
{
	switch (it->reg & 7) {
	case 0:
	case 1:
		return follower_write(code, it, form);
	case 2:
		return it->opcode == 0xff && follower_call(code);
	case 6:
		return it->opcode == 0xff && follower_push(code, NO_REGISTER);
	default:
		return false;
	}
}

/* A function begins here: what comes before has not gone on, or this is the function itself. */
static bool is_entry(const struct instruction *it)
{
	return it->is_two && it->opcode == 0x1e && it->is_repeated && it->mod == 3;
}

static bool follower_do(struct follower *code, const struct instruction *it, unsigned int form)
{
	int number = (it->opcode & 7) | (it->rex & 1) << 3;

	if (it->is_two)
		return (code->is_exact || !is_entry(it)) && follower_write(code, it, form);
	switch (it->opcode) {
	case 0x50 ... 0x57:
		return !it->is_word && follower_push(code, number);
	case 0x58 ... 0x5f:
		return !it->is_word && follower_pop(code, number);
	case 0xc2: /* takes arguments along, which no row says */
		return false;
	case 0xc3:
		code->has_returned = true;
		return true;
	case 0xc9:
		return follower_leave(code);
	case 0xe8:
		return follower_call(code);
	case 0xe9:
	case 0xeb:
		return follower_jump(code, it->number);
	case 0xfe:
	case 0xff:
		return follower_group(code, it, form);
	default:
		return follower_write(code, it, form);
	}
}

/* vzeroupper, which stands before a return. */
static bool pass_vzeroupper(struct follower *code)
{
	static const uint8_t bytes[] = {0xc5, 0xf8, 0x77};

	if (code->end - code->at < 3 || memcmp(code->at, bytes, sizeof(bytes)) != 0)
		return false;
	code->at += sizeof(bytes);
	return true;
}

/* ---- rows ---- */

/* Return: whether the bytes are words that a row can have. */
static bool to_words(int64_t bytes, __s16 *words)
{
	*words = (__s16)(bytes / UNWIND_WORD);
	return bytes % UNWIND_WORD == 0 && bytes / UNWIND_WORD == *words;
}

/* Where it returns.  Below where the stack pointer was at first there is no return address. */
static bool make_row(const struct follower *code, struct unwind_row *row)
{
	const struct fp *fp = &code->fp;
	int64_t cfa = (int64_t)code->sp.bytes + UNWIND_WORD;

	if ((!code->sp.by_fp && code->sp.bytes < 0) ||
	    !follower_is_aligned(code, code->sp.bytes + UNWIND_WORD) || !to_words(cfa, &row->cfa))
		return false;
	row->cfa_in = code->sp.by_fp ? UNWIND_FP : UNWIND_SP;
	row->fp_in = UNWIND_FP_LOST;
	if (fp->value == VALUE_SAME)
		row->fp_in = UNWIND_FP_SAME;
	else if (fp->value == VALUE_AT && fp->place.by_fp == code->sp.by_fp &&
		 to_words(fp->place.bytes - cfa, &row->fp))
		row->fp_in = UNWIND_FP_AT_CFA;
	return true;
}

bool unwind_code_row(const uint8_t *code, size_t size, bool is_exact, struct unwind_row *row)
{
	struct follower follower = {
		.at = code,
		.end = code + (size < UNWIND_CODE_MOST ? size : UNWIND_CODE_MOST),
		.is_exact = is_exact,
		.aligned = is_exact ? UNALIGNED : 0,
	};

	for (int i = 0; i < STEPS_MOST && !follower.has_returned; i++) {
		struct instruction it;
		unsigned int form;

		if (pass_vzeroupper(&follower))
			continue;
		form = take_instruction(&follower, &it);
		if (!form || !follower_do(&follower, &it, form))
			break;
	}
	*row = (struct unwind_row){.cfa_in = UNWIND_NONE};
	if (follower.has_returned && make_row(&follower, row))
		return true;
	*row = (struct unwind_row){.cfa_in = UNWIND_NONE};
	return false;
}

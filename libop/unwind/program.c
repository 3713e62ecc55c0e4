// SPDX-License-Identifier: GPL-2.0-or-later
/* Programs of call frame information: see program.h. */
#include "program.h"

#include <dwarf.h>

/* The registers of x86-64 by DWARF's numbers; the last is the return address. */
#define FP 6
#define SP 7
#define RA 16

/* States that are remembered at a time; compilers nest two. */
#define REMEMBERED_MOST 16

/* Where the return address is after a call, from the CFA. */
#define RETURN_AT (-UNWIND_WORD)

/* ---- from a state to a row ---- */

/* An offset in words.  Return: whether it fits. */
static bool to_words(int64_t offset, int16_t *words)
{
	*words = (int16_t)(offset / UNWIND_WORD);
	return offset % UNWIND_WORD == 0 && *words == offset / UNWIND_WORD;
}

/* Takes "the stack pointer, or frame pointer, + offset". */
static bool take_base(struct op_reader *reader, uint64_t *base, int64_t *offset)
{
	uint8_t atom = op_reader_u8(reader);

	*base = (uint64_t)atom - DW_OP_breg0;
	*offset = op_reader_leb128_signed(reader);
	return !reader->failed && (atom == DW_OP_breg0 + FP || atom == DW_OP_breg0 + SP);
}

/* Linkers say of PLT stubs: stack pointer + 8 + ((code address & 15) >= N) << 3. */
static bool take_plt(struct op_reader reader, struct unwind_row *row)
{
	uint8_t from;

	if (op_reader_u8(&reader) != DW_OP_breg16 || op_reader_u8(&reader) != 0 ||
	    op_reader_u8(&reader) != DW_OP_lit15 || op_reader_u8(&reader) != DW_OP_and)
		return false;
	from = op_reader_u8(&reader);
	if (from < DW_OP_lit0 || from > DW_OP_lit15 || op_reader_u8(&reader) != DW_OP_ge ||
	    op_reader_u8(&reader) != DW_OP_lit3 || op_reader_u8(&reader) != DW_OP_shl ||
	    op_reader_u8(&reader) != DW_OP_plus || op_reader_left(&reader))
		return false;
	row->cfa_in = (uint8_t)(UNWIND_PLT | (from - DW_OP_lit0) << UNWIND_EXTRA_SHIFT);
	return true;
}

/* The word there, and perhaps some more words. */
static bool take_deref(struct op_reader *reader, bool is_fp, struct unwind_row *row)
{
	uint64_t more = 0;

	if (op_reader_u8(reader) != DW_OP_deref)
		return false;
	if (op_reader_left(reader)) {
		if (op_reader_u8(reader) != DW_OP_plus_uconst)
			return false;
		more = op_reader_leb128(reader);
	}
	if (reader->failed || op_reader_left(reader) || more % UNWIND_WORD ||
	    more / UNWIND_WORD > UNWIND_EXTRA_MOST)
		return false;
	row->cfa_in = (uint8_t)((is_fp ? UNWIND_AT_FP : UNWIND_AT_SP) |
				more / UNWIND_WORD << UNWIND_EXTRA_SHIFT);
	return true;
}

/* @base: set to the register that the CFA is found with */
static bool take_cfa(const struct cfi_state *state, struct unwind_row *row, uint64_t *base)
{
	struct op_reader reader = op_reader_of(state->cfa.bytes, state->cfa.length, false);
	int64_t offset = state->cfa_offset;

	*base = state->cfa_register;
	if (*base != CFI_BY_EXPRESSION) {
		row->cfa_in = *base == FP   ? UNWIND_FP
			      : *base == SP ? UNWIND_SP
					    : (uint8_t)(UNWIND_OTHER | *base << UNWIND_EXTRA_SHIFT);
		return *base < RA && to_words(offset, &row->cfa);
	}
	if (!take_base(&reader, base, &offset) || !to_words(offset, &row->cfa))
		return false;
	return (*base == SP && take_plt(reader, row)) || take_deref(&reader, *base == FP, row);
}

/* Whether a rule is "in the word at base + offset". */
static bool is_at_base(const struct cfi_rule *rule, uint64_t base, int16_t *words)
{
	struct op_reader reader =
		op_reader_of(rule->expression.bytes, rule->expression.length, false);
	uint64_t from;
	int64_t offset;

	return rule->kind == CFI_AT_EXPRESSION && take_base(&reader, &from, &offset) &&
	       from == base && !op_reader_left(&reader) && to_words(offset, words);
}

static bool take_fp(const struct cfi_rule *rule, uint64_t base, struct unwind_row *row)
{
	switch (rule->kind) {
	case CFI_SAME:
		row->fp_in |= UNWIND_FP_SAME;
		return true;
	case CFI_UNDEFINED:
		row->fp_in |= UNWIND_FP_LOST;
		return true;
	case CFI_AT:
		row->fp_in |= UNWIND_FP_AT_CFA;
		return to_words(rule->offset, &row->fp);
	case CFI_AT_EXPRESSION:
		row->fp_in |= UNWIND_FP_AT_BASE;
		return is_at_base(rule, base, &row->fp);
	default:
		return false;
	}
}

static bool take_ra(const struct cfi_rule *rule, uint64_t base, struct unwind_row *row)
{
	enum unwind_cfa kind = unwind_row_cfa(row);
	int16_t words;

	if (rule->kind == CFI_AT)
		return rule->offset == RETURN_AT;
	row->fp_in |= UNWIND_RETURN_BEHIND;
	return (kind == UNWIND_AT_SP || kind == UNWIND_AT_FP) && is_at_base(rule, base, &words) &&
	       words == row->cfa + 1;
}

static const struct unwind_row root = {.cfa_in = UNWIND_ROOT}, stop = {.cfa_in = UNWIND_STOP};

static struct unwind_row make_row(const struct cfi_state *state, bool is_signal)
{
	struct unwind_row row = {.fp_in = is_signal ? UNWIND_SIGNAL : 0};
	uint64_t base;

	if (state->ra.kind == CFI_UNDEFINED)
		return root;
	if (!take_cfa(state, &row, &base) || !take_fp(&state->fp, base, &row) ||
	    !take_ra(&state->ra, base, &row))
		return stop;
	return row;
}

/* ---- instructions ---- */

struct machine {
	struct op_reader program;
	const struct cfi_common *common;
	struct cfi_state state, remembered[REMEMBERED_MOST];
	size_t n;	  /* remembered */
	bool in_common;	  /* these are the initial instructions */
	uint64_t advance; /* bytes of code to go on by */
};

/* Rules of other registers are passed over; the caller's stack pointer is the CFA. */
static bool set_rule(struct machine *machine, uint64_t number, struct cfi_rule rule)
{
	if (number == FP)
		machine->state.fp = rule;
	else if (number == RA)
		machine->state.ra = rule;
	return true;
}

static bool set_kind(struct machine *machine, uint64_t number, enum cfi_rule_kind kind)
{
	return set_rule(machine, number, (struct cfi_rule){.kind = kind});
}

static bool set_at(struct machine *machine, uint64_t number, int64_t offset)
{
	return set_rule(machine, number, (struct cfi_rule){.kind = CFI_AT, .offset = offset});
}

static bool restore_rule(struct machine *machine, uint64_t number)
{
	const struct cfi_state *start = &machine->common->start;

	return !machine->in_common &&
	       set_rule(machine, number, number == FP ? start->fp : start->ra);
}

static int64_t scaled(const struct machine *machine, uint64_t offset)
{
	return (int64_t)(offset * (uint64_t)machine->common->data_factor);
}

static struct cfi_expression take_expression(struct op_reader *reader)
{
	struct cfi_expression expression;

	expression.length = op_reader_leb128(reader);
	expression.bytes = op_reader_take(reader, expression.length);
	return expression;
}

static bool go_on(struct machine *machine, uint64_t units)
{
	return !__builtin_mul_overflow(units, machine->common->code_factor, &machine->advance) &&
	       !machine->in_common;
}

static bool set_cfa(struct machine *machine, uint64_t number, int64_t offset)
{
	machine->state.cfa_register = number;
	machine->state.cfa_offset = offset;
	return number != CFI_BY_EXPRESSION;
}

/* Keeps the register. */
static bool set_cfa_offset(struct machine *machine, int64_t offset)
{
	return set_cfa(machine, machine->state.cfa_register, offset);
}

static bool remember(struct machine *machine)
{
	if (machine->n == REMEMBERED_MOST)
		return false;
	machine->remembered[machine->n++] = machine->state;
	return true;
}

static bool restore(struct machine *machine)
{
	if (!machine->n)
		return false;
	machine->state = machine->remembered[--machine->n];
	return true;
}

static bool run_cfa(struct machine *machine, uint8_t code)
{
	struct op_reader *program = &machine->program;
	uint64_t number;

	switch (code) {
	case DW_CFA_def_cfa:
		number = op_reader_leb128(program);
		return set_cfa(machine, number, (int64_t)op_reader_leb128(program));
	case DW_CFA_def_cfa_sf:
		number = op_reader_leb128(program);
		return set_cfa(machine, number,
			       scaled(machine, (uint64_t)op_reader_leb128_signed(program)));
	case DW_CFA_def_cfa_register:
		return machine->state.cfa_register != CFI_BY_EXPRESSION &&
		       set_cfa(machine, op_reader_leb128(program), machine->state.cfa_offset);
	case DW_CFA_def_cfa_offset:
		return set_cfa_offset(machine, (int64_t)op_reader_leb128(program));
	case DW_CFA_def_cfa_offset_sf:
		return set_cfa_offset(machine,
				      scaled(machine, (uint64_t)op_reader_leb128_signed(program)));
	case DW_CFA_def_cfa_expression:
		set_cfa(machine, CFI_BY_EXPRESSION, 0);
		machine->state.cfa = take_expression(program);
		return true;
	default:
		return false;
	}
}

static bool run_register(struct machine *machine, uint8_t code)
{
	struct op_reader *program = &machine->program;
	uint64_t number = op_reader_leb128(program);

	switch (code) {
	case DW_CFA_offset_extended:
		return set_at(machine, number, scaled(machine, op_reader_leb128(program)));
	case DW_CFA_offset_extended_sf:
		return set_at(machine, number,
			      scaled(machine, (uint64_t)op_reader_leb128_signed(program)));
	case DW_CFA_GNU_negative_offset_extended:
		return set_at(machine, number, scaled(machine, -op_reader_leb128(program)));
	case DW_CFA_restore_extended:
		return restore_rule(machine, number);
	case DW_CFA_undefined:
		return set_kind(machine, number, CFI_UNDEFINED);
	case DW_CFA_same_value:
		/* of the return address: it would be where it is */
		return set_kind(machine, number, number == RA ? CFI_OTHER : CFI_SAME);
	case DW_CFA_register:
	case DW_CFA_val_offset:
		op_reader_leb128(program);
		return set_kind(machine, number, CFI_OTHER);
	case DW_CFA_val_offset_sf:
		op_reader_leb128_signed(program);
		return set_kind(machine, number, CFI_OTHER);
	case DW_CFA_expression:
		return set_rule(machine, number,
				(struct cfi_rule){.kind = CFI_AT_EXPRESSION,
						  .expression = take_expression(program)});
	case DW_CFA_val_expression:
		take_expression(program);
		return set_kind(machine, number, CFI_OTHER);
	default:
		return false;
	}
}

/* Return: whether there was a valid instruction; @machine->advance is set. */
static bool run_one(struct machine *machine)
{
	struct op_reader *program = &machine->program;
	uint8_t code = op_reader_u8(program), low = code & 0x3f;

	machine->advance = 0;
	switch (code & 0xc0) {
	case DW_CFA_advance_loc:
		return go_on(machine, low);
	case DW_CFA_offset:
		return set_at(machine, low, scaled(machine, op_reader_leb128(program)));
	case DW_CFA_restore:
		return restore_rule(machine, low);
	}
	switch (code) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_advance_loc1:
		return go_on(machine, op_reader_u8(program));
	case DW_CFA_advance_loc2:
		return go_on(machine, op_reader_u16(program));
	case DW_CFA_advance_loc4:
		return go_on(machine, op_reader_u32(program));
	case DW_CFA_MIPS_advance_loc8:
		return go_on(machine, op_reader_u64(program));
	case DW_CFA_remember_state:
		return remember(machine);
	case DW_CFA_restore_state:
		return restore(machine);
	case DW_CFA_GNU_args_size:
		op_reader_leb128(program);
		return true;
	default:
		return run_cfa(machine, code) || run_register(machine, code);
	}
}

static bool program_run(struct machine *machine)
{
	return run_one(machine) && !machine->program.failed;
}

bool cfi_run_common(struct op_reader program, struct cfi_common *common)
{
	struct machine machine = {.program = program, .common = common, .in_common = true};

	/* The ABI preserves the frame pointer.  Of a return address nothing is said. */
	machine.state.ra.kind = CFI_OTHER;
	while (op_reader_left(&machine.program)) {
		if (!program_run(&machine))
			return false;
	}
	common->start = machine.state;
	return true;
}

void cfi_run(const struct cfi_range *range, cfi_row_taker *take, void *context)
{
	const struct cfi_common *common = range->common;
	uint64_t at = range->start;
	struct machine machine;
	struct unwind_row row;

	/* not all of it: what is remembered is large */
	machine.program = range->program;
	machine.common = common;
	machine.state = common->start;
	machine.n = 0;
	machine.in_common = false;
	while (op_reader_left(&machine.program)) {
		if (!program_run(&machine)) {
			take(context, at, range->end, &stop);
			return;
		}
		if (!machine.advance)
			continue;
		if (machine.advance >= range->end - at)
			break;
		row = make_row(&machine.state, common->is_signal);
		take(context, at, at + machine.advance, &row);
		at += machine.advance;
	}
	row = make_row(&machine.state, common->is_signal);
	take(context, at, range->end, &row);
}

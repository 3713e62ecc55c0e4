// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DWARF expressions of call frame information: see frame_value.h.
 */
#include "frame_value.h"

#include <dwarf.h>
#include <string.h>

#define DEPTH 16 /* compilers need three or four */

struct machine {
	const struct frame_state *state;
	uint64_t stack[DEPTH];
	size_t depth;
	bool is_value; /* DW_OP_stack_value was met */
};

/* Reads a word of the stack.  Return: whether it is known. */
static bool frame_read(const struct frame_state *state, uint64_t address, uint64_t *value)
{
	if (address < state->start || state->size < sizeof(*value) ||
	    address - state->start > state->size - sizeof(*value))
		return false;
	memcpy(value, state->stack + (address - state->start), sizeof(*value));
	return true;
}

static bool frame_value_push(struct machine *machine, uint64_t value)
{
	if (machine->depth == DEPTH)
		return false;
	machine->stack[machine->depth++] = value;
	return true;
}

static bool push_register(struct machine *machine, uint64_t number, uint64_t offset)
{
	if (number >= FRAME_REGISTERS || !(machine->state->known & 1u << number))
		return false;
	return frame_value_push(machine, machine->state->reg[number] + offset);
}

static uint64_t calculate(uint8_t atom, uint64_t a, uint64_t b)
{
	switch (atom) {
	case DW_OP_plus:
		return a + b;
	case DW_OP_minus:
		return a - b;
	case DW_OP_mul:
		return a * b;
	case DW_OP_and:
		return a & b;
	case DW_OP_or:
		return a | b;
	case DW_OP_shl:
		return b < 64 ? a << b : 0;
	case DW_OP_shr:
		return b < 64 ? a >> b : 0;
	case DW_OP_eq:
		return a == b;
	case DW_OP_ne:
		return a != b;
	case DW_OP_ge:
		return (int64_t)a >= (int64_t)b;
	case DW_OP_gt:
		return (int64_t)a > (int64_t)b;
	case DW_OP_le:
		return (int64_t)a <= (int64_t)b;
	default: /* DW_OP_lt */
		return (int64_t)a < (int64_t)b;
	}
}

static bool is_calculation(uint8_t atom)
{
	static const uint8_t atoms[] = {DW_OP_plus, DW_OP_minus, DW_OP_mul, DW_OP_and, DW_OP_or,
					DW_OP_shl,  DW_OP_shr,	 DW_OP_eq,  DW_OP_ne,  DW_OP_ge,
					DW_OP_gt,   DW_OP_le,	 DW_OP_lt};

	return memchr(atoms, atom, sizeof(atoms));
}

static bool step(struct machine *machine, const Dwarf_Op *op)
{
	uint64_t *top = machine->stack + machine->depth - (machine->depth > 0);

	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return frame_value_push(machine, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_register(machine, op->atom - DW_OP_breg0, op->number);
	if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts)
		return frame_value_push(machine, op->number);
	if (is_calculation(op->atom)) {
		if (machine->depth < 2)
			return false;
		top[-1] = calculate(op->atom, top[-1], *top);
		machine->depth--;
		return true;
	}
	switch (op->atom) {
	case DW_OP_bregx:
		return push_register(machine, op->number, op->number2);
	case DW_OP_call_frame_cfa:
		return frame_value_push(machine, machine->state->cfa);
	case DW_OP_plus_uconst:
		if (machine->depth)
			*top += op->number;
		return machine->depth;
	case DW_OP_deref:
		return machine->depth && frame_read(machine->state, *top, top);
	case DW_OP_dup:
		return machine->depth && frame_value_push(machine, *top);
	case DW_OP_stack_value:
		machine->is_value = true;
		return true;
	case DW_OP_nop:
		return true;
	default:
		return false;
	}
}

/* DW_OP_reg is a location in a register, which has no address. */
static bool is_register(const Dwarf_Op *op, size_t count)
{
	return count == 1 &&
	       ((op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) || op->atom == DW_OP_regx);
}

bool frame_value(const struct frame_state *state, const Dwarf_Op *op, size_t count,
		 bool is_location, uint64_t *value)
{
	struct machine machine = {.state = state};

	if (is_register(op, count)) {
		if (!push_register(&machine,
				   op->atom == DW_OP_regx ? op->number
							  : op->atom - (uint64_t)DW_OP_reg0,
				   0))
			return false;
		*value = machine.stack[0];
		return true;
	}
	for (size_t i = 0; i < count; i++) {
		if (!step(&machine, &op[i]))
			return false;
	}
	if (!machine.depth)
		return false;
	*value = machine.stack[machine.depth - 1];
	return !is_location || machine.is_value || frame_read(state, *value, value);
}

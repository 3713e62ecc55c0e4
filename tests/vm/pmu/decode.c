// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intel SDM volume 2, appendix A (opcode maps).
 */
#include "decode.h"

static bool is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66:
	case 0x67:
	case 0xf0:
	case 0xf2:
	case 0xf3:
		return true;
	}
	return false;
}

/* opcodes after 0x0f */
static enum pmu_quantity branch_0f(uint8_t opcode)
{
	switch (opcode) {
	case 0x80 ... 0x8f:
		return PMU_CONDITIONAL;
	case 0x05: /* syscall */
	case 0x07: /* sysret */
	case 0x34: /* sysenter */
	case 0x35: /* sysexit */
		return PMU_FAR;
	}
	return PMU_INSTRUCTIONS;
}

/* the group of opcode 0xff, chosen by a field of the next byte */
static enum pmu_quantity branch_ff(uint8_t modrm)
{
	switch (modrm >> 3 & 7) {
	case 2:
		return PMU_CALL;
	case 4:
		return PMU_JUMP;
	case 3:
	case 5:
		return PMU_FAR;
	}
	return PMU_INSTRUCTIONS;
}

static enum pmu_quantity branch(uint8_t opcode, bool is_64bit)
{
	switch (opcode) {
	case 0x70 ... 0x7f:
	case 0xe0 ... 0xe3: /* loops */
		return PMU_CONDITIONAL;
	case 0xe9:
	case 0xeb:
		return PMU_JUMP;
	case 0xe8:
		return PMU_CALL;
	case 0xc2:
	case 0xc3:
		return PMU_RETURN;
	case 0xca:
	case 0xcb:
	case 0xcc: /* int3 */
	case 0xcd: /* int */
	case 0xcf: /* iret */
		return PMU_FAR;
	case 0x9a:
	case 0xea:
	case 0xce: /* into */
		return is_64bit ? PMU_INSTRUCTIONS : PMU_FAR;
	}
	return PMU_INSTRUCTIONS;
}

static bool is_string(uint8_t opcode)
{
	return (opcode >= 0x6c && opcode <= 0x6f) || (opcode >= 0xa4 && opcode <= 0xa7) ||
	       (opcode >= 0xaa && opcode <= 0xaf);
}

struct pmu_instruction pmu_decode(const uint8_t *bytes, size_t size, bool is_64bit)
{
	struct pmu_instruction instruction = { .branch = PMU_INSTRUCTIONS };
	bool rep = false;
	size_t i = 0;

	for (; i < size && is_prefix(bytes[i]); i++)
		rep |= bytes[i] == 0xf2 || bytes[i] == 0xf3;
	if (is_64bit && i < size && (bytes[i] & 0xf0) == 0x40)
		i++; /* REX */
	if (i >= size)
		return instruction;
	if (bytes[i] == 0x0f)
		instruction.branch = i + 1 < size ? branch_0f(bytes[i + 1]) : PMU_INSTRUCTIONS;
	else if (bytes[i] == 0xff)
		instruction.branch = i + 1 < size ? branch_ff(bytes[i + 1]) : PMU_INSTRUCTIONS;
	else
		instruction.branch = branch(bytes[i], is_64bit);
	instruction.repeated = rep && is_string(bytes[i]);
	return instruction;
}

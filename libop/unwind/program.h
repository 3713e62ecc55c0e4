/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs of call frame information (DWARF 5, section 6.4): instructions that say, for a range of
 * code, where the caller's registers are.  Only those that an unwind table needs are followed.
 */
#ifndef LIBOP_UNWIND_PROGRAM_H
#define LIBOP_UNWIND_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/reader.h"
#include "module/uapi/unwind.h"

/* struct cfi_expression - a DWARF expression, in the bytes that were read */
struct cfi_expression {
	const uint8_t *bytes;
	size_t length;
};

enum cfi_rule_kind {
	CFI_SAME,
	CFI_UNDEFINED,
	CFI_AT,		   /* in the word at CFA + offset */
	CFI_AT_EXPRESSION, /* in the word whose address the expression has */
	CFI_OTHER,	   /* anything else */
};

struct cfi_rule {
	enum cfi_rule_kind kind;
	int64_t offset;
	struct cfi_expression expression;
};

/* struct cfi_state - the rules at one place */
struct cfi_state {
	uint64_t cfa_register; /* CFI_BY_EXPRESSION: the CFA has an expression */
	int64_t cfa_offset;
	struct cfi_expression cfa;
	struct cfi_rule fp, ra;
};

#define CFI_BY_EXPRESSION UINT64_MAX

/* struct cfi_common - what ranges share (CIE) */
struct cfi_common {
	uint64_t code_factor;
	int64_t data_factor;
	uint8_t encoding; /* of addresses: DW_EH_PE_* */
	bool has_size;	  /* ranges have augmentation data, whose size stands first */
	bool is_signal;	  /* their frames are made by signals */
	bool is_eh;	  /* they are of .eh_frame */
	struct cfi_state start;
};

/**
 * cfi_run_common - the rules that ranges begin with
 * @program: the initial instructions
 * @common: all but @start is known; it is filled in
 *
 * Return: whether they are valid.
 */
bool cfi_run_common(struct op_reader program, struct cfi_common *common);

/* Takes a row, which is valid from @start up to @end, which are addresses. */
typedef void cfi_row_taker(void *context, uint64_t start, uint64_t end,
			   const struct unwind_row *row);

/* struct cfi_range - a range of code (FDE) */
struct cfi_range {
	uint64_t start, end; /* addresses */
	const struct cfi_common *common;
	struct op_reader program;
};

/**
 * cfi_run - the rows of a range
 * @take: is called with rows from @range->start to @range->end, without gaps; ->at is not set
 *
 * From an instruction on that is invalid, the row is one of UNWIND_STOP.
 */
void cfi_run(const struct cfi_range *range, cfi_row_taker *take, void *context);

#endif

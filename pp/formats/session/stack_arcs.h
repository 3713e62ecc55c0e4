/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arcs from callers to callees, as {cg} files have them, derived from stacks.
 */
#ifndef PP_FORMATS_SESSION_STACK_ARCS_H
#define PP_FORMATS_SESSION_STACK_ARCS_H

#include "libop/base/warnings.h"
#include "pp/select/sample_list.h"

/* The arcs of one {cg} file. */
struct stack_arcs {
	struct op_sample_name name;
	struct odb_header header; /* of the images only */
	struct odb_entry *entries;
	size_t n;
};

/**
 * stack_arcs_read - the arcs of a stack file
 * @list: its sample files show whether samples are separated by application
 * @file: one of its stack files
 * @spec: selects arcs as it selects {cg} files
 * @n: set to the number of {cg} files
 *
 * Each frame of each stack is counted, and each caller of one.  There are no arcs between user and
 * kernel code, and none of frames in no image.
 *
 * Return: an array that stack_arcs_free() frees.
 */
struct stack_arcs *stack_arcs_read(const struct pp_sample_list *list,
				   const struct pp_sample_file *file, const struct pp_spec *spec,
				   size_t *n, struct op_warnings *warnings);
void stack_arcs_free(struct stack_arcs *arcs, size_t n);

#endif

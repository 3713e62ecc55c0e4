// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The layout of sample files, version 0x13 on a 64-bit machine (oprofile-sample-file(5)), with
 * the names and the order of OProfile 1.x.
 */
#include "abi.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "libop/base/array.h"
#include "libop/session/small_files.h"
#include "libop/session/paths.h"

static const struct {
	const char *key;
	unsigned int value;
} layout[] = {
	{"sizeof_double", 8},
	{"sizeof_u64", 8},
	{"sizeof_u8", 1},
	{"sizeof_u32", 4},
	{"sizeof_int", 4},
	{"sizeof_unsigned_int", 4},
	{"sizeof_odb_key_t", 8},
	{"sizeof_odb_index_t", 4},
	{"sizeof_odb_value_t", 4},
	{"sizeof_odb_node_nr_t", 4},
	{"sizeof_odb_descr_t", 32},
	{"sizeof_odb_node_t", 16},
	{"sizeof_struct_opd_header", 72},
	{"offsetof_node_key", 0},
	{"offsetof_node_value", 8},
	{"offsetof_node_next", 12},
	{"offsetof_descr_size", 0},
	{"offsetof_descr_current_size", 4},
	{"offsetof_header_magic", 0},
	{"offsetof_header_version", 4},
	{"offsetof_header_cpu_type", 8},
	{"offsetof_header_ctr_event", 12},
	{"offsetof_header_ctr_um", 16},
	{"offsetof_header_ctr_count", 20},
	{"offsetof_header_is_kernel", 24},
	{"offsetof_header_cpu_speed", 32},
	{"offsetof_header_mtime", 40},
	{"offsetof_header_cg_to_is_kernel", 48},
	{"offsetof_header_anon_start", 56},
	{"offsetof_header_cg_to_anon_start", 64},
	{"little_endian", __BYTE_ORDER == __LITTLE_ENDIAN},
};

static void put_layout(FILE *out, const void *ignored)
{
	(void)ignored;
	for (size_t i = 0; i < OP_ARRAY_SIZE(layout); i++)
		fprintf(out, "%s %u\n", layout[i].key, layout[i].value);
}

int abi_write(const char *session_dir, struct op_error *error)
{
	return list_file_save(session_dir, OP_SESSION_ABI, put_layout, NULL, error);
}

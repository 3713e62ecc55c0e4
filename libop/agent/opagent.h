/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a compiler that makes code at run time tells profilers: the interface of OProfile's
 * libopagent 1.0.
 *
 *	op_agent_t agent = op_open_agent();
 *	...
 *	op_write_debug_line_info(agent, code, n, lines);	if there are any
 *	op_write_native_code(agent, "name", (uint64_t)(uintptr_t)code, code, size);
 *
 * The functions may be called by all threads, not by signal handlers.  They return 0, or -1 with
 * errno set; a record is then not written, and the next one may be.
 *
 * The names go into jit-PID.dump, which is perf's jitdump, in /tmp or the directory that the
 * environment variable OPROFILE_JIT_DIR names.  Only the user and root can read the file.  It ends
 * at 256 MiB, the size up to which reports read it; writing fails with EFBIG then.
 */
#ifndef OPAGENT_H
#define OPAGENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void *op_agent_t;

/* Code from @vma up to the next entry is of line @lineno of @filename. */
struct debug_line_info {
	unsigned long vma;
	unsigned int lineno;
	const char *filename;
};

/* The version of this interface: 1 and 0. */
int op_major_version(void);
int op_minor_version(void);

/**
 * op_open_agent - begin the file of this process
 *
 * A file of an earlier process of this user with the same number is replaced; anything else in its
 * place is not touched (EEXIST).  After fork(2) the child needs an agent of its own.
 *
 * Return: an agent for op_close_agent(), or NULL with errno set.
 */
op_agent_t op_open_agent(void);

/* Ends the file, which stays for the reports, and frees the agent.  EINVAL: it is NULL. */
int op_close_agent(op_agent_t agent);

/**
 * op_write_native_code - tell of a function
 * @symbol_name: not NULL; reports take 4,095 bytes of it
 * @vma: where it executes
 * @code: its instructions, which are copied; NULL: not known, zeros are written
 * @size: bytes, at least 1
 *
 * Of functions that overlap, the one told last counts.
 *
 * EINVAL: an argument is out of range.  EFBIG: the file is full.  ESTALE: the agent is of the
 * process that has forked this one.  Also errors of write(2).
 */
int op_write_native_code(op_agent_t agent, const char *symbol_name, uint64_t vma, const void *code,
			 unsigned int size);

/**
 * op_write_debug_line_info - tell which lines the code of a function comes from
 * @code: the function's address, as @vma there
 * @nr_entry: number of entries; 0: nothing is written
 * @compile_map: in order of addresses
 *
 * Belongs to the function that is told next, if that is at @code, or else to the one told last for
 * @code.  perf knows the first order only.  Errors as above.
 */
int op_write_debug_line_info(op_agent_t agent, const void *code, size_t nr_entry,
			     const struct debug_line_info *compile_map);

/**
 * op_unload_native_code - a function is gone
 *
 * Writes nothing: samples that were taken in it keep its name, until other code is told for its
 * addresses.  EINVAL: @agent is NULL.
 */
int op_unload_native_code(op_agent_t agent, uint64_t vma);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the tree of call_chains.h to stack files (oprofile-stacks(5)).
 */
#ifndef DAEMON_COUNT_CALL_CHAIN_WRITER_H
#define DAEMON_COUNT_CALL_CHAIN_WRITER_H

struct call_chains;
struct sample_files;
struct stats;

struct call_chain_writer {
	struct call_chains *chains;
	struct sample_files *files;
	struct stats *stats;
};

/**
 * call_chain_writer_flush - write all call chains that were counted, and clear the tree
 *
 * What cannot be written is lost, and counted as such.  May close sample files.
 */
void call_chain_writer_flush(const struct call_chain_writer *writer);

#endif

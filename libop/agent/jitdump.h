/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout of jit-PID.dump, version 1, as perf's jitdump-specification.txt has it.  Numbers are in
 * the writer's byte order; records follow each other without alignment.
 */
#ifndef LIBOP_AGENT_JITDUMP_H
#define LIBOP_AGENT_JITDUMP_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define JITDUMP_MAGIC	0x4a695444 /* "JiTD" */
#define JITDUMP_VERSION 1

struct jitdump_head {
	uint32_t magic;
	uint32_t version;
	uint32_t size; /* of this head */
	uint32_t elf_machine;
	uint32_t reserved;
	uint32_t pid;
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	uint64_t flags;
};

enum jitdump_id {
	JITDUMP_LOAD = 0,
	JITDUMP_MOVE = 1,
	JITDUMP_LINES = 2,
	JITDUMP_CLOSE = 3,
};

/* At the start of each record. */
struct jitdump_record {
	uint32_t id;
	uint32_t size; /* of the record, this included */
	uint64_t time;
};

/* The name with its NUL, and the code, follow. */
struct jitdump_load {
	struct jitdump_record record;
	uint32_t pid;
	uint32_t tid;
	uint64_t vma;
	uint64_t code_address;
	uint64_t code_size;
	uint64_t index; /* of the function, unique in the file */
};

struct jitdump_move {
	struct jitdump_record record;
	uint32_t pid;
	uint32_t tid;
	uint64_t vma;
	uint64_t old_address;
	uint64_t new_address;
	uint64_t code_size;
	uint64_t index;
};

/* @n lines follow. */
struct jitdump_lines {
	struct jitdump_record record;
	uint64_t code_address;
	uint64_t n;
};

/* The name of the file, with its NUL, follows. */
struct jitdump_line {
	uint64_t address;
	uint32_t line;
	uint32_t discriminator;
};

static_assert(sizeof(struct jitdump_head) == 40, "a head has no gaps");
static_assert(sizeof(struct jitdump_record) == 16, "a record has no gaps");
static_assert(sizeof(struct jitdump_load) == 56, "a function has no gaps");
static_assert(sizeof(struct jitdump_move) == 64, "a moved function has no gaps");
static_assert(sizeof(struct jitdump_lines) == 32, "lines have no gaps");
static_assert(sizeof(struct jitdump_line) == 16, "a line has no gaps");

#endif

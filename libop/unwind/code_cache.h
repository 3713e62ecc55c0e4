/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes of code, of files and of the memory of processes, for code.h.
 *
 * They are read in blocks, which are kept, 16 MiB at most: a page, or all of what is mapped if that
 * is small, as what is made at run time may be gone with its process before the next sample of it
 * is seen.
 */
#ifndef LIBOP_UNWIND_CODE_CACHE_H
#define LIBOP_UNWIND_CODE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_BLOCKS	 256
#define CODE_BLOCK_SMALL 4096
#define CODE_BLOCK_MOST	 (64 << 10)

/* struct code_cache - all zero: nothing is known */
struct code_cache {
	struct code_block {
		uint64_t number, start; /* of the source, and there */
		uint64_t read;		/* when */
		size_t n;
		uint8_t *bytes; /* NULL: the block is not in use */
	} blocks[CODE_BLOCKS];
};

/* struct code_source - what is read */
struct code_source {
	uint64_t number;     /* of it, for the cache */
	int fd;		     /* of /proc/PID/mem, or a file; -1: only what is kept is known */
	bool is_apart;	     /* a process apart (libop/foreign/apart.h) reads it */
	uint64_t start, end; /* of what is mapped as one */
	uint64_t now, until; /* what was read before @until is read again */
};

/**
 * code_cache_read - read code
 * @address: from here on, in what the source has mapped
 * @most: bytes
 *
 * Return: how many there are, up to the end of what is mapped; 0: they are not known.
 */
size_t code_cache_read(struct code_cache *cache, const struct code_source *source, uint64_t address,
		       uint8_t *bytes, size_t most);
void code_cache_free(struct code_cache *cache);

#endif

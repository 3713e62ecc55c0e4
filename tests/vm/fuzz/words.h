/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A strict reader of what /dev/oprofile/buffer returns: uapi/oprofile.h, word by word.  The
 * daemon's own is lenient on purpose; this one is to find fault.
 */
#ifndef TESTS_VM_FUZZ_WORDS_H
#define TESTS_VM_FUZZ_WORDS_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct words - what one read() said
 * @samples: callers not counted
 * @callers: of backtraces
 * @cookie: of some image, 0 if there was none
 */
struct words {
	unsigned long samples;
	unsigned long callers;
	uint64_t cookie;
};

/* Returns NULL, or what breaks the format (static) with its place in @at, a word's number. */
const char *words_read(const uint64_t *word, size_t count, struct words *words, size_t *at);

#endif

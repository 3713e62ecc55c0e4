/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What readers of profile formats read from: a file, a pipe, or either with gzip,
 * bzip2, xz or zstd around it.
 *
 * All reads are bounded by what is there: memory grows with the bytes that arrive, never with
 * what a file says that it holds.
 */
#ifndef PP_FORMATS_INPUT_INPUT_H
#define PP_FORMATS_INPUT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"

struct input;

/*
 * What a packed profile may unpack to for a reader that has all of it in memory, or in a temporary
 * file, at once: so many times its size, beyond 64 MiB.  Of 60 profiles of perf, simpleperf, pprof
 * and gperftools the greatest ratio was 42 (xz -9).
 */
#define INPUT_GATHERED_RATIO 100

/**
 * input_open - open a profile
 * @path: a file, a directory, or "-" for the standard input
 *
 * What is packed is unpacked on the way; offsets and sizes are those of what is in it.  What
 * unpacks to more than FOREIGN_UNPACKED_RATIO times its size, or INPUT_GATHERED_RATIO times for
 * readers that gather it, is refused then (EFBIG).  A directory has no bytes: its reader opens the
 * files in it.
 *
 * Return: the input, which input_close() frees, or NULL with @error set.
 */
struct input *input_open(const char *path, struct op_error *error);
/* The same of a file that is open, from its begin; @fd stays open. */
struct input *input_of_open(const char *path, int fd, struct op_error *error);
/* The same of bytes in memory, which must live as long: for tests and fuzzers. */
struct input *input_of_bytes(const char *name, const void *bytes, size_t n);
void input_close(struct input *input); /* NULL is fine */

const char *input_path(const struct input *input); /* as it was given */
const char *input_name(const struct input *input); /* for messages: "standard input" for "-" */
bool input_is_directory(const struct input *input);
uint64_t input_offset(const struct input *input); /* of the next byte */

/* Bytes of it that were read, as they are stored: packed ones before they were unpacked, and of a
 * directory those of all files in it. */
uint64_t input_stored_size(const struct input *input);

/**
 * input_peek - look at the next bytes
 * @bytes: set to them; good until the next call
 *
 * Return: how many there are, up to @n, fewer only at the end of the input; -1 with @error set.
 */
ptrdiff_t input_peek(struct input *input, size_t n, const uint8_t **bytes, struct op_error *error);

/**
 * input_take - read the next @n bytes, all of them
 *
 * Return: the bytes, good until the next call, or NULL with @error set: ENODATA if the input ends
 * before (then nothing was read), EIO and so on.  0 bytes are a pointer, too.
 */
const uint8_t *input_take(struct input *input, size_t n, struct op_error *error);

/* Passes over @n bytes.  Return: 0, or -1 with @error set. */
int input_skip(struct input *input, uint64_t n, struct op_error *error);

/**
 * input_mark_length - the length of a byte order mark of UTF-8
 * @bytes: the first of a file
 *
 * Return: 3, or 0 if there is none.
 */
size_t input_mark_length(const uint8_t *bytes, size_t n);

/* Passes over a byte order mark at the beginning of the file: input_line() and input_rest() do so,
 * too.  Return: 0, or -1 with @error set. */
int input_skip_mark(struct input *input, struct op_error *error);

/* Whether all was read.  Return: 1, 0, or -1 with @error set. */
int input_at_end(struct input *input, struct op_error *error);

/**
 * input_line - read the next line, without its '\n'
 * @line: set to it, ended by NUL (and maybe with others in it); good until the next call
 * @n: its length
 * @most: longer lines are an error
 *
 * Return: 1; 0 at the end; -1 with @error set.
 */
int input_line(struct input *input, size_t most, char **line, size_t *n, struct op_error *error);

/* Says that what is read stays in memory, so that INPUT_GATHERED_RATIO applies.  input_rest() and
 * input_seekable() say it themselves. */
void input_gather(struct input *input);

/**
 * input_rest - read all that is left
 * @most: more is an error (EFBIG)
 *
 * Return: the bytes and a NUL, which the caller frees, or NULL with @error set.
 */
uint8_t *input_rest(struct input *input, size_t most, size_t *n, struct op_error *error);

/**
 * input_whole - all of a binary file of which nothing was taken yet; once
 * @most: more is an error (EFBIG)
 *
 * A file in memory that nobody can change (F_SEAL_WRITE, F_SEAL_SHRINK) is mapped, any other read.
 *
 * Return: the bytes, good until input_close(), or NULL with @error set.
 */
const uint8_t *input_whole(struct input *input, size_t most, size_t *n, struct op_error *error);

/**
 * input_seekable - get ready for input_seek()
 *
 * A pipe, or what is in a packed file, is written to a temporary file (in $TMPDIR or /tmp, without
 * a name) first, which may take half of the free space there (more is an error, ENOSPC).
 * Nothing may have been taken yet.
 *
 * Return: 0, or -1 with @error set.
 */
int input_seekable(struct input *input, struct op_error *error);
/* The next three: after input_seekable() only. */
uint64_t input_size(const struct input *input);
int input_seek(struct input *input, uint64_t offset, struct op_error *error);

/**
 * input_fail - an error in what was read
 * @offset: of the byte where it is
 *
 * Sets @error to "NAME: byte OFFSET: TEXT".  Return: -1.
 */
int input_fail(const struct input *input, struct op_error *error, int code, uint64_t offset,
	       const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif

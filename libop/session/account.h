/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The account of a session, OP_SAMPLES_ACCOUNT: what was received, stored and lost, as lines
 * "name number".
 *
 * The file has two slots of OP_ACCOUNT_SLOT bytes, which are written in turn, each with a sequence
 * number and a checksum.  All of it has blocks on the disk from the beginning, so a full disk does
 * not keep it from being written; and a write that was interrupted leaves the slot of the write
 * before.  oprofile-session(5) describes the layout.
 */
#ifndef LIBOP_SESSION_ACCOUNT_H
#define LIBOP_SESSION_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "libop/base/error.h"

#define OP_ACCOUNT_SLOT 8192

enum op_account_state {
	OP_ACCOUNT_MISSING, /* there is no such file */
	OP_ACCOUNT_DAMAGED, /* neither slot is whole, or it cannot be read */
	OP_ACCOUNT_TORN, /* the latest write was interrupted: the text is that of the one before */
	OP_ACCOUNT_WHOLE,
};

/**
 * op_account_read - read the account in the directory of a session's samples
 * @text: set to the lines, which the caller frees; NULL if the account is missing or damaged
 */
enum op_account_state op_account_read(const char *samples_dir, char **text);

/* The number of a line of that text, or 0. */
uint64_t op_account_number(const char *text, const char *name);

/* Takes the next line "name number" off @rest and ends the name with NUL.  Return: the name, or
 * NULL at the end. */
char *op_account_next(char **rest, uint64_t *number);

/* An account that is written. */
struct op_account {
	int fd; /* -1: closed */
	uint64_t sequence;
};
#define OP_ACCOUNT_CLOSED ((struct op_account){.fd = -1})

/**
 * op_account_open - open the account of a session to write it; create it if there is none
 *
 * The text of one that is there is what op_account_read() returns.  A damaged one is replaced.
 *
 * Return: 0, or -1 with @error set, for example ENOSPC.
 */
int op_account_open(struct op_account *account, const char *samples_dir, struct op_error *error);

/* Whether the open account is the one in @samples_dir: else the session was moved or removed. */
bool op_account_is_in(const struct op_account *account, const char *samples_dir);

/**
 * op_account_write - write the account
 * @text: lines; at most OP_ACCOUNT_TEXT_MOST bytes
 *
 * Return: 0, or -1 with @error set; then the account is what it was.
 */
int op_account_write(struct op_account *account, const char *text, struct op_error *error);
#define OP_ACCOUNT_TEXT_MOST (OP_ACCOUNT_SLOT - 64)

void op_account_close(struct op_account *account);

#endif

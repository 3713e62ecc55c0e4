/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine made of files for the program oprofiled: oprofilefs is a directory with a pipe for a
 * buffer.
 */
#ifndef TEST_DAEMON_LIVE_H
#define TEST_DAEMON_LIVE_H

#include <stddef.h>
#include <stdint.h>

struct live {
	char *dir, *oprofilefs, *session;
	char *oprofilefs_option, *session_option;
	int buffer; /* where to write words */
};

/* Makes the files, with a buffer that is empty; live_close() removes all. */
void live_open(struct live *live);
void live_close(struct live *live);
/* Replaces a small file. */
void live_put(const char *dir, const char *name, const char *text);
/* Words for the daemon to read. */
void live_write(const struct live *live, const uint64_t *words, size_t count);
/* Sends a command to the daemon.  Return: its answer, which the caller frees. */
char *live_call(const struct live *live, const char *command);
/* A command that must be done. */
void live_call_and_forget(const struct live *live, const char *command);
/* Starts a daemon in the background.  Return: a pidfd. */
int live_start(const struct live *live, const char *option);
/* Ends it by @signal, and waits. */
void live_stop(int pidfd, int signal);
/* A path in the session; the caller frees it. */
char *live_file(const struct live *live, const char *name);
/* Test failures, unless a file of the session holds @want, or @part of it; or is not there. */
void live_expect_file(const struct live *live, const char *name, const char *want);
void live_expect_in_file(const struct live *live, const char *name, const char *part);
void live_expect_none(const struct live *live, const char *name);
/* Test failure, unless session_text() is @want; or after some time. */
void live_expect_samples(const struct live *live, const char *want);
void live_wait_for_samples(const struct live *live, const char *want);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon's control socket (OP_SESSION_CONTROL): a stream socket of the unix family,
 * mode 0600.  A client sends one line, gets one reply, and the connection is closed.  The
 * reply is "ok\n", lines "key value\n", or "error TEXT\n".
 *
 *	dump	sync every CPU, read the event buffer until it is empty, count what came:
 *		"ok" means that all samples taken before the command are in sample files
 *	status	"pid N", "state running|stopped", "samples N", ... then "ok"
 *	reopen	close all sample files and reopen the log (after --reset and --save)
 *	feed	instead of a reply, the samples to come (feed.h), as long as the client reads them
 */
#ifndef LIBOP_SESSION_CONTROL_SOCKET_H
#define LIBOP_SESSION_CONTROL_SOCKET_H

#include <sys/un.h>

#include "libop/base/error.h"

/**
 * op_control_address - the address of a session's control socket, for bind()
 * @session_dir: the session, which must exist
 * @address: filled in; good while the returned descriptor is open
 *
 * Return: a descriptor that the caller closes after use of @address, or -1 with @error set.
 */
int op_control_address(const char *session_dir, struct sockaddr_un *address,
		       struct op_error *error);

/**
 * op_control_connect - send a command whose reply is read by the caller
 *
 * Only a process of this user or of root is talked to.
 *
 * Return: the connection, or -1 with @error set, as of op_control_call().
 */
int op_control_connect(const char *session_dir, const char *command, struct op_error *error);

/**
 * op_control_call - send a command to the daemon of a session and wait for its reply
 * @session_dir: the session
 * @command: "dump", "status", "reopen" or, of a daemon that samples by perf events, "start" or
 *	"stop"
 * @reply: set to the key-value lines, which the caller frees; may be NULL
 *
 * Return: 0, or -1 with @error set: ECONNREFUSED or ENOENT when no daemon serves the
 * session, EPERM when another user does, else the daemon's own words.
 */
int op_control_call(const char *session_dir, const char *command, char **reply,
		    struct op_error *error);

#endif

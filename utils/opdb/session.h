/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packing and unpacking the samples of a session. */
#ifndef UTILS_OPDB_SESSION_H
#define UTILS_OPDB_SESSION_H

/*
 * Both take a session directory, of which they mean samples/current, or a directory of samples,
 * and take the session's lock for samples/current.  Return: 0, or -1 after a complaint.
 */
int session_pack(const char *directory);
int session_unpack(const char *directory);

#endif

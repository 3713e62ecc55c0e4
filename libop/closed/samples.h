/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples of a session as a whole: keeping them under a name, and throwing them away.
 *
 * Both move samples/current aside in one rename, so that a crash leaves the samples either
 * where they were or where they belong.  A daemon that runs goes on writing to the files it
 * has open until the command "reopen" (libop/session/control_socket.h); the caller does that.
 */
#ifndef LIBOP_CLOSED_SAMPLES_H
#define LIBOP_CLOSED_SAMPLES_H

#include <stdbool.h>

#include "libop/base/error.h"
#include "libop/pack/session.h"
#include "times.h"

/* Room for the name of what is moved aside. */
#define SAMPLES_WASTE_NAME 64

/* Room for the name of a session that was closed. */
#define SAMPLES_CLOSED_NAME (SESSION_TIMES_NAME_MOST + 8)

/* May samples be kept under this name?  0, or -1 with @error set. */
int samples_check_name(const char *name, struct op_error *error);

/**
 * samples_save - rename samples/current to samples/@name
 * @saved: set to false if there was no samples/current, which is no error
 *
 * Return: 0, or -1 with @error set (EEXIST: the name is taken) and nothing changed.
 */
int samples_save(const char *session_dir, const char *name, bool *saved, struct op_error *error);

/**
 * samples_close - rename samples/current to the name of its times (times.h)
 * @times: of the session; a name that is taken gets a number behind it
 * @name: set to the name
 *
 * Return: as samples_save(), but ENOENT if there is no samples/current.
 */
int samples_close(const char *session_dir, const struct session_times *times,
		  char name[SAMPLES_CLOSED_NAME], struct op_error *error);

/**
 * samples_pack - pack samples/@name as the daemon packs a session at its end
 *
 * @report: told of files that stay loose, or NULL
 *
 * Nobody may write to them.
 *
 * Return: 0, or -1 with @error set: EOPNOTSUPP if the file system cannot.
 */
int samples_pack(const char *session_dir, const char *name, op_pack_report *report,
		 struct op_error *error);

/**
 * samples_remove - remove a saved session
 * @samples: the opened samples directory, which is trusted
 *
 * It is moved aside first, so that no part of it is ever taken for a session; --reset removes what
 * is left of it.
 *
 * Return: 0, or -1 with @error set.
 */
int samples_remove(int samples, const char *name, struct op_error *error);

/* What samples_reset_begin() has moved aside. */
struct samples_waste {
	int samples; /* the opened samples directory, or -1: there was nothing */
	char name[SAMPLES_WASTE_NAME];
};

/**
 * samples_reset_begin - replace samples/current by an empty one
 * @waste: filled in, for samples_reset_end()
 *
 * Return: 0, or -1 with @error set and nothing changed.
 */
int samples_reset_begin(const char *session_dir, struct samples_waste *waste,
			struct op_error *error);

/* Removes what was moved aside, now or by a reset that was cut short: 0, or -1. */
int samples_reset_end(struct samples_waste *waste, struct op_error *error);

#endif

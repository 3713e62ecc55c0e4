/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples of a session as a whole: keeping them under a name, and throwing them away.
 *
 * Both move samples/current aside in one rename, so that a crash leaves the samples either
 * where they were or where they belong.  A daemon that runs goes on writing to the files it
 * has open until the command "reopen" (libop/session/control_socket.h); the caller does that.
 */
#ifndef UTILS_OPCONTROL_SAMPLES_SAMPLES_H
#define UTILS_OPCONTROL_SAMPLES_SAMPLES_H

#include <stdbool.h>

#include "libop/base/error.h"

/* Room for the name of what is moved aside. */
#define SAMPLES_WASTE_NAME 64

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
 * samples_pack - pack samples/@name as the daemon packs a session at its end
 *
 * Nobody may write to them.  Warns of files that stay loose.
 *
 * Return: 0, or -1 with @error set: EOPNOTSUPP if the file system cannot.
 */
int samples_pack(const char *session_dir, const char *name, struct op_error *error);

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file that keeps the settings: $HOME/.oprofile/daemonrc, lines KEY=value.
 *
 * While a daemon runs, daemonrc holds what it runs with, and changes wait in daemonrc_new
 * beside it; the next call after the daemon has ended moves daemonrc_new over daemonrc.
 */
#ifndef UTILS_OPCONTROL_DAEMONRC_H
#define UTILS_OPCONTROL_DAEMONRC_H

#include <stdbool.h>
#include <stddef.h>

#include "libop/base/error.h"
#include "setting.h"

#define DAEMONRC     "daemonrc"
#define DAEMONRC_NEW "daemonrc_new"

/**
 * daemonrc_parse - read settings from text
 * @name: of the text in errors, before the line number
 * @text: @size bytes, which may be anything
 * @settings: filled in; settings_free() frees what it holds; nothing to free on error
 *
 * Return: 0, or -1 with @error set.
 */
int daemonrc_parse(const char *name, const char *text, size_t size, struct settings *settings,
		   struct op_error *error);

/**
 * daemonrc_open_dir - open the directory of the settings, made if need be, and wait until no
 *	other opcontrol is at work with it
 * @path: set to its path, which the caller frees
 *
 * Return: a descriptor that holds the lock until it is closed, or -1 with @error set.
 */
int daemonrc_open_dir(char **path, struct op_error *error);

/**
 * daemonrc_load - read DAEMONRC or DAEMONRC_NEW
 * @dir: the path from daemonrc_open_dir()
 * @found: set to false if there is no such file; @settings are then the defaults
 *
 * Return: 0, or -1 with @error set and nothing in @settings.
 */
int daemonrc_load(const char *dir, const char *name, struct settings *settings, bool *found,
		  struct op_error *error);

/* Rewrites the file, whole or not at all: 0, or -1 with @error set. */
int daemonrc_save(const char *dir, const char *name, const struct settings *settings,
		  struct op_error *error);

/* Moves DAEMONRC_NEW, if there is one, over DAEMONRC: 0, or -1 with @error set. */
int daemonrc_adopt_new(const char *dir, struct op_error *error);

#endif

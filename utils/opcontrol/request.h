/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of opcontrol.
 */
#ifndef UTILS_OPCONTROL_REQUEST_H
#define UTILS_OPCONTROL_REQUEST_H

#include <stdbool.h>

#include "libop/base/error.h"
#include "libop/base/option.h"
#include "setting.h"

/* At most one action per call. */
enum action_id {
	ACTION_NONE,
	ACTION_INIT,
	ACTION_START_DAEMON,
	ACTION_START,
	ACTION_DUMP,
	ACTION_STOP,
	ACTION_SHUTDOWN,
	ACTION_RESET,
	ACTION_SAVE,
	ACTION_DEINIT,
	ACTION_LIST_EVENTS,
};

/* One setting, in the order of the command line. */
struct change {
	const struct op_option *option;
	char *value; /* NULL: the option has none */
};

struct request {
	enum action_id action;
	const struct op_option *chosen; /* the option of @action, or NULL */
	bool help;			/* the command line is empty: print the help */
	bool status, json, setup;
	char *save_name;   /* of ACTION_SAVE */
	char *verbose;	   /* for the daemon, or NULL */
	char *backend;	   /* of the module, or NULL */
	char *module;	   /* an oprofile.ko, or NULL */
	char *session_dir; /* absolute, or NULL */
	struct change *changes;
	size_t nr_changes; /* without --session-dir */
};

/**
 * request_parse - read the command line
 * @request: filled in; request_free() frees what it holds, on error too
 *
 * --help and --version print and end the program.
 *
 * Return: 0, or -1 with @error set: the command line is wrong.
 */
int request_parse(int argc, const char **argv, struct request *request, struct op_error *error);
void request_free(struct request *request);

/* Is the daemon to run when all is done? */
bool request_starts_daemon(const struct request *request);

/* Are the settings to be written, even if none changes? */
bool request_keeps_settings(const struct request *request);

/**
 * request_apply - apply the command line to settings
 *
 * Return: 0, or -1 with @error set; @settings are then good for settings_free() only.
 */
int request_apply(const struct request *request, struct settings *settings, struct op_error *error);

/* Prints all options and what they do on stdout. */
void request_print_help(void);

#endif

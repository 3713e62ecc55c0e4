/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports of a session that was just made, by opreport: the one that is installed beside this
 * program, else that in PATH.
 */
#ifndef DAEMON_OPERF_REPORTS_H
#define DAEMON_OPERF_REPORTS_H

#include "libop/base/error.h"
#include "request.h"

/**
 * reports_page - let opreport write request->html, and show it if that is asked for
 *
 * Return: 0, or -1 with @error set: it cannot be run, or has failed and said why.
 */
int reports_page(const struct request *request, struct op_error *error);

/**
 * reports_hottest - let opreport show the hottest functions and lines on stderr
 *
 * Return: as reports_page().
 */
int reports_hottest(const struct request *request, struct op_error *error);

/* Writes to stderr by which commands to go on. */
void reports_name_others(const struct request *request);

#endif

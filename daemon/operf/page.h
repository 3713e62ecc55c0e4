/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of a session that was just made, by opreport. */
#ifndef DAEMON_OPERF_PAGE_H
#define DAEMON_OPERF_PAGE_H

#include "libop/base/error.h"
#include "request.h"

/**
 * page_make - let opreport write request->html, and show it if that is asked for
 *
 * It is the opreport that is installed beside this program, else that in PATH.
 *
 * Return: 0, or -1 with @error set: it cannot be run, or has failed and said why.
 */
int page_make(const struct request *request, struct op_error *error);

#endif

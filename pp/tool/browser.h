/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The desktop's browser, which xdg-open knows. */
#ifndef PP_TOOL_BROWSER_H
#define PP_TOOL_BROWSER_H

#include "libop/base/error.h"

/**
 * pp_browser_open - show a file in the browser
 *
 * The browser lives on.  Waits a short time for one that does not start.
 *
 * Return: 0, or -1 with @error set: there is none, or it does not start; EPERM: it would have the
 * rights of root that sudo lent to a user.
 */
int pp_browser_open(const char *path, struct op_error *error);

#endif

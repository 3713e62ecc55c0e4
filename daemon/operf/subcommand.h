/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "operf record", "operf report": the ways of perf to name what operf and its tools do. */
#ifndef DAEMON_OPERF_SUBCOMMAND_H
#define DAEMON_OPERF_SUBCOMMAND_H

/**
 * subcommand_take - do what the first word says, if it is a subcommand of perf
 * @argc, @argv: of main(); if operf itself is to go on ("record"), what the line means here
 *
 * Another program takes the place of this one; if that fails, or there is nothing here that does
 * it, the process ends.  So it does behind --translate, which prints what a line is here.
 */
void subcommand_take(int *argc, char ***argv);

#endif

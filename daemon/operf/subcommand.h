/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "operf record", "operf report": the ways of perf to name what operf and its tools do. */
#ifndef DAEMON_OPERF_SUBCOMMAND_H
#define DAEMON_OPERF_SUBCOMMAND_H

/**
 * subcommand_take - do what the first word says, if it is a subcommand
 * @argc, @argv: of main(); without the word, if operf itself is to go on ("record")
 *
 * Another program takes the place of this one; if that fails, the process ends.
 */
void subcommand_take(int *argc, char ***argv);

#endif

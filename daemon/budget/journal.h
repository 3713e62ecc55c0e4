/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal that the daemon writes (libop/pack/journal.h): begun when it is needed, ended and
 * packed when it is full.
 */
#ifndef DAEMON_BUDGET_JOURNAL_H
#define DAEMON_BUDGET_JOURNAL_H

#include "budget.h"
#include "libop/pack/journal.h"
#include "packer.h"

struct journal {
	struct op_journal *open; /* NULL: none has begun */
	uint64_t number;	 /* of the open one, or else of the next */
	const char *dir;	 /* samples/current */
	bool packs_idle;	 /* files that are idle are packed, too */
	uint64_t idle;		 /* such files that were closed since that was last done */
	uint64_t samples;	 /* that are counted in the open one */
	uint64_t measured;	 /* when the packer was started last, seconds */
	struct op_error full;	 /* why none can begin until journal_rest(); code 0: it may */
	uint64_t backed;	 /* bytes of the open one that the budget has */
	uint64_t ended;		 /* bytes of journals that have ended and are not packed, and */
	uint64_t packing;	 /* how many of these the packer is at */
	struct budget *budget;
	struct packer packer;
};

/* Continues in a session; journals of earlier daemons are packed.  @budget: of the session, which
 * is told what journals take. */
void journal_enter(struct journal *journal, const char *dir, struct budget *budget);

/* Ends the open journal, and the packer: what it has not packed counts as it is. */
void journal_leave(struct journal *journal);

/**
 * journal_name - add a name to the open journal
 *
 * If it is full, the next one begins: numbers that were returned before are stale when
 * journal::number has changed.
 *
 * Return: its number, or 0 with @error set.
 */
uint32_t journal_name(struct journal *journal, const char *name, const struct odb_header *header,
		      bool reserve, struct op_error *error);

/* Ends a full journal, and has it packed. */
void journal_turn(struct journal *journal);

/* Counts in the open journal, as op_journal_add(). */
int journal_add(struct journal *journal, uint32_t file, uint64_t key, uint64_t n, bool reserve,
		bool *fresh, struct op_error *error);

/*
 * Every now and then: has idle files packed and the session measured, each minute, and the budget
 * take that.  A journal for which the budget has refused more is packed at once.  On a full disk a
 * journal may begin again: each try costs a file, so not each sample is one.
 */
void journal_rest(struct journal *journal);

/* Closes and removes a journal of which some is lost. */
void journal_abandon(struct journal *journal);

#endif

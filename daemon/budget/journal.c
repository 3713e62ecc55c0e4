// SPDX-License-Identifier: GPL-2.0-or-later
/* The journal that the daemon writes: see journal.h. */
#include "journal.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "libop/pack/parts.h"
#include "libop/session/log.h"

#define MEASURE_SECONDS 60

static uint64_t journal_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
	return (uint64_t)time.tv_sec;
}

/* Tells the budget what the open journal takes. */
static void tell_budget(struct journal *journal)
{
	uint64_t used = journal->open ? op_journal_used(journal->open) : 0;
	uint64_t backed = journal->open ? op_journal_backed(journal->open) : 0;

	journal->budget->ahead = backed - used;
	journal->budget->coming = (journal->ended + used) / BUDGET_PACKING;
	if (backed > journal->backed)
		budget_add(journal->budget, backed - journal->backed);
	journal->backed = backed;
}

/* @idle: the number of a part for idle files, or 0. */
static void start_packer(struct journal *journal, uint64_t idle)
{
	journal->measured = journal_seconds();
	journal->packing = journal->ended;
	packer_start(&journal->packer, journal->budget, journal->dir, journal->number - 1, idle);
}

void journal_enter(struct journal *journal, const char *dir, struct budget *budget)
{
	uint64_t last = op_pack_last_part(dir);

	journal->dir = dir;
	journal->budget = budget;
	journal->ended = journal->packing = 0;
	journal->number = last + 1;
	journal->full.code = 0;
	/* files of an earlier daemon may be idle */
	journal->idle = 1;
	if (last)
		start_packer(journal, 0);
}

static void journal_end(struct journal *journal)
{
	if (!journal->open)
		return;
	journal->ended += op_journal_used(journal->open);
	op_journal_close(journal->open);
	journal->open = NULL;
	journal->number++;
	journal->samples = 0;
	tell_budget(journal);
}

void journal_leave(struct journal *journal)
{
	journal_end(journal);
	packer_stop(&journal->packer);
}

static int journal_begin(struct journal *journal, struct op_error *error)
{
	char *path;
	int result;

	if (journal->full.code) {
		*error = journal->full;
		return -1;
	}
	path = op_pack_journal_path(journal->dir, journal->number);
	result = path ? op_journal_create(&journal->open, path, error) : op_error_memory(error);
	if (result && (error->code == ENOSPC || error->code == EDQUOT))
		journal->full = *error;
	free(path);
	return result;
}

/* Return: what the packer measured, or NULL. */
static const struct budget_usage *finish_packer(struct journal *journal)
{
	bool measured = packer_wait(&journal->packer);

	journal->idle += journal->packer.more;
	journal->packer.more = false;
	journal->ended -= journal->packing;
	journal->packing = 0;
	tell_budget(journal);
	return measured ? &journal->packer.usage : NULL;
}

/* A packer that is still at work leaves this journal for the next time. */
void journal_turn(struct journal *journal)
{
	log_verbose(LOG_SFILE, "journal %llu is full", (unsigned long long)journal->number);
	journal_end(journal);
	if (!packer_is_done(&journal->packer) && journal->packer.running)
		return;
	finish_packer(journal);
	start_packer(journal, 0);
}

/* Parts are in the order of their numbers, so the open journal ends before idle files are one. */
static void pack_idle(struct journal *journal)
{
	journal_end(journal);
	journal->idle = 0;
	start_packer(journal, journal->number++);
}

uint32_t journal_name(struct journal *journal, const char *name, const struct odb_header *header,
		      bool reserve, struct op_error *error)
{
	for (int i = 0; i < 2; i++) {
		uint32_t number;

		if (!journal->open && journal_begin(journal, error))
			return 0;
		number = op_journal_name(journal->open, name, header, reserve, error);
		tell_budget(journal);
		if (number || error->code != EFBIG)
			return number;
		journal_turn(journal);
	}
	return 0;
}

int journal_add(struct journal *journal, uint32_t file, uint64_t key, uint64_t n, bool reserve,
		bool *fresh, struct op_error *error)
{
	int result = op_journal_add(journal->open, file, key, n, reserve, fresh, error);

	if (*fresh)
		tell_budget(journal);
	return result;
}

/* Whether packing the open journal would make room that somebody needs. */
static bool is_in_the_way(const struct journal *journal)
{
	return journal->budget->is_crowded && journal->open &&
	       op_journal_used(journal->open) >= OP_JOURNAL_STEP / 2;
}

void journal_rest(struct journal *journal)
{
	const struct budget_usage *usage = NULL;
	bool in_the_way = is_in_the_way(journal);

	journal->full.code = 0;
	if (packer_is_done(&journal->packer))
		usage = finish_packer(journal);
	budget_update(journal->budget, journal->dir, usage);
	if (in_the_way && !journal->packer.running)
		journal_turn(journal);
	if (journal->packer.running || journal_seconds() < journal->measured + MEASURE_SECONDS)
		return;
	if (journal->packs_idle && journal->idle)
		pack_idle(journal);
	else
		start_packer(journal, 0);
}

void journal_abandon(struct journal *journal)
{
	if (unlink(op_journal_path(journal->open)) && errno != ENOENT)
		log_line_errno("cannot remove %s", op_journal_path(journal->open));
	journal_end(journal);
}

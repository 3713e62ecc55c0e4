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

static uint64_t seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
	return (uint64_t)time.tv_sec;
}

/* @idle: the number of a part for idle files, or 0. */
static void start_packer(struct journal *journal, uint64_t idle)
{
	journal->measured = seconds();
	packer_start(&journal->packer, journal->dir, journal->number - 1, idle);
}

void journal_enter(struct journal *journal, const char *dir)
{
	uint64_t last = op_pack_last_part(dir);

	journal->dir = dir;
	journal->number = last + 1;
	journal->full.code = 0;
	/* files of an earlier daemon may be idle */
	journal->idle = 1;
	if (last)
		start_packer(journal, 0);
}

static void end(struct journal *journal)
{
	if (!journal->open)
		return;
	op_journal_close(journal->open);
	journal->open = NULL;
	journal->number++;
	journal->samples = 0;
}

void journal_leave(struct journal *journal)
{
	end(journal);
	packer_stop(&journal->packer);
}

static int begin(struct journal *journal, struct op_error *error)
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
	return measured ? &journal->packer.usage : NULL;
}

/* A packer that is still at work leaves this journal for the next time. */
void journal_turn(struct journal *journal)
{
	log_verbose(LOG_SFILE, "journal %llu is full", (unsigned long long)journal->number);
	end(journal);
	if (!packer_is_done(&journal->packer) && journal->packer.running)
		return;
	finish_packer(journal);
	start_packer(journal, 0);
}

/* Parts are in the order of their numbers, so the open journal ends before idle files are one. */
static void pack_idle(struct journal *journal)
{
	end(journal);
	journal->idle = 0;
	start_packer(journal, journal->number++);
}

uint32_t journal_name(struct journal *journal, const char *name, const struct odb_header *header,
		      bool reserve, struct op_error *error)
{
	for (int i = 0; i < 2; i++) {
		uint32_t number;

		if (!journal->open && begin(journal, error))
			return 0;
		number = op_journal_name(journal->open, name, header, reserve, error);
		if (number || error->code != EFBIG)
			return number;
		journal_turn(journal);
	}
	return 0;
}

void journal_rest(struct journal *journal, struct budget *budget)
{
	const struct budget_usage *usage = NULL;

	journal->full.code = 0;
	if (packer_is_done(&journal->packer))
		usage = finish_packer(journal);
	budget_update(budget, journal->dir, usage);
	if (journal->packer.running || seconds() < journal->measured + MEASURE_SECONDS)
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
	end(journal);
}

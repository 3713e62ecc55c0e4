// SPDX-License-Identifier: GPL-2.0-or-later
/* Packs journals in a thread: see packer.h. */
#include "packer.h"

#include <string.h>

#include "libop/pack/parts.h"
#include "libop/session/log.h"

static void *run(void *argument)
{
	struct packer *packer = argument;

	packer->result = op_pack_journals(packer->dir, packer->last, NULL, &packer->error);
	packer->measured = !budget_measure(packer->dir, &packer->usage, NULL);
	atomic_store(&packer->done, true);
	return NULL;
}

void packer_start(struct packer *packer, const char *dir, uint64_t last)
{
	int code;

	if (packer->running)
		return;
	packer->dir = dir;
	packer->last = last;
	atomic_store(&packer->done, false);
	code = pthread_create(&packer->thread, NULL, run, packer);
	packer->running = !code;
	if (code)
		log_line("journals are not packed now: %s", strerror(code));
}

bool packer_is_done(const struct packer *packer)
{
	return packer->running && atomic_load(&packer->done);
}

bool packer_wait(struct packer *packer)
{
	if (!packer->running)
		return false;
	pthread_join(packer->thread, NULL);
	packer->running = false;
	if (packer->result)
		log_line("journals are not packed: %s", packer->error.text);
	return packer->measured;
}

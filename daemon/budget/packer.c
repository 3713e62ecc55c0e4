// SPDX-License-Identifier: GPL-2.0-or-later
/* Packs journals and idle files in a thread: see packer.h. */
#include "packer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libop/pack/idle.h"
#include "libop/pack/parts.h"
#include "libop/session/log.h"

/* Where that is not allowed it has the daemon's. */
#define LOWEST_PRIORITY 19

/* Linux has a priority for each thread. */
static void lower_priority(void)
{
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), LOWEST_PRIORITY);
}

static int move_idle(struct packer *packer)
{
	char *part = op_pack_idle_path(packer->dir, packer->idle);
	struct op_strings names = {0};
	int result = part ? op_idle_list(packer->dir, PACKER_FILES_MOST, &names, &packer->error)
			  : op_error_memory(&packer->error);

	if (!result && names.count)
		result = op_idle_move(packer->dir, part, &names, &packer->stop, &packer->moved,
				      &packer->error);
	free(part);
	/* somebody may have read the session */
	packer->more = names.count == PACKER_FILES_MOST || (names.count && !packer->moved);
	op_strings_free(&names);
	return result;
}

static void *packer_run(void *argument)
{
	struct packer *packer = argument;

	lower_priority();
	packer->result = packer->idle ? move_idle(packer) : 0;
	if (!packer->result)
		packer->result =
			op_pack_journals(packer->dir, packer->last, &packer->stop, &packer->error);
	if (packer->result && packer->error.code == ECANCELED)
		packer->result = 0;
	packer->measured = !atomic_load(&packer->stop) &&
			   !budget_measure(packer->budget, packer->dir, &packer->usage, NULL);
	atomic_store(&packer->done, true);
	return NULL;
}

void packer_start(struct packer *packer, const struct budget *budget, const char *dir,
		  uint64_t last, uint64_t idle)
{
	int code;

	if (packer->running)
		return;
	packer->budget = budget;
	packer->dir = dir;
	packer->last = last;
	packer->idle = idle;
	packer->moved = 0;
	packer->more = false;
	atomic_store(&packer->done, false);
	atomic_store(&packer->stop, false);
	code = pthread_create(&packer->thread, NULL, packer_run, packer);
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
	if (packer->moved)
		log_verbose(LOG_SFILE, "packed %zu idle files", packer->moved);
	return packer->measured;
}

void packer_stop(struct packer *packer)
{
	atomic_store(&packer->stop, true);
	packer_wait(packer);
}

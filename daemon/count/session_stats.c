// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All statistics of a session: see session_stats.h.
 */
#include "session_stats.h"

#include <stdlib.h>
#include <unistd.h>

#include "daemon/sources/source.h"
#include "libop/session/log.h"

void session_stats_load(struct session_stats *stats, bool begun)
{
	char *reported = begun ? source_stats(stats->source) : NULL;

	stats_load(&stats->samples, stats->dir, reported);
	multiplexed_times_update(&stats->times, reported);
	multiplexed_times_load(&stats->times, stats->dir);
	overhead_load(&stats->overhead, stats->dir, overhead_now(), source_running(stats->source));
	free(reported);
}

bool session_stats_exist(const struct session_stats *stats)
{
	return !access(stats->dir, F_OK);
}

bool session_stats_is_running(struct session_stats *stats)
{
	bool running = source_running(stats->source);

	overhead_look(&stats->overhead, overhead_now(), running);
	return running;
}

void session_stats_save(struct session_stats *stats, bool begun)
{
	char *reported = source_stats(stats->source);
	struct op_error error;

	session_stats_is_running(stats);
	multiplexed_times_update(&stats->times, reported);
	multiplexed_times_remove_lines(reported);
	if (begun)
		stats_take_kernel(&stats->samples, reported);
	if (stats_save(&stats->samples, stats->dir, reported, &error) ||
	    multiplexed_times_save(&stats->times, stats->dir, &error) ||
	    overhead_save(&stats->overhead, stats->dir, &error))
		log_line("the statistics are not up to date: %s", error.text);
	free(reported);
}

void session_stats_log(const struct session_stats *stats)
{
	char *reported = source_stats(stats->source);

	multiplexed_times_remove_lines(reported);
	stats_log(&stats->samples, reported);
	free(reported);
}

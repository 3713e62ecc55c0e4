// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All statistics of a session: see session_stats.h.
 */
#include "session_stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/sources/source.h"
#include "libop/session/alive.h"
#include "libop/session/log.h"

#define NOTE_NS UINT64_C(1000000000)

/* A daemon that was killed has noted more seconds than its account has. */
static void open_alive(struct session_stats *stats)
{
	struct op_alive_times times;

	if (op_alive_read(stats->samples_dir, &times))
		overhead_raise(&stats->overhead, &times);
	if (stats->alive > 0)
		op_alive_close(stats->alive);
	stats->alive = op_alive_open(stats->samples_dir);
	/* at once, so that it has its block before the session is measured */
	times = overhead_times(&stats->overhead);
	op_alive_write(stats->alive, &times);
}

void session_stats_note_time(struct session_stats *stats)
{
	struct overhead_time now = overhead_now();
	struct op_alive_times times;

	if (stats->alive <= 0 || now.wall_ns - stats->noted_ns < NOTE_NS)
		return;
	stats->noted_ns = now.wall_ns;
	overhead_look(&stats->overhead, now, stats->overhead.running);
	times = overhead_times(&stats->overhead);
	op_alive_write(stats->alive, &times);
}

int session_stats_load(struct session_stats *stats, bool begun, struct op_error *error)
{
	char *reported = begun ? source_stats(stats->source) : NULL;
	char *text;

	if (op_account_read(stats->samples_dir, &text) == OP_ACCOUNT_TORN)
		log_line("the latest statistics of the session were cut off; the ones before are "
			 "used");
	stats_load(&stats->samples, text, stats->dir, reported);
	multiplexed_times_update(&stats->times, reported);
	multiplexed_times_load(&stats->times, stats->dir);
	overhead_load(&stats->overhead, text, stats->dir, overhead_now(),
		      source_running(stats->source));
	free(reported);
	free(text);
	open_alive(stats);
	op_account_close(&stats->account);
	return op_account_open(&stats->account, stats->samples_dir, error);
}

bool session_stats_exist(const struct session_stats *stats)
{
	return op_account_is_in(&stats->account, stats->named_dir);
}

bool session_stats_is_running(struct session_stats *stats)
{
	bool running = source_running(stats->source);

	overhead_look(&stats->overhead, overhead_now(), running);
	return running;
}

/* The account was removed, or could not be created before. */
static int replace_account(struct session_stats *stats, struct op_error *error)
{
	op_account_close(&stats->account);
	return op_account_open(&stats->account, stats->samples_dir, error);
}

static int save_account(struct session_stats *stats, const char *reported, struct op_error *error)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int result = -1;

	if (!out)
		return op_error_memory(error);
	stats_put(&stats->samples, reported, out);
	overhead_put(&stats->overhead, out);
	if (fclose(out))
		op_error_memory(error);
	else if (op_account_is_in(&stats->account, stats->samples_dir) ||
		 !replace_account(stats, error))
		result = op_account_write(&stats->account, text, error);
	free(text);
	return result;
}

/* Brings the statistics up to date.  Return: what the source reports, for free(). */
static char *update(struct session_stats *stats, bool begun)
{
	char *reported = source_stats(stats->source);

	session_stats_is_running(stats);
	multiplexed_times_update(&stats->times, reported);
	multiplexed_times_remove_lines(reported);
	if (begun)
		stats_take_kernel(&stats->samples, reported);
	return reported;
}

int session_stats_save_account(struct session_stats *stats, bool begun, struct op_error *error)
{
	char *reported = update(stats, begun);
	int result = save_account(stats, reported, error);

	free(reported);
	return result;
}

int session_stats_save(struct session_stats *stats, bool begun, struct op_error *error)
{
	char *reported = update(stats, begun);
	struct op_error why;
	int result;

	result = save_account(stats, reported, error);
	if (stats_save_cpus(stats->dir, reported, &why) ||
	    multiplexed_times_save(&stats->times, stats->dir, &why))
		log_limited(&stats->log_files, "files of statistics are not up to date: %s",
			    why.text);
	free(reported);
	return result;
}

void session_stats_log(const struct session_stats *stats)
{
	char *reported = source_stats(stats->source);

	multiplexed_times_remove_lines(reported);
	stats_log(&stats->samples, reported);
	free(reported);
}

void session_stats_close(struct session_stats *stats)
{
	op_account_close(&stats->account);
	if (stats->alive > 0)
		op_alive_end(stats->alive, stats->samples_dir);
	stats->alive = -1;
	free(stats->dir);
	stats->dir = NULL;
}

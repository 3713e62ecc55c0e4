// SPDX-License-Identifier: GPL-2.0-or-later
/* The daemon's metrics: see metrics.h. */
#include "metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "libop/text/metrics.h"

/* As often as Prometheus looks by default. */
#define WRITE_SECONDS 15
#define LOST	      "oprofile_samples_lost_total"

int metrics_open(struct metrics *metrics, const char *path, struct op_error *error)
{
	const struct itimerspec period = {.it_interval.tv_sec = WRITE_SECONDS,
					  .it_value.tv_sec = WRITE_SECONDS};

	*metrics = (struct metrics){.path = path, .timer = -1};
	if (!path)
		return 0;
	metrics->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (metrics->timer < 0 || timerfd_settime(metrics->timer, 0, &period, NULL))
		return op_error_errno(error, "cannot make a timer");
	return 0;
}

void metrics_close(struct metrics *metrics)
{
	if (metrics->timer >= 0)
		close(metrics->timer);
	metrics->timer = -1;
}

/* Samples that turn out to be lost after they were stored would make a counter less, which means a
 * new start to who reads it. */
static uint64_t counter(struct metrics *metrics, const struct stats *stats, enum stat_id which)
{
	uint64_t now = stats->earlier[which] + stats->value[which];

	if (metrics->shown[which] < now)
		metrics->shown[which] = now;
	return metrics->shown[which];
}

static void put_counter(struct metrics *metrics, FILE *out, const struct stats *stats,
			enum stat_id which, const char *name, const char *help)
{
	op_metric_begin(out, name, "counter", help);
	op_metric_put(out, name, NULL, NULL, "%" PRIu64, counter(metrics, stats, which));
}

static bool is_loss(enum stat_id which)
{
	return which == STAT_KERNEL_RECORDS ||
	       (op_stats[which].source == OP_STAT_OF_DAEMON && op_stat_is_lost_sample(which));
}

static void put_losses(struct metrics *metrics, FILE *out, const struct stats *stats)
{
	op_metric_begin(out, LOST, "counter",
			"Samples that were lost, by the name of the statistic, "
			"oprofile-session(5).");
	for (enum stat_id i = 0; i < STAT_COUNT; i++)
		if (is_loss(i))
			op_metric_put(out, LOST, "cause", op_stats[i].key, "%" PRIu64,
				      counter(metrics, stats, i));
}

static void put_number(FILE *out, const char *name, const char *type, const char *help,
		       uint64_t value)
{
	op_metric_begin(out, name, type, help);
	op_metric_put(out, name, NULL, NULL, "%" PRIu64, value);
}

static void put_all(struct metrics *metrics, const struct metrics_state *state, FILE *out)
{
	const struct stats *stats = state->stats;

	put_counter(metrics, out, stats, STAT_RECEIVED, "oprofile_samples_received_total",
		    "Samples that the daemon has received.");
	put_counter(metrics, out, stats, STAT_STORED, "oprofile_samples_stored_total",
		    "Samples that are in sessions.");
	put_counter(metrics, out, stats, STAT_FILTERED, "oprofile_samples_filtered_total",
		    "Samples outside the image filter.");
	put_losses(metrics, out, stats);
	put_number(out, "oprofile_sessions_closed_total", "counter",
		   "Sessions that were closed by the clock.", metrics->sessions_closed);
	put_number(out, "oprofile_session_bytes", "gauge", "What the session takes of the disk.",
		   state->session_bytes);
	put_number(out, "oprofile_session_limit_bytes", "gauge", "What it may take.",
		   state->session_bytes_most);
	put_number(out, "oprofile_running", "gauge", "1 while samples are taken.",
		   state->is_running);
	put_number(out, "oprofile_start_time_seconds", "gauge",
		   "When the daemon started, since 1970.", (uint64_t)state->started);
}

void metrics_write(struct metrics *metrics, const struct metrics_state *state)
{
	struct op_error error;
	char *text = NULL;
	size_t length;
	FILE *out;

	if (!metrics->path)
		return;
	out = open_memstream(&text, &length);
	if (!out)
		return;
	put_all(metrics, state, out);
	if (!fclose(out) && op_metrics_write(metrics->path, text, length, &error))
		log_limited(&metrics->log, "%s", error.text);
	free(text);
}

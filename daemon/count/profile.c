// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A profile in the making: see profile.h.
 */
#include "profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libop/cpu/type_names.h"
#include "libop/base/file.h"
#include "libop/pack/session.h"
#include "libop/session/paths.h"
#include "libop/session/tree.h"
#include "origin.h"

/* Names and cookies to keep; a name takes about 300 bytes. */
#define IMAGES_MOST (1 << 17)
/* A dump is done again while the kernel may have had no room for all; this ends any storm. */
#define DUMP_ROUNDS 64
#define DRAIN_READS 64
/* Between two times that call graphs are written, and files taken out of memory. */
#define REST_SECONDS 10

/* ---- events ---- */

/* Two counters with the same event, count and unit mask share a sample file. */
static size_t first_alike(const struct op_events *events, size_t index)
{
	const struct op_event *event = events->event;
	size_t i = 0;

	while (strcmp(event[i].name, event[index].name) != 0 ||
	       event[i].count != event[index].count || event[i].unit_mask != event[index].unit_mask)
		i++;
	return i;
}

static void save_origin(const struct profile *profile)
{
	char *events = op_events_format(&profile->events);

	if (events)
		origin_save(profile->current_dir, profile->source, events);
	free(events);
}

static int set_up_events(struct profile *profile, struct op_error *error)
{
	const char *text = profile->config.events;
	int type = op_cpu_type_number(profile->source->cpu_type);

	if (type == OP_CPU_NONE)
		return op_error_set(error, EINVAL,
				    "the CPU type \"%s\" is unknown, and sample files need its "
				    "number",
				    profile->source->cpu_type);
	profile->files.cpu_type = (uint32_t)type;
	if (type == OP_CPU_TIMER) /* there is but one event, whatever was asked for */
		text = "TIMER:0:0:0:0:1:1";
	else if (!text)
		text = profile->source->events;
	if (!text || !*text)
		return op_error_set(error, EINVAL,
				    "no events given: --events is needed with CPU "
				    "type %s",
				    profile->source->cpu_type);
	if (op_events_parse(text, &profile->events, error))
		return -1;
	for (size_t i = 0; i < OP_COUNTERS_MAX; i++)
		profile->event_of[i] = -1;
	for (size_t i = 0; i < profile->events.count; i++)
		profile->event_of[profile->events.event[i].counter] =
			(int16_t)first_alike(&profile->events, i);
	return 0;
}

/* ---- opening and closing ---- */

static uint64_t seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
	return (uint64_t)time.tv_sec;
}

static void connect_parts(struct profile *profile)
{
	struct source *source = profile->source;

	profile->images.source = source;
	profile->images.filter = &profile->config.filter;
	profile->anon.images = &profile->images;
	profile->anon.source = source;
	profile->kernel.config = profile->config.kernel;
	profile->kernel.images = &profile->images;
	profile->kernel.source = source;
	profile->kernel.dir = profile->current_dir;
	profile->files.images = &profile->images;
	profile->files.dir = profile->current_dir;
	profile->files.events = &profile->events;
	profile->files.cpu_mhz = source->cpu_mhz;
	sample_files_set_limit(&profile->files);
	sample_files_know_pack(&profile->files);
}

/*
 * Before the first buffer, the kernel's statistics are those of an earlier start of profiling,
 * which an earlier daemon has counted.
 */
static bool has_begun(const struct profile *profile)
{
	return profile->buffers;
}

static void load_stats(struct profile *profile)
{
	char *kernel = has_begun(profile) ? source_stats(profile->source) : NULL;

	stats_load(&profile->stats, profile->stats_dir, kernel);
	times_take(&profile->times, kernel);
	times_load(&profile->times, profile->stats_dir);
	overhead_load(&profile->overhead, profile->stats_dir, overhead_now(),
		      source_running(profile->source));
	free(kernel);
}

/* Whether the session still has the statistics that were saved last: else it is a new one. */
static bool has_stats(const struct profile *profile)
{
	return !access(profile->stats_dir, F_OK);
}

/* A daemon that was killed may have left sample files that it had just begun to make. */
static int remove_leftover(const char *path, const struct stat *status, void *context)
{
	const char *name = strrchr(path, '/') + 1;

	(void)context;
	if (S_ISREG(status->st_mode) && !strncmp(name, ODB_TEMPORARY, strlen(ODB_TEMPORARY)) &&
	    odb_leftover(path, true) < 0)
		log_line("cannot remove %s: %s", path, strerror(errno));
	return 0;
}

int profile_open(struct profile *profile, const struct profile_config *config,
		 struct source *source, struct op_error *error)
{
	*profile = (struct profile){.config = *config, .source = source, .rested = seconds()};
	profile->current_dir = op_path("%s/" OP_SESSION_CURRENT, config->session_dir);
	profile->stats_dir =
		op_path("%s/" OP_SESSION_CURRENT "/" OP_SAMPLES_STATS, config->session_dir);
	if (!profile->current_dir || !profile->stats_dir) {
		op_error_set(error, ENOMEM, "out of memory");
		profile_close(profile);
		return -1;
	}
	op_walk(profile->current_dir, remove_leftover, NULL, NULL);
	connect_parts(profile);
	if (stack_init(&profile->stack, error) || set_up_events(profile, error) ||
	    times_open(&profile->times, &profile->events, profile->event_of, error) ||
	    kernel_init(&profile->kernel, error)) {
		profile_close(profile);
		return -1;
	}
	save_origin(profile);
	load_stats(profile);
	profile_save_stats(profile);
	return 0;
}

static void forget(struct profile *profile)
{
	stack_flush(profile);
	sample_files_close(&profile->files);
	anon_forget(&profile->anon);
}

void profile_close(struct profile *profile)
{
	forget(profile);
	stack_free(&profile->stack);
	map_clear(&profile->files.packed_mtimes);
	kernel_free(&profile->kernel);
	images_free(&profile->images);
	times_close(&profile->times);
	op_events_free(&profile->events);
	free(profile->current_dir);
	free(profile->stats_dir);
	*profile = (struct profile){0};
}

int profile_reopen(struct profile *profile, struct op_error *error)
{
	/* what was gathered for a session that is gone is not for the new one */
	if (has_stats(profile))
		profile_save_stats(profile);
	else
		stack_clear(&profile->stack);
	sample_files_close(&profile->files);
	sample_files_know_pack(&profile->files);
	if (op_session_make(profile->config.session_dir, error))
		return -1;
	kernel_refresh(&profile->kernel);
	save_origin(profile);
	load_stats(profile);
	profile_save_stats(profile);
	return 0;
}

/* ---- packing ---- */

static void log_unpacked(void *context, const char *text)
{
	(void)context;
	log_line("not packed: %s", text);
}

int profile_pack(const char *session_dir, struct op_error *error)
{
	char *dir = op_path("%s/" OP_SESSION_CURRENT, session_dir);
	struct op_pack_result packed;
	int result;

	if (!dir)
		return op_error_set(error, ENOMEM, "out of memory");
	result = op_session_pack(dir, log_unpacked, NULL, &packed, error);
	free(dir);
	if (result && error->code == EOPNOTSUPP) {
		log_verbose(LOG_SFILE, "the session stays unpacked: %s", error->text);
		return 0;
	}
	return result;
}

/* ---- taking samples ---- */

bool profile_is_running(struct profile *profile)
{
	bool running = source_running(profile->source);

	overhead_look(&profile->overhead, overhead_now(), running);
	return running;
}

int profile_run(struct profile *profile, bool on, struct op_error *error)
{
	int result = source_run(profile->source, on, error);

	profile_is_running(profile);
	return result;
}

/* Between two buffers: what was gathered goes to its files, and these out of memory. */
static void rest_sometimes(struct profile *profile)
{
	uint64_t time = seconds();

	if (time < profile->rested + REST_SECONDS)
		return;
	profile->rested = time;
	stack_flush(profile);
	sample_files_rest(&profile->files);
}

int profile_take(struct profile *profile, size_t *words, struct op_error *error)
{
	const uint64_t *buffer;
	size_t count;
	int result = source_read(profile->source, &buffer, &count, error);

	rest_sometimes(profile);
	if (result == SOURCE_END)
		stack_flush(profile);
	if (words)
		*words = result ? 0 : count;
	if (result || !count)
		return result;
	if (profile->images.others.count + profile->images.by_cookie.count > IMAGES_MOST) {
		log_verbose(LOG_MISC, "forget %zu images", profile->images.others.count);
		forget(profile);
		images_forget(&profile->images);
	}
	if (!profile->overhead.running)
		profile_is_running(profile); /* the module tells nobody that it was started */
	profile->buffers++;
	profile->files.round++;
	profile->stats.value[STAT_BUFFERS]++;
	stream_decode(profile, buffer, count);
	log_verbose(LOG_MISC, "buffer %" PRIu64 ": %zu words", profile->buffers, count);
	return 0;
}

/* Takes buffers until none is there.  Return: as profile_take(). */
static int drain(struct profile *profile, size_t *total, struct op_error *error)
{
	size_t words = 0;
	int result = 0;

	*total = 0;
	for (int i = 0; i < DRAIN_READS || profile->source->syncs_all; i++) {
		result = profile_take(profile, &words, error);
		*total += words;
		if (result || !words)
			break;
	}
	return result;
}

/*
 * One sync brings all samples taken before it to the event buffer, as far as there is room;
 * the others stay where they are until the next one.  On a busy machine each sync finds some
 * new ones, so that "nothing more comes" would be no end.
 */
static int take_all(struct profile *profile, struct op_error *error)
{
	size_t words = 0;
	int result;

	result = profile->source->syncs_all ? 0 : drain(profile, &words, error);
	for (int i = 0; !result && i < DUMP_ROUNDS; i++) {
		if (source_sync(profile->source, error))
			return -1;
		result = drain(profile, &words, error);
		if (profile->source->syncs_all || words < profile->source->buffer_words / 2)
			break;
	}
	return result;
}

int profile_dump(struct profile *profile, struct op_error *error)
{
	/* what was read is counted; some sources have nothing to bring along */
	int result = profile->source->ops->sync ? take_all(profile, error) : 0;

	stack_flush(profile);
	return result;
}

void profile_save_stats(struct profile *profile)
{
	char *kernel = source_stats(profile->source);
	struct op_error error;

	stack_flush(profile);
	profile_is_running(profile);
	times_take(&profile->times, kernel);
	times_cut(kernel);
	if (has_begun(profile))
		stats_take_kernel(&profile->stats, kernel);
	if (stats_save(&profile->stats, profile->stats_dir, kernel, &error) ||
	    times_save(&profile->times, profile->stats_dir, &error) ||
	    overhead_save(&profile->overhead, profile->stats_dir, &error))
		log_line("the statistics are not up to date: %s", error.text);
	free(kernel);
}

void profile_log_stats(const struct profile *profile)
{
	char *kernel = source_stats(profile->source);

	times_cut(kernel);
	stats_log(&profile->stats, kernel);
	free(kernel);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A running profile: see profile.h.
 */
#include "profile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "daemon/sources/source.h"
#include "libop/base/file.h"
#include "libop/base/page_guard.h"
#include "libop/base/pinned_path.h"
#include "libop/foreign/apart.h"
#include "libop/pack/session.h"
#include "libop/session/paths.h"
#include "libop/session/tree.h"
#include "origin.h"

/* Names and cookies to keep, at about 300 bytes each. */
#define IMAGES_MOST (1 << 17)
/* Syncs in a dump, for as long as the event buffer may have been too small for all samples. */
#define DUMP_ROUNDS 64
#define DRAIN_READS 64
/* Interval at which call chains and the account are written, and files are unmapped. */
#define REST_SECONDS 10
#define NS_PER_S     UINT64_C(1000000000)

/* Seconds a minute that samples may wait for processes that read files of others: for those of one
 * account, and of all; and the same at the end, when there are no samples any more. */
#define WAIT_EACH     1
#define WAIT_ALL      4
#define END_WAIT_EACH 10
#define END_WAIT_ALL  60

/* ---- opening and closing ---- */

static void save_origin(const struct profile *profile)
{
	origin_save(profile->current_dir, profile->source, &profile->events.list,
		    profile->config.command_line);
}

static uint64_t count_profile_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
	return (uint64_t)time.tv_sec;
}

static void connect_locator(struct profile *profile)
{
	struct locator *locator = &profile->locator;
	struct source *source = profile->source;

	locator->images.source = source;
	locator->images.filter = &profile->config.filter;
	locator->anon.images = &locator->images;
	locator->anon.source = source;
	locator->kernel.config = profile->config.kernel;
	locator->kernel.images = &locator->images;
	locator->kernel.source = source;
}

static void connect_files(struct profile *profile)
{
	struct sample_files *files = &profile->files;

	files->discards = profile->config.discards;
	files->images = &profile->locator.images;
	files->stats = &profile->stats.samples;
	files->faults = page_guard_count();
	files->events = &profile->events.list;
	files->cpu_mhz = profile->source->cpu_mhz;
	sample_files_set_limit(files);
}

/* What is written goes to the directory that is samples/current now, whatever is renamed later. */
static int enter_current(struct profile *profile, struct op_error *error)
{
	int fd = open(profile->named_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char *dir = fd < 0 ? NULL : op_pinned_path(fd, profile->named_dir);
	char *stats = dir ? op_path("%s/" OP_SAMPLES_STATS, dir) : NULL;

	if (!stats) {
		op_error_errno(error, "cannot open %s", profile->named_dir);
		op_pinned_close(dir);
		return -1;
	}
	journal_leave(&profile->files.journal);
	op_pinned_close(profile->current_dir);
	free(profile->stats.dir);
	profile->current_dir = dir;
	profile->stats.dir = stats;
	profile->stats.named_dir = profile->named_dir;
	profile->stats.samples_dir = dir;
	profile->locator.kernel.dir = dir;
	images_begin(&profile->locator.images, dir);
	return sample_files_enter(&profile->files, dir, &profile->config.budget,
				  profile->config.packs, error);
}

static void connect_decoder(struct profile *profile)
{
	struct decoder *decoder = &profile->decoder;

	decoder->config = &profile->config;
	decoder->events = &profile->events;
	decoder->source = profile->source;
	decoder->locator = &profile->locator;
	decoder->files = &profile->files;
	decoder->stats = &profile->stats.samples;
	decoder->chain_writer = (struct call_chain_writer){
		.chains = &profile->chains,
		.files = &profile->files,
		.stats = &profile->stats.samples,
	};
}

static bool has_begun(const struct profile *profile)
{
	return profile->buffers;
}

/* Not before there are samples: each start chooses the backend anew. */
static void save_backend(const struct profile *profile)
{
	if (has_begun(profile))
		origin_save_backend(profile->current_dir, profile->source);
}

void profile_flush(struct profile *profile)
{
	if (profile->chains.roots)
		call_chain_writer_flush(&profile->decoder.chain_writer);
}

/* Removes a sample file that a killed daemon had not finished creating. */
static int remove_leftover(const char *path, const struct stat *status, void *context)
{
	const char *name = strrchr(path, '/') + 1;

	(void)context;
	if (S_ISREG(status->st_mode) && !strncmp(name, ODB_TEMPORARY, strlen(ODB_TEMPORARY)) &&
	    odb_leftover(path, true) < 0)
		log_line_errno("cannot remove %s", path);
	return 0;
}

/* What killed daemons and packings left. */
static void remove_leftovers(const struct profile *profile)
{
	char *samples = op_path("%s/" OP_SESSION_SAMPLES, profile->config.session_dir);

	op_walk(profile->current_dir, remove_leftover, NULL, NULL);
	if (samples)
		op_pack_remove_leftovers(samples);
	free(samples);
}

static int open_parts(struct profile *profile, struct op_error *error)
{
	struct counted_events *events = &profile->events;

	if (call_chains_init(&profile->chains, error) ||
	    counted_events_open(events, profile->source, profile->config.events, error) ||
	    multiplexed_times_open(&profile->stats.times, &events->list, events->of_counter,
				   error) ||
	    kernel_init(&profile->locator.kernel, error))
		return -1;
	profile->files.cpu_type = events->cpu_type;
	return 0;
}

static int save_stats(struct profile *profile, struct op_error *error)
{
	profile->accounted = profile->buffers;
	return session_stats_save(&profile->stats, has_begun(profile), error);
}

/* Losses of an earlier daemon are not this one's. */
static int begin_account(struct profile *profile, struct op_error *error)
{
	profile->missing = 0;
	if (session_stats_load(&profile->stats, has_begun(profile), error) ||
	    save_stats(profile, error))
		return -1;
	sample_files_measure_new(&profile->files);
	return 0;
}

int profile_open(struct profile *profile, const struct profile_config *config,
		 struct source *source, struct op_error *error)
{
	*profile = (struct profile){
		.config = *config,
		.source = source,
		.stats.source = source,
		.stats.account = OP_ACCOUNT_CLOSED,
		.rested = count_profile_seconds(),
	};
	page_guard_install();
	profile->named_dir = op_path("%s/" OP_SESSION_CURRENT, config->session_dir);
	if (!profile->named_dir || enter_current(profile, error)) {
		if (!profile->named_dir)
			op_error_memory(error);
		profile_close(profile);
		return -1;
	}
	remove_leftovers(profile);
	apart_wait_at_most(WAIT_EACH, WAIT_ALL);
	connect_locator(profile);
	connect_files(profile);
	connect_decoder(profile);
	if (open_parts(profile, error)) {
		profile_close(profile);
		return -1;
	}
	save_origin(profile);
	if (begin_account(profile, error)) {
		profile_close(profile);
		return -1;
	}
	return 0;
}

/* What identifies the images, and their symbols: files may change before a report is made. */
static void save_images(struct profile *profile)
{
	images_save(&profile->locator.images);
	images_save_symbols(&profile->locator.images);
}

void profile_close(struct profile *profile)
{
	profile_flush(profile);
	apart_wait_at_most(END_WAIT_EACH, END_WAIT_ALL);
	save_images(profile);
	feed_close(&profile->feed);
	sample_files_close(&profile->files);
	call_chains_free(&profile->chains);
	op_hash_map_free(&profile->files.packed_mtimes);
	budget_close(&profile->files.budget);
	locator_free(&profile->locator);
	multiplexed_times_close(&profile->stats.times);
	counted_events_close(&profile->events);
	session_stats_close(&profile->stats);
	op_pinned_close(profile->current_dir);
	free(profile->named_dir);
	*profile = (struct profile){0};
}

int profile_reopen(struct profile *profile, struct op_error *error)
{
	/* call chains of a session that is gone do not belong to the new one */
	if (session_stats_exist(&profile->stats))
		profile_save_stats(profile);
	else
		call_chains_clear(&profile->chains);
	sample_files_close(&profile->files);
	locator_forget(&profile->locator);
	if (op_session_make(profile->config.session_dir, error) || enter_current(profile, error))
		return -1;
	kernel_enter(&profile->locator.kernel);
	save_origin(profile);
	return begin_account(profile, error);
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
		return op_error_memory(error);
	result = op_session_pack_recent(dir, log_unpacked, NULL, &packed, error);
	free(dir);
	if (result && error->code == EOPNOTSUPP) {
		log_verbose(LOG_SFILE, "the session is not packed: %s", error->text);
		return 0;
	}
	return result;
}

/* ---- the feed ---- */

int profile_feed(struct profile *profile, int fd, struct op_error *error)
{
	const char *dir = profile->config.session_dir;
	char *named = op_pinned_names(dir);
	int result = feed_add(&profile->feed, fd, named ? named : dir, profile->source->name,
			      &profile->events, error);

	free(named);
	if (!result)
		profile->decoder.feed = &profile->feed;
	return result;
}

static void send_feed(struct profile *profile)
{
	const uint64_t *value = profile->stats.samples.value;

	feed_send(&profile->feed, value[STAT_RECEIVED], value[STAT_STORED]);
	if (!profile->feed.readers)
		profile->decoder.feed = NULL;
}

/* ---- taking samples ---- */

bool profile_is_running(struct profile *profile)
{
	return session_stats_is_running(&profile->stats);
}

int profile_run(struct profile *profile, bool on, struct op_error *error)
{
	int result = source_run(profile->source, on, error);

	profile_is_running(profile);
	return result;
}

static bool is_removed(const struct profile *profile)
{
	struct stat status;

	return !stat(profile->current_dir, &status) && !status.st_nlink;
}

/* Where the session is removed, a new one begins: samples would be lost until a "reopen". */
static void reopen_if_removed(struct profile *profile)
{
	struct op_error error;

	if (!is_removed(profile))
		return;
	log_line("the session was removed; a new one begins");
	if (profile_reopen(profile, &error))
		log_line("%s", error.text);
}

static bool has_unaccounted(const struct profile *profile)
{
	return profile->buffers != profile->accounted;
}

/* Of what is in the files now: a report of a session in use compares both. */
static void save_account(struct profile *profile)
{
	struct op_error error;

	if (!has_unaccounted(profile))
		return;
	profile->accounted = profile->buffers;
	sample_files_check(&profile->files);
	if (session_stats_save_account(&profile->stats, has_begun(profile), &error))
		log_limited(&profile->stats.log_account, "the account is not up to date: %s",
			    error.text);
}

int profile_rest(struct profile *profile, int wait)
{
	uint64_t time = count_profile_seconds(), due = profile->rested + REST_SECONDS;

	apart_tend();
	session_stats_note_time(&profile->stats);
	if (time < due) {
		int left = (int)(due - time) * 1000;

		return has_unaccounted(profile) && (wait < 0 || left < wait) ? left : wait;
	}
	profile->rested = time;
	reopen_if_removed(profile);
	profile_flush(profile);
	save_account(profile);
	sample_files_rest(&profile->files);
	images_rest(&profile->locator.images);
	return wait;
}

static void bound_images(struct profile *profile)
{
	struct images *images = &profile->locator.images;

	if (images->others.n + images->by_cookie.n <= IMAGES_MOST)
		return;
	log_verbose(LOG_MISC, "forget %zu images", images->others.n);
	profile_flush(profile);
	sample_files_close(&profile->files);
	locator_forget(&profile->locator);
}

int profile_take(struct profile *profile, size_t *words, struct op_error *error)
{
	const uint64_t *buffer;
	size_t count;
	int result = source_read(profile->source, &buffer, &count, error);

	profile_rest(profile, -1);
	if (result == SOURCE_END)
		profile_flush(profile);
	if (words)
		*words = result ? 0 : count;
	if (result || !count)
		return result;
	bound_images(profile);
	if (!profile->stats.overhead.running)
		profile_is_running(profile); /* another program may have started the source */
	profile->buffers++;
	profile->files.round++;
	profile->stats.samples.value[STAT_BUFFERS]++;
	decoder_decode(&profile->decoder, profile->buffers, buffer, count);
	/* else profile_feed_due() will: each time costs both ends more than the samples */
	if (profile->feed.readers && profile->feed.records.used > FEED_BATCH)
		send_feed(profile);
	sample_files_check_faults(&profile->files);
	log_verbose(LOG_MISC, "buffer %" PRIu64 ": %zu words", profile->buffers, count);
	return 0;
}

/* Takes buffers until none is left.  Return: as profile_take(). */
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
 * A sync moves all samples taken before it to the event buffer, as far as they fit; the others wait
 * for the next one.  On a busy machine each sync finds new samples, so that an empty read is not
 * the condition to end.
 */
static int read_all(struct profile *profile, struct op_error *error)
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

/* The module hands its samples over by itself, four times a second. */
static uint64_t milliseconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

int profile_feed_due(struct profile *profile, int *wait, struct op_error *error)
{
	uint64_t now = milliseconds();
	int result = 0;

	if (profile_is_fed(profile) && now >= profile->fed + PROFILE_FEED_MS) {
		profile->fed = now;
		result = profile->source->syncs_all ? read_all(profile, error) : 0;
		if (profile_is_fed(profile))
			send_feed(profile);
	}
	*wait = profile_is_fed(profile) ? (int)(profile->fed + PROFILE_FEED_MS - now) : -1;
	return result;
}

/* Return: 0, or -1 with @error set if samples were not stored since the last call. */
static int check_missing(struct profile *profile, struct op_error *error)
{
	const struct stats *stats = &profile->stats.samples;
	uint64_t missing = stats_not_written(stats) + stats->value[STAT_STACKS_LOST];
	uint64_t before = profile->missing;
	char *causes;

	profile->missing = missing;
	if (missing <= before)
		return 0;
	causes = stats_causes(stats);
	op_error_set(error, ENODATA,
		     "%" PRIu64 " samples or call chains could not be stored (in all: %s)",
		     missing - before, causes ? causes : "causes unknown");
	free(causes);
	return -1;
}

int profile_settle(struct profile *profile, struct op_error *error)
{
	profile_flush(profile);
	sample_files_check(&profile->files);
	if (save_stats(profile, error))
		return -1;
	save_backend(profile);
	save_images(profile);
	return check_missing(profile, error);
}

int profile_dump(struct profile *profile, struct op_error *error)
{
	/* a source without a sync holds nothing back */
	int result = profile->source->ops->sync ? read_all(profile, error) : 0;
	struct op_error why;

	reopen_if_removed(profile);
	if (!profile_settle(profile, &why) || (result && result != SOURCE_END))
		return result;
	return op_error_set(error, why.code, "%s", why.text);
}

int profile_end_session(struct profile *profile, struct session_times *times,
			struct op_error *error)
{
	const struct stats *stats = &profile->stats.samples;
	struct op_error why;
	struct timespec now;

	if (profile_dump(profile, &why) < 0)
		log_line("%s", why.text);
	if ((!stats->value[STAT_RECEIVED] && !stats_lost(stats)) ||
	    !session_stats_exist(&profile->stats) ||
	    !session_times_read(profile->current_dir, times))
		return op_error_set(error, ENODATA, "there is nothing to close");
	clock_gettime(CLOCK_REALTIME, &now);
	times->end = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
	return session_times_end(profile->current_dir, times->end, error);
}

void profile_save_stats(struct profile *profile)
{
	struct op_error error;

	profile_flush(profile);
	sample_files_check(&profile->files);
	if (save_stats(profile, &error))
		log_line("the statistics are not up to date: %s", error.text);
	save_backend(profile);
	save_images(profile);
}

void profile_log_stats(const struct profile *profile)
{
	session_stats_log(&profile->stats);
}

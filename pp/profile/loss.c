// SPDX-License-Identifier: GPL-2.0-or-later
/* Statistics of lost samples and overhead. */
#include "loss.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/base/safe_text.h"
#include "libop/session/account.h"
#include "libop/session/lock.h"
#include "head.h"
#include "session_sum.h"
#include "libop/session/paths.h"
#include "libop/base/memory.h"
#include "libop/foreign/door.h"
#include "libop/text/cells.h"

static void take_number(struct pp_loss *loss, const char *key, uint64_t value)
{
	enum stat_id which = op_stat_find(key, strlen(key));

	if (which == STAT_COUNT)
		return;
	loss->value[which] += value;
	loss->known = true;
}

static int read_number(const char *path, const struct stat *status, void *context)
{
	const char *name = strrchr(path, '/') + 1;
	uint64_t value;
	char *text = S_ISREG(status->st_mode) ? foreign_read(path, 64, NULL, NULL) : NULL;

	if (!text)
		return 0;
	text[strcspn(text, "\n")] = '\0';
	if (!op_number_parse(text, name, 0, UINT64_MAX, &value, NULL))
		take_number(context, name, value);
	free(text);
	return 0;
}

/* Numbers of a session without an account. */
static void read_files(struct pp_loss *loss, const char *samples_dir)
{
	char *path = op_format("%s/" OP_SAMPLES_STATS, samples_dir);

	op_walk(path, read_number, loss, NULL);
	free(path);
}

/* @stored: set to the samples that it says are stored.  Return: whether it says that. */
static bool read_account(struct pp_loss *loss, const char *samples_dir, uint64_t *stored)
{
	char *text, *rest, *name;
	bool says = false;
	uint64_t value;

	*stored = 0;
	switch (op_account_read(samples_dir, &text)) {
	case OP_ACCOUNT_MISSING:
		loss->missing++;
		read_files(loss, samples_dir);
		return false;
	case OP_ACCOUNT_DAMAGED:
		loss->damaged++;
		return false;
	case OP_ACCOUNT_TORN:
		loss->torn++;
		break;
	case OP_ACCOUNT_WHOLE:
		break;
	}
	for (rest = text; (name = op_account_next(&rest, &value));) {
		take_number(loss, name, value);
		if (strcmp(name, op_stats[STAT_STORED].key))
			continue;
		*stored = value;
		says = true;
	}
	free(text);
	return says;
}

/* Adds the sources that a session names to a list of them. */
static void read_sources(struct pp_loss *loss, const char *samples_dir)
{
	char *path = op_format("%s/" OP_SAMPLES_SOURCE, samples_dir);
	char *text = foreign_read(path, 1 << 20, NULL, NULL), *rest = text, *line;
	static const char key[] = "source ";
	size_t length;

	while (text && (line = strsep(&rest, "\n"))) {
		const char *name = line + strlen(key);

		length = strlen(loss->sources);
		if (strncmp(line, key, strlen(key)) || strstr(loss->sources, name) ||
		    length + strlen(name) + 3 > sizeof(loss->sources))
			continue;
		sprintf(loss->sources + length, "%s%s", length ? ", " : "", name);
	}
	free(text);
	free(path);
}

static void add_cause(struct pp_loss *loss, enum stat_id which)
{
	struct pp_loss_cause *cause = &loss->causes[loss->n_causes++];

	cause->is_of_samples = op_stat_is_lost_sample(which);
	cause->help = op_stats[which].help;
	cause->n = loss->value[which];
	if (cause->is_of_samples)
		snprintf(cause->text, sizeof(cause->text), "%s%s",
			 op_stat_is_of_kernel(which) ? "in the kernel: " : "",
			 op_stats[which].text);
	else
		op_stat_text(which, cause->text);
}

/* The kernel's own numbers are since the last start; those of imports are the recorder's. */
static void add_earlier(struct pp_loss *loss)
{
	uint64_t ever = loss->value[STAT_KERNEL_RECORDS];
	struct pp_loss_cause *cause = &loss->causes[loss->n_causes];

	if (ever <= loss->kernel_lost)
		return;
	*cause = (struct pp_loss_cause){.n = ever - loss->kernel_lost, .is_of_samples = true};
	snprintf(cause->text, sizeof(cause->text), "%s",
		 *loss->sources ? "in the kernel, before profiling was last started"
				: "by the recorder");
	loss->n_causes++;
	loss->kernel_lost = ever;
}

/* Seconds, or -1. */
static int64_t age_of_account(const char *samples_dir)
{
	char *path = op_format("%s/" OP_SAMPLES_ACCOUNT, samples_dir);
	time_t now = time(NULL);
	struct stat status;
	int64_t age = -1;

	if (!stat(path, &status) && status.st_mtime <= now)
		age = now - status.st_mtime;
	free(path);
	return age;
}

/* Compares the files of a session with its account. */
static void loss_compare(struct pp_loss *loss, const char *samples_dir, uint64_t stored,
			 bool in_use)
{
	uint64_t sum = pp_session_sum(samples_dir);
	int64_t age;

	loss->in_files += sum;
	if (!in_use || sum <= stored)
		return;
	age = age_of_account(samples_dir);
	if (!loss->still_coming || age > loss->account_age)
		loss->account_age = age;
	loss->still_coming += sum - stored;
}

static void add_up(struct pp_loss *loss)
{
	loss->received = loss->value[STAT_RECEIVED];
	loss->stored = loss->value[STAT_STORED];
	loss->filtered = loss->value[STAT_FILTERED];
	for (enum stat_id i = 0; i < STAT_COUNT; i++)
		if (op_stat_is_lost_sample(i))
			*(op_stat_is_of_kernel(i) ? &loss->kernel_lost : &loss->lost) +=
				loss->value[i];
	for (int of_samples = 1; of_samples >= 0; of_samples--)
		for (enum stat_id i = 0; i < STAT_COUNT; i++)
			if (op_stats[i].kind == OP_STAT_LOST && loss->value[i] &&
			    op_stat_is_lost_sample(i) == of_samples)
				add_cause(loss, i);
	add_earlier(loss);
}

void pp_loss_read(struct pp_loss *loss, char *const *samples_dirs, size_t n)
{
	uint64_t *stored = op_alloc(n + 1, sizeof(*stored));
	bool *in_use = op_alloc(n + 1, sizeof(*in_use));

	memset(loss, 0, sizeof(*loss));
	loss->compared = n;
	for (size_t i = 0; i < n; i++) {
		/* first: a daemon that ends writes the account before it releases the session */
		in_use[i] = lock_is_in_use(samples_dirs[i]);
		loss->compared &= read_account(loss, samples_dirs[i], &stored[i]);
		read_sources(loss, samples_dirs[i]);
	}
	for (size_t i = 0; loss->compared && i < n; i++)
		loss_compare(loss, samples_dirs[i], stored[i], in_use[i]);
	free(stored);
	free(in_use);
	add_up(loss);
}

static bool differs(const struct pp_loss *loss)
{
	return loss->compared && loss->in_files - loss->still_coming != loss->stored;
}

bool pp_loss_any(const struct pp_loss *loss)
{
	return loss->n_causes > 0 || loss->damaged || loss->torn || differs(loss);
}

const char *pp_loss_account(const struct pp_loss *loss)
{
	return loss->damaged   ? "damaged"
	       : loss->missing ? "missing"
	       : loss->torn    ? "torn"
			       : "whole";
}

/* "4 s", "12 min", "3 h" */
static void format_age(char text[static 32], int64_t seconds)
{
	if (seconds < 120)
		snprintf(text, 32, "%" PRId64 " s", seconds);
	else if (seconds < 2 * 60 * 60)
		snprintf(text, 32, "%" PRId64 " min", seconds / 60);
	else
		snprintf(text, 32, "%" PRId64 " h", seconds / (60 * 60));
}

static void write_still_coming(const struct pp_loss *loss, FILE *out)
{
	char age[32];

	if (!loss->still_coming)
		return;
	fprintf(out, "Profiling goes on: %" PRIu64 " sample%s came since the account was written",
		loss->still_coming, loss->still_coming == 1 ? "" : "s");
	if (loss->account_age >= 0) {
		format_age(age, loss->account_age);
		fprintf(out, ", %s ago", age);
	}
	fputc('\n', out);
}

void pp_loss_write_doubts(const struct pp_loss *loss, bool color, FILE *out)
{
	struct op_line line = {.color = color};
	uint64_t in_files = loss->in_files - loss->still_coming, more = in_files - loss->stored;
	bool has_more = in_files > loss->stored;

	write_still_coming(loss, out);
	if (!loss->damaged && !loss->missing && !loss->torn && !differs(loss))
		return;
	op_line_tone(&line, OP_TONE_ALARM);
	if (loss->damaged)
		op_line_puts(&line, "Account: damaged; what was lost is not known\n");
	if (loss->missing)
		op_line_puts(&line, "Account: none in the session; what was lost is not known\n");
	if (loss->torn)
		op_line_puts(&line, "Account: the last write of it is not whole; its numbers are "
				    "those of the one before\n");
	if (differs(loss)) {
		op_line_puts(&line, "Account: sample files have ");
		op_line_count(&line, in_files, 0);
		op_line_puts(&line, " samples, ");
		op_line_count(&line, has_more ? more : -more, 0);
		op_line_puts(&line, has_more ? " more than it says (since the last dump?)\n"
					     : " fewer than it says\n");
	}
	op_line_tone(&line, OP_TONE_PLAIN);
	op_line_flush(&line, out);
	op_line_free(&line);
}

static void write_causes(const struct pp_loss *loss, struct op_line *line, FILE *out)
{
	for (size_t i = 0; i < loss->n_causes; i++) {
		op_line_count(line, loss->causes[i].n, 9);
		op_line_puts(line, "  ");
		op_line_safe(line, loss->causes[i].text);
		op_line_end(line, out);
	}
}

/* Samples that were stored after the account was last written. */
static uint64_t pp_loss_unaccounted(const struct pp_loss *loss)
{
	return loss->compared && loss->in_files > loss->stored ? loss->in_files - loss->stored : 0;
}

/* Nothing lost is said only where nothing can have been. */
static const char *no_loss(const struct pp_loss *loss)
{
	if (loss->missing || differs(loss) || loss->still_coming)
		return ", no losses noted";
	return loss->value[STAT_THROTTLED] ? ", none of them lost" : ", none lost";
}

static void put_lost(struct op_line *line, uint64_t n, const char *how, uint64_t all)
{
	char share[32];

	if (!n)
		return;
	op_line_puts(line, ", ");
	op_line_count(line, n, 0);
	op_line_puts(line, how);
	snprintf(share, sizeof(share), " (%.4g %%)", op_percent(n, all));
	op_line_puts(line, share);
}

static void write_lost(const struct pp_loss *loss, struct op_line *line, uint64_t received)
{
	if (!loss->lost && !loss->kernel_lost) {
		op_line_puts(line, no_loss(loss));
		return;
	}
	op_line_tone(line, OP_TONE_ALARM);
	put_lost(line, loss->lost, " lost", received);
	put_lost(line, loss->kernel_lost, " lost before they were received",
		 received + loss->kernel_lost);
	op_line_tone(line, OP_TONE_PLAIN);
}

static void write_samples(const struct pp_loss *loss, struct op_line *line, FILE *out)
{
	uint64_t later = pp_loss_unaccounted(loss), received = loss->received + later;

	fprintf(out, "Samples: %" PRIu64 " received, %" PRIu64 " stored", received,
		loss->stored + later);
	if (later)
		fprintf(out, " (%" PRIu64 " of them not yet in the account)", later);
	if (loss->filtered)
		fprintf(out, ", %" PRIu64 " outside the image filter", loss->filtered);
	if (!loss->n_causes) {
		fprintf(out, "%s\n", no_loss(loss));
		return;
	}
	write_lost(loss, line, received);
	op_line_end(line, out);
	if (loss->value[STAT_KERNEL_RECEIVED])
		fprintf(out, "Kernel, since profiling was last started: %" PRIu64 " taken\n",
			loss->value[STAT_KERNEL_RECEIVED]);
	write_causes(loss, line, out);
}

/* The module increases periods; perf stops counting until the next tick. */
static void write_throttling(const struct pp_loss *loss, FILE *out)
{
	const char *what = "events were throttled";

	if (!loss->value[STAT_THROTTLED])
		return;
	if (!strcmp(loss->sources, "module"))
		what = "periods were doubled";
	else if (!strcmp(loss->sources, "perf"))
		what = "events were paused";
	fprintf(out, "Too many samples: %s %" PRIu64 " time%s\n", what, loss->value[STAT_THROTTLED],
		loss->value[STAT_THROTTLED] == 1 ? "" : "s");
}

static void write_overhead(const struct pp_loss *loss, FILE *out)
{
	double seconds = (double)loss->value[STAT_PROFILING_MS] / 1000;

	if (loss->value[STAT_PROFILING_MS])
		fprintf(out, "Overhead: the daemon used %.2f %% of a CPU in %.*f s\n",
			op_percent(loss->value[STAT_DAEMON_CPU_MS], loss->value[STAT_PROFILING_MS]),
			seconds < 10 ? 1 : 0, seconds);
}

void pp_loss_write(const struct pp_loss *loss, bool color, FILE *out)
{
	struct op_line line = {.color = color};

	if (!loss->known) {
		fputs("Samples: the session has no statistics of losses\n", out);
		return;
	}
	if (*loss->sources)
		op_safe_line(out, "Source: %s", loss->sources);
	write_samples(loss, &line, out);
	write_throttling(loss, out);
	write_overhead(loss, out);
	op_line_free(&line);
}

/* Whether pp_loss_write() has it already. */
static bool is_in_account(enum stat_id which)
{
	return which == STAT_RECEIVED || which == STAT_STORED || which == STAT_FILTERED ||
	       op_stats[which].kind == OP_STAT_LOST;
}

void pp_loss_write_others(const struct pp_loss *loss, FILE *out)
{
	const char *head = "Counted:\n";
	char text[OP_STAT_TEXT_SIZE];

	for (enum stat_id i = 0; i < STAT_COUNT; i++) {
		if (is_in_account(i) || !loss->value[i])
			continue;
		fprintf(out, "%s%9" PRIu64 "  %s\n", head, loss->value[i], op_stat_text(i, text));
		head = "";
	}
}

const struct pp_loss_cause *pp_loss_largest(const struct pp_loss *loss)
{
	const struct pp_loss_cause *largest = NULL;

	for (size_t i = 0; i < loss->n_causes; i++)
		if (loss->causes[i].is_of_samples && (!largest || loss->causes[i].n > largest->n))
			largest = &loss->causes[i];
	return largest;
}

/* Return: what became of the samples, which the caller frees. */
static char *fate(const struct pp_loss *loss)
{
	const struct pp_loss_cause *cause = pp_loss_largest(loss);

	if (!loss->known)
		return op_copy("it has no statistics of losses either");
	return op_format("%" PRIu64 " received, %" PRIu64 " outside the image filter, %" PRIu64
			 " lost, %" PRIu64 " lost before they were received%s%s%s%s",
			 loss->received, loss->filtered, loss->lost, loss->kernel_lost,
			 cause ? "; most of them: " : "", cause ? cause->text : "",
			 cause && cause->help ? "; " : "", cause && cause->help ? cause->help : "");
}

static int add_missing(const char *path, const struct stat *status, void *context)
{
	const char *name = strrchr(path, '/') + 1;
	uint64_t *most = context, ns = 0;
	char *text = S_ISREG(status->st_mode) && !strcmp(name, OP_STATS_MISSING_NS)
			     ? foreign_read(path, 64, NULL, NULL)
			     : NULL;

	if (text) {
		text[strcspn(text, "\n")] = '\0';
		op_number_parse(text, name, 0, UINT64_MAX, &ns, NULL);
	}
	if (ns > *most)
		*most = ns;
	free(text);
	return 0;
}

/* CPU time that no event was there to count, in seconds. */
static double missing_time(const char *samples_dir)
{
	char *dir = op_format("%s/" OP_SAMPLES_STATS "/" OP_STATS_EVENTS, samples_dir);
	uint64_t ns = 0;

	op_walk(dir, add_missing, &ns, NULL);
	free(dir);
	return (double)ns / 1e9;
}

int pp_loss_explain(const struct pp_sample_list *list, struct op_error *error)
{
	struct pp_loss loss;
	char *name, *text, *whole, others[32] = "";
	double missing;

	if (!list->is_empty || !list->n_dirs)
		return -1;
	pp_loss_read(&loss, list->samples_dirs, list->n_dirs);
	name = pp_head_session_name(list->samples_dirs[0]);
	text = fate(&loss);
	missing = missing_time(list->samples_dirs[0]);
	if (missing > 0) {
		whole = op_format("%s; %.3g s of CPU time were not profiled, perhaps of programs "
				  "that are set-user-ID or cannot be read, which the kernel keeps "
				  "from profilers",
				  text, missing);
		free(text);
		text = whole;
	}
	if (list->n_dirs > 1)
		snprintf(others, sizeof(others), " and %zu more", list->n_dirs - 1);
	op_error_set(error, PP_NO_SESSION, "no samples in the session %.500s%s: %s", name, others, text);
	free(text);
	free(name);
	return -1;
}

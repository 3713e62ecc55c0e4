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

/* The sum that a statistic is added to. */
enum account {
	RECEIVED,
	STORED,
	FILTERED,
	KERNEL_RECEIVED,
	LOST,
	KERNEL_LOST,
	KERNEL_LOST_EVER,
	OTHER_LOST,
	CHAINS,
	CHAINS_CUT,
	CHAIN_ROOT,
	CHAIN_DEPTH,
	CHAIN_NO_TABLE,
	CHAIN_NO_RULE,
	CHAIN_UNREADABLE,
	CHAIN_BAD_FRAME,
	THROTTLED,
	DAEMON_CPU_MS,
	PROFILING_MS,
};

/* Files of the statistics; those of a CPU are in a directory of its own. */
static const struct {
	const char *name;
	enum account account;
	const char *text; /* of a cause */
} numbers[] = {
	{"total_samples", RECEIVED, NULL},
	{"samples_stored", STORED, NULL},
	{"samples_filtered", FILTERED, NULL},
	{"lost_no_mapping", LOST, "user code in no file or memory that is known"},
	{"lost_kernel", LOST, "kernel code in neither the kernel nor a module"},
	{"lost_invalid_domain", LOST, "task or CPU not known"},
	{"lost_no_space", LOST, "the disk was full"},
	{"lost_no_descriptor", LOST, "too many files were open"},
	{"lost_no_memory", LOST, "no memory for the sample file"},
	{"lost_io_error", LOST, "the disk failed"},
	{"lost_file_limit", LOST, "the sample file reached the limit of file size"},
	{"lost_long_name", LOST, "the path of the sample file was too long"},
	{"lost_file_cut", LOST, "the sample file was truncated or removed while in use"},
	{"lost_samplefile", LOST, "the sample file could not be written"},
	{"lost_no_event", LOST, "a counter without an event"},
	{"lost_no_app_for_user_sample", LOST, "anonymous memory of an unknown program"},
	{"lost_no_app_for_kernel_sample", LOST, "kernel code for an unknown program"},
	{"lost_recorder_full", LOST, "in the recording: the recorder's buffer was full"},
	{"lost_recorder_cpu_full", LOST, "in the recording: the buffer of a CPU was full"},
	{"lost_recorder", LOST, "in the recording"},
	{"lost_no_room", LOST, "in the import: too many events for its size"},
	{"sample_received", KERNEL_RECEIVED, NULL},
	{"sample_lost_overflow", KERNEL_LOST, "in the kernel: the buffer of a CPU was full"},
	{"sample_lost_no_room", KERNEL_LOST, "in the kernel: the event buffer was full"},
	{"sample_lost_nested", KERNEL_LOST, "in the kernel: one sample interrupted another"},
	{"sample_lost_no_mm", KERNEL_LOST, "in the kernel: the process was gone"},
	{"sample_lost_no_mapping", KERNEL_LOST, "in the kernel: the mapping was gone"},
	{"sample_lost_busy", KERNEL_LOST, "in the kernel: the process kept its mappings locked"},
	{"sample_invalid_eip", KERNEL_LOST, "in the kernel: invalid address"},
	{"event_lost_overflow", OTHER_LOST, "words that the event buffer had no room for"},
	{"unmapped_lost", OTHER_LOST, "notes of mappings that the kernel had no room for"},
	{"images_lost", OTHER_LOST, "names of images that the kernel had no room for"},
	{"hooks_missed", OTHER_LOST, "changes of mappings that the kernel missed"},
	{"hooks_disarmed", OTHER_LOST, "times that the kernel's kprobes were found switched off"},
	{"bt_lost_no_mapping", OTHER_LOST, "call chains with a frame whose mapping was gone"},
	{"lost_bt_no_mapping", OTHER_LOST, "frames of call chains outside known mappings"},
	{"lost_bt_no_sample", OTHER_LOST, "frames of call chains whose sample was lost"},
	{"lost_bt_samplefile", OTHER_LOST, "frames whose sample file could not be written"},
	{"lost_stacks", OTHER_LOST, "whole stacks whose stack file could not be written"},
	{"stacks_cut", OTHER_LOST, "whole stacks that were cut, as the stack file was full"},
	{"stacks_other", OTHER_LOST, "whole stacks that the session had no room for"},
	{"bad_records", OTHER_LOST, "malformed records of the event buffer"},
	{"lost_records_by_kernel", KERNEL_LOST_EVER, NULL},
	{"stacks_stored", CHAINS, NULL},
	{"lost_bt_no_mapping", CHAINS_CUT, NULL},
	{"chain_root", CHAIN_ROOT, NULL},
	{"chain_depth", CHAIN_DEPTH, NULL},
	{"chain_no_table", CHAIN_NO_TABLE, NULL},
	{"chain_no_rule", CHAIN_NO_RULE, NULL},
	{"chain_unreadable", CHAIN_UNREADABLE, NULL},
	{"chain_bad_frame", CHAIN_BAD_FRAME, NULL},
	{"throttled", THROTTLED, NULL},
	{"daemon_cpu_ms", DAEMON_CPU_MS, NULL},
	{"profiling_ms", PROFILING_MS, NULL},
};

#define N_NUMBERS (sizeof(numbers) / sizeof(numbers[0]))
_Static_assert(N_NUMBERS < PP_LOSS_CAUSES, "causes do not fit");

/* What to do about a cause, where one thing helps. */
static const struct {
	const char *name, *text;
} helps[] = {
	{"lost_no_space", "free space, or take another disk (--session-dir)"},
	{"lost_no_descriptor", "allow more files (ulimit -n 65536)"},
	{"lost_file_limit", "allow larger files (ulimit -f unlimited)"},
	{"lost_recorder_full", "record with a larger buffer (perf record -m 16M)"},
	{"lost_recorder_cpu_full", "record with a larger buffer (perf record -m 16M)"},
	{"sample_lost_overflow", "sample less often (operf --freq=500; opcontrol --setup "
				 "--cpu-buffer-size=65536)"},
	{"sample_lost_no_room", "take a larger buffer (opcontrol --setup --buffer-size=1048576)"},
};

struct reading {
	uint64_t values[N_NUMBERS];
	bool known;
};

static void take_number(struct reading *reading, const char *name, uint64_t value)
{
	for (size_t i = 0; i < N_NUMBERS; i++) {
		if (strcmp(name, numbers[i].name))
			continue;
		reading->values[i] += value;
		reading->known = true;
	}
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
static void read_files(struct reading *reading, const char *samples_dir)
{
	char *path = pp_format("%s/" OP_SAMPLES_STATS, samples_dir);

	op_walk(path, read_number, reading, NULL);
	free(path);
}

/* @stored: set to the samples that it says are stored.  Return: whether it says that. */
static bool read_account(struct pp_loss *loss, struct reading *reading, const char *samples_dir,
			 uint64_t *stored)
{
	char *text, *rest, *name;
	bool says = false;
	uint64_t value;

	*stored = 0;
	switch (op_account_read(samples_dir, &text)) {
	case OP_ACCOUNT_MISSING:
		loss->missing++;
		read_files(reading, samples_dir);
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
		take_number(reading, name, value);
		if (strcmp(name, "samples_stored"))
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
	char *path = pp_format("%s/" OP_SAMPLES_SOURCE, samples_dir);
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

static const char *help_of(const char *name)
{
	for (size_t i = 0; i < sizeof(helps) / sizeof(helps[0]); i++)
		if (!strcmp(helps[i].name, name))
			return helps[i].text;
	return NULL;
}

static void add_cause(struct pp_loss *loss, size_t which, uint64_t n)
{
	loss->causes[loss->n_causes++] = (struct pp_loss_cause){
		.text = numbers[which].text,
		.help = help_of(numbers[which].name),
		.n = n,
		.is_of_samples =
			numbers[which].account == LOST || numbers[which].account == KERNEL_LOST,
	};
}

/* The kernel's own numbers are since the last start; those of imports are the recorder's. */
static void add_earlier(struct pp_loss *loss, uint64_t ever)
{
	if (ever <= loss->kernel_lost)
		return;
	loss->causes[loss->n_causes++] = (struct pp_loss_cause){
		.text = *loss->sources ? "in the kernel, before profiling was last started"
				       : "by the recorder",
		.n = ever - loss->kernel_lost,
		.is_of_samples = true,
	};
	loss->kernel_lost = ever;
}

/* Seconds, or -1. */
static int64_t age_of_account(const char *samples_dir)
{
	char *path = pp_format("%s/" OP_SAMPLES_ACCOUNT, samples_dir);
	time_t now = time(NULL);
	struct stat status;
	int64_t age = -1;

	if (!stat(path, &status) && status.st_mtime <= now)
		age = now - status.st_mtime;
	free(path);
	return age;
}

/* Compares the files of a session with its account. */
static void compare(struct pp_loss *loss, const char *samples_dir, uint64_t stored, bool in_use)
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

void pp_loss_read(struct pp_loss *loss, char *const *samples_dirs, size_t n)
{
	uint64_t *stored = pp_alloc(n + 1, sizeof(*stored));
	bool *in_use = pp_alloc(n + 1, sizeof(*in_use));
	struct reading reading = {0};
	uint64_t other = 0, ever = 0;
	uint64_t *const accounts[] = {
		[RECEIVED] = &loss->received,
		[STORED] = &loss->stored,
		[FILTERED] = &loss->filtered,
		[KERNEL_RECEIVED] = &loss->kernel_received,
		[LOST] = &loss->lost,
		[KERNEL_LOST] = &loss->kernel_lost,
		[KERNEL_LOST_EVER] = &ever,
		[CHAINS] = &loss->chains,
		[CHAINS_CUT] = &loss->chains_cut,
		[CHAIN_ROOT] = &loss->chain_ends[PP_CHAIN_ROOT],
		[CHAIN_DEPTH] = &loss->chain_ends[PP_CHAIN_DEPTH],
		[CHAIN_NO_TABLE] = &loss->chain_ends[PP_CHAIN_NO_TABLE],
		[CHAIN_NO_RULE] = &loss->chain_ends[PP_CHAIN_NO_RULE],
		[CHAIN_UNREADABLE] = &loss->chain_ends[PP_CHAIN_UNREADABLE],
		[CHAIN_BAD_FRAME] = &loss->chain_ends[PP_CHAIN_BAD_FRAME],
		[OTHER_LOST] = &other,
		[THROTTLED] = &loss->throttled,
		[DAEMON_CPU_MS] = &loss->daemon_cpu_ms,
		[PROFILING_MS] = &loss->profiling_ms,
	};

	memset(loss, 0, sizeof(*loss));
	loss->compared = n;
	for (size_t i = 0; i < n; i++) {
		/* first: a daemon that ends writes the account before it releases the session */
		in_use[i] = lock_is_in_use(samples_dirs[i]);
		loss->compared &= read_account(loss, &reading, samples_dirs[i], &stored[i]);
		read_sources(loss, samples_dirs[i]);
	}
	for (size_t i = 0; loss->compared && i < n; i++)
		compare(loss, samples_dirs[i], stored[i], in_use[i]);
	free(stored);
	free(in_use);
	loss->known = reading.known;
	for (size_t i = 0; i < N_NUMBERS; i++) {
		*accounts[numbers[i].account] += reading.values[i];
		if (numbers[i].text && reading.values[i])
			add_cause(loss, i, reading.values[i]);
	}
	add_earlier(loss, ever);
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
	struct pp_line line = {.color = color};
	uint64_t in_files = loss->in_files - loss->still_coming, more = in_files - loss->stored;
	bool has_more = in_files > loss->stored;

	write_still_coming(loss, out);
	if (!loss->damaged && !loss->missing && !loss->torn && !differs(loss))
		return;
	pp_line_tone(&line, PP_TONE_ALARM);
	if (loss->damaged)
		pp_line_puts(&line, "Account: damaged; what was lost is not known\n");
	if (loss->missing)
		pp_line_puts(&line, "Account: none in the session; what was lost is not known\n");
	if (loss->torn)
		pp_line_puts(&line, "Account: the last write of it is not whole; its numbers are "
				    "those of the one before\n");
	if (differs(loss)) {
		pp_line_puts(&line, "Account: sample files have ");
		pp_line_count(&line, in_files, 0);
		pp_line_puts(&line, " samples, ");
		pp_line_count(&line, has_more ? more : -more, 0);
		pp_line_puts(&line, has_more ? " more than it says (since the last dump?)\n"
					     : " fewer than it says\n");
	}
	pp_line_tone(&line, PP_TONE_PLAIN);
	pp_line_flush(&line, out);
	pp_line_free(&line);
}

static void write_causes(const struct pp_loss *loss, struct pp_line *line, FILE *out)
{
	for (size_t i = 0; i < loss->n_causes; i++) {
		pp_line_count(line, loss->causes[i].n, 9);
		pp_line_puts(line, "  ");
		pp_line_safe(line, loss->causes[i].text);
		pp_line_end(line, out);
	}
}

uint64_t pp_loss_unaccounted(const struct pp_loss *loss)
{
	return loss->compared && loss->in_files > loss->stored ? loss->in_files - loss->stored : 0;
}

/* Nothing lost is said only where nothing can have been. */
static const char *no_loss(const struct pp_loss *loss)
{
	if (loss->missing || differs(loss) || loss->still_coming)
		return ", no losses noted";
	return loss->throttled ? ", none of them lost" : ", none lost";
}

static void put_lost(struct pp_line *line, uint64_t n, const char *how, uint64_t all)
{
	char share[32];

	if (!n)
		return;
	pp_line_puts(line, ", ");
	pp_line_count(line, n, 0);
	pp_line_puts(line, how);
	snprintf(share, sizeof(share), " (%.4g %%)", pp_percent(n, all));
	pp_line_puts(line, share);
}

static void write_lost(const struct pp_loss *loss, struct pp_line *line, uint64_t received)
{
	if (!loss->lost && !loss->kernel_lost) {
		pp_line_puts(line, no_loss(loss));
		return;
	}
	pp_line_tone(line, PP_TONE_ALARM);
	put_lost(line, loss->lost, " lost", received);
	put_lost(line, loss->kernel_lost, " lost before they were received",
		 received + loss->kernel_lost);
	pp_line_tone(line, PP_TONE_PLAIN);
}

static void write_samples(const struct pp_loss *loss, struct pp_line *line, FILE *out)
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
	pp_line_end(line, out);
	if (loss->kernel_received)
		fprintf(out, "Kernel, since profiling was last started: %" PRIu64 " taken\n",
			loss->kernel_received);
	write_causes(loss, line, out);
}

/* The module increases periods; perf stops counting until the next tick. */
static void write_throttling(const struct pp_loss *loss, FILE *out)
{
	const char *what = "events were throttled";

	if (!loss->throttled)
		return;
	if (!strcmp(loss->sources, "module"))
		what = "periods were doubled";
	else if (!strcmp(loss->sources, "perf"))
		what = "events were paused";
	fprintf(out, "Too many samples: %s %" PRIu64 " time%s\n", what, loss->throttled,
		loss->throttled == 1 ? "" : "s");
}

static void write_overhead(const struct pp_loss *loss, FILE *out)
{
	double seconds = (double)loss->profiling_ms / 1000;

	if (loss->profiling_ms)
		fprintf(out, "Overhead: the daemon used %.2f %% of a CPU in %.*f s\n",
			pp_percent(loss->daemon_cpu_ms, loss->profiling_ms), seconds < 10 ? 1 : 0,
			seconds);
}

void pp_loss_write(const struct pp_loss *loss, bool color, FILE *out)
{
	struct pp_line line = {.color = color};

	if (!loss->known) {
		fputs("Samples: the session has no statistics of losses\n", out);
		return;
	}
	if (*loss->sources)
		op_safe_line(out, "Source: %s", loss->sources);
	write_samples(loss, &line, out);
	write_throttling(loss, out);
	write_overhead(loss, out);
	pp_line_free(&line);
}

static const struct pp_loss_cause *largest_cause(const struct pp_loss *loss)
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
	const struct pp_loss_cause *cause = largest_cause(loss);

	if (!loss->known)
		return pp_copy("it has no statistics of losses either");
	return pp_format("%" PRIu64 " received, %" PRIu64 " outside the image filter, %" PRIu64
			 " lost, %" PRIu64 " lost before they were received%s%s%s%s",
			 loss->received, loss->filtered, loss->lost, loss->kernel_lost,
			 cause ? "; most of them: " : "", cause ? cause->text : "",
			 cause && cause->help ? "; " : "",
			 cause && cause->help ? cause->help : "");
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
	char *dir = pp_format("%s/" OP_SAMPLES_STATS "/" OP_STATS_EVENTS, samples_dir);
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
		whole = pp_format("%s; %.3g s of CPU time were not profiled, perhaps of programs "
				  "that are set-user-ID or cannot be read, which the kernel keeps "
				  "from profilers",
				  text, missing);
		free(text);
		text = whole;
	}
	if (list->n_dirs > 1)
		snprintf(others, sizeof(others), " and %zu more", list->n_dirs - 1);
	op_error_set(error, ENOENT, "no samples in the session %.500s%s: %s", name, others, text);
	free(text);
	free(name);
	return -1;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The statistics of a session: one row for each number that the daemon, the module or an import
 * counts.  The daemon writes them into the account (account.h), reports and opcontrol show them;
 * each of them takes keys, texts and meanings from here.  A new statistic is a row, and the place
 * that counts it.
 *
 *	samples received = stored + filtered + all lost samples of the daemon
 *	frames received  = stored + filtered + all lost frames of the daemon
 */
#ifndef LIBOP_SESSION_STATISTICS_H
#define LIBOP_SESSION_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* Who reports a statistic. */
enum op_stat_source {
	OP_STAT_OF_DAEMON, /* the sum over all daemons of the session, as all but the next two */
	OP_STAT_OF_MODULE, /* since profiling was last started: a file in stats of oprofilefs */
	OP_STAT_OF_CPU,	   /* the same, in stats/cpuN; sources of perf events report some, too */
	OP_STAT_OF_CLOCK,  /* times of the process that takes the samples */
	OP_STAT_OF_IMPORT,
};

enum op_stat_kind {
	OP_STAT_RECEIVED,
	OP_STAT_STORED,
	OP_STAT_FILTERED, /* received, and not wanted */
	OP_STAT_LOST,	  /* samples if that is the unit, else names, frames, words... */
	OP_STAT_OTHER,
};

enum op_stat_unit {
	OP_STAT_SAMPLES,
	OP_STAT_FRAMES,
	OP_STAT_CHAINS,
	OP_STAT_STACKS, /* of a stack file */
	OP_STAT_BUFFERS,
	OP_STAT_RECORDS,
	OP_STAT_WORDS, /* of the event stream */
	OP_STAT_NAMES,
	OP_STAT_NOTES,
	OP_STAT_CHANGES,
	OP_STAT_TIMES,
	OP_STAT_INTERRUPTS,
	OP_STAT_TABLES,
	OP_STAT_BYTES,
	OP_STAT_MS,
	OP_STAT_UNITS,
};

/*
 * X(id, key, source, kind, unit, text), and where there is one .label and .help
 *
 *	key	in accounts and names of files; OProfile's, if it has the statistic
 *	text	of lost samples the cause: "the disk was full"; else what follows the unit: "of
 *		call chains whose sample was lost"
 *	label	what OProfile's log calls it, if it has the statistic
 *	help	what to do about a loss, where one thing helps
 */
#define OP_STATS(X)                                                                                \
	X(BUFFERS, "sample_dumps", DAEMON, OTHER, BUFFERS, "read", .label = "sample dumps")        \
	X(RECEIVED, "total_samples", DAEMON, RECEIVED, SAMPLES, "received",                        \
	  .label = "non-backtrace samples")                                                        \
	X(STORED, "samples_stored", DAEMON, STORED, SAMPLES, "stored")                             \
	X(KERNEL, "kernel_samples", DAEMON, OTHER, SAMPLES, "of kernel code",                      \
	  .label = "kernel samples")                                                               \
	X(FILTERED, "samples_filtered", DAEMON, FILTERED, SAMPLES, "outside the image filter")     \
	X(NO_CONTEXT, "lost_invalid_domain", DAEMON, LOST, SAMPLES, "task or CPU not known",       \
	  .label = "lost samples (no kernel/user)")                                                \
	X(NO_KERNEL_IMAGE, "lost_kernel", DAEMON, LOST, SAMPLES,                                   \
	  "kernel code in neither the kernel nor a module", .label = "lost kernel samples")        \
	X(NO_MAPPING, "lost_no_mapping", DAEMON, LOST, SAMPLES,                                    \
	  "user code in no file or memory that is known",                                          \
	  .label = "samples lost to no permanent mapping")                                         \
	/* not to be written: from here to NO_SAMPLE_FILE */                                       \
	X(NO_SPACE, "lost_no_space", DAEMON, LOST, SAMPLES, "the disk was full",                   \
	  .help = "free space, or take another disk (--session-dir)")                              \
	X(NO_DESCRIPTOR, "lost_no_descriptor", DAEMON, LOST, SAMPLES, "too many files were open",  \
	  .help = "allow more files (ulimit -n 65536)")                                            \
	X(NO_MEMORY, "lost_no_memory", DAEMON, LOST, SAMPLES, "no memory for the sample file")     \
	X(IO_ERROR, "lost_io_error", DAEMON, LOST, SAMPLES, "the disk failed")                     \
	/* RLIMIT_FSIZE, or what the format can hold */                                            \
	X(FILE_LIMIT, "lost_file_limit", DAEMON, LOST, SAMPLES,                                    \
	  "the sample file reached the limit of file size",                                        \
	  .help = "allow larger files (ulimit -f unlimited)")                                      \
	X(LONG_NAME, "lost_long_name", DAEMON, LOST, SAMPLES,                                      \
	  "the path of the sample file was too long")                                              \
	X(FILE_CUT, "lost_file_cut", DAEMON, LOST, SAMPLES,                                        \
	  "the sample file was truncated or removed while in use")                                 \
	/* for other reasons, such as a damaged file */                                            \
	X(NO_SAMPLE_FILE, "lost_samplefile", DAEMON, LOST, SAMPLES,                                \
	  "the sample file could not be written",                                                  \
	  .label = "samples lost to sample file open failure")                                     \
	X(NO_EVENT, "lost_no_event", DAEMON, LOST, SAMPLES, "a counter without an event")          \
	X(NO_USER_APP, "lost_no_app_for_user_sample", DAEMON, LOST, SAMPLES,                       \
	  "anonymous memory of an unknown program")                                                \
	/* stored below the image, as the program is unknown: these two */                         \
	X(KERNEL_NO_APP, "kernel_samples_without_app", DAEMON, OTHER, SAMPLES,                     \
	  "of kernel code, of an unknown program")                                                 \
	X(USER_NO_APP, "user_samples_without_app", DAEMON, OTHER, SAMPLES,                         \
	  "of user code, of an unknown program")                                                   \
	X(OTHER, "samples_other", DAEMON, OTHER, SAMPLES, "stored in {other}, beyond the budget")  \
	/* frames of call chains, without the leaves */                                            \
	X(FRAMES, "backtrace_frames", DAEMON, RECEIVED, FRAMES, "of call chains received")         \
	X(FRAMES_STORED, "frames_stored", DAEMON, STORED, FRAMES, "of call chains stored")         \
	X(FRAMES_FILTERED, "frames_filtered", DAEMON, FILTERED, FRAMES,                            \
	  "of call chains outside the image filter")                                               \
	X(FRAMES_NO_HEAD, "lost_bt_no_sample", DAEMON, LOST, FRAMES,                               \
	  "of call chains whose sample was lost")                                                  \
	/* their stacks are stored */                                                              \
	X(FRAMES_NO_MAPPING, "lost_bt_no_mapping", DAEMON, LOST, FRAMES,                           \
	  "of call chains outside known mappings")                                                 \
	X(FRAMES_TOO_DEEP, "lost_bt_too_deep", DAEMON, LOST, FRAMES,                               \
	  "of call chains that were too long")                                                     \
	X(FRAMES_NO_SAMPLE_FILE, "lost_bt_samplefile", DAEMON, LOST, FRAMES,                       \
	  "whose sample file could not be written")                                                \
	X(STACKS, "stacks_stored", DAEMON, STORED, STACKS, "stored")                               \
	X(STACKS_MERGED, "stacks_cut", DAEMON, LOST, STACKS,                                       \
	  "that were cut, as the stack file was full")                                             \
	X(STACKS_LOST, "lost_stacks", DAEMON, LOST, STACKS,                                        \
	  "whose stack file could not be written")                                                 \
	X(STACKS_BEYOND, "stacks_other", DAEMON, LOST, STACKS, "that the session had no room for") \
	X(BAD_RECORDS, "bad_records", DAEMON, LOST, RECORDS, "of the event buffer, malformed",     \
	  .label = "incomplete code structs")                                                      \
	X(BAD_WORDS, "bad_words", DAEMON, LOST, WORDS,                                             \
	  "of the event buffer, skipped in malformed records")                                     \
	/* the sum of what the kernel lost, over all its starts */                                 \
	X(KERNEL_RECORDS, "lost_records_by_kernel", DAEMON, OTHER, SAMPLES,                        \
	  "lost in the kernel, since the session was begun")                                       \
	X(PROFILING_MS, "profiling_ms", CLOCK, OTHER, MS, "of profiling")                          \
	X(DAEMON_CPU_MS, "daemon_cpu_ms", CLOCK, OTHER, MS, "of CPU time of the daemon")           \
                                                                                                   \
	X(KERNEL_RECEIVED, "sample_received", CPU, RECEIVED, SAMPLES, "taken in the kernel",       \
	  .label = "samples received")                                                             \
	X(CPU_OVERFLOW, "sample_lost_overflow", CPU, LOST, SAMPLES,                                \
	  "the buffer of a CPU was full", .label = "samples lost cpu buffer overflow",             \
	  .help = "sample less often (operf --freq=500; opcontrol --setup "                        \
		  "--cpu-buffer-size=65536)")                                                      \
	X(NO_ROOM, "sample_lost_no_room", MODULE, LOST, SAMPLES, "the event buffer was full",      \
	  .help = "take a larger buffer (opcontrol --setup --buffer-size=1048576)")                \
	X(NESTED, "sample_lost_nested", CPU, LOST, SAMPLES, "one sample interrupted another")      \
	X(NO_MM, "sample_lost_no_mm", MODULE, LOST, SAMPLES, "the process was gone",               \
	  .label = "samples lost due to no mm")                                                    \
	X(KERNEL_NO_MAPPING, "sample_lost_no_mapping", MODULE, LOST, SAMPLES,                      \
	  "the mapping was gone", .label = "samples lost due to no mapping")                       \
	X(BUSY, "sample_lost_busy", MODULE, LOST, SAMPLES, "the process kept its mappings locked") \
	X(BAD_ADDRESS, "sample_invalid_eip", CPU, LOST, SAMPLES, "invalid address",                \
	  .label = "samples lost invalid pc")                                                      \
	X(EVENT_OVERFLOW, "event_lost_overflow", MODULE, LOST, WORDS,                              \
	  "that the event buffer had no room for", .label = "words lost due to buffer overflow")   \
	X(UNMAPPED_LOST, "unmapped_lost", MODULE, LOST, NOTES,                                     \
	  "of mappings that the kernel had no room for")                                           \
	X(IMAGES_LOST, "images_lost", MODULE, LOST, NAMES,                                         \
	  "of images that the kernel had no room for")                                             \
	X(HOOKS_MISSED, "hooks_missed", MODULE, LOST, CHANGES,                                     \
	  "of mappings that the kernel missed")                                                    \
	X(HOOKS_DISARMED, "hooks_disarmed", MODULE, LOST, TIMES,                                   \
	  "that the kernel's kprobes were found switched off")                                     \
	X(CHAIN_NO_MAPPING, "bt_lost_no_mapping", MODULE, LOST, CHAINS,                            \
	  "with a frame whose mapping was gone",                                                   \
	  .label = "backtraces skipped due to no file mapping")                                    \
	X(CHAIN_ABORTED, "backtrace_aborted", CPU, OTHER, CHAINS,                                  \
	  "that could not be read to their end", .label = "backtrace aborted")                     \
	X(CHAIN_ROOT, "chain_root", CPU, OTHER, CHAINS, "up to code without a caller")             \
	X(CHAIN_DEPTH, "chain_depth", CPU, OTHER, CHAINS, "up to the depth asked for")             \
	X(CHAIN_NO_TABLE, "chain_no_table", CPU, OTHER, CHAINS,                                    \
	  "up to code of which nothing is known")                                                  \
	X(CHAIN_NO_RULE, "chain_no_rule", CPU, OTHER, CHAINS, "up to code without a simple rule")  \
	X(CHAIN_UNREADABLE, "chain_unreadable", CPU, OTHER, CHAINS,                                \
	  "up to memory that could not be read")                                                   \
	X(CHAIN_BAD_FRAME, "chain_bad_frame", CPU, OTHER, CHAINS, "up to a frame that is none")    \
	X(THROTTLED, "throttled", CPU, OTHER, TIMES, "that sampling was throttled")                \
	X(IDLE, "sample_idle", CPU, OTHER, INTERRUPTS, "of an idle CPU, which make no sample")     \
	X(GUEST, "sample_guest", CPU, OTHER, INTERRUPTS,                                           \
	  "in virtual machines, which make no sample")                                             \
	X(UNWIND_BYTES, "unwind_bytes", MODULE, OTHER, BYTES, "of unwind tables")                  \
	X(UNWIND_TABLES, "unwind_tables", MODULE, OTHER, TABLES, "in the kernel")                  \
	X(UNWIND_DROPPED, "unwind_dropped", MODULE, OTHER, TABLES, "dropped to make room")         \
	X(UNWIND_REFUSED, "unwind_refused", MODULE, OTHER, TABLES, "refused")                      \
                                                                                                   \
	/* OProfile's: of such samples we store all */                                             \
	X(KERNEL_SAMPLE_NO_APP, "lost_no_app_for_kernel_sample", IMPORT, LOST, SAMPLES,            \
	  "kernel code for an unknown program")                                                    \
	X(RECORDER_FULL, "lost_recorder_full", IMPORT, LOST, SAMPLES,                              \
	  "in the recording: the recorder's buffer was full",                                      \
	  .help = "record with a larger buffer (perf record -m 16M)")                              \
	X(RECORDER_CPU_FULL, "lost_recorder_cpu_full", IMPORT, LOST, SAMPLES,                      \
	  "in the recording: the buffer of a CPU was full",                                        \
	  .help = "record with a larger buffer (perf record -m 16M)")                              \
	X(RECORDER, "lost_recorder", IMPORT, LOST, SAMPLES, "in the recording")                    \
	X(IMPORT_NO_ROOM, "lost_no_room", IMPORT, LOST, SAMPLES,                                   \
	  "in the import: too many events for its size")

#define OP_STAT_ID(id, ...) STAT_##id,
enum stat_id { OP_STATS(OP_STAT_ID) STAT_COUNT };
#undef OP_STAT_ID

struct op_stat {
	const char *key;
	enum op_stat_source source;
	enum op_stat_kind kind;
	enum op_stat_unit unit;
	const char *text, *label, *help; /* as of OP_STATS */
};

/* By enum stat_id. */
extern const struct op_stat op_stats[STAT_COUNT];

/* Of a key of @length bytes; STAT_COUNT if there is no such statistic. */
enum stat_id op_stat_find(const char *key, size_t length);

/**
 * op_stat_find_reported - what the module, or another source of samples, reports by a path
 * @path: of @length bytes, below the directory stats of oprofilefs: "KEY" or "cpuN/KEY"
 * @cpu: set to N if the statistic is of a CPU
 *
 * Return: the statistic, or STAT_COUNT if the path is that of none.
 */
enum stat_id op_stat_find_reported(const char *path, size_t length, unsigned int *cpu);

/* Whether it counts lost samples: received by the daemon, or in the kernel before. */
bool op_stat_is_lost_sample(enum stat_id which);

/* Whether it counts since profiling was last started, in the kernel. */
bool op_stat_is_of_kernel(enum stat_id which);

#define OP_STAT_TEXT_SIZE 128

/**
 * op_stat_text - what a number of a statistic stands before
 * @text: of OP_STAT_TEXT_SIZE bytes: "frames of call chains stored"; of lost samples "samples lost:
 *	the disk was full"
 */
const char *op_stat_text(enum stat_id which, char text[static OP_STAT_TEXT_SIZE]);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source of samples: the kernel module, perf events, a recording, or a test.
 *
 * The daemon gets all facts about the machine from the source, so that a recording of the answers
 * replays the same session elsewhere.
 */
#ifndef DAEMON_SOURCES_SOURCE_H
#define DAEMON_SOURCES_SOURCE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/live/image_facts.h"
#include "libop/base/error.h"
#include "module/uapi/oprofile.h"

/* source_read(): there are no more samples. */
#define SOURCE_END (-2)

struct source;

/* All but @read and @close may be NULL. */
struct source_ops {
	int (*read)(struct source *source, const uint64_t **words, size_t *count,
		    struct op_error *error);
	int (*sync)(struct source *source, struct op_error *error);
	int (*run)(struct source *source, bool on, struct op_error *error);
	bool (*running)(struct source *source);
	int (*image)(struct source *source, uint64_t cookie, struct image_facts *facts);
	char *(*maps)(struct source *source, uint32_t tgid);
	uint64_t (*process)(struct source *source, uint32_t tgid);
	char *(*thread_name)(struct source *source, uint32_t tgid, uint32_t tid);
	char *(*modules)(struct source *source);
	char *(*kallsyms)(struct source *source);
	char *(*stats)(struct source *source);
	char *(*backend)(struct source *source);
	void (*close)(struct source *source);
};

/* struct source - the head of every kind of source */
struct source {
	const struct source_ops *ops;
	const char *name;    /* "module", "perf" or "recording", for messages */
	int fd;		     /* readable when there is data; -1: always, until the end */
	size_t buffer_words; /* the most words that one source_read() brings; 0 if unknown */
	bool syncs_all; /* after a sync, reads return all samples before it, then 0 words once */
	bool needs_all_images; /* look up each application and image, needed or not */
	bool is_past;	       /* samples are of another time, perhaps of another machine */
	char cpu_type[64];     /* as oprofilefs names it, or more precisely */
	double cpu_mhz;	       /* 0 if unknown */
	char *events;	       /* as of --events; NULL if the source does not know */
	bool is_live;	       /* samples are taken on this machine, now */
	unsigned int kernel_code; /* changes with code that kallsyms() has told nothing of yet */
	unsigned int rate;     /* samples a second of events with a count of 0; 0: there are none */
};

/**
 * source_read - take the next buffer
 * @words: set to the words, which are good until the next call
 * @count: set to their number; 0 if nothing has come
 *
 * Return: 0, SOURCE_END, or -1 with @error set.
 */
static inline int source_read(struct source *source, const uint64_t **words, size_t *count,
			      struct op_error *error)
{
	return source->ops->read(source, words, count, error);
}

/**
 * source_sync - make all samples taken so far available to source_read()
 *
 * Return: 0, or -1 with @error set.
 */
static inline int source_sync(struct source *source, struct op_error *error)
{
	return source->ops->sync ? source->ops->sync(source, error) : 0;
}

/* Starts or stops sampling.  Return: 0, or -1 with @error set: ENOTSUP if it cannot. */
static inline int source_run(struct source *source, bool on, struct op_error *error)
{
	if (!source->ops->run)
		return op_error_set(error, ENOTSUP, "this source of samples cannot be started");
	return source->ops->run(source, on, error);
}

/* Whether samples are being taken now, by any program.  Always false in a replay. */
static inline bool source_running(struct source *source)
{
	return source->ops->running && source->ops->running(source);
}

/* The file behind @cookie.  Return: 0, or -1 if it is unknown. */
static inline int source_image(struct source *source, uint64_t cookie, struct image_facts *facts)
{
	return source->ops->image ? source->ops->image(source, cookie, facts) : -1;
}

/* The text of /proc/@tgid/maps, which the caller frees; NULL if there is none (any more). */
static inline char *source_maps(struct source *source, uint32_t tgid)
{
	return source->ops->maps ? source->ops->maps(source, tgid) : NULL;
}

/* A number that changes when @tgid becomes another process; 0 if there is no such process. */
static inline uint64_t source_process(struct source *source, uint32_t tgid)
{
	return source->ops->process ? source->ops->process(source, tgid) : 0;
}

/* The name that a thread has now, or had last; the caller frees it; NULL if it is not known. */
static inline char *source_thread_name(struct source *source, uint32_t tgid, uint32_t tid)
{
	return source->ops->thread_name ? source->ops->thread_name(source, tgid, tid) : NULL;
}

/*
 * The kernel and its modules, lines "name address size build-id" as of OP_SAMPLES_MODULES
 * (libop/session/paths.h).  The caller frees the text; NULL if unknown.
 */
static inline char *source_modules(struct source *source)
{
	return source->ops->modules ? source->ops->modules(source) : NULL;
}

/*
 * The text symbols of the kernel and its modules, lines as of OP_SAMPLES_KALLSYMS.
 * The caller frees the text; NULL if unknown.
 */
static inline char *source_kallsyms(struct source *source)
{
	return source->ops->kallsyms ? source->ops->kallsyms(source) : NULL;
}

/*
 * The kernel's own statistics, lines "path value" such as "cpu0/sample_received 12".
 * The caller frees the text; NULL if unknown.
 */
static inline char *source_stats(struct source *source)
{
	return source->ops->stats ? source->ops->stats(source) : NULL;
}

/* What takes the samples now, and why; the caller frees the line; NULL if unknown. */
static inline char *source_backend(struct source *source)
{
	return source->ops->backend ? source->ops->backend(source) : NULL;
}

/* Stops and frees the source, which may be NULL. */
static inline void source_close(struct source *source)
{
	if (source)
		source->ops->close(source);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where samples come from: the kernel, a recording, or a test.
 *
 * All that the daemon wants to know of the machine while it counts samples goes through a
 * source, so that a recording of the answers replays the same session elsewhere.
 */
#ifndef DAEMON_SOURCE_H
#define DAEMON_SOURCE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libop/base/error.h"
#include "module/uapi/oprofile.h"

/* What source_read() returns when nothing will come any more. */
#define SOURCE_END (-2)

/* struct image_facts - what is known of the file behind a cookie */
struct image_facts {
	struct oprofile_image told; /* by the kernel; path ends with NUL */
	bool present;		    /* for the daemon, too, told.path names this very file */
	uint64_t mtime;		    /* of the file, in seconds, if @present; else 0 */
};

struct source;

/* All but @read and @close may be NULL: then the source knows nothing of the kind. */
struct source_ops {
	int (*read)(struct source *source, const uint64_t **words, size_t *count,
		    struct op_error *error);
	int (*sync)(struct source *source, struct op_error *error);
	int (*run)(struct source *source, bool on, struct op_error *error);
	bool (*running)(struct source *source);
	int (*image)(struct source *source, uint64_t cookie, struct image_facts *facts);
	char *(*maps)(struct source *source, uint32_t tgid);
	uint64_t (*process)(struct source *source, uint32_t tgid);
	char *(*modules)(struct source *source);
	char *(*kallsyms)(struct source *source);
	char *(*stats)(struct source *source);
	void (*close)(struct source *source);
};

/* struct source - the head of every kind of source */
struct source {
	const struct source_ops *ops;
	const char *name;    /* "module", "perf" or "recording", for people */
	int fd;		     /* poll() says when it has data; -1: it always has, until its end */
	size_t buffer_words; /* the most words that one source_read() brings; 0 if unknown */
	bool syncs_all;	     /* after a sync, reads bring what was before it, then nothing once */
	bool wants_all;	     /* ask for each application and image, needed or not */
	char cpu_type[64];   /* as oprofilefs names it, or more precisely */
	double cpu_mhz;	     /* 0 if unknown */
	char *events;	     /* as of --events; NULL if the source does not say */
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
 * source_sync - have all samples taken so far come out of the next source_read()
 *
 * Return: 0, or -1 with @error set.
 */
static inline int source_sync(struct source *source, struct op_error *error)
{
	return source->ops->sync ? source->ops->sync(source, error) : 0;
}

/* Starts or stops sampling.  Return: 0, or -1 with @error set: ENOTSUP if others do that. */
static inline int source_run(struct source *source, bool on, struct op_error *error)
{
	if (!source->ops->run)
		return op_error_set(error, ENOTSUP, "this source of samples is not started by us");
	return source->ops->run(source, on, error);
}

/* Are samples being taken at this time, whoever has started that?  Never in a replay. */
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

/*
 * The kernel and its modules, lines "name address size build-id" as of OP_SAMPLES_MODULES
 * (libop/session.h).  The caller frees the text; NULL if unknown.
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

/* Ends what runs, and frees the source, which may be NULL. */
static inline void source_close(struct source *source)
{
	if (source)
		source->ops->close(source);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profile model: what all profile formats have in common.
 *
 * A reader pushes what it finds into a sink (struct prof_sink), in the order of its file, and
 * keeps nothing.  struct prof is the sink that adds samples up: it needs memory for each
 * distinct stack, not for each sample (unless a writer wants their times: timeline.h), so the
 * length of a recording does not matter.  Writers drain a struct prof, in an order that depends on
 * the profile only.
 *
 *	perf.data ─┐                                          ┌─► pprof
 *	cpuprofile ├─reader─► prof_sink ─► struct prof ─writer┼─► folded
 *	session ───┘             └─ counts only: --info       └─► session
 *
 * Meanings that every reader and writer keeps to:
 *
 * - The frames of a sample stand leaf first.  The leaf is the address of the instruction that was
 *   interrupted.  All others are return addresses, as the processor's stack has them: to look
 *   up the symbol or the line of a caller, subtract one (prof_lookup_offset()), but from the
 *   frame where the kernel was entered, which is the instruction itself.  Formats with
 *   addresses inside of the call instead are adapted by their reader and writer.
 * - Frames are places in images, not addresses: for a file, offsets in the file; for the kernel,
 *   the distance from _stext; for a module, the distance from where it is loaded; for anonymous
 *   memory, the distance from the start of the mapping; without an image, addresses.
 * - A value has two numbers: how many samples there were and how many events they stand for
 *   (the sum of their periods).  Where a format has only one of them, the other follows from
 *   the event's period.
 */
#ifndef PP_FORMATS_MODEL_PROFILE_H
#define PP_FORMATS_MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/error.h"

/* ---- what a profile is made of ---- */

/* A number of something that is not known, or was not told apart. */
#define PROF_ANY (-1)

struct prof_event {
	const char *name;   /* "cpu-clock", "CPU_CLK_UNHALTED"; never NULL */
	const char *unit;   /* of what is counted: "count", "nanoseconds", "bytes"; NULL: "count" */
	uint64_t period;    /* events per sample; 0: it varies, or is not known */
	uint64_t frequency; /* samples per second that the period was adapted to; 0: it was fixed */
	uint64_t unit_mask; /* of OProfile's events, else 0 */
	uint64_t code; /* the processor's or the kernel's number, for readers that know its type */
	uint32_t type; /* of perf_event_attr, or PROF_NO_TYPE */
	/* Its values are below 0, as in the difference of two profiles; the event of this name that
	 * is not so has the others. */
	bool is_negative;
};

#define PROF_NO_TYPE UINT32_MAX

enum prof_image_kind {
	PROF_FILE,    /* an absolute path */
	PROF_KERNEL,  /* the kernel: a path, "kallsyms", "no-vmlinux" or "[kernel.kallsyms]" */
	PROF_MODULE,  /* of the kernel: a path, or its name without brackets: "ext4" */
	PROF_VDSO,    /* "[vdso]", or as the recording machine calls it */
	PROF_ANON,    /* memory without a file; the path is its label, such as "[heap]", "anon" */
	PROF_BPF,     /* code in the kernel without a module: "[bpf]" or the program's name */
	PROF_UNKNOWN, /* addresses that no image is known for */
};

#define PROF_BUILD_ID_MOST 20

/*
 * struct prof_image - what code is in
 *
 * Two with the same kind, path, build-id, and for anonymous memory the same process and start,
 * are one image, wherever they are mapped.
 */
struct prof_image {
	enum prof_image_kind kind;
	bool is_kernel;	  /* runs in the kernel; true of PROF_KERNEL, _MODULE and _BPF */
	const char *path; /* never NULL */
	unsigned int build_id_length; /* 0: not known */
	uint8_t build_id[PROF_BUILD_ID_MOST];
	uint64_t mtime; /* of the file, seconds since 1970; 0: not known */
	uint64_t inode; /* of the file when it was mapped; 0: not known */
	int64_t pid;	/* of PROF_ANON, else PROF_ANY */

	/* Where it was mapped, if that is known (end is not 0), first or by chance: other processes
	 * may have it elsewhere.  prof_layout() gives each image a mapping of its own. */
	uint64_t start, end;
	uint64_t offset; /* of start, in the meaning of prof_frame::offset */
};

/* The images of addresses that are in none; every sink has them. */
#define PROF_NO_IMAGE	     0
#define PROF_NO_KERNEL_IMAGE 1

struct prof_frame {
	uint32_t image;	 /* as the sink's image() returned it */
	uint64_t offset; /* in the image: see above */
};

/* Frames of one sample that are passed on; deeper ones are cut off at the root's end. */
#define PROF_DEPTH_MOST 4096

/* A function that is known to be at a place, because the recording says so. */
struct prof_line {
	const char *function;	 /* never NULL */
	const char *system_name; /* not demangled; may be NULL */
	const char *file;	 /* or NULL */
	int64_t line;		 /* 0: not known */
	int64_t start_line;	 /* of the function; 0: not known */
};

struct prof_value {
	uint32_t event;	 /* as the sink's event() returned it */
	uint64_t count;	 /* samples */
	uint64_t events; /* what they stand for: the sum of their periods */
};

/* Something else that is known of a sample: labels.h.  Numbers of strings are those that the sink's
 * string() returned. */
struct prof_label {
	uint32_t name;
	uint32_t value; /* 0: it is @number, of @unit, which may be 0 */
	int64_t number;
	uint32_t unit;
};

struct prof_sample {
	const struct prof_frame *frames; /* leaf first */
	size_t depth;			 /* may be 0 */
	const struct prof_value *values;
	size_t n_values;
	uint32_t app;			 /* image of the program that ran, or PROF_NO_IMAGE */
	uint32_t comm;			 /* as the sink's string() returned it; 0: "" */
	int64_t pid, tid, cpu;		 /* or PROF_ANY */
	const struct prof_label *labels; /* in any order */
	size_t n_labels;
	uint64_t time;	/* ns, of the recording's clock; 0: unknown; prof: see PROF_TIMES */
	bool has_entry; /* where user code entered the kernel, there is the instruction itself */
};

struct prof_place_count {
	uint64_t offset, count;
};

/* Samples without callers that differ only in where they are. */
struct prof_flat_sample {
	struct prof_sample common; /* all but frames and values */
	uint32_t image, event;
	uint64_t unit;			       /* events that a count stands for */
	bool is_weight;			       /* counts are of events, not of samples */
	const struct prof_place_count *places; /* by offset, each once, none of them 0 */
	size_t n;
};

/* A taken branch, or several that are equal. */
struct prof_branch {
	struct prof_frame from, to;
	uint64_t count;
	uint64_t mispredicted; /* of @count */
	uint64_t cycles;       /* sum of those that are known */
};

/*
 * Calls of a function, where a profile counts them and has no stacks: what was spent in all calls
 * from one place, with what the callee called.  Places are those of prof_sink::lines().
 */
struct prof_call {
	struct prof_frame caller, callee; /* where the call is; where the function begins */
	uint32_t app;			  /* as prof_sample::app */
	struct prof_value value;
	uint64_t calls; /* how often; 0: not known */
};

/* Facts of the recording; what is not known is NULL or 0. */
struct prof_host {
	const char *hostname;
	const char *os_release;	     /* uname -r */
	const char *arch;	     /* uname -m */
	const char *cpu_description; /* "Intel(R) Core(TM) ..." */
	const char *cpu_id;	     /* "GenuineIntel,6,94,3" */
	const char *cpu_type;	     /* of OProfile: "i386/skylake", "timer" */
	const char *tool;	     /* what recorded it, and its version */
	const char *command_line;    /* of the recording */
	uint64_t cpus_online, cpus_available;
	uint64_t memory; /* bytes */
	double cpu_mhz;
	uint64_t start_time; /* ns since 1970 */
	uint64_t duration;   /* ns */
};

/* Causes that samples were lost for, of prof_sink::lost(); there may be others. */
#define PROF_LOST_RECORDER_FULL "the recorder's buffer was full"
#define PROF_LOST_CPU_FULL	"the processor's buffer was full"
#define PROF_LOST_NO_EVENT	"the sample's event is not in the recording"

/* ---- where readers put it ---- */

/*
 * struct prof_sink - takes what a reader finds
 *
 * Nothing that is passed in needs to live longer than the call.  Functions that return a number
 * give the same one for equal arguments.
 */
struct prof_sink {
	uint32_t (*string)(struct prof_sink *sink, const char *text);
	uint32_t (*event)(struct prof_sink *sink, const struct prof_event *event);
	/* A build-id that comes later than the image is reported by image_build_id(). */
	uint32_t (*image)(struct prof_sink *sink, const struct prof_image *image);
	/* Gives all images of this path and kind that have no build-id this one. */
	void (*image_build_id)(struct prof_sink *sink, const struct prof_image *image);
	/* The functions at a place, innermost first; the last one is the symbol's.  The place of a
	 * caller is that of prof_lookup_offset(). */
	void (*lines)(struct prof_sink *sink, const struct prof_frame *place,
		      const struct prof_line *lines, size_t n);
	/* The first offset in images that are no files (PROF_UNKNOWN, named_places.h) of which no
	 * place is known: where those of one more input begin. */
	uint64_t (*free_place)(struct prof_sink *sink);
	/* Returns 0, or -1 with @error set: it cannot take more (ENOSPC). */
	int (*sample)(struct prof_sink *sink, const struct prof_sample *sample,
		      struct op_error *error);
	/* The same of many samples at once, which takes little room. */
	int (*flat)(struct prof_sink *sink, const struct prof_flat_sample *samples,
		    struct op_error *error);
	int (*branch)(struct prof_sink *sink, const struct prof_branch *branch,
		      struct op_error *error);
	int (*call)(struct prof_sink *sink, const struct prof_call *call, struct op_error *error);
	/* May be called several times: what is set takes the place of what was known. */
	void (*host)(struct prof_sink *sink, const struct prof_host *host);
	/* Samples that the recording lost; @cause: a few words, such as "ring buffer full". */
	void (*lost)(struct prof_sink *sink, const char *cause, uint64_t count);
	/*
	 * Anything else worth knowing, for --info and for writers of the same format: order and
	 * repetitions are kept.  @key: lower case, with dashes; begins with the format's name and a
	 * dot if only that format knows its meaning.
	 */
	void (*fact)(struct prof_sink *sink, const char *key, const char *value);
	/* What the user should know about the import: "AUX data (12 records) skipped". */
	void (*note)(struct prof_sink *sink, const char *text);
};

/* As above, made as by printf. */
void prof_sink_fact(struct prof_sink *sink, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void prof_sink_note(struct prof_sink *sink, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- a profile that is added up ---- */

struct prof_loss {
	const char *cause;
	uint64_t count;
};

struct prof_fact {
	const char *key, *value;
};

/* What told samples apart. */
struct prof_context {
	uint32_t app, comm;
	int64_t pid, tid, cpu;
	uint32_t labels; /* number of a set: labels.h */
};

/* What to tell samples apart by, and what else to keep; the stack and the application always tell
 * samples apart. */
#define PROF_BY_COMM	  (1u << 0)
#define PROF_BY_PID	  (1u << 1)
#define PROF_BY_TID	  (1u << 2) /* and by process */
#define PROF_BY_CPU	  (1u << 3)
#define PROF_COUNTS_ONLY  (1u << 4) /* keep totals, but no samples: for --info */
#define PROF_TIMES	  (1u << 5) /* keep the time of each sample, if all have one: timeline.h */
#define PROF_TIMES_BY_TID (1u << 6) /* PROF_BY_TID, but only of samples that have a time */
#define PROF_BY_LABELS	  (1u << 7) /* what prof_sample::labels has */

/* Distinct stacks (nodes of the tree) that a profile holds by default: some 4 GB. */
#define PROF_NODES_MOST (UINT32_C(1) << 26)

#define PROF_LOST_LABELS_MOST 8

struct prof_tree;
struct prof_flats;
struct prof_labels;
struct prof_moment;

/*
 * struct prof - all samples of a recording, added up
 *
 * Read it after prof_finish().  All texts live as long as it does.
 */
struct prof {
	struct prof_sink sink; /* what readers are given: &prof->sink */

	struct prof_event *events;
	size_t n_events;
	struct prof_image *images; /* [0], [1]: PROF_NO_IMAGE, PROF_NO_KERNEL_IMAGE */
	size_t n_images;
	const char **strings; /* by number; [0] is "" */
	size_t n_strings;
	struct prof_context *contexts;
	size_t n_contexts;
	struct prof_branch *branches;
	size_t n_branches;
	struct prof_call *calls;
	size_t n_calls;
	struct prof_host host;
	struct prof_loss *losses;
	size_t n_losses;
	struct prof_fact *facts;
	size_t n_facts;
	const char **notes;
	size_t n_notes;

	/* Names of labels that samples had, if it is not by PROF_BY_LABELS. */
	uint32_t lost_labels[PROF_LOST_LABELS_MOST];
	size_t n_lost_labels;
	bool has_entries;		/* of prof_sample::has_entry */
	struct prof_value *totals;	/* by event */
	uint64_t first_time, last_time; /* of samples, ns of the recording's clock; 0: none known */
	struct prof_moment *moments;	/* with PROF_TIMES: see timeline.h */
	size_t n_moments;
	struct prof_labels *labels;
	struct prof_tree *tree;	  /* stacks */
	struct prof_flats *flats; /* samples without callers, as far as they came as such */
};

/**
 * prof_new - an empty profile
 * @by: PROF_BY_... and PROF_TIMES... flags
 * @nodes_most: distinct stacks, and samples with a time, that it may hold; 0: PROF_NODES_MOST
 *
 * Return: the profile, which prof_free() frees.
 */
struct prof *prof_new(unsigned int by, uint32_t nodes_most);
void prof_free(struct prof *prof); /* NULL is fine */

/* To be called between the last sample and the first reading: puts all in order. */
void prof_finish(struct prof *prof);

/*
 * Goes through the samples: each stack of each context once, with the values of all events that
 * it has.  Contexts stand in the order of application, comm, pid, tid and CPU, and stacks in the
 * order of a walk through the tree from the root, whatever order the samples came in.
 *
 *	struct prof_cursor cursor = {0};
 *	struct prof_sample sample;
 *
 *	while (prof_next(prof, &cursor, &sample))
 *		...
 *	prof_cursor_free(&cursor);
 *
 * What the sample points to is good until the next call.  With cursor.contexts set before the
 * first call, samples of other contexts are passed over.
 */
struct prof_flat_walk;

struct prof_cursor {
	const bool *contexts; /* by number: whether they are wanted; NULL: all are */
	size_t at;
	struct prof_flat_walk *flats;
	size_t n_values;
	struct prof_frame *frames;
	struct prof_value *values;
	size_t frames_capacity, values_capacity;
};

bool prof_next(const struct prof *prof, struct prof_cursor *cursor, struct prof_sample *sample);
/* The same for who needs no frames, which the sample may be without: several times as fast. */
bool prof_next_values(const struct prof *prof, struct prof_cursor *cursor,
		      struct prof_sample *sample);
void prof_cursor_free(struct prof_cursor *cursor);

/* The name that a thread had last, of a profile by PROF_BY_TID but not PROF_BY_COMM; "": not known.
 */
const char *prof_thread_name(const struct prof *prof, int64_t pid, int64_t tid);

/* Number of samples that prof_next() goes through, and, at most, of their values and of distinct
 * frames of stacks. */
size_t prof_count(const struct prof *prof);
size_t prof_count_values(const struct prof *prof);
size_t prof_nodes(const struct prof *prof);
bool prof_is_empty(const struct prof *prof);

/* The functions that the recording says are at a place, which for a caller is that of
 * prof_lookup_offset(), innermost first.  Return: how many. */
size_t prof_lines(const struct prof *prof, const struct prof_frame *place,
		  const struct prof_line **lines);

/* How many functions have names that the recording alone has: of code that is in no file here.
 * @n_images: set to the images that they are in. */
size_t prof_names_alone(const struct prof *prof, size_t *n_images);

/* Whether frame number @index of a sample of @prof is user code that entered the kernel. */
static inline bool prof_is_entry(const struct prof *prof, const struct prof_sample *sample,
				 size_t index)
{
	const struct prof_frame *frame = &sample->frames[index];

	return index && !prof->images[frame->image].is_kernel &&
	       prof->images[frame[-1].image].is_kernel;
}

/* Whether frame number @index of a sample of @prof is a return address. */
static inline bool prof_is_return(const struct prof *prof, const struct prof_sample *sample,
				  size_t index)
{
	return index && !(prof->has_entries && prof_is_entry(prof, sample, index));
}

/* The offset to look up for frame number @index of a sample of @prof. */
static inline uint64_t prof_lookup_offset(const struct prof *prof, const struct prof_sample *sample,
					  size_t index)
{
	uint64_t offset = sample->frames[index].offset;

	return offset - (offset && prof_is_return(prof, sample, index));
}

/**
 * prof_layout - give each image of a finished profile a mapping that no other overlaps
 *
 * For formats whose samples are addresses in one address space: the address of a
 * frame is image.start + frame.offset - image.offset.  A mapping that is known is kept if it can
 * be; programs that are linked to fixed addresses (ET_EXEC) stand there.  Kernel images go to
 * the upper half.  Every offset that occurs is inside the mapping; start and offset are equal
 * modulo the page size for files.  Addresses without an image stay what they are, wherever that is.
 */
void prof_layout(struct prof *prof);

static inline uint64_t prof_address(const struct prof *prof, const struct prof_frame *frame)
{
	const struct prof_image *image = &prof->images[frame->image];

	return image->start + (frame->offset - image->offset);
}

/* The same inside of the mapping; 0 of a place that is known by its functions only (@is_named). */
uint64_t prof_mapped_address(const struct prof *prof, const struct prof_frame *frame,
			     bool is_named);

#endif

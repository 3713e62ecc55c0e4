/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A search for sample files under way, for sample_workers.c and sample_directory.c only. */
#ifndef PP_SELECT_SAMPLE_WORKER_H
#define PP_SELECT_SAMPLE_WORKER_H

#include <limits.h>
#include <stdatomic.h>
#include "sample_read.h"
#include "sample_search.h"

/* Directories from which on threads are worth their cost. */
#define ENOUGH	    64
#define THREADS_MAX 8
/* Maximum depth of open directories. */
#define DEPTH_MAX 64
/*
 * Entries of small files are cached, because opening a file again is slow; larger files are read
 * again, to save memory.
 */
#define KEPT_MAX   (32u << 20) /* bytes, of all files */
#define SMALL_FILE 8192	       /* bytes, of the entries of one */

/* A file, or a directory to search, and its results. */
struct item {
	char *path;
	bool is_directory;
	bool is_whole; /* it is searched as a whole */
	unsigned int worker;
	size_t files, files_end, arcs, arcs_end, notes, notes_end;
};

/* A warning, kept for op_warnings_add(). */
struct note {
	enum op_warning_kind kind;
	char *text;
};

struct entry {
	size_t name; /* in names of the worker */
	unsigned char type;
};

struct tree {
	const struct pp_sample_search *search;
	const struct pp_sample_list *list; /* what is wanted */
	struct item *items;
	size_t n_items;
	atomic_size_t next, n_found, kept;
};

struct worker {
	struct tree *tree;
	unsigned int number;
	struct pp_sample_list found; /* files, arcs, n_passed_over, n_bad */
	struct note *notes;
	size_t n_notes, notes_capacity;
	/* Its current path. */
	char path[PATH_MAX];
	size_t length;
	/* The names in the directories on that path, one after another. */
	struct entry *entries;
	size_t n_entries, entries_capacity;
	char *names;
	size_t n_names, names_capacity;
	struct odb_load load;
	char buffer[32768] __attribute__((aligned(8))); /* of getdents64() */
};

void pp_sample_add_file(struct worker *worker, int directory, const char *name);

/* Opens the current directory of the worker, and lists it.  Return: a descriptor, or -1. */
int pp_sample_enter(struct worker *worker, int parent, const char *name);
bool pp_sample_is_passed_over(const struct worker *worker, const char *name);
void pp_sample_search_directory(struct worker *worker, int parent, const char *name, int depth);
void pp_sample_note(struct worker *worker, enum op_warning_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif

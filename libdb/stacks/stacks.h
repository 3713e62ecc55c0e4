/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stack files: a calling-context tree with a count for each stack, in a file.
 *
 * A node is a frame below the node of its caller; the count of a node is that of the samples whose
 * stack ends there.  oprofile-stacks(5) describes the layout.  As sample files (odb.h): a writer
 * maps its file, readers read(2) theirs, one writer and any number of readers may use a file at
 * the same time, and a writer may be killed at any time.
 */
#ifndef LIBDB_STACKS_STACKS_H
#define LIBDB_STACKS_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdb/odb/odb.h"

struct stacks;

#define STACKS_VERSION 1
/* Units, of 16 bytes, that a file may have: 64 MiB. */
#define STACKS_UNITS_MOST (UINT32_C(1) << 22)
/* Images of one file, with STACKS_OTHER. */
#define STACKS_IMAGES_MOST 65535
/*
 * The image of nodes that count what there is no room for: one below the deepest caller that has
 * a node.  A part of each file is kept for these.
 */
#define STACKS_OTHER "{kern}/{other}"
/* Of the name of an image, in bytes. */
#define STACKS_NAME_MOST 65535

/* Of the offset of a frame; the upper bits equal the highest of these. */
#define STACKS_OFFSET_BITS 48

/* Flags of images. */
#define STACKS_IMAGE_KERNEL 1u /* it runs in the kernel */

struct stacks_frame {
	uint32_t image;	 /* as of stacks_image(); 0: none, @offset is an address */
	uint64_t offset; /* in 48 bits, with the sign in the upper one */
};

/* Whether a stack could be stored as it is. */
enum stacks_result {
	STACKS_FAILED = -1, /* nothing was counted; the error says why */
	STACKS_ADDED = 0,
	STACKS_MERGED = 1, /* counted at STACKS_OTHER below the deepest caller that has room */
};

/**
 * stacks_open - open a stack file for writing
 * @out: set to the handle, which stacks_close() frees; untouched on error
 * @path: the file, which is made if it is missing; its directory must exist
 * @units_most: how large it may become; 0: STACKS_UNITS_MOST
 *
 * A file that a kill left is right as it stands.  It is locked against other writers.
 *
 * Return: 0, or -1 with @error set: EINVAL for a damaged file, ENOTSUP for one of another version
 * or byte order, EBUSY if another process writes to it.
 */
int stacks_open(struct stacks **out, const char *path, uint32_t units_most,
		struct odb_error *error);

/* Cuts off the room that was not used, and frees; @stacks may be NULL. */
void stacks_close(struct stacks *stacks);

/**
 * stacks_image - the number of an image in this file
 * @name: any text; two with the same name are one image
 * @flags: STACKS_IMAGE_...
 * @mtime: of the file, seconds since 1970; 0 if unknown
 *
 * Return: the number, from 1; 0 if there is no room, with @error set.
 */
uint32_t stacks_image(struct stacks *stacks, const char *name, uint32_t flags, uint32_t mtime,
		      struct odb_error *error);

/**
 * stacks_add - count @n samples of a stack
 * @frames: leaf first
 *
 * Where there is no room for a new node (the file has reached its bound, or the disk is full),
 * the samples are counted at STACKS_OTHER below the deepest caller that has a node, and as merged.
 * Without room for that, too, they are counted at such a node nearer to the root, or, if there is
 * none, at the caller.  The sum of all counts grows by exactly @n.
 *
 * A single sample is added in one store, so readers and a kill see it whole or not at all; what
 * was merged is counted before.
 */
enum stacks_result stacks_add(struct stacks *stacks, const struct stacks_frame *frames,
			      size_t depth, uint64_t n, struct odb_error *error);

/* A stack without frames, and what is no node. */
#define STACKS_ROOT    UINT32_C(0)
#define STACKS_NO_NODE UINT32_MAX

/**
 * stacks_node - the node of a frame, which is made if there is none
 * @caller: the node of its caller, or STACKS_ROOT
 *
 * With stacks_count(), for writers that have a tree themselves: a frame that many stacks share is
 * then looked for once.
 *
 * Return: its number, good until stacks_close(), or STACKS_NO_NODE if there is no room, with
 * @error set.
 */
uint32_t stacks_node(struct stacks *stacks, uint32_t caller, const struct stacks_frame *frame,
		     struct odb_error *error);

/**
 * stacks_count - count @n samples whose stack ends at a node
 * @cut: it is that of a caller, as there is no room for the node where they end: they are
 *	counted at STACKS_OTHER below it
 * @missing: set to how many frames, from that of @node on, are not among the callers of what was
 *	counted, if @cut; may be NULL
 *
 * Return: as stacks_add().
 */
enum stacks_result stacks_count(struct stacks *stacks, uint32_t node, uint64_t n, bool cut,
				uint32_t *missing, struct odb_error *error);

/* Bytes of memory, beside the mapped file, that it takes to find nodes. */
size_t stacks_memory(const struct stacks *stacks);

/* Gives back the memory in which the file is mapped; it comes again from the system's cache. */
void stacks_rest(struct stacks *stacks);

/* Counts @n samples as merged that were so when they were counted before, in another file. */
void stacks_add_merged(struct stacks *stacks, uint64_t n);

/* As odb_is_whole(), odb_sum() and odb_disk_bytes(). */
bool stacks_is_whole(const struct stacks *stacks);
uint64_t stacks_sum(const struct stacks *stacks);
uint64_t stacks_disk_bytes(const struct stacks *stacks);

/* ---- reading ---- */

struct stacks_node {
	uint32_t parent; /* index, always less than its own; node 0, the root of all, has 0 */
	uint32_t image;	 /* as of struct stacks_frame */
	uint64_t offset;
	uint64_t count;
};

struct stacks_name {
	char *name;
	uint32_t flags, mtime;
};

/* What is in a file. */
struct stacks_content {
	struct stacks_node *nodes;  /* several may be equal but for their count */
	size_t n_nodes;		    /* 1 at least; node 0 is no frame */
	struct stacks_name *images; /* by number; [0] is none */
	size_t n_images;
	uint64_t merged; /* samples whose stacks were cut at the leaf's end: at STACKS_OTHER */
};

/**
 * stacks_read - read a stack file of either byte order
 * @content: filled in; stacks_content_free() frees what it holds
 *
 * A file that a writer is using is read as it is now.
 *
 * Return: 0, or -1 with @error set.
 */
int stacks_read(struct stacks_content *content, const char *path, struct odb_error *error);
void stacks_content_free(struct stacks_content *content);

/* Whether a file begins as stack files do. */
bool stacks_is_file(const char *path);

/**
 * stacks_check - compare a file with every rule of oprofile-stacks(5)
 *
 * As odb_check().
 */
ptrdiff_t stacks_check(const char *path, odb_report *report, void *context,
		       struct odb_error *error);

/**
 * stacks_repair - replace a damaged file with a sound one that has all that is sound in it
 *
 * As odb_repair(); nodes whose callers are damaged are counted as lost.
 */
int stacks_repair(const char *path, struct odb_repair *result, struct odb_error *error);

#endif

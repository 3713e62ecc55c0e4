/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address spaces of recordings: which image of the profile model an address of a process was in,
 * at the time of a sample; and the names of threads.
 *
 * For readers of formats that record mappings, forks and execs.  They pass events in the order of
 * time and look up addresses in between.
 */
#ifndef PP_FORMATS_MODEL_MAPS_H
#define PP_FORMATS_MODEL_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "profile.h"

struct maps;

/* Images are made in @sink when an address in them is first asked for. */
struct maps *maps_new(struct prof_sink *sink);
void maps_free(struct maps *maps);

/* The address space of the kernel, for maps_map(). */
#define MAPS_KERNEL (-1)

/**
 * maps_map - something is mapped
 * @pid: the process, or MAPS_KERNEL
 * @image: copied; what is at start..end from now on, with offset the offset of start; parts of
 *	older mappings that it covers are gone
 *
 * Images of processes get the pid of the process that is asked for if they are anonymous.
 * Mappings with end <= start are passed over.
 */
void maps_map(struct maps *maps, int64_t pid, const struct prof_image *image);
/* An address range is unmapped: for formats that record it. */
void maps_unmap(struct maps *maps, int64_t pid, uint64_t start, uint64_t end);

/* A process or thread begins; a process with the mappings of its parent. */
void maps_fork(struct maps *maps, int64_t pid, int64_t tid, int64_t parent_pid, int64_t parent_tid);
/*
 * The program of a process, maps_app(), is the first file that is mapped after maps_exec(), or
 * what the parent of a fork had.  Of a process that ran before the recording it is the file whose
 * base name is the name of its first thread, or else the first that is no library by its name.
 */

/*
 * A process executes a program: its mappings are gone, and the next file mapped is its app.  While
 * the kernel does so, the caller is still code of the program before, which is looked up in what
 * that had mapped until code of the new one is; and until a file is mapped, it is the app.
 */
void maps_exec(struct maps *maps, int64_t pid);
/* Code of a process runs: it does not execute a program any more. */
void maps_runs(struct maps *maps, int64_t pid);
/* A process ran before the recording: nothing of what was known of the pid is true of it. */
void maps_begin(struct maps *maps, int64_t pid);
/* A process may have executed a program, or has a new name only: the next file mapped that can be
 * a program is its app. */
void maps_may_exec(struct maps *maps, int64_t pid);
/* A thread ended.  Mappings of a process are kept for a while, for samples that come late. */
void maps_exit(struct maps *maps, int64_t pid, int64_t tid);
/* The name of a thread. */
void maps_comm(struct maps *maps, int64_t pid, int64_t tid, const char *comm);

/**
 * maps_find - the place of an address
 * @pid: the process, or MAPS_KERNEL
 *
 * Return: true, or false: no image is known there; then @frame is the address in PROF_NO_IMAGE
 * or PROF_NO_KERNEL_IMAGE.
 */
bool maps_find(struct maps *maps, int64_t pid, uint64_t address, struct prof_frame *frame);

/**
 * maps_file - the file at an address of a process
 * @file: set to its number, for maps_file_image()
 * @offset: set to the offset in it
 *
 * Return: false: no file is known there.
 */
bool maps_file(struct maps *maps, int64_t pid, uint64_t address, uint64_t *file, uint64_t *offset);
/* What is known of a file, but for where it is mapped; lives as long as @maps. */
const struct prof_image *maps_file_image(const struct maps *maps, uint64_t file);

/* The image of a process's program, or PROF_NO_IMAGE. */
uint32_t maps_app(struct maps *maps, int64_t pid);
/* The name of a thread as the sink's string(), that of its process, or 0. */
uint32_t maps_comm_of(struct maps *maps, int64_t pid, int64_t tid);

#endif

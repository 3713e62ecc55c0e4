/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a session keeps its files; oprofile-session(5) draws the tree.
 */
#ifndef LIBOP_SESSION_PATHS_H
#define LIBOP_SESSION_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#define OP_SESSION_DEFAULT_DIR "/var/lib/oprofile"

/**
 * op_session_dir - the session directory to use
 * @option: the argument of --session-dir, or NULL
 *
 * Without @option: ./oprofile_data if that is a directory, else OP_SESSION_DEFAULT_DIR.
 *
 * Return: an absolute path that the caller frees, or NULL when out of memory.
 */
char *op_session_dir(const char *option);

/* Whether the live session of @dir was written after that of @other, if both have one. */
bool op_session_is_newer(const char *dir, const char *other);

/* Members of this group, where it exists, may read sessions; else only root. */
#define OP_SESSION_GROUP     "oprofile"
#define OP_SESSION_DIR_MODE  0750 /* of directories */
#define OP_SESSION_FILE_MODE 0640 /* of files */
/* Of programs that write sessions, whatever their user's is: no file there is for others. */
#define OP_SESSION_UMASK 0027

/* Names below the session directory. */
#define OP_SESSION_SAMPLES "samples"
#define OP_SESSION_CURRENT "samples/current" /* the live session; others are samples/NAME */
#define OP_SESSION_LOG	   "samples/oprofiled.log"
#define OP_SESSION_LOCK	   "lock"    /* pid of the daemon, decimal */
#define OP_SESSION_CONTROL "control" /* socket of the daemon: control_socket.h */
#define OP_SESSION_ABI	   "abi"

/*
 * Below OP_SAMPLES_STATS: how long an event was to be counted, how long it was, for how long of
 * that the kernel paused it, and how many samples it brought, in
 * OP_STATS_EVENTS/NAME.COUNT.UNITMASK/.
 */
#define OP_STATS_EVENTS	      "events"
#define OP_STATS_ENABLED_NS   "enabled_ns"
#define OP_STATS_RUNNING_NS   "running_ns"
#define OP_STATS_PAUSED_NS    "paused_ns"
#define OP_STATS_TAKEN	      "taken"
#define OP_STATS_UNSAMPLED_NS "unsampled_ns"
#define OP_STATS_MISSING_NS   "missing_ns"

/* Names below samples/NAME; oprofile-session(5) describes them. */
#define OP_SAMPLES_ACCOUNT  "account"  /* what was received, stored and lost: account.h */
#define OP_SAMPLES_STATS    "stats"    /* a directory: numbers of CPUs and events */
#define OP_SAMPLES_KALLSYMS "kallsyms" /* lines "address type name [module]"; libop/pack/text.h */
#define OP_SAMPLES_IMAGES   "images"   /* what identifies the files of images: images.h */
#define OP_SAMPLES_PROCESSES                                                                       \
	"processes" /* whose memory without a file has samples: processes.h */
#define OP_SAMPLES_ALIVE    "alive"    /* how long the daemon that works has: alive.h */
#define OP_SAMPLES_THREADS  "threads"  /* their names: thread_names.h */
#define OP_SAMPLES_SOURCE   "source"   /* lines "key value": what took the samples */
#define OP_SAMPLES_SUPPLIER "supplier" /* another user whose profile was imported: supplier.h */
#define OP_SAMPLES_LABELS   "labels"   /* what its samples have in common: labels.h */
#define OP_SAMPLES_ORIGIN   "origin"   /* lines "key value": where, when, by which command; of
				  imports: of which file */
#define OP_SAMPLES_MODULES  "modules"  /* lines "name address size build-id-or-dash", in hex */
#define OP_SAMPLES_SYMBOLS  "symbols"  /* a directory: files of libop/saved/store.h */
#define OP_SAMPLES_STACKS   "stacks"   /* a directory: stack files, by application */
#define OP_SAMPLES_WEIGHTS                                                                         \
	"weights" /* a directory: files of weights, named as those of samples                      \
		   */

/*
 * Bytes that OP_SAMPLES_KALLSYMS may have, unpacked: the symbols of a kernel without modules are
 * about 5 MB; this is for damaged files.
 */
#define OP_KALLSYMS_MOST ((size_t)64 << 20)

/*
 * The kernel image when no vmlinux is given: its symbols are those of OP_SAMPLES_KALLSYMS, and
 * its keys are PC - _stext, so that they mean the same after a reboot with another address.
 * Code that is in kallsyms and in no module is the image "[bpf]" or the like; keys of such an
 * image are addresses.
 */
#define OP_KERNEL_IMAGE "kallsyms"
/* The kernel image with --no-vmlinux: kernel and modules as one, keys are addresses. */
#define OP_NO_VMLINUX "no-vmlinux"
/* What stands for all images that there was no room for; it has no symbols. */
#define OP_OTHER_IMAGE "{other}"
/* Code of no known file or memory, of profiles that were imported. */
#define OP_UNKNOWN_IMAGE "[unknown]"

#endif

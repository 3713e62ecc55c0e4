/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of a file that others own is read.  Each limit is far above what compilers, runtimes and
 * distributions write, and low enough that a machine does not notice a file that is at it.
 */
#ifndef LIBOP_FOREIGN_LIMITS_H
#define LIBOP_FOREIGN_LIMITS_H

/* Objects and debug files, in bytes.  The largest debug files of distributions, those of browsers,
 * have 5 GiB. */
#define FOREIGN_OBJECT_MOST (UINT64_C(16) << 30)

/* A file may state up to this many times the bytes that it has on disk: linkers leave holes, file
 * systems and debug sections are compressed, tenfold at best.  zlib makes a thousandfold of
 * nothing, and a sparse file is all hole. */
#define FOREIGN_RATIO_MOST 16

/* Whatever the ratio, that much is allowed: small files may be stored in their inode. */
#define FOREIGN_RATIO_FREE (UINT64_C(64) << 20)

/* Profiles that are packed may unpack to this many times what was read of them, besides what is
 * free: gzip makes 1,032 times as much of nothing, the others a million times. */
#define FOREIGN_UNPACKED_RATIO 1000

/* Debug sections of one file in memory, in bytes.  Those of a vmlinux have 0.6 GiB. */
#define FOREIGN_DEBUG_MOST (UINT64_C(4) << 30)

/* A file that .gnu_debuglink names is read whole for its CRC: two seconds.  Files of current
 * distributions are found by build-id, without a CRC. */
#define FOREIGN_CRC_MOST (UINT64_C(2) << 30)

/* Program headers of one file that are looked at; linkers write a dozen. */
#define FOREIGN_SEGMENTS_MOST 1024

/* Section headers of one file that are looked at.  A kernel module that was compiled with a section
 * for each function has some thousands. */
#define FOREIGN_SECTIONS_MOST 16384

/* ELF notes of one file, in bytes; those of programs have some hundreds. */
#define FOREIGN_NOTES_MOST (256 << 10)

/* perf-PID.map and jit-PID.dump, in bytes.  A large Java server writes 30 MiB of the one; the other
 * also has the code. */
#define FOREIGN_JIT_MAP_MOST  (UINT64_C(64) << 20)
#define FOREIGN_JIT_DUMP_MOST (UINT64_C(256) << 20)

/* Bytes of a name in these; longer ones are cut.  A function may be split a million times, and its
 * name is looked at for each piece.  Julia and V8 write some hundred bytes. */
#define FOREIGN_JIT_NAME_MOST 4096

/* Functions in one of these; a large Java server has 300,000. */
#define FOREIGN_JIT_FUNCTIONS_MOST (1 << 20)

/* Lines in a jit-PID.dump; those of a method of Java are some ten. */
#define FOREIGN_JIT_LINES_MOST (4 << 20)

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What suites of sync have in common: a program in a made-up address space, samples of it, and
 * the words that must come of them.
 *
 * Cookies are given out from 1 in the order of first sight, so words can be compared with what
 * they must be, to the last.
 */
#ifndef OPROFILE_KUNIT_SYNC_FIXTURE_H
#define OPROFILE_KUNIT_SYNC_FIXTURE_H

#include <kunit/test.h>

#include "cpu_buffer.h"
#include "event_buffer.h"
#include "fake_mm.h"
#include "fake_task.h"
#include "resolve.h"
#include "sync.h"
#include "uapi/oprofile.h"
#include "images/marks.h"
#include "images/unmapped.h"

/**
 * struct sync_fixture - a program that maps itself, a library and anonymous memory
 * @cpu: where samples are taken; the case runs there, too
 * @other: is not mapped
 * @task: of the program; fake_current at first
 */
struct sync_fixture {
	unsigned int cpu;
	struct file *exe;
	struct file *library;
	struct file *other;
	struct mm_struct *mm;
	struct vm_area_struct *library_vma;
	struct task_struct *task;
};

extern struct sync_fixture sync_fixture;

#define EXE_AT 0x400000UL /* from page 1 of the file, 4 pages */
#define LIBRARY_AT 0x7f0000000000UL /* from page 0x10, 16 pages */
#define ANON_AT 0x7f1000000000UL /* 2 pages */
#define NOWHERE 0x100000UL
#define KERNEL_AT 0xffffffff81000000UL

/* For struct kunit_suite. */
int sync_fixture_init(struct kunit *test);
void sync_fixture_exit(struct kunit *test);

/* A sample on sync_fixture.cpu, of the task fake_current. */
void sync_add(bool user, unsigned long pc, u8 event);

/* The same, with a weight. */
void sync_add_weight(bool user, unsigned long pc, u8 event, u64 weight);

/* Makes the CPUs' buffers anew, for traces of up to @depth callers. */
void sync_begin_traces(struct kunit *test, u8 depth);

/* As sync_add(), of event 5, with @nr callers, those of the kernel (@nr_kernel) first. */
void sync_add_trace(bool user, unsigned long pc, const unsigned long *pcs, unsigned int nr,
		    unsigned int nr_kernel);

/* Expects these words, and no others, in the event buffer, and empties it. */
void sync_expect_words(struct kunit *test, const u64 *expected, unsigned long nr);

/* The cookie of the program of sync_fixture.mm, and that of the library, in most cases. */
#define EXE 1
#define LIBRARY 2

/* Words, for EXPECT_WORDS(). */
#define ESC OPROFILE_ESCAPE_CODE
#define CPU(cpu) ESC, OPROFILE_CPU_SWITCH, (cpu)
#define TASK(pid, app, tgid) \
	ESC, OPROFILE_CTX_SWITCH, (pid), (app), ESC, OPROFILE_CTX_TGID, (tgid)
#define KERNEL ESC, OPROFILE_KERNEL_ENTER
#define USER ESC, OPROFILE_USER_ENTER
#define IMAGE(cookie) ESC, OPROFILE_COOKIE_SWITCH, (cookie)
#define TRACE ESC, OPROFILE_TRACE_BEGIN
#define MODULES ESC, OPROFILE_MODULE_LOADED
#define NO_APP OPROFILE_INVALID_COOKIE

#define EXPECT_WORDS(test, ...)							\
do {										\
	const u64 expected[] = { __VA_ARGS__ };					\
										\
	sync_expect_words(test, expected, ARRAY_SIZE(expected));		\
} while (0)

#define EXPECT_NO_WORDS(test) KUNIT_EXPECT_EQ(test, op_event_buffer.nr_words, 0)

#endif

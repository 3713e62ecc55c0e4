/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings that opcontrol keeps from one call to the next.
 *
 * One table of keys serves the file daemonrc and the command line, so a value is judged by
 * the same rule wherever it comes from.
 */
#ifndef UTILS_OPCONTROL_SETTING_H
#define UTILS_OPCONTROL_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "libop/base/error.h"
#include "libop/base/strings.h"
#include "libop/text/json.h"

/* What is used when nothing was chosen: the driver's defaults, in words and entries. */
#define SETTING_BUFFER_SIZE	131072
#define SETTING_CPU_BUFFER_SIZE 8192
#define SETTING_FREQUENCY	1000 /* Hz */
#define SETTING_TIME_SLICE	1    /* ms */
/* The reader is woken when a quarter of the event buffer is left. */
#define SETTING_WATERSHED_SHARE 4

/* Of a number that may be 0. */
#define SETTING_UNSET UINT64_MAX

struct settings {
	char *session_dir;  /* absolute */
	char *vmlinux;	    /* absolute path, "none" for --no-vmlinux, NULL for kallsyms */
	char *metrics;	    /* absolute path, NULL: none are written */
	char *image_filter; /* comma list of absolute paths, NULL for all images */
	uint64_t
		kernel_range[2]; /* start and end address of the kernel's text; 0, 0 if not given */
	uint64_t buffer_size, buffer_watershed, cpu_buffer_size; /* 0: the default */
	uint64_t callgraph;					 /* frames, 0: none */
	uint64_t frequency;					 /* Hz, 0: the default */
	uint64_t perf;			 /* 1: by perf events, without the module */
	uint64_t time_slice;		 /* ms, 0: the default */
	uint64_t session_size;		 /* MiB, 0: the default */
	uint64_t session_files;		 /* 0: the default */
	uint64_t min_free;		 /* MiB, SETTING_UNSET: the default */
	uint64_t saved_days, saved_size; /* of saved sessions, days and MiB; 0: no limit */
	uint64_t close_every;		 /* seconds, 0: sessions are closed by --save only */
	bool separate_lib, separate_kernel, separate_thread, separate_cpu;
	struct op_strings events; /* as given; none: the default event */
};

/* Fills in the defaults: 0, or -1 with @error set when out of memory. */
int settings_init(struct settings *settings, struct op_error *error);
void settings_free(struct settings *settings);
/* Makes @copy, which must not hold anything, a deep copy: 0 or -1. */
int settings_copy(struct settings *copy, const struct settings *settings, struct op_error *error);
bool settings_equal(const struct settings *a, const struct settings *b);

/**
 * settings_set - change one setting
 * @key: a key of daemonrc, such as "BUF_SIZE", but not CHOSEN_EVENTS_n and NR_CHOSEN
 * @value: its text as in daemonrc
 *
 * Return: 0, or -1 with @error set (ENOENT: no such key) and @settings unchanged.
 */
int settings_set(struct settings *settings, const char *key, const char *value,
		 struct op_error *error);

/* Adds an event NAME:COUNT[:UNITMASK[:KERNEL[:USER]]]: 0, or -1 with @error set. */
int settings_add_event(struct settings *settings, const char *spec, struct op_error *error);

/* Sets the four separate_ flags from a list such as "lib,thread": 0, or -1 with @error set. */
int settings_separate(struct settings *settings, const char *list, struct op_error *error);

/* The index of @key among all keys, below 32, or -1: a reader finds repeated keys with it. */
int settings_key_index(const char *key);

/* Checks what no single value can show: 0, or -1 with @error set. */
int settings_check(const struct settings *settings, struct op_error *error);

/* Writes all settings but the events as members of an open object, by the keys of daemonrc in small
 * letters; null is the default. */
void settings_put_json(const struct settings *settings, struct op_json *json);

/* Writes all settings as lines KEY=value. */
void settings_print(const struct settings *settings, FILE *file);

/* What is used, where 0 means the default. */
uint64_t settings_buffer_size(const struct settings *settings);
uint64_t settings_buffer_watershed(const struct settings *settings);
uint64_t settings_cpu_buffer_size(const struct settings *settings);
uint64_t settings_frequency(const struct settings *settings);
uint64_t settings_time_slice(const struct settings *settings);

#endif

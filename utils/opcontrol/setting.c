// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of settings: how each one is read, judged and written.
 */
#include "setting.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "libop/events/spec.h"
#include "libop/base/array.h"
#include "libop/base/number.h"
#include "libop/base/similar.h"
#include "libop/closed/times.h"
#include "libop/session/paths.h"

struct key {
	const char *name;
	size_t offset;
	int (*set)(void *field, const struct key *key, const char *value, struct op_error *error);
	/* All unset for keys that are accepted and not kept. */
	void (*print)(FILE *file, const struct key *key, const void *field);
	void (*put)(struct op_json *json, const char *name, const void *field);
	bool (*equal)(const void *a, const void *b);
	const char *what;  /* what a number is, for messages */
	uint64_t min, max; /* of a number other than 0, the default */
	bool always;	   /* written even when it is the default */
};

/* The text of a path must survive one line of a file and one argument. */
static int check_path(const char *value, struct op_error *error)
{
	const unsigned char *p;

	if (value[0] != '/')
		return op_error_set(error, EINVAL, "\"%s\" is not an absolute path", value);
	if (strlen(value) >= PATH_MAX)
		return op_error_set(error, ENAMETOOLONG, "the path is longer than %d bytes",
				    PATH_MAX - 1);
	for (p = (const unsigned char *)value; *p; p++) {
		if (*p < ' ' || *p == 0x7f)
			return op_error_set(error, EINVAL,
					    "the path has a control character (0x%02x)", *p);
	}
	return 0;
}

static int replace(char **field, const char *value, struct op_error *error)
{
	char *copy = NULL;

	if (value) {
		copy = strdup(value);
		if (!copy)
			return op_error_memory(error);
	}
	free(*field);
	*field = copy;
	return 0;
}

static int set_path(void *field, const struct key *key, const char *value, struct op_error *error)
{
	(void)key;
	if (check_path(value, error))
		return -1;
	return replace(field, value, error);
}

static int set_vmlinux(void *field, const struct key *key, const char *value,
		       struct op_error *error)
{
	(void)key;
	if (!*value)
		return replace(field, NULL, error);
	if (strcmp(value, "none") && check_path(value, error))
		return -1;
	return replace(field, value, error);
}

static int set_metrics(void *field, const struct key *key, const char *value,
		       struct op_error *error)
{
	(void)key;
	if (!*value || !strcmp(value, "none"))
		return replace(field, NULL, error);
	if (check_path(value, error))
		return -1;
	return replace(field, value, error);
}

static int set_path_list(void *field, const struct key *key, const char *value,
			 struct op_error *error)
{
	const char *p, *end;

	(void)key;
	if (!*value || !strcmp(value, "all"))
		return replace(field, NULL, error);
	if (check_path(value, error))
		return -1;
	for (p = value; p; p = *end ? end + 1 : NULL) {
		end = strchrnul(p, ',');
		if (*p != '/')
			return op_error_set(error, EINVAL, "\"%.*s\" is not an absolute path",
					    (int)(end - p), p);
	}
	return replace(field, value, error);
}

static void print_text(FILE *file, const struct key *key, const void *field)
{
	const char *text = *(char *const *)field;

	fprintf(file, "%s=%s\n", key->name, text ? text : "");
}

static void put_text(struct op_json *json, const char *name, const void *field)
{
	op_json_string(json, name, *(char *const *)field);
}

static bool equal_text(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;

	return x && y ? !strcmp(x, y) : x == y;
}

/* 0 is the default of all numbers. */
static int set_number(void *field, const struct key *key, const char *value, struct op_error *error)
{
	uint64_t least = key->min == 1 ? 0 : key->min;
	struct op_error cause;

	if (strcmp(value, "0") && op_number_parse(value, key->what, least, key->max, field, &cause))
		return op_error_set(error, cause.code, "%s%s", cause.text,
				    least && cause.code == ERANGE ? ", or 0 for the default" : "");
	if (!strcmp(value, "0"))
		*(uint64_t *)field = 0;
	return 0;
}

/* "10m", or as print_number() writes it. */
static int set_duration(void *field, const struct key *key, const char *value,
			struct op_error *error)
{
	if (strcmp(value, "0"))
		return op_duration_parse(value, key->what, key->min, key->max, field, error);
	*(uint64_t *)field = 0;
	return 0;
}

static void print_number(FILE *file, const struct key *key, const void *field)
{
	uint64_t number = *(const uint64_t *)field;

	if (number || key->always)
		fprintf(file, "%s=%" PRIu64 "\n", key->name, number);
}

static void put_number(struct op_json *json, const char *name, const void *field)
{
	uint64_t number = *(const uint64_t *)field;

	if (number)
		op_json_number(json, name, number);
	else
		op_json_null(json, name);
}

/* A number of which 0 is one, too. */
static int set_any_number(void *field, const struct key *key, const char *value,
			  struct op_error *error)
{
	if (strcmp(value, "default"))
		return op_number_parse(value, key->what, key->min, key->max, field, error);
	*(uint64_t *)field = SETTING_UNSET;
	return 0;
}

static void print_any_number(FILE *file, const struct key *key, const void *field)
{
	uint64_t number = *(const uint64_t *)field;

	if (number != SETTING_UNSET)
		fprintf(file, "%s=%" PRIu64 "\n", key->name, number);
}

static void put_any_number(struct op_json *json, const char *name, const void *field)
{
	uint64_t number = *(const uint64_t *)field;

	if (number != SETTING_UNSET)
		op_json_number(json, name, number);
	else
		op_json_null(json, name);
}

static bool equal_number(const void *a, const void *b)
{
	return *(const uint64_t *)a == *(const uint64_t *)b;
}

static int set_flag(void *field, const struct key *key, const char *value, struct op_error *error)
{
	(void)key;
	if (strcmp(value, "0") && strcmp(value, "1"))
		return op_error_set(error, EINVAL, "\"%s\" is neither 0 nor 1", value);
	*(bool *)field = *value == '1';
	return 0;
}

static void print_flag(FILE *file, const struct key *key, const void *field)
{
	fprintf(file, "%s=%d\n", key->name, *(const bool *)field);
}

static void put_flag(struct op_json *json, const char *name, const void *field)
{
	op_json_bool(json, name, *(const bool *)field);
}

static bool equal_flag(const void *a, const void *b)
{
	return *(const bool *)a == *(const bool *)b;
}

/* An address in hexadecimal, with or without 0x. */
static int parse_address(const char *text, size_t length, uint64_t *value, struct op_error *error)
{
	char number[32];

	if (length > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		text += 2;
		length -= 2;
	}
	snprintf(number, sizeof(number), "0x%.*s", (int)length, text);
	return op_number_parse(number, "kernel address", 0, UINT64_MAX, value, error);
}

static int set_range(void *field, const struct key *key, const char *value, struct op_error *error)
{
	const char *comma = strchr(value, ',');
	uint64_t *range = field, start, end;

	(void)key;
	if (!*value) {
		range[0] = range[1] = 0;
		return 0;
	}
	if (!comma || strlen(value) > 40)
		return op_error_set(error, EINVAL, "\"%s\" is not START,END in hexadecimal", value);
	if (parse_address(value, comma - value, &start, error) ||
	    parse_address(comma + 1, strlen(comma + 1), &end, error))
		return -1;
	if (start >= end)
		return op_error_set(error, EINVAL,
				    "the range \"%s\" ends before it starts, or is empty", value);
	range[0] = start;
	range[1] = end;
	return 0;
}

static void print_range(FILE *file, const struct key *key, const void *field)
{
	const uint64_t *range = field;

	if (range[1])
		fprintf(file, "%s=0x%" PRIx64 ",0x%" PRIx64 "\n", key->name, range[0], range[1]);
}

static void put_range(struct op_json *json, const char *name, const void *field)
{
	const uint64_t *range = field;

	if (!range[1]) {
		op_json_null(json, name);
		return;
	}
	op_json_array(json, name);
	op_json_hex(json, NULL, range[0]);
	op_json_hex(json, NULL, range[1]);
	op_json_end(json);
}

static bool equal_range(const void *a, const void *b)
{
	return !memcmp(a, b, 2 * sizeof(uint64_t));
}

/* Keys of OProfile 0.9's opcontrol for machines that are not supported. */
static int set_foreign(void *field, const struct key *key, const char *value,
		       struct op_error *error)
{
	(void)field;
	if (*value && strcmp(value, "none"))
		return op_error_set(error, EINVAL,
				    "\"%s\": neither Xen nor s390 is supported; remove the line",
				    value);
	(void)key;
	return 0;
}

/* A buffer of OProfile before 0.9, which no driver has any more: any number will do. */
static int set_unused(void *field, const struct key *key, const char *value, struct op_error *error)
{
	uint64_t number;

	(void)field;
	(void)key;
	return op_number_parse(value, "size", 0, UINT64_MAX, &number, error);
}

#define FIELD(member) offsetof(struct settings, member)
#define TEXT	      .print = print_text, .put = put_text, .equal = equal_text
#define NUMBER(name, least, most)                                                                  \
	.set = set_number, .print = print_number, .put = put_number, .equal = equal_number,        \
	.what = name, .min = least, .max = most
#define ANY_NUMBER(name, most)                                                                     \
	.set = set_any_number, .print = print_any_number, .put = put_any_number,                   \
	.equal = equal_number, .what = name, .max = most
#define FLAG  .set = set_flag, .print = print_flag, .put = put_flag, .equal = equal_flag
#define RANGE .set = set_range, .print = print_range, .put = put_range, .equal = equal_range

/*
 * The limits of numbers are the driver's: module/event_buffer.h, module/cpu_buffer.h,
 * module/x86/rotation.h.
 */
static const struct key keys[] = {
	{"SESSION_DIR", FIELD(session_dir), .set = set_path, TEXT},
	{"SEPARATE_LIB", FIELD(separate_lib), FLAG},
	{"SEPARATE_KERNEL", FIELD(separate_kernel), FLAG},
	{"SEPARATE_THREAD", FIELD(separate_thread), FLAG},
	{"SEPARATE_CPU", FIELD(separate_cpu), FLAG},
	{"VMLINUX", FIELD(vmlinux), .set = set_vmlinux, TEXT},
	{"KERNEL_RANGE", FIELD(kernel_range), RANGE},
	{"IMAGE_FILTER", FIELD(image_filter), .set = set_path_list, TEXT},
	{"BUF_SIZE", FIELD(buffer_size), NUMBER("buffer size", 1024, 1 << 27)},
	{"BUF_WATERSHED", FIELD(buffer_watershed), NUMBER("buffer watershed", 1, 1 << 27)},
	{"CPU_BUF_SIZE", FIELD(cpu_buffer_size), NUMBER("CPU buffer size", 512, 1 << 22),
	 .always = true},
	{"CALLGRAPH", FIELD(callgraph), NUMBER("callgraph depth", 1, 255), .always = true},
	{"FREQUENCY", FIELD(frequency), NUMBER("frequency", 1, 20000)},
	{"TIME_SLICE", FIELD(time_slice), NUMBER("time slice", 1, 1000)},
	{"SESSION_SIZE", FIELD(session_size), NUMBER("session size", 1, 1 << 30)},
	{"SESSION_FILES", FIELD(session_files), NUMBER("session files", 1, 1 << 30)},
	{"MIN_FREE", FIELD(min_free), ANY_NUMBER("space to leave free", 1 << 30)},
	{"SAVED_DAYS", FIELD(saved_days), NUMBER("days", 1, 36500)},
	{"SAVED_SIZE", FIELD(saved_size), NUMBER("size of saved sessions", 1, 1 << 30)},
	{"CLOSE_EVERY", FIELD(close_every), .set = set_duration, .print = print_number,
	 .put = put_number, .equal = equal_number, .what = "interval", .min = CLOSE_EVERY_LEAST,
	 .max = CLOSE_EVERY_MOST},
	{"METRICS", FIELD(metrics), .set = set_metrics, TEXT},
	{"PERF", FIELD(perf), NUMBER("perf", 1, 1)},
	{"XENIMAGE", .set = set_foreign},
	{"XEN_RANGE", .set = set_foreign},
	{"S390_HW_SAMPLER_BUFSIZE", .set = set_foreign},
	{"NOTE_SIZE", .set = set_unused},
};

#define NR_KEYS OP_ARRAY_SIZE(keys)
_Static_assert(NR_KEYS < 32, "settings_key_index() must fit a mask of 32 bits");

#define for_each_key(key) for (const struct key *key = keys; key < keys + NR_KEYS; key++)

int settings_key_index(const char *name)
{
	for_each_key(key)
	{
		if (!strcmp(key->name, name))
			return key - keys;
	}
	return -1;
}

int settings_init(struct settings *settings, struct op_error *error)
{
	memset(settings, 0, sizeof(*settings));
	settings->min_free = SETTING_UNSET;
	return replace(&settings->session_dir, OP_SESSION_DEFAULT_DIR, error);
}

void settings_free(struct settings *settings)
{
	op_strings_free(&settings->events);
	free(settings->session_dir);
	free(settings->vmlinux);
	free(settings->image_filter);
	free(settings->metrics);
	memset(settings, 0, sizeof(*settings));
}

int settings_copy(struct settings *copy, const struct settings *settings, struct op_error *error)
{
	*copy = *settings;
	copy->session_dir = copy->vmlinux = copy->image_filter = copy->metrics = NULL;
	copy->events = (struct op_strings){0};

	if (replace(&copy->session_dir, settings->session_dir, error) ||
	    replace(&copy->vmlinux, settings->vmlinux, error) ||
	    replace(&copy->image_filter, settings->image_filter, error) ||
	    replace(&copy->metrics, settings->metrics, error))
		goto fail;
	for (size_t i = 0; i < settings->events.count; i++) {
		if (settings_add_event(copy, settings->events.item[i], error))
			goto fail;
	}
	return 0;
fail:
	settings_free(copy);
	return -1;
}

bool settings_equal(const struct settings *a, const struct settings *b)
{
	for_each_key(key)
	{
		if (key->equal &&
		    !key->equal((const char *)a + key->offset, (const char *)b + key->offset))
			return false;
	}
	if (a->events.count != b->events.count)
		return false;
	for (size_t i = 0; i < a->events.count; i++) {
		if (strcmp(a->events.item[i], b->events.item[i]))
			return false;
	}
	return true;
}

int settings_set(struct settings *settings, const char *name, const char *value,
		 struct op_error *error)
{
	int index = settings_key_index(name);

	if (index < 0)
		return op_error_set(error, ENOENT, "unknown setting \"%s\"", name);
	return keys[index].set((char *)settings + keys[index].offset, &keys[index], value, error);
}

int settings_add_event(struct settings *settings, const char *text, struct op_error *error)
{
	struct op_event_spec spec;
	bool has_count;

	if (op_event_spec_parse(text, &spec, error))
		return -1;
	has_count = spec.has_count;
	op_event_spec_free(&spec);
	if (!has_count)
		return op_error_set(error, EINVAL,
				    "\"%s\" has no count: NAME:COUNT[:UNITMASK[:KERNEL[:USER]]]",
				    text);
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (*p <= ' ' || *p == 0x7f)
			return op_error_set(error, EINVAL,
					    "the event has a blank or control character (0x%02x)",
					    *p);
	}
	if (op_strings_add(&settings->events, text))
		return op_error_memory(error);
	return 0;
}

int settings_separate(struct settings *settings, const char *list, struct op_error *error)
{
	static const struct {
		const char *name;
		bool lib, kernel, thread, cpu;
	} kinds[] = {
		{"none", false, false, false, false},
		{"lib", .lib = true},
		{"library", .lib = true},
		{"kernel", .lib = true, .kernel = true},
		{"thread", .thread = true},
		{"cpu", .cpu = true},
		{"all", true, true, true, true},
	};
	bool lib = false, kernel = false, thread = false, cpu = false, none = false;
	const char *p, *end;
	struct op_similar similar;
	char word[64];
	size_t i;

	for (p = list; p; p = *end ? end + 1 : NULL) {
		end = strchrnul(p, ',');
		snprintf(word, sizeof(word), "%.*s", (int)(end - p), p);
		similar = (struct op_similar){.word = word};
		for (i = 0; i < OP_ARRAY_SIZE(kinds) && strcmp(kinds[i].name, word); i++)
			op_similar_try(&similar, kinds[i].name);
		if (i == OP_ARRAY_SIZE(kinds))
			return op_error_set(error, EINVAL,
					    "\"%s\" is not none, lib, kernel, thread, cpu or "
					    "all" OP_SIMILAR_FORMAT,
					    word, OP_SIMILAR_ARGUMENTS(similar, ""));
		none |= i == 0;
		lib |= kinds[i].lib;
		kernel |= kinds[i].kernel;
		thread |= kinds[i].thread;
		cpu |= kinds[i].cpu;
	}
	if (none && (lib || thread || cpu))
		return op_error_set(error, EINVAL, "\"%s\": none cannot be combined", list);
	settings->separate_lib = lib;
	settings->separate_kernel = kernel;
	settings->separate_thread = thread;
	settings->separate_cpu = cpu;
	return 0;
}

uint64_t settings_buffer_size(const struct settings *settings)
{
	return settings->buffer_size ? settings->buffer_size : SETTING_BUFFER_SIZE;
}

uint64_t settings_buffer_watershed(const struct settings *settings)
{
	if (settings->buffer_watershed)
		return settings->buffer_watershed;
	return settings_buffer_size(settings) / SETTING_WATERSHED_SHARE;
}

uint64_t settings_frequency(const struct settings *settings)
{
	return settings->frequency ? settings->frequency : SETTING_FREQUENCY;
}

uint64_t settings_time_slice(const struct settings *settings)
{
	return settings->time_slice ? settings->time_slice : SETTING_TIME_SLICE;
}

uint64_t settings_cpu_buffer_size(const struct settings *settings)
{
	return settings->cpu_buffer_size ? settings->cpu_buffer_size : SETTING_CPU_BUFFER_SIZE;
}

int settings_check(const struct settings *settings, struct op_error *error)
{
	uint64_t size = settings_buffer_size(settings);
	uint64_t watershed = settings_buffer_watershed(settings);

	if (watershed >= size)
		return op_error_set(error, EINVAL,
				    "the buffer watershed (%" PRIu64 ") must be smaller than the "
				    "buffer size (%" PRIu64 "): change one with "
				    "--buffer-watershed or --buffer-size (0: its default)",
				    watershed, size);
	if (settings->kernel_range[1] && (!settings->vmlinux || !strcmp(settings->vmlinux, "none")))
		return op_error_set(error, EINVAL,
				    "a kernel range needs a kernel image: choose one with "
				    "--vmlinux FILE, or drop the range with --kernel-range=");
	return 0;
}

void settings_put_json(const struct settings *settings, struct op_json *json)
{
	for_each_key(key)
	{
		char name[64];
		size_t n = 0;

		for (; n < sizeof(name) - 1 && key->name[n]; n++)
			name[n] = (char)tolower((unsigned char)key->name[n]);
		name[n] = '\0';
		if (key->put)
			key->put(json, name, (const char *)settings + key->offset);
	}
}

void settings_print(const struct settings *settings, FILE *file)
{
	for_each_key(key)
	{
		if (key->print)
			key->print(file, key, (const char *)settings + key->offset);
	}
	for (size_t i = 0; i < settings->events.count; i++)
		fprintf(file, "CHOSEN_EVENTS_%zu=%s\n", i, settings->events.item[i]);
	fprintf(file, "NR_CHOSEN=%zu\n", settings->events.count);
}

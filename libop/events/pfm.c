// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events by libpfm4: see pfm.h.
 *
 * libpfm4 gives the encoding of each event with each of its unit masks, as a value of
 * an event select register, which is taken apart into what oprofilefs has files for.
 */
#include "pfm.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/pfmlib.h>

#include "libop/base/array.h"
#include "libop/base/strings.h"

/* Bits of event selects; the modifiers' are those of unit_mask.h. */
#define SELECT_EVENT	  0xffull
#define SELECT_UNIT_MASK  0xff00ull
#define SELECT_EVENT_HIGH (0xfull << 32) /* AMD's; Intel has transaction bits there */
/* USR, OS, INT and EN, which are set elsewhere, and PC, which old events may have */
#define SELECT_IGNORED (1ull << 16 | 1ull << 17 | 1ull << 19 | 1ull << 20 | 1ull << 22)

#define NAME_MAX_LENGTH 512

/* The most counters that events of some ranges of codes can be on. */
struct limit {
	const char *pmus; /* " a b " */
	unsigned int first, last;
	uint64_t counters;
};

/*
 * libpfm4 does not report which counters can count an event.  On most cores it may be on each of
 * the four that a thread has; where there are eight, many events are on the first four only.
 * The ranges are those by which Linux's perf places events, the narrower one where it goes by
 * unit mask, too.  The first that fits counts.
 */
static const struct limit limits[] = {
	{" icl icx ", 0x03, 0x0a, 0x0f},	 {" icl icx ", 0x1f, 0x28, 0x0f},
	{" icl icx ", 0x32, 0x32, 0x0f},	 {" icl icx ", 0x48, 0x56, 0x0f},
	{" icl icx ", 0x60, 0x8b, 0x0f},	 {" icl icx ", 0xa3, 0xa3, 0x0f},
	{" icl icx ", 0xa8, 0xb0, 0x0f},	 {" icl icx ", 0xb7, 0xbd, 0x0f},
	{" icl icx ", 0xd0, 0xe6, 0x0f},	 {" icl icx ", 0xef, 0xf4, 0x0f},
	{" spr emr adl_glc ", 0x2e, 0x2e, 0xff}, {" spr emr adl_glc ", 0x3c, 0x3c, 0xff},
	{" spr emr adl_glc ", 0x01, 0x8f, 0x0f}, {" spr emr adl_glc ", 0xa3, 0xa3, 0x0f},
	{" spr emr adl_glc ", 0xa4, 0xa4, 0x01}, {" spr emr adl_glc ", 0xcd, 0xce, 0x01},
	{" spr emr adl_glc ", 0xd0, 0xdf, 0x0f},
};

/* The fields of an event select. */
struct encoding {
	uint32_t code, value, extra;
};

/* A PMU that is being read. */
struct reader {
	struct op_catalogue *catalogue;
	pfm_pmu_info_t pmu;
	const char *description; /* of the event */
	size_t first;		 /* the first event of @catalogue that has its name */
};

/*
 * libpfm4 has megabytes of tables, which cost time to load: it is loaded by the first
 * call, so that programs without one, such as most reports, do not pay for it.
 */
static struct {
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_get_pmu_info) *get_pmu_info;
	__typeof__(pfm_get_event_next) *get_event_next;
	__typeof__(pfm_get_event_info) *get_event_info;
	__typeof__(pfm_get_event_attr_info) *get_event_attr_info;
	__typeof__(pfm_get_os_event_encoding) *get_os_event_encoding;
	__typeof__(pfm_strerror) *strerror;
} library;

static bool pfm_load(void)
{
	const struct {
		const char *name;
		void *function;
	} functions[] = {
		{"pfm_initialize", &library.initialize},
		{"pfm_get_pmu_info", &library.get_pmu_info},
		{"pfm_get_event_next", &library.get_event_next},
		{"pfm_get_event_info", &library.get_event_info},
		{"pfm_get_event_attr_info", &library.get_event_attr_info},
		{"pfm_get_os_event_encoding", &library.get_os_event_encoding},
		{"pfm_strerror", &library.strerror},
	};
	void *handle = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; handle && i < OP_ARRAY_SIZE(functions); i++) {
		*(void **)functions[i].function = dlsym(handle, functions[i].name);
		if (!*(void **)functions[i].function)
			return false;
	}
	return handle;
}

/* libpfm4 encodes events of other CPUs only if this is set when it starts. */
static bool pfm_start(void)
{
	static const char variable[] = "LIBPFM_ENCODE_INACTIVE";
	static enum { NOT_YET, WORKS, FAILED } state;

	if (state == NOT_YET) {
		const char *before = getenv(variable);

		setenv(variable, "1", 1);
		state = pfm_load() && library.initialize() == PFM_SUCCESS ? WORKS : FAILED;
		if (!before)
			unsetenv(variable);
	}
	return state == WORKS;
}

bool op_pfm_is_there(void)
{
	return pfm_start();
}

static bool is_core(pfm_pmu_t id, pfm_pmu_info_t *info)
{
	*info = (pfm_pmu_info_t){.size = sizeof(*info)};
	return library.get_pmu_info(id, info) == PFM_SUCCESS && info->type == PFM_PMU_TYPE_CORE &&
	       info->nevents;
}

static bool find_pmu(const char *name, pfm_pmu_info_t *info)
{
	pfm_pmu_t id;

	if (!pfm_start())
		return false;
	pfm_for_all_pmus(id)
	{
		if (is_core(id, info) && !strcmp(info->name, name))
			return true;
	}
	return false;
}

void op_pfm_each(void (*visit)(const char *name, const char *title, unsigned int events,
			       void *context),
		 void *context)
{
	pfm_pmu_info_t info;
	pfm_pmu_t id;

	if (!pfm_start())
		return;
	pfm_for_all_pmus(id)
	{
		if (is_core(id, &info))
			visit(info.name, info.desc, (unsigned int)info.nevents, context);
	}
}

static bool is_amd(const char *pmu)
{
	return !strncmp(pmu, "amd64_", 6);
}

/* Encodes "pmu::event:masks": 0, or libpfm4's error. */
static int encode(const char *pmu, const char *text, struct encoding *encoding)
{
	uint64_t select, rest, *codes = NULL;
	pfm_pmu_encode_arg_t arg = {.size = sizeof(arg), .codes = NULL};
	int result = library.get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg);

	if (result != PFM_SUCCESS)
		return result;
	codes = arg.codes;
	select = arg.count > 0 ? codes[0] : 0;
	encoding->code = select & SELECT_EVENT;
	if (is_amd(pmu))
		encoding->code |= (uint32_t)((select & SELECT_EVENT_HIGH) >> 24);
	encoding->value = (uint32_t)((select & SELECT_UNIT_MASK) >> 8);
	encoding->extra = (uint32_t)select & OP_EXTRA_REGISTER;
	rest = select & ~(SELECT_EVENT | SELECT_UNIT_MASK | SELECT_IGNORED | OP_EXTRA_REGISTER);
	if (is_amd(pmu))
		rest &= ~SELECT_EVENT_HIGH;
	if (arg.count != 1 || rest)
		encoding->extra |= OP_EXTRA_MSR;
	free(codes);
	return 0;
}

static int encode_event(const char *pmu, const char *event, const char *masks,
			struct encoding *encoding)
{
	char text[NAME_MAX_LENGTH];
	int length;

	length = snprintf(text, sizeof(text), "%s::%s%s%s", pmu, event, *masks ? ":" : "", masks);
	if (length < 0 || (size_t)length >= sizeof(text))
		return PFM_ERR_TOOSMALL;
	return encode(pmu, text, encoding);
}

static uint64_t counter_limit(const char *pmu, uint32_t code)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(limits); i++) {
		const char *found = strstr(limits[i].pmus, pmu);

		if (found && found[-1] == ' ' && found[strlen(pmu)] == ' ' &&
		    code >= limits[i].first && code <= limits[i].last)
			return limits[i].counters;
	}
	return UINT64_MAX;
}

/* A copy without what names of sample files and specifications can't have. */
static char *copy_name(const char *name)
{
	char *copy = strdup(name);

	for (char *c = copy; c && *c; c++) {
		if (strchr("./:,+ ", *c))
			*c = '_';
	}
	return copy;
}

/* A copy on one line. */
static char *copy_text(const char *text, const char *fallback)
{
	char *copy = strdup(text && *text ? text : fallback);

	for (char *c = copy; c && *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	}
	return copy;
}

/* The event of this name and code that is being read; NULL if there is none yet. */
static struct op_catalogue_event *find_event(struct reader *reader, uint32_t code)
{
	for (size_t i = reader->first; i < reader->catalogue->count; i++) {
		if (reader->catalogue->event[i].code == code)
			return &reader->catalogue->event[i];
	}
	return NULL;
}

static struct op_catalogue_event *add_event(struct reader *reader, const char *name, uint32_t code,
					    struct op_error *error)
{
	struct op_catalogue_event event = {
		.code = code, .filter = -1, .minimum = OP_PFM_MINIMUM, .from_pfm = true};
	struct op_unit_mask *mask = calloc(1, sizeof(*mask));
	uint64_t limit = counter_limit(reader->pmu.name, code);

	if (!mask || op_catalogue_add_mask(reader->catalogue, mask)) {
		free(mask);
		op_error_memory(error);
		return NULL;
	}
	mask->type = OP_UNIT_MASK_EXCLUSIVE;
	event.unit_mask = mask;
	/* Intel's code 0 is for events of fixed counters */
	event.all_counters = limit == UINT64_MAX && (code || !reader->pmu.num_fixed_cntrs);
	event.counters = limit == UINT64_MAX ? 0 : limit;
	event.name = copy_name(name);
	mask->name = copy_name(name);
	event.description = copy_text(reader->description, name);
	if (!event.name || !mask->name || !event.description ||
	    op_catalogue_add_event(reader->catalogue, &event)) {
		free(event.name);
		free(event.description);
		op_error_memory(error);
		return NULL;
	}
	return &reader->catalogue->event[reader->catalogue->count - 1];
}

static int add_entry(struct reader *reader, const char *event_name, const struct encoding *encoding,
		     const char *name, const char *description, struct op_error *error)
{
	struct op_catalogue_event *event = find_event(reader, encoding->code);
	char *copy, *text;
	int result;

	if (!event)
		event = add_event(reader, event_name, encoding->code, error);
	if (!event)
		return -1;
	copy = name ? copy_name(name) : NULL;
	text = copy_text(description, encoding->value ? "no choice" : "no unit mask");
	result = (name && !copy) || !text ||
		 op_unit_mask_add((struct op_unit_mask *)event->unit_mask, encoding->value,
				  encoding->extra | (name ? OP_EXTRA_NAMED : 0), copy, text);
	free(copy);
	free(text);
	return result ? op_error_memory(error) : 0;
}

static int add_unit_masks(struct reader *reader, const pfm_event_info_t *event,
			  struct op_error *error)
{
	for (int i = 0; i < event->nattrs; i++) {
		pfm_event_attr_info_t mask = {.size = sizeof(mask)};
		struct encoding encoding;

		if (library.get_event_attr_info(event->idx, i, PFM_OS_NONE, &mask) != PFM_SUCCESS ||
		    mask.type != PFM_ATTR_UMASK ||
		    encode_event(reader->pmu.name, event->name, mask.name, &encoding))
			continue;
		if (add_entry(reader, event->name, &encoding, mask.name, mask.desc, error))
			return -1;
	}
	return 0;
}

/* May the unit masks of one bit each be joined?  Then they are a bitmask. */
static bool may_be_joined(const char *pmu, const char *event, const struct op_unit_mask *mask)
{
	char names[NAME_MAX_LENGTH] = "";
	size_t used = 0, count = 0;
	struct encoding encoding;

	for (size_t i = 0; i < mask->count; i++) {
		const struct op_unit_mask_entry *entry = &mask->entry[i];

		if (!entry->value || entry->value & (entry->value - 1) ||
		    entry->extra & (OP_EXTRA_REGISTER | OP_EXTRA_MSR))
			continue;
		if (used + strlen(entry->name) + 2 > sizeof(names))
			return false;
		used += (size_t)sprintf(names + used, "%s%s", used ? ":" : "", entry->name);
		count++;
	}
	return count > 1 && !encode_event(pmu, event, names, &encoding);
}

/* What is true of an event once all its unit masks are there. */
static void finish(struct reader *reader, const char *name)
{
	struct encoding standard;
	bool has_standard = !encode_event(reader->pmu.name, name, "", &standard);
	struct op_error unused;

	for (size_t i = reader->first; i < reader->catalogue->count; i++) {
		const struct op_catalogue_event *event = &reader->catalogue->event[i];
		struct op_unit_mask *mask = (struct op_unit_mask *)event->unit_mask;

		if (mask->count == 1)
			mask->type = OP_UNIT_MASK_MANDATORY;
		else if (may_be_joined(reader->pmu.name, name, mask))
			mask->type = OP_UNIT_MASK_BITMASK;
		if (has_standard && standard.code == event->code) {
			mask->has_default = true;
			mask->default_value = standard.value;
			mask->default_extra = standard.extra;
			/* libpfm4 takes the value of a unit mask of another code all the same, as
			 * that of Granite Rapids' INST_RETIRED */
			mask->has_default = !op_unit_mask_check(mask, &unused);
		} else if (mask->count == 1) {
			mask->has_default = true;
			mask->default_value = mask->entry[0].value;
			mask->default_extra = mask->entry[0].extra;
		}
		for (size_t j = 0; mask->has_default && !mask->default_name && j < mask->count;
		     j++) {
			if (mask->entry[j].name && mask->entry[j].value == mask->default_value &&
			    ((mask->entry[j].extra ^ mask->default_extra) & ~OP_EXTRA_NAMED) == 0)
				mask->default_name = strdup(mask->entry[j].name);
		}
	}
}

/* Has the text catalogue this event, which has no choices? */
static bool is_known(const struct op_catalogue *catalogue, size_t before, const char *name,
		     uint32_t code)
{
	for (size_t i = 0; i < before; i++) {
		if (!strcmp(catalogue->event[i].name, name) && catalogue->event[i].code == code &&
		    op_unit_mask_is_zero(catalogue->event[i].unit_mask))
			return true;
	}
	return false;
}

static int read_event(struct reader *reader, size_t before, const pfm_event_info_t *event,
		      struct op_error *error)
{
	struct encoding encoding;

	reader->first = reader->catalogue->count;
	reader->description = event->desc;
	if (add_unit_masks(reader, event, error))
		return -1;
	if (reader->first == reader->catalogue->count) {
		if (encode_event(reader->pmu.name, event->name, "", &encoding) ||
		    (!encoding.value &&
		     is_known(reader->catalogue, before, event->name, encoding.code)))
			return 0;
		if (add_entry(reader, event->name, &encoding, NULL, NULL, error))
			return -1;
	}
	finish(reader, event->name);
	return 0;
}

int op_pfm_add(struct op_catalogue *catalogue, const char *pmu, struct op_error *error)
{
	struct reader reader = {.catalogue = catalogue};
	size_t before = catalogue->count;

	if (!find_pmu(pmu, &reader.pmu))
		return op_error_set(error, ENOENT, "libpfm4 has no core PMU named \"%s\"", pmu);
	for (int id = reader.pmu.first_event; id != -1; id = library.get_event_next(id)) {
		pfm_event_info_t event = {.size = sizeof(event)};

		if (library.get_event_info(id, PFM_OS_NONE, &event) == PFM_SUCCESS &&
		    read_event(&reader, before, &event, error))
			return -1;
	}
	catalogue->pfm_pmu = reader.pmu.name;
	return 0;
}

int op_pfm_add_of_type(struct op_catalogue *catalogue, const struct op_cpu_pmu *pmu,
		       struct op_error *error)
{
	pfm_pmu_info_t info;

	for (size_t i = 0; i < OP_CPU_PMU_NAMES && pmu->pfm[i]; i++) {
		if (find_pmu(pmu->pfm[i], &info))
			return op_pfm_add(catalogue, pmu->pfm[i], error);
	}
	return 0;
}

/* A part of a unit mask in libpfm4's words. */
static int translate(char *text, size_t size, const char *part)
{
	static const char *const words[][2] = {{"edge", "e=1"}, {"inv", "i=1"}, {"any", "t=1"}};
	const char *word = part;

	for (size_t i = 0; i < OP_ARRAY_SIZE(words); i++) {
		if (!strcmp(part, words[i][0]))
			word = words[i][1];
	}
	if (!strncmp(part, "cmask=", 6))
		return snprintf(text, size, ":c=%s", part + 6);
	return snprintf(text, size, ":%s", word);
}

int op_pfm_join(const struct op_catalogue *catalogue, const struct op_catalogue_event *event,
		const char *masks, uint32_t *value, uint32_t *extra, struct op_error *error)
{
	char text[NAME_MAX_LENGTH] = "";
	struct op_strings part = {0};
	struct encoding encoding;
	size_t used = 0;
	int result;

	if (op_strings_split(&part, masks, '+'))
		return op_error_memory(error);
	for (size_t i = 0; i < part.count && used < sizeof(text); i++)
		used += (size_t)translate(text + used, sizeof(text) - used, part.item[i]);
	op_strings_free(&part);
	if (used >= sizeof(text))
		return op_error_set(error, EINVAL, "too many unit masks");
	result = encode_event(catalogue->pfm_pmu, event->name, text + 1, &encoding);
	if (result)
		return op_error_set(error, EINVAL, "libpfm4 does not accept it: %s",
				    library.strerror(result));
	if (encoding.code != event->code)
		return op_error_set(error, EINVAL,
				    "these unit masks belong to events of different codes");
	*value = encoding.value;
	*extra = encoding.extra;
	return 0;
}

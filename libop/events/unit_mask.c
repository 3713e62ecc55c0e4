// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unit masks: see unit_mask.h.
 */
#include "unit_mask.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/number.h"
#include "libop/base/strings.h"

static const char *const type_names[] = {
	[OP_UNIT_MASK_MANDATORY] = "mandatory",
	[OP_UNIT_MASK_BITMASK] = "bitmask",
	[OP_UNIT_MASK_EXCLUSIVE] = "exclusive",
};

static const struct {
	const char *name;
	uint32_t bit;
} modifiers[] = {
	{"edge", OP_EXTRA_EDGE},
	{"inv", OP_EXTRA_INV},
	{"any", OP_EXTRA_ANY},
	{"pebs", OP_EXTRA_PEBS},
};

const char *op_unit_mask_type_name(enum op_unit_mask_type type)
{
	return type_names[type];
}

int op_unit_mask_add(struct op_unit_mask *mask, uint32_t value, uint32_t extra, const char *name,
		     const char *description)
{
	struct op_unit_mask_entry *entry;

	if (op_array_extend(mask->entry, mask->count))
		return -1;
	entry = &mask->entry[mask->count];
	*entry = (struct op_unit_mask_entry){
		.value = value,
		.extra = extra,
		.name = name ? strdup(name) : NULL,
		.description = strdup(description),
	};
	if ((name && !entry->name) || !entry->description) {
		free(entry->name);
		free(entry->description);
		return -1;
	}
	mask->count++;
	return 0;
}

void op_unit_mask_free(struct op_unit_mask *mask)
{
	for (size_t i = 0; i < mask->count; i++) {
		free(mask->entry[i].name);
		free(mask->entry[i].description);
	}
	free(mask->entry);
	free(mask->default_name);
	free(mask->name);
	*mask = (struct op_unit_mask){0};
}

bool op_unit_mask_is_zero(const struct op_unit_mask *mask)
{
	return mask->type == OP_UNIT_MASK_MANDATORY && mask->count == 1 && !mask->entry[0].value &&
	       !(mask->entry[0].extra & OP_EXTRA_REGISTER);
}

/* The entries within @value, joined. */
static uint32_t covered(const struct op_unit_mask *mask, uint32_t value)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < mask->count; i++) {
		if ((mask->entry[i].value & ~value) == 0)
			sum |= mask->entry[i].value;
	}
	return sum;
}

static bool has_value(const struct op_unit_mask *mask, uint32_t value)
{
	for (size_t i = 0; i < mask->count; i++) {
		if (mask->entry[i].value == value)
			return true;
	}
	return false;
}

int op_unit_mask_check(const struct op_unit_mask *mask, struct op_error *error)
{
	if (!mask->count)
		return op_error_set(error, EINVAL, "no entries");
	if (mask->type == OP_UNIT_MASK_MANDATORY && mask->count != 1)
		return op_error_set(error, EINVAL, "a mandatory unit mask has one entry, not %zu",
				    mask->count);
	if (mask->has_default && mask->type == OP_UNIT_MASK_BITMASK &&
	    covered(mask, mask->default_value) != mask->default_value)
		return op_error_set(error, EINVAL,
				    "the default 0x%x is not a combination of entries",
				    mask->default_value);
	if (mask->has_default && mask->type != OP_UNIT_MASK_BITMASK &&
	    !has_value(mask, mask->default_value))
		return op_error_set(error, EINVAL, "the default 0x%x is not one of the entries",
				    mask->default_value);
	return 0;
}

const struct op_unit_mask_entry *op_unit_mask_named(const struct op_unit_mask *mask,
						    const char *name, size_t *copies)
{
	const struct op_unit_mask_entry *first = NULL;

	*copies = 0;
	for (size_t i = 0; i < mask->count; i++) {
		if (!mask->entry[i].name || strcmp(mask->entry[i].name, name))
			continue;
		if (!first)
			first = &mask->entry[i];
		++*copies;
	}
	return first;
}

static uint32_t register_bits(const struct op_unit_mask_entry *entry)
{
	return entry->extra & (OP_EXTRA_REGISTER | OP_EXTRA_MSR);
}

/*
 * The entry that @value is.  NULL if there is none, or if there are several that count in
 * different ways; *@copies: their number.
 */
static const struct op_unit_mask_entry *only_entry(const struct op_unit_mask *mask, uint32_t value,
						   size_t *copies)
{
	const struct op_unit_mask_entry *found = NULL;
	bool differ = false;

	*copies = 0;
	for (size_t i = 0; i < mask->count; i++) {
		const struct op_unit_mask_entry *entry = &mask->entry[i];

		if (entry->value != value)
			continue;
		if (!found)
			found = entry;
		differ |= register_bits(found) != register_bits(entry);
		++*copies;
	}
	return differ ? NULL : found;
}

/* Joins entries to @value, if the mask allows it: no entry in it may be ambiguous. */
static int unit_mask_join(const struct op_unit_mask *mask, uint32_t value, struct op_error *error)
{
	size_t copies;

	if (mask->type != OP_UNIT_MASK_BITMASK || !value || covered(mask, value) != value)
		return op_error_set(error, EINVAL, "0x%x is not a unit mask of the event", value);
	for (size_t i = 0; i < mask->count; i++) {
		const struct op_unit_mask_entry *entry = &mask->entry[i];

		if (entry->value & ~value)
			continue;
		if (!only_entry(mask, entry->value, &copies))
			return op_error_set(error, EINVAL,
					    "0x%x contains 0x%x, which %zu unit masks of the event "
					    "share: use a name",
					    value, entry->value, copies);
		if (entry->value && register_bits(entry))
			return op_error_set(error, EINVAL,
					    "0x%x contains 0x%x, which counts in another way (%s): "
					    "it cannot be combined",
					    value, entry->value, entry->description);
	}
	return 0;
}

int op_unit_mask_number(const struct op_unit_mask *mask, uint32_t value, uint32_t *extra,
			struct op_error *error)
{
	const struct op_unit_mask_entry *entry;
	size_t copies;

	entry = only_entry(mask, value, &copies);
	if (!entry && copies)
		return op_error_set(error, EINVAL,
				    "%zu unit masks of the event have the number 0x%x: use a name",
				    copies, value);
	if (!entry && mask->has_default && value == mask->default_value && !mask->default_extra) {
		*extra = 0;
		return 0;
	}
	if (!entry && unit_mask_join(mask, value, error))
		return -1;
	*extra = entry ? entry->extra : 0;
	return 0;
}

/* What has been read of a unit mask so far. */
struct parts {
	uint32_t value, extra; /* of the entries */
	uint32_t given;	       /* modifiers given by hand */
	size_t entries, numbers;
};

static int read_modifier(const char *text, struct parts *parts, bool *found, struct op_error *error)
{
	uint64_t cmask;

	*found = true;
	if (!strncmp(text, "cmask=", 6)) {
		if (op_number_parse(text + 6, "cmask", 0, OP_EXTRA_CMASK_MAX, &cmask, error))
			return -1;
		parts->given |= (uint32_t)cmask << OP_EXTRA_CMASK_SHIFT;
		return 0;
	}
	for (size_t i = 0; i < OP_ARRAY_SIZE(modifiers); i++) {
		if (modifiers[i].bit != OP_EXTRA_PEBS && !strcmp(text, modifiers[i].name)) {
			parts->given |= modifiers[i].bit;
			return 0;
		}
	}
	*found = false;
	return 0;
}

/* The short names, for a message; cut where it gets long. */
static void list_names(const struct op_unit_mask *mask, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < mask->count; i++) {
		const char *name = mask->entry[i].name;

		if (!name)
			continue;
		if (used + strlen(name) + 8 > size) {
			strcpy(text + used, ", ...");
			return;
		}
		if (used) {
			strcpy(text + used, ", ");
			used += 2;
		}
		strcpy(text + used, name);
		used += strlen(name);
	}
}

static int read_name(const struct op_unit_mask *mask, const char *text, struct parts *parts,
		     struct op_error *error)
{
	const struct op_unit_mask_entry *entry;
	char names[256];
	size_t copies;

	entry = op_unit_mask_named(mask, text, &copies);
	if (copies > 1)
		return op_error_set(error, EINVAL,
				    "%zu unit masks of the event are named %s: use a number",
				    copies, text);
	if (!entry) {
		list_names(mask, names, sizeof(names));
		return op_error_set(error, EINVAL, "the event has no unit mask named %s%s%s", text,
				    names[0] ? ": there are " : ", nor any with a name", names);
	}
	parts->value |= entry->value;
	parts->extra |= entry->extra;
	return 0;
}

static int read_part(const struct op_unit_mask *mask, const char *text, struct parts *parts,
		     struct op_error *error)
{
	struct op_error cause;
	uint64_t number;
	size_t copies;
	bool found;

	if (!op_number_parse(text, "unit mask", 0, UINT32_MAX, &number, &cause)) {
		parts->value |= (uint32_t)number;
		parts->numbers++;
		parts->entries++;
		return 0;
	}
	if (cause.code == ERANGE)
		return op_error_set(error, ERANGE, "%s", cause.text);
	/* short names take precedence over modifiers: some events have one named "any" */
	if (!op_unit_mask_named(mask, text, &copies)) {
		if (read_modifier(text, parts, &found, error))
			return -1;
		if (found)
			return 0;
	}
	parts->entries++;
	return read_name(mask, text, parts, error);
}

static int use_default(const struct op_unit_mask *mask, struct parts *parts, struct op_error *error)
{
	char names[256];

	if (!mask->has_default) {
		list_names(mask, names, sizeof(names));
		return op_error_set(error, EINVAL, "the event needs a unit mask: %s", names);
	}
	parts->value = mask->default_value;
	parts->extra = mask->default_extra;
	return 0;
}

int op_unit_mask_resolve(const struct op_unit_mask *mask, const char *text, uint32_t *value,
			 uint32_t *extra, struct op_error *error)
{
	struct parts parts = {0};
	struct op_strings part = {0};
	int result = 0;

	if (*text && op_strings_split(&part, text, '+'))
		result = op_error_memory(error);
	for (size_t i = 0; !result && i < part.count; i++)
		result = read_part(mask, part.item[i], &parts, error);
	op_strings_free(&part);
	if (result)
		return -1;
	if (!parts.entries) {
		if (use_default(mask, &parts, error))
			return -1;
	} else if (parts.entries > 1 && mask->type != OP_UNIT_MASK_BITMASK) {
		return op_error_set(error, EINVAL,
				    "the unit masks of the event exclude each other");
	} else if (parts.numbers || parts.entries > 1) {
		if (op_unit_mask_number(mask, parts.value, &parts.extra, error))
			return -1;
	}
	if ((parts.extra | parts.given) & OP_EXTRA_MSR)
		return op_error_set(error, ENOTSUP,
				    "it needs a register besides the counter's, which oprofilefs "
				    "does not have");
	*value = parts.value;
	*extra = parts.extra | parts.given;
	return 0;
}

bool op_unit_mask_takes(const struct op_unit_mask *mask, uint32_t value)
{
	uint32_t extra;

	return has_value(mask, value) || !op_unit_mask_number(mask, value, &extra, NULL);
}

bool op_unit_mask_joins(const struct op_unit_mask *mask, uint32_t value)
{
	return value && covered(mask, value) == value;
}

const char *op_unit_mask_meaning(const struct op_unit_mask *mask, uint32_t value)
{
	size_t copies;
	const struct op_unit_mask_entry *entry = only_entry(mask, value, &copies);

	return entry ? entry->description : NULL;
}

static int parse_modifier(const char *text, uint32_t *extra, struct op_error *error)
{
	uint64_t cmask;

	if (!strncmp(text, "cmask=", 6)) {
		const char *digits = text + 6;

		/* hexadecimal, with or without 0x */
		if (!strncmp(digits, "0x", 2) || !strncmp(digits, "0X", 2))
			digits += 2;
		if (!op_number_all(digits, 16, OP_EXTRA_CMASK_MAX, &cmask))
			return op_error_set(error, EINVAL,
					    "\"%s\": cmask is a hexadecimal number up to ff", text);
		*extra |= (uint32_t)cmask << OP_EXTRA_CMASK_SHIFT;
		return 0;
	}
	for (size_t i = 0; i < OP_ARRAY_SIZE(modifiers); i++) {
		if (!strcmp(text, modifiers[i].name)) {
			*extra |= modifiers[i].bit;
			return 0;
		}
	}
	return op_error_set(error, EINVAL, "unknown modifier \"%s\" in extra:", text);
}

int op_extra_parse(const char *text, uint32_t *extra, struct op_error *error)
{
	struct op_strings part = {0};
	int result = 0;

	*extra = OP_EXTRA_NAMED;
	if (!*text || !strcmp(text, "none"))
		return 0;
	if (op_strings_split(&part, text, ','))
		result = op_error_memory(error);
	for (size_t i = 0; !result && i < part.count; i++)
		result = parse_modifier(part.item[i], extra, error);
	op_strings_free(&part);
	return result;
}

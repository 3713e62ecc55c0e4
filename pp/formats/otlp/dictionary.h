/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What samples of OpenTelemetry's profiles refer to: tables in which each item stands once.  An
 * item is its message, encoded; two with the same bytes are one, and that of no bytes is number 0.
 */
#ifndef PP_FORMATS_OTLP_DICTIONARY_H
#define PP_FORMATS_OTLP_DICTIONARY_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/buffer.h"
#include "libop/base/hash.h"
#include "libop/tables/pair_table.h"
#include "pp/formats/model/format.h"
#include "proto.h"

struct otlp_items {
	struct op_buffer bytes; /* one after the other */
	size_t *ends;		/* in bytes */
	size_t n, capacity;
	struct op_hash by_content;
};

struct otlp_dictionary {
	const struct prof *prof;  /* after prof_layout() */
	struct prof_names *names; /* or NULL */
	struct otlp_items tables[OTLP_TABLES_END];
	struct op_pair_table locations; /* numbers + 1 by image and offset */
};

void otlp_dictionary_begin(struct otlp_dictionary *dictionary, const struct prof *prof,
			   struct prof_names *names);
void otlp_dictionary_free(struct otlp_dictionary *dictionary);

/* Numbers of items, which are added if they are new. */
uint32_t otlp_string(struct otlp_dictionary *dictionary, const char *text);
uint32_t otlp_attribute(struct otlp_dictionary *dictionary, const char *key, const char *text);
/* Of @n texts. */
uint32_t otlp_attribute_list(struct otlp_dictionary *dictionary, const char *key,
			     char *const *texts, size_t n);
/* @unit: NULL, or of the number. */
uint32_t otlp_attribute_number(struct otlp_dictionary *dictionary, const char *key, int64_t value,
			       const char *unit);
uint32_t otlp_stack(struct otlp_dictionary *dictionary, const struct prof_sample *sample);
/* Of BOUNDED_LEFT_OUT of an image. */
uint32_t otlp_stack_left_out(struct otlp_dictionary *dictionary, uint32_t image);

/* What the message will have, about. */
uint64_t otlp_dictionary_bytes(const struct otlp_dictionary *dictionary);

/* Puts a list of numbers into a field, packed. */
void otlp_put_numbers(struct op_buffer *out, unsigned int field, const uint32_t *numbers, size_t n);

/* Puts the message ProfilesDictionary. */
void otlp_dictionary_put(const struct otlp_dictionary *dictionary, struct op_buffer *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile as bytes, from the process that has read it to the one that writes it (read_apart.h).
 * Both are the same program: the bytes have no version, and are nowhere kept.
 */
#ifndef PP_FORMATS_MODEL_PARCEL_H
#define PP_FORMATS_MODEL_PARCEL_H

#include "libop/base/buffer.h"
#include "libop/base/reader.h"
#include "profile.h"

/* Texts; NULL is one of its own. */
void parcel_put_text(struct op_buffer *out, const char *text);
const char *parcel_text(struct op_reader *in);

/* Puts in all of a finished profile but the times of single samples. */
void parcel_put(struct op_buffer *out, const struct prof *prof);

/**
 * parcel_take - push what is in a parcel into a sink
 *
 * Nothing in it is believed: each number is compared with what came before.
 *
 * Return: 0, or -1 with @error set; EBADMSG if it is damaged.
 */
int parcel_take(struct op_reader *in, struct prof_sink *sink, struct op_error *error);

#endif

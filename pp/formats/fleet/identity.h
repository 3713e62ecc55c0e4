/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of events, images, frames and stacks that are the same on each machine: SipHash-2-4 of
 * their columns, as RowBinary has them, with the keys below.  They are part of the format: a change
 * of them or of the columns makes all that was stored before something else.
 */
#ifndef PP_FORMATS_FLEET_IDENTITY_H
#define PP_FORMATS_FLEET_IDENTITY_H

#include <string.h>

#include "libop/base/buffer.h"
#include "libop/base/hash.h"
#include "pp/formats/store/tables.h"

static inline uint64_t fleet_identity(const struct op_buffer *columns)
{
	static const struct op_siphash_key key = {{UINT64_C(0x6f7072666c656574), 1}};

	return op_siphash(&key, columns->bytes, columns->used);
}

/* 128 bits: a fleet has as many stacks as may meet in 64. */
static inline void fleet_stack_identity(const uint64_t *frames, size_t n,
					uint8_t identity[FLEET_STACK_BYTES])
{
	static const struct op_siphash_key keys[2] = {{{UINT64_C(0x6f7072666c656574), 2}},
						      {{UINT64_C(0x6f7072666c656574), 3}}};

	for (size_t i = 0; i < 2; i++) {
		uint64_t half = op_siphash(&keys[i], frames, n * sizeof(*frames));

		for (size_t byte = 0; byte < 8; byte++)
			identity[8 * i + byte] = (uint8_t)(half >> 8 * byte);
	}
}

#endif

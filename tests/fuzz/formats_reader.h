/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What any reader of a profile format must do with any bytes: say why it can't go on, or leave a
 * profile that can be gone through and written.
 */
#ifndef TESTS_FUZZ_FORMATS_READER_H
#define TESTS_FUZZ_FORMATS_READER_H

#include <stddef.h>
#include <stdint.h>

#include "pp/formats/model/format.h"

/**
 * fuzz_read - read @data, write what was read as each of @writers (up to a NULL) and read it again
 *
 * A writer whose format holds what the reader's does must lose no sample.
 */
void fuzz_read(const struct format *reader, const struct format *const *writers,
	       const uint8_t *data, size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file is that is no profile: for the message that refuses it. */
#ifndef PP_FORMATS_MODEL_UNKNOWN_H
#define PP_FORMATS_MODEL_UNKNOWN_H

#include <stddef.h>
#include <stdint.h>

/* "an ELF file: a program, library or object"; never NULL. */
const char *unknown_content(const uint8_t *bytes, size_t n);

#endif

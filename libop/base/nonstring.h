/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef LIBOP_BASE_NONSTRING_H
#define LIBOP_BASE_NONSTRING_H

/* For an array of char without a NUL at its end, such as a magic; clang knows it since 21. */
#if __has_attribute(nonstring)
#define OP_NONSTRING __attribute__((nonstring))
#else
#define OP_NONSTRING
#endif

#endif

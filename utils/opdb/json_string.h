/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings of JSON. */
#ifndef UTILS_OPDB_JSON_STRING_H
#define UTILS_OPDB_JSON_STRING_H

/* Prints @text in quotes; a byte that is not UTF-8 becomes U+FFFD. */
void print_json_string(const char *text);

#endif

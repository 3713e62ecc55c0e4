/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An XML writer: pieces of tags as they are, attributes and texts escaped.
 *
 *	op_xml_put(&xml, "<count");
 *	op_xml_text(&xml, "class", "a<b");
 *	op_xml_put(&xml, ">");
 *	op_xml_count(&xml, 7);
 *	op_xml_end(&xml, "</count>");		<count class="a&lt;b">7</count>
 *
 * Names are any bytes: what is not UTF-8, or a character that XML 1.0 does not have, becomes
 * U+FFFD; DEL and C1 become references.  Errors are those of @out: see ferror(3).
 */
#ifndef LIBOP_TEXT_XML_H
#define LIBOP_TEXT_XML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct op_xml {
	FILE *out;
};

/* Adds a piece of a tag as it is: "<count", ">". */
void op_xml_put(struct op_xml *xml, const char *text);
/* The same, and the end of the line. */
void op_xml_end(struct op_xml *xml, const char *text);

/* Adds an attribute. */
void op_xml_text(struct op_xml *xml, const char *name, const char *text);
void op_xml_number(struct op_xml *xml, const char *name, uint64_t value);
/* The value is pairs of hexadecimal digits (hexBinary). */
void op_xml_hex(struct op_xml *xml, const char *name, uint64_t value);
/* name="true", or nothing. */
void op_xml_flag(struct op_xml *xml, const char *name, bool value);

/* Adds a number, or @n bytes in hexadecimal, as the text of an element. */
void op_xml_count(struct op_xml *xml, uint64_t value);
void op_xml_bytes(struct op_xml *xml, const unsigned char *bytes, size_t n);

#endif

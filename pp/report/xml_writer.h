/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tags of XML, one a line.
 */
#ifndef PP_XML_H
#define PP_XML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "libop/text/cells.h"

struct pp_xml {
	struct pp_line line;
	FILE *out;
};

/* Adds a piece of a tag as it is: "<count", ">". */
void pp_xml_put(struct pp_xml *xml, const char *text);
/* Adds an attribute; texts are escaped. */
void pp_xml_text(struct pp_xml *xml, const char *name, const char *text);
void pp_xml_number(struct pp_xml *xml, const char *name, uint64_t value);
void pp_xml_hex(struct pp_xml *xml, const char *name, uint64_t value);
/* name="true", or nothing. */
void pp_xml_flag(struct pp_xml *xml, const char *name, bool value);
/* Adds the end of the line, after @text. */
void pp_xml_end(struct pp_xml *xml, const char *text);

#endif

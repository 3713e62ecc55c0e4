// SPDX-License-Identifier: GPL-2.0-or-later
/* Tags. */
#include "pp/report/xml_writer.h"

#include "pp/report/markup.h"

void pp_xml_put(struct pp_xml *xml, const char *text)
{
	pp_line_puts(&xml->line, text);
}

static void begin(struct pp_xml *xml, const char *name, const char *quote)
{
	pp_xml_put(xml, " ");
	pp_xml_put(xml, name);
	pp_xml_put(xml, quote);
}

void pp_xml_text(struct pp_xml *xml, const char *name, const char *text)
{
	begin(xml, name, "=\"");
	pp_markup_xml(&xml->line, text);
	pp_xml_put(xml, "\"");
}

void pp_xml_number(struct pp_xml *xml, const char *name, uint64_t value)
{
	begin(xml, name, "=\"");
	pp_line_count(&xml->line, value, 0);
	pp_xml_put(xml, "\"");
}

void pp_xml_hex(struct pp_xml *xml, const char *name, uint64_t value)
{
	begin(xml, name, "=\"0x");
	pp_line_hex(&xml->line, value, 1);
	pp_xml_put(xml, "\"");
}

void pp_xml_flag(struct pp_xml *xml, const char *name, bool value)
{
	if (value)
		pp_xml_text(xml, name, "true");
}

void pp_xml_end(struct pp_xml *xml, const char *text)
{
	pp_xml_put(xml, text);
	pp_line_end(&xml->line, xml->out);
}

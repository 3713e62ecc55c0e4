// SPDX-License-Identifier: GPL-2.0-or-later
/* The code of symbols in XML: bytestable > bytes, for symbols whose file can be read. */
#include <stdlib.h>
#include <unistd.h>

#include "pp/symbols/image_reader.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/foreign/door.h"
#include "xml.h"

/* Bytes per read. */
#define PIECE 4096

static int xml_bytes_compare_rows(const void *a, const void *b)
{
	const struct pp_row *left = *(const struct pp_row *const *)a;
	const struct pp_row *right = *(const struct pp_row *const *)b;

	if (left->image->order != right->image->order)
		return left->image->order < right->image->order ? -1 : 1;
	return op_compare_u64(left->number, right->number);
}

/* The symbol of @row, or NULL for the row of samples without a symbol. */
static const struct pp_symbol *find_symbol(const struct pp_symbols *symbols,
					   const struct pp_row *row)
{
	size_t i = symbols->n;
	uint64_t key;

	if (!row->is_inlined && pp_symbols_key(symbols, row->place.vma, &key))
		i = pp_symbols_find(symbols, key);
	return i < symbols->n && symbols->items[i].vma == row->place.vma ? &symbols->items[i]
									 : NULL;
}

/* Up to the end of the file. */
static void put_bytes(struct pp_report_xml *report, int fd, const struct pp_row *row,
		      uint64_t offset, uint64_t size)
{
	struct op_xml *xml = &report->xml;
	unsigned char bytes[PIECE];
	bool open = false;
	ssize_t n;

	while (size && (n = pread(fd, bytes, size < PIECE ? size : PIECE, (off_t)offset)) > 0) {
		if (!open) {
			op_xml_put(xml, "<bytes");
			op_xml_number(xml, "id", row->number);
			op_xml_put(xml, ">");
		}
		open = true;
		op_xml_bytes(xml, bytes, (size_t)n);
		offset += (uint64_t)n;
		size -= (uint64_t)n;
	}
	if (open)
		op_xml_end(xml, "</bytes>");
}

/* @rows are the @n of one image. */
static void report_xml_put_image(struct pp_report_xml *report, struct pp_image_reader *reader,
				 const struct pp_row **rows, size_t n)
{
	struct pp_image_content content;
	int fd = -1;

	pp_image_reader_read(reader, rows[0]->image->id, &content);
	if (content.path)
		fd = foreign_open(content.path, FOREIGN_OBJECT, FOREIGN_FOLLOW);
	for (size_t i = 0; fd >= 0 && i < n; i++) {
		const struct pp_symbol *symbol = find_symbol(&content.symbols, rows[i]);
		const struct pp_code *code =
			symbol ? pp_symbols_code(&content.symbols, symbol->start) : NULL;

		if (code)
			put_bytes(report, fd, rows[i], code->offset + (symbol->start - code->start),
				  (symbol->end < code->end ? symbol->end : code->end) -
					  symbol->start);
	}
	if (fd >= 0)
		close(fd);
	pp_image_content_free(&content);
}

void pp_report_xml_bytes(struct pp_report_xml *report)
{
	const struct pp_listing *listing = &report->listing;
	const struct pp_sample_list *list = report->facts->list;
	struct pp_image_reader reader = {
		.search = report->facts->search,
		.samples_dirs = list->samples_dirs,
		.n_dirs = list->n_dirs,
		.want_code = true,
	};
	const struct pp_row **rows = op_alloc(listing->n, sizeof(*rows));

	for (size_t i = 0; i < listing->n; i++)
		rows[i] = listing->rows[i];
	if (listing->n)
		qsort(rows, listing->n, sizeof(*rows), xml_bytes_compare_rows);
	op_xml_end(&report->xml, "<bytestable>");
	for (size_t i = 0, end; i < listing->n; i = end) {
		for (end = i + 1;
		     end < listing->n && rows[end]->image->order == rows[i]->image->order;)
			end++;
		report_xml_put_image(report, &reader, rows + i, end - i);
	}
	op_xml_end(&report->xml, "</bytestable>");
	pp_image_reader_free(&reader);
	free(rows);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Debug information that a process apart reads (libop/foreign/apart.h): first which unit an address
 * is in, then the tables of the units that are asked for, each as cache.c packs them.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tables.h"
#include "libop/base/memory.h"
#include "libop/foreign/apart.h"
#include "libop/foreign/door.h"
#include "libop/foreign/kept.h"

/* Bytes of the tables of a file, or of one of its units. */
#define ANSWER_MOST (1 << 30)

/* A link that relocation does not change. */
#define NO_LINK UINT64_MAX

enum kind { UNITS, LINES, INLINES };

/* struct question - what is asked; then the path, the path of the debug file, each with its NUL,
 * and for a relocatable file where in it code is */
struct question {
	uint64_t number; /* of the file, while this process lives */
	uint64_t what;	 /* the index of the unit */
	uint32_t kind;
	uint32_t path_size, debug_size, n_code;
	bool has_symbols, is_relocatable;
};

/* struct answer - what is said of a file; then why something is missing with its NUL, or nothing;
 * the links of its code, and its units */
struct answer {
	uint64_t refused;
	uint32_t n_links, missing_size;
};

/* ---- in the process apart ---- */

/* Files that stay open. */
#define OPEN_MOST 8

struct opened {
	uint64_t number, last_use;
	struct pp_debug_info *info;
	struct pp_symbols symbols;
};

static struct opened all_opened[OPEN_MOST];
static uint64_t uses;

static void forget(struct opened *opened)
{
	pp_debug_info_close(opened->info);
	pp_symbols_free(&opened->symbols);
	*opened = (struct opened){0};
}

static void take_symbols(struct pp_symbols *symbols, const struct question *question,
			 struct op_reader *reader)
{
	const char *debug_path = op_reader_text(reader, question->debug_size);
	uint64_t offset;

	symbols->is_relocatable = question->is_relocatable;
	symbols->debug_path = *debug_path ? op_copy(debug_path) : NULL;
	symbols->code = op_alloc(question->n_code, sizeof(*symbols->code));
	symbols->n_code = question->n_code;
	for (size_t i = 0; i < symbols->n_code; i++)
		if (op_reader_copy(reader, &offset, sizeof(offset)))
			symbols->code[i] = (struct pp_code){.offset = offset, .link = NO_LINK};
}

static struct opened *open_here(int fd, const struct question *question, struct op_reader *reader)
{
	const char *path = op_reader_text(reader, question->path_size);
	struct opened *oldest = all_opened;

	for (size_t i = 0; i < OPEN_MOST; i++) {
		struct opened *opened = &all_opened[i];

		if (opened->last_use < oldest->last_use)
			oldest = opened;
		if (!opened->info || opened->number != question->number)
			continue;
		opened->last_use = ++uses;
		return opened;
	}
	if (oldest->info)
		forget(oldest);
	take_symbols(&oldest->symbols, question, reader);
	foreign_lend(path, fd);
	oldest->info =
		pp_debug_info_read(path, question->has_symbols ? &oldest->symbols : NULL, false);
	foreign_lend(NULL, -1);
	oldest->number = question->number;
	oldest->last_use = ++uses;
	return oldest;
}

static void put_packed(struct pp_debug_info *info, struct op_buffer *out)
{
	size_t length = 0;
	void *bytes = pp_debug_cache_pack(info, &length);

	if (bytes)
		op_buffer_put(out, bytes, length);
	free(bytes);
}

static void put_units(struct opened *opened, struct op_buffer *out)
{
	struct pp_debug_info *info = opened->info;
	const struct answer answer = {
		.refused = info->refused,
		.n_links = (uint32_t)opened->symbols.n_code,
		.missing_size = info->missing ? (uint32_t)strlen(info->missing) + 1 : 0};

	op_buffer_put(out, &answer, sizeof(answer));
	op_buffer_put(out, info->missing, answer.missing_size);
	for (size_t i = 0; i < opened->symbols.n_code; i++)
		op_buffer_u64(out, opened->symbols.code[i].link);
	put_packed(info, out);
}

/* The table of one unit, without the others. */
static void put_table(struct pp_debug_info *info, struct pp_debug_unit *unit, bool is_lines,
		      struct op_buffer *out)
{
	struct pp_debug_unit only = {.die = unit->die};
	struct pp_debug_info one = {.fd = -1, .units = &only, .n_units = 1};

	if (is_lines) {
		pp_line_table_read(&only.lines, &only.die, &info->code);
		only.lines_read = true;
	} else {
		Dwarf_Die scope = pp_debug_scope(info, unit);

		pp_inline_table_read(&only.inlines, &scope, &info->code, &one.names);
		only.inlines_read = true;
	}
	put_packed(&one, out);
	pp_line_table_free(&only.lines);
	pp_inline_table_free(&only.inlines);
	op_names_free(&one.names);
}

static void work(int fd, struct op_reader *reader, struct op_buffer *out)
{
	struct question question;
	struct opened *opened;
	struct pp_debug_info *info;

	if (!op_reader_copy(reader, &question, sizeof(question)))
		return;
	opened = open_here(fd, &question, reader);
	info = opened->info;
	if (question.kind == UNITS)
		put_units(opened, out);
	else if (question.what < info->n_units && info->dwarf)
		put_table(info, &info->units[question.what], question.kind == LINES, out);
}

/* ---- in this one ---- */

struct pp_debug_apart {
	char *path;
	int fd;
	uint64_t account;
	struct foreign_kept kept; /* the tables */
	bool has_failed;
	struct op_warnings *warnings;
	struct op_buffer question;
};

void pp_debug_apart_close(struct pp_debug_apart *apart)
{
	if (!apart)
		return;
	foreign_kept_free(&apart->kept);
	op_buffer_free(&apart->question);
	free(apart->path);
	close(apart->fd);
	free(apart);
}

/* The file has no more lines then: one warning is enough. */
static void debug_apart_fail(struct pp_debug_apart *apart, const char *reason)
{
	if (apart->warnings && !apart->has_failed)
		op_warnings_add(apart->warnings, OP_NO_LINES, "%s: lines may be missing: %s",
				apart->path, reason);
	apart->has_failed = true;
}

/* Tables take about as much as the answer, which is kept as well. */
static size_t answer_most(const struct pp_debug_apart *apart)
{
	uint64_t half = foreign_kept_left(apart->account) / 2;

	return half < ANSWER_MOST ? (size_t)half : ANSWER_MOST;
}

/* Return: an answer that the caller frees, or NULL. */
static void *debug_apart_ask(struct pp_debug_apart *apart, enum kind kind, uint64_t what,
			     size_t *length)
{
	struct apart_question question = {.work = work,
					  .fd = apart->fd,
					  .path = apart->path,
					  .bytes = apart->question.bytes,
					  .length = apart->question.used,
					  .seconds = APART_SECONDS_OF_REPORT,
					  .answer_most = answer_most(apart)};
	struct op_error error;
	struct question head;
	void *answer;

	if (apart->has_failed)
		return NULL;
	memcpy(&head, apart->question.bytes, sizeof(head));
	head.kind = kind;
	head.what = what;
	memcpy(apart->question.bytes, &head, sizeof(head));
	answer = apart_ask(&question, length, &error);
	if (!answer) {
		debug_apart_fail(apart, error.text);
	} else if (!foreign_kept_add(&apart->kept, apart->account, 2 * *length)) {
		debug_apart_fail(apart, "files of its owner take too much memory");
		free(answer);
		answer = NULL;
	}
	return answer;
}

static void make_question(struct pp_debug_apart *apart, const struct pp_symbols *symbols)
{
	static uint64_t numbers;
	bool is_relocatable = symbols && symbols->is_relocatable;
	const char *debug_path = is_relocatable && symbols->debug_path ? symbols->debug_path : "";
	const struct question head = {
		.number = ++numbers,
		.path_size = (uint32_t)strlen(apart->path) + 1,
		.debug_size = (uint32_t)strlen(debug_path) + 1,
		.n_code = symbols ? (uint32_t)symbols->n_code : 0,
		.has_symbols = symbols,
		.is_relocatable = is_relocatable,
	};

	op_buffer_put(&apart->question, &head, sizeof(head));
	op_buffer_put(&apart->question, apart->path, head.path_size);
	op_buffer_put(&apart->question, debug_path, head.debug_size);
	for (uint32_t i = 0; i < head.n_code; i++)
		op_buffer_u64(&apart->question, symbols->code[i].offset);
	op_buffer_check(&apart->question);
}

static bool take_links(struct op_reader *reader, const struct answer *answer,
		       struct pp_symbols *symbols)
{
	if (answer->n_links != (symbols ? symbols->n_code : 0))
		return false;
	for (size_t i = 0; i < answer->n_links; i++) {
		uint64_t link = op_reader_u64(reader);

		if (link != NO_LINK)
			symbols->code[i].link = link;
	}
	return !reader->failed;
}

static bool take_units(struct pp_debug_info *info, struct op_reader *reader,
		       struct pp_symbols *symbols)
{
	struct answer answer;
	size_t length;
	void *bytes;

	if (!op_reader_copy(reader, &answer, sizeof(answer)))
		return false;
	if (answer.missing_size)
		info->missing = op_copy(op_reader_text(reader, answer.missing_size));
	if (reader->failed || !take_links(reader, &answer, symbols))
		return false;
	info->refused = answer.refused;
	length = op_reader_left(reader);
	bytes = memcpy(op_chunk(length + 1), op_reader_take(reader, length), length);
	return pp_debug_cache_unpack(info, bytes, length);
}

struct pp_debug_info *pp_debug_apart_open(const char *path, int fd, struct pp_symbols *symbols,
					  struct op_warnings *warnings)
{
	struct pp_debug_info *info = op_alloc(1, sizeof(*info));
	struct pp_debug_apart *apart = op_alloc(1, sizeof(*apart));
	struct op_reader reader;
	size_t length = 0;
	void *answer;

	*apart = (struct pp_debug_apart){.path = op_copy(path),
					  .fd = fd,
					  .account = apart_account(fd),
					  .warnings = warnings};
	make_question(apart, symbols);
	info->fd = -1;
	info->path = op_copy(path);
	info->apart = apart;
	answer = debug_apart_ask(apart, UNITS, 0, &length);
	reader = op_reader_of(answer, length, false);
	if (answer && !take_units(info, &reader, symbols))
		debug_apart_fail(apart, "reading it gave no units");
	free(answer);
	return info;
}

static bool read_table(struct pp_debug_info *info, struct pp_debug_unit *unit, enum kind kind)
{
	size_t length = 0;
	void *bytes = info->apart ? debug_apart_ask(info->apart, kind,
						    (uint64_t)(unit - info->units), &length)
				  : NULL;

	if (!bytes)
		return false;
	if (!pp_debug_cache_unpack_unit(info, unit, kind == LINES, bytes, length)) {
		debug_apart_fail(info->apart, "reading it gave no tables");
		return false;
	}
	return kind == LINES ? unit->lines_cached : unit->inlines_cached;
}

bool pp_debug_apart_lines(struct pp_debug_info *info, struct pp_debug_unit *unit)
{
	return read_table(info, unit, LINES);
}

bool pp_debug_apart_inlines(struct pp_debug_info *info, struct pp_debug_unit *unit)
{
	return read_table(info, unit, INLINES);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions with names: see disassembly.h. */
#include "disassembly.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instructions.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/foreign/apart.h"
#include "libop/foreign/door.h"

/* Bytes that are disassembled at once: at first where only some instructions are wanted, twice as
 * many each time that what follows is wanted, too, and at most. */
#define STEP_FIRST 64
#define STEP_MOST  65536

struct pp_disassembly {
	const struct pp_symbols *symbols;
	char *path, *options;
	int fd;
	void *answer;		 /* instructions */
	struct op_reader reader; /* of those that are left */
	uint64_t key, end;	 /* of these */
	uint64_t step;
	struct op_buffer text;
	char *failure; /* why there are no more */
};

/* ---- perhaps in a process apart ---- */

/* struct question - what comes before the options */
struct question {
	struct pp_instructions what;
	uint32_t options_size; /* 0: there are none */
};

static void disassembly_work(int fd, struct op_reader *reader, struct op_buffer *answer)
{
	struct question question;

	if (!op_reader_copy(reader, &question, sizeof(question)) || question.what.size > STEP_MOST)
		return;
	question.what.options =
		question.options_size ? op_reader_text(reader, question.options_size) : NULL;
	pp_instructions_put(fd, &question.what, answer);
}

/* ---- in this one ---- */

int pp_disassembly_open(struct pp_disassembly **out, const char *path,
			const struct pp_symbols *symbols, const char *options,
			struct op_error *error)
{
	int fd = foreign_open(path, FOREIGN_OBJECT, FOREIGN_FOLLOW);
	struct pp_disassembly *disassembly;

	if (fd < 0)
		return op_error_set(error, errno, "%s: %s", path, foreign_reason(errno));
	if (!pp_instructions_are_known(&symbols->machine)) {
		close(fd);
		if (!symbols->machine.known)
			return op_error_set(error, EINVAL, "%s: not an object file", path);
		return op_error_set(error, ENOTSUP, "%s: its instructions can't be disassembled",
				    path);
	}
	*out = disassembly = op_alloc(1, sizeof(*disassembly));
	disassembly->symbols = symbols;
	disassembly->path = op_copy(path);
	disassembly->options = options ? op_copy(options) : NULL;
	disassembly->fd = fd;
	return 0;
}

void pp_disassembly_close(struct pp_disassembly *disassembly)
{
	if (!disassembly)
		return;
	close(disassembly->fd);
	op_buffer_free(&disassembly->text);
	free(disassembly->answer);
	free(disassembly->failure);
	free(disassembly->options);
	free(disassembly->path);
	free(disassembly);
}

const char *pp_disassembly_failure(const struct pp_disassembly *disassembly)
{
	return disassembly ? disassembly->failure : NULL;
}

static void disassembly_fail(struct pp_disassembly *disassembly, const char *reason)
{
	if (!disassembly->failure)
		disassembly->failure = op_copy(reason);
	disassembly->reader = (struct op_reader){0};
}

static void disassembly_ask(struct pp_disassembly *disassembly, const struct pp_instructions *what)
{
	const char *options = disassembly->options;
	const struct question head = {*what, options ? (uint32_t)strlen(options) + 1 : 0};
	struct apart_question question = {.work = disassembly_work,
					  .fd = disassembly->fd,
					  .path = disassembly->path,
					  .seconds = APART_SECONDS_OF_REPORT,
					  .answer_most = STEP_MOST * (PP_INSTRUCTION_TEXT + 2)};
	struct op_buffer bytes = {0};
	struct op_error error;
	size_t length = 0;

	op_buffer_put(&bytes, &head, sizeof(head));
	op_buffer_put(&bytes, options, head.options_size);
	op_buffer_check(&bytes);
	question.bytes = bytes.bytes;
	question.length = bytes.used;
	free(disassembly->answer);
	disassembly->answer = apart_or_here(&question, &length, &error);
	disassembly->reader = op_reader_of(disassembly->answer, length, false);
	if (!disassembly->answer)
		disassembly_fail(disassembly, error.text);
	op_buffer_free(&bytes);
}

/* Reads instructions from @key on. */
static void read_on(struct pp_disassembly *disassembly, const struct pp_code *code, uint64_t key,
		    uint64_t end, bool want_all)
{
	bool is_next = disassembly->key == key && disassembly->end == end;
	uint64_t step = is_next ? 2 * disassembly->step : STEP_FIRST;
	struct pp_instructions what = {.machine = disassembly->symbols->machine,
				       .offset = code->offset + (key - code->start),
				       .vma = code->vma + (key - code->start)};

	disassembly->step = want_all || step > STEP_MOST ? STEP_MOST : step;
	disassembly->key = key;
	disassembly->end = end;
	what.is_end = end - key <= disassembly->step;
	what.size = what.is_end ? end - key : disassembly->step;
	disassembly_ask(disassembly, &what);
}

/* Puts an address as symbols name it. */
static void put_address(struct pp_disassembly *disassembly, uint64_t vma)
{
	const struct pp_symbols *symbols = disassembly->symbols;
	char number[2 * PP_ADDRESS_DIGITS];
	uint64_t key, distance;
	size_t i;

	op_buffer_put(&disassembly->text, number,
		      (size_t)snprintf(number, sizeof(number), "%" PRIx64, vma));
	if (!pp_symbols_key(symbols, vma, &key))
		return;
	i = pp_symbols_find(symbols, key);
	if (i == symbols->n)
		return;
	op_buffer_put(&disassembly->text, " <", 2);
	op_buffer_put(&disassembly->text, symbols->items[i].name, strlen(symbols->items[i].name));
	distance = vma - symbols->items[i].vma + symbols->items[i].skipped;
	if (distance)
		op_buffer_put(&disassembly->text, number,
			      (size_t)snprintf(number, sizeof(number), "+0x%" PRIx64, distance));
	op_buffer_put(&disassembly->text, ">", 1);
}

/* Takes the address at @at, behind its mark.  Return: whether it is one. */
static bool take_address(struct pp_disassembly *disassembly, const char *at, size_t left)
{
	char digits[PP_ADDRESS_DIGITS + 1] = "";
	uint64_t vma;

	if (left < PP_ADDRESS_DIGITS)
		return false;
	memcpy(digits, at, PP_ADDRESS_DIGITS);
	if (!op_number_all(digits, 16, UINT64_MAX, &vma))
		return false;
	put_address(disassembly, vma);
	return true;
}

static const char *expand(struct pp_disassembly *disassembly, const char *text, size_t length)
{
	disassembly->text.used = 0;
	for (size_t at = 0; at < length; at++) {
		if (text[at] == PP_ADDRESS_MARK &&
		    take_address(disassembly, text + at + 1, length - at - 1))
			at += PP_ADDRESS_DIGITS;
		else
			op_buffer_u8(&disassembly->text, (uint8_t)text[at]);
	}
	op_buffer_u8(&disassembly->text, '\0');
	op_buffer_check(&disassembly->text);
	return (const char *)disassembly->text.bytes;
}

/* Return: the length of the next instruction, or 0. */
static size_t disassembly_take(struct pp_disassembly *disassembly, const char **text)
{
	struct op_reader *reader = &disassembly->reader;
	size_t n = op_reader_u8(reader), length = op_reader_u8(reader);
	const char *bytes = op_reader_take(reader, length);

	if (!n || n > disassembly->end - disassembly->key || reader->failed || !bytes) {
		disassembly_fail(disassembly, "reading it gave no instructions");
		return 0;
	}
	*text = expand(disassembly, bytes, length);
	disassembly->key += n;
	return n;
}

size_t pp_disassembly_next(struct pp_disassembly *disassembly, uint64_t key, uint64_t end,
			   const char **text)
{
	const struct pp_code *code = pp_symbols_code(disassembly->symbols, key);
	bool want_all = end != UINT64_MAX;

	if (!code || disassembly->failure)
		return 0;
	if (end > code->end)
		end = code->end;
	if (key >= end)
		return 0;
	if (key != disassembly->key || end != disassembly->end ||
	    !op_reader_left(&disassembly->reader))
		read_on(disassembly, code, key, end, want_all);
	return op_reader_left(&disassembly->reader) ? disassembly_take(disassembly, text) : 0;
}

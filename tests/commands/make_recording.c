// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes recordings for oprofiled --replay, or words of its event buffer, from text.
 *
 *	make_recording <DESCRIPTION >RECORDING
 *	make_recording WORD... >BUFFER
 *
 * A line of a description is one of these; \n stands for a newline in TEXT:
 *
 *	facts TEXT			lines "key value"; the first line
 *	image COOKIE FLAGS MTIME PATH	a file of device 8:1 and inode COOKIE; MTIME 0: not present
 *	maps TGID PROCESS TEXT		/proc/TGID/maps; without TEXT it cannot be read
 *	gone TGID			there is no such process
 *	modules TEXT, kallsyms TEXT, stats TEXT
 *	chunk TYPE TEXT			any other chunk
 *	words WORD...			a buffer
 *
 * A word is a number or one of: cpu N, context TID TGID COOKIE, cookie COOKIE, kernel, user,
 * module, trace, escape, anon, invalid (cookies), stext (an address).
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "daemon/sources/recording.h"

#define ESCAPE OPROFILE_ESCAPE_CODE

/* An operand of a word: what was given is put here. */
#define OPERAND(n) (UINT64_MAX - 100 - (n))

static const struct word {
	const char *name;
	unsigned int operands, count;
	uint64_t values[8];
} words[] = {
	{"cpu", 1, 3, {ESCAPE, OPROFILE_CPU_SWITCH, OPERAND(0)}},
	{"context",
	 3,
	 7,
	 {ESCAPE, OPROFILE_CTX_SWITCH, OPERAND(0), OPERAND(2), ESCAPE, OPROFILE_CTX_TGID,
	  OPERAND(1)}},
	{"cookie", 1, 3, {ESCAPE, OPROFILE_COOKIE_SWITCH, OPERAND(0)}},
	{"kernel", 0, 2, {ESCAPE, OPROFILE_KERNEL_ENTER}},
	{"user", 0, 2, {ESCAPE, OPROFILE_USER_ENTER}},
	{"module", 0, 2, {ESCAPE, OPROFILE_MODULE_LOADED}},
	{"trace", 0, 2, {ESCAPE, OPROFILE_TRACE_BEGIN}},
	{"escape", 0, 1, {ESCAPE}},
	{"anon", 0, 1, {OPROFILE_NO_COOKIE}},
	{"invalid", 0, 1, {OPROFILE_INVALID_COOKIE}},
	{"stext", 0, 1, {0xffffffff81000000}},
};

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "make_recording: error: %s\n", what);
	exit(1);
}

static const struct word *find_word(const char *name)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(words); i++) {
		if (!strcmp(words[i].name, name))
			return &words[i];
	}
	return NULL;
}

/* A number, or a word that is one. */
static uint64_t number(const char *text)
{
	const struct word *word = text ? find_word(text) : NULL;
	char *end = NULL;
	uint64_t value;

	if (word && word->count == 1)
		return word->values[0];
	value = text ? strtoull(text, &end, 0) : 0;
	check(text && end != text && !*end, text ? text : "a word lacks its operand");
	return value;
}

/* Writes what the words stand for.  Return: bytes. */
static size_t put_words(char **texts, FILE *out)
{
	size_t written = 0;

	while (*texts) {
		const struct word *word = find_word(*texts);
		uint64_t operands[3], value;

		if (!word) {
			value = number(*texts++);
			written += fwrite(&value, 1, sizeof(value), out);
			continue;
		}
		texts++;
		for (unsigned int i = 0; i < word->operands; i++)
			operands[i] = number(*texts++);
		for (unsigned int i = 0; i < word->count; i++) {
			value = word->values[i];
			if (value <= OPERAND(0) && value >= OPERAND(2))
				value = operands[OPERAND(0) - value];
			written += fwrite(&value, 1, sizeof(value), out);
		}
	}
	return written;
}

static void put_chunk(uint32_t type, const void *head, size_t head_length, const void *body,
		      size_t length)
{
	static const char zeros[8];
	const struct record_chunk chunk = {.type = type, .length = head_length + length};

	fwrite(&chunk, sizeof(chunk), 1, stdout);
	fwrite(head, 1, head_length, stdout);
	fwrite(body, 1, length, stdout);
	fwrite(zeros, 1, -chunk.length & 7, stdout);
}

/* The rest of a line, with newlines for "\n". */
static char *unescape(char *text)
{
	for (char *at = text; (at = strstr(at, "\\n"));) {
		*at++ = '\n';
		memmove(at, at + 1, strlen(at));
	}
	return text;
}

static void put_image(char *rest)
{
	struct record_image image = {.device = 0x801};

	image.cookie = image.inode = number(strsep(&rest, " "));
	image.flags = (uint32_t)number(strsep(&rest, " "));
	image.mtime = number(strsep(&rest, " "));
	image.answer = image.mtime ? RECORD_IMAGE_PRESENT : 0;
	put_chunk(RECORD_IMAGE, &image, sizeof(image), rest ? rest : "", rest ? strlen(rest) : 0);
}

static void put_maps(char *rest, bool gone)
{
	struct record_maps maps = {.tgid = (uint32_t)number(strsep(&rest, " "))};

	maps.process = gone ? 0 : number(strsep(&rest, " "));
	maps.answer = rest ? 0 : RECORD_MAPS_NONE;
	put_chunk(RECORD_MAPS, &maps, sizeof(maps), rest ? unescape(rest) : "",
		  rest ? strlen(rest) : 0);
}

static void put_buffer(char *rest)
{
	char *texts[4096] = {NULL}, *bytes = NULL;
	size_t count = 0, length;
	FILE *out = open_memstream(&bytes, &length);

	while (rest && count < 4095) {
		texts[count] = strsep(&rest, " ");
		count += *texts[count] != '\0';
	}
	texts[count] = NULL;
	check(out && !rest, "too many words");
	put_words(texts, out);
	fclose(out);
	put_chunk(RECORD_BUFFER, "", 0, bytes, length);
	free(bytes);
}

static void put_text(uint32_t type, char *rest)
{
	unescape(rest);
	put_chunk(type, "", 0, rest, strlen(rest));
}

static void put_line(char *rest)
{
	const char *kind = strsep(&rest, " ");
	const char *type;

	if (!strcmp(kind, "words")) {
		put_buffer(rest);
		return;
	}
	check(rest != NULL, kind);
	if (!strcmp(kind, "facts"))
		put_text(RECORD_FACTS, rest);
	else if (!strcmp(kind, "modules"))
		put_text(RECORD_MODULES, rest);
	else if (!strcmp(kind, "kallsyms"))
		put_text(RECORD_KALLSYMS, rest);
	else if (!strcmp(kind, "stats"))
		put_text(RECORD_STATS, rest);
	else if (!strcmp(kind, "image"))
		put_image(rest);
	else if (!strcmp(kind, "maps") || !strcmp(kind, "gone"))
		put_maps(rest, *kind == 'g');
	else if (!strcmp(kind, "chunk") && (type = strsep(&rest, " ")) && rest && strlen(type) == 4)
		put_text(RECORD_TYPE(type[0], type[1], type[2], type[3]), rest);
	else
		check(false, kind);
}

int main(int argc, char **argv)
{
	static const struct record_head head = {
		.magic = RECORD_MAGIC,
		.version = RECORD_VERSION,
		.byte_order = RECORD_BYTE_ORDER,
	};
	static char line[1 << 16];

	if (argc > 1) {
		put_words(argv + 1, stdout);
	} else {
		fwrite(&head, sizeof(head), 1, stdout);
		while (fgets(line, sizeof(line), stdin)) {
			line[strcspn(line, "\n")] = '\0';
			if (*line && *line != '#')
				put_line(line);
		}
	}
	check(!fflush(stdout) && !ferror(stdout), "cannot write to stdout");
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading the header of DCPI's profiles. */
#include "header.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libop/base/memory.h"
#include "libop/base/number.h"

enum keyword {
	KEY_VERSION,
	KEY_IMAGE,
	KEY_EPOCH,
	KEY_PLATFORM,
	KEY_EVENT,
	KEY_PERIOD,
	KEY_TSTART,
	KEY_TSIZE,
	KEY_CPUSPEED,
	KEY_CPUCOUNT,
	KEY_PATH,
	KEY_STRIDE,
	KEY_OFFSET,
	KEYWORDS
};

/* Without these, counts have no meaning. */
#define NEEDED                                                                                     \
	(1u << KEY_VERSION | 1u << KEY_EVENT | 1u << KEY_PERIOD | 1u << KEY_TSTART |               \
	 1u << KEY_TSIZE)

static const char *const words[KEYWORDS] = {
	"version", "image",    "epoch",	   "platform", "event",	 "period", "tstart",
	"tsize",   "cpuspeed", "cpucount", "path",     "stride", "offset",
};

#define MAGIC "pdb-"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Reads all of @text.  Return: false if it is no number of that base. */
static bool read_number(const char *text, unsigned int base, uint64_t *number)
{
	if (base == 16 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	return op_number_all(text, base, UINT64_MAX, number);
}

static bool read_version(const char *text, struct dcpi_header *header)
{
	if (strncmp(text, MAGIC, strlen(MAGIC)) != 0)
		return false;
	text += strlen(MAGIC);
	return op_number_take(&text, 10, UINT64_MAX, &header->major) && *text == '.' &&
	       read_number(text + 1, 10, &header->minor);
}

/* The number of @digits digits at *@text, which is moved behind them. */
static int cut_number(const char **text, unsigned int digits)
{
	int number = 0;

	while (digits--)
		number = number * 10 + *(*text)++ - '0';
	return number;
}

bool dcpi_epoch_parse(const char *text, uint64_t *seconds)
{
	size_t length = strspn(text, "0123456789");
	struct tm tm = {0};
	int64_t time;

	if (text[length] || (length != 10 && length != 12 && length != 14))
		return false;
	if (length == 10) {
		tm.tm_year = cut_number(&text, 2);
		tm.tm_year += tm.tm_year < 70 ? 100 : 0;
	} else {
		tm.tm_year = cut_number(&text, 4) - 1900;
	}
	tm.tm_mon = cut_number(&text, 2) - 1;
	tm.tm_mday = cut_number(&text, 2);
	tm.tm_hour = cut_number(&text, 2);
	tm.tm_min = cut_number(&text, 2);
	if (length == 14)
		tm.tm_sec = cut_number(&text, 2);
	if (tm.tm_mon < 0 || tm.tm_mon > 11 || tm.tm_mday < 1 || tm.tm_mday > 31 ||
	    tm.tm_hour > 23 || tm.tm_min > 59 || tm.tm_sec > 60)
		return false;
	time = timegm(&tm);
	*seconds = time > 0 ? (uint64_t)time : 0;
	return true;
}

/* Keeps a text, which may not be two.  Return: false if there is another one. */
static bool keep_text(char **kept, const char *text)
{
	if (*kept)
		return !strcmp(*kept, text);
	*kept = op_copy(text);
	return true;
}

static bool keep_number(struct dcpi_header *header, enum keyword word, uint64_t *kept,
			uint64_t number)
{
	if (header->seen & 1u << word)
		return *kept == number;
	*kept = number;
	return true;
}

static bool is_text(enum keyword word)
{
	return word == KEY_IMAGE || word == KEY_PLATFORM || word == KEY_EVENT || word == KEY_PATH;
}

static bool take_text(struct dcpi_header *header, enum keyword word, const char *text)
{
	switch (word) {
	case KEY_IMAGE:
		return keep_text(&header->image, text);
	case KEY_PLATFORM:
		return keep_text(&header->platform, text);
	case KEY_EVENT:
		return keep_text(&header->event, text);
	default:
		if (!header->path) /* there may be several */
			header->path = op_copy(text);
		return true;
	}
}

static uint64_t *number_of(struct dcpi_header *header, enum keyword word)
{
	switch (word) {
	case KEY_PERIOD:
		return &header->period;
	case KEY_TSTART:
		return &header->tstart;
	case KEY_TSIZE:
		return &header->tsize;
	case KEY_CPUSPEED:
		return &header->cpuspeed;
	case KEY_CPUCOUNT:
		return &header->cpucount;
	case KEY_STRIDE:
		return &header->stride;
	case KEY_OFFSET:
		return &header->offset;
	default:
		return &header->epoch;
	}
}

static int take_value(struct dcpi_header *header, enum keyword word, const char *text,
		      struct op_error *error)
{
	struct dcpi_header version = {0};
	int base = word == KEY_TSTART || word == KEY_OFFSET ? 16 : 10;
	uint64_t number = 0;
	bool valid, same;

	if (word == KEY_VERSION) {
		valid = read_version(text, &version);
		same = keep_number(header, word, &header->major, version.major) &&
		       keep_number(header, word, &header->minor, version.minor);
	} else if (is_text(word)) {
		valid = word != KEY_IMAGE ||
			strspn(text, "0123456789abcdefABCDEFxX") == strlen(text);
		same = take_text(header, word, text);
	} else {
		valid = word == KEY_EPOCH ? dcpi_epoch_parse(text, &number)
					  : read_number(text, base, &number);
		same = keep_number(header, word, number_of(header, word), number);
	}
	header->seen |= 1u << word;
	if (!valid || (word == KEY_STRIDE && (!number || number > 16)))
		return op_error_set(error, EINVAL, "%s: \"%.100s\" is invalid", words[word], text);
	if (!same)
		return op_error_set(error, EINVAL, "%s is given twice with different values",
				    words[word]);
	return 0;
}

static int dcpi_header_take_line(struct dcpi_header *header, const char *line,
				 struct op_error *error)
{
	size_t length = strcspn(line, " \t");
	const char *rest = line + length;
	enum keyword word = 0;
	char *value;
	int result;

	while (is_blank(*rest))
		rest++;
	if (!length || !*rest || strchr(line, '\r'))
		return op_error_set(error, EINVAL,
				    "no \"WORD VALUE\" in line %zu of a DCPI profile's header",
				    header->lines.count + 1);
	while (word < KEYWORDS &&
	       (strlen(words[word]) != length || memcmp(words[word], line, length) != 0))
		word++;
	if (word == KEYWORDS)
		return 0;
	value = op_copy(rest);
	for (length = strlen(value); length && is_blank(value[length - 1]); length--)
		value[length - 1] = '\0';
	result = take_value(header, word, value, error);
	free(value);
	return result;
}

static bool is_terminator(const char *line)
{
	if (strncmp(line, "samples", 7) != 0)
		return false;
	for (line += 7; is_blank(*line); line++)
		;
	return !*line;
}

int dcpi_header_add(struct dcpi_header *header, const char *line, size_t length, bool *is_last,
		    struct op_error *error)
{
	*is_last = false;
	if (strlen(line) != length)
		return op_error_set(error, EINVAL,
				    "a DCPI profile's header has a byte 0 in line %zu",
				    header->lines.count + 1);
	header->size += length + 1;
	if (header->size > DCPI_HEADER_MOST)
		return op_error_set(error, EFBIG,
				    "a DCPI profile's header is longer than %zu bytes",
				    DCPI_HEADER_MOST);
	if (is_terminator(line)) {
		*is_last = true;
		return 0;
	}
	if (dcpi_header_take_line(header, line, error))
		return -1;
	if (op_strings_add(&header->lines, line))
		op_out_of_memory();
	return 0;
}

int dcpi_header_check(const struct dcpi_header *header, struct op_error *error)
{
	uint32_t missing = NEEDED & ~header->seen;

	if (header->seen & 1u << KEY_VERSION && header->major >= DCPI_MAJOR_END)
		return op_error_set(error, ENOTSUP,
				    "this DCPI profile has version %llu.%02llu, whose format of "
				    "samples is not published; 0.06 and 0.07 can be read",
				    (unsigned long long)header->major,
				    (unsigned long long)header->minor);
	if (!missing)
		return 0;
	return op_error_set(error, EINVAL, "a DCPI profile's header has no line \"%s\"",
			    words[__builtin_ctz(missing)]);
}

char *dcpi_header_image(const struct dcpi_header *header)
{
	if (header->path)
		return op_copy(header->path);
	return op_format("[image %s]", header->image ? header->image : "without a name");
}

void dcpi_header_free(struct dcpi_header *header)
{
	op_strings_free(&header->lines);
	free(header->image);
	free(header->event);
	free(header->platform);
	free(header->path);
	*header = (struct dcpi_header){0};
}

bool dcpi_header_recognise(const char *bytes, size_t n)
{
	const char *end = bytes + n;

	while (bytes < end) {
		const char *line_end = memchr(bytes, '\n', (size_t)(end - bytes));
		size_t length = (size_t)((line_end ? line_end : end) - bytes);
		const char *magic;

		for (size_t i = 0; i < length; i++)
			if (!isprint((unsigned char)bytes[i]) && bytes[i] != '\t' && bytes[i] >= 0)
				return false;
		if (length > 8 && !memcmp(bytes, "version", 7) && is_blank(bytes[7])) {
			magic = memmem(bytes, length, MAGIC, strlen(MAGIC));
			return magic != NULL;
		}
		if (length >= 7 && !memcmp(bytes, "samples", 7))
			return false;
		bytes += length + 1;
	}
	return false;
}

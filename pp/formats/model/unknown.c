// SPDX-License-Identifier: GPL-2.0-or-later
/* Magic numbers of what people give to opimport and is no profile: see unknown.h. */
#include "unknown.h"

#include <string.h>

#define AT(offset, magic, text)                                                                    \
	{                                                                                          \
		offset, sizeof(magic) - 1, magic, text                                             \
	}

static const struct {
	size_t offset, length;
	const char *magic, *text;
} known[] = {
	AT(0,
	   "\x7f"
	   "ELF",
	   "an ELF file: a program, library, object or core"),
	AT(0, "gmon", "gmon.out of gprof: opgprof writes it, gprof reads it"),
	AT(0, "\x17\x08\x44tracing", "trace.dat of trace-cmd"),
	AT(0, "JiTD", "jitdump: opreport reads it as /tmp/jit-PID.dump"),
	AT(0, "DTiJ", "jitdump: opreport reads it as /tmp/jit-PID.dump"),
	AT(0, "FLR\0", "a recording of Java Flight Recorder"),
	AT(0, "JAVA PROFILE ", "a heap dump of Java (hprof)"),
	AT(0, "desc: ", "massif's output: ms_print reads it"),
	AT(0, "PK\3\4", "a ZIP archive: unpack it first"),
	AT(257, "ustar", "a tar archive: unpack it first"),
	AT(0, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive: unpack it first"),
	AT(0, "\4\x22\x4d\x18", "packed by lz4: unpack it first"),
	AT(0, "\x5d\0\0", "packed by lzma: unpack it first"),
	AT(0, "SQLite format 3", "an SQLite database, such as Nsight or perfetto make"),
	AT(0, "\x89PNG", "a picture"),
	AT(0, "%PDF", "a PDF document"),
	AT(0, "\xff\xfe", "text in UTF-16: convert it to UTF-8 first"),
	AT(0, "\xfe\xff", "text in UTF-16: convert it to UTF-8 first"),
	AT(0, "<?xml", "XML: a report or a picture, not a profile"),
	AT(0, "<svg", "a picture: a flame graph lacks what it was made of"),
	AT(0, "<!DOCTYPE", "a web page"),
	AT(0, "<html", "a web page"),
	AT(0, "# To display the perf.data header",
	   "what perf report prints: import perf.data, or "
	   "what perf script prints"),
	AT(0, "Flat profile:", "what gprof prints"),
};

static int is_text(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i] < ' ' && !strchr("\t\n\r\f\33\b", bytes[i]))
			return 0;
	return 1;
}

const char *unknown_content(const uint8_t *bytes, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (n >= known[i].offset + known[i].length &&
		    !memcmp(bytes + known[i].offset, known[i].magic, known[i].length))
			return known[i].text;
	if (!is_text(bytes, n))
		return "binary data";
	while (at < n && strchr(" \t\r\n", bytes[at]))
		at++;
	if (at < n && (bytes[at] == '{' || bytes[at] == '['))
		return "JSON, of no profiler that is known";
	return "text";
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording.h"

#include <string.h>

FILE *recording_begin(const char *path)
{
	static const struct record_head head = {
		.magic = RECORD_MAGIC,
		.version = RECORD_VERSION,
		.byte_order = RECORD_BYTE_ORDER,
	};
	static const char facts[] = "pointer_size 8\ncpu_type timer\ncpu_mhz 2000.000\n";
	static const char kallsyms[] = "ffffffff81000000 T _stext\nffffffff82000000 T _etext\n";
	FILE *out = fopen(path, "wb");

	if (!out)
		return NULL;
	fwrite(&head, sizeof(head), 1, out);
	recording_chunk(out, RECORD_FACTS, facts, strlen(facts));
	recording_chunk(out, RECORD_KALLSYMS, kallsyms, strlen(kallsyms));
	return out;
}

void recording_chunk(FILE *out, uint32_t type, const void *bytes, size_t length)
{
	static const char zeros[8];
	struct record_chunk chunk = {.type = type, .length = length};

	fwrite(&chunk, sizeof(chunk), 1, out);
	fwrite(bytes, 1, length, out);
	fwrite(zeros, 1, -length & 7, out);
}

void recording_image(FILE *out, uint64_t cookie, const char *path, uint64_t mtime)
{
	char bytes[sizeof(struct record_image) + OPROFILE_PATH_MAX];
	struct record_image image = {
		.cookie = cookie,
		.inode = cookie,
		.mtime = mtime,
		.answer = RECORD_IMAGE_PRESENT,
	};

	memcpy(bytes, &image, sizeof(image));
	memcpy(bytes + sizeof(image), path, strlen(path));
	recording_chunk(out, RECORD_IMAGE, bytes, sizeof(image) + strlen(path));
}

void recording_buffer(FILE *out, const uint64_t *words, size_t count)
{
	recording_chunk(out, RECORD_BUFFER, words, count * sizeof(*words));
}

int recording_end(FILE *out)
{
	int failed = ferror(out);

	return fclose(out) || failed ? -1 : 0;
}

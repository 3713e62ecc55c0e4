// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What operations are done to and with: slots, paths, texts.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "operation.h"

const char *const roots[ROOTS] = { "/tmp/fuzz/main", "/tmp/fuzz/a", "/tmp/fuzz/b" };

void slot_set(struct slot *slot, int fd, enum kind kind, bool blocking)
{
	slot_close(slot);
	*slot = (struct slot){ .fd = fd, .kind = kind, .blocking = blocking };
}

void slot_close(struct slot *slot)
{
	if (slot->fd >= 0)
		close(slot->fd);
	slot->fd = -1;
	slot->kind = KIND_ABSENT;
	slot->blocking = false;
}

/* Mostly an open one: the drawn one, or the next that is. */
struct slot *draw_slot(struct worker *worker)
{
	unsigned int at = stream_below(&worker->stream, SLOTS);
	bool any = stream_chance(&worker->stream, 5);

	for (int tries = 0; !any && tries < SLOTS && worker->slots[at].fd < 0; tries++)
		at = (at + 1) % SLOTS;
	describe(worker, " slot %u", at);
	return &worker->slots[at];
}

/* Mostly one that is not open. */
struct slot *draw_free_slot(struct worker *worker)
{
	unsigned int at = stream_below(&worker->stream, SLOTS);
	bool any = stream_chance(&worker->stream, 20);

	for (int tries = 0; !any && tries < SLOTS && worker->slots[at].fd >= 0; tries++)
		at = (at + 1) % SLOTS;
	describe(worker, " slot %u", at);
	return &worker->slots[at];
}

const struct entry *draw_path(struct worker *worker, char *path, size_t size)
{
	unsigned int which = stream_below(&worker->stream, 20);
	const struct entry *entry = tree_draw(&worker->stream);

	snprintf(path, size, "%s/%s", roots[which < 18 ? 0 : which - 17], entry->path);
	describe(worker, " %s", path);
	return entry;
}

/* The zeros are so that there is something behind the end. */
static const struct {
	const char *text;
	size_t length;
} texts[] = {
#define TEXT(text) { text, sizeof(text) - 1 }
	TEXT("0"), TEXT("1"), TEXT("1\n"), TEXT("2"), TEXT(" 7 \n"), TEXT("0x10"), TEXT("017"),
	TEXT("255"), TEXT("256"), TEXT("511"), TEXT("512"), TEXT("513"), TEXT("1000"),
	TEXT("1023"), TEXT("1024"), TEXT("1025"), TEXT("4096"), TEXT("8192"), TEXT("20000"),
	TEXT("20001"), TEXT("32768"), TEXT("131072"), TEXT("4194304"), TEXT("4194305"),
	TEXT("100000000"), TEXT("134217728"), TEXT("134217729"), TEXT("4294967295"),
	TEXT("4294967296"), TEXT("9223372036854775807"), TEXT("9223372036854775808"),
	TEXT("18446744073709551615"), TEXT("18446744073709551616"), TEXT("-1"), TEXT("+1"),
	TEXT(""), TEXT(" "), TEXT("\n"), TEXT("\0"), TEXT("1\0"), TEXT("1\0001"), TEXT("0x"),
	TEXT("1 2"), TEXT("1e3"), TEXT("one"), TEXT("%s%n"), TEXT("\xff\xff\xff\xff"),
	TEXT("0000000000000000000000000000000000000000000000001"),
	TEXT("00000000000000000000000000000000000000000000000001"),
	TEXT("000000000000000000000000000000000000000000000000000000000000000000000000000001"),
#undef TEXT
};

const char *draw_text(struct worker *worker, size_t *length)
{
	unsigned int which =
		stream_below(&worker->stream, sizeof(texts) / sizeof(texts[0]));

	*length = texts[which].length;
	describe(worker, " text \"%s\" of %zu", texts[which].text, *length);
	return texts[which].text;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "attribution.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/session/paths.h"
#include "libop/base/memory.h"
#include "pp/symbols/symbols.h"

#define UNKNOWN "[unknown]"

void attribution_add(struct attribution *attribution, int64_t pid, const char *image,
		     const char *symbol, uint64_t count)
{
	struct attributed *item;

	for (size_t i = attribution->n; i; i--) {
		item = &attribution->list[i - 1];
		if (item->pid == pid && !strcmp(item->image, image) &&
		    !strcmp(item->symbol, symbol)) {
			item->count += count;
			return;
		}
	}
	attribution->list = pp_grow(attribution->list, &attribution->capacity, attribution->n + 1,
				    sizeof(*attribution->list));
	attribution->list[attribution->n++] =
		(struct attributed){pid, pp_copy(image), pp_copy(symbol), count};
}

void attribution_free(struct attribution *attribution)
{
	for (size_t i = 0; i < attribution->n; i++) {
		free(attribution->list[i].image);
		free(attribution->list[i].symbol);
	}
	free(attribution->list);
	*attribution = (struct attribution){0};
}

static int by_name(const void *a, const void *b)
{
	const struct attributed *x = a, *y = b;
	int order = (x->pid > y->pid) - (x->pid < y->pid);

	if (!order)
		order = strcmp(x->image, y->image);
	return order ? order : strcmp(x->symbol, y->symbol);
}

static void print(const char *who, const struct attributed *item, uint64_t other)
{
	printf("%s: pid %" PRId64 " %s %s: %" PRIu64 ", the other has %" PRIu64 "\n", who,
	       item->pid, item->image, item->symbol, item->count, other);
}

size_t attribution_compare(struct attribution *ours, struct attribution *theirs)
{
	size_t i = 0, j = 0, differences = 0;
	int order;

	if (ours->samples != theirs->samples) {
		printf("%" PRIu64 " samples, perf has %" PRIu64 "\n", ours->samples,
		       theirs->samples);
		differences++;
	}
	qsort(ours->list, ours->n, sizeof(*ours->list), by_name);
	qsort(theirs->list, theirs->n, sizeof(*theirs->list), by_name);
	while (i < ours->n || j < theirs->n) {
		if (i == ours->n)
			order = 1;
		else if (j == theirs->n)
			order = -1;
		else
			order = by_name(&ours->list[i], &theirs->list[j]);
		if (order < 0) {
			print("only ours", &ours->list[i++], 0);
			differences++;
		} else if (order > 0) {
			print("only perf's", &theirs->list[j++], 0);
			differences++;
		} else {
			if (ours->list[i].count != theirs->list[j].count) {
				print("ours", &ours->list[i], theirs->list[j].count);
				differences++;
			}
			i++;
			j++;
		}
	}
	return differences;
}

/* ---- symbols ---- */

struct symbolizer {
	const struct prof *prof;
	struct pp_symbols *symbols; /* by image */
	bool *was_read;
	struct pp_kallsyms kallsyms;
	bool has_kallsyms;
};

/* Saves the running kernel's symbols as a session does, and reads them. */
static void read_kallsyms(struct symbolizer *symbolizer)
{
	char dir[] = "/tmp/symbolizer.XXXXXX", path[64], block[65536];
	FILE *in = fopen("/proc/kallsyms", "r"), *out;
	size_t n;

	if (!in || !mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/" OP_SAMPLES_KALLSYMS, dir);
	out = fopen(path, "w");
	while ((n = fread(block, 1, sizeof(block), in)))
		fwrite(block, 1, n, out);
	fclose(in);
	fclose(out);
	symbolizer->has_kallsyms = !pp_kallsyms_read(&symbolizer->kallsyms, dir, NULL);
	unlink(path);
	rmdir(dir);
}

/* Reads the symbols of the vdso, which all processes of one kernel share. */
static void read_vdso(struct pp_symbols *symbols)
{
	char path[] = "/tmp/symbolizer.XXXXXX", line[512];
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	int fd = mkstemp(path);

	if (!maps || fd < 0)
		abort();
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "[vdso]") && sscanf(line, "%lx-%lx", &start, &end) == 2 &&
		    write(fd, (void *)start, end - start) < 0)
			abort();
	fclose(maps);
	close(fd);
	pp_symbols_read_file(symbols, path, "", false, NULL);
	unlink(path);
}

struct symbolizer *symbolizer_new(const struct prof *prof)
{
	struct symbolizer *symbolizer = pp_alloc(1, sizeof(*symbolizer));

	symbolizer->prof = prof;
	symbolizer->symbols = pp_alloc(prof->n_images, sizeof(*symbolizer->symbols));
	symbolizer->was_read = pp_alloc(prof->n_images, sizeof(*symbolizer->was_read));
	read_kallsyms(symbolizer);
	return symbolizer;
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	for (size_t i = 0; i < symbolizer->prof->n_images; i++)
		pp_symbols_free(&symbolizer->symbols[i]);
	pp_kallsyms_free(&symbolizer->kallsyms);
	free(symbolizer->symbols);
	free(symbolizer->was_read);
	free(symbolizer);
}

static struct pp_symbols *symbols_of(struct symbolizer *symbolizer, uint32_t image)
{
	const struct prof_image *described = &symbolizer->prof->images[image];
	struct pp_symbols *symbols = &symbolizer->symbols[image];

	if (symbolizer->was_read[image])
		return symbols;
	symbolizer->was_read[image] = true;
	if (described->kind == PROF_FILE)
		pp_symbols_read_file(symbols, described->path, "", false, NULL);
	else if (described->kind == PROF_VDSO)
		read_vdso(symbols);
	else if (described->kind == PROF_KERNEL && symbolizer->has_kallsyms)
		pp_symbols_read_kernel(symbols, &symbolizer->kallsyms, OP_KERNEL_IMAGE, NULL);
	return symbols;
}

const char *symbolizer_find(struct symbolizer *symbolizer, uint32_t image, uint64_t offset,
			    uint64_t *distance)
{
	struct pp_symbols *symbols = symbols_of(symbolizer, image);
	size_t found = pp_symbols_find(symbols, offset);
	const struct pp_symbol *symbol;

	if (found == symbols->n)
		return NULL;
	symbol = &symbols->items[found];
	*distance = offset - symbol->start;
	/* a name that only says that there is none */
	return strncmp(symbol->name, "anonymous symbol", 16) ? symbol->name : NULL;
}

bool symbolizer_offset(struct symbolizer *symbolizer, uint32_t image, uint64_t address,
		       uint64_t *offset)
{
	return pp_symbols_key(symbols_of(symbolizer, image), address, offset);
}

/* ---- ours ---- */

static const char *image_name(const struct prof_image *image)
{
	return image->kind == PROF_UNKNOWN ? UNKNOWN : image->path;
}

void attribution_of(struct attribution *attribution, const struct prof *prof,
		    struct symbolizer *symbolizer, bool leaves_only)
{
	struct prof_cursor cursor = {0};
	struct prof_sample sample;
	const char *symbol;
	uint64_t distance, count;

	while (prof_next(prof, &cursor, &sample)) {
		count = 0;
		for (size_t i = 0; i < sample.n_values; i++)
			count += sample.values[i].count;
		attribution->samples += count;
		for (size_t i = 0; i < (leaves_only ? 1 : sample.depth); i++) {
			const struct prof_frame *frame = &sample.frames[i];

			symbol =
				symbolizer_find(symbolizer, frame->image, frame->offset, &distance);
			attribution_add(attribution, sample.pid,
					image_name(&prof->images[frame->image]),
					symbol ? symbol : UNKNOWN, count);
		}
	}
	prof_cursor_free(&cursor);
}

/* ---- perf's ---- */

struct line {
	uint64_t address;
	char symbol[512], image[512];
	uint64_t distance;
};

/* "55d4c0de1179 cmp+0x4 (/tmp/busy)" */
static bool parse(struct line *line, char *text)
{
	char *end, *open, *close, *plus;

	line->address = strtoull(text, &end, 16);
	if (end == text || *end != ' ')
		return false;
	open = strrchr(end, '(');
	close = strrchr(end, ')');
	if (!open || !close || open - end < 2)
		return false;
	*close = 0;
	open[-1] = 0;
	snprintf(line->image, sizeof(line->image), "%s", open + 1);
	plus = strrchr(end + 1, '+');
	line->distance = 0;
	if (plus) {
		*plus = 0;
		line->distance = strtoull(plus + 1, NULL, 16);
	}
	snprintf(line->symbol, sizeof(line->symbol), "%s", end + 1);
	return true;
}

/* Our name for a function that perf calls by another one. */
static const char *our_name(const struct line *line, const struct prof *prof,
			    struct symbolizer *symbolizer)
{
	uint64_t offset, distance;
	const char *name;

	for (uint32_t i = 0; i < prof->n_images; i++) {
		const struct prof_image *image = &prof->images[i];

		if (strcmp(image->path, line->image))
			continue;
		/* In chains, addresses are those of the symbol table. */
		if (image->kind == PROF_KERNEL)
			offset = line->address - (image->start - image->offset);
		else if (line->address >= image->start && line->address < image->end)
			offset = line->address - image->start + image->offset;
		else if (!symbolizer_offset(symbolizer, i, line->address, &offset))
			continue;
		name = symbolizer_find(symbolizer, i, offset, &distance);
		if (name && distance == line->distance)
			return name;
	}
	return line->symbol;
}

void attribution_of_script(struct attribution *attribution, FILE *script, const struct prof *prof,
			   struct symbolizer *symbolizer, bool leaves_only)
{
	char text[4096], *at;
	bool is_first = true;
	struct line line;
	long pid = -1;

	while (fgets(text, sizeof(text), script)) {
		text[strcspn(text, "\n")] = 0;
		at = text;
		/* A sample begins with its process; its frames are on that line or on the next. */
		if (*text && *text != '\t') {
			pid = strtol(text, &at, 10);
			attribution->samples++;
			is_first = true;
		}
		at += strspn(at, " \t");
		if (!*at || !parse(&line, at))
			continue;
		if (is_first || !leaves_only)
			attribution_add(attribution, pid, line.image,
					our_name(&line, prof, symbolizer), 1);
		is_first = false;
	}
}

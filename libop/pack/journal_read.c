// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The journal of a session, read: see journal.h.
 *
 * Nothing that it says is believed before it is checked.  After a loss of power some of its pages
 * may be missing: records count up to the first that is none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/number.h"
#include "journal.h"
#include "journal_layout.h"
#include "layout.h"
#include "pack.h"

/* A sample file of the journal. */
struct file {
	const struct journal_name *name;
	size_t first, n; /* its counts */
};

struct content {
	uint8_t *bytes;
	size_t length;
	struct file *files;
	size_t n_files;
	const struct journal_count **counts;
	size_t n_counts;
};

bool op_journal_is(int fd)
{
	char magic[sizeof(JOURNAL_MAGIC) - 1];

	return pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	       !memcmp(magic, JOURNAL_MAGIC, sizeof(magic));
}

static size_t read_some(int fd, uint8_t *bytes, size_t length)
{
	size_t got = 0;

	while (got < length) {
		ssize_t n = pread(fd, bytes + got, length - got, (off_t)got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		got += (size_t)n;
	}
	return got;
}

/* Sets bytes and length. */
static int journal_read_load(int fd, const char *path, struct content *content,
			     struct op_error *error)
{
	struct journal_header header;

	if (read_some(fd, (uint8_t *)&header, sizeof(header)) != sizeof(header) ||
	    memcmp(header.magic, JOURNAL_MAGIC, sizeof(header.magic)) != 0 ||
	    header.header_length != sizeof(header) || header.used < sizeof(header) ||
	    header.used > OP_JOURNAL_MOST)
		return op_error_set(error, EINVAL, "%s: byte 0: not a journal", path);
	if (header.version != JOURNAL_VERSION)
		return op_error_set(error, ENOTSUP, "%s: byte 8: version %u is not known", path,
				    header.version);
	content->bytes = malloc(header.used);
	if (!content->bytes)
		return op_error_memory(error);
	content->length = read_some(fd, content->bytes, header.used);
	return 0;
}

static size_t length_of(const struct journal_name *name)
{
	return sizeof(*name) + ((size_t)name->length + 7) / 8 * 8;
}

/* Whether a record of a name is one, of at most @left bytes. */
static bool is_name(const struct journal_name *name, size_t left)
{
	return left >= sizeof(*name) && name->length && name->length <= PACK_NAME_MOST &&
	       length_of(name) <= left && !memchr(name + 1, 0, name->length);
}

/* Finds the records.  Two passes: the first one only counts. */
static void find_records(struct content *content, bool keep)
{
	size_t at = sizeof(struct journal_header);

	content->n_files = content->n_counts = 0;
	while (content->length - at >= sizeof(struct journal_count)) {
		const void *record = content->bytes + at;
		const struct journal_count *count = record;
		size_t left = content->length - at;

		if (count->kind == JOURNAL_NAME && is_name(record, left)) {
			if (keep)
				content->files[content->n_files].name = record;
			content->n_files++;
			at += length_of(record);
		} else if (count->kind == JOURNAL_COUNT && count->file &&
			   count->file <= content->n_files) {
			if (keep)
				content->counts[content->n_counts] = count;
			content->n_counts++;
			at += sizeof(*count);
		} else {
			break;
		}
	}
}

static int by_file(const void *a, const void *b)
{
	const struct journal_count *x = *(struct journal_count *const *)a,
				   *y = *(struct journal_count *const *)b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return op_compare_u64(x->key, y->key);
}

static void copy_name(const struct journal_name *name, char *to)
{
	memcpy(to, name + 1, name->length);
	to[name->length] = '\0';
}

static int by_name(const void *a, const void *b)
{
	char x[PACK_NAME_MOST + 1], y[PACK_NAME_MOST + 1];

	copy_name(((const struct file *)a)->name, x);
	copy_name(((const struct file *)b)->name, y);
	return op_pack_compare_names(x, y);
}

static int sort(struct content *content, struct op_error *error)
{
	find_records(content, false);
	content->files = calloc(content->n_files + 1, sizeof(*content->files));
	content->counts = calloc(content->n_counts + 1, sizeof(*content->counts));
	if (!content->files || !content->counts)
		return op_error_memory(error);
	find_records(content, true);
	qsort(content->counts, content->n_counts, sizeof(*content->counts), by_file);
	for (size_t i = 0; i < content->n_counts; i++) {
		struct file *file = &content->files[content->counts[i]->file - 1];

		if (!file->n++)
			file->first = i;
	}
	qsort(content->files, content->n_files, sizeof(*content->files), by_name);
	return 0;
}

/* ---- packing ---- */

static struct odb_header header_of(const struct journal_name *name)
{
	return (struct odb_header){
		.version = ODB_VERSION,
		.cpu_type = name->cpu_type,
		.ctr_event = name->ctr_event,
		.ctr_um = name->ctr_um,
		.ctr_count = name->ctr_count,
		.is_kernel = name->is_kernel,
		.cg_to_is_kernel = name->cg_to_is_kernel,
		.cpu_speed = name->cpu_speed,
		.mtime = name->mtime,
		.anon_start = name->anon_start,
		.cg_to_anon_start = name->cg_to_anon_start,
	};
}

/* The files from @first on that have one name: after a restart of the files' table, a name may have
 * two numbers. */
static int put_same(const struct content *content, size_t first, size_t end,
		    struct op_pack_writer *writer, struct op_error *error)
{
	struct op_pack_file described = {.kind = OP_PACK_SAMPLES};
	char name[PACK_NAME_MOST + 1];
	struct odb_entry *entries;
	size_t most = 0, n = 0;
	int result;

	for (size_t i = first; i < end; i++)
		most += content->files[i].n;
	entries = malloc((most + 1) * sizeof(*entries));
	if (!entries)
		return op_error_memory(error);
	for (size_t i = first; i < end; i++) {
		const struct file *file = &content->files[i];

		for (size_t k = 0; k < file->n; k++) {
			const struct journal_count *count = content->counts[file->first + k];

			entries[n++] = (struct odb_entry){count->key, count->count};
		}
	}
	if (end - first > 1)
		n = op_pack_sum_entries(entries, n);
	copy_name(content->files[first].name, name);
	described.name = name;
	described.header = header_of(content->files[first].name);
	result = n ? op_pack_add_samples(writer, &described, entries, n, error) : 0;
	free(entries);
	return result;
}

static int put_files(const struct content *content, struct op_pack_writer *writer,
		     struct op_error *error)
{
	int result = 0;

	for (size_t i = 0, end; !result && i < content->n_files; i = end) {
		end = i + 1;
		while (end < content->n_files && !by_name(&content->files[i], &content->files[end]))
			end++;
		result = put_same(content, i, end, writer, error);
	}
	return result;
}

int op_journal_pack(int fd, const char *path, struct op_pack_writer *writer, struct op_error *error)
{
	struct content content = {0};
	int result = journal_read_load(fd, path, &content, error);

	if (!result)
		result = sort(&content, error);
	if (!result)
		result = put_files(&content, writer, error);
	free(content.bytes);
	free(content.files);
	free(content.counts);
	return result;
}

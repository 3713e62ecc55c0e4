// SPDX-License-Identifier: GPL-2.0-or-later
/* The journal of a session, written: see journal.h. */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal_layout.h"
#include "layout.h"
#include "libop/base/file.h"
#include "libop/base/hash.h"
#include "libop/base/page_guard.h"
#include "libop/session/paths.h"

struct op_journal {
	int fd;
	char *path;
	uint8_t *map;		/* of OP_JOURNAL_MOST bytes; those up to @backed have blocks */
	uint64_t used, backed;	/* bytes */
	uint32_t files;		/* names in it */
	struct op_hash by_key;	/* where counts are, in units of 8 bytes */
};

static struct journal_header *header_of(const struct op_journal *journal)
{
	return (struct journal_header *)journal->map;
}

/* A file size limit is an error here, not a signal. */
static int journal_grow(struct op_journal *journal, uint64_t end, struct op_error *error)
{
	uint64_t wanted = (end + OP_JOURNAL_STEP - 1) / OP_JOURNAL_STEP * OP_JOURNAL_STEP;
	int code;

	if (end <= journal->backed)
		return 0;
	code = posix_fallocate(journal->fd, 0, (off_t)wanted);
	if (code)
		return op_error_code(error, code, "cannot write %s", journal->path);
	journal->backed = wanted;
	return 0;
}

/* Return: where @length bytes may be written, or NULL with @error set. */
static void *reserve(struct op_journal *journal, uint64_t length, bool reserve,
		     struct op_error *error)
{
	uint64_t most = OP_JOURNAL_MOST - (reserve ? 0 : OP_JOURNAL_KEPT);

	if (length > most - journal->used) {
		op_error_set(error, EFBIG, "%s: it is full", journal->path);
		return NULL;
	}
	return journal_grow(journal, journal->used + length, error) ? NULL
								    : journal->map + journal->used;
}

/* Makes a record valid. */
static void publish(struct op_journal *journal, uint64_t length)
{
	journal->used += length;
	__atomic_store_n(&header_of(journal)->used, journal->used, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Maps a journal that was created as @fresh, and writes its header. */
static int journal_begin_file(struct op_journal *journal, const char *fresh, struct op_error *error)
{
	void *map;

	unlink(fresh); /* of a daemon that was killed here */
	journal->fd = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			   OP_SESSION_FILE_MODE);
	if (journal->fd < 0)
		return op_error_errno(error, "cannot create %s", journal->path);
	map = mmap(NULL, OP_JOURNAL_MOST, PROT_READ | PROT_WRITE, MAP_SHARED, journal->fd, 0);
	if (map == MAP_FAILED)
		return op_error_errno(error, "cannot map %s", journal->path);
	journal->map = map;
	if (journal_grow(journal, OP_JOURNAL_STEP, error))
		return -1;
	*header_of(journal) = (struct journal_header){
		.version = JOURNAL_VERSION,
		.header_length = sizeof(struct journal_header),
	};
	memcpy(header_of(journal)->magic, JOURNAL_MAGIC, sizeof(header_of(journal)->magic));
	publish(journal, sizeof(struct journal_header));
	return 0;
}

/* Nobody else takes the name meanwhile: the caller has the session's lock. */
static int name_file(const char *fresh, const char *path, struct op_error *error)
{
	if (!access(path, F_OK))
		errno = EEXIST;
	else if (!rename(fresh, path))
		return 0;
	return op_error_errno(error, "cannot create %s", path);
}

int op_journal_create(struct op_journal **out, const char *path, struct op_error *error)
{
	struct op_journal *journal = calloc(1, sizeof(*journal));
	char *fresh = op_path("%s.new", path);
	int result = -1;

	if (journal)
		journal->fd = -1;
	if (journal && fresh)
		journal->path = strdup(path);
	if (!journal || !journal->path)
		op_error_memory(error);
	else if (!journal_begin_file(journal, fresh, error))
		result = name_file(fresh, path, error);
	if (!result)
		*out = journal;
	if (result && journal && journal->fd >= 0)
		unlink(fresh);
	if (result && journal)
		op_journal_close(journal);
	free(fresh);
	return result;
}

uint32_t op_journal_name(struct op_journal *journal, const char *name,
			 const struct odb_header *header, bool use_kept, struct op_error *error)
{
	size_t length = strlen(name), room = (length + 7) / 8 * 8;
	struct journal_name *record;

	if (length > PACK_NAME_MOST) {
		op_error_set(error, ENAMETOOLONG, "%s: a name of %zu bytes", journal->path, length);
		return 0;
	}
	record = reserve(journal, sizeof(*record) + room, use_kept, error);
	if (!record)
		return 0;
	*record = (struct journal_name){
		.kind = JOURNAL_NAME,
		.length = (uint32_t)length,
		.cpu_type = header->cpu_type,
		.ctr_event = header->ctr_event,
		.ctr_um = header->ctr_um,
		.ctr_count = header->ctr_count,
		.is_kernel = header->is_kernel,
		.cg_to_is_kernel = header->cg_to_is_kernel,
		.cpu_speed = header->cpu_speed,
		.mtime = header->mtime,
		.anon_start = header->anon_start,
		.cg_to_anon_start = header->cg_to_anon_start,
	};
	memcpy(record + 1, name, length);
	publish(journal, sizeof(*record) + room);
	return ++journal->files;
}

static struct journal_count *count_at(const struct op_journal *journal, uint32_t place)
{
	return (struct journal_count *)(journal->map + (uint64_t)place * 8);
}

static struct journal_count *journal_find(const struct op_journal *journal, uint32_t file,
					  uint64_t key, uint64_t hash)
{
	uint32_t place;

	op_hash_for_each_possible (&journal->by_key, hash, place) {
		struct journal_count *count = count_at(journal, place);

		if (count->file == file && count->key == key)
			return count;
	}
	return NULL;
}

int op_journal_add(struct op_journal *journal, uint32_t file, uint64_t key, uint64_t n,
		   bool use_kept, bool *fresh, struct op_error *error)
{
	uint64_t hash = op_hash_mix(op_hash_mix(0, file), key);
	struct journal_count *count = journal_find(journal, file, key, hash);

	*fresh = !count;
	if (count) {
		__atomic_store_n(&count->count, count->count + n, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		return 0;
	}
	count = reserve(journal, sizeof(*count), use_kept, error);
	if (!count)
		return -1;
	if (op_hash_add(&journal->by_key, hash, (uint32_t)(journal->used / 8)))
		return op_error_memory(error);
	*count = (struct journal_count){
		.kind = JOURNAL_COUNT, .file = file, .key = key, .count = n};
	publish(journal, sizeof(*count));
	return 0;
}

uint64_t op_journal_used(const struct op_journal *journal)
{
	return journal->used;
}

uint64_t op_journal_backed(const struct op_journal *journal)
{
	return journal->backed;
}

const char *op_journal_path(const struct op_journal *journal)
{
	return journal->path;
}

bool op_journal_is_whole(const struct op_journal *journal)
{
	struct stat status;

	/* A status that cannot be told is no sign of a loss. */
	if (!fstat(journal->fd, &status) &&
	    (!status.st_nlink || (uint64_t)status.st_size < journal->used))
		return false;
	return !page_guard_hit(journal->map, OP_JOURNAL_MOST);
}

void op_journal_close(struct op_journal *journal)
{
	if (!journal)
		return;
	if (journal->map)
		munmap(journal->map, OP_JOURNAL_MOST);
	if (journal->fd >= 0)
		close(journal->fd);
	op_hash_free(&journal->by_key);
	free(journal->path);
	free(journal);
}

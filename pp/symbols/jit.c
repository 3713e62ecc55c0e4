// SPDX-License-Identifier: GPL-2.0-or-later
/* Maps and objects of JIT code. */
#include "jit.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/base/reader.h"
#include "libop/tables/name_index.h"
#include "libop/tables/ranges.h"
#include "libop/base/memory.h"
#include "libop/base/search.h"
#include "libop/session/paths.h"
#include "libop/foreign/apart.h"
#include "libop/foreign/door.h"
#include "libop/foreign/limits.h"
#include "libop/agent/jit_functions.h"

char *pp_jit_map_path(const char *dir, uint32_t tgid)
{
	return op_format("%s/perf-%" PRIu32 ".map", dir, tgid);
}

char *pp_jit_dump_path(const char *dir, uint32_t tgid)
{
	return op_format("%s/jit-%" PRIu32 ".dump", dir, tgid);
}

char *pp_jit_dir(const char *given, const char *archive)
{
	return given ? op_copy(given) : op_format("%s" PP_JIT_DIR, archive ? archive : "");
}

/* ---- trusted files ---- */

static bool is_own_directory(const char *dir)
{
	struct stat status;

	return !stat(dir, &status) && (!status.st_uid || status.st_uid == geteuid()) &&
	       !(status.st_mode & (S_IWGRP | S_IWOTH));
}

/* Times of files are of a coarse clock, and clocks are set. */
#define CLOCK_ERROR_NS UINT64_C(1000000000)

static bool is_written_before(const struct stat *file, uint64_t time)
{
	uint64_t written =
		(uint64_t)file->st_mtim.tv_sec * 1000000000 + (uint64_t)file->st_mtim.tv_nsec;

	return written + CLOCK_ERROR_NS < time;
}

/* Whether another process has the pid now, and the file may be its. */
static bool may_be_of_successor(const struct stat *file, const struct op_process *process)
{
	struct op_process now;

	return !op_process_of(process->tgid, &now) && !op_process_is_same(&now, process) &&
	       !is_written_before(file, now.started);
}

#define GIVE_DIR "; give --jit-dir a directory that only you can write to"

static int doubt_owner(const struct stat *file, const char *path, struct op_error *error)
{
	return op_error_set(error, EPERM,
			    "%s: owned by another user (%u), so it is not trusted" GIVE_DIR, path,
			    (unsigned int)file->st_uid);
}

/* Whether it is the jitdump that the process had mapped, which is its user's, wherever it is. */
static bool is_mapped_dump(const char *path, uint32_t tgid, const struct op_process_list *processes)
{
	struct op_process process;

	return op_process_list_find(processes, tgid, &process) == 1 && process.dump &&
	       !strcmp(process.dump, path);
}

/* Return: 0 if the file is that of the process @tgid of the session, or -1 with @error set. */
static int doubt(const struct stat *file, const char *path, const char *dir, uint32_t tgid,
		 const struct op_process_list *processes, struct op_error *error)
{
	struct op_process process;
	size_t n = op_process_list_find(processes, tgid, &process);
	bool is_safe = is_own_directory(dir);

	if (n == 1 && is_mapped_dump(path, tgid, processes) && file->st_uid != process.owner)
		return doubt_owner(file, path, error);
	if (!n)
		return is_safe || !file->st_uid || file->st_uid == geteuid()
			       ? 0
			       : doubt_owner(file, path, error);
	if (n > 1)
		return op_error_set(error, EINVAL,
				    "%s: %zu processes of the session had this pid, of which one "
				    "at most wrote it",
				    path, n);
	if (is_written_before(file, process.started))
		return op_error_set(error, EINVAL,
				    "%s: written before the process that was sampled began", path);
	if (is_safe)
		return 0;
	if (file->st_uid && file->st_uid != process.owner)
		return doubt_owner(file, path, error);
	if (may_be_of_successor(file, &process))
		return op_error_set(error, EINVAL,
				    "%s: perhaps written by the process that has this pid "
				    "now" GIVE_DIR,
				    path);
	return 0;
}

bool pp_jit_is_believed(const char *path, const char *dir, uint32_t tgid,
			const struct op_process_list *processes, uid_t *user)
{
	struct op_error ignored;
	struct stat status;

	if (lstat(path, &status) || !S_ISREG(status.st_mode) ||
	    doubt(&status, path, dir, tgid, processes, &ignored))
		return false;
	*user = status.st_uid && status.st_uid != geteuid() ? status.st_uid : FOREIGN_OURSELVES;
	return true;
}

static size_t limit_of(enum foreign_kind kind)
{
	return kind == FOREIGN_JIT_MAP ? FOREIGN_JIT_MAP_MOST : FOREIGN_JIT_DUMP_MOST;
}

/* Says why a file was not opened.  Return: what pp_jit_read() returns then. */
static enum pp_jit_result jit_refuse(const char *path, enum foreign_kind kind,
				     struct op_error *error)
{
	if (errno == ENOENT)
		return PP_JIT_NONE;
	if (errno == ELOOP)
		op_error_set(error, ELOOP, "%s: a symbolic link is not followed", path);
	else if (errno == EFBIG)
		op_error_set(error, EFBIG, "%s: larger than %zu MiB", path, limit_of(kind) >> 20);
	else
		op_error_set(error, errno, "%s: %s", path, foreign_reason(errno));
	return PP_JIT_REFUSED;
}

/* Opens the file into *@fd. */
static enum pp_jit_result open_believed(const char *path, enum foreign_kind kind, const char *dir,
					uint32_t tgid, const struct op_process_list *processes,
					int *fd, struct op_error *error)
{
	struct stat status;

	/* a process has told the path, as the kernel has it: without links */
	*fd = foreign_open(path, kind,
			   is_mapped_dump(path, tgid, processes) ? FOREIGN_NONE : FOREIGN_NOT_LAST);
	if (*fd < 0)
		return jit_refuse(path, kind, error);
	if (fstat(*fd, &status))
		op_error_set(error, errno, "%s: %s", path, strerror(errno));
	else if (!doubt(&status, path, dir, tgid, processes, error))
		return PP_JIT_READ;
	close(*fd);
	return PP_JIT_REFUSED;
}

/* ---- answers, which may come from a process apart ---- */

/* struct part - an address range of a function; several may have one name */
struct part {
	uint64_t start, end;
	uint64_t name; /* its place among the names */
};

/* struct told_line - a line from an address on */
struct told_line {
	uint64_t address;
	uint32_t file; /* its place among the names, + 1; 0: no line */
	uint32_t number;
};

/* struct answer - what comes first; then the parts, the lines, the names, and the text of the error
 */
struct answer {
	uint64_t n_parts, n_lines, names_size;
	uint64_t error_size; /* 0: there was no error */
};

/* Names that are put once.  Texts are compared by @known, each of a function or a line once: one
 * may be in a million parts. */
struct put_names {
	uint32_t *of_function, *of_line; /* places by index, + 1; 0: not looked up yet */
	struct op_names known;
	uint32_t *places; /* of those in @known, + 1; 0: not put yet */
	size_t capacity;
	struct op_buffer text;
};

/* Return: the place of a name, which is put if it is new.  @known: kept for the next time. */
static uint32_t put_names_put_name(struct put_names *names, const char *name, uint32_t *known)
{
	size_t n = names->known.n, number;

	if (*known)
		return *known - 1;
	number = op_names_index(&names->known, name);
	if (number == n) {
		names->places =
			op_grow(names->places, &names->capacity, n + 1, sizeof(*names->places));
		names->places[n] = (uint32_t)names->text.used;
		op_buffer_put(&names->text, name, strnlen(name, FOREIGN_JIT_NAME_MOST));
		op_buffer_u8(&names->text, '\0');
	}
	*known = names->places[number] + 1;
	return names->places[number];
}

/* Assigns each address to the function written last for it.  Return: flat intervals, whose values
 * are indices of functions; the caller frees them. */
static struct op_interval *resolve(const struct jit_functions *all, size_t *n)
{
	struct op_interval *intervals = op_alloc(all->n, sizeof(*intervals)), *flat;

	for (size_t i = 0; i < all->n; i++)
		intervals[i] = (struct op_interval){.start = all->items[i].start,
						    .end = all->items[i].end,
						    .rank = i,
						    .value = i};
	*n = op_intervals_flatten(intervals, all->n, &flat);
	free(intervals);
	return flat;
}

static void jit_put_line(struct op_buffer *lines, uint64_t address, uint32_t file, uint32_t number)
{
	const struct told_line line = {address, file, number};

	op_buffer_put(lines, &line, sizeof(line));
}

/* The lines of one part: from that of its start on, to an end. */
static void put_part_lines(const struct jit_functions *all, const struct op_interval *part,
			   struct put_names *names, struct op_buffer *lines)
{
	const struct jit_function *function = &all->items[part->value];
	const struct jit_line *items = all->lines + function->first_line;
	uint32_t *known = names->of_line + function->first_line;
	size_t behind = op_first_above(items, function->n_lines, address, part->start);

	if (!function->n_lines)
		return;
	for (size_t i = behind ? behind - 1 : 0;
	     i < function->n_lines && items[i].address < part->end; i++)
		jit_put_line(lines, items[i].address > part->start ? items[i].address : part->start,
			     put_names_put_name(names, items[i].file, &known[i]) + 1,
			     items[i].number);
	jit_put_line(lines, part->end, 0, 0);
}

static void put_answer(const struct jit_functions *all, const char *error, struct op_buffer *out)
{
	struct op_buffer parts = {0}, lines = {0};
	struct put_names names = {
		.of_function = op_alloc(all->n, sizeof(uint32_t)),
		.of_line = op_alloc(all->n_lines, sizeof(uint32_t)),
	};
	struct answer head = {.error_size = *error ? strlen(error) + 1 : 0};
	struct op_interval *flat = resolve(all, &head.n_parts);

	for (size_t i = 0; i < head.n_parts; i++) {
		size_t index = flat[i].value;
		const struct part part = {flat[i].start, flat[i].end,
					  put_names_put_name(&names, all->items[index].name,
							     &names.of_function[index])};

		op_buffer_put(&parts, &part, sizeof(part));
		put_part_lines(all, &flat[i], &names, &lines);
	}
	op_buffer_check(&parts);
	op_buffer_check(&lines);
	op_buffer_check(&names.text);
	head.n_lines = lines.used / sizeof(struct told_line);
	head.names_size = names.text.used;
	op_buffer_put(out, &head, sizeof(head));
	op_buffer_put(out, parts.bytes, parts.used);
	op_buffer_put(out, lines.bytes, lines.used);
	op_buffer_put(out, names.text.bytes, names.text.used);
	op_buffer_put(out, error, head.error_size);
	op_buffer_free(&parts);
	op_buffer_free(&lines);
	op_buffer_free(&names.text);
	op_names_free(&names.known);
	free(names.places);
	free(names.of_function);
	free(names.of_line);
	free(flat);
}

/* struct taken_names - the names of an answer; they end with a NUL */
struct taken_names {
	const char *text;
	uint64_t size;
};

/* Return: the name at a place, or NULL: there is none, or it is too long. */
static const char *taken_names_take_name(const struct taken_names *names, uint64_t place)
{
	if (place >= names->size || !memchr(names->text + place, '\0', FOREIGN_JIT_NAME_MOST + 1))
		return NULL;
	return names->text + place;
}

/* Return: whether they are in order, with names. */
static bool take_parts(struct pp_jit *jit, const struct part *parts, size_t n,
		       const struct taken_names *names)
{
	uint64_t last = 0;

	jit->symbols = op_alloc(n, sizeof(*jit->symbols));
	for (size_t i = 0; i < n; i++) {
		const char *name = taken_names_take_name(names, parts[i].name);

		if (!name || parts[i].start < last || parts[i].end <= parts[i].start)
			return false;
		last = parts[i].end;
		jit->symbols[i] = (struct pp_jit_symbol){parts[i].start, parts[i].end, name};
	}
	jit->n = n;
	return true;
}

static bool take_lines(struct pp_jit *jit, const struct told_line *lines, size_t n,
		       const struct taken_names *names)
{
	uint64_t last = 0;

	jit->lines = op_alloc(n, sizeof(*jit->lines));
	for (size_t i = 0; i < n; i++) {
		const char *file =
			lines[i].file ? taken_names_take_name(names, lines[i].file - 1) : NULL;

		if (lines[i].address < last || (lines[i].file && !file))
			return false;
		last = lines[i].address;
		jit->lines[i] = (struct pp_line_entry){
			.link = last,
			.file = file,
			.line = lines[i].number > INT_MAX ? 0 : (int)lines[i].number,
		};
	}
	jit->n_lines = n;
	return true;
}

/* Return: what is wrong with the file, "" if nothing is; or NULL: it is no answer. */
static const char *take_answer(struct pp_jit *jit, struct op_reader *reader)
{
	struct taken_names names;
	const struct part *parts;
	const struct told_line *lines;
	struct answer head;

	if (!op_reader_copy(reader, &head, sizeof(head)))
		return NULL;
	parts = op_reader_array(reader, head.n_parts, sizeof(*parts));
	lines = op_reader_array(reader, head.n_lines, sizeof(*lines));
	names = (struct taken_names){op_reader_take(reader, head.names_size), head.names_size};
	if (!parts || !lines || !names.text || (names.size && names.text[names.size - 1]) ||
	    !take_parts(jit, parts, head.n_parts, &names) ||
	    !take_lines(jit, lines, head.n_lines, &names))
		return NULL;
	return head.error_size ? op_reader_text(reader, head.error_size) : "";
}

/* ---- both files, perhaps in a process apart ---- */

/* Bytes of an answer: the names, and the parts of a million functions. */
#define ANSWER_MOST (512 << 20)

static int jit_parse(int fd, enum foreign_kind kind, char **text, struct jit_functions *all,
		     struct op_error *error)
{
	size_t length;
	int result = 0;

	*text = op_file_read_open(fd, limit_of(kind), &length);
	if (!*text)
		return op_error_set(error, errno, "%s", strerror(errno));
	if (kind == FOREIGN_JIT_DUMP)
		result = jit_functions_parse_dump(all, *text, length, error);
	else
		jit_functions_parse_map(all, *text);
	if (!all->is_full)
		return result;
	/* half the functions would give the rest wrong names: the last one at an address counts */
	all->n = 0;
	return op_error_set(error, EFBIG, "more than %d functions or %d lines",
			    FOREIGN_JIT_FUNCTIONS_MOST, FOREIGN_JIT_LINES_MOST);
}

/* The question is the kind of the file. */
static void jit_work(int fd, struct op_reader *question, struct op_buffer *answer)
{
	enum foreign_kind kind = op_reader_u32(question);
	struct jit_functions all = {0};
	struct op_error error = {0};
	char *text = NULL;

	jit_parse(fd, kind, &text, &all, &error);
	put_answer(&all, error.text, answer);
	jit_functions_free(&all);
	free(text);
}

/* The functions take as much again as the answer.  Return: as apart_or_here(). */
static void *jit_ask(struct apart_question *question, struct foreign_kept *kept, size_t *length,
		     struct op_error *error)
{
	uint64_t account, half;
	void *answer;

	if (!apart_is_needed(question->fd, question->path))
		return apart_or_here(question, length, error);
	account = apart_account(question->fd);
	half = foreign_kept_left(account) / 2;
	if (half < question->answer_most)
		question->answer_most = (size_t)half;
	answer = apart_ask(question, length, error);
	if (answer && !foreign_kept_add(kept, account, 2 * *length)) {
		op_error_set(error, ENOMEM, "files of its owner take too much memory");
		free(answer);
		answer = NULL;
	}
	return answer;
}

static enum pp_jit_result read_functions(struct pp_jit *jit, const char *path,
					 enum foreign_kind kind, const char *dir,
					 const struct op_process_list *processes,
					 struct op_error *error)
{
	const uint32_t what = kind;
	struct apart_question question = {.work = jit_work,
					  .path = path,
					  .bytes = &what,
					  .length = sizeof(what),
					  .seconds = APART_SECONDS_OF_REPORT,
					  .answer_most = ANSWER_MOST};
	enum pp_jit_result result =
		open_believed(path, kind, dir, jit->tgid, processes, &question.fd, error);
	struct op_error why = {0};
	struct op_reader reader;
	const char *text = NULL;
	size_t length = 0;

	if (result != PP_JIT_READ)
		return result;
	jit->answer = jit_ask(&question, &jit->kept, &length, &why);
	close(question.fd);
	reader = op_reader_of(jit->answer, length, false);
	if (jit->answer)
		text = take_answer(jit, &reader);
	if (text && !*text)
		return PP_JIT_READ;
	if (!text)
		text = jit->answer ? "reading it gave no functions" : why.text;
	op_error_set(error, EINVAL, "%s: %s", path, text);
	return PP_JIT_REFUSED;
}

static enum pp_jit_result read_mapped_dump(struct pp_jit *jit, const char *path,
					   const struct op_process_list *processes,
					   struct op_error *error)
{
	const char *slash = strrchr(path, '/');
	char *dir = op_format("%.*s", slash ? (int)(slash - path) : 0, path);
	enum pp_jit_result result =
		read_functions(jit, path, FOREIGN_JIT_DUMP, dir, processes, error);

	free(dir);
	return result;
}

/* The map of a process that has another pid in its own namespace: in its own root directory, or in
 * @dir, if the process that has that pid here cannot have written it. */
static enum pp_jit_result read_inner(struct pp_jit *jit, const struct op_process *process,
				     const char *dir, const struct op_process_list *processes,
				     struct op_error *error)
{
	char *inside = op_format("/proc/%" PRIu32 "/root" PP_JIT_DIR, process->tgid);
	char *map = pp_jit_map_path(inside, process->inner);
	enum pp_jit_result result = PP_JIT_NONE;
	struct op_process now;

	if (!op_process_of(process->tgid, &now) && op_process_is_same(&now, process))
		result = read_functions(jit, map, FOREIGN_JIT_MAP, inside, processes, error);
	free(map);
	map = pp_jit_map_path(dir, process->inner);
	if (result == PP_JIT_NONE && op_process_of(process->inner, &now))
		result = read_functions(jit, map, FOREIGN_JIT_MAP, dir, processes, error);
	free(map);
	free(inside);
	return result;
}

enum pp_jit_result pp_jit_read(struct pp_jit *jit, const char *dir, uint32_t tgid,
			       const struct op_process_list *processes, struct op_error *error)
{
	char *map = pp_jit_map_path(dir, tgid), *dump = pp_jit_dump_path(dir, tgid);
	struct op_process process = {0};
	enum pp_jit_result result;

	*jit = (struct pp_jit){.tgid = tgid};
	if (op_process_list_find(processes, tgid, &process) != 1)
		process = (struct op_process){0};
	result = read_functions(jit, dump, FOREIGN_JIT_DUMP, dir, processes, error);
	if (result == PP_JIT_NONE && process.dump)
		result = read_mapped_dump(jit, process.dump, processes, error);
	if (result == PP_JIT_NONE)
		result = read_functions(jit, map, FOREIGN_JIT_MAP, dir, processes, error);
	if (result == PP_JIT_NONE && process.inner && process.inner != tgid)
		result = read_inner(jit, &process, dir, processes, error);
	free(map);
	free(dump);
	return result;
}

void pp_jit_free(struct pp_jit *jit)
{
	free(jit->symbols);
	free(jit->lines);
	free(jit->answer);
	foreign_kept_free(&jit->kept);
	*jit = (struct pp_jit){0};
}

void pp_jit_symbols(const struct pp_jit *jit, uint64_t start, uint64_t end,
		    struct pp_symbols *symbols)
{
	size_t capacity = symbols->n, i = op_first_above(jit->symbols, jit->n, end, start);

	for (; i < jit->n && jit->symbols[i].start < end; i++) {
		const struct pp_jit_symbol *symbol = &jit->symbols[i];
		uint64_t from = symbol->start > start ? symbol->start : start;
		uint64_t to = symbol->end < end ? symbol->end : end;

		symbols->items =
			op_grow(symbols->items, &capacity, symbols->n + 1, sizeof(*symbols->items));
		symbols->items[symbols->n++] = (struct pp_symbol){.start = from - start,
								  .end = to - start,
								  .vma = from,
								  .name = symbol->name};
	}
}

void pp_jit_lines(const struct pp_jit *jit, uint64_t start, uint64_t end,
		  struct pp_symbols *symbols)
{
	size_t first = op_first_above(jit->lines, jit->n_lines, link, start);
	size_t behind = op_first_above(jit->lines, jit->n_lines, link, end);

	first -= first > 0; /* what it begins with */
	symbols->lines = op_alloc(behind - first, sizeof(*symbols->lines));
	symbols->n_lines = behind - first;
	for (size_t i = first; i < behind; i++)
		symbols->lines[i - first] = jit->lines[i];
}

/* ---- objects of JIT code ---- */

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), n = strlen(end);

	return length >= n && !strcmp(text + length - n, end);
}

static int add_object(const char *path, const struct stat *status, void *context)
{
	if (S_ISREG(status->st_mode) && ends_with(path, ".jo") && op_strings_add(context, path))
		op_out_of_memory();
	return 0;
}

void pp_jit_objects_find(struct op_strings *objects, char *const *samples_dirs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *source = op_format("%s/" OP_SAMPLES_SOURCE, samples_dirs[i]);
		struct op_error ignored;

		if (access(source, F_OK))
			op_walk(samples_dirs[i], add_object, objects, &ignored);
		free(source);
	}
}

const char *pp_jit_object_of(const struct op_strings *objects, const struct op_image_name *image)
{
	char *end = op_format("/{anon:%s}/%u.jo", image->name, image->tgid);
	const char *found = NULL;

	for (size_t i = 0; !found && i < objects->count; i++)
		if (ends_with(objects->item[i], end))
			found = objects->item[i];
	free(end);
	return found;
}

/* Moves symbols to the keys that their addresses have in @image; drops those that are not in it. */
static void move_symbols(struct pp_symbols *symbols, const struct op_image_name *image)
{
	size_t n = 0;

	for (size_t i = 0; i < symbols->n; i++) {
		struct pp_symbol symbol = symbols->items[i];
		uint64_t size = symbol.end - symbol.start;

		if (symbol.vma < image->start || symbol.vma >= image->end)
			continue;
		if (size > image->end - symbol.vma)
			size = image->end - symbol.vma;
		symbol.start = symbol.vma - image->start;
		symbol.end = symbol.start + size;
		symbols->items[n++] = symbol;
	}
	symbols->n = n;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct pp_symbol *left = a, *right = b;

	return op_compare_u64(left->start, right->start);
}

/* Sections may lie in memory in another order than in the file, and overlap. */
static void order_symbols(struct pp_symbols *symbols)
{
	if (symbols->n)
		qsort(symbols->items, symbols->n, sizeof(*symbols->items), compare_symbols);
	for (size_t i = 1; i < symbols->n; i++)
		if (symbols->items[i - 1].end > symbols->items[i].start)
			symbols->items[i - 1].end = symbols->items[i].start;
}

int pp_jit_object_read(struct pp_symbols *symbols, const char *path,
		       const struct op_image_name *image, struct op_error *error)
{
	enum pp_symbols_status status = pp_symbols_read_file(symbols, path, "", false, error);

	move_symbols(symbols, image);
	order_symbols(symbols);
	/* keys of aliases and code are offsets in the file */
	symbols->n_aliases = 0;
	symbols->n_code = 0;
	return status == PP_SYMBOLS_OK ? 0 : -1;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* What sessions keep of images and share: identities, symbols, lists of kernel symbols. */
#include <dirent.h>

#include "tests/unit/test.h"

#include "libop/base/array.h"
#include "libop/base/buffer.h"
#include "libop/base/file.h"
#include "libop/base/remove_tree.h"
#include "libop/elf/symbol_part.h"
#include "libop/saved/kernel_symbols.h"
#include "libop/saved/store.h"
#include "libop/saved/symbols.h"
#include "libop/saved/unwind.h"
#include "libop/session/images.h"
#include "libop/session/trusted_dir.h"

static char dir[] = "/tmp/saved-XXXXXX";

TEST_HOOK(enter)
{
	if (!mkdtemp(dir) || chdir(dir) || mkdir("one", 0700) || mkdir("two", 0700))
		return -1;
	return setenv("OPROFILE_SYMBOLS", "/dev/null/none", 1);
}

TEST_HOOK(leave)
{
	return chdir("/") || op_tree_remove(AT_FDCWD, dir, NULL);
}

TEST_PROGRAM(enter, leave)

/* An empty directory for what sessions share. */
static void begin_store(const char *name)
{
	char *path = op_path("%s/%s", dir, name);

	assert_int_equal(setenv("OPROFILE_SYMBOLS", path, 1), 0);
	saved_limit = UINT64_C(1) << 30;
	free(path);
}

static int open_self(struct op_identity *identity)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0 && identity_of_open(fd, NULL, identity));
	return fd;
}

/* ---- identities ---- */

TEST(copies_fit_without_inode_and_fractions_of_a_second)
{
	const struct op_identity file = {
		.has_file = true, .size = 5, .inode = 7, .mtime = 3000000001, .head = 9};
	struct op_identity copy = file, other = file, marked = file;

	copy.inode = 8;
	copy.mtime = 3000000000;
	other.head = 11;
	marked.build_id_size = 20;
	assert_true(identity_fits(&file, &file, false));
	assert_false(identity_fits(&file, &copy, false));
	assert_true(identity_fits(&file, &copy, true));
	assert_false(identity_fits(&file, &other, true));
	assert_false(identity_fits(&file, &marked, true));
}

TEST(lists_of_images_keep_every_name)
{
	static const char *const names[] = {"{root}/a", "{root}/a\nb", "{root}/a\\012b",
					    "{root}/ a  b "};
	const size_t n = OP_ARRAY_SIZE(names);
	struct op_image_list list = {0}, again = {0};
	struct op_identity identity = {.build_id_size = 8, .build_id = {1, 2, 255}};

	for (size_t i = 0; i < n; i++)
		assert_int_equal(op_image_list_add(&list, names[i], &identity), 0);
	assert_int_equal(op_image_list_save(&list, "one", NULL), 0);
	op_image_list_read(&again, "one");
	assert_int_equal(again.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_non_null(op_image_list_find(&again, names[i]));
		assert_false(again.items[i].is_ambiguous);
	}
	identity.build_id[0] = 9;
	assert_int_equal(op_image_list_add(&again, names[1], &identity), 0);
	assert_true(op_image_list_find(&again, names[1])->is_ambiguous);
	op_image_list_free(&again);
	op_image_list_free(&list);
}

/* ---- symbols ---- */

TEST(symbols_of_a_program_are_saved_without_its_code)
{
	struct op_identity self, part;
	int fd = open_self(&self), saved;
	uint8_t code[64], kept[64], none[64] = {0};
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start = 0, end = 0, offset = 0, at = (unsigned long)(void *)op_path;
	char line[512];

	begin_store("programs");
	assert_int_equal(saved_symbols_open("one", &self), -1);
	assert_int_equal(saved_symbols_save(fd, &self, "one", NULL), 0);
	saved = saved_symbols_open("two", &self);
	assert_true(saved >= 0 && identity_of_open(saved, NULL, &part));
	assert_int_equal(part.size, self.size);
	assert_int_equal(part.build_id_size, self.build_id_size);
	assert_memory_equal(part.build_id, self.build_id, self.build_id_size);
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		assert_int_equal(sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset), 3);
		if (at >= start && at < end)
			break;
	}
	fclose(maps);
	offset += at - start;
	assert_int_equal(pread(fd, code, sizeof(code), (off_t)offset), sizeof(code));
	assert_int_equal(pread(saved, kept, sizeof(kept), (off_t)offset), sizeof(kept));
	assert_memory_not_equal(code, none, sizeof(code));
	assert_memory_equal(kept, none, sizeof(kept));
	close(saved);
	close(fd);
}

/* The program itself, but for the name of a function, which is not what build-ids are made of. */
static int make_renamed(struct op_identity *identity, char *renamed)
{
	size_t length;
	char *bytes = op_file_read("/proc/self/exe", 64 << 20, &length, NULL), *at = bytes;
	int fd = open(renamed, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	assert_true(bytes && fd >= 0);
	while ((at = memmem(at, length - (size_t)(at - bytes), "\0identity_of_open", 17)))
		memcpy(at + 1, renamed, 16);
	assert_int_equal(write(fd, bytes, length), length);
	assert_true(identity_of_open(fd, NULL, identity));
	free(bytes);
	return fd;
}

static bool has_bytes(int fd, const char *text)
{
	struct stat status;
	char *bytes;
	bool found;

	assert_int_equal(fstat(fd, &status), 0);
	bytes = malloc((size_t)status.st_size);
	assert_int_equal(pread(fd, bytes, (size_t)status.st_size, 0), status.st_size);
	found = memmem(bytes, (size_t)status.st_size, text, strlen(text));
	free(bytes);
	return found;
}

TEST(builds_that_differ_in_names_only_keep_their_names)
{
	static char renamed[] = "IDENTITY_OF_OPEN";
	struct op_identity self, other;
	int fds[] = {open_self(&self), make_renamed(&other, renamed)}, saved;

	begin_store("renamed");
	assert_int_equal(self.build_id_size, other.build_id_size);
	assert_memory_equal(self.build_id, other.build_id, self.build_id_size);
	assert_int_equal(saved_symbols_save(fds[0], &self, "one", NULL), 0);
	assert_int_equal(saved_symbols_save(fds[1], &other, "one", NULL), 0);
	saved = saved_symbols_open("one", &other);
	assert_true(saved >= 0 && has_bytes(saved, "IDENTITY_OF_OPEN"));
	close(saved);
	saved = saved_symbols_open("one", &self);
	assert_true(saved >= 0 && has_bytes(saved, "identity_of_open"));
	close(saved);
	close(fds[0]);
	close(fds[1]);
}

/* A file that was put in the place of the profiled one has its own names. */
TEST(names_of_another_file_at_the_path_are_not_saved)
{
	static char renamed[] = "IDENTITY_OF_OPE2";
	char *path = op_path("{root}%s/%s", dir, renamed);
	struct op_image_list list = {0};
	struct op_identity other;

	begin_store("replaced");
	close(make_renamed(&other, renamed));
	other.inode++;
	assert_int_equal(op_image_list_add(&list, path, &other), 0);
	saved_symbols_save_all(&list, 0, "one");
	assert_int_equal(saved_symbols_open("one", &other), -1);
	other.inode--;
	list.items[0].identity = other;
	saved_symbols_save_all(&list, 0, "one");
	assert_true(close(saved_symbols_open("one", &other)) == 0);
	op_image_list_free(&list);
	free(path);
}

/* What calls of libop counted by --wrap: see meson.build. */
static unsigned int directories_opened;
int __real_trusted_dir_open(const char *path, enum trusted_dir_missing missing,
			    struct op_error *error);
int __wrap_trusted_dir_open(const char *path, enum trusted_dir_missing missing,
			    struct op_error *error);

int __wrap_trusted_dir_open(const char *path, enum trusted_dir_missing missing,
			    struct op_error *error)
{
	directories_opened++;
	return __real_trusted_dir_open(path, missing, error);
}

#define COPIES	 12
#define FOR_EVER 1e12 /* seconds */

/* Copies of a program, which are files of their own, and a list of them. */
static void make_copies(struct op_image_list *list)
{
	struct op_error error;
	size_t length;
	char *bytes = op_file_read("/proc/self/exe", 64 << 20, &length, &error);

	assert_non_null(bytes);
	for (int i = 0; i < COPIES; i++) {
		char *path = op_path("%s/copy%d", dir, i), *name = op_path("{root}%s", path);
		struct op_identity identity;
		int fd;

		assert_int_equal(op_file_replace(path, bytes, length, 0700, &error), 0);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		assert_true(fd >= 0 && identity_of_open(fd, NULL, &identity));
		assert_int_equal(op_image_list_add(list, name, &identity), 0);
		close(fd);
		free(path);
		free(name);
	}
	free(bytes);
}

static int count_saved(const struct op_image_list *list)
{
	int n = 0;

	for (size_t i = 0; i < list->n; i++) {
		int fd = saved_symbols_open(NULL, &list->items[i].identity);

		n += fd >= 0;
		if (fd >= 0)
			close(fd);
	}
	return n;
}

/* Of some thousand images of a session, the end would take half a minute. */
TEST(as_many_images_are_saved_as_there_are_turns_for)
{
	struct op_image_list list = {0};
	struct saved_turns turns = {0};
	size_t next;

	begin_store("turns");
	make_copies(&list);
	saved_turns_begin(&turns);
	assert_true(turns.own.all >= 1024 && turns.own.all <= 4096);
	turns.own.all = turns.own.each = 5;
	turns.own.seconds = FOR_EVER;
	next = saved_symbols_save_some(&list, 0, 2, &turns, "one");
	assert_int_equal(next, 2);
	assert_int_equal(count_saved(&list), 2);
	next = saved_symbols_save_some(&list, next, SIZE_MAX, &turns, "one");
	assert_int_equal(next, COPIES);
	assert_int_equal(count_saved(&list), 5);
	assert_int_equal(turns.refused, COPIES - 5);
	saved_turns_free(&turns);
	op_image_list_free(&list);
}

/* Users leave others their turns, and root's are not among them. */
TEST(one_owner_takes_a_quarter_of_the_turns)
{
	struct op_image_list list = {0};
	struct saved_turns turns = {0};

	begin_store("owners");
	make_copies(&list);
	for (size_t i = 0; i < list.n; i++) {
		char path[64];

		snprintf(path, sizeof(path), "copy%zu", i);
		if (chown(path, i < 8 ? 54321 : 54322, (gid_t)-1)) {
			print_message("skipped: files of others take root\n");
			skip();
		}
		list.items[i].identity.owner = i < 8 ? 54321 : 54322;
	}
	saved_turns_begin(&turns);
	assert_true(turns.others.each * 4 == turns.others.all);
	turns.others.each = 3;
	turns.others.seconds = FOR_EVER;
	saved_symbols_save_some(&list, 0, SIZE_MAX, &turns, "one");
	assert_int_equal(turns.refused, COPIES - 2 * 3);
	assert_int_equal(turns.own.total.amount, 0);
	saved_turns_free(&turns);
	op_image_list_free(&list);
}

TEST(way_to_the_saved_symbols_is_checked_once)
{
	struct op_image_list list = {0};
	char *store = op_path("%s/way", dir);

	begin_store("way");
	make_copies(&list);
	directories_opened = 0;
	saved_symbols_save_all(&list, 0, "one");
	assert_int_equal(count_saved(&list), COPIES);
	assert_int_equal(directories_opened, 1);
	/* it was removed meanwhile */
	assert_int_equal(op_tree_remove(AT_FDCWD, store, NULL), 0);
	saved_symbols_save_all(&list, 0, "one");
	assert_int_equal(count_saved(&list), COPIES);
	assert_int_equal(directories_opened, 2);
	op_image_list_free(&list);
	free(store);
}

TEST(symbols_of_another_owner_are_not_those)
{
	struct op_identity self;

	begin_store("programs");
	close(open_self(&self));
	self.owner++;
	assert_int_equal(saved_symbols_open("one", &self), -1);
}

TEST(damaged_parts_are_refused)
{
	struct op_buffer part = {0}, little = {0};
	struct op_identity self;
	int fd = open_self(&self);
	struct op_error error;
	size_t whole;

	assert_int_equal(symbol_part_read(fd, SYMBOL_PART_MOST, &part, NULL), 0);
	whole = part.used;
	assert_int_equal(symbol_part_read(fd, whole / 2, &little, &error), -1);
	assert_int_equal(error.code, EFBIG);
	assert_int_equal(little.used, 0);
	close(fd);
	for (size_t length = 0; length < whole; length += length < 300 ? 1 : whole / 50)
		assert_int_equal(symbol_part_open(part.bytes, length, NULL), -1);
	for (size_t i = 0; i < 200; i++) {
		part.bytes[i] ^= 0xff;
		fd = symbol_part_open(part.bytes, whole, NULL);
		if (fd >= 0)
			close(fd);
		part.bytes[i] ^= 0xff;
	}
	op_buffer_free(&part);
}

/* Headers of which each byte says something else. */
TEST(headers_may_say_anything)
{
	char *bytes = NULL;
	size_t length, taken = 0;
	uint64_t sections;
	int fd;

	bytes = op_file_read("/proc/self/exe", 64 << 20, &length, NULL);
	assert_non_null(bytes);
	fd = open("changed", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
	memcpy(&sections, bytes + 40, sizeof(sections)); /* e_shoff */
	for (size_t i = 0; i < 64 + 20 * 64; i++) {
		size_t at = i < 64 ? i : (size_t)sections + i - 64;
		char changed = (char)(bytes[at] ^ (i % 2 ? 0xff : 0x10));
		struct op_buffer part = {0};

		assert_int_equal(pwrite(fd, &changed, 1, (off_t)at), 1);
		taken += !symbol_part_read(fd, SYMBOL_PART_MOST, &part, NULL);
		assert_true(part.used <= length + 65536);
		op_buffer_free(&part);
		assert_int_equal(pwrite(fd, bytes + at, 1, (off_t)at), 1);
	}
	assert_true(taken > 0 && taken < 64 + 20 * 64);
	close(fd);
	free(bytes);
}

/* ---- the directory ---- */

/* A name that no other number has. */
static const char *name_of(unsigned int number)
{
	static char name[32];

	snprintf(name, sizeof(name), "%08x-0", number);
	return name;
}

/* Bytes that cannot be packed. */
static void put(unsigned int number, size_t length)
{
	struct timespec times[2] = {{.tv_sec = 1000 + number}, {.tv_sec = 1000 + number}};
	uint8_t *bytes = malloc(length);
	char *path, *store = saved_dir();
	uint64_t state = number + 1;

	assert_non_null(bytes);
	for (size_t i = 0; i < length; i++) {
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		bytes[i] = (uint8_t)(state >> 56);
	}
	assert_int_equal(saved_put(NULL, name_of(number), bytes, length, NULL), 0);
	path = op_path("%s/%s", store, name_of(number));
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	free(path);
	free(store);
	free(bytes);
}

TEST(what_was_used_longest_ago_makes_room)
{
	begin_store("bounded");
	saved_limit = 10000;
	for (unsigned int i = 0; i < 8; i++)
		put(i, 2000);
	assert_true(saved_has(NULL, name_of(7)));
	assert_true(saved_has(NULL, name_of(5)));
	assert_false(saved_has(NULL, name_of(0)));
	assert_int_equal(saved_put(NULL, name_of(9), dir, sizeof(dir), NULL), 0);
}

TEST(only_saved_files_are_dropped)
{
	char *store;
	size_t files;

	begin_store("dropped");
	for (unsigned int i = 0; i < 3; i++)
		put(i, 100);
	store = saved_dir();
	assert_int_equal(chdir(store), 0);
	assert_int_equal(op_file_replace("notes.txt", "x", 1, 0600, NULL), 0);
	assert_int_equal(mkdir("below", 0700), 0);
	assert_int_equal(op_file_replace("below/00000009-0", "x", 1, 0600, NULL), 0);
	assert_true(saved_drop(store, 1002, &files) >= 200);
	assert_int_equal(files, 2);
	saved_drop(store, INT64_MAX, &files);
	assert_int_equal(files, 1);
	assert_int_equal(access("notes.txt", F_OK), 0);
	assert_int_equal(access("below/00000009-0", F_OK), 0);
	assert_int_equal(chdir(dir), 0);
	free(store);
}

TEST(what_others_can_write_is_not_used)
{
	char *store, *path;

	begin_store("open");
	put(1, 100);
	assert_true(saved_has(NULL, name_of(1)));
	store = saved_dir();
	path = op_path("%s/%s", store, name_of(1));
	assert_int_equal(chmod(path, 0666), 0);
	assert_false(saved_has(NULL, name_of(1)));
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(chmod(store, 0777), 0);
	assert_false(saved_has(NULL, name_of(1)));
	assert_int_equal(saved_put(NULL, name_of(2), dir, sizeof(dir), NULL), -1);
	assert_int_equal(saved_put("one", name_of(2), dir, sizeof(dir), NULL), 0);
	assert_true(saved_has("one", name_of(2)));
	assert_false(saved_has("two", name_of(2)));
	free(path);
	free(store);
}

/* ---- the kernel ---- */

static char *make_kallsyms(const char *own)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	for (unsigned int i = 0; i < 5000; i++)
		fprintf(out, "ffffffff81%06x T function_%u\n", i * 16, i);
	fprintf(out, "ffffffffc0000000 t bpf_prog_%s\t[bpf]\n", own);
	assert_int_equal(fclose(out), 0);
	return text;
}

static off_t size_of(const char *path)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return status.st_size;
}

static void expect_kallsyms(const char *samples_dir, const char *wanted)
{
	struct op_error error;
	char *text = saved_kallsyms_read(samples_dir, &error);

	if (!text)
		fail_msg("%s", error.text);
	assert_string_equal(text, wanted);
	free(text);
}

TEST(sessions_share_the_symbols_of_the_kernel)
{
	char *one = make_kallsyms("one"), *two = make_kallsyms("two"), *name, *path;
	struct op_error error;

	begin_store("kernels");
	assert_int_equal(saved_kallsyms_write("one", one, NULL), 0);
	assert_int_equal(saved_kallsyms_write("two", two, NULL), 0);
	assert_true(size_of("one/kallsyms") < 200 && size_of("two/kallsyms") < 200);
	expect_kallsyms("one", one);
	expect_kallsyms("two", two);
	path = saved_kallsyms_shared("one", &name);
	assert_non_null(path);
	free(path);
	free(name);
	path = saved_kallsyms_shared("two", &name);
	assert_non_null(strstr(path, name));

	assert_int_equal(op_file_replace(path, "x", 1, 0600, NULL), 0);
	assert_null(saved_kallsyms_read("one", &error));
	assert_int_equal(error.code, EBADMSG);
	assert_int_equal(unlink(path), 0);
	assert_null(saved_kallsyms_read("one", &error));
	assert_int_equal(error.code, ENODATA);
	free(name);
	free(path);

	assert_int_equal(setenv("OPROFILE_SYMBOLS", "/dev/null/none", 1), 0);
	assert_int_equal(saved_kallsyms_write("one", one, NULL), 0);
	expect_kallsyms("one", one);
	free(one);
	free(two);
}

/* ---- unwind tables ---- */

/* The only file of the store. */
static char *only_file(const char *store)
{
	char *path = op_path("%s/%s", dir, store), *file = NULL;
	DIR *listed = opendir(path);
	struct dirent *entry;

	assert_non_null(listed);
	while ((entry = readdir(listed))) {
		if (*entry->d_name == '.')
			continue;
		assert_null(file);
		file = op_path("%s/%s", path, entry->d_name);
	}
	closedir(listed);
	free(path);
	return file;
}

static void assert_same_table(struct unwind_table *table, const struct unwind_table *expected)
{
	assert_non_null(table);
	assert_int_equal(unwind_table_size(table), unwind_table_size(expected));
	assert_memory_equal(table, expected, unwind_table_size(expected));
	free(table);
}

TEST(unwind_tables_are_kept_by_file)
{
	struct op_identity self, other;
	int fd = open_self(&self);
	struct unwind_table *made, *none;
	struct op_error error;

	begin_store("unwind");
	made = saved_unwind_open(fd, false, NULL, &error);
	assert_true(made && made->rows > 100);
	/* without an identity, it is not kept */
	none = saved_unwind_open(-1, false, &self, &error);
	assert_true(none && !none->rows);
	free(none);
	assert_same_table(saved_unwind_open(fd, false, &self, &error), made);
	/* it is not made again: there is no file to make it of */
	assert_same_table(saved_unwind_open(-1, false, &self, &error), made);
	other = self;
	other.owner++;
	none = saved_unwind_open(-1, false, &other, &error);
	assert_true(none && !none->rows);
	free(none);
	free(made);
	close(fd);
}

TEST(damaged_unwind_tables_are_made_anew)
{
	struct op_identity self;
	int fd = open_self(&self);
	struct unwind_table *made, *none;
	struct stat status;
	char *path;
	struct op_error error;

	begin_store("damaged-unwind");
	made = saved_unwind_open(fd, false, &self, &error);
	assert_non_null(made);
	path = only_file("damaged-unwind");
	assert_non_null(strstr(path, "/unwind-"));
	for (int part = 0; part < 8; part++) {
		int kept = open(path, O_RDWR | O_CLOEXEC);
		uint8_t byte;
		off_t at;

		assert_true(kept >= 0 && !fstat(kept, &status));
		at = status.st_size * part / 8;
		assert_int_equal(pread(kept, &byte, 1, at), 1);
		byte ^= 0x10;
		assert_int_equal(pwrite(kept, &byte, 1, at), 1);
		if (part == 7)
			assert_int_equal(ftruncate(kept, at), 0);
		close(kept);
		none = saved_unwind_open(-1, false, &self, &error);
		assert_true(none && !none->rows);
		free(none);
		assert_same_table(saved_unwind_open(fd, false, &self, &error), made);
		assert_same_table(saved_unwind_open(-1, false, &self, &error), made);
	}
	free(path);
	free(made);
	close(fd);
}

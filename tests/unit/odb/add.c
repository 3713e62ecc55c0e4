// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Adding: sums are exact whatever the keys and counts, errors change nothing, and writers
 * exclude each other.
 */
#include <dirent.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "libop/base/array.h"
#include "tests/unit/test.h"

#include "tests/unit/odb/fixture.h"

TEST(a_full_node_is_followed_by_another)
{
	const char *path = fixture_path("full");
	struct odb *db = fixture_create(path);
	struct odb_entry *entries;
	struct odb_error error;

	fixture_add(db, 5, 0xfffffffe);
	fixture_add(db, 5, 1);
	assert_int_equal(odb_entries(db, &entries, &error), 1);
	assert_int_equal(entries[0].count, 0xffffffff);
	free(entries);
	fixture_add(db, 5, 1);
	fixture_add(db, 6, 1);
	fixture_add(db, 5, 1);
	assert_int_equal(odb_entries(db, &entries, &error), 3);
	assert_int_equal(entries[0].key, 5);
	assert_int_equal(entries[0].count, 0xffffffff);
	assert_int_equal(entries[1].key, 5);
	assert_int_equal(entries[1].count, 2);
	free(entries);
	odb_close(db);
	/* And after opening it again the second node goes on. */
	db = fixture_create(path);
	fixture_add(db, 5, 7);
	assert_int_equal(odb_entries(db, &entries, &error), 3);
	assert_int_equal(entries[1].count, 9);
	free(entries);
	odb_close(db);
	assert_int_equal(fixture_count(path, 5), 0x100000008);
	fixture_assert_sound(path);
}

/* Key 0 is no sign of a node that was lost with the power, however many nodes have it. */
TEST(small_counts_behind_a_large_one_of_key_0_are_kept)
{
	const char *path = fixture_path("zero");
	struct odb *db = fixture_create(path);
	const uint64_t large = (uint64_t)0xffffffff * 256;

	fixture_add(db, 0, large);
	for (uint64_t key = 2; key <= 60; key += 2)
		fixture_add(db, key, key / 2);
	odb_close(db);
	assert_true(fixture_count(path, 0) == large);
	for (uint64_t key = 2; key <= 60; key += 2)
		assert_int_equal(fixture_count(path, key), key / 2);
	fixture_assert_sound(path);
}

TEST(large_counts_take_as_many_nodes_as_they_need)
{
	static const struct {
		uint64_t n;
		ptrdiff_t nodes;
	} cases[] = {
		{0, 0},
		{0xffffffff, 1},
		{0x100000000, 2},
		{0x1fffffffe, 2},
		{0x1ffffffff, 3},
		{(uint64_t)0xffffffff * 1000, 1000},
		{(uint64_t)0xffffffff * 1000 + 1, 1001},
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		const char *path = fixture_path("large");
		struct odb *db;
		struct odb_entry *entries;

		unlink(path);
		db = fixture_create(path);
		fixture_add(db, 77, cases[i].n);
		assert_int_equal(odb_entries(db, &entries, NULL), cases[i].nodes);
		free(entries);
		fixture_add(db, 77, 3);
		odb_close(db);
		assert_int_equal(fixture_count(path, 77), cases[i].n + 3);
		fixture_assert_sound(path);
	}
}

TEST(a_count_beyond_all_nodes_is_refused)
{
	const char *path = fixture_path("beyond");
	struct odb *db = fixture_create(path);
	struct odb_error error;
	struct stat status;

	fixture_add(db, 1, 1);
	assert_int_equal(odb_add(db, 1, UINT64_MAX, &error), -1);
	assert_int_equal(error.code, EFBIG);
	odb_close(db);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, 2664);
	assert_int_equal(fixture_sum(path), 1);
	fixture_assert_sound(path);
}

/* A table of counts at its simplest. */
struct model {
	uint64_t keys[4096], counts[4096];
	size_t used;
};

static void model_add(struct model *model, uint64_t key, uint64_t n)
{
	size_t at = 0;

	while (at < model->used && model->keys[at] != key)
		at++;
	if (at == model->used) {
		model->keys[at] = key;
		model->counts[at] = 0;
		model->used++;
	}
	model->counts[at] += n;
}

static void assert_is_model(const struct odb *db, const struct model *model)
{
	struct odb_entry *entries;
	ptrdiff_t count = odb_entries_by_key(db, &entries, NULL);
	uint64_t last = 0;

	assert_int_equal(count, model->used);
	for (ptrdiff_t i = 0; i < count; i++) {
		size_t at = 0;

		assert_true(!i || entries[i].key > last);
		last = entries[i].key;
		while (at < model->used && model->keys[at] != entries[i].key)
			at++;
		assert_true(at < model->used);
		assert_int_equal(entries[i].count, model->counts[at]);
	}
	free(entries);
}

static uint64_t random_key(uint64_t *seed)
{
	uint64_t random = fixture_random(seed);
	uint64_t arc = fixture_random(seed) % 300;

	switch (random % 4) {
	case 0:
		return arc << 32 | arc; /* all in bucket 0 */
	case 1:
		return arc * 4;
	case 2:
		return arc << 40;
	default:
		return arc * 0x9e3779b97f4a7c15u;
	}
}

TEST(sums_are_those_of_a_model)
{
	static const uint64_t counts[] = {1,   1, 1,	      1,	  2,
					  100, 0, 0x7fffffff, 0xffffffff, 0x180000000};
	static struct model model;
	uint64_t seed = 1;

	for (int file = 0; file < 8; file++) {
		const char *path = fixture_path("model");

		unlink(path);
		model.used = 0;
		for (int reopen = 0; reopen < 20; reopen++) {
			struct odb *db = fixture_create(path), *reader;

			for (int i = 0; i < 150; i++) {
				uint64_t key = random_key(&seed);
				uint64_t n = counts[fixture_random(&seed) % 10];

				fixture_add(db, key, n);
				if (n)
					model_add(&model, key, n);
			}
			assert_is_model(db, &model);
			assert_int_equal(odb_open(&reader, path, ODB_READ, NULL, NULL), 0);
			assert_is_model(reader, &model);
			odb_close(reader);
			assert_int_equal(odb_sync(db, NULL), 0);
			odb_close(db);
			fixture_assert_sound(path);
		}
	}
}

TEST(recursive_arcs_survive_reopening_and_growth)
{
	const char *path = fixture_path("arcs");
	struct odb_entry *entries;
	struct odb *db;

	for (int round = 0; round < 3; round++) {
		db = fixture_create(path);
		for (uint64_t i = 0; i < 30000; i++) {
			uint64_t at = i * 7919 % 10000;

			fixture_add(db, at << 32 | at, 1);
		}
		odb_close(db);
	}
	assert_int_equal(odb_open(&db, path, ODB_READ, NULL, NULL), 0);
	assert_int_equal(odb_entries(db, &entries, NULL), 10000); /* no twins */
	for (size_t i = 0; i < 10000; i++)
		assert_int_equal(entries[i].count, 9);
	free(entries);
	odb_close(db);
	fixture_assert_sound(path);
}

/* Of two nodes of a key that both lie deep, the newer one takes what is added. */
TEST(the_newest_of_deep_nodes_is_found)
{
	const char *path = fixture_path("deep");
	uint64_t key = (uint64_t)7 << 32 | 7;
	struct odb_entry *entries;
	struct odb *db = fixture_create(path);

	fixture_add(db, key, 0xffffffff);
	fixture_add(db, key, 1);
	for (uint64_t i = 100; i < 140; i++)
		fixture_add(db, i << 32 | i, 1);
	fixture_add(db, key, 1);
	odb_close(db);
	db = fixture_create(path);
	fixture_add(db, key, 1);
	assert_int_equal(odb_entries(db, &entries, NULL), 42);
	assert_int_equal(entries[0].count, 0xffffffff);
	assert_int_equal(entries[1].count, 3);
	free(entries);
	odb_close(db);
}

TEST(an_open_reader_sees_what_is_added)
{
	const char *path = fixture_path("later");
	struct odb *writer = fixture_create(path), *reader;
	struct odb_entry *entries;

	assert_int_equal(odb_open(&reader, path, ODB_READ, NULL, NULL), 0);
	assert_int_equal(odb_entries(reader, &entries, NULL), 0);
	assert_null(entries);
	assert_int_equal(odb_entries_by_key(reader, &entries, NULL), 0);
	assert_null(entries);
	for (uint64_t i = 0; i < 1000; i++)
		fixture_add(writer, i, 1);
	assert_int_equal(odb_entries(reader, &entries, NULL), 1000);
	free(entries);
	odb_close(reader);
	odb_close(writer);
}

TEST(writers_exclude_each_other)
{
	const char *path = fixture_path("locked");
	struct odb_header header = {.cpu_type = 4};
	struct odb *db = fixture_create(path), *other;
	struct odb_repair repair;
	struct odb_error error;
	bool busy = false;

	assert_int_equal(odb_open(&other, path, ODB_WRITE, NULL, &error), -1);
	assert_int_equal(error.code, EBUSY);
	assert_int_equal(odb_open(&other, path, ODB_CREATE, &header, &error), -1);
	assert_int_equal(error.code, EBUSY);
	assert_int_equal(odb_repair(path, &repair, &error), -1);
	assert_int_equal(error.code, EBUSY);
	assert_int_equal(odb_check(path, NULL, NULL, &busy, &error), 0);
	assert_true(busy);
	odb_close(db);
	assert_int_equal(odb_check(path, NULL, NULL, &busy, &error), 0);
	assert_false(busy);
	assert_int_equal(odb_open(&other, path, ODB_WRITE, NULL, &error), 0);
	odb_close(other);
}

TEST(errors_name_file_and_cause)
{
	const char *none = fixture_path("none"), *fifo = fixture_path("fifo");
	struct odb_header header = {.cpu_type = 4};
	char long_path[5000];
	struct odb_error error;
	struct odb *db = NULL;

	assert_int_equal(odb_open(&db, none, ODB_READ, NULL, &error), -1);
	assert_int_equal(error.code, ENOENT);
	assert_non_null(strstr(error.text, none));
	assert_non_null(strstr(error.text, "No such file"));
	assert_int_equal(odb_open(&db, none, ODB_WRITE, NULL, &error), -1);
	assert_int_equal(error.code, ENOENT);
	assert_int_equal(odb_open(&db, none, ODB_CREATE, NULL, &error), -1);
	assert_int_equal(error.code, EINVAL);
	assert_int_equal(odb_open(&db, fixture_path("no/such/dir"), ODB_CREATE, &header, &error),
			 -1);
	assert_int_equal(error.code, ENOENT);
	assert_int_equal(odb_open(&db, fixture_dir(), ODB_READ, NULL, &error), -1);
	assert_int_equal(error.code, EISDIR);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(odb_open(&db, fifo, ODB_READ, NULL, &error), -1);
	assert_int_equal(error.code, EINVAL);
	assert_int_equal(odb_open(&db, "/dev/null", ODB_READ, NULL, &error), -1);
	assert_int_equal(error.code, EINVAL);
	memset(long_path, 'x', sizeof(long_path) - 1);
	long_path[sizeof(long_path) - 1] = '\0';
	assert_int_equal(odb_open(&db, long_path, ODB_READ, NULL, &error), -1);
	assert_int_equal(error.code, ENAMETOOLONG);
	assert_non_null(strstr(error.text, "too long"));
	assert_null(db);
}

TEST(an_empty_file_is_completed)
{
	const char *path = fixture_path("empty");
	struct odb_error error;
	struct odb *db;

	fixture_write(path, "", 0);
	assert_int_equal(odb_open(&db, path, ODB_WRITE, NULL, &error), -1);
	assert_int_equal(error.code, EINVAL);
	db = fixture_create(path);
	fixture_add(db, 3, 4);
	odb_close(db);
	assert_int_equal(fixture_count(path, 3), 4);
	fixture_assert_sound(path);
}

/* Runs @body in a process of its own.  Return: its exit status; a signal fails the test. */
static int in_child(int (*body)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid)
		_exit(body());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status))
		fail_msg("killed by signal %d", WTERMSIG(status));
	return WEXITSTATUS(status);
}

#define CANNOT 77
/* In a child there is no cmocka: the line that failed is the status, modulo 70. */
#define EXPECT(condition)                                                                          \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			print_error("line %d: %s\n", __LINE__, #condition);                        \
			return 1 + __LINE__ % 70;                                                  \
		}                                                                                  \
	} while (0)

/* Adds new keys until it fails; all that was stored must be there, and the file sound. */
static int fill(const char *path, int code)
{
	struct odb_header header = {.cpu_type = 4};
	struct odb_error error = {.code = 0};
	struct odb_entry *entries;
	struct odb *db;
	uint64_t stored = 0;

	EXPECT(!odb_open(&db, path, ODB_CREATE, &header, &error));
	while (stored < 10000000 && !odb_add(db, stored, 1, &error))
		stored++;
	EXPECT(error.code == code);
	EXPECT(stored > 100);
	/* Again, to see that the failure left nothing half done; and known keys still count. */
	EXPECT(odb_add(db, stored, 1, &error) && error.code == code);
	EXPECT(!odb_add(db, 0, 1, &error));
	odb_close(db);
	EXPECT(!odb_check(path, NULL, NULL, NULL, &error));
	EXPECT(!odb_open(&db, path, ODB_WRITE, NULL, &error));
	EXPECT(odb_entries(db, &entries, &error) == (ptrdiff_t)stored);
	for (uint64_t i = 0; i < stored; i++)
		EXPECT(entries[i].key == i && entries[i].count == (i ? 1 : 2));
	free(entries);
	odb_close(db);
	return 0;
}

static const char *disk_size;

static int fill_small_disk(void)
{
	const char *dir = fixture_path("disk");

	if ((mkdir(dir, 0755) && errno != EEXIST) || unshare(CLONE_NEWNS) ||
	    mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", dir, "tmpfs", 0, disk_size))
		return CANNOT;
	return fill(fixture_path("disk/full"), ENOSPC);
}

TEST(a_full_disk_is_an_error_and_loses_nothing)
{
	/* A file of 8192 slots has 164 kB; of twice as many it has 66 kB of buckets alone. */
	static const char *const sizes[] = {
		"size=256k", /* full when blocks for nodes are taken */
		"size=200k", /* full in the middle of a growth */
	};

	for (size_t i = 0; i < OP_ARRAY_SIZE(sizes); i++) {
		int status;

		disk_size = sizes[i];
		status = in_child(fill_small_disk);
		if (status == CANNOT) {
			print_message("skipped: mounting a small tmpfs takes root\n");
			skip();
		}
		assert_int_equal(status, 0);
	}
}

static int create_on_full_disk(void)
{
	const char *dir = fixture_path("full-disk"), *filler = fixture_path("full-disk/filler");
	struct odb_header header = {.cpu_type = 4};
	static const char page[4096];
	struct odb_error error;
	struct dirent *entry;
	struct odb *db;
	DIR *list;
	int fd;

	if (mkdir(dir, 0755) || unshare(CLONE_NEWNS) ||
	    mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", dir, "tmpfs", 0, "size=64k"))
		return CANNOT;
	fd = open(filler, O_WRONLY | O_CREAT, 0600);
	while (write(fd, page, sizeof(page)) > 0)
		;
	EXPECT(odb_open(&db, fixture_path("full-disk/new"), ODB_CREATE, &header, &error));
	EXPECT(error.code == ENOSPC);
	/* No file, and nothing unfinished: the directory is empty without the filler. */
	close(fd);
	EXPECT(!unlink(filler));
	list = opendir(dir);
	EXPECT(list);
	while ((entry = readdir(list)))
		EXPECT(!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."));
	closedir(list);
	return 0;
}

TEST(creating_on_a_full_disk_leaves_nothing)
{
	int status = in_child(create_on_full_disk);

	if (status == CANNOT) {
		print_message("skipped: mounting a small tmpfs takes root\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static int fill_to_limit(void)
{
	struct rlimit limit = {.rlim_cur = 50000, .rlim_max = 50000};

	EXPECT(!setrlimit(RLIMIT_FSIZE, &limit));
	return fill(fixture_path("limit"), EFBIG);
}

TEST(the_limit_of_file_size_is_an_error)
{
	assert_int_equal(in_child(fill_to_limit), 0);
}

static int work_as_nobody(void)
{
	const char *dir = fixture_path("readonly");
	const char *file = fixture_path("readonly/file"), *new = fixture_path("readonly/new");
	struct odb_header header = {.cpu_type = 4};
	struct odb_error error;
	struct odb *db;

	if (!geteuid() && (chmod(fixture_dir(), 0755) || setresgid(65534, 65534, 65534) ||
			   setresuid(65534, 65534, 65534)))
		return CANNOT;
	if (!access(dir, W_OK))
		return CANNOT;
	EXPECT(odb_open(&db, new, ODB_CREATE, &header, &error) && error.code == EACCES);
	EXPECT(strstr(error.text, "readonly/new") && strstr(error.text, "Permission denied"));
	EXPECT(odb_open(&db, file, ODB_WRITE, NULL, &error) && error.code == EACCES);
	EXPECT(!odb_open(&db, file, ODB_READ, NULL, &error));
	odb_close(db);
	EXPECT(!odb_check(file, NULL, NULL, NULL, &error));
	return 0;
}

TEST(a_directory_without_permission_is_an_error)
{
	struct odb *db;
	int status;

	assert_int_equal(mkdir(fixture_path("readonly"), 0755), 0);
	db = fixture_create(fixture_path("readonly/file"));
	fixture_add(db, 1, 1);
	odb_close(db);
	assert_int_equal(chmod(fixture_path("readonly/file"), 0444), 0);
	assert_int_equal(chmod(fixture_path("readonly"), 0555), 0);
	status = in_child(work_as_nobody);
	assert_int_equal(chmod(fixture_path("readonly"), 0755), 0);
	if (status == CANNOT) {
		print_message("skipped: permissions do not hold for this user\n");
		skip();
	}
	assert_int_equal(status, 0);
}

/* A file that was copied with holes in it must not be a trap on a full disk. */
TEST(holes_are_filled_when_opening_for_writing)
{
	const char *path = fixture_path("holes");
	struct odb *db = fixture_create(path);
	struct stat status;
	uint8_t *bytes;
	size_t length;
	int fd;

	for (uint64_t i = 0; i < 3000; i++)
		fixture_add(db, i, 1);
	odb_close(db);
	bytes = fixture_read(path, &length);
	unlink(path);
	fd = open(path, O_RDWR | O_CREAT, 0644);
	assert_int_equal(ftruncate(fd, (off_t)length), 0);
	/* Only what is not zero. */
	for (size_t i = 0; i < length; i += 4) {
		if (memcmp(bytes + i, "\0\0\0", 4))
			assert_int_equal(pwrite(fd, bytes + i, 4, (off_t)i), 4);
	}
	free(bytes);
	db = fixture_create(path);
	assert_int_equal(fstat(fd, &status), 0);
	assert_true(status.st_blocks * 512 >= 104 + 3000 * 16 + 4096 * 4);
	for (uint64_t i = 0; i < 5000; i++)
		fixture_add(db, i, 1);
	odb_close(db);
	close(fd);
	fixture_assert_sound(path);
	assert_int_equal(fixture_sum(path), 8000);
}

TEST_PROGRAM(fixture_setup, fixture_teardown)

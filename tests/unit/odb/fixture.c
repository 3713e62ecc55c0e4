// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>

#include "libop/base/array.h"
#include "tests/unit/test.h"

#include "tests/unit/odb/fixture.h"

static char dir[4096];

const struct fixture_form fixture_forms[] = {
	/* clang-format off */
	{ 0x13, "x86-64", false, 72, 32, 40, 8, 48, 56, 64 },
	{ 0x13, "x86-64", true,  72, 32, 40, 8, 48, 56, 64 },
	{ 0x13, "i386",	  false, 64, 28, 36, 8, 44, 48, 56 },
	{ 0x13, "i386",	  true,  64, 28, 36, 8, 44, 48, 56 },
	{ 0x12, "x86-64", false, 88, 32, 40, 8, 48, 64, 72 },
	{ 0x12, "x86-64", true,  88, 32, 40, 8, 48, 64, 72 },
	{ 0x12, "i386",	  false, 80, 28, 36, 8, 44, 60, 68 },
	{ 0x12, "i386",	  true,  80, 28, 36, 8, 44, 60, 68 },
	{ 0x11, "x86-64", false, 88, 32, 40, 8, 48, 64, 72 },
	{ 0x11, "x86-64", true,  88, 32, 40, 8, 48, 64, 72 },
	{ 0x11, "i386",	  false, 76, 28, 36, 4, 40, 56, 64 },
	{ 0x11, "i386",	  true,  76, 28, 36, 4, 40, 56, 64 },
	/* clang-format on */
};
const size_t fixture_form_count = OP_ARRAY_SIZE(fixture_forms);

int fixture_setup(TEST_UNUSED void **state)
{
	const char *base = getenv("TMPDIR");

	snprintf(dir, sizeof(dir), "%s/libdb.XXXXXX", base ? base : "/tmp");
	return mkdtemp(dir) ? 0 : -1;
}

int fixture_teardown(TEST_UNUSED void **state)
{
	return test_remove(dir);
}

const char *fixture_dir(void)
{
	return dir;
}

const char *fixture_path(const char *name)
{
	static char paths[8][4200];
	static unsigned int next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

uint8_t *fixture_read(const char *path, size_t *length)
{
	int fd = open(path, O_RDONLY);
	struct stat status;
	uint8_t *bytes;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	bytes = malloc((size_t)status.st_size + 1);
	assert_non_null(bytes);
	assert_int_equal(read(fd, bytes, (size_t)status.st_size), status.st_size);
	close(fd);
	*length = (size_t)status.st_size;
	return bytes;
}

void fixture_write(const char *path, const void *bytes, size_t length)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, length), length);
	close(fd);
}

struct odb *fixture_create(const char *path)
{
	struct odb_header header = {.cpu_type = 4};
	struct odb_error error;
	struct odb *db;

	if (odb_open(&db, path, ODB_CREATE, &header, &error))
		fail_msg("%s", error.text);
	return db;
}

void fixture_add(struct odb *db, uint64_t key, uint64_t n)
{
	struct odb_error error;

	if (odb_add(db, key, n, &error))
		fail_msg("%s", error.text);
}

static ptrdiff_t read_entries(const char *path, struct odb_entry **entries)
{
	struct odb_error error;
	ptrdiff_t count = -1;
	struct odb *db;

	if (odb_open(&db, path, ODB_READ, NULL, &error))
		fail_msg("%s", error.text);
	count = odb_entries(db, entries, &error);
	if (count < 0)
		fail_msg("%s", error.text);
	odb_close(db);
	return count;
}

uint64_t fixture_count(const char *path, uint64_t key)
{
	struct odb_entry *entries;
	ptrdiff_t count = read_entries(path, &entries);
	uint64_t sum = 0;

	for (ptrdiff_t i = 0; i < count; i++)
		sum += entries[i].key == key ? entries[i].count : 0;
	free(entries);
	return sum;
}

uint64_t fixture_sum(const char *path)
{
	struct odb_entry *entries;
	ptrdiff_t count = read_entries(path, &entries);
	uint64_t sum = 0;

	for (ptrdiff_t i = 0; i < count; i++)
		sum += entries[i].count;
	free(entries);
	return sum;
}

static void print_problem(void *context, const struct odb_problem *problem)
{
	(void)context;
	print_error("byte %llu: %s\n", (unsigned long long)problem->offset, problem->text);
}

void fixture_assert_sound(const char *path)
{
	struct odb_error error;
	ptrdiff_t problems = odb_check(path, print_problem, NULL, NULL, &error);

	if (problems < 0)
		fail_msg("%s", error.text);
	assert_int_equal(problems, 0);
}

void fixture_put(uint8_t *bytes, bool big_endian, size_t width, uint64_t value)
{
	for (size_t i = 0; i < width; i++)
		bytes[big_endian ? width - 1 - i : i] = (uint8_t)(value >> (8 * i));
}

uint8_t *fixture_image(const struct fixture_form *form, const struct fixture_node *nodes,
		       size_t count, size_t *length)
{
	bool big = form->big_endian;
	size_t first = form->header + 32, buckets = first + 128 * 16;
	uint32_t heads[128] = {0};
	uint8_t *image;

	*length = buckets + 128 * 4;
	image = calloc(1, *length);
	assert_non_null(image);
	memcpy(image, "\x44\x41\x45\x0a", 4);
	fixture_put(image + 4, big, 4, form->version);
	fixture_put(image + 8, big, 4, 4);
	fixture_put(image + 12, big, 4, 0x3c);
	fixture_put(image + 16, big, 4, 1);
	fixture_put(image + 20, big, 4, 100000);
	fixture_put(image + 24, big, 4, 1);
	fixture_put(image + form->speed, big, 8, 0x40a1300000000000u); /* 2200.0 */
	fixture_put(image + form->mtime, big, form->mtime_width, 1600000000);
	fixture_put(image + form->cg_kernel, big, 4, 1);
	fixture_put(image + form->anon, big, 8, 0x7fbb26d42000);
	fixture_put(image + form->cg_anon, big, 8, 0x1000);
	if (form->version < 0x13) /* embedded_offset, before anon_start: not used */
		memset(image + form->anon - 8, 0xff, 8);
	fixture_put(image + form->header, big, 4, 128);
	fixture_put(image + form->header + 4, big, 4, count + 1);
	for (size_t i = 1; i <= count; i++) {
		uint64_t key = nodes[i - 1].key;
		uint32_t folded = (uint32_t)(key >> 32) ^ (uint32_t)key;
		uint32_t bucket = (folded ^ folded >> 8) % 128;

		fixture_put(image + first + i * 16, big, 8, key);
		fixture_put(image + first + i * 16 + 8, big, 4, nodes[i - 1].value);
		fixture_put(image + first + i * 16 + 12, big, 4, heads[bucket]);
		fixture_put(image + buckets + bucket * 4, big, 4, i);
		heads[bucket] = (uint32_t)i;
	}
	return image;
}

bool fixture_is_native(bool big_endian)
{
	return big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

uint64_t fixture_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1du;
}

/* Lets a writer do one instruction.  Return: whether it is still there. */
static bool step(pid_t pid)
{
	int status;

	assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSTOPPED(status))
		return true;
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
	return false;
}

static pid_t start_traced(const char *path, void (*write)(const char *path))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) || raise(SIGSTOP))
			_exit(77);
		write(path);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFSTOPPED(status)) {
		print_message("skipped: this process may not trace its children\n");
		skip();
	}
	return pid;
}

unsigned long fixture_each_state(const char *path, void (*write)(const char *path),
				 void (*check)(const char *copy))
{
	static uint8_t last[1 << 20];
	const char *copy = fixture_path("copy");
	unsigned long steps = 0, states = 0;
	pid_t pid = start_traced(path, write);
	struct stat now = {.st_size = 0};
	uint8_t *map = NULL;
	off_t length = -1;
	int fd = -1;

	for (; step(pid); steps++) {
		if (fd < 0) {
			fd = open(path, O_RDONLY);
			if (fd < 0)
				continue;
			/* Only as far as the file reaches is it looked at. */
			map = mmap(NULL, sizeof(last), PROT_READ, MAP_SHARED, fd, 0);
			assert_ptr_not_equal(map, MAP_FAILED);
		}
		assert_int_equal(fstat(fd, &now), 0);
		assert_uint_in_range(now.st_size, 1, sizeof(last));
		if (now.st_size == length && !memcmp(map, last, (size_t)length))
			continue;
		length = now.st_size;
		memcpy(last, map, (size_t)length);
		fixture_write(copy, last, (size_t)length);
		check(copy);
		states++;
	}
	assert_true(fd >= 0);
	munmap(map, sizeof(last));
	close(fd);
	print_message("%lu instructions, %lu states of the file\n", steps, states);
	return states;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The account of a session: what it says after each interrupted write and each changed byte.
 */
#include "libop/session/account.h"

#include "libop/base/file.h"
#include "libop/base/remove_tree.h"
#include "tests/unit/test.h"

#define FILE_LENGTH (2 * OP_ACCOUNT_SLOT)

static char dir[64], path[96];

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/op-account-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/account", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	return op_tree_remove(AT_FDCWD, dir, NULL);
}

static void begin(struct op_account *account)
{
	struct op_error error;

	if (op_account_open(account, dir, &error))
		fail_msg("%s", error.text);
}

static void put(struct op_account *account, const char *text)
{
	struct op_error error;

	if (op_account_write(account, text, &error))
		fail_msg("%s", error.text);
}

static void expect(enum op_account_state state, const char *want)
{
	char *text;

	assert_int_equal(op_account_read(dir, &text), state);
	if (want)
		assert_string_equal(text, want);
	else
		assert_null(text);
	free(text);
}

static char *read_file(void)
{
	size_t length;
	char *bytes = op_file_read(path, FILE_LENGTH, &length, NULL);

	assert_non_null(bytes);
	assert_int_equal(length, FILE_LENGTH);
	return bytes;
}

static void write_file(const char *bytes)
{
	assert_int_equal(op_file_replace(path, bytes, FILE_LENGTH, 0600, NULL), 0);
}

TEST_WITH(the_latest_write_is_read, make_dir, remove_dir)
{
	struct op_account account;

	expect(OP_ACCOUNT_MISSING, NULL);
	begin(&account);
	expect(OP_ACCOUNT_WHOLE, "");
	put(&account, "a 1\n");
	expect(OP_ACCOUNT_WHOLE, "a 1\n");
	put(&account, "a 2\nb 18446744073709551615\n");
	op_account_close(&account);
	begin(&account);
	expect(OP_ACCOUNT_WHOLE, "a 2\nb 18446744073709551615\n");
	put(&account, "a 3\n");
	expect(OP_ACCOUNT_WHOLE, "a 3\n");
	op_account_close(&account);
}

/* All of it has blocks, so a write needs none. */
TEST_WITH(the_file_has_its_blocks_at_once, make_dir, remove_dir)
{
	struct op_account account;
	struct stat status;

	begin(&account);
	assert_return_code(fstat(account.fd, &status), errno);
	assert_int_equal(status.st_size, FILE_LENGTH);
	assert_true(status.st_blocks * 512 >= FILE_LENGTH);
	op_account_close(&account);
}

/* The write of the second text stops at any byte. */
TEST_WITH(an_interrupted_write_leaves_the_one_before, make_dir, remove_dir)
{
	static const char first[] = "total 7\nstored 7\n", second[] = "total 9\nstored 8\n";
	struct op_account account;
	char *before, *after, *torn = malloc(FILE_LENGTH);
	unsigned int new = 0, old = 0;

	begin(&account);
	put(&account, first);
	before = read_file();
	put(&account, second);
	after = read_file();
	op_account_close(&account);
	for (size_t at = 0; at <= 200; at++) {
		size_t whole = memcmp(before, after, OP_ACCOUNT_SLOT) ? 0 : OP_ACCOUNT_SLOT;
		enum op_account_state found;
		char *text;

		memcpy(torn, before, FILE_LENGTH);
		memcpy(torn + whole, after + whole, at);
		write_file(torn);
		found = op_account_read(dir, &text);
		assert_true(found == OP_ACCOUNT_WHOLE || found == OP_ACCOUNT_TORN);
		if (!strcmp(text, second))
			new ++;
		else
			old++;
		assert_true(!strcmp(text, second) || !strcmp(text, first));
		free(text);
		/* the next writer goes on */
		begin(&account);
		put(&account, "x 1\n");
		expect(OP_ACCOUNT_WHOLE, "x 1\n");
		op_account_close(&account);
	}
	assert_true(old > 50 && new > 50);
	free(torn);
	free(after);
	free(before);
}

/* A bit of the text or its head: the slot is not believed. */
TEST_WITH(each_changed_bit_is_seen, make_dir, remove_dir)
{
	struct op_account account;
	char *bytes, *changed = malloc(FILE_LENGTH);
	size_t slot;

	begin(&account);
	put(&account, "stored 1\n");
	put(&account, "stored 2\n");
	op_account_close(&account);
	bytes = read_file();
	slot = strstr(bytes, "stored 2") ? 0 : OP_ACCOUNT_SLOT;
	for (size_t bit = 0; bit < strlen(bytes + slot) * 8; bit++) {
		memcpy(changed, bytes, FILE_LENGTH);
		changed[slot + bit / 8] ^= (char)(1 << bit % 8);
		write_file(changed);
		expect(OP_ACCOUNT_TORN, "stored 1\n");
	}
	free(changed);
	free(bytes);
}

TEST_WITH(what_is_no_account_is_damaged_and_replaced, make_dir, remove_dir)
{
	static const char *const contents[] = {"", "junk", "oprofile-account 1 "};
	struct op_account account;

	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(
			op_file_replace(path, contents[i], strlen(contents[i]), 0600, NULL), 0);
		expect(OP_ACCOUNT_DAMAGED, NULL);
		begin(&account);
		put(&account, "a 1\n");
		expect(OP_ACCOUNT_WHOLE, "a 1\n");
		op_account_close(&account);
	}
}

TEST_WITH(an_account_that_moves_is_written_on, make_dir, remove_dir)
{
	struct op_account account;
	char other[96];

	begin(&account);
	assert_true(op_account_is_in(&account, dir));
	snprintf(other, sizeof(other), "%s/other", dir);
	assert_return_code(rename(path, other), errno);
	assert_false(op_account_is_in(&account, dir));
	put(&account, "a 1\n");
	assert_return_code(rename(other, path), errno);
	expect(OP_ACCOUNT_WHOLE, "a 1\n");
	op_account_close(&account);
}

TEST_WITH(a_write_that_fails_leaves_the_account, make_dir, remove_dir)
{
	struct op_account account;
	struct op_error error;
	char *text = malloc(OP_ACCOUNT_TEXT_MOST + 2);

	begin(&account);
	put(&account, "a 1\n");
	memset(text, 'x', OP_ACCOUNT_TEXT_MOST + 1);
	text[OP_ACCOUNT_TEXT_MOST + 1] = '\0';
	assert_int_equal(op_account_write(&account, text, &error), -1);
	assert_int_equal(error.code, EFBIG);
	expect(OP_ACCOUNT_WHOLE, "a 1\n");
	close(account.fd);
	account.fd = open(path, O_RDONLY);
	assert_int_equal(op_account_write(&account, "a 2\n", &error), -1);
	assert_int_equal(error.code, EBADF);
	expect(OP_ACCOUNT_WHOLE, "a 1\n");
	op_account_close(&account);
	free(text);
}

TEST(numbers_are_found_by_their_whole_names)
{
	static const char text[] = "total 5\ntotal_samples 6\nsamples 7\nbad x\n";

	assert_int_equal(op_account_number(text, "total"), 5);
	assert_int_equal(op_account_number(text, "total_samples"), 6);
	assert_int_equal(op_account_number(text, "samples"), 7);
	assert_int_equal(op_account_number(text, "sample"), 0);
	assert_int_equal(op_account_number(text, "bad"), 0);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Who answers for a user id, and what an account may use. */
#include <math.h>

#include "libop/foreign/account.h"
#include "tests/unit/test.h"

static char file[] = "/tmp/op-account-XXXXXX";

static void write_ids(const char *text)
{
	static bool is_made; /* the letters that replace XXXXXX may have an X, too */
	int fd = is_made ? open(file, O_WRONLY | O_TRUNC | O_CLOEXEC) : mkostemp(file, O_CLOEXEC);

	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	is_made = true;
	close(fd);
	foreign_subuid_file = file;
}

TEST(a_user_answers_for_its_subordinate_ids)
{
	write_ids("nobody:700000:65536\n# comment\n54000:800000:10\nnot_a_user:900000:10\n"
		  "short:1000000\nlong:99999999999:5\n");
	assert_int_equal(foreign_account(54321), 54321);
	assert_int_equal(foreign_account(699999), 699999);
	assert_int_equal(foreign_account(700000), 65534);
	assert_int_equal(foreign_account(765535), 65534);
	assert_int_equal(foreign_account(765536), 765536);
	assert_int_equal(foreign_account(800009), 54000);
	assert_int_equal(foreign_account(1000000), 1000000);
	assert_true(foreign_account(900000) == foreign_account(900009));
	assert_true(foreign_account(900000) > UINT32_MAX);
	assert_true(foreign_is_subordinate(800000));
	assert_false(foreign_is_subordinate(54000));
}

TEST(subordinate_ids_that_are_given_later_count)
{
	write_ids("54000:800000:10\n54001:800010:10\n");
	assert_int_equal(foreign_account(800010), 54001);
	assert_int_equal(foreign_account(700000), 700000);
	foreign_subuid_file = "/tmp/there/is/none";
	assert_int_equal(foreign_account(800010), 54001); /* as it was */
	unlink(file);
}

/* Return: what is left is about what is expected. */
static bool is_about(double left, double expected)
{
	return left > expected - 0.5 && left < expected + 0.5;
}

TEST(an_account_cannot_use_what_is_anothers)
{
	struct foreign_limit limit = {.each = 4, .all = 6, .seconds = 1e6};

	assert_true(is_about(foreign_limit_left(&limit, 1), 4));
	foreign_limit_use(&limit, 1, 3);
	assert_true(is_about(foreign_limit_left(&limit, 1), 1));
	assert_true(is_about(foreign_limit_left(&limit, 2), 3));
	foreign_limit_use(&limit, 1, 100);
	assert_true(foreign_limit_left(&limit, 1) <= 0);
	foreign_limit_reset(&limit);
	assert_true(is_about(foreign_limit_left(&limit, 1), 4));
	limit.all = INFINITY;
	foreign_limit_use(&limit, 1, 100);
	assert_true(is_about(foreign_limit_left(&limit, 2), 4));
	limit.each = INFINITY;
	assert_true(isinf(foreign_limit_left(&limit, 1)));
	foreign_limit_reset(&limit);
}

TEST(what_was_used_is_forgotten_little_by_little)
{
	struct foreign_limit limit = {.each = 4, .all = 6, .seconds = 0.05};

	foreign_limit_use(&limit, 1, 4);
	usleep(100000);
	assert_true(foreign_limit_left(&limit, 1) >= 4);
	assert_true(foreign_limit_left(&limit, 2) >= 4);
	foreign_limit_reset(&limit);
}

/* None is dropped that has used something; those that have not take no memory. */
TEST(accounts_are_known_while_they_have_used_something)
{
	struct foreign_limit limit = {.each = 4, .all = INFINITY, .seconds = 1e6};

	for (uint64_t i = 0; i < 5000; i++)
		foreign_limit_use(&limit, i, i < 4000 ? 1e-9 : 2);
	assert_true(limit.by_account.n < 5000);
	for (uint64_t i = 4000; i < 5000; i++)
		assert_true(is_about(foreign_limit_left(&limit, i), 2));
	foreign_limit_reset(&limit);
}

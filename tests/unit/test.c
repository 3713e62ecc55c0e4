// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/test.h"

/* What Meson takes for a skipped test. */
#define EXIT_SKIPPED 77

/* More than any program has; each has at least one. */
#define CASES_MAX 64

static struct CMUnitTest cases[CASES_MAX];
static size_t n_cases;

static struct {
	CMFixtureFunction setup, teardown;
	void (*take)(int argc, char **argv);
	int least;
	const char *usage;
	bool (*probe)(void);
	const char *why;
	size_t before_needs; /* cases that run without what @probe looks for */
} program;

void test_register(const char *name, CMUnitTestFunction run, CMFixtureFunction setup,
		   CMFixtureFunction teardown)
{
	if (n_cases == CASES_MAX) {
		fprintf(stderr, "more than %d cases in a program\n", CASES_MAX);
		abort();
	}
	cases[n_cases++] = (struct CMUnitTest){
		.name = name,
		.test_func = run,
		.setup_func = setup,
		.teardown_func = teardown,
	};
}

void test_register_program(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	program.setup = setup;
	program.teardown = teardown;
}

void test_register_arguments(void (*take)(int argc, char **argv), int least, const char *usage)
{
	program.take = take;
	program.least = least;
	program.usage = usage;
}

void test_register_needs(bool (*probe)(void), const char *why)
{
	program.probe = probe;
	program.why = why;
	program.before_needs = n_cases;
}

static int run(const char *name, size_t count)
{
	return _cmocka_run_group_tests(name, cases, count, program.setup, program.teardown);
}

int main(int argc, char **argv)
{
	static const char only[] = "--only=";

	if (argc > 1 && !strncmp(argv[argc - 1], only, strlen(only))) {
		cmocka_set_test_filter(argv[argc - 1] + strlen(only));
		argv[--argc] = NULL;
	}
	/* sessions keep symbols for themselves, not where the user's are */
	setenv("OPROFILE_SYMBOLS", "/dev/null/none", 0);
	if (argc <= program.least || (argc > 1 && !program.take)) {
		fprintf(stderr, "usage: %s %s [--only=PATTERN]\n", argv[0],
			program.usage ? program.usage : "");
		return 2;
	}
	if (program.take)
		program.take(argc, argv);
	if (program.probe && !program.probe()) {
		int failed = program.before_needs ? run(argv[0], program.before_needs) : 0;

		puts(program.why);
		return failed ? failed : EXIT_SKIPPED;
	}
	return run(argv[0], n_cases);
}

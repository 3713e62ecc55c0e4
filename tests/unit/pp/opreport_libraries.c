// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opreport from outside: images below applications (--separate=lib), and the profile
 * specification.
 */
#include "golden.h"

/* --separate=lib: images below applications, and what of them is asked for. */
static void test_libraries(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 60},
		{FIXTURE_IN("prog", "lib.so") TIMER, TEXT(0x00), 20},
		{FIXTURE_IN("prog", "lib.so") TIMER, TEXT(0x20), 10},
		{FIXTURE_KERNEL("prog", "kallsyms") TIMER, 0x100, 50},
		{FIXTURE_ALONE("prog2") TIMER, TEXT(0x30), 10},
		{FIXTURE_IN("prog2", "lib.so") TIMER, TEXT(0x04), 50},
	};
	static const struct golden table[] = {
		{"", 0,
		 TIMER_HEAD "          TIMER:0|\n"
			    "  samples|      %|\n"
			    "------------------\n"
			    "      140 70.0000 prog\n"
			    "\t          TIMER:0|\n"
			    "\t  samples|      %|\n"
			    "\t------------------\n"
			    "\t       60 42.8571 prog\n"
			    "\t       50 35.7143 kallsyms\n"
			    "\t       30 21.4286 lib.so\n"
			    "       60 30.0000 prog2\n"
			    "\t          TIMER:0|\n"
			    "\t  samples|      %|\n"
			    "\t------------------\n"
			    "\t       50 83.3333 lib.so\n"
			    "\t       10 16.6667 prog2\n",
		 NULL},
		{"-f", 0,
		 TIMER_HEAD "          TIMER:0|\n"
			    "  samples|      %|\n"
			    "------------------\n"
			    "      140 70.0000 @DIR@/prog\n"
			    "\t          TIMER:0|\n"
			    "\t  samples|      %|\n"
			    "\t------------------\n"
			    "\t       60 42.8571 @DIR@/prog\n"
			    "\t       50 35.7143 /kallsyms\n"
			    "\t       30 21.4286 @DIR@/lib.so\n"
			    "       60 30.0000 @DIR@/prog2\n"
			    "\t          TIMER:0|\n"
			    "\t  samples|      %|\n"
			    "\t------------------\n"
			    "\t       50 83.3333 @DIR@/lib.so\n"
			    "\t       10 16.6667 @DIR@/prog2\n",
		 NULL},
		{"-%", 0,
		 TIMER_HEAD "          TIMER:0|\n"
			    "  samples|      %|\n"
			    "------------------\n"
			    "      140 70.0000 prog\n"
			    "\t          TIMER:0|\n"
			    "\t  samples|      %|\n"
			    "\t------------------\n"
			    "\t       60 30.0000 prog\n"
			    "\t       50 25.0000 kallsyms\n"
			    "\t       30 15.0000 lib.so\n"
			    "       60 30.0000 prog2\n"
			    "\t          TIMER:0|\n"
			    "\t  samples|      %|\n"
			    "\t------------------\n"
			    "\t       50 25.0000 lib.so\n"
			    "\t       10  5.0000 prog2\n",
		 NULL},
		{"-r", 0,
		 TIMER_HEAD "          TIMER:0|\n"
			    "  samples|      %|\n"
			    "------------------\n"
			    "       60 30.0000 prog2\n"
			    "\t          TIMER:0|\n"
			    "\t  samples|      %|\n"
			    "\t------------------\n"
			    "\t       10 16.6667 prog2\n"
			    "\t       50 83.3333 lib.so\n"
			    "      140 70.0000 prog\n"
			    "\t          TIMER:0|\n"
			    "\t  samples|      %|\n"
			    "\t------------------\n"
			    "\t       30 21.4286 lib.so\n"
			    "\t       50 35.7143 kallsyms\n"
			    "\t       60 42.8571 prog\n",
		 NULL},
		{"-t 20", 0,
		 TIMER_HEAD "          TIMER:0|\n"
			    "  samples|      %|\n"
			    "------------------\n"
			    "      140 70.0000 prog\n"
			    "\t          TIMER:0|\n"
			    "\t  samples|      %|\n"
			    "\t------------------\n"
			    "\t       60 42.8571 prog\n"
			    "\t       50 35.7143 kallsyms\n"
			    "\t       30 21.4286 lib.so\n"
			    "       60 30.0000 prog2\n"
			    "\t          TIMER:0|\n"
			    "\t  samples|      %|\n"
			    "\t------------------\n"
			    "\t       50 83.3333 lib.so\n",
		 NULL},
		{"-n", 0,
		 "      140 70.0000 prog\n"
		 "\t       60 42.8571 prog\n"
		 "\t       50 35.7143 kallsyms\n"
		 "\t       30 21.4286 lib.so\n"
		 "       60 30.0000 prog2\n"
		 "\t       50 83.3333 lib.so\n"
		 "\t       10 16.6667 prog2\n",
		 NULL},
		{"-l", 0,
		 TIMER_HEAD
		 "samples  %        image name               app name                 symbol name\n"
		 "60       30.0000  prog                     prog                     hot\n"
		 "50       25.0000  kallsyms                 prog                     do_work\n"
		 "50       25.0000  lib.so                   prog2                    lib_work\n"
		 "20       10.0000  lib.so                   prog                     lib_work\n"
		 "10        5.0000  lib.so                   prog                     lib_hidden\n"
		 "10        5.0000  prog2                    prog2                    cold\n",
		 NULL},
		{"-l -f", 0,
		 TIMER_HEAD
		 "samples  %        image name               app name                 symbol name\n"
		 "60       30.0000  @DIR@/prog @DIR@/prog hot\n"
		 "50       25.0000  /kallsyms                @DIR@/prog do_work\n"
		 "50       25.0000  @DIR@/lib.so @DIR@/prog2 lib_work\n"
		 "20       10.0000  @DIR@/lib.so @DIR@/prog lib_work\n"
		 "10        5.0000  @DIR@/lib.so @DIR@/prog lib_hidden\n"
		 "10        5.0000  @DIR@/prog2 @DIR@/prog2 cold\n",
		 NULL},
		{"-l -r", 0,
		 TIMER_HEAD
		 "samples  %        image name               app name                 symbol name\n"
		 "10        5.0000  prog2                    prog2                    cold\n"
		 "10        5.0000  lib.so                   prog                     lib_hidden\n"
		 "20       10.0000  lib.so                   prog                     lib_work\n"
		 "50       25.0000  lib.so                   prog2                    lib_work\n"
		 "50       25.0000  kallsyms                 prog                     do_work\n"
		 "60       30.0000  prog                     prog                     hot\n",
		 NULL},
		{"-x", 0,
		 TIMER_HEAD "          TIMER:0|\n"
			    "  samples|      %|\n"
			    "------------------\n"
			    "       60 85.7143 prog\n"
			    "       10 14.2857 prog2\n",
		 NULL},
		{"-l -x", 0,
		 TIMER_HEAD "samples  %        app name                 symbol name\n"
			    "60       85.7143  prog                     hot\n"
			    "10       14.2857  prog2                    cold\n",
		 NULL},
		{"-m lib", 0,
		 TIMER_HEAD "          TIMER:0|\n"
			    "  samples|      %|\n"
			    "------------------\n"
			    "       80 40.0000 lib.so\n"
			    "       60 30.0000 prog\n"
			    "       50 25.0000 kallsyms\n"
			    "       10  5.0000 prog2\n",
		 NULL},
		{"-l -m lib", 0,
		 TIMER_HEAD "samples  %        app name                 symbol name\n"
			    "70       35.0000  lib.so                   lib_work\n"
			    "60       30.0000  prog                     hot\n"
			    "50       25.0000  kallsyms                 do_work\n"
			    "10        5.0000  lib.so                   lib_hidden\n"
			    "10        5.0000  prog2                    cold\n",
		 NULL},
		{"-l -s image", 0,
		 TIMER_HEAD
		 "samples  %        image name               app name                 symbol name\n"
		 "50       25.0000  kallsyms                 prog                     do_work\n"
		 "50       25.0000  lib.so                   prog2                    lib_work\n"
		 "20       10.0000  lib.so                   prog                     lib_work\n"
		 "10        5.0000  lib.so                   prog                     lib_hidden\n"
		 "60       30.0000  prog                     prog                     hot\n"
		 "10        5.0000  prog2                    prog2                    cold\n",
		 NULL},
		{"-l -s app-name", 0,
		 TIMER_HEAD
		 "samples  %        image name               app name                 symbol name\n"
		 "60       30.0000  prog                     prog                     hot\n"
		 "50       25.0000  kallsyms                 prog                     do_work\n"
		 "20       10.0000  lib.so                   prog                     lib_work\n"
		 "10        5.0000  lib.so                   prog                     lib_hidden\n"
		 "50       25.0000  lib.so                   prog2                    lib_work\n"
		 "10        5.0000  prog2                    prog2                    cold\n",
		 NULL},
		{"-l -s image,symbol -n", 0,
		 "50       25.0000  kallsyms                 prog                     do_work\n"
		 "10        5.0000  lib.so                   prog                     lib_hidden\n"
		 "50       25.0000  lib.so                   prog2                    lib_work\n"
		 "20       10.0000  lib.so                   prog                     lib_work\n"
		 "60       30.0000  prog                     prog                     hot\n"
		 "10        5.0000  prog2                    prog2                    cold\n",
		 NULL},
		{"-n lib-image:lib.so", 0,
		 "       50 62.5000 prog2\n"
		 "\t       50 100.000 lib.so\n"
		 "       30 37.5000 prog\n"
		 "\t       30 100.000 lib.so\n",
		 NULL},
		{"-n image:prog2", 0,
		 "       60 100.000 prog2\n"
		 "\t       50 83.3333 lib.so\n"
		 "\t       10 16.6667 prog2\n",
		 NULL},
		{"-n image-exclude:lib.so", 0,
		 "      110 91.6667 prog\n"
		 "\t       60 54.5455 prog\n"
		 "\t       50 45.4545 kallsyms\n"
		 "       10  8.3333 prog2\n",
		 NULL},
		{"-n -l @DIR@/prog", 0,
		 "60       42.8571  prog                     hot\n"
		 "50       35.7143  kallsyms                 do_work\n"
		 "20       14.2857  lib.so                   lib_work\n"
		 "10        7.1429  lib.so                   lib_hidden\n",
		 NULL},
		{"-n */lib.so", 0,
		 "       50 62.5000 prog2\n"
		 "\t       50 100.000 lib.so\n"
		 "       30 37.5000 prog\n"
		 "\t       30 100.000 lib.so\n",
		 NULL},
		{"-n lib.so", 0,
		 "       50 62.5000 prog2\n"
		 "\t       50 100.000 lib.so\n"
		 "       30 37.5000 prog\n"
		 "\t       30 100.000 lib.so\n",
		 NULL},
		{"-n -l kallsyms", 0, "50       100.000  kallsyms                 do_work\n", NULL},
		{"-n -l /kallsyms", 0, "50       100.000  kallsyms                 do_work\n",
		 NULL},
		{"-n image:prog*", 0,
		 "      140 70.0000 prog\n"
		 "\t       60 42.8571 prog\n"
		 "\t       50 35.7143 kallsyms\n"
		 "\t       30 21.4286 lib.so\n"
		 "       60 30.0000 prog2\n"
		 "\t       50 83.3333 lib.so\n"
		 "\t       10 16.6667 prog2\n",
		 NULL},
		{"-n image:nothing", 1, "",
		 "opreport error: none of the 5 sample files in @DIR@ is meant by the profile "
		 "specification"},
		{"-n event:TIMER count:0 unit-mask:0", 0,
		 "      140 70.0000 prog\n"
		 "\t       60 42.8571 prog\n"
		 "\t       50 35.7143 kallsyms\n"
		 "\t       30 21.4286 lib.so\n"
		 "       60 30.0000 prog2\n"
		 "\t       50 83.3333 lib.so\n"
		 "\t       10 16.6667 prog2\n",
		 NULL},
		{"-n event:OTHER", 1, "",
		 "opreport error: none of the 5 sample files in @DIR@ is meant by the profile "
		 "specification"},
		{"-n tgid:1", 1, "",
		 "opreport error: none of the 5 sample files in @DIR@ is meant by the profile "
		 "specification"},
		{"-n cpu:all tid:all", 0,
		 "      140 70.0000 prog\n"
		 "\t       60 42.8571 prog\n"
		 "\t       50 35.7143 kallsyms\n"
		 "\t       30 21.4286 lib.so\n"
		 "       60 30.0000 prog2\n"
		 "\t       50 83.3333 lib.so\n"
		 "\t       10 16.6667 prog2\n",
		 NULL},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	test_shell("cp -p %s/prog %s/prog2", session.dir, session.dir);
	test_session_write(&session, "samples/current/kallsyms",
			   "ffffffff81000000 T _stext\nffffffff81000000 T startup_64\n"
			   "ffffffff81000100 T do_work\nffffffff81000200 T _etext\n");
	ADD_ALL(&session, samples);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libraries),
	};

	golden_begin(argc, argv);
	return cmocka_run_group_tests_name("opreport_libraries", tests, NULL, NULL);
}

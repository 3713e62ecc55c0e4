// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opreport from outside: where symbols come from, and what is shown when there are none.
 */
#include "golden.h"

#include <stdio.h>
#include <stdlib.h>

/* The kernel by saved symbols, by a vmlinux, and not at all. */
static void test_kernel(void **state)
{
	static const struct fixture_sample samples[] = {
		{"{kern}/kallsyms/{dep}/{kern}/kallsyms/" TIMER, 0x0, 1},
		{"{kern}/kallsyms/{dep}/{kern}/kallsyms/" TIMER, 0xff, 2},
		{"{kern}/kallsyms/{dep}/{kern}/kallsyms/" TIMER, 0x100, 4},
		{"{kern}/kallsyms/{dep}/{kern}/kallsyms/" TIMER, 0x1ff, 8},
		{"{kern}/ext4/{dep}/{kern}/ext4/" TIMER, 0x0, 16},
		{"{kern}/ext4/{dep}/{kern}/ext4/" TIMER, 0x50, 32},
		{"{kern}/ext4/{dep}/{kern}/ext4/" TIMER, 0x90, 64},
		{"{kern}/[bpf]/{dep}/{kern}/[bpf]/" TIMER, 0xffffffffc0009010, 3},
		{"{kern}/gone/{dep}/{kern}/gone/" TIMER, 0x90, 128},
		{"{kern}/no-vmlinux/{dep}/{kern}/no-vmlinux/" TIMER, 0xffffffff81000104, 256},
		{"{kern}/no-vmlinux/{dep}/{kern}/no-vmlinux/" TIMER, 0xffffffffc0000044, 512},
	};
	static const struct golden table[] = {
		{"-l -w kallsyms", 0,
		 TIMER_HEAD "vma              samples  %        symbol name\n"
			    "ffffffff81000100 12       80.0000  do_work\n"
			    "ffffffff81000000 3        20.0000  startup_64\n",
		 NULL},
		{"-d -n kallsyms ext4", 0,
		 "ffffffffc0000080 64       50.3937  ext4                     ext4_write\n"
		 "  ffffffffc0000090 64       100.000\n"
		 "ffffffffc0000040 32       25.1969  ext4                     ext4_read\n"
		 "  ffffffffc0000050 32       100.000\n"
		 "ffffffffc0000000 16       12.5984  ext4                     /ext4\n"
		 "  ffffffffc0000000 16       100.000\n"
		 "ffffffff81000100 12        9.4488  kallsyms                 do_work\n"
		 "  ffffffff81000100 4        33.3333\n"
		 "  ffffffff810001ff 8        66.6667\n"
		 "ffffffff81000000 3         2.3622  kallsyms                 startup_64\n"
		 "  ffffffff81000000 1        33.3333\n"
		 "  ffffffff810000ff 2        66.6667\n",
		 NULL},
		{"-l -n -w [[]bpf]", 0, "ffffffffc0009000 3        100.000  bpf_prog_1\n", NULL},
		{"-l -n no-vmlinux", 0,
		 "512      66.6667  ext4_read [ext4]\n"
		 "256      33.3333  do_work\n",
		 NULL},
		{"-l -n gone", 0, "128      100.000  /gone\n",
		 "opreport warning: /gone has no symbols: no module of this name was loaded"},
		{"-n", 0,
		 "      768 74.8538 no-vmlinux\n"
		 "      128 12.4756 gone\n"
		 "      112 10.9162 ext4\n"
		 "       15  1.4620 kallsyms\n"
		 "        3  0.2924 [bpf]\n",
		 NULL},
	};
	static const struct golden without[] = {
		{"-l -n kallsyms", 0, "15       100.000  /kallsyms\n",
		 "opreport warning: /kallsyms has no symbols: cannot open "
		 "@DIR@/samples/current/kallsyms: No such file or directory"},
		{"-l -n no-vmlinux", 0, "768      100.000  /no-vmlinux\n", NULL},
	};
	static const struct golden vmlinux[] = {
		{"-l -n -w @DIR@/prog", 0, "00401010 7        100.000  hot\n", NULL},
	};
	struct test_session session;
	char *name;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, samples);
	CHECK_ALL(&session, without);
	test_session_write(
		&session, "samples/current/kallsyms",
		"nonsense\n0000000000000000 A fixed_percpu_data\n"
		"ffffffff81000000 T _stext\nffffffff81000000 T startup_64\n"
		"ffffffff81000050 d data\n"
		"ffffffff81000100 T __do_work\nffffffff81000100 T do_work\n"
		"ffffffff81000200 T _etext\n"
		"ffffffffc0000040 t ext4_read\t[ext4]\nffffffffc0000080 t ext4_write\t[ext4]\n"
		"ffffffffc0001000 t other\t[other]\n"
		"ffffffffc0009000 t bpf_prog_1\t[bpf]\nffffffffc0009020 t bpf_prog_2\t[bpf]\n");
	test_session_write(&session, "samples/current/modules",
			   "other 0xffffffffc0001000 4096 -\next4 ffffffffc0000000 1000 0123\n");
	CHECK_ALL(&session, table);
	session.header.is_kernel = 1;
	name = fixture_expand(&session, FIXTURE_ALONE("prog") TIMER);
	test_session_add(&session, name, 0x10, 7);
	free(name);
	CHECK_ALL(&session, vmlinux);
	test_session_remove(&session);
}

/* Saved symbols as they are, packed, and damaged. */
static void test_packed_kallsyms(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 6},
		{"{kern}/kallsyms/{dep}/{kern}/kallsyms/" TIMER, 0x10, 3},
		{"{kern}/demo/{dep}/{kern}/demo/" TIMER, 0x50, 2},
		{"{kern}/[bpf]/{dep}/{kern}/[bpf]/" TIMER, 0xffffffffc0009010, 1},
	};
	static const struct golden good[] = {
		{"-l -n", 0,
		 "6        50.0000  prog                     hot\n"
		 "3        25.0000  kallsyms                 startup_64\n"
		 "2        16.6667  demo                     demo_read\n"
		 "1         8.3333  [bpf]                    bpf_prog_1\n",
		 NULL},
	};
	static const char without[] = "6        50.0000  prog                     hot\n"
				      "3        25.0000  kallsyms                 /kallsyms\n"
				      "2        16.6667  demo                     /demo\n"
				      "1         8.3333  [bpf]                    /[bpf]\n";
	static const struct {
		const char *how, *cause;
	} damages[] = {
		{"head -c 60 packed", "cannot unpack %s: it is cut short"},
		{"head -c 4 packed", "cannot unpack %s: it is cut short"},
		/* the checksum is at the end */
		{"head -c -1 packed && printf x",
		 "cannot unpack %s: Restored data doesn't match checksum"},
		{"cat packed && echo more", "cannot unpack %s: Unknown frame descriptor"},
		/* kilobytes that would become more than memory should hold */
		{"head -c 70000000 /dev/zero | zstd -qc", "cannot unpack %s: File too large"},
		/* half of the magic is text */
		{"head -c 2 packed", "%s: no symbols in it"},
	};
	struct test_session session;
	char *path, *cause, *message;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, samples);
	path = test_session_path(&session, "samples/current/kallsyms");
	test_session_write(&session, "samples/current/modules", "demo ffffffffc0000000 1000 -\n");
	test_session_write(&session, "samples/current/kallsyms",
			   "ffffffff81000000 T _stext\nffffffff81000000 T startup_64\n"
			   "ffffffff81000200 T _etext\n"
			   "ffffffffc0000040 t demo_read\t[demo]\n"
			   "ffffffffc0009000 t bpf_prog_1\t[bpf]\n");
	CHECK_ALL(&session, good);
	test_shell("cd %s && zstd -qc %s > packed && cp packed %s", session.dir, path, path);
	CHECK_ALL(&session, good);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct test_run run;

		test_shell("cd %s && { %s; } > %s", session.dir, damages[i].how, path);
		fixture_opreport(&run, &session, opreport_path(), "-l -n");
		assert_int_equal(run.status, 0);
		assert_string_equal(run.out, without);
		/* once, not for each image */
		test_need(asprintf(&cause, damages[i].cause, path) >= 0 &&
				  asprintf(&message,
					   "opreport warning: the kernel has no symbols: %s\n",
					   cause) >= 0,
			  "out of memory");
		assert_string_equal(run.err, message);
		free(message);
		free(cause);
		test_run_free(&run);
	}
	free(path);
	test_session_remove(&session);
}

/* Memory without a file is shown by what is known of it. */
static void test_anonymous(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 6},
		{"{root}@DIR@/prog/{dep}/{anon:anon}/7.0x7f0000000000.0x7f0000010000/" TIMER, 0x10,
		 3},
		{"{root}@DIR@/prog/{dep}/{anon:[vdso]}/7.0x7fff0000.0x7fff2000/" TIMER, 0x20, 1},
	};
	static const struct golden table[] = {
		{"", 0,
		 TIMER_HEAD
		 "          TIMER:0|\n"
		 "  samples|      %|\n"
		 "------------------\n"
		 "       10 100.000 prog\n"
		 "\t          TIMER:0|\n"
		 "\t  samples|      %|\n"
		 "\t------------------\n"
		 "\t        6 60.0000 prog\n"
		 "\t        3 30.0000 anon (tgid:7 range:0x7f0000000000-0x7f0000010000)\n"
		 "\t        1 10.0000 [vdso] (tgid:7 range:0x7fff0000-0x7fff2000)\n",
		 NULL},
		{"-l -w", 0,
		 TIMER_HEAD
		 "vma              samples  %        image name               symbol name\n"
		 "0000000000401010 6        60.0000  prog                     hot\n"
		 "00007f0000000000 3        30.0000  anon (tgid:7 "
		 "range:0x7f0000000000-0x7f0000010000) anon (tgid:7 "
		 "range:0x7f0000000000-0x7f0000010000)\n"
		 "000000007fff0000 1        10.0000  [vdso] (tgid:7 range:0x7fff0000-0x7fff2000) "
		 "[vdso] (tgid:7 range:0x7fff0000-0x7fff2000)\n",
		 NULL},
		{"-n [vdso]", 0,
		 "        1 100.000 prog\n"
		 "\t        1 100.000 [vdso] (tgid:7 range:0x7fff0000-0x7fff2000)\n",
		 NULL},
		{"-n lib-image:anon", 0,
		 "        3 100.000 prog\n"
		 "\t        3 100.000 anon (tgid:7 range:0x7f0000000000-0x7f0000010000)\n",
		 NULL},
	};

	(void)state;
	CHECK_SAMPLES(samples, table);
}

/* Several sessions, and images at other places. */
static void test_places(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 6},
	};
	static const struct golden sessions[] = {
		{"-n session:night", 0, "        6 100.000 prog\n", NULL},
		{"-n session:current,night", 0, "       12 100.000 prog\n", NULL},
		{"-n session:*", 0, "       12 100.000 prog\n", NULL},
		{"-n session:* session-exclude:night", 0, "        6 100.000 prog\n", NULL},
		{"-n session:@DIR@/samples/night", 0, "        6 100.000 prog\n", NULL},
		{"-n session-exclude:current", 1, "", "opreport error: no sample files in @DIR@"},
	};
	static const struct golden moved[] = {
		{"-l -n", 0, "6        100.000  @DIR@/prog\n",
		 "opreport warning: @DIR@/prog has no symbols: No such file or directory"},
		{"-l -n -p @DIR@/elsewhere", 0, "6        100.000  hot\n", NULL},
		{"-l -n -R @DIR@/root", 0, "6        100.000  hot\n", NULL},
		{"-l -n -p @DIR@/twice", 0, "6        100.000  @DIR@/prog\n",
		 "opreport warning: @DIR@/prog has no symbols: several files below --image-path "
		 "have this name"},
	};
	static const struct golden archived[] = {
		{"-l -n archive:@DIR@/archive", 0, "6        100.000  hot\n", NULL},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, samples);
	test_shell("cp -r %s/samples/current %s/samples/night", session.dir, session.dir);
	CHECK_ALL(&session, sessions);
	test_shell(
		"cd %s && mkdir -p elsewhere/deep twice/a twice/b root$PWD archive$PWD && "
		"cp prog elsewhere/deep && cp prog twice/a && cp prog twice/b && "
		"cp prog root$PWD && cp prog archive$PWD && cp -r samples archive$PWD && rm prog",
		session.dir);
	CHECK_ALL(&session, moved);
	test_shell("rm -r %s/samples", session.dir);
	CHECK_ALL(&session, archived);
	test_session_remove(&session);
}

static void test_changed_image(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 60},
	};
	static const struct golden changed[] = {
		{"-l -n", 0, "60       100.000  hot\n",
		 "opreport warning: @DIR@/prog was changed after it was profiled; the symbols of "
		 "60 samples may be wrong"},
	};
	static const struct golden same[] = {
		{"-l -n", 0, "60       100.000  hot\n", NULL},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	session.header.mtime = 1000000000;
	ADD_ALL(&session, samples);
	CHECK_ALL(&session, changed);
	test_shell("touch -d @1000000000 %s/prog", session.dir);
	CHECK_ALL(&session, same);
	test_session_remove(&session);
}

/* Programs without symbols, and where else the symbols may be. */
static void test_stripped(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 60},
		{FIXTURE_ALONE("lib.so") TIMER, TEXT(0x00), 30},
		{FIXTURE_ALONE("lib.so") TIMER, TEXT(0x1f), 3},
		{FIXTURE_ALONE("lib.so") TIMER, TEXT(0x20), 1},
	};
	static const struct golden stripped[] = {
		{"-d -n", 0,
		 "00401000 60       63.8298  prog                     @DIR@/prog\n"
		 "  00401010 60       100.000\n"
		 "00002000 33       35.1064  lib.so                   lib_work\n"
		 "  00002000 30       90.9091\n"
		 "  0000201f 3         9.0909\n"
		 "00002000 1         1.0638  lib.so                   @DIR@/lib.so\n"
		 "  00002020 1        100.000\n",
		 NULL},
	};
	static const struct golden linked[] = {
		{"-l -g -n @DIR@/prog", 0, "60       100.000  prog.c:20                   hot\n",
		 NULL},
	};
	static const struct golden wrong_crc[] = {
		{"-l -g -n @DIR@/prog", 0,
		 "60       100.000  (no location information)   @DIR@/prog\n", NULL},
	};
	static const struct golden by_build_id[] = {
		{"-l -g -n -R @DIR@/root prog", 0,
		 "60       100.000  prog.c:20                   hot\n", NULL},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, samples);
	test_shell("cd %s && objcopy --only-keep-debug prog prog.dbg && strip prog && strip lib.so",
		   session.dir);
	CHECK_ALL(&session, stripped);
	test_shell("cd %s && objcopy --add-gnu-debuglink=prog.dbg prog", session.dir);
	CHECK_ALL(&session, linked);
	test_shell("cd %s && mkdir .debug && mv prog.dbg .debug/", session.dir);
	CHECK_ALL(&session, linked);
	test_shell("cd %s/.debug && cp prog.dbg good && echo >> prog.dbg", session.dir);
	CHECK_ALL(&session, wrong_crc);
	test_shell("cd %s && d=root/usr/lib/debug/.build-id/01 && mkdir -p $d root$PWD && "
		   "mv .debug/good $d/23456789abcdef0123456789abcdef01234567.debug && cp prog "
		   "root$PWD",
		   session.dir);
	CHECK_ALL(&session, by_build_id);
	test_session_remove(&session);
}

/* Without section headers only the segments tell where code is. */
static void test_no_sections(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("prog") TIMER, TEXT(0x10), 60},
		{FIXTURE_ALONE("prog") TIMER, 0x2004, 6},
	};
	static const struct golden table[] = {
		{"-d -n", 0,
		 "00401000 66       100.000  @DIR@/prog\n"
		 "  00401010 60       90.9091\n"
		 "  00403004 6         9.0909\n",
		 NULL},
	};
	struct test_session session;

	(void)state;
	make_session(&session);
	ADD_ALL(&session, samples);
	/* e_shoff, e_shnum, e_shstrndx */
	test_shell("cd %s && strip prog && for field in 40:8 60:2 62:2; do dd if=/dev/zero of=prog "
		   "bs=1 "
		   "seek=${field%%:*} count=${field#*:} conv=notrunc status=none; done",
		   session.dir);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel),	      cmocka_unit_test(test_packed_kallsyms),
		cmocka_unit_test(test_anonymous),     cmocka_unit_test(test_places),
		cmocka_unit_test(test_changed_image), cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_no_sections),
	};

	golden_begin(argc, argv);
	return cmocka_run_group_tests_name("opreport_images", tests, NULL, NULL);
}

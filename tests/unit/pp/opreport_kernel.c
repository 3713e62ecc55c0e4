// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opreport and opannotate from outside: files of the kernel, which are found by name and
 * build-id: modules, packed or not, vmlinux, the vdso.
 *
 *	pp_opreport_kernel OPREPORT SOURCES OPANNOTATE
 */
#include "golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

static const char *sources, *opannotate;

#define MODULE	 "{kern}/demo_x/{dep}/{kern}/demo_x/" TIMER
#define BUILD_ID "00112233445566778899aabbccddeeff00112233"

/*
 * demo_x is loaded at 0xffffffffc0000000: demo_read at 0, demo_write at 0x28, demo_warn at 0x50
 * (0x41 aligned to 16), cleanup_module at 0x60; init_module is elsewhere.
 */
static const struct fixture_sample samples[] = {
	{MODULE, 0x00, 1},  {MODULE, 0x27, 2},	{MODULE, 0x28, 4},  {MODULE, 0x40, 8},
	{MODULE, 0x50, 16}, {MODULE, 0x5f, 32}, {MODULE, 0x60, 64},
};

#define ALL_NAMES                                                                                  \
	"ffffffffc0000060 64       50.3937  cleanup_module\n"                                      \
	"ffffffffc0000050 48       37.7953  demo_warn\n"                                           \
	"ffffffffc0000028 12        9.4488  demo_write\n"                                          \
	"ffffffffc0000000 3         2.3622  demo_read\n"

static void make_module_session(struct test_session *session)
{
	test_session_make(session);
	ADD_ALL(session, samples);
	test_session_write(session, "samples/current/modules",
			   "kallsyms ffffffff81000000 1000000 -\n"
			   "demo_x ffffffffc0000000 4000 " BUILD_ID "\n");
	test_session_write(session, "samples/current/kallsyms",
			   "ffffffff81000000 T _stext\n"
			   "ffffffff81000100 T do_work\n");
	test_shell("cd %s && as -o unlinked.o %s/module.s && "
		   "ld -r --build-id=0x" BUILD_ID " -o demo-x.ko unlinked.o && "
		   "mkdir -p root/lib/modules/5.5.5/kernel/fs root/lib/modules/6.6.6/extra",
		   session->dir, sources);
}

/* No symbols of it in kallsyms: they are in the file, which is named with '-'. */
static void test_module_file(void **state)
{
	static const struct golden found[] = {
		{"-l -w -n -R @DIR@/root", 0, ALL_NAMES, NULL},
	};
	static const struct golden by_path[] = {
		{"-l -w -n -p @DIR@/root", 0, ALL_NAMES, NULL},
	};
	static const struct golden lines[] = {
		{"-l -n -g -R @DIR@/root", 0,
		 "64       50.3937  demo.c:400                  cleanup_module\n"
		 "48       37.7953  demo.c:300                  demo_warn\n"
		 "12        9.4488  demo.c:200                  demo_write\n"
		 "3         2.3622  demo.c:100                  demo_read\n",
		 NULL},
	};
	static const struct golden wrong[] = {
		{"-l -w -n -R @DIR@/root", 0, "ffffffffc0000000 127      100.000  /demo_x\n",
		 "/demo_x has no symbols: only other versions of the module are at hand"},
	};
	static const struct {
		const char *pack, *name;
	} packings[] = {
		{"cat", "demo-x.ko"},	     {"xz -c", "demo-x.ko.xz"},
		{"xz -c", "demo_x.ko.xz"},   {"zstd -qc", "demo_x.ko.zst"},
		{"gzip -c", "demo-x.ko.gz"},
	};
	struct test_session session;

	(void)state;
	make_module_session(&session);
	for (size_t i = 0; i < sizeof(packings) / sizeof(packings[0]); i++) {
		/* Another version stands in another release. */
		test_shell("cd %s/root/lib/modules && ld -r --build-id=0x9988776655443322 -o "
			   "5.5.5/kernel/fs/demo_x.ko "
			   "../../../unlinked.o && %s ../../../demo-x.ko >6.6.6/extra/%s",
			   session.dir, packings[i].pack, packings[i].name);
		CHECK_ALL(&session, found);
		CHECK_ALL(&session, lines);
		CHECK_ALL(&session, by_path);
		test_shell("rm %s/root/lib/modules/6.6.6/extra/*", session.dir);
		CHECK_ALL(&session, wrong);
	}
	test_session_remove(&session);
}

/* A session without build-ids: only if there is one file, it is that. */
static void test_module_without_build_id(void **state)
{
	static const struct golden one[] = {
		{"-l -w -n -R @DIR@/root", 0, ALL_NAMES, NULL},
		{"-l -w -n", 0, "ffffffffc0000000 127      100.000  /demo_x\n",
		 "/demo_x has no symbols: no file of this module is at hand"},
	};
	static const struct golden two[] = {
		{"-l -w -n -R @DIR@/root", 0, "ffffffffc0000000 127      100.000  /demo_x\n",
		 "there are several files of this module, and no build-id to choose by"},
	};
	struct test_session session;

	(void)state;
	make_module_session(&session);
	test_session_write(&session, "samples/current/modules", "demo_x ffffffffc0000000 4000 -\n");
	test_shell("cp %s/demo-x.ko %s/root/lib/modules/6.6.6/extra", session.dir, session.dir);
	CHECK_ALL(&session, one);
	test_shell("cp %s/demo-x.ko %s/root/lib/modules/5.5.5/demo_x.ko", session.dir, session.dir);
	CHECK_ALL(&session, two);
	test_session_remove(&session);
}

/* Packed files that are damaged, or are no modules inside: said once, and no symbols. */
static void test_damaged_module(void **state)
{
	static const struct golden packed[] = {
		{"-l -w -n -R @DIR@/root", 0, "ffffffffc0000000 127      100.000  /demo_x\n",
		 "/demo_x has no symbols: cannot be unpacked"},
	};
	static const struct golden zeros[] = {
		{"-l -w -n -R @DIR@/root", 0, "ffffffffc0000000 127      100.000  /demo_x\n",
		 "/demo_x has no symbols: only other versions of the module are at hand"},
	};
	struct test_session session;

	(void)state;
	make_module_session(&session);
	test_shell("cd %s/root/lib/modules/6.6.6/extra && xz -c ../../../../../demo-x.ko | "
		   "head -c 200 >demo_x.ko.xz",
		   session.dir);
	CHECK_ALL(&session, packed);
	test_shell("cd %s/root/lib/modules/6.6.6/extra && head -c 100000 /dev/zero | xz -c "
		   ">demo_x.ko.xz",
		   session.dir);
	CHECK_ALL(&session, zeros);
	test_session_remove(&session);
}

/* kallsyms has the last word; a file that contradicts it has no code of this kernel. */
static void test_module_and_kallsyms(void **state)
{
	static const struct golden table[] = {
		{"-l -w -n", 0,
		 "ffffffffc0000044 112      88.1890  other\n"
		 "ffffffffc0000020 14       11.0236  renamed\n"
		 "ffffffffc0000000 1         0.7874  demo_read\n",
		 NULL},
		{"-l -n -g -R @DIR@/root", 0,
		 "112      88.1890  (no location information)   other\n"
		 "14       11.0236  (no location information)   renamed\n"
		 "1         0.7874  (no location information)   demo_read\n",
		 NULL},
	};
	struct test_session session;

	(void)state;
	make_module_session(&session);
	test_session_write(&session, "samples/current/kallsyms",
			   "ffffffff81000000 T _stext\n"
			   "ffffffffc0000000 t demo_read\t[demo_x]\n"
			   "ffffffffc0000020 t renamed\t[demo_x]\n"
			   "ffffffffc0000044 t other\t[demo_x]\n");
	test_shell("cp %s/demo-x.ko %s/root/lib/modules/6.6.6/extra", session.dir, session.dir);
	CHECK_ALL(&session, table);
	test_session_remove(&session);
}

static void run_opannotate(struct test_run *run, const struct test_session *session,
			   const char *arguments)
{
	fixture_opreport(run, session, opannotate, arguments);
}

static void test_annotated_module(void **state)
{
	static const char *const wanted[] = {
		"ffffffffc0000028 <demo_write>: /* demo_write total:",
		"     8  6.2992 :ffffffffc0000040:\tret\n",
		"    32 25.1969 :ffffffffc000005f:\tnop\n",
		"ffffffffc0000060 <cleanup_module>:",
	};
	struct test_session session;
	struct test_run run;

	(void)state;
	make_module_session(&session);
	test_shell("cd %s && zstd -q -o root/lib/modules/6.6.6/extra/demo_x.ko.zst demo-x.ko",
		   session.dir);
	run_opannotate(&run, &session, "-a -R @DIR@/root");
	assert_int_equal(run.status, 0);
	assert_string_equal(run.err, "");
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!strstr(run.out, wanted[i]))
			fail_msg("no '%s' in:\n%s", wanted[i], run.out);
	test_run_free(&run);

	/* Without it, it says so, and the samples are not lost. */
	run_opannotate(&run, &session, "-a");
	assert_int_equal(run.status, 0);
	assert_non_null(strstr(run.err, "/demo_x: no code to show: no file of this module is at "
					"hand"));
	assert_non_null(strstr(run.out, "127"));
	test_run_free(&run);
	test_session_remove(&session);
}

/* The kernel was loaded elsewhere than it was linked to be. */
static void test_vmlinux(void **state)
{
	static const struct fixture_sample kernel[] = {
		{"{kern}/kallsyms/{dep}/{kern}/kallsyms/" TIMER, 0x10, 3},
		{"{kern}/kallsyms/{dep}/{kern}/kallsyms/" TIMER, 0x30, 1},
	};
	static const struct golden table[] = {
		{"-l -w -n -p @DIR@/debug", 0,
		 "ffffffff9a000010 3        75.0000  hot\n"
		 "ffffffff9a000030 1        25.0000  cold\n",
		 NULL},
		{"-l -w -n -g -p @DIR@/debug", 0,
		 "ffffffff9a000010 3        75.0000  prog.c:20                   hot\n"
		 "ffffffff9a000030 1        25.0000  prog.c:30                   cold\n",
		 NULL},
		{"-l -w -n -g", 0,
		 "ffffffff9a000010 3        75.0000  (no location information)   hot\n"
		 "ffffffff9a000030 1        25.0000  (no location information)   cold\n",
		 NULL},
	};
	struct test_session session;
	struct test_run run;

	(void)state;
	test_session_make(&session);
	ADD_ALL(&session, kernel);
	test_session_write(&session, "samples/current/modules",
			   "kallsyms ffffffff9a000000 1000 " BUILD_ID "\n");
	test_session_write(&session, "samples/current/kallsyms",
			   "ffffffff9a000000 T _stext\n"
			   "ffffffff9a000010 T hot\n"
			   "ffffffff9a000030 T cold\n"
			   "ffffffff9a000040 t quiet\n"
			   "ffffffff9a000060 T _etext\n");
	test_shell("cd %s && mkdir debug && gcc -nostdlib -static -Wl,-Ttext=0xffffffff81000000 "
		   "-Wl,--section-start=.odd=0xffffffff81003000 -Wl,--defsym=_stext=_start "
		   "-Wl,--build-id=0x" BUILD_ID " -mcmodel=kernel -o debug/vmlinux-9.9 %s/prog.s",
		   session.dir, sources);
	CHECK_ALL(&session, table);
	run_opannotate(&run, &session, "-a -p @DIR@/debug");
	assert_int_equal(run.status, 0);
	assert_non_null(strstr(run.out, "     3 75.0000 :ffffffff9a000010:\tnop\n"));
	test_run_free(&run);
	run_opannotate(&run, &session, "-a");
	assert_int_equal(run.status, 0);
	assert_non_null(strstr(run.err, "/kallsyms: no code to show: the vmlinux of this kernel is "
					"not at hand"));
	test_run_free(&run);
	test_session_remove(&session);
}

/* The build-id of this machine's kernel, in hexadecimal; "" if it does not tell. */
static void running_build_id(char hex[129])
{
	FILE *file = fopen("/sys/kernel/notes", "r");
	unsigned char notes[4096];
	size_t n = file ? fread(notes, 1, sizeof(notes), file) : 0;
	static const unsigned char head[12] = {20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0};
	const unsigned char *at = memmem(notes, n, head, sizeof(head));

	*hex = '\0';
	for (size_t i = 0; at && at + sizeof(head) + 20 <= notes + n && i < 20; i++)
		sprintf(hex + 2 * i, "%02x", at[sizeof(head) + i]);
	if (file)
		fclose(file);
}

/* Of the kernel that runs, by its build-id; bytes of its mapping are keys. */
static void test_vdso(void **state)
{
	const unsigned char *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	char modules[512], id[129] = "", name[256], *text = NULL, *at;
	struct test_session session;
	unsigned long start, end, offset;
	size_t size = 0;
	struct test_run run;
	FILE *file;

	(void)state;
	running_build_id(id);
	if (!vdso || !*id) {
		print_message("skipped: no vdso, or no build-id of the kernel\n");
		skip();
	}
	file = fopen("/proc/self/maps", "r");
	while (getline(&text, &size, file) > 0 && !strstr(text, "[vdso]"))
		continue;
	fclose(file);
	test_need(sscanf(text, "%lx-%lx", &start, &end) == 2, "no [vdso] in maps");
	free(text);
	test_session_make(&session);
	snprintf(name, sizeof(name), "%s/vdso", session.dir);
	file = fopen(name, "w");
	fwrite(vdso, 1, end - start, file);
	fclose(file);
	snprintf(modules, sizeof(modules),
		 "nm -D %s | awk '$3 ~ /^__vdso_gettimeofday/ {print $1; exit}'", name);
	file = popen(modules, "r");
	test_need(file && fscanf(file, "%lx", &offset) == 1, "no __vdso_gettimeofday");
	pclose(file);
	snprintf(modules, sizeof(modules), "kallsyms ffffffff81000000 1000 %s\n", id);
	test_session_write(&session, "samples/current/modules", modules);
	test_session_write(&session, "samples/current/kallsyms", "ffffffff81000000 T _stext\n");
	snprintf(name, sizeof(name), "{root}/x/{dep}/{anon:[vdso]}/7.0x7ffff7fc1000.0x%lx/" TIMER,
		 0x7ffff7fc1000 + (end - start));
	test_session_add(&session, name, offset + 1, 5);
	fixture_opreport(&run, &session, opreport_path(), "-l -n -w");
	assert_int_equal(run.status, 0);
	assert_string_equal(run.err, "");
	assert_non_null(strstr(run.out, "gettimeofday\n"));
	snprintf(name, sizeof(name), "%016lx 5        100.000", 0x7ffff7fc1000 + offset);
	assert_non_null(strstr(run.out, name));
	test_run_free(&run);
	run_opannotate(&run, &session, "-a");
	assert_int_equal(run.status, 0);
	assert_non_null(strstr(run.out, "gettimeofday>: "));
	test_run_free(&run);

	/* Another kernel's is not that of this one. */
	at = strchr(modules, '\n') - 1;
	*at = *at == '0' ? '1' : '0';
	test_session_write(&session, "samples/current/modules", modules);
	fixture_opreport(&run, &session, opreport_path(), "-l -n");
	assert_string_equal(run.err, "");
	assert_null(strstr(run.out, "gettimeofday"));
	assert_non_null(strstr(run.out, "[vdso] (tgid:7 range:0x7ffff7fc1000-"));
	test_run_free(&run);
	test_session_remove(&session);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_module_file),
		cmocka_unit_test(test_module_without_build_id),
		cmocka_unit_test(test_damaged_module),
		cmocka_unit_test(test_module_and_kallsyms),
		cmocka_unit_test(test_annotated_module),
		cmocka_unit_test(test_vmlinux),
		cmocka_unit_test(test_vdso),
	};

	test_need(argc == 4, "usage: %s OPREPORT SOURCES OPANNOTATE", argv[0]);
	sources = argv[2];
	opannotate = argv[3];
	golden_begin(3, argv);
	return cmocka_run_group_tests_name("opreport_kernel", tests, NULL, NULL);
}

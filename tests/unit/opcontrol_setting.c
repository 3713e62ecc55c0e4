// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opcontrol's settings: what each key takes, what is refused and with which words, and that
 * any text either is read and written back the same or is an error that changes nothing.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "utils/opcontrol/daemonrc.h"
#include "utils/opcontrol/setting.h"

static char *print(const struct settings *settings)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	settings_print(settings, file);
	assert_int_equal(fclose(file), 0);
	return text;
}

static void values_are_judged(void **state)
{
	static const struct {
		const char *key, *value, *error; /* part of it; NULL: taken */
	} cases[] = {
		{"BUF_SIZE", "1024", NULL},
		{"BUF_SIZE", "134217728", NULL},
		{"BUF_SIZE", "0", NULL},
		{"BUF_SIZE", "1023", "1023"},
		{"BUF_SIZE", "134217729", "134217729"},
		{"BUF_SIZE", "", "buffer size"},
		{"BUF_SIZE", "-1", "-1"},
		{"BUF_SIZE", "+1024", "+1024"},
		{"BUF_SIZE", " 1024", " 1024"},
		{"BUF_SIZE", "1024 ", "1024 "},
		{"BUF_SIZE", "4096k", "4096k"},
		{"BUF_SIZE", "18446744073709551616", "18446744073709551616"},
		{"BUF_WATERSHED", "1", NULL},
		{"CPU_BUF_SIZE", "511", "511"},
		{"CPU_BUF_SIZE", "512", NULL},
		{"CPU_BUF_SIZE", "4194305", "4194305"},
		{"CALLGRAPH", "0", NULL},
		{"CALLGRAPH", "255", NULL},
		{"CALLGRAPH", "256", "256"},
		{"FREQUENCY", "1", NULL},
		{"FREQUENCY", "20000", NULL},
		{"FREQUENCY", "20001", "20001"},
		{"TIME_SLICE", "1", NULL},
		{"TIME_SLICE", "1000", NULL},
		{"TIME_SLICE", "1001", "1001"},
		{"SEPARATE_LIB", "1", NULL},
		{"SEPARATE_LIB", "2", "neither 0 nor 1"},
		{"SEPARATE_LIB", "yes", "neither 0 nor 1"},
		{"SEPARATE_LIB", "", "neither 0 nor 1"},
		{"SESSION_DIR", "/var/lib/oprofile", NULL},
		{"SESSION_DIR", "/with blank and +", NULL},
		{"SESSION_DIR", "here", "not an absolute path"},
		{"SESSION_DIR", "", "not an absolute path"},
		{"SESSION_DIR", "/a\nBUF_SIZE=0", "control character"},
		{"SESSION_DIR", "/a\x7f", "control character"},
		{"VMLINUX", "", NULL},
		{"VMLINUX", "none", NULL},
		{"VMLINUX", "/boot/vmlinux-6.1.0+", NULL},
		{"VMLINUX", "vmlinux", "not an absolute path"},
		{"IMAGE_FILTER", "all", NULL},
		{"IMAGE_FILTER", "/bin/a,/bin/b", NULL},
		{"IMAGE_FILTER", "/bin/a,b", "\"b\" is not an absolute path"},
		{"IMAGE_FILTER", "/bin/a,", "\"\" is not an absolute path"},
		{"KERNEL_RANGE", "ffffffff81000000,ffffffff82000000", NULL},
		{"KERNEL_RANGE", "0xffffffff81000000,0xFFFFFFFF82000000", NULL},
		{"KERNEL_RANGE", "2,1", "ends before it starts"},
		{"KERNEL_RANGE", "1,1", "ends before it starts"},
		{"KERNEL_RANGE", "1", "not START,END"},
		{"KERNEL_RANGE", "1,2,3", "2,3"},
		{"KERNEL_RANGE", "1,g", "g"},
		{"KERNEL_RANGE", ",", "kernel address"},
		{"KERNEL_RANGE", "1-2", "not START,END"},
		{"KERNEL_RANGE", "1,0x0x2", "0x2"},
		{"KERNEL_RANGE", "1,11112222333344445", "11112222333344445"},
		{"XENIMAGE", "none", NULL},
		{"XENIMAGE", "/xen", "Xen"},
		{"NOTE_SIZE", "4096", NULL},
		{"NOTE_SIZE", "x", "x"},
		{"PATH", "/bin", "no setting \"PATH\""},
		{"buf_size", "1024", "no setting \"buf_size\""},
		{"", "1024", "no setting \"\""},
	};
	struct settings settings, before;
	struct op_error error;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(settings_init(&settings, &error), 0);
		assert_int_equal(settings_copy(&before, &settings, &error), 0);
		error.text[0] = '\0';
		if (settings_set(&settings, cases[i].key, cases[i].value, &error)) {
			if (!cases[i].error || !strstr(error.text, cases[i].error))
				fail_msg("%s=%s: %s", cases[i].key, cases[i].value, error.text);
			assert_true(settings_equal(&settings, &before));
		} else if (cases[i].error) {
			fail_msg("%s=%s was taken", cases[i].key, cases[i].value);
		}
		settings_free(&settings);
		settings_free(&before);
	}
}

static void separation_lists(void **state)
{
	static const struct {
		const char *list;
		int flags; /* lib 1, kernel 2, thread 4, cpu 8; -1: refused */
	} cases[] = {
		{"none", 0},	    {"lib", 1},		{"library", 1},	    {"kernel", 3},
		{"thread", 4},	    {"cpu", 8},		{"all", 15},	    {"lib,thread", 5},
		{"kernel,cpu", 11}, {"", -1},		{"lib,", -1},	    {",", -1},
		{"libs", -1},	    {"none,lib", -1},	{"lib,none", -1},   {"none,none", 0},
		{"Lib", -1},	    {"lib thread", -1}, {"thread,all", 15},
	};
	struct settings settings;
	struct op_error error;
	int flags;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(settings_init(&settings, &error), 0);
		/* The list replaces what was chosen before. */
		settings.separate_thread = settings.separate_cpu = true;
		flags = -1;
		if (!settings_separate(&settings, cases[i].list, &error))
			flags = settings.separate_lib | settings.separate_kernel << 1 |
				settings.separate_thread << 2 | settings.separate_cpu << 3;
		else
			assert_true(settings.separate_thread && settings.separate_cpu);
		if (flags != cases[i].flags)
			fail_msg("\"%s\": %d, not %d", cases[i].list, flags, cases[i].flags);
		settings_free(&settings);
	}
}

static void values_must_fit_together(void **state)
{
	static const struct {
		const char *keys[3], *values[3], *error;
	} cases[] = {
		{{0}, {0}, NULL},
		{{"BUF_SIZE"}, {"1024"}, NULL}, /* the default watershed is a quarter */
		{{"BUF_WATERSHED"}, {"131071"}, NULL},
		{{"BUF_WATERSHED"}, {"131072"}, "--buffer-watershed"},
		{{"BUF_SIZE", "BUF_WATERSHED"}, {"2048", "2048"}, "smaller than"},
		{{"BUF_SIZE", "BUF_WATERSHED"}, {"2048", "2047"}, NULL},
		{{"KERNEL_RANGE"}, {"1,2"}, "needs a kernel image"},
		{{"KERNEL_RANGE", "VMLINUX"}, {"1,2", "none"}, "needs a kernel image"},
		{{"KERNEL_RANGE", "VMLINUX"}, {"1,2", "/v"}, NULL},
	};
	struct settings settings;
	struct op_error error;
	int ret;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(settings_init(&settings, &error), 0);
		for (int k = 0; k < 3 && cases[i].keys[k]; k++)
			assert_int_equal(settings_set(&settings, cases[i].keys[k],
						      cases[i].values[k], &error),
					 0);
		ret = settings_check(&settings, &error);
		if (!!ret != !!cases[i].error || (ret && !strstr(error.text, cases[i].error)))
			fail_msg("case %zu: %d %s", i, ret, ret ? error.text : "");
		settings_free(&settings);
	}
}

static void files_are_judged(void **state)
{
	static const struct {
		const char *text, *error; /* all of it; NULL: taken */
	} cases[] = {
		{"", NULL},
		{"\n\n", NULL},
		{"BUF_SIZE=4096", NULL}, /* no newline at the end */
		{"BUF_SIZE=4096\n", NULL},
		{"NR_CHOSEN=0\n", NULL},
		{"CHOSEN_EVENTS_1=B:9\nNR_CHOSEN=2\nCHOSEN_EVENTS_0=A:1000:0x3:1:0\n", NULL},
		{"BUF_SIZE\n", "rc:1: the line is not KEY=value"},
		{"# BUF_SIZE\n", "rc:1: the line is not KEY=value"},
		{"\nSIZE=1\n", "rc:2: there is no setting \"SIZE\""},
		{"SEPARATE_LIB=0\nSEPARATE_CPU=3\n",
		 "rc:2: SEPARATE_CPU: \"3\" is neither 0 nor 1"},
		{"CALLGRAPH=1\nCALLGRAPH=1\n",
		 "rc:2: CALLGRAPH: the key stands here a second time"},
		{"CHOSEN_EVENTS_0=A:1\n", "rc: CHOSEN_EVENTS_0 is one too many: NR_CHOSEN is 0"},
		{"NR_CHOSEN=1\n", "rc: CHOSEN_EVENTS_0 is missing: NR_CHOSEN is 1"},
		{"CHOSEN_EVENTS_1=A:1\nNR_CHOSEN=1\n",
		 "rc: CHOSEN_EVENTS_0 is missing: NR_CHOSEN is 1"},
		{"CHOSEN_EVENTS_=A:1\n", "rc:1: CHOSEN_EVENTS_: not the number of an event"},
		{"CHOSEN_EVENTS_64=A:1\n", "rc:1: CHOSEN_EVENTS_64: not the number of an event"},
		{"CHOSEN_EVENTS_-1=A:1\n", "rc:1: CHOSEN_EVENTS_-1: not the number of an event"},
		{"NR_CHOSEN=65\n", "rc:1: NR_CHOSEN: not a number of events"},
		{"NR_CHOSEN=1\nNR_CHOSEN=1\n",
		 "rc:2: NR_CHOSEN: the key stands here a second time"},
		{"CHOSEN_EVENTS_0=A:1\nCHOSEN_EVENTS_0=A:1\n",
		 "rc:2: CHOSEN_EVENTS_0: the key stands here a second time"},
		{"BUF_SIZE=1024\nBUF_WATERSHED=1024\n",
		 "rc: the buffer watershed (1024) must be smaller than the buffer size (1024): "
		 "change one with --buffer-watershed or --buffer-size (0: its default)"},
	};
	struct settings settings;
	struct op_error error;
	int ret;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ret = daemonrc_parse("rc", cases[i].text, strlen(cases[i].text), &settings, &error);
		if (!!ret != !!cases[i].error || (ret && strcmp(error.text, cases[i].error)))
			fail_msg("\"%s\": %d %s", cases[i].text, ret, ret ? error.text : "");
		if (!ret)
			settings_free(&settings);
	}
	assert_int_equal(daemonrc_parse("rc", "A\0B", 3, &settings, &error), -1);
	assert_string_equal(error.text, "rc: there is a NUL byte in it");
}

/* The file of OProfile 0.9's opcontrol: names, order and defaults. */
static void an_old_file_is_read(void **state)
{
	static const char text[] = "SESSION_DIR=/var/lib/oprofile\n"
				   "NR_CHOSEN=0\n"
				   "SEPARATE_LIB=1\n"
				   "SEPARATE_KERNEL=1\n"
				   "SEPARATE_THREAD=0\n"
				   "SEPARATE_CPU=0\n"
				   "VMLINUX=none\n"
				   "IMAGE_FILTER=\n"
				   "CPU_BUF_SIZE=0\n"
				   "CALLGRAPH=0\n"
				   "XENIMAGE=none\n";
	static const char written[] = "SESSION_DIR=/var/lib/oprofile\n"
				      "SEPARATE_LIB=1\n"
				      "SEPARATE_KERNEL=1\n"
				      "SEPARATE_THREAD=0\n"
				      "SEPARATE_CPU=0\n"
				      "VMLINUX=none\n"
				      "IMAGE_FILTER=\n"
				      "CPU_BUF_SIZE=0\n"
				      "CALLGRAPH=0\n"
				      "NR_CHOSEN=0\n";
	struct settings settings;
	struct op_error error;
	char *again;

	(void)state;
	assert_int_equal(daemonrc_parse("rc", text, strlen(text), &settings, &error), 0);
	assert_true(settings.separate_lib && settings.separate_kernel);
	assert_string_equal(settings.vmlinux, "none");
	again = print(&settings);
	assert_string_equal(again, written);
	free(again);
	settings_free(&settings);
}

static const char full[] = "SESSION_DIR=/srv/a b\n"
			   "SEPARATE_LIB=0\nSEPARATE_KERNEL=0\nSEPARATE_THREAD=1\nSEPARATE_CPU=1\n"
			   "VMLINUX=/boot/vmlinux\nKERNEL_RANGE=0x1000,0x2000\n"
			   "IMAGE_FILTER=/bin/a,/bin/b\n"
			   "BUF_SIZE=65536\nBUF_WATERSHED=4096\nCPU_BUF_SIZE=1024\n"
			   "CALLGRAPH=12\nFREQUENCY=997\n"
			   "CHOSEN_EVENTS_0=A_B:100\nCHOSEN_EVENTS_1=C:1000:0x3:1:0\nNR_CHOSEN=2\n";

static void what_is_written_reads_the_same(void **state)
{
	struct settings settings, again, copy;
	struct op_error error;
	char *text;

	(void)state;
	assert_int_equal(daemonrc_parse("rc", full, strlen(full), &settings, &error), 0);
	text = print(&settings);
	assert_string_equal(text, full);
	assert_int_equal(daemonrc_parse("rc", text, strlen(text), &again, &error), 0);
	assert_true(settings_equal(&settings, &again));
	assert_int_equal(settings_copy(&copy, &settings, &error), 0);
	assert_true(settings_equal(&settings, &copy));
	free(copy.events.item[1]);
	copy.events.item[1] = strdup("C:1001");
	assert_false(settings_equal(&settings, &copy));
	free(text);
	settings_free(&settings);
	settings_free(&again);
	settings_free(&copy);
}

/* Whatever is taken of mangled text must survive being written and read. */
static void mangled_text_is_read_or_refused(void **state)
{
	static const char dictionary[] = "=\n,:0\x7f\x01\xff/ -x9";
	struct settings settings, again;
	unsigned int taken = 0, refused = 0;
	struct op_error error;
	char text[2 * sizeof(full)];

	(void)state;
	srandom(1);
	for (int round = 0; round < 20000; round++) {
		size_t size = strlen(full);
		int changes = 1 + random() % 4;

		memcpy(text, full, size);
		while (changes-- && size > 1) {
			size_t at = random() % size, n = random() % (size - at) % 40;

			switch (random() % 4) {
			case 0: /* another byte */
				text[at] = dictionary[random() % (sizeof(dictionary) - 1)];
				break;
			case 1: /* one that isn't there */
				memmove(text + at, text + at + 1, size - at - 1);
				size--;
				break;
			case 2: /* a piece twice, as far as there is room */
				if (size + n < sizeof(text)) {
					memmove(text + at + n, text + at, size - at);
					size += n;
				}
				break;
			default: /* cut */
				if (random() % 8 == 0)
					size = at + 1;
			}
		}
		error.text[0] = '\0';
		if (daemonrc_parse("rc", text, size, &settings, &error)) {
			assert_true(!strncmp(error.text, "rc:", 3));
			refused++;
			continue;
		}
		taken++;
		char *out = print(&settings);

		if (daemonrc_parse("out", out, strlen(out), &again, &error))
			fail_msg("%s\nfrom\n%.*s", error.text, (int)size, text);
		assert_true(settings_equal(&settings, &again));
		free(out);
		settings_free(&settings);
		settings_free(&again);
	}
	/* Else the mangling is too strong or too weak to show anything. */
	assert_true(taken > 500 && refused > 500);
}

static void files_are_replaced_whole(void **state)
{
	char home[] = "/tmp/opcontrol-XXXXXX", path[64], *dir;
	struct settings settings, again;
	struct op_error error;
	struct stat status;
	bool found;
	int lock;

	(void)state;
	assert_non_null(mkdtemp(home));
	assert_int_equal(setenv("HOME", home, 1), 0);
	lock = daemonrc_open_dir(&dir, &error);
	assert_true(lock >= 0);
	assert_int_equal(stat(dir, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);

	assert_int_equal(daemonrc_load(dir, DAEMONRC, &settings, &found, &error), 0);
	assert_false(found);
	settings.frequency = 99;
	assert_int_equal(daemonrc_save(dir, DAEMONRC_NEW, &settings, &error), 0);
	snprintf(path, sizeof(path), "%s/%s", dir, DAEMONRC_NEW);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_int_equal(daemonrc_adopt_new(dir, &error), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(daemonrc_adopt_new(dir, &error), 0); /* nothing to adopt */

	assert_int_equal(daemonrc_load(dir, DAEMONRC, &again, &found, &error), 0);
	assert_true(found);
	assert_true(settings_equal(&settings, &again));
	settings_free(&settings);
	settings_free(&again);

	snprintf(path, sizeof(path), "%s/%s", dir, DAEMONRC);
	assert_int_equal(unlink(path), 0);
	close(lock);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(rmdir(home), 0);
	free(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_judged),
		cmocka_unit_test(separation_lists),
		cmocka_unit_test(values_must_fit_together),
		cmocka_unit_test(files_are_judged),
		cmocka_unit_test(an_old_file_is_read),
		cmocka_unit_test(what_is_written_reads_the_same),
		cmocka_unit_test(mangled_text_is_read_or_refused),
		cmocka_unit_test(files_are_replaced_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

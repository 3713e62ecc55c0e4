// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opcontrol's command line: which options go together and what a wrong one is told.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "utils/opcontrol/module.h"
#include "utils/opcontrol/request.h"
#include "utils/opcontrol/vmlinux.h"

#define ARGUMENTS_MAX 8

static int count(const char *const *arguments)
{
	int n = 1;

	while (arguments[n - 1])
		n++;
	return n;
}

static int parse(const char *const *arguments, struct request *request, struct op_error *error)
{
	const char *argv[ARGUMENTS_MAX + 1] = {"opcontrol"};
	int argc = count(arguments);

	for (int i = 1; i < argc; i++)
		argv[i] = arguments[i - 1];
	return request_parse(argc, argv, request, error);
}

static void combinations(void **state)
{
	static const struct {
		const char *arguments[ARGUMENTS_MAX];
		enum action_id action;
		const char *error; /* part of it; NULL: taken */
	} cases[] = {
		{{"--init"}, ACTION_INIT, NULL},
		{{"--start-daemon"}, ACTION_START_DAEMON, NULL},
		{{"--start"}, ACTION_START, NULL},
		{{"-s"}, ACTION_START, NULL},
		{{"-s", "--start"}, ACTION_START, NULL},
		{{"-d"}, ACTION_DUMP, NULL},
		{{"-t"}, ACTION_STOP, NULL},
		{{"-h"}, ACTION_SHUTDOWN, NULL},
		{{"-l"}, ACTION_LIST_EVENTS, NULL},
		{{"--reset"}, ACTION_RESET, NULL},
		{{"--save=x"}, ACTION_SAVE, NULL},
		{{"--save", "x"}, ACTION_SAVE, NULL},
		{{"--deinit"}, ACTION_DEINIT, NULL},
		{{"--status"}, ACTION_NONE, NULL},
		{{"--setup"}, ACTION_NONE, NULL},
		{{"--dump", "--status"}, ACTION_DUMP, NULL},
		{{"--setup", "--frequency=99"}, ACTION_NONE, NULL},
		{{"--frequency", "99"}, ACTION_NONE, NULL},
		{{"--start", "--frequency=99", "-p", "lib", "-c3"}, ACTION_START, NULL},
		{{"--start", "--perf"}, ACTION_START, NULL},
		{{"--setup", "--no-perf"}, ACTION_NONE, NULL},
		{{"--perf", "--no-perf"}, 0, "--perf and --no-perf exclude each other"},
		{{"--start", "--perf", "--backend=timer"}, 0, "--perf needs no module"},
		{{"--start", "-V"}, ACTION_START, NULL},
		{{"--start", "--verbose=sfile,arcs"}, ACTION_START, NULL},
		{{"--start", "--backend=timer"}, ACTION_START, NULL},
		{{"--init", "--module", "x.ko", "--backend", "nmi_timer"}, ACTION_INIT, NULL},
		{{"--session-dir=/x", "--reset"}, ACTION_RESET, NULL},
		{{"--start", "--stop"}, 0, "--start and --stop exclude each other"},
		{{"--save=x", "--reset"}, 0, "--save and --reset exclude each other"},
		{{"--dump", "--frequency=99"}, 0, "--dump takes no settings (--frequency)"},
		{{"--save=x", "--no-vmlinux"}, 0, "--save takes no settings (--no-vmlinux)"},
		{{"--stop", "--setup"}, 0, "--setup and --stop exclude each other"},
		{{"--stop", "-V"}, 0, "--verbose goes with"},
		{{"--start", "-Vloud"}, 0, "\"loud\" is not all"},
		{{"--dump", "--backend=timer"}, 0, "--backend goes with"},
		{{"--module=x.ko"}, 0, "--module goes with"},
		{{"--init", "--backend=timer evil=1"}, 0, "not the name of a backend"},
		{{"--init", "--backend="}, 0, "not the name of a backend"},
		{{"--vmlinux=/x", "--no-vmlinux"}, 0, "--vmlinux and --no-vmlinux exclude"},
		{{"--session-dir="}, 0, "--session-dir: the path is empty"},
		{{"--nonsense"}, 0, "--nonsense"},
		{{"-x"}, 0, "-x"},
		{{"--xen=/x"}, 0, "--xen"},
		{{"--save"}, 0, "--save"},
		{{"--frequency"}, 0, "--frequency"},
		{{"start"}, 0, "\"start\" is not an option"},
		{{"--start", "x"}, 0, "\"x\" is not an option"},
		{{"--save="}, 0, "--save: the name is empty"},
		{{"--save=../x"}, 0, "--save: \"../x\" names a directory"},
		{{"--save=/etc"}, 0, "--save: \"/etc\" names a directory"},
		{{"--save=.."}, 0, "--save: \"..\": a name is made of"},
		{{"--save=."}, 0, "--save: \".\": a name is made of"},
		{{"--save=.reset-0"}, 0, "--save: \".reset-0\": a name is made of"},
		{{"--save=a b"}, 0, "--save: \"a b\": a name is made of"},
		{{"--save=a,b"}, 0, "--save: \"a,b\": a name is made of"},
		{{"--save=a\nb"}, 0, "a name is made of"},
		{{"--save=current"}, 0, "--save: \"current\" is the name of the live samples"},
	};
	struct request request;
	struct op_error error;
	int ret;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		error.text[0] = '\0';
		ret = parse(cases[i].arguments, &request, &error);
		if (!!ret != !!cases[i].error || (ret && !strstr(error.text, cases[i].error)))
			fail_msg("%s %s: %d %s", cases[i].arguments[0],
				 cases[i].arguments[1] ? cases[i].arguments[1] : "", ret,
				 error.text);
		if (!ret)
			assert_int_equal(request.action, cases[i].action);
		request_free(&request);
	}
}

static void help_is_always_given(void **state)
{
	static const char *const cases[][ARGUMENTS_MAX] = {
		{NULL}, {"--help"}, {"-?"}, {"--help", "--save=../x"}};
	struct request request;
	struct op_error error;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i], &request, &error), 0);
		assert_true(request.help);
		request_free(&request);
	}
}

static void settings_are_applied(void **state)
{
	static const struct {
		const char *arguments[ARGUMENTS_MAX];
		const char *expect; /* part of what is written, or of the error */
		bool fails;
	} cases[] = {
		{{"--frequency=99"}, "\nFREQUENCY=99\n", false},
		{{"--frequency=99", "--frequency=98"}, "\nFREQUENCY=98\n", false},
		{{"--frequency=0"}, "\nCALLGRAPH=3\nCHOSEN_EVENTS_0=", false},
		{{"--frequency=20001"}, "--frequency: ", true},
		{{"--time-slice=7"}, "\nTIME_SLICE=7\n", false},
		{{"--time-slice=7", "--time-slice=0"}, "\nFREQUENCY=77\nCHOSEN_EVENTS_0=", false},
		{{"--time-slice=1001"}, "--time-slice: ", true},
		{{"--callgraph=8"}, "\nCALLGRAPH=8\n", false},
		{{"--separate=thread"},
		 "SEPARATE_LIB=0\nSEPARATE_KERNEL=0\nSEPARATE_THREAD=1",
		 false},
		{{"--separate=x"}, "--separate: \"x\" is not", true},
		{{"--session-dir=/x"}, "SESSION_DIR=/x\n", false},
		{{"--buffer-size=4096"}, "\nBUF_SIZE=4096\n", false},
		{{"--buffer-size=2k"}, "--buffer-size: ", true},
		{{"--buffer-watershed=999999"}, "must be smaller", true},
		{{"--buffer-watershed=999999", "--buffer-size=1000000"},
		 "BUF_WATERSHED=999999",
		 false},
		{{"--cpu-buffer-size=512"}, "CPU_BUF_SIZE=512\n", false},
		{{"--no-vmlinux"}, "VMLINUX=none\nIMAGE_FILTER", false}, /* and no range */
		{{"--vmlinux=default"}, "VMLINUX=\nIMAGE_FILTER", false},
		{{"--vmlinux=/no/such/file"}, "--vmlinux: /no/such/file: No such file", true},
		{{"--vmlinux=/etc/passwd"}, "--vmlinux: /etc/passwd is not an ELF file", true},
		{{"--vmlinux=/"}, "--vmlinux: / is not a file", true},
		{{"--vmlinux="}, "--vmlinux: the path is empty", true},
		{{"--kernel-range=1000,2000"}, "KERNEL_RANGE=0x1000,0x2000\n", false},
		{{"--kernel-range="}, "VMLINUX=/boot/vmlinux\nIMAGE_FILTER", false},
		{{"--kernel-range=5"}, "--kernel-range: ", true},
		{{"--kernel-range=1,2", "--no-vmlinux"}, "needs a kernel image", true},
		{{"--image=/etc/passwd"}, "IMAGE_FILTER=/etc/passwd\n", false},
		{{"--image=/etc/../etc/passwd,/etc"}, "IMAGE_FILTER=/etc/passwd,/etc\n", false},
		{{"--image=all"}, "IMAGE_FILTER=\n", false},
		{{"--image=/no/such/file"}, "--image: \"/no/such/file\": No such file", true},
		{{"--image=/etc,"}, "--image: \"\": No such file", true},
		{{"--event=X:1"}, "CHOSEN_EVENTS_0=X:1\nNR_CHOSEN=1\n", false},
		{{"-e", "X:1", "-eY:2:0xf"},
		 "_0=X:1\nCHOSEN_EVENTS_1=Y:2:0xf\nNR_CHOSEN=2\n",
		 false},
		{{"--event=default"}, "NR_CHOSEN=0\n", false},
		{{"--event=default", "-eX:1"}, "--event: default goes with no other", true},
		{{"-eX:1", "--event=default"}, "--event: default goes with no other", true},
		{{"--event=X"}, "--event: \"X\" has no count", true},
		{{"--event=X:y"}, "--event: event \"X:y\"", true},
		{{"--event="}, "--event: event \"\"", true},
	};
	struct request request;
	struct settings settings;
	struct op_error error;
	char *text;
	size_t size;
	FILE *file;
	int ret;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(settings_init(&settings, &error), 0);
		assert_int_equal(settings_set(&settings, "VMLINUX", "/boot/vmlinux", &error), 0);
		assert_int_equal(settings_set(&settings, "KERNEL_RANGE", "1,2", &error), 0);
		assert_int_equal(settings_set(&settings, "CALLGRAPH", "3", &error), 0);
		assert_int_equal(settings_set(&settings, "FREQUENCY", "77", &error), 0);
		assert_int_equal(settings_add_event(&settings, "OLD:1000", &error), 0);
		assert_int_equal(parse(cases[i].arguments, &request, &error), 0);
		assert_true(request_keeps_settings(&request));

		ret = request_apply(&request, &settings, &error);
		file = open_memstream(&text, &size);
		if (ret)
			fputs(error.text, file);
		else
			settings_print(&settings, file);
		fclose(file);
		if (!!ret != cases[i].fails || !strstr(text, cases[i].expect))
			fail_msg("%s: %d %s", cases[i].arguments[0], ret, text);
		free(text);
		settings_free(&settings);
		request_free(&request);
	}
}

/* An action on a session named for one call must not change where the next call looks. */
static void session_dir_of_one_call_is_not_kept(void **state)
{
	static const struct {
		const char *arguments[ARGUMENTS_MAX];
		bool kept;
	} cases[] = {
		{{"--session-dir=/x"}, true},
		{{"--session-dir=/x", "--setup"}, true},
		{{"--session-dir=/x", "--start"}, true},
		{{"--session-dir=/x", "--start-daemon"}, true},
		{{"--session-dir=/x", "--reset"}, false},
		{{"--session-dir=/x", "--status"}, false},
		{{"--session-dir=/x", "--save=y"}, false},
		{{"--status"}, false},
		{{"--start"}, false},
	};
	struct request request;
	struct op_error error;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i].arguments, &request, &error), 0);
		assert_int_equal(request_keeps_settings(&request), cases[i].kept);
		request_free(&request);
	}
}

static void loading_failures_name_cause_and_cure(void **state)
{
#define LOADED .file = "/m/oprofile.ko", .release = "6.1.0-56", .root = true
	static const struct {
		int code;
		struct module_circumstances with;
		const char *texts[3];
	} cases[] = {
		{ENOENT,
		 {.release = "6.1.0-56", .root = true},
		 {"no module oprofile", "6.1.0-56", "make -C /lib/modules/6.1.0-56/build"}},
		{EPERM, {.file = "/m/oprofile.ko", .release = "6.1.0-56"}, {"only root"}},
		{EPERM, {LOADED, .lockdown = true}, {"Secure Boot", "mokutil"}},
		{EPERM, {LOADED, .disabled = true}, {"modules_disabled", "next boot"}},
		{EPERM, {LOADED}, {"CAP_SYS_MODULE", "container"}},
		{EKEYREJECTED, {LOADED}, {"signed", "Secure Boot", "mokutil"}},
		{ENOKEY, {LOADED}, {"signed", "module.sig_enforce"}},
		{ENOEXEC,
		 {LOADED, .vermagic = "6.12.9 SMP mod_unload"},
		 {"built for the kernel 6.12.9", "6.1.0-56 runs", "make -C"}},
		{ENOEXEC,
		 {LOADED, .vermagic = "6.1.0-56x SMP"},
		 {"built for the kernel 6.1.0-56x"}},
		{ENOEXEC, {LOADED, .vermagic = "6.1.0-56 SMP"}, {"does not take", "dmesg"}},
		{ENOEXEC, {LOADED}, {"does not take", "dmesg"}},
		{ENOENT, {LOADED}, {"symbols", "make -C"}},
		{EINVAL, {LOADED, .backend = "abacus"}, {"no backend \"abacus\"", "--backend"}},
		{ENODEV, {LOADED, .backend = "x86"}, {"cannot run it", "dmesg"}},
		{ENODEV, {LOADED}, {"cannot load /m/oprofile.ko: No such device", "dmesg"}},
		{ENOMEM, {LOADED}, {"Cannot allocate memory"}},
	};
	struct op_error error;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(module_explain(cases[i].code, &cases[i].with, &error), -1);
		for (int k = 0; k < 3 && cases[i].texts[k]; k++) {
			if (!strstr(error.text, cases[i].texts[k]))
				fail_msg("case %zu: \"%s\" is not in: %s", i, cases[i].texts[k],
					 error.text);
		}
	}
}

static void kernel_images_are_recognised(void **state)
{
	char path[] = "/tmp/opcontrol-XXXXXX";
	unsigned char boot[0x206] = {'M', 'Z'};
	struct op_error error;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(vmlinux_check("/proc/self/exe", &error), 0);
	assert_int_equal(vmlinux_check(path, &error), -1); /* empty */
	assert_non_null(strstr(error.text, "is not an ELF file"));
	memcpy(boot + 0x202, "HdrS", 4);
	assert_int_equal(write(fd, boot, sizeof(boot)), sizeof(boot));
	assert_int_equal(vmlinux_check(path, &error), -1);
	assert_non_null(strstr(error.text, "compressed kernel"));
	/* 32 bits */
	memcpy(boot, "\177ELF\1\1", 6);
	boot[0x202] = 0;
	assert_int_equal(pwrite(fd, boot, sizeof(boot), 0), sizeof(boot));
	assert_int_equal(vmlinux_check(path, &error), -1);
	assert_non_null(strstr(error.text, "not an ELF file for x86-64"));
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(combinations),
		cmocka_unit_test(help_is_always_given),
		cmocka_unit_test(settings_are_applied),
		cmocka_unit_test(session_dir_of_one_call_is_not_kept),
		cmocka_unit_test(loading_failures_name_cause_and_cure),
		cmocka_unit_test(kernel_images_are_recognised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

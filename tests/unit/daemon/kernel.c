// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernel code: ranges, modules that come and go, the lists kept for reports, a vmlinux.
 */
#include "fixture.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/live/kernel_lists.h"
#include "libop/elf/kallsyms.h"
#include "daemon/live/vmlinux.h"
#include "libop/base/file.h"
#include "libop/pack/text.h"
#include "libop/session/paths.h"

#define ALL   "TIMER.0.0.all.all.all"
#define START CPU(0), CTX(501, 500, 0x10)
#define STEXT 0xffffffff81000000

/* ---- lines ---- */

static void lines_of_kallsyms(void **state)
{
	const char *text = "ffffffff81000000 T _stext\n"
			   "nonsense\n"
			   "\n"
			   "ffffffff8100000 \n"
			   "11112222333344445 t too_long\n"
			   "ffffffffc0000000 t ext4_read\t[ext4]\n"
			   "ffffffffc0000010 d data [ext4]\n"
			   "0000000000000001 W last";
	struct op_kernel_symbol symbol;

	(void)state;
	assert_true(op_kallsyms_next(&text, &symbol));
	assert_int_equal(symbol.address, 0xffffffff81000000);
	assert_int_equal(symbol.type, 'T');
	assert_int_equal(symbol.name_length, 6);
	assert_int_equal(symbol.module_length, 0);
	assert_memory_equal(symbol.line, "ffffffff81000000 T _stext\n", symbol.line_length + 1);
	assert_true(op_kallsyms_next(&text, &symbol));
	assert_int_equal(symbol.address, 0xffffffffc0000000);
	assert_int_equal(symbol.module_length, 4);
	assert_memory_equal(symbol.module, "ext4", 4);
	assert_true(op_kallsyms_next(&text, &symbol));
	assert_false(op_kallsyms_is_text(&symbol));
	assert_true(op_kallsyms_next(&text, &symbol));
	assert_memory_equal(symbol.name, "last", 4);
	assert_true(op_kallsyms_is_text(&symbol));
	assert_false(op_kallsyms_next(&text, &symbol));
}

static void only_code_is_kept(void **state)
{
	char *text = kallsyms_text_only("ffffffff81000000 T a\nffffffff81000010 D b\n"
					"ffffffff81000020 t c\t[m]\nffffffff81000030 r d\n"
					"ffffffff81000040 w e\n");

	(void)state;
	assert_string_equal(text, "ffffffff81000000 T a\nffffffff81000020 t c\t[m]\n"
				  "ffffffff81000040 w e\n");
	free(text);
}

static void unloaded_modules_keep_their_lines(void **state)
{
	char *modules = modules_join("a 1000 100 -\nb 2000 100 ff\n",
				     "b 9000 100 -\nc 3000 100 -\nbroken\n");
	char *symbols = kallsyms_join("10 T x\n1000 t a1\t[a]\n2000 t b1\t[b]",
				      "90 T x\n9000 t b0\t[b]\n3000 t c1 [c]\n3010 t c2\t[c]");

	(void)state;
	assert_string_equal(modules, "a 0000000000001000 100 -\nb 0000000000002000 100 ff\n"
				     "c 0000000000003000 100 -\n");
	assert_string_equal(symbols, "10 T x\n1000 t a1\t[a]\n2000 t b1\t[b]\n"
				     "3000 t c1 [c]\n3010 t c2\t[c]\n");
	free(modules);
	free(symbols);
}

static void lines_of_modules(void **state)
{
	const char *text = "ext4 ffffffffc0000000 1000 0a1b\n"
			   "short ffffffffc0000000\n"
			   "1000 -\n"
			   "a/b 1 2 -\n"
			   "fuse 0x10 0x20 -\n";
	struct op_kernel_module module;

	(void)state;
	assert_true(op_modules_next(&text, &module));
	assert_string_equal(module.name, "ext4");
	assert_string_equal(module.build_id, "0a1b");
	assert_true(op_modules_next(&text, &module));
	assert_string_equal(module.name, "fuse");
	assert_int_equal(module.address, 0x10);
	assert_int_equal(module.size, 0x20);
	assert_false(op_modules_next(&text, &module));
}

/* ---- modules that come and go ---- */

static char *read_list(const struct test_session *session, const char *name)
{
	char *path = op_path("%s/" OP_SESSION_CURRENT "/%s", session->dir, name);
	struct op_error error;
	char *text = op_packed_read(path, 1 << 20, NULL, &error);

	if (!text)
		fail_msg("%s", error.text);
	free(path);
	return text;
}

static void a_loaded_module_is_known_from_its_record_on(void **state)
{
	const struct profile_config config = {0};
	struct test_session session;
	char *text;

	(void)state;
	session_open(&session, &config);
	session_feed(&session, BUFFER(START, KERNEL, 0xffffffffc0300010, 0));
	session.machine.modules = "xfs ffffffffc0300000 1000 77\n";
	session.machine.kallsyms = "ffffffff81000000 T _stext\nffffffff82000000 T _etext\n"
				   "ffffffffc0300000 t xfs_read\t[xfs]\n";
	session_feed(&session, BUFFER(START, KERNEL, MODULE_LOADED, 0xffffffffc0300010, 0,
				      0xffffffffc0100004, 0));
	assert_int_equal(session_stat(&session, STAT_NO_KERNEL_IMAGE), 2);
	session_expect(&session, "{kern}/xfs/{dep}/{kern}/xfs/" ALL " 10:1\n");
	text = read_list(&session, OP_SAMPLES_MODULES);
	assert_string_equal(text, "xfs ffffffffc0300000 1000 77\n"
				  "kallsyms ffffffff81000000 1000000 aabb\n"
				  "ext4 ffffffffc0100000 10000 0123\n"
				  "fuse ffffffffc0108000 4000 -\n");
	free(text);
	text = read_list(&session, OP_SAMPLES_KALLSYMS);
	assert_string_equal(text, "ffffffff81000000 T _stext\nffffffff82000000 T _etext\n"
				  "ffffffffc0300000 t xfs_read\t[xfs]\n"
				  "ffffffffc0100000 t ext4_read\t[ext4]\n"
				  "ffffffffc0200000 t bpf_prog_1\t[bpf]\n"
				  "ffffffffc0200100 t bpf_prog_2\t[bpf]\n");
	free(text);
	session_close(&session);
}

/* Packed; made anew when it is damaged; and a list of before, which was not packed, is good. */
static void the_list_of_symbols_is_packed(void **state)
{
	static const char old[] = "ffffffff81000000 T _stext\nffffffffc0700000 t old\t[gone]\n";
	static const struct {
		const char *content;
		size_t length;
		bool keeps;
	} table[] = {
		{old, sizeof(old) - 1, true},
		{"\x28\xb5\x2f\xfd\x04", 5, false},
		{"", 0, false},
	};
	const struct profile_config config = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct test_session session;
		char *path, *text;

		session_open(&session, &config);
		path = op_path("%s/" OP_SESSION_CURRENT "/" OP_SAMPLES_KALLSYMS, session.dir);
		assert_int_equal(
			op_file_replace(path, table[i].content, table[i].length, 0640, NULL), 0);
		session_feed(&session, BUFFER(START, KERNEL, MODULE_LOADED, STEXT, 0));
		text = op_file_read(path, 1 << 20, NULL, NULL);
		assert_memory_equal(text, "\x28\xb5\x2f\xfd", 4);
		free(text);
		text = read_list(&session, OP_SAMPLES_KALLSYMS);
		assert_memory_equal(text, session.machine.kallsyms,
				    strlen(session.machine.kallsyms));
		assert_string_equal(text + strlen(session.machine.kallsyms),
				    table[i].keeps ? "ffffffffc0700000 t old\t[gone]\n" : "");
		free(text);
		free(path);
		session_close(&session);
	}
}

/* BPF programs come without a record; an address in nothing known is looked into, not often. */
static void unknown_addresses_are_looked_into(void **state)
{
	const struct profile_config config = {0};
	struct test_session session;
	unsigned int calls;

	(void)state;
	session_open(&session, &config);
	calls = session.machine.kallsyms_calls;
	for (int i = 0; i < 600; i++)
		session_feed(&session,
			     BUFFER(START, KERNEL, 0xffffffffc0500000, 0, 0xffffffffc0500000, 0));
	assert_in_range(session.machine.kallsyms_calls - calls, 1, 3);
	session.machine.kallsyms = "ffffffff81000000 T _stext\nffffffff82000000 T _etext\n"
				   "ffffffffc0500000 t bpf_prog_3\t[bpf]\n";
	for (int i = 0; i < 300; i++)
		session_feed(&session, BUFFER(START, KERNEL, 0xffffffffc0500000, 0));
	assert_true(session_stat(&session, STAT_STORED) > 0);
	session_check_sums(&session);
	session_close(&session);
}

static void reopen_begins_with_fresh_lists(void **state)
{
	const struct profile_config config = {0};
	struct test_session session;
	char *current, *saved, *text;
	struct op_error error;

	(void)state;
	session_open(&session, &config);
	session_feed(&session, BUFFER(START, KERNEL, STEXT, 0));
	profile_save_stats(&session.profile);
	current = op_path("%s/" OP_SESSION_CURRENT, session.dir);
	saved = op_path("%s/" OP_SESSION_SAMPLES "/saved", session.dir);
	assert_return_code(rename(current, saved), errno);
	if (profile_reopen(&session.profile, &error))
		fail_msg("%s", error.text);
	session_feed(&session, BUFFER(START, KERNEL, STEXT + 1, 0, STEXT + 2, 0));
	/* the statistics are of this session now */
	assert_int_equal(session_stat(&session, STAT_STORED), 2);
	session_expect(&session, "{kern}/kallsyms/{dep}/{kern}/kallsyms/" ALL " 1:1 2:1\n");
	text = read_list(&session, OP_SAMPLES_KALLSYMS);
	assert_string_equal(text, test_machine.kallsyms);
	free(text);
	free(current);
	free(saved);
	session_close(&session);
}

/* ---- ranges that are given ---- */

static void a_range_may_be_given(void **state)
{
	const struct profile_config config = {
		.kernel = {.start = STEXT + 0x1000, .end = STEXT + 0x2000},
	};
	struct test_session session;

	(void)state;
	session_open(&session, &config);
	session_feed(&session, BUFFER(START, KERNEL, STEXT + 0x1004, 0, STEXT + 0x2000, 0));
	session_expect(&session, "{kern}/kallsyms/{dep}/{kern}/kallsyms/" ALL " 4:1\n");
	session_close(&session);
}

/* ---- a vmlinux ---- */

/* The smallest ELF file with .text, _stext and _etext. */
static void write_vmlinux(const char *path, uint64_t text, uint64_t size)
{
	static const char names[] = "\0.text\0.symtab\0.strtab\0_stext\0_etext";
	struct {
		Elf64_Ehdr head;
		Elf64_Shdr section[4];
		Elf64_Sym symbol[3];
		char names[sizeof(names)];
	} file = {
		.head =
			{
				.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					    ELFDATA2LSB, EV_CURRENT},
				.e_type = ET_EXEC,
				.e_machine = EM_X86_64,
				.e_version = EV_CURRENT,
				.e_shoff = sizeof(Elf64_Ehdr),
				.e_ehsize = sizeof(Elf64_Ehdr),
				.e_shentsize = sizeof(Elf64_Shdr),
				.e_shnum = 4,
				.e_shstrndx = 3,
			},
	};

	memcpy(file.names, names, sizeof(names));
	file.section[1] =
		(Elf64_Shdr){.sh_name = 1, .sh_type = SHT_NOBITS, .sh_addr = text, .sh_size = size};
	file.section[2] = (Elf64_Shdr){.sh_name = 7,
				       .sh_type = SHT_SYMTAB,
				       .sh_link = 3,
				       .sh_offset = offsetof(typeof(file), symbol),
				       .sh_size = sizeof(file.symbol),
				       .sh_entsize = sizeof(Elf64_Sym)};
	file.section[3] = (Elf64_Shdr){.sh_name = 15,
				       .sh_type = SHT_STRTAB,
				       .sh_offset = offsetof(typeof(file), names),
				       .sh_size = sizeof(names)};
	file.symbol[1] = (Elf64_Sym){.st_name = 23, .st_value = text};
	file.symbol[2] = (Elf64_Sym){.st_name = 30, .st_value = text + size - 16};
	assert_int_equal(op_file_replace(path, &file, sizeof(file), 0600, NULL), 0);
}

static void a_vmlinux_is_found_where_the_kernel_runs(void **state)
{
	char *dir = make_directory(), *path = op_path("%s/vmlinux", dir);
	uint64_t start, end;
	struct op_error error;

	(void)state;
	write_vmlinux(path, STEXT, 0x1000000);
	if (vmlinux_range(path, NULL, &start, &end, &error))
		fail_msg("%s", error.text);
	assert_int_equal(start, STEXT);
	assert_int_equal(end, STEXT + 0xfffff0);
	if (vmlinux_range(path, "ffffffff9a000000 T _stext\n", &start, &end, &error))
		fail_msg("%s", error.text);
	assert_int_equal(start, 0xffffffff9a000000);
	assert_int_equal(end, 0xffffffff9afffff0);
	remove_tree(dir);
	free(path);
	free(dir);
}

static void a_vmlinux_is_an_image_with_a_path(void **state)
{
	char *dir = make_directory(), *path = op_path("%s/vmlinux", dir), *want;
	const struct profile_config config = {
		.kernel = {.mode = KERNEL_VMLINUX, .vmlinux = path},
	};
	struct test_session session;

	(void)state;
	write_vmlinux(path, STEXT, 0x1000000);
	session_open(&session, &config);
	session_feed(&session, BUFFER(START, KERNEL, STEXT + 4, 0, 0xffffffffc0100001, 0));
	want = op_path("{root}%s/{dep}/{root}%s/" ALL " 4:1\n{kern}/ext4/{dep}/{kern}/ext4/" ALL
		       " 1:1\n",
		       path, path);
	session_expect(&session, want);
	session_close(&session);
	remove_tree(dir);
	free(want);
	free(path);
	free(dir);
}

static void other_files_are_no_vmlinux(void **state)
{
	char *dir = make_directory(), *path = op_path("%s/vmlinux", dir);
	uint64_t start, end;
	struct op_error error;

	(void)state;
	assert_int_equal(vmlinux_range(path, NULL, &start, &end, &error), -1);
	assert_int_equal(error.code, ENOENT);
	assert_int_equal(op_file_replace(path, "MZ", 2, 0600, NULL), 0);
	assert_int_equal(vmlinux_range(path, NULL, &start, &end, &error), -1);
	assert_non_null(strstr(error.text, "no vmlinux"));
	remove_tree(dir);
	free(path);
	free(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_kallsyms),
		cmocka_unit_test(only_code_is_kept),
		cmocka_unit_test(lines_of_modules),
		cmocka_unit_test(unloaded_modules_keep_their_lines),
		cmocka_unit_test(a_loaded_module_is_known_from_its_record_on),
		cmocka_unit_test(the_list_of_symbols_is_packed),
		cmocka_unit_test(unknown_addresses_are_looked_into),
		cmocka_unit_test(reopen_begins_with_fresh_lists),
		cmocka_unit_test(a_range_may_be_given),
		cmocka_unit_test(a_vmlinux_is_found_where_the_kernel_runs),
		cmocka_unit_test(a_vmlinux_is_an_image_with_a_path),
		cmocka_unit_test(other_files_are_no_vmlinux),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

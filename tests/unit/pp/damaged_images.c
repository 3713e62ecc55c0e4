// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Damaged binaries break nothing: neither the reader nor, of a report, what is about others.
 *
 *	pp_damaged_images SOURCES OPREPORT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "pp/debug/info.h"
#include "pp/symbols/symbols.h"

static const char *sources, *opreport;

/* Reads all that a report would; nothing must crash, and what is found must be orderly. */
static void read_all(const char *path, const struct pp_kernel_place *place)
{
	struct pp_symbols symbols;
	struct pp_debug_info *info;
	uint64_t last = 0;
	int number;

	if (place)
		pp_symbols_read_kernel_file(&symbols, path, "", true, place, NULL);
	else
		pp_symbols_read_file(&symbols, path, "", true, NULL);
	info = pp_debug_info_open(path, &symbols);
	for (size_t i = 0; i < symbols.n; i++) {
		uint64_t link = pp_symbols_link(&symbols, symbols.items[i].vma);

		assert_true(symbols.items[i].start >= last);
		assert_true(symbols.items[i].start < symbols.items[i].end);
		assert_non_null(symbols.items[i].name);
		last = symbols.items[i].end;
		pp_symbols_vma(&symbols, symbols.items[i].start);
		if (i % 8)
			continue;
		pp_debug_info_line(info, link + 3, &number);
		pp_debug_info_inlined(info, link + 3);
	}
	pp_symbols_find(&symbols, 0x1010);
	pp_debug_info_line(info, 0x401010, &number);
	pp_debug_info_inlined(info, 0x401010);
	pp_debug_info_close(info);
	pp_symbols_free(&symbols);
}

static void write_bytes(const char *path, const unsigned char *bytes, size_t n)
{
	FILE *file = fopen(path, "w");

	test_need(file && fwrite(bytes, 1, n, file) == n && !fclose(file), "cannot write %s", path);
}

/* What may hold structure: headers, tables, symbols, notes, lines; not the fill between. */
static bool is_fill(const unsigned char *bytes, size_t n, size_t at)
{
	for (size_t i = at < 64 ? 0 : at - 64; i < n && i < at + 64; i++)
		if (bytes[i])
			return false;
	return true;
}

struct image {
	char *from, *to; /* the damaged copy */
	unsigned char *bytes;
	size_t n;
	const struct pp_kernel_place *place;
};

static void open_image(struct image *image, const struct test_session *session, const char *name)
{
	FILE *file;

	memset(image, 0, sizeof(*image));
	image->from = test_session_path(session, "%s", name);
	image->to = test_session_path(session, "damaged");
	image->bytes = malloc(8 << 20);
	file = fopen(image->from, "r");
	test_need(file && image->bytes, "cannot read %s", image->from);
	image->n = fread(image->bytes, 1, 8 << 20, file);
	test_need(image->n > 0 && image->n < 8 << 20, "%s does not fit", image->from);
	fclose(file);
}

static void close_image(struct image *image)
{
	free(image->from);
	free(image->to);
	free(image->bytes);
}

static void flip(struct image *image, size_t at)
{
	static const unsigned char flips[] = {0xff, 0x80, 0x01};

	image->bytes[at] ^= flips[at % 3];
	write_bytes(image->to, image->bytes, image->n);
	read_all(image->to, image->place);
	image->bytes[at] ^= flips[at % 3];
}

/* Every byte, but for fill, and every length. */
static void damage_everywhere(const struct test_session *session, const char *name,
			      const struct pp_kernel_place *place)
{
	struct image image;
	size_t tried = 0;

	open_image(&image, session, name);
	image.place = place;
	for (size_t i = 0; i < image.n; i++) {
		if (is_fill(image.bytes, image.n, i))
			continue;
		flip(&image, i);
		tried++;
	}
	for (size_t i = 0; i < image.n; i++) {
		if (i && is_fill(image.bytes, image.n, i - 1))
			continue;
		write_bytes(image.to, image.bytes, i);
		read_all(image.to, place);
	}
	print_message("%s: %zu bytes changed one by one, %zu bytes long, cut at every length\n",
		      name, tried, image.n);
	close_image(&image);
}

static void test_small_images(void **state)
{
	static const struct pp_kernel_place place = {.is_module = true,
						     .address = 0xffffffffc0000000};
	struct test_session session;

	(void)state;
	test_session_make(&session);
	fixture_images(&session, sources);
	test_shell("cd %s && as -o module.ko %s/module.s", session.dir, sources);
	damage_everywhere(&session, "prog", NULL);
	damage_everywhere(&session, "lib.so", NULL);
	damage_everywhere(&session, "module.ko", &place);
	/* Debug information that libbfd reads, where gcc still writes it. */
	test_shell("cd %s && gcc -w -gstabs -nostdlib -shared -fPIC -O1 -o stabs %s/stabs.c "
		   "2>/dev/null || cp lib.so stabs",
		   session.dir, sources);
	damage_everywhere(&session, "stabs", NULL);
	test_session_remove(&session);
}

/* Debug information of a compiler, with inlined functions: bytes of it here and there. */
static void test_large_image(void **state)
{
	struct test_session session;
	struct image image;

	(void)state;
	if (system("command -v g++ >/dev/null")) {
		print_message("skipped: there is no g++ here\n");
		skip();
	}
	test_session_make(&session);
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	test_shell("cd %s && g++ -O2 -g -o large %s/inlined.cc", session.dir, sources);
	open_image(&image, &session, "large");
	srandom(5);
	for (int i = 0; i < 1000; i++)
		flip(&image, (size_t)random() % image.n);
	for (int i = 0; i < 50; i++) {
		write_bytes(image.to, image.bytes, (size_t)random() % image.n);
		read_all(image.to, NULL);
	}
	print_message("%zu bytes: 1000 changed one by one, 50 lengths\n", image.n);
	close_image(&image);
	test_session_remove(&session);
}

/* The exit code is that of a report; the other image is as it was. */
static void test_report_stays_intact(void **state)
{
	static const struct fixture_sample samples[] = {
		{FIXTURE_ALONE("damaged") "TIMER.0.0.all.all.all", 0x1010, 60},
		{FIXTURE_ALONE("lib.so") "TIMER.0.0.all.all.all", 0x1000, 40},
	};
	struct test_session session;
	struct image image;
	size_t runs = 0;

	(void)state;
	test_session_make(&session);
	fixture_images(&session, sources);
	fixture_samples(&session, samples, 2);
	open_image(&image, &session, "prog");
	for (size_t i = 0; i < image.n; i += i < 64 ? 3 : 61) {
		struct test_run run;

		if (is_fill(image.bytes, image.n, i))
			continue;
		image.bytes[i] ^= 0xff;
		write_bytes(image.to, image.bytes, runs % 4 ? image.n : i);
		image.bytes[i] ^= 0xff;
		fixture_opreport(&run, &session, opreport, "-lg -n");
		if (run.status || !strstr(run.out, " lib_work\n") || strncmp(run.out, "60 ", 3))
			fail_msg("byte %zu: status %d:\n%s%s", i, run.status, run.out, run.err);
		test_run_free(&run);
		runs++;
	}
	print_message("%zu reports\n", runs);
	assert_true(runs > 30);
	close_image(&image);
	test_session_remove(&session);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_images),
		cmocka_unit_test(test_large_image),
		cmocka_unit_test(test_report_stays_intact),
	};

	test_need(argc == 3, "usage: pp_damaged_images SOURCES OPREPORT");
	sources = argv[1];
	opreport = argv[2];
	return cmocka_run_group_tests_name("pp_damaged_images", tests, NULL, NULL);
}

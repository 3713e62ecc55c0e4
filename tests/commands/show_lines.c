// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What debug information says of addresses, for tests of commands: the address, its key in sample
 * files, its line (0: none), and the names of inlined functions, innermost first.
 *
 *	show_lines FILE <ADDRESSES
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "pp/debug/info.h"
#include "pp/symbols/symbols.h"

static void show(const struct pp_symbols *symbols, struct pp_debug_info *info, uint64_t address)
{
	const struct pp_inlined *inlined = pp_debug_info_inlined(info, address);
	uint64_t key = 0;
	int line = 0;

	if (!pp_symbols_key(symbols, address, &key)) {
		fprintf(stderr, "show_lines: error: no code at %#" PRIx64 "\n", address);
		exit(1);
	}
	pp_debug_info_line(info, address, &line);
	printf("%#" PRIx64 " %#" PRIx64 " %d", address, key, line);
	for (; inlined; inlined = inlined->caller)
		printf(" %s", inlined->name);
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct pp_symbols symbols;
	struct pp_debug_info *info;
	struct op_error error;
	uint64_t address;

	if (argc != 2)
		return 2;
	if (pp_symbols_read_file(&symbols, argv[1], "", true, &error)) {
		fprintf(stderr, "show_lines: error: %s: %s\n", argv[1], error.text);
		return 1;
	}
	info = pp_debug_info_open(argv[1], &symbols, NULL);
	if (!info) {
		fprintf(stderr, "show_lines: error: %s: no debug information\n", argv[1]);
		return 1;
	}
	while (scanf("%" SCNx64, &address) == 1)
		show(&symbols, info, address);
	pp_debug_info_close(info);
	pp_symbols_free(&symbols);
	return 0;
}

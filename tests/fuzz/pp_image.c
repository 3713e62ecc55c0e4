// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as an image: its symbols are in order and do not overlap, and its lines and inlined
 * functions can be asked for.  The seeds are a program, a library and a kernel module, made with
 * the fuzzer.  See driver.h.
 */
#include <sys/mman.h>

#include "driver.h"
#include "pp/debug/info.h"
#include "libop/base/memory.h"
#include "pp/symbols/symbols.h"

const unsigned int fuzz_iterations = 3000;

#define SEED_FILE(name, path)                                                                      \
	__asm__(".section .rodata\n" #name ":\n.incbin \"" path "\"\n" #name "_end:\n.byte 0\n"    \
		".previous\n");                                                                    \
	extern const uint8_t name[], name##_end[]

SEED_FILE(seed_program, SEED_DIR "/seed_program.h");
SEED_FILE(seed_module, SEED_DIR "/seed_module.h");
SEED_FILE(seed_library, SEED_DIR "/seed_library.h");
SEED_FILE(seed_inlined, SEED_DIR "/seed_inlined.h");

/* Sizes are known to the assembler only. */
struct fuzz_seed fuzz_seeds_made[5];

__attribute__((constructor)) static void make_seeds(void)
{
	fuzz_seeds_made[0] = (struct fuzz_seed){seed_program, seed_program_end - seed_program};
	fuzz_seeds_made[1] = (struct fuzz_seed){seed_module, seed_module_end - seed_module};
	fuzz_seeds_made[2] = (struct fuzz_seed){seed_library, seed_library_end - seed_library};
	fuzz_seeds_made[3] = (struct fuzz_seed){seed_inlined, seed_inlined_end - seed_inlined};
}

extern const struct fuzz_seed fuzz_seeds[5] __attribute__((alias("fuzz_seeds_made")));

static void check(const struct pp_symbols *symbols)
{
	uint64_t last = 0;

	for (size_t i = 0; i < symbols->n; i++) {
		fuzz_must(symbols->items[i].start >= last, "symbols do not overlap");
		fuzz_must(symbols->items[i].start < symbols->items[i].end, "symbols have a size");
		last = symbols->items[i].end;
	}
}

static void ask(struct pp_debug_info *info, uint64_t link)
{
	int line, n = 0;

	pp_debug_info_line(info, link, &line);
	for (const struct pp_inlined *inlined = pp_debug_info_inlined(info, link); inlined;
	     inlined = inlined->caller)
		fuzz_must(n++ < 1000, "there is an outermost function");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct pp_kernel_place place = {.is_module = true, .address = 0xc0000000};
	int fd = memfd_create("image", MFD_CLOEXEC);
	char *path = op_format("/proc/self/fd/%d", fd);
	struct pp_debug_info *info;
	struct pp_symbols symbols;
	struct op_error error;

	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	fuzz_must(fd >= 0 && write(fd, data, size) == (ssize_t)size, "there is room in memory");
	for (int is_module = 0; is_module < 2; is_module++) {
		if (is_module)
			pp_symbols_read_kernel_file(&symbols, path, "", true, &place, &error);
		else
			pp_symbols_read_file(&symbols, path, "", true, &error);
		check(&symbols);
		info = pp_debug_info_open(path, &symbols, NULL);
		for (size_t i = 0; i < symbols.n; i += 4)
			ask(info, pp_symbols_link(&symbols, symbols.items[i].vma + 4));
		ask(info, 0);
		ask(info, UINT64_MAX);
		pp_debug_info_close(info);
		pp_symbols_free(&symbols);
	}
	free(path);
	close(fd);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* BPF programs from records: see programs.h. */
#include "programs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/search.h"
#include "libop/elf/kallsyms.h"

#define PROGRAMS_MOST 4096
#define KSYMBOL_BPF   1
#define MODULE	      "bpf"

static void program_free(struct perf_program *program)
{
	free(program->name);
}

static void remove_items(struct perf_programs *programs, size_t first, size_t n)
{
	struct perf_program *at = programs->item + first;

	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		program_free(&at[i]);
	memmove(at, at + n, (programs->n - first - n) * sizeof(*at));
	programs->n -= n;
}

static void forget_gone(struct perf_programs *programs)
{
	for (size_t i = programs->n; i--;)
		if (programs->item[i].has_gone)
			remove_items(programs, i, 1);
}

/* The first one that ends above an address. */
static size_t first_behind(const struct perf_programs *programs, uint64_t address)
{
	return op_first_above(programs->item, programs->n, end, address);
}

/* A name as /proc/kallsyms would show it.  Return: NULL when out of memory. */
static char *safe_name(const char *name)
{
	char *copy = strdup(*name ? name : "bpf_prog");

	for (char *at = copy; at && *at; at++)
		if (*at <= ' ' || *at > '~')
			*at = '_';
	return copy;
}

static bool program_add(struct perf_programs *programs, const struct perf_ksymbol *symbol)
{
	struct perf_program added = {.start = symbol->start, .end = symbol->start + symbol->length};
	size_t first = first_behind(programs, added.start), n = 0;

	while (first + n < programs->n && programs->item[first + n].start < added.end)
		n++;
	remove_items(programs, first, n);
	if (programs->n >= PROGRAMS_MOST) {
		forget_gone(programs);
		first = first_behind(programs, added.start);
	}
	if (programs->n >= PROGRAMS_MOST ||
	    op_array_fit(programs->item, programs->capacity, programs->n + 1))
		return false;
	added.name = safe_name(symbol->name);
	if (!added.name)
		return false;
	memmove(programs->item + first + 1, programs->item + first,
		(programs->n - first) * sizeof(added));
	programs->item[first] = added;
	programs->n++;
	return true;
}

bool perf_programs_apply(struct perf_programs *programs, const struct perf_ksymbol *symbol)
{
	size_t at;

	if (symbol->type != KSYMBOL_BPF || !symbol->length ||
	    symbol->start > UINT64_MAX - symbol->length)
		return false;
	if (!symbol->unregister)
		return program_add(programs, symbol);
	at = first_behind(programs, symbol->start);
	if (at < programs->n && programs->item[at].start == symbol->start)
		programs->item[at].has_gone = true;
	return false;
}

/* The programs that have a line, by their index; NULL when out of memory. */
static bool *find_listed(const struct perf_programs *programs, const char *kallsyms)
{
	bool *listed = calloc(programs->n + 1, sizeof(*listed));
	struct op_kernel_symbol symbol;

	while (listed && op_kallsyms_next(&kallsyms, &symbol)) {
		size_t at;

		if (symbol.module_length != strlen(MODULE) ||
		    memcmp(symbol.module, MODULE, strlen(MODULE)) != 0)
			continue;
		at = first_behind(programs, symbol.address);
		if (at < programs->n && programs->item[at].start == symbol.address)
			listed[at] = true;
	}
	return listed;
}

char *perf_programs_join(const struct perf_programs *programs, char *kallsyms)
{
	bool *listed = kallsyms && programs->n ? find_listed(programs, kallsyms) : NULL;
	char *text = NULL;
	size_t length;
	FILE *out = listed ? open_memstream(&text, &length) : NULL;

	if (out) {
		fputs(kallsyms, out);
		for (size_t i = 0; i < programs->n; i++)
			if (!listed[i])
				fprintf(out, "%016" PRIx64 " t %s\t[" MODULE "]\n",
					programs->item[i].start, programs->item[i].name);
		if (fclose(out)) {
			free(text);
			text = NULL;
		}
	}
	free(listed);
	if (!text)
		return kallsyms;
	free(kallsyms);
	return text;
}

void perf_programs_free(struct perf_programs *programs)
{
	remove_items(programs, 0, programs->n);
	free(programs->item);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The machine: see machine.h. */
#include "machine.h"

#include <stdbool.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "libop/base/safe_text.h"

/* The value of the first line "KEY<blanks>: VALUE".  Return: its length, or 0. */
static int find_value(const char *text, const char *key, const char **value)
{
	size_t length = strlen(key);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) ||
		    line[length + strspn(line + length, " \t")] != ':')
			continue;
		*value = strchr(line, ':') + 1;
		*value += strspn(*value, " \t");
		return (int)strcspn(*value, "\n");
	}
	return 0;
}

/* Whether a list of words, of which @length bytes count, has this one. */
static bool has_word(const char *list, int length, const char *word)
{
	const char *at = list;
	size_t n = strlen(word);

	while ((at = strstr(at, word)) && at + n <= list + length) {
		if ((at == list || at[-1] == ' ') && (at + n == list + length || at[n] == ' '))
			return true;
		at += n;
	}
	return false;
}

void machine_write(FILE *out, const char *cpuinfo, const char *paranoid)
{
	struct utsname name;
	const char *value;
	int length;

	if (!uname(&name))
		op_safe_line(out, "kernel:               %s %s, %s", name.sysname, name.release,
			     name.machine);
	length = find_value(cpuinfo, "model name", &value);
	op_safe_line(out, "CPU:                  %.*s", length ? length : 7,
		     length ? value : "unknown");
	fprintf(out, "CPUs online:          %ld\n", sysconf(_SC_NPROCESSORS_ONLN));
	length = find_value(cpuinfo, "flags", &value);
	fprintf(out, "virtual machine:      %s\n",
		!length					? "unknown"
		: has_word(value, length, "hypervisor") ? "yes"
							: "not as far as the CPU tells");
	op_safe_line(out, "perf_event_paranoid:  %.*s, user %s",
		     paranoid ? (int)strcspn(paranoid, "\n") : 7, paranoid ? paranoid : "unknown",
		     geteuid() ? "without root's rights" : "root");
}

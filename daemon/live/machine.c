// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What /proc and /sys say of the machine: see machine.h.
 */
#include "machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libop/elf/build_id.h"
#include "kernel_lists.h"
#include "libop/base/file.h"
#include "libop/session/paths.h"

/* Sizes beyond which a file of /proc is not what we take it for. */
#define MAPS_SIZE_MOST	   (64 << 20)
#define KALLSYMS_SIZE_MOST (256 << 20)
#define SMALL_SIZE_MOST	   (1 << 20)

#define MAX_FREQUENCY "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"

char *machine_maps(uint32_t tgid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", tgid);
	return op_file_read(path, MAPS_SIZE_MOST, NULL, NULL);
}

/*
 * Whether the path names the very file the kernel means.  File systems such as btrfs and
 * overlayfs show stat(2) another device, and perhaps another inode, than the kernel knows; then
 * a file that is not known to be gone is recognised by its inode or its build-id.
 */
static bool is_present(const struct oprofile_image *told, struct stat *status)
{
	uint8_t id[BUILD_ID_MAX];
	size_t length;

	if (told->flags & OPROFILE_IMAGE_NO_PATH || *told->path != '/' ||
	    stat(told->path, status) || !S_ISREG(status->st_mode))
		return false;
	if (status->st_ino == told->inode &&
	    (status->st_dev == told->device ||
	     !(told->flags & (OPROFILE_IMAGE_DELETED | OPROFILE_IMAGE_FOREIGN_NS))))
		return true;
	if (!(told->flags & OPROFILE_IMAGE_BUILD_ID))
		return false;
	length = build_id_of_file(told->path, id);
	return length && length == told->build_id_size && !memcmp(id, told->build_id, length);
}

void machine_find_image(struct image_facts *facts)
{
	struct stat status;

	facts->present = is_present(&facts->told, &status);
	facts->mtime = facts->present ? (uint64_t)status.st_mtime : 0;
}

static void find_text(struct machine *machine, const char *kallsyms)
{
	if (!machine->text_end && kallsyms_address(kallsyms, "_stext", &machine->text_start) &&
	    !kallsyms_address(kallsyms, "_etext", &machine->text_end))
		machine->text_start = 0;
}

char *machine_kallsyms(struct machine *machine)
{
	char *raw = op_file_read("/proc/kallsyms", KALLSYMS_SIZE_MOST, NULL, NULL);
	char *text = raw ? kallsyms_text_only(raw) : NULL;

	free(raw);
	if (text)
		find_text(machine, text);
	return text;
}

/* Writes the build-id in a file of notes, or "-". */
static void put_build_id(FILE *out, const char *path)
{
	uint8_t id[BUILD_ID_MAX];
	size_t length = 0, n = 0;
	char *notes = op_file_read(path, SMALL_SIZE_MOST, &length, NULL);

	if (notes)
		n = build_id_of_notes(notes, length, id);
	free(notes);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%02x", id[i]);
	fputs(n ? "\n" : "-\n", out);
}

/* A line of /proc/modules: name size uses users state address. */
static void put_module(FILE *out, const char *line)
{
	char name[128], path[256];
	uint64_t size, address;

	if (sscanf(line, "%127s %" SCNu64 " %*s %*s %*s %" SCNx64, name, &size, &address) != 3 ||
	    !address)
		return;
	fprintf(out, "%s %016" PRIx64 " %" PRIx64 " ", name, address, size);
	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", name);
	put_build_id(out, path);
}

char *machine_modules(struct machine *machine)
{
	char *list = op_file_read("/proc/modules", SMALL_SIZE_MOST, NULL, NULL);
	char *text = NULL, *rest = list, *line;
	size_t length;
	FILE *out;

	if (!machine->text_end)
		free(machine_kallsyms(machine));
	out = open_memstream(&text, &length);
	if (!out) {
		free(list);
		return NULL;
	}
	if (machine->text_end) {
		fprintf(out, OP_KERNEL_IMAGE " %016" PRIx64 " %" PRIx64 " ", machine->text_start,
			machine->text_end - machine->text_start);
		put_build_id(out, "/sys/kernel/notes");
	}
	while ((line = strsep(&rest, "\n")))
		put_module(out, line);
	free(list);
	if (fclose(out)) {
		free(text);
		text = NULL;
	}
	return text;
}

double machine_cpu_mhz(void)
{
	char *text = op_file_read(MAX_FREQUENCY, SMALL_SIZE_MOST, NULL, NULL);
	double mhz = 0;
	const char *line;

	if (text) {
		mhz = strtod(text, NULL) / 1000; /* it is in kHz */
	} else {
		text = op_file_read("/proc/cpuinfo", SMALL_SIZE_MOST, NULL, NULL);
		line = text ? strstr(text, "cpu MHz") : NULL;
		line = line ? strchr(line, ':') : NULL;
		if (line)
			mhz = strtod(line + 1, NULL);
	}
	free(text);
	return mhz;
}

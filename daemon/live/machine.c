// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The running machine: see machine.h.
 */
#include "machine.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kernel_lists.h"
#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/elf/build_id.h"
#include "libop/elf/kallsyms.h"
#include "libop/elf/proc_maps.h"
#include "libop/foreign/door.h"
#include "libop/foreign/host.h"
#include "libop/session/paths.h"

/* The largest files of /proc that are read. */
#define MAPS_SIZE_MOST	   (64 << 20)
#define KALLSYMS_SIZE_MOST (256 << 20)
#define SMALL_SIZE_MOST	   (1 << 20)

/* Threads among which one that runs is looked for: those that end stay until they are waited for
 * only if they are the first one, or traced. */
#define THREADS_MOST 64

#define MAX_FREQUENCY "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"

static bool has_program(uint64_t tid)
{
	char path[64], program[1];

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/exe", tid);
	return readlink(path, program, sizeof(program)) >= 0 || errno != ENOENT;
}

uint32_t machine_thread(uint32_t tgid)
{
	const struct dirent *entry;
	uint64_t tid = tgid;
	int looked_at = 0;
	char path[64];
	DIR *tasks;

	if (has_program(tgid))
		return tgid;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", tgid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks)) && looked_at++ < THREADS_MOST)
		if (op_number_all(entry->d_name, 10, UINT32_MAX, &tid) && has_program(tid))
			break;
	if (tasks)
		closedir(tasks);
	return has_program(tid) ? (uint32_t)tid : tgid;
}

bool machine_user(uint32_t thread, uid_t *user)
{
	char path[64], *text;
	const char *line;
	uid_t ids[4];
	bool good;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", thread);
	text = op_file_read(path, SMALL_SIZE_MOST, NULL, NULL);
	line = text ? strstr(text, "\nUid:") : NULL;
	good = line && sscanf(line, "\nUid: %u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) == 4;
	*user = 0;
	for (size_t i = 0; good && !*user && i < 4; i++)
		*user = ids[i];
	free(text);
	return good;
}

char *machine_maps(uint32_t tgid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", machine_thread(tgid));
	return op_file_read(path, MAPS_SIZE_MOST, NULL, NULL);
}

/* Whether paths of a process are those of the host. */
static bool is_of_host(uint32_t tgid)
{
	struct stat status;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/ns/mnt", machine_thread(tgid));
	return !stat(path, &status) && status.st_ino == host_namespace();
}

char *machine_jit_dump(uint32_t tgid, uint32_t inner)
{
	char *text = is_of_host(tgid) ? machine_maps(tgid) : NULL, *found = NULL, name[32];
	const char *rest = text;
	struct op_maps_line line;
	size_t length;

	length = (size_t)snprintf(name, sizeof(name), "/jit-%" PRIu32 ".dump", inner);
	while (!found && rest && op_maps_next(&rest, &line))
		if (line.executable && *line.name == '/' && line.name_length >= length &&
		    !strncmp(line.name + line.name_length - length, name, length))
			found = strndup(line.name, line.name_length);
	free(text);
	return found;
}

/*
 * Whether the path names the very file that the kernel reports.  On file systems such as btrfs and
 * overlayfs, stat(2) returns another device, and perhaps another inode, than the kernel uses; there
 * a file of the host that is not reported as deleted is identified by its inode or its build-id.
 */
static bool is_reported_at(const char *path, bool is_host, const struct oprofile_image *reported,
			   struct stat *status)
{
	uint8_t id[BUILD_ID_MAX];
	size_t length;

	if (stat(path, status) || !S_ISREG(status->st_mode))
		return false;
	if (status->st_ino == reported->inode &&
	    (status->st_dev == reported->device ||
	     (is_host &&
	      !(reported->flags & (OPROFILE_IMAGE_DELETED | OPROFILE_IMAGE_FOREIGN_NS)))))
		return true;
	if (!(reported->flags & OPROFILE_IMAGE_BUILD_ID))
		return false;
	length = build_id_of_file(path, id);
	return length && length == reported->build_id_size &&
	       !memcmp(id, reported->build_id, length);
}

/* Whether the path is there for this process, or else for the host. */
static bool find_present(struct image_facts *facts, struct stat *status)
{
	const struct oprofile_image *reported = &facts->reported;
	bool is_apart = host_is_apart();
	char path[sizeof(HOST_ROOT) + OPROFILE_PATH_MAX];

	facts->root = "";
	if (reported->flags & OPROFILE_IMAGE_NO_PATH || *reported->path != '/')
		return false;
	if (is_reported_at(reported->path, !is_apart, reported, status))
		return true;
	if (!is_apart)
		return false;
	facts->root = HOST_ROOT;
	snprintf(path, sizeof(path), "%s%s", facts->root, reported->path);
	return is_reported_at(path, true, reported, status);
}

/* Whether an open file has the reported build-id or, without one, the reported inode. */
static bool is_reported(const struct oprofile_image *reported, const struct op_identity *identity)
{
	if (reported->flags & OPROFILE_IMAGE_BUILD_ID)
		return identity->build_id_size == reported->build_id_size &&
		       !memcmp(identity->build_id, reported->build_id, reported->build_id_size);
	return identity->inode == reported->inode;
}

/* Opens the path below @root if it is the file of @facts, whose identity is filled in then. */
static int open_below(struct image_facts *facts, const char *root, const char *rest)
{
	char *path = op_path("%s%s", root, rest);
	int fd = path ? foreign_open(path, FOREIGN_OBJECT, FOREIGN_NONE) : -1;
	struct op_identity identity;

	if (fd >= 0 && identity_of_open(fd, path, &identity) &&
	    is_reported(&facts->reported, &identity)) {
		facts->identity = identity;
		facts->identified = true;
	} else if (fd >= 0) {
		close(fd);
		fd = -1;
	}
	free(path);
	return fd;
}

int machine_open_image(struct image_facts *facts, int32_t tgid)
{
	const struct oprofile_image *reported = &facts->reported;
	int fd = facts->present ? open_below(facts, facts->root, reported->path) : -1;
	char process[64];
	uint32_t thread;

	if (fd >= 0 || tgid <= 0 || *reported->path != '/')
		return fd;
	thread = machine_thread((uint32_t)tgid);
	snprintf(process, sizeof(process), "/proc/%" PRIu32 "/root", thread);
	fd = open_below(facts, process, reported->path);
	if (fd < 0) {
		snprintf(process, sizeof(process), "/proc/%" PRIu32, thread);
		fd = open_below(facts, process, "/exe");
	}
	return fd;
}

void machine_find_image(struct image_facts *facts)
{
	struct stat status;
	int fd;

	facts->present = find_present(facts, &status);
	facts->mtime = facts->present ? (uint64_t)status.st_mtime : 0;
	image_facts_identify(facts);
	fd = facts->present ? open_below(facts, facts->root, facts->reported.path) : -1;
	if (fd >= 0)
		close(fd);
	facts->owner = facts->present ? status.st_uid : UINT32_MAX;
}

static void find_text(struct machine *machine, const char *kallsyms)
{
	if (!machine->text_end && op_kallsyms_address(kallsyms, "_stext", &machine->text_start) &&
	    !op_kallsyms_address(kallsyms, "_etext", &machine->text_end))
		machine->text_start = 0;
}

char *machine_kallsyms(struct machine *machine)
{
	/* hidden from a service whose kernel tunables are protected */
	char *path = host_path("/proc/kallsyms");
	char *raw = path ? op_file_read(path, KALLSYMS_SIZE_MOST, NULL, NULL) : NULL;
	char *text = raw ? kallsyms_text_only(raw) : NULL;

	free(path);
	free(raw);
	if (text)
		find_text(machine, text);
	return text;
}

/* Writes the build-id in a file of notes, or "-". */
static void put_build_id(FILE *out, const char *path)
{
	uint8_t id[BUILD_ID_MAX];
	size_t length = build_id_of_notes_file(path, id);

	for (size_t i = 0; i < length; i++)
		fprintf(out, "%02x", id[i]);
	fputs(length ? "\n" : "-\n", out);
}

static void put_module(FILE *out, const struct op_kernel_module *module)
{
	char path[256];

	fprintf(out, "%s %016" PRIx64 " %" PRIx64 " ", module->name, module->address, module->size);
	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module->name);
	put_build_id(out, path);
}

char *machine_modules(struct machine *machine)
{
	char *list = op_file_read("/proc/modules", SMALL_SIZE_MOST, NULL, NULL);
	const char *rest = list;
	struct op_kernel_module module;
	char *text = NULL;
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
	while (rest && op_proc_modules_next(&rest, &module)) {
		if (module.address) /* 0: the kernel hides addresses */
			put_module(out, &module);
	}
	free(list);
	if (fclose(out)) {
		free(text);
		text = NULL;
	}
	return text;
}

/* The value of the first line "cpu MHz : 2600.000", which becomes a string; NULL if none. */
static char *find_in_cpuinfo(char *cpuinfo, const char *key)
{
	char *line = strstr(cpuinfo, key);

	line = line ? strchr(line, ':') : NULL;
	if (!line)
		return NULL;
	line += 1 + strspn(line + 1, " \t");
	line[strcspn(line, "\n")] = '\0';
	return line;
}

static double parse_cpuinfo_mhz(char *cpuinfo)
{
	const char *value = find_in_cpuinfo(cpuinfo, "cpu MHz");
	double mhz = 0;

	return value && op_real_all(value, &mhz) ? mhz : 0;
}

double machine_cpu_mhz(void)
{
	char *text = op_file_read(MAX_FREQUENCY, SMALL_SIZE_MOST, NULL, NULL);
	const char *digits = text;
	uint64_t khz = 0;
	double mhz = 0;

	if (text) {
		op_number_take(&digits, 10, UINT64_MAX, &khz);
		mhz = (double)khz / 1000;
	} else {
		text = op_file_read("/proc/cpuinfo", SMALL_SIZE_MOST, NULL, NULL);
		mhz = text ? parse_cpuinfo_mhz(text) : 0;
	}
	free(text);
	return mhz;
}

char *machine_facts(void)
{
	char *cpuinfo = op_file_read("/proc/cpuinfo", SMALL_SIZE_MOST, NULL, NULL);
	const char *model = cpuinfo ? find_in_cpuinfo(cpuinfo, "model name") : NULL;
	struct utsname system = {0};
	char *text;

	uname(&system);
	text = op_path("hostname %s\nos-release %s\narch %s\n%s%s%scpus-online %ld\n",
		       system.nodename, system.release, system.machine, model ? "cpu " : "",
		       model ? model : "", model ? "\n" : "", sysconf(_SC_NPROCESSORS_ONLN));
	free(cpuinfo);
	return text;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Why the kernel refuses perf events, and the one command that helps: see event.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <linux/capability.h>
#include <sys/syscall.h>

#include "libop/base/file.h"
#include "event.h"
#include "libop/base/number.h"

#define SYSCTL_DIR "/proc/sys/kernel/"

int op_perf_setting(const char *name, int fallback)
{
	char *path = op_path(SYSCTL_DIR "%s", name);
	char *text = path ? op_file_read(path, 64, NULL, NULL) : NULL;
	bool is_negative = text && *text == '-';
	const char *digits = text ? text + is_negative : "";
	uint64_t value;
	int result = fallback;

	if (op_number_take(&digits, 10, INT32_MAX, &value))
		result = is_negative ? -(int)value : (int)value;
	free(text);
	free(path);
	return result;
}

static bool has_capability(unsigned int number)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};

	if (syscall(SYS_capget, &head, data))
		return false;
	return data[number / 32].effective & 1u << number % 32;
}

bool op_perf_is_privileged(void)
{
#ifdef CAP_PERFMON
	if (has_capability(CAP_PERFMON))
		return true;
#endif
	return has_capability(CAP_SYS_ADMIN);
}

/* A filter of system calls: that of a container, most often. */
static bool is_filtered(void)
{
	char *text = op_file_read("/proc/self/status", 1 << 16, NULL, NULL);
	const char *line = text ? strstr(text, "\nSeccomp:\t") : NULL;
	bool filtered = line && line[10] == '2';

	free(text);
	return filtered;
}

/* What perf_event_paranoid forbids: each level includes the ones below it. */
static int paranoid_needed(const struct perf_event_attr *attr, pid_t pid)
{
	if (pid < 0)
		return 0; /* CPUs as a whole */
	if (!attr->exclude_kernel)
		return 1;
	return 2;
}

static int explain_permission(int code, const char *name, const struct perf_event_attr *attr,
			      pid_t pid, struct op_error *error)
{
	int level = op_perf_setting("perf_event_paranoid", 2), needed = paranoid_needed(attr, pid);

	if (op_perf_is_privileged() || level <= needed) {
		if (is_filtered())
			return op_error_set(
				error, code,
				"event \"%s\": a seccomp filter forbids perf_event_open(2), as in "
				"most containers: start it with \"--cap-add PERFMON --security-opt "
				"seccomp=unconfined\"",
				name);
		if (pid > 0)
			return op_error_set(
				error, code,
				"event \"%s\": process %d belongs to another user: only its owner "
				"and root may profile it (sudo)",
				name, (int)pid);
		return op_error_set(
			error, code,
			"event \"%s\": the kernel refuses it (%s), though perf_event_paranoid is "
			"%d: perhaps by a security module or lockdown (see dmesg)",
			name, strerror(code), level);
	}
	return op_error_set(
		error, code,
		"event \"%s\": %s is for root while perf_event_paranoid is %d: as root, "
		"\"sysctl kernel.perf_event_paranoid=%d\"",
		name,
		pid < 0			? "profiling the whole system"
		: !attr->exclude_kernel ? "profiling kernel code"
					: "any profiling",
		level, needed);
}

static int explain_missing(int code, const char *name, const struct perf_event_attr *attr,
			   struct op_error *error)
{
	if (op_perf_is_software(attr))
		return op_error_code(error, code, "event \"%s\": this kernel does not have it",
				     name);
	return op_error_set(error, code,
			    "event \"%s\": this machine has no hardware counter for it, as most "
			    "virtual machines: use \"-e cpu-clock\"",
			    name);
}

static int explain_descriptors(int code, const char *name, struct op_error *error)
{
	struct rlimit limit = {0};

	getrlimit(RLIMIT_NOFILE, &limit);
	if (code == ENFILE)
		return op_error_set(
			error, code,
			"event \"%s\": the system has no free file descriptor: as root, "
			"\"sysctl fs.file-max=1000000\"",
			name);
	return op_error_set(
		error, code,
		"event \"%s\": a descriptor is needed for each event, CPU and thread, and "
		"%" PRIu64 " are allowed: \"ulimit -n 65536\"",
		name, (uint64_t)limit.rlim_cur);
}

int op_perf_explain_open(int code, const char *name, const struct perf_event_attr *attr, pid_t pid,
			 struct op_error *error)
{
	switch (code) {
	case EACCES:
	case EPERM:
		return explain_permission(code, name, attr, pid, error);
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return explain_missing(code, name, attr, error);
	case EMFILE:
	case ENFILE:
		return explain_descriptors(code, name, error);
	case ESRCH:
		return op_error_set(error, code, "event \"%s\": no process %d", name, (int)pid);
	case ENOSYS:
		return op_error_set(error, code,
				    "event \"%s\": the kernel was built without perf events "
				    "(CONFIG_PERF_EVENTS), or a seccomp filter hides them",
				    name);
	case EBUSY:
		return op_error_set(
			error, code,
			"event \"%s\": all counters are taken by another program, such as "
			"the NMI watchdog: as root, \"sysctl kernel.nmi_watchdog=0\"",
			name);
	case EINVAL:
		if (attr->freq || attr->sample_period)
			return op_error_set(
				error, code,
				"event \"%s\": the kernel does not accept this count or "
				"frequency (perf_event_max_sample_rate is %d Hz), code or unit "
				"mask",
				name, op_perf_setting("perf_event_max_sample_rate", 0));
		break;
	}
	return op_error_code(error, code, "event \"%s\"", name);
}

int op_perf_explain_map(int code, size_t bytes, struct op_error *error)
{
	if (code == EPERM || code == ENOMEM || code == EAGAIN)
		return op_error_set(error, code,
				    "no memory for samples may be locked (%zu KiB a CPU; "
				    "perf_event_mlock_kb is "
				    "%d, and other profilers of this user share it): as root, "
				    "\"sysctl kernel.perf_event_mlock_kb=%zu\"",
				    bytes >> 10, op_perf_setting("perf_event_mlock_kb", 516),
				    (bytes >> 10) + 516);
	return op_error_code(error, code, "cannot map the samples");
}

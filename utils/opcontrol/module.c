// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loading and unloading by libkmod.  The kernel reports why it refuses a module only in its log,
 * so what the errno value means is worked out here from the circumstances.
 */
#include "module.h"

#include <errno.h>
#include <libkmod.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "libop/base/file.h"

#define BUILD_HINT                                                                                 \
	"build it in OProfile's sources with \"make -C /lib/modules/%s/build M=$PWD modules\" "    \
	"and load it with \"opcontrol --init --module $PWD/oprofile.ko\""

static bool file_contains(const char *path, const char *text)
{
	char *content = op_file_read(path, 1 << 16, NULL, NULL);
	bool found = content && strstr(content, text);

	free(content);
	return found;
}

bool module_is_loaded(void)
{
	return file_contains("/proc/filesystems", "\toprofilefs\n");
}

int module_backend(char backend[MODULE_BACKEND_MAX])
{
	char *text = op_file_read("/sys/module/" MODULE_NAME "/parameters/backend",
				  MODULE_BACKEND_MAX - 1, NULL, NULL);

	if (!text)
		return -1;
	/* What the kernel prints for a parameter that was not given. */
	if (!strncmp(text, "(null)", 6))
		*text = '\0';
	snprintf(backend, MODULE_BACKEND_MAX, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
	return 0;
}

static int explain_refusal(const struct module_circumstances *with, struct op_error *error)
{
	if (!with->root)
		return op_error_set(error, EPERM, "only root can load a kernel module");
	if (with->disabled)
		return op_error_set(error, EPERM,
				    "loading of modules is turned off (kernel.modules_disabled=1) "
				    "until the next boot");
	if (with->lockdown)
		return op_error_set(
			error, EPERM,
			"the kernel is locked down (Secure Boot) and refuses %s, which is "
			"not signed: sign it with a key enrolled by mokutil(1), or "
			"turn Secure Boot off",
			with->file);
	return op_error_set(error, EPERM,
			    "the kernel does not let this process load %s: in a container this "
			    "needs the capability CAP_SYS_MODULE",
			    with->file);
}

int module_explain(int code, const struct module_circumstances *with, struct op_error *error)
{
	size_t length = strlen(with->release);

	if (!with->file)
		return op_error_set(error, ENOENT,
				    "there is no module " MODULE_NAME
				    " for the running kernel (%s): " BUILD_HINT,
				    with->release, with->release);
	switch (code) {
	case EPERM:
	case EACCES:
		return explain_refusal(with, error);
	case EKEYREJECTED:
	case ENOKEY:
	case EBADMSG:
		return op_error_set(error, code,
				    "the kernel loads only modules signed with a trusted key "
				    "(Secure Boot or module.sig_enforce), which %s is not: sign "
				    "it with a key enrolled by mokutil(1), or turn that off",
				    with->file);
	case ENOEXEC:
		if (with->vermagic && (strncmp(with->vermagic, with->release, length) ||
				       with->vermagic[length] != ' '))
			return op_error_set(
				error, code,
				"%s was built for the kernel %.*s, but %s runs: " BUILD_HINT,
				with->file, (int)strcspn(with->vermagic, " "), with->vermagic,
				with->release, with->release);
		return op_error_set(error, code,
				    "%s does not match the kernel (see "
				    "\"dmesg | tail\"): " BUILD_HINT,
				    with->file, with->release);
	case ENOENT:
		return op_error_set(error, code,
				    "%s needs symbols that the kernel does not have (see \"dmesg | "
				    "tail\"): " BUILD_HINT,
				    with->file, with->release);
	case EINVAL:
	case ENODEV:
		if (with->backend)
			return op_error_set(
				error, code,
				"the module has no backend \"%s\", or this machine cannot "
				"run it (see \"dmesg | tail\"): without --backend, the best one is "
				"chosen",
				with->backend);
		/* fallthrough */
	default:
		return op_error_code(error, code, "cannot load %s (see \"dmesg | tail\")",
				     with->file);
	}
}

/* The module's vermagic, which the caller frees, or NULL. */
static char *read_vermagic(struct kmod_module *module)
{
	struct kmod_list *info = NULL, *entry;
	char *vermagic = NULL;

	if (kmod_module_get_info(module, &info) < 0)
		return NULL;
	kmod_list_foreach(entry, info)
	{
		if (!strcmp(kmod_module_info_get_key(entry), "vermagic")) {
			vermagic = strdup(kmod_module_info_get_value(entry));
			break;
		}
	}
	kmod_module_info_free_list(info);
	return vermagic;
}

static int explain_load(int code, struct kmod_module *module, const char *backend,
			struct op_error *error)
{
	struct module_circumstances with = {.backend = backend, .root = !geteuid()};
	char *vermagic = module ? read_vermagic(module) : NULL;
	struct utsname kernel;

	uname(&kernel);
	with.release = kernel.release;
	with.file = module ? kmod_module_get_path(module) : NULL;
	with.vermagic = vermagic;
	with.lockdown = file_contains("/sys/kernel/security/lockdown", "[integrity]") ||
			file_contains("/sys/kernel/security/lockdown", "[confidentiality]");
	with.disabled = file_contains("/proc/sys/kernel/modules_disabled", "1");
	module_explain(code, &with, error);
	free(vermagic);
	return -1;
}

/* By name and with dependencies, as modprobe(8), or just this file, as insmod(8). */
static int insert(struct kmod_ctx *kmod, const char *file, const char *options,
		  struct kmod_module **module)
{
	struct kmod_list *list = NULL;
	int ret;

	if (file) {
		ret = kmod_module_new_from_path(kmod, file, module);
		return ret ? ret : kmod_module_insert_module(*module, 0, options);
	}
	ret = kmod_module_new_from_lookup(kmod, MODULE_NAME, &list);
	if (ret || !list)
		return ret ? ret : -ENOENT;
	*module = kmod_module_get_module(list);
	kmod_module_unref_list(list);
	return kmod_module_probe_insert_module(*module, KMOD_PROBE_APPLY_BLACKLIST_ALIAS_ONLY,
					       options, NULL, NULL, NULL);
}

static int check_file(const char *file, struct op_error *error)
{
	struct stat status;

	if (stat(file, &status))
		return op_error_errno(error, "--module: %s", file);
	if (!S_ISREG(status.st_mode))
		return op_error_set(error, EINVAL, "--module: %s is not a file", file);
	return 0;
}

static void keep_quiet(void *data, int priority, const char *file, int line, const char *function,
		       const char *format, va_list args)
{
	(void)data, (void)priority, (void)file, (void)line, (void)function, (void)format,
		(void)args;
}

int module_load(const char *file, const char *backend, struct op_error *error)
{
	struct kmod_module *module = NULL;
	char options[MODULE_BACKEND_MAX + 16] = "";
	struct kmod_ctx *kmod;
	int ret;

	if (file && check_file(file, error))
		return -1;
	if (backend)
		snprintf(options, sizeof(options), "backend=%s", backend);
	kmod = kmod_new(NULL, NULL);
	if (!kmod)
		return op_error_memory(error);
	kmod_set_log_fn(kmod, keep_quiet, NULL);
	ret = insert(kmod, file, options, &module);
	if (ret == -EEXIST && module_is_loaded())
		ret = 0;
	if (ret)
		explain_load(ret < 0 ? -ret : EPERM, module, backend, error);
	kmod_module_unref(module);
	kmod_unref(kmod);
	return ret ? -1 : 0;
}

int module_unload(struct op_error *error)
{
	struct kmod_module *module = NULL;
	struct kmod_ctx *kmod;
	int ret;

	if (!module_is_loaded())
		return 0;
	kmod = kmod_new(NULL, NULL);
	if (!kmod)
		return op_error_memory(error);
	kmod_set_log_fn(kmod, keep_quiet, NULL);
	ret = kmod_module_new_from_name(kmod, MODULE_NAME, &module);
	if (!ret)
		ret = kmod_module_remove_module(module, KMOD_REMOVE_NOWAIT);
	kmod_module_unref(module);
	kmod_unref(kmod);
	switch (-ret) {
	case 0:
		return 0;
	case EBUSY:
	case EAGAIN:
		return op_error_set(error, EBUSY,
				    "the module is in use: oprofilefs may be mounted in another "
				    "place or mount namespace (see \"grep oprofilefs "
				    "/proc/*/mounts\"); unmount it there");
	case EPERM:
		return op_error_set(error, EPERM,
				    "the kernel does not let this process unload the "
				    "module: run as root outside of any container");
	case ENOENT:
		return op_error_set(error, ENOENT,
				    "the driver is built into this kernel and cannot be "
				    "unloaded");
	default:
		return op_error_code(error, -ret, "cannot unload the module");
	}
}

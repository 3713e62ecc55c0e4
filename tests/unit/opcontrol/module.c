// SPDX-License-Identifier: GPL-2.0-or-later
/* Why a module cannot be loaded. */
#include "libop/base/array.h"
#include "tests/unit/test.h"

#include "utils/opcontrol/module.h"

TEST(loading_failures_name_cause_and_cure)
{
#define LOADED .file = "/m/oprofile.ko", .release = "6.1.0-56", .root = true
	static const struct {
		int code;
		struct module_circumstances with;
		const char *texts[3];
	} cases[] = {
		{ENOENT,
		 {.release = "6.1.0-56", .root = true},
		 {"no module oprofile", "6.1.0-56", "make -C /lib/modules/6.1.0-56/build"}},
		{EPERM, {.file = "/m/oprofile.ko", .release = "6.1.0-56"}, {"only root"}},
		{EPERM, {LOADED, .lockdown = true}, {"Secure Boot", "mokutil"}},
		{EPERM, {LOADED, .disabled = true}, {"modules_disabled", "next boot"}},
		{EPERM, {LOADED}, {"CAP_SYS_MODULE", "container"}},
		{EKEYREJECTED, {LOADED}, {"signed", "Secure Boot", "mokutil"}},
		{ENOKEY, {LOADED}, {"signed", "module.sig_enforce"}},
		{ENOEXEC,
		 {LOADED, .vermagic = "6.12.9 SMP mod_unload"},
		 {"built for the kernel 6.12.9", "6.1.0-56 runs", "make -C"}},
		{ENOEXEC,
		 {LOADED, .vermagic = "6.1.0-56x SMP"},
		 {"built for the kernel 6.1.0-56x"}},
		{ENOEXEC, {LOADED, .vermagic = "6.1.0-56 SMP"}, {"does not match", "dmesg"}},
		{ENOEXEC, {LOADED}, {"does not match", "dmesg"}},
		{ENOENT, {LOADED}, {"symbols", "make -C"}},
		{EINVAL, {LOADED, .backend = "abacus"}, {"no backend \"abacus\"", "--backend"}},
		{ENODEV, {LOADED, .backend = "x86"}, {"cannot run it", "dmesg"}},
		{ENODEV,
		 {LOADED},
		 {"cannot load /m/oprofile.ko (see \"dmesg | tail\"): No such device", "dmesg"}},
		{ENOMEM, {LOADED}, {"Cannot allocate memory"}},
	};
	struct op_error error;

	for (size_t i = 0; i < OP_ARRAY_SIZE(cases); i++) {
		assert_int_equal(module_explain(cases[i].code, &cases[i].with, &error), -1);
		for (int k = 0; k < 3 && cases[i].texts[k]; k++) {
			if (!strstr(error.text, cases[i].texts[k]))
				fail_msg("case %zu: \"%s\" is not in: %s", i, cases[i].texts[k],
					 error.text);
		}
	}
}

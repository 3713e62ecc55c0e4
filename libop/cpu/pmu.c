// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PMUs of CPU types: see pmu.h.  The numbers of counters are OProfile's for its types;
 * those of newer ones are Intel's and AMD's for a logical CPU with the other thread in use.
 */
#include "pmu.h"

#include <stddef.h>
#include <string.h>

#include "libop/base/array.h"

static const struct op_cpu_pmu pmus[] = {
	{"i386/ppro", 2, false, true, {NULL}},
	{"i386/pii", 2, false, true, {NULL}},
	{"i386/piii", 2, false, true, {NULL}},
	{"i386/p6_mobile", 2, false, true, {NULL}},
	{"i386/core", 2, false, true, {NULL}},
	{"i386/p4", 8, false, true, {NULL}},
	{"i386/p4-ht", 4, false, true, {NULL}},
	{"i386/arch_perfmon", 0, true, true, {NULL}},
	{"i386/core_2", 2, true, true, {"core"}},
	{"i386/atom", 2, true, true, {"atom"}},
	{"i386/core_i7", 4, true, true, {"nhm"}},
	{"i386/nehalem", 4, true, true, {"nhm"}},
	{"i386/westmere", 4, true, true, {"wsm"}},
	{"i386/sandybridge", 8, true, true, {"snb"}},
	{"i386/ivybridge", 8, true, true, {"ivb"}},
	{"i386/haswell", 4, true, true, {"hsw"}},
	{"i386/broadwell", 4, true, true, {"bdw"}},
	{"i386/skylake", 4, true, true, {"skl"}},
	{"i386/silvermont", 2, true, true, {"slm"}},
	{"i386/goldmont", 4, true, true, {"glm"}},
	{"i386/goldmontplus", 4, true, true, {"glm"}},
	{"i386/knightslanding", 2, true, true, {"knl"}},
	{"i386/tremont", 4, true, false, {"tmt"}},
	{"i386/icelake", 8, true, false, {"icl"}},
	{"i386/tigerlake", 8, true, false, {"icl"}},
	{"i386/rocketlake", 8, true, false, {"icl"}},
	{"i386/alderlake", 8, true, false, {"adl_glc", "spr"}},
	{"i386/gracemont", 6, true, false, {"adl_grt"}},
	{"i386/sapphirerapids", 8, true, false, {"spr"}},
	{"i386/raptorlake", 8, true, false, {"adl_glc", "spr"}},
	{"i386/emeraldrapids", 8, true, false, {"emr", "spr"}},
	{"i386/meteorlake", 8, true, false, {NULL}},
	{"i386/crestmont", 8, true, false, {NULL}},
	{"i386/graniterapids", 8, true, false, {"gnr"}},
	{"i386/arrowlake", 8, true, false, {NULL}},
	{"i386/lunarlake", 8, true, false, {NULL}},
	{"i386/athlon", 4, false, true, {"amd64_k7"}},
	{"x86-64/hammer", 4, false, true, {"amd64_k8_revg"}},
	{"x86-64/family10", 4, false, true, {"amd64_fam10h_istanbul"}},
	{"x86-64/family11h", 4, false, true, {"amd64_fam11h_turion"}},
	{"x86-64/family12h", 4, false, true, {"amd64_fam12h_llano"}},
	{"x86-64/family14h", 4, false, true, {"amd64_fam14h_bobcat"}},
	{"x86-64/family15h", 6, false, true, {"amd64_fam15h_interlagos"}},
	{"x86-64/generic", 4, false, true, {NULL}},
	{"x86-64/family16h", 4, false, false, {"amd64_fam16h"}},
	{"x86-64/zen1", 6, false, false, {"amd64_fam17h_zen1"}},
	{"x86-64/zen2", 6, false, false, {"amd64_fam17h_zen2"}},
	{"x86-64/zen3", 6, false, false, {"amd64_fam19h_zen3"}},
	{"x86-64/zen4", 6, false, false, {"amd64_fam19h_zen4"}},
	{"x86-64/zen5", 6, false, false, {"amd64_fam1ah_zen5"}},
};

const struct op_cpu_pmu *op_cpu_pmu(const char *cpu_name)
{
	for (size_t i = 0; i < OP_ARRAY_SIZE(pmus); i++) {
		if (!strcmp(pmus[i].cpu_name, cpu_name))
			return &pmus[i];
	}
	return NULL;
}

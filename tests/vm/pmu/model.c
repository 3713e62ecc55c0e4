// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each model is a PMU that was built, with that processor's numbers (Intel SDM volume 3 chapter
 * "Performance Monitoring", AMD APM volume 2 chapter "Performance Counters").  Intel's local
 * APIC masks LVTPC on delivery, AMD's does not.
 */
#include "model.h"

#include <stddef.h>
#include <string.h>

static const struct pmu_model models[] = {
	{ .name = "p6", .cpu = "qemu64,vendor=GenuineIntel,family=6,model=8",
	  .family = PMU_P6, .general = 2, .width = 40, .masks_lvtpc = true },
	{ .name = "core", .cpu = "core2duo,model=14",
	  .family = PMU_ARCH, .version = 1, .general = 2, .width = 40, .masks_lvtpc = true },
	{ .name = "core2", .cpu = "core2duo",
	  .family = PMU_ARCH, .version = 2, .general = 2, .width = 40, .fixed = 3,
	  .fixed_width = 40, .masks_lvtpc = true },
	{ .name = "nehalem", .cpu = "Nehalem",
	  .family = PMU_ARCH, .version = 3, .general = 4, .width = 48, .fixed = 3,
	  .fixed_width = 48, .masks_lvtpc = true },
	{ .name = "haswell", .cpu = "Haswell-noTSX",
	  .family = PMU_ARCH, .version = 3, .general = 8, .width = 48, .fixed = 3,
	  .fixed_width = 48, .full_width = true, .masks_lvtpc = true },
	{ .name = "skylake", .cpu = "Skylake-Client-noTSX-IBRS",
	  .family = PMU_ARCH, .version = 4, .general = 8, .width = 48, .fixed = 3,
	  .fixed_width = 48, .full_width = true, .masks_lvtpc = true },
	{ .name = "icelake", .cpu = "Icelake-Server-noTSX,model=106",
	  .family = PMU_ARCH, .version = 5, .general = 8, .width = 48, .fixed = 4,
	  .fixed_width = 48, .full_width = true, .masks_lvtpc = true },
	{ .name = "clearwater", .cpu = "Icelake-Server-noTSX,model=221",
	  .family = PMU_ARCH, .version = 6, .general = 8, .width = 48, .fixed = 3,
	  .fixed_width = 48, .full_width = true, .masks_lvtpc = true },
	{ .name = "alderlake", .cpu = "Icelake-Server-noTSX,model=151",
	  .family = PMU_ARCH, .version = 5, .general = 8, .width = 48, .fixed = 4,
	  .fixed_width = 48, .full_width = true, .masks_lvtpc = true, .kind = PMU_BIG,
	  .partner = "gracemont" },
	{ .name = "gracemont", .cpu = "Icelake-Server-noTSX,model=151",
	  .family = PMU_ARCH, .version = 5, .general = 6, .width = 48, .fixed = 3,
	  .fixed_width = 48, .full_width = true, .masks_lvtpc = true, .kind = PMU_SMALL },
	{ .name = "k8", .cpu = "Opteron_G2",
	  .family = PMU_AMD_K7, .general = 4, .width = 48 },
	{ .name = "family10h", .cpu = "Opteron_G3",
	  .family = PMU_AMD_K7, .general = 4, .width = 48 },
	{ .name = "family15h", .cpu = "Opteron_G3,family=21,model=2",
	  .family = PMU_AMD_CORE, .general = 6, .width = 48 },
	{ .name = "zen", .cpu = "EPYC",
	  .family = PMU_AMD_CORE, .general = 6, .width = 48 },
	{ .name = "zen4", .cpu = "EPYC-Genoa",
	  .family = PMU_AMD_CORE, .version = 2, .general = 6, .width = 48 },
};

const struct pmu_model *pmu_model_at(unsigned int i)
{
	return i < sizeof(models) / sizeof(models[0]) ? &models[i] : NULL;
}

const struct pmu_model *pmu_model_find(const char *name)
{
	for (unsigned int i = 0; pmu_model_at(i); i++)
		if (!strcmp(models[i].name, name))
			return &models[i];
	return NULL;
}

const char *pmu_model_flaw(const struct pmu_model *model)
{
	switch (model->family) {
	case PMU_P6:
		if (model->general != 2)
			return "this model has 2 counters";
		break;
	case PMU_AMD_K7:
		if (model->general != 4)
			return "this model has 4 counters";
		break;
	case PMU_AMD_CORE:
		if (model->general != 6)
			return "this model has 6 counters";
		break;
	case PMU_ARCH:
		/* at 0x186.. there is room for eight before other registers come */
		if (model->general < 1 || model->general > 8)
			return "this model can have 1 to 8 counters";
		break;
	}
	if (model->fixed && (model->family != PMU_ARCH || model->version < 2))
		return "this model has no fixed counters";
	if (model->fixed > PMU_FIXED_MAX)
		return "this model can have 0 to 4 fixed counters";
	if (model->width < 32 || model->width > 63)
		return "a counter can be 32 to 63 bits wide";
	if (model->fixed && (model->fixed_width < 32 || model->fixed_width > 63))
		return "a fixed counter can be 32 to 63 bits wide";
	return NULL;
}

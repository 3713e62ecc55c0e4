// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a file of opcontrol's settings: they are refused with the file's name, or read,
 * written and read again as the same settings.  See driver.h.
 */
#include "driver.h"
#include "utils/opcontrol/daemonrc.h"

const unsigned int fuzz_iterations = 40000;

const struct fuzz_seed fuzz_seeds[] = {
	SEED("SESSION_DIR=/srv/a b\n"
	     "SEPARATE_LIB=0\nSEPARATE_KERNEL=0\nSEPARATE_THREAD=1\nSEPARATE_CPU=1\n"
	     "VMLINUX=/boot/vmlinux\nKERNEL_RANGE=0x1000,0x2000\n"
	     "IMAGE_FILTER=/bin/a,/bin/b\n"
	     "BUF_SIZE=65536\nBUF_WATERSHED=4096\nCPU_BUF_SIZE=1024\n"
	     "CALLGRAPH=12\nFREQUENCY=997\n"
	     "CHOSEN_EVENTS_0=A_B:100\nCHOSEN_EVENTS_1=C:1000:0x3:1:0\nNR_CHOSEN=2\n"),
	SEED("BUF_SIZE=4096"),
	{0, 0},
};

/* Return: the text that the caller frees. */
static char *print(const struct settings *settings)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	fuzz_must(file != NULL, "out of memory");
	settings_print(settings, file);
	fclose(file);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct settings settings, again, copy;
	struct op_error error;
	char *text;

	if (daemonrc_parse("rc", (const char *)data, size, &settings, &error)) {
		fuzz_must(!strncmp(error.text, "rc:", 3), "an error without the file");
		return 0;
	}
	text = print(&settings);
	fuzz_must(!daemonrc_parse("rc", text, strlen(text), &again, &error), "not read again");
	fuzz_must(settings_equal(&settings, &again), "other settings");
	fuzz_must(!settings_copy(&copy, &settings, &error), "no copy");
	fuzz_must(settings_equal(&settings, &copy), "another copy");
	copy.callgraph++;
	fuzz_must(!settings_equal(&settings, &copy), "a change is not seen");
	settings_free(&settings);
	settings_free(&again);
	settings_free(&copy);
	free(text);
	return 0;
}

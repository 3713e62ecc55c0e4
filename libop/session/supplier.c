// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose profile a session was imported from: see supplier.h. */
#include "supplier.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/file.h"
#include "libop/base/number.h"
#include "libop/foreign/door.h"
#include "paths.h"

int op_supplier_write(const char *dir, uid_t user, struct op_error *error)
{
	char *path = op_path("%s/" OP_SAMPLES_SUPPLIER, dir), text[32];
	int n = snprintf(text, sizeof(text), "%u\n", (unsigned int)user), result;

	if (!path)
		return op_error_memory(error);
	result = op_file_replace(path, text, (size_t)n, OP_SESSION_FILE_MODE, error);
	free(path);
	return result;
}

bool op_supplier_read(const char *dir, uid_t *user)
{
	char *path = op_path("%s/" OP_SAMPLES_SUPPLIER, dir), *text;
	struct op_error error = {.code = ENOMEM};
	uint64_t number;

	*user = FOREIGN_NOBODY;
	text = path ? foreign_read(path, 64, NULL, &error) : NULL;
	free(path);
	if (!text)
		return error.code != ENOENT;
	text[strcspn(text, "\n")] = '\0';
	if (op_number_all(text, 10, UINT32_MAX - 1, &number))
		*user = (uid_t)number;
	free(text);
	return *user && *user != geteuid();
}

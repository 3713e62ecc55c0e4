// SPDX-License-Identifier: GPL-2.0-or-later
/* OProfile's sample files in the table of formats: what is no session becomes one first. */
#include "original.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "libop/base/memory.h"
#include "libop/base/remove_tree.h"
#include "pp/select/spec.h"
#include "pp/symbols/image_path.h"
#include "session.h"

#define TEMPORARY ".session"

static int convert(uint32_t version, const char *session, const char *dir, struct op_error *error)
{
	struct op_warnings warnings = {0};
	struct pp_image_search search = {0};
	struct pp_spec spec;
	const struct format_sessions sessions = {
		.dir = session, .spec = &spec, .search = &search, .warnings = &warnings};
	int result = pp_spec_parse(&spec, NULL, 0, error);

	if (!result)
		result = original_write(version, &sessions, dir, error);
	op_warnings_summarize(&warnings);
	pp_image_search_free(&search);
	pp_spec_free(&spec);
	return result;
}

static int remove_session(const char *dir, struct op_error *error)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), result;

	if (fd < 0)
		return op_error_errno(error, "%s", dir);
	result = op_tree_remove(fd, TEMPORARY, error);
	close(fd);
	return result;
}

static int write_profile(uint32_t version, const struct prof *prof, struct output *output,
			 struct op_error *error)
{
	const struct session_options options = {0};
	char *session = op_format("%s/" TEMPORARY, output->path);
	struct op_error ignored;
	int result = session_write(prof, session, &options, error);

	if (!result)
		result = convert(version, session, output->path, error);
	if (remove_session(output->path, result ? &ignored : error))
		result = -1;
	free(session);
	return result;
}

int original_write_profile_1(struct prof *prof, struct output *output, struct op_error *error)
{
	return write_profile(ORIGINAL_1, prof, output, error);
}

int original_write_sessions_1(const struct format_sessions *sessions, struct output *output,
			      struct op_error *error)
{
	return original_write(ORIGINAL_1, sessions, output->path, error);
}

static int write_profile_0_9(struct prof *prof, struct output *output, struct op_error *error)
{
	return write_profile(ORIGINAL_0_9, prof, output, error);
}

static int write_sessions_0_9(const struct format_sessions *sessions, struct output *output,
			      struct op_error *error)
{
	return original_write(ORIGINAL_0_9, sessions, output->path, error);
}

const struct format format_original_0_9 = {
	.name = "oprofile-0.9.9",
	.description = "sample files that OProfile 0.9.8 and 0.9.9 read",
	.write = write_profile_0_9,
	.write_sessions = write_sessions_0_9,
	.writes_directory = true,
};

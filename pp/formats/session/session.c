// SPDX-License-Identifier: GPL-2.0-or-later
/* Sessions and single sample files in the table of formats. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libdb/odb/odb.h"
#include "libop/cpu/type_names.h"
#include "libop/session/paths.h"
#include "pp/formats/model/format.h"
#include "session.h"
#include "image.h"
#include "original.h"
#include "libop/base/memory.h"
#include "pp/select/selection.h"

static bool is_directory(const char *dir, const char *below)
{
	char *path = op_format("%s/%s", dir, below);
	struct stat status;
	bool is = !stat(path, &status) && S_ISDIR(status.st_mode);

	free(path);
	return is;
}

static int probe_directory(const char *path)
{
	return is_directory(path, OP_SESSION_CURRENT) ? 90 : 0;
}

static int read_session(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	struct pp_sample_list list = {0};
	struct pp_image_search search = {0};
	struct op_warnings warnings = {0};
	struct pp_spec spec;
	int result;

	if (!input_is_directory(input))
		return op_error_set(error, ENOTDIR, "%s: not a directory, as a session is",
				    input_name(input));
	if (pp_spec_parse(&spec, NULL, 0, error))
		return -1;
	/* what it names is read with its owner's rights only */
	spec.trust = true;
	list.want_weights = list.want_arcs = true;
	result = pp_select_files(&list, input_path(input), &spec, false, &warnings, error);
	if (!result)
		result = session_read(&list, &search, sink, &warnings, error);
	op_warnings_summarize(&warnings);
	pp_image_search_free(&search);
	pp_sample_list_free(&list);
	pp_spec_free(&spec);
	return result;
}

static int write_session(struct prof *prof, struct output *output, struct op_error *error)
{
	/* as if each frame and each value had been of so many bytes */
	const struct session_options options = {
		.input = 64 * ((uint64_t)prof_nodes(prof) + prof_count_values(prof))};

	return session_write(prof, output->path, &options, error);
}

const struct format format_session = {
	.name = "session",
	.description = "sample files and stack files of OProfile",
	.probe_directory = probe_directory,
	.read = read_session,
	.write = write_session,
	.writes_directory = true,
	.by = PROF_BY_PID | PROF_BY_TID | PROF_BY_CPU,
};

/* ---- a sample file by itself ---- */

static int probe_file(const uint8_t *bytes, size_t n)
{
	return n >= 4 && !memcmp(bytes, "DAE\n", 4) ? 90 : 0;
}

/* What can't be told of a file that is not in a session. */
static void name_anything(struct op_sample_name *name, const char *path)
{
	*name = (struct op_sample_name){
		.app = {.kind = OP_IMAGE_FILE, .name = op_copy(path)},
		.dep = {.kind = OP_IMAGE_FILE, .name = op_copy(path)},
		.event = op_copy("unknown"),
		.tgid = OP_ALL,
		.tid = OP_ALL,
		.cpu = OP_ALL,
	};
}

static int push_entries(const struct odb_entry *entries, ptrdiff_t n, uint32_t event,
			uint32_t image, uint64_t period, struct prof_sink *sink,
			struct op_error *error)
{
	for (ptrdiff_t i = 0; i < n; i++) {
		const struct prof_frame frame = {image, entries[i].key};
		const struct prof_value value = {event, entries[i].count,
						 entries[i].count * (period ? period : 1)};
		const struct prof_sample sample = {
			.frames = &frame,
			.depth = 1,
			.values = &value,
			.n_values = 1,
			.app = image,
			.pid = PROF_ANY,
			.tid = PROF_ANY,
			.cpu = PROF_ANY,
		};

		if (sink->sample(sink, &sample, error))
			return -1;
	}
	return 0;
}

static void tell_form(const struct odb *db, struct prof_sink *sink)
{
	const struct odb_header *header = odb_header(db);
	const struct odb_format form = odb_format(db);
	const struct prof_host host = {
		.cpu_type =
			op_cpu_type_name(op_cpu_type_of_file(header->version, header->cpu_type)),
		.cpu_mhz = header->cpu_speed,
	};

	sink->host(sink, &host);
	prof_sink_fact(sink, "version", "0x%x", header->version);
	prof_sink_fact(sink, "abi", "%s", form.abi);
	prof_sink_fact(sink, "byte-order", "%s", form.big_endian ? "big" : "little");
}

static int session_read_file(struct input *input, struct prof_sink *sink, struct op_error *error)
{
	struct op_sample_name name;
	struct odb_entry *entries = NULL;
	struct prof_image image;
	struct prof_event event;
	struct odb_error cause;
	struct odb *db;
	ptrdiff_t n;
	int result;

	if (!strcmp(input_path(input), "-"))
		return op_error_set(error, EINVAL, "%s: a sample file is read by its name only",
				    input_name(input));
	if (odb_open(&db, input_path(input), ODB_READ, NULL, &cause))
		return op_error_set(error, cause.code, "%s", cause.text);
	n = odb_entries(db, &entries, &cause);
	if (n < 0) {
		odb_close(db);
		return op_error_set(error, cause.code, "%s", cause.text);
	}
	if (op_sample_name_parse(input_path(input), &name, NULL))
		name_anything(&name, input_path(input));
	tell_form(db, sink);
	image = session_prof_image(&name.dep, odb_header(db)->is_kernel);
	image.mtime = odb_header(db)->mtime;
	event = (struct prof_event){
		.name = name.event,
		.period = odb_header(db)->ctr_count,
		.unit_mask = odb_header(db)->ctr_um,
		.code = odb_header(db)->ctr_event,
		.type = PROF_NO_TYPE,
	};
	result = push_entries(entries, n, sink->event(sink, &event), sink->image(sink, &image),
			      event.period, sink, error);
	free(entries);
	op_sample_name_free(&name);
	odb_close(db);
	return result;
}

const struct format format_sample_file = {
	.name = "oprofile",
	.description = "sample files that OProfile 1.0 to 1.4 reads",
	.probe = probe_file,
	.read = session_read_file,
	.write = original_write_profile_1,
	.write_sessions = original_write_sessions_1,
	.writes_directory = true,
};

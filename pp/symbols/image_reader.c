// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads images. */
#include "image_reader.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/session/paths.h"
#include "image_identity.h"
#include "image_name.h"
#include "libop/base/memory.h"

/* Warns about @id, if the caller wants warnings. */
#define WARN(reader, id, kind, format, ...)                                                        \
	do {                                                                                       \
		char *shown_ = (reader)->warnings ? pp_image_full_name(id) : NULL;                 \
		if (shown_)                                                                        \
			op_warnings_add((reader)->warnings, kind, "%s " format, shown_,            \
					__VA_ARGS__);                                              \
		free(shown_);                                                                      \
	} while (0)

/* ---- files ---- */

/* The symbols that were saved with the session; there is no code then. */
static bool read_saved(struct pp_image_reader *reader, const struct op_image_name *id,
		       struct pp_image_content *content)
{
	int fd = pp_image_saved(reader->search, id->name);
	struct op_error ignored;
	char *path;

	if (fd < 0)
		return false;
	path = op_format("/proc/self/fd/%d", fd);
	pp_symbols_read_file(&content->symbols, path, pp_image_root(reader->search),
			     reader->want_lines, &ignored);
	close(fd);
	free(path);
	return content->symbols.n;
}

static bool has_name(const struct pp_symbols *symbols, const struct pp_symbol *wanted)
{
	size_t i = pp_symbols_find(symbols, wanted->start), n;
	const struct pp_alias *aliases;

	if (i == symbols->n || symbols->items[i].start != wanted->start)
		return false;
	if (!strcmp(symbols->items[i].name, wanted->name))
		return true;
	aliases = pp_symbols_aliases(symbols, wanted->start, &n);
	for (size_t k = 0; k < n; k++)
		if (!strcmp(aliases[k].name, wanted->name))
			return true;
	return false;
}

/* Stubs are named after what they call, which has one name of several in each table. */
static bool is_stub(const struct pp_symbol *symbol)
{
	const char *at = strrchr(symbol->name, '@');

	return at && !strcmp(at, "@plt");
}

static bool has_names(const struct pp_symbols *symbols, const struct pp_symbols *wanted)
{
	for (size_t i = 0; i < wanted->n; i++)
		if (pp_symbol_is_of_file(&wanted->items[i]) && !is_stub(&wanted->items[i]) &&
		    !has_name(symbols, &wanted->items[i]))
			return false;
	return true;
}

/* Another file with the same build-id has the same code, but perhaps other names of functions. */
static void prefer_saved_names(struct pp_image_reader *reader, const struct op_image_name *id,
			       struct pp_image_content *content)
{
	struct pp_image_content saved = {0};

	if (!pp_image_may_be_renamed(reader->search, id->name, content->path) ||
	    !read_saved(reader, id, &saved) || has_names(&content->symbols, &saved.symbols)) {
		pp_image_content_free(&saved);
		return;
	}
	pp_symbols_free(&content->symbols);
	content->symbols = saved.symbols;
}

/* Says why there is no file. */
static void image_reader_tell(struct pp_image_reader *reader, const struct op_image_name *id,
			      struct pp_image_content *content, const char *reason)
{
	if (reader->keeps_troubles)
		content->trouble = op_copy(reason);
	else if (content->is_saved)
		WARN(reader, id, OP_NO_IMAGE,
		     "has the symbols that were saved, no lines and no code: %s", reason);
	else
		WARN(reader, id, OP_NO_IMAGE, "has no symbols: %s", reason);
}

static void image_reader_read_file(struct pp_image_reader *reader, const struct op_image_name *id,
				   struct pp_image_content *content)
{
	const char *reason = NULL;
	struct pp_image_identity identity;
	struct op_error error;

	reader->search->samples_dirs = reader->samples_dirs;
	reader->search->n_dirs = reader->n_dirs;
	content->path = pp_image_find(reader->search, id->name, &reason);
	if (!content->path) {
		content->unnamed = PP_UNNAMED_NO_FILE;
		content->is_saved = read_saved(reader, id, content);
		if (!content->is_saved || reader->want_code)
			image_reader_tell(reader, id, content, reason);
		return;
	}
	pp_image_identity_parse(&identity, id->name);
	content->may_have_changed =
		identity.state == PP_IMAGE_IN_PLACE && !pp_image_known(reader->search, id->name);
	if (pp_symbols_read_file(&content->symbols, content->path, pp_image_root(reader->search),
				 reader->want_lines, &error)) {
		content->unnamed = PP_UNNAMED_BAD_FILE;
		if (reader->warnings)
			op_warnings_add(reader->warnings, OP_BAD_IMAGE,
					"%s: symbols may be missing: %s", content->path,
					error.text);
	}
	prefer_saved_names(reader, id, content);
}

/* ---- the kernel ---- */

static void find_saved_kernel(struct pp_image_reader *reader)
{
	/* Another reader may have warned already. */
	bool warned = !reader->warnings || reader->warnings->n[OP_BAD_KALLSYMS];

	for (size_t i = 0; reader->kallsyms_state == PP_KALLSYMS_UNREAD; i++) {
		if (i == reader->n_dirs) {
			reader->kallsyms_state = PP_KALLSYMS_NONE;
		} else if (!pp_kallsyms_read(&reader->kallsyms, reader->samples_dirs[i],
					     &reader->kallsyms_error)) {
			reader->kallsyms_state = PP_KALLSYMS_READ;
		} else {
			if (!warned)
				pp_kallsyms_warn(reader->warnings, &reader->kallsyms_error);
			/* a later session may have symbols */
			if (reader->kallsyms.n_modules && i + 1 == reader->n_dirs)
				reader->kallsyms_state = PP_KALLSYMS_MODULES;
			else
				pp_kallsyms_free(&reader->kallsyms);
		}
	}
}

/* The symbols of the kernel that was profiled, or NULL. */
static const struct pp_kallsyms *get_kallsyms(struct pp_image_reader *reader)
{
	find_saved_kernel(reader);
	return reader->kallsyms_state == PP_KALLSYMS_READ ? &reader->kallsyms : NULL;
}

/* Its modules, also without any symbol, or NULL. */
static const struct pp_kallsyms *get_modules(struct pp_image_reader *reader)
{
	find_saved_kernel(reader);
	return reader->kallsyms_state == PP_KALLSYMS_READ ||
			       reader->kallsyms_state == PP_KALLSYMS_MODULES
		       ? &reader->kallsyms
		       : NULL;
}

/*
 * True if the kernel loaded the file with this layout: then functions of both tables start at the
 * same keys, but for the few that only one table has.
 */
static bool tables_agree(const struct pp_symbols *file, const struct pp_symbols *kernel)
{
	size_t same = 0;

	for (size_t i = 0; i < kernel->n; i++) {
		size_t at = pp_symbols_find(file, kernel->items[i].start);

		same += at < file->n && file->items[at].start == kernel->items[i].start;
	}
	return same + kernel->n / 10 + 1 >= kernel->n;
}

/* Reads the file of the kernel or a module into @content; its symbols replace those there. */
static bool read_kernel_file(struct pp_image_reader *reader, const struct op_image_name *id,
			     struct pp_image_content *content, const char **reason)
{
	const struct pp_kallsyms *kallsyms = get_modules(reader);
	const struct pp_kernel_module *module =
		kallsyms ? pp_kallsyms_module(kallsyms, id->name) : NULL;
	struct pp_kernel_place place = {.is_module = strcmp(id->name, OP_KERNEL_IMAGE) != 0,
					.address = module ? module->address : 0};
	const char *build_id = module ? module->build_id : NULL;
	struct pp_symbols symbols;
	struct op_error error;
	char *path;

	reader->kernel_files.search = reader->search;
	if (*id->name == '[' || !strcmp(id->name, OP_NO_VMLINUX)) {
		*reason = "this code is in no file";
		return false;
	}
	if (place.is_module && !build_id && !*pp_image_root(reader->search) && kallsyms &&
	    kallsyms->build_id && !pp_kernel_runs(kallsyms->build_id)) {
		*reason = "the kernel that was profiled is not the running one, and the session "
			  "has no build-id of the module";
		return false;
	}
	if (place.is_module) {
		path = pp_kernel_files_module(&reader->kernel_files, id->name, build_id, reason);
	} else {
		path = pp_kernel_files_vmlinux(&reader->kernel_files, build_id, reason);
		place.address = kallsyms ? kallsyms->start : 0;
	}
	if (!path)
		return false;
	*reason = "its file is damaged";
	if (!pp_symbols_read_kernel_file(&symbols, path, pp_image_root(reader->search),
					 reader->want_lines, &place, &error)) {
		*reason = "the symbols in its file are not those of the kernel that was profiled";
		if (tables_agree(&symbols, &content->symbols)) {
			pp_symbols_free(&content->symbols);
			content->symbols = symbols;
			content->path = path;
			content->unnamed = PP_UNNAMED_GAP;
			return true;
		}
	}
	pp_symbols_free(&symbols);
	free(path);
	return false;
}

static void read_kernel(struct pp_image_reader *reader, const struct op_image_name *id,
			struct pp_image_content *content)
{
	const struct pp_kallsyms *kallsyms = get_kallsyms(reader);
	struct op_error error = reader->kallsyms_error;
	bool known =
		kallsyms && !pp_symbols_read_kernel(&content->symbols, kallsyms, id->name, &error);
	const char *reason;

	if (!strcmp(id->name, OP_OTHER_IMAGE)) {
		content->no_file = "it stands for many images";
		content->unnamed = PP_UNNAMED_OTHER;
		return;
	}
	if (!content->symbols.n)
		content->unnamed = PP_UNNAMED_KERNEL;
	if (known && content->symbols.n && !reader->want_code)
		return;
	if (read_kernel_file(reader, id, content, &reason))
		return;
	content->no_file = reason;
	/* The name says that the session has no kernel symbols on purpose. */
	if (content->symbols.n || (!kallsyms && !strcmp(id->name, OP_NO_VMLINUX)))
		return;
	/* get_kallsyms() has warned once for all images. */
	if (!kallsyms && error.code != ENOENT)
		return;
	if (!kallsyms && strcmp(id->name, OP_KERNEL_IMAGE) != 0)
		known = true; /* a module needs its file only */
	WARN(reader, id, OP_NO_SYMBOLS, "has no symbols: %s", known ? reason : error.text);
}

/* ---- the kernel, as OProfile names it ---- */

#define PROC_KALLSYMS "/proc/kallsyms"

/* Takes the symbols of a copy in @dir.  Return: whether there was one. */
static bool take_kallsyms(struct pp_image_reader *reader, char *dir)
{
	if (reader->kallsyms_state != PP_KALLSYMS_READ) {
		pp_kallsyms_free(&reader->kallsyms);
		if (!pp_kallsyms_read(&reader->kallsyms, dir, &reader->kallsyms_error))
			reader->kallsyms_state = PP_KALLSYMS_READ;
		else
			pp_kallsyms_free(&reader->kallsyms);
	}
	free(dir);
	return reader->kallsyms_state == PP_KALLSYMS_READ;
}

/* A copy beside the samples, in the session, or below an archive or another root. */
static const struct pp_kallsyms *find_kallsyms(struct pp_image_reader *reader)
{
	const char *root = pp_image_root(reader->search);

	if (get_kallsyms(reader))
		return &reader->kallsyms;
	for (size_t i = 0; i < reader->n_dirs; i++)
		if (take_kallsyms(reader, op_format("%s/..", reader->samples_dirs[i])) ||
		    take_kallsyms(reader, op_format("%s/../..", reader->samples_dirs[i])))
			return &reader->kallsyms;
	return *root && take_kallsyms(reader, op_format("%s/proc", root)) ? &reader->kallsyms
									  : NULL;
}

/*
 * Keys may count from the start of the kernel, or be addresses, which are above all of those: so
 * the table has each symbol twice.
 */
static void add_addresses(struct pp_symbols *symbols, uint64_t start)
{
	size_t capacity = 0, n = symbols->n;
	struct pp_symbol *all = op_grow(NULL, &capacity, 2 * n, sizeof(*all));
	struct pp_code *code = op_grow(NULL, &capacity, 2, sizeof(*code));

	for (size_t i = 0; i < n; i++) {
		all[i] = all[n + i] = symbols->items[i];
		all[n + i].start += start;
		all[n + i].end += start;
	}
	code[0] = code[1] = *symbols->code;
	code[1].start += start;
	code[1].end += start;
	free(symbols->items);
	free(symbols->code);
	symbols->items = all;
	symbols->n = 2 * n;
	symbols->code = code;
	symbols->n_code = 2;
}

static void read_proc_kallsyms(struct pp_image_reader *reader, const struct op_image_name *id,
			       struct pp_image_content *content)
{
	const struct pp_kallsyms *kallsyms = find_kallsyms(reader);
	struct op_error error;

	content->no_file = "its symbols are no file";
	if (!kallsyms) {
		content->unnamed = PP_UNNAMED_KERNEL;
		WARN(reader, id, OP_NO_SYMBOLS, "has no symbols: %s",
		     "the session has no copy of it; put one beside the sample files");
		return;
	}
	if (pp_symbols_read_kernel(&content->symbols, kallsyms, OP_KERNEL_IMAGE, &error))
		WARN(reader, id, OP_NO_SYMBOLS, "has no symbols: %s", error.text);
	else
		add_addresses(&content->symbols, kallsyms->start);
}

/* ---- memory ---- */

/* Keys are relative to the start of the mapping, which is the start of the file; addresses are
 * those of the mapping. */
static bool read_vdso(struct pp_image_reader *reader, const struct op_image_name *id,
		      struct pp_image_content *content)
{
	const struct pp_kallsyms *kallsyms = get_modules(reader);
	struct pp_symbols *symbols = &content->symbols;
	const char *reason = "it is of a 32-bit program";
	struct op_error error;

	reader->kernel_files.search = reader->search;
	if (id->start > UINT32_MAX)
		content->path = pp_kernel_files_vdso(&reader->kernel_files,
						     kallsyms ? kallsyms->build_id : NULL,
						     id->end - id->start, &reason);
	if (!content->path) {
		/* Every process has a vdso: warn only in verbose mode. */
		if (reader->warnings && reader->warnings->verbose)
			WARN(reader, id, OP_NO_IMAGE, "has no symbols: %s", reason);
		return false;
	}
	if (pp_symbols_read_file(symbols, content->path, pp_image_root(reader->search),
				 reader->want_lines, &error))
		WARN(reader, id, OP_BAD_IMAGE, "may lack symbols: %s", error.text);
	for (size_t i = 0; i < symbols->n; i++)
		symbols->items[i].vma = id->start + symbols->items[i].start;
	for (size_t i = 0; i < symbols->n_code; i++)
		symbols->code[i].vma = id->start + symbols->code[i].start;
	return true;
}

static const struct op_process_list *get_processes(struct pp_image_reader *reader)
{
	for (size_t i = 0; !reader->processes_read && i < reader->n_dirs; i++)
		op_process_list_read(&reader->processes, reader->samples_dirs[i]);
	reader->processes_read = true;
	return &reader->processes;
}

static const struct pp_jit *get_jit(struct pp_image_reader *reader, const struct op_image_name *id)
{
	struct op_error error;
	char *dir;

	if (reader->jit_read && reader->jit.tgid == id->tgid)
		return &reader->jit;
	pp_jit_free(&reader->jit);
	dir = pp_jit_dir(reader->search->jit_dir, reader->search->archive);
	reader->jit_read = true;
	reader->jit_result =
		pp_jit_read(&reader->jit, dir, id->tgid, get_processes(reader), &error);
	if (reader->jit_result == PP_JIT_REFUSED)
		WARN(reader, id, OP_NO_SYMBOLS, "may lack symbols: %s", error.text);
	free(dir);
	return &reader->jit;
}

/* The object that OProfile's agents made of the process, if there is one. */
static void read_object(struct pp_image_reader *reader, const struct op_image_name *id,
			struct pp_symbols *symbols)
{
	struct op_error error;
	const char *path;

	if (!reader->jit_objects_found)
		pp_jit_objects_find(&reader->jit_objects, reader->samples_dirs, reader->n_dirs);
	reader->jit_objects_found = true;
	path = pp_jit_object_of(&reader->jit_objects, id);
	if (path && pp_jit_object_read(symbols, path, id, &error))
		WARN(reader, id, OP_BAD_IMAGE, "may lack symbols: %s", error.text);
	free(symbols->code);
	symbols->code = NULL;
}

static void read_memory(struct pp_image_reader *reader, const struct op_image_name *id,
			struct pp_image_content *content)
{
	struct pp_symbols *symbols = &content->symbols;

	content->unnamed = PP_UNNAMED_RUN_TIME;
	if (id->end <= id->start)
		return;
	if (pp_image_is_vdso(id) && read_vdso(reader, id, content))
		return;
	read_object(reader, id, symbols);
	symbols->code = op_alloc(1, sizeof(*symbols->code));
	symbols->n_code = 1;
	symbols->code->end = id->end - id->start;
	symbols->code->vma = symbols->code->link = id->start;
	if (!symbols->n) {
		const struct pp_jit *jit = get_jit(reader, id);

		pp_jit_symbols(jit, id->start, id->end, symbols);
		pp_jit_lines(jit, id->start, id->end, symbols);
		content->unnamed = reader->jit_result == PP_JIT_REFUSED ? PP_UNNAMED_MAP_REFUSED
				   : reader->jit_result == PP_JIT_NONE	? PP_UNNAMED_RUN_TIME
									: PP_UNNAMED_MAP_GAP;
	}
}

/* ---- what the recording says ---- */

static const struct op_functions *get_functions(struct pp_image_reader *reader)
{
	if (!reader->functions && reader->n_dirs) {
		reader->functions = op_alloc(reader->n_dirs, sizeof(*reader->functions));
		for (size_t i = 0; i < reader->n_dirs; i++)
			op_functions_read(&reader->functions[i], reader->samples_dirs[i]);
	}
	return reader->functions;
}

/* The last function of a key is the symbol, in which the others are inlined. */
static bool is_symbol(const struct op_functions *functions, size_t i)
{
	const struct op_function_key *keys = functions->keys;

	return i + 1 == functions->n_keys || keys[i + 1].image != keys[i].image ||
	       keys[i + 1].key != keys[i].key;
}

/* The keys of an image, which stand together; none: @first is @end. */
struct key_range {
	size_t first, end;
};

static struct key_range keys_of_image(const struct op_functions *functions, const char *image)
{
	const struct op_function_key *keys = functions->keys;
	struct key_range range = {0};
	size_t number = 0;

	while (number < functions->images.n && strcmp(functions->images.names[number], image) != 0)
		number++;
	if (number == functions->images.n)
		return range;
	while (range.first < functions->n_keys && keys[range.first].image != number)
		range.first++;
	for (range.end = range.first;
	     range.end < functions->n_keys && keys[range.end].image == number;)
		range.end++;
	return range;
}

/* The symbols of an image that are being made. */
struct naming {
	struct pp_symbols *symbols;
	size_t capacity;
	struct op_names names;
	uint64_t *firsts; /* by name: where its first symbol starts */
	size_t firsts_capacity;
};

/* How far behind the start of its function's first symbol a symbol starts at @key. */
static uint64_t skipped_before(struct naming *naming, const char *name, uint64_t key)
{
	size_t n = naming->names.n, number = op_names_index(&naming->names, name);

	naming->firsts = op_grow(naming->firsts, &naming->firsts_capacity, naming->names.n,
				 sizeof(*naming->firsts));
	if (number == n)
		naming->firsts[number] = key;
	return key - naming->firsts[number];
}

static void add_symbol(struct naming *naming, const struct op_function_key *key, const char *name)
{
	struct pp_symbols *symbols = naming->symbols;
	struct pp_symbol *last = symbols->n ? &symbols->items[symbols->n - 1] : NULL;
	uint64_t end = key->key < UINT64_MAX - 2 ? key->key + 2 : UINT64_MAX;

	if (last && key->key < last->start)
		return; /* not in order: damaged */
	if (last && last->end >= key->key && !strcmp(last->name, name)) {
		last->end = end;
		return;
	}
	if (last && last->end > key->key)
		last->end = key->key;
	symbols->items =
		op_grow(symbols->items, &naming->capacity, symbols->n + 1, sizeof(*symbols->items));
	symbols->items[symbols->n++] =
		(struct pp_symbol){.start = key->key,
				   .end = end,
				   .vma = key->key,
				   .skipped = skipped_before(naming, name, key->key),
				   .name = name};
}

/* Each symbol is a key and the return address behind it, since nothing says what lies between two
 * keys; those of one function are its pieces. */
static void add_symbols(const struct op_functions *functions, const struct key_range *range,
			struct pp_symbols *symbols)
{
	struct naming naming = {.symbols = symbols};

	for (size_t i = range->first; i < range->end; i++) {
		const struct op_function_key *key = &functions->keys[i];

		if (is_symbol(functions, i))
			add_symbol(&naming, key, functions->items[key->function].name);
	}
	op_names_free(&naming.names);
	free(naming.firsts);
}

static void add_given_lines(const struct op_functions *functions, const struct key_range *range,
			    struct pp_symbols *symbols)
{
	size_t n = range->end - range->first;

	symbols->given = op_alloc(n, sizeof(*symbols->given));
	for (size_t i = 0; i < n; i++) {
		const struct op_function_key *key = &functions->keys[range->first + i];
		const struct op_function *function = &functions->items[key->function];

		/* not in order: damaged */
		if (i && key->key < symbols->given[symbols->n_given - 1].key)
			continue;
		symbols->given[symbols->n_given++] = (struct pp_given_line){
			.key = key->key,
			.function = function->name,
			.file = function->file,
			.line = key->line <= INT_MAX ? (int)key->line : 0,
		};
	}
}

/*
 * What the profile that was imported says of an image: its lines, and its symbols where nothing
 * else names the code.  Of several sessions, the first one that has the image says all of it: keys
 * of images that are no files are each session's own.
 */
static void read_functions(struct pp_image_reader *reader, const struct op_image_name *id,
			   struct pp_symbols *symbols)
{
	const struct op_functions *functions = get_functions(reader);
	char *name = functions ? op_image_name_make(id) : NULL;

	for (size_t i = 0; name && i < reader->n_dirs && !symbols->n_given; i++) {
		const struct key_range range = keys_of_image(&functions[i], name);

		if (!symbols->n)
			add_symbols(&functions[i], &range, symbols);
		if (range.end > range.first)
			add_given_lines(&functions[i], &range, symbols);
	}
	free(name);
}

/* ---- dispatch ---- */

void pp_image_reader_read(struct pp_image_reader *reader, const struct op_image_name *id,
			  struct pp_image_content *content)
{
	memset(content, 0, sizeof(*content));
	switch (id->kind) {
	case OP_IMAGE_FILE:
		if (!strcmp(id->name, PROC_KALLSYMS))
			read_proc_kallsyms(reader, id, content);
		else if (pp_image_is_named(id->name))
			content->unnamed = PP_UNNAMED_IN_PROFILE;
		else
			image_reader_read_file(reader, id, content);
		break;
	case OP_IMAGE_KERNEL:
		read_kernel(reader, id, content);
		break;
	case OP_IMAGE_ANON:
		read_memory(reader, id, content);
		break;
	}
	if (id->kind == OP_IMAGE_FILE && content->unnamed == PP_UNNAMED_GAP && !content->symbols.n)
		content->unnamed = PP_UNNAMED_STRIPPED;
	read_functions(reader, id, &content->symbols);
}

void pp_image_content_free(struct pp_image_content *content)
{
	pp_symbols_free(&content->symbols);
	free(content->path);
	free(content->trouble);
	memset(content, 0, sizeof(*content));
}

void pp_image_reader_free(struct pp_image_reader *reader)
{
	pp_kallsyms_free(&reader->kallsyms);
	pp_kernel_files_free(&reader->kernel_files);
	pp_jit_free(&reader->jit);
	for (size_t i = 0; reader->functions && i < reader->n_dirs; i++)
		op_functions_free(&reader->functions[i]);
	free(reader->functions);
	reader->functions = NULL;
	op_strings_free(&reader->jit_objects);
	reader->jit_objects_found = false;
	reader->jit_read = false;
	op_process_list_free(&reader->processes);
	reader->processes_read = false;
	reader->kallsyms_state = PP_KALLSYMS_UNREAD;
}

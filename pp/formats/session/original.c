// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sessions as trees that OProfile reads: sample files, one by one, so that all that OProfile knows
 * is kept as it is, and {cg} files of the arcs of stacks.  Sessions without stacks may have {cg}
 * files themselves.
 *
 * Files of several sessions, and of images that OProfile does not tell apart, become one.  So the
 * files are sorted by the name that they get, and those of one name are read together.
 */
#include "original.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/file.h"
#include "libop/base/progress.h"
#include "libop/session/paths.h"
#include "libop/tables/pair_table.h"
#include "pp/select/multiplexing.h"
#include "pp/select/sample_read.h"
#include "pp/select/selection.h"
#include "pp/symbols/image_name.h"
#include "pp/symbols/kallsyms.h"
#include "pp/symbols/image_reader.h"
#include "original_objects.h"
#include "stack_arcs.h"
#include "libop/base/memory.h"

/* A file of the session, and what becomes of it. */
struct piece {
	char *name; /* of the sample file, relative to the directory of samples */
	const struct pp_sample_file *file;
	const struct stack_arcs *arcs; /* of the stack file @file; NULL: it is a sample file */
	bool is_arc;
	uint64_t start, callee_start; /* what is added to keys */
	size_t named, callee_named;   /* numbers of images that are no files, from 1; 0: another */
	const struct image_facts *facts;
};

/* OProfile wants these to be the same in all files of an image. */
struct image_facts {
	char *name;
	uint64_t mtime;
	uint32_t is_kernel;
};

/*
 * An image that is no file, whose functions a profile names: OProfile has names of memory only, so
 * that it becomes one.  It has an object of JIT code then.
 */
struct named_image {
	struct op_image_name image; /* the memory */
	struct pp_image_content content;
};

/* The {cg} files of a stack file. */
struct derived {
	struct stack_arcs *arcs;
	size_t n;
};

struct tree {
	uint32_t version;
	const struct pp_spec *spec;
	const struct pp_sample_list *list;
	const char *dir; /* of the samples */
	struct original_event *events;
	unsigned int n_classes;
	uint64_t *kernel_starts; /* of each session */
	struct image_facts *facts;
	size_t n_facts;
	struct pp_image_reader reader;
	struct op_names images;	   /* the names of those that are no files */
	struct named_image *named; /* by number */
	size_t named_capacity;
	struct derived *derived; /* by stack file */
	struct piece *pieces;
	size_t n_pieces, pieces_capacity;
	struct original_objects objects; /* of JIT code */
	struct op_warnings *warnings;
	struct op_error *error;
};

/* ---- names ---- */

static int compare_facts(const void *a, const void *b)
{
	return strcmp(((const struct image_facts *)a)->name, ((const struct image_facts *)b)->name);
}

static void gather_facts(struct tree *tree)
{
	const struct pp_sample_list *list = tree->list;
	size_t n = 0;

	tree->facts = op_alloc(list->n, sizeof(*tree->facts));
	for (size_t i = 0; i < list->n; i++) {
		char *name = op_image_name_make(&list->files[i].name.dep);

		if (name)
			tree->facts[n++] = (struct image_facts){name, list->files[i].header.mtime,
								list->files[i].header.is_kernel};
	}
	if (n)
		qsort(tree->facts, n, sizeof(*tree->facts), compare_facts);
	for (size_t i = 0; i < n; i++) {
		struct image_facts *own = &tree->facts[i], *last = &tree->facts[tree->n_facts - 1];

		if (!tree->n_facts || strcmp(own->name, last->name)) {
			tree->facts[tree->n_facts++] = *own;
			continue;
		}
		last->is_kernel |= own->is_kernel;
		if (own->mtime > last->mtime)
			last->mtime = own->mtime;
		free(own->name);
	}
}

static const struct image_facts *facts_of(const struct tree *tree,
					  const struct op_image_name *image)
{
	struct image_facts wanted = {.name = op_image_name_make(image)};
	const struct image_facts *found = NULL;

	if (wanted.name && tree->n_facts)
		found = bsearch(&wanted, tree->facts, tree->n_facts, sizeof(wanted), compare_facts);
	free(wanted.name);
	return found;
}

/* OProfile has no name for a kernel of which it has only symbols, and keys that are addresses. */
static uint64_t rename_kernel(uint64_t kernel_start, struct op_image_name *image)
{
	if (image->kind != OP_IMAGE_KERNEL || strcmp(image->name, OP_KERNEL_IMAGE) || !kernel_start)
		return 0;
	free(image->name);
	image->name = op_copy(OP_NO_VMLINUX);
	return kernel_start;
}

/* Memory of images that are no files, which have fewer keys. */
#define NAMED_SIZE (UINT64_C(1) << 32)

static struct op_image_name memory_of(const struct op_image_name *image, size_t number)
{
	const char *name = pp_image_is_named(image->name) ? pp_image_without_named(image->name)
							  : image->name;
	struct op_image_name memory = {
		.kind = OP_IMAGE_ANON,
		.name = op_copy(name + strspn(name, "/")),
		.start = number * NAMED_SIZE,
		.end = (number + 1) * NAMED_SIZE,
	};

	for (char *at = memory.name; *at; at++)
		if (strchr("/{}", *at))
			*at = '_';
	return memory;
}

/* The number of an image that is no file, which is renamed; 0: it is another one. */
static size_t rename_named(struct tree *tree, struct op_image_name *image)
{
	bool is_nowhere = image->kind == OP_IMAGE_ANON && image->end <= image->start;
	size_t n = tree->images.n, number;
	struct named_image *named;
	char *text;

	if (!is_nowhere && (image->kind != OP_IMAGE_FILE || !pp_image_is_named(image->name)))
		return 0;
	text = op_image_name_make(image);
	if (!text)
		return 0;
	number = op_names_index(&tree->images, text) + 1;
	if (number > n) {
		tree->named =
			op_grow(tree->named, &tree->named_capacity, number, sizeof(*tree->named));
		named = &tree->named[number - 1];
		*named = (struct named_image){.image = memory_of(image, number)};
		pp_image_reader_read(&tree->reader, image, &named->content);
	} else {
		free(text);
	}
	free(image->name);
	*image = tree->named[number - 1].image;
	image->name = op_copy(image->name);
	return number;
}

/* Lines of a function are places of their own, which OProfile has as one function each. */
static uint64_t key_of_named(const struct tree *tree, size_t named, uint64_t key)
{
	const struct pp_symbols *symbols;
	size_t symbol;

	if (!named)
		return key;
	symbols = &tree->named[named - 1].content.symbols;
	symbol = pp_symbols_find(symbols, key);
	return symbol < symbols->n ? key - symbols->items[symbol].skipped : key;
}

static unsigned int class_of(const struct tree *tree, const struct pp_sample_file *file)
{
	return file->class - (file->is_weight ? tree->n_classes : 0);
}

/* @arcs: as in struct piece; @name: of the file, which is changed */
static int add_piece(struct tree *tree, const struct pp_sample_file *file,
		     const struct stack_arcs *arcs, struct op_sample_name *name)
{
	const struct original_event *event = &tree->events[class_of(tree, file)];
	uint64_t kernel_start = tree->kernel_starts[pp_sample_session(tree->list, file->path)];
	struct piece piece = {
		.file = file,
		.arcs = arcs,
		.is_arc = name->is_arc,
		.facts = facts_of(tree, &name->dep),
	};

	rename_kernel(kernel_start, &name->app);
	piece.start = rename_kernel(kernel_start, &name->dep);
	piece.named = rename_named(tree, &name->dep);
	if (name->is_arc)
		piece.callee_start = rename_kernel(kernel_start, &name->callee);
	if (name->is_arc)
		piece.callee_named = rename_named(tree, &name->callee);
	name->count = event->count;
	name->unit_mask = event->unit_mask;
	piece.name = op_sample_name_make(name);
	if (!piece.name)
		return op_error_errno(tree->error, "%s", file->path);
	tree->pieces = op_grow(tree->pieces, &tree->pieces_capacity, tree->n_pieces + 1,
			       sizeof(*tree->pieces));
	tree->pieces[tree->n_pieces++] = piece;
	return 0;
}

static int add_pieces(struct tree *tree, const struct pp_sample_file *files, size_t n)
{
	int result = 0;

	for (size_t i = 0; !result && i < n; i++) {
		struct op_sample_name name;

		/* the name in the list is that of its class: without process, thread and CPU */
		if (op_sample_name_parse(files[i].path, &name, tree->error))
			return -1;
		result = add_piece(tree, &files[i], NULL, &name);
		op_sample_name_free(&name);
	}
	return result;
}

/* Adds the arcs of stacks. */
static int add_stacks(struct tree *tree)
{
	const struct pp_sample_list *list = tree->list;

	tree->derived = op_alloc(list->n_stacks, sizeof(*tree->derived));
	for (size_t i = 0; i < list->n_stacks; i++) {
		struct derived *derived = &tree->derived[i];

		if (list->stacks[i].class == PP_NO_CLASS)
			continue;
		derived->arcs = stack_arcs_read(list, &list->stacks[i], tree->spec, &derived->n,
						tree->warnings);
		for (size_t k = 0; k < derived->n; k++)
			if (add_piece(tree, &list->stacks[i], &derived->arcs[k],
				      &derived->arcs[k].name))
				return -1;
	}
	return 0;
}

static int compare_pieces(const void *a, const void *b)
{
	const struct piece *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	return order ? order : strcmp(left->file->path, right->file->path);
}

/* ---- counts ---- */

static uint64_t piece_key_of(const struct tree *tree, const struct piece *piece, uint64_t key)
{
	uint64_t caller = key_of_named(tree, piece->named, key >> 32) + piece->start;
	uint64_t callee =
		key_of_named(tree, piece->callee_named, key & UINT32_MAX) + piece->callee_start;

	if (!piece->is_arc)
		return key_of_named(tree, piece->named, key) + piece->start;
	return caller << 32 | (callee & UINT32_MAX);
}

/* The speed of the CPU as the event's sample files have it. */
static double speed_of(const struct tree *tree, const struct pp_sample_file *file)
{
	for (size_t i = 0; i < tree->list->n; i++)
		if (tree->list->files[i].class == class_of(tree, file))
			return tree->list->files[i].header.cpu_speed;
	return 0;
}

/* Adds the events of a file, or its samples if those of the event all weigh the same. */
static void read_piece(struct tree *tree, const struct piece *piece, struct odb_header *header,
		       struct op_pair_table *counts)
{
	const struct original_event *event = &tree->events[class_of(tree, piece->file)];
	uint64_t unit = event->by_events && !piece->file->is_weight ? event->own : 1;
	struct odb_entry *entries = NULL;
	struct op_error cause;
	size_t n;

	if (piece->file->is_weight && !event->by_events)
		return;
	if (piece->arcs) {
		*header = piece->arcs->header;
		header->cpu_speed = speed_of(tree, piece->file);
		n = piece->arcs->n;
		entries = op_alloc(n, sizeof(*entries));
		memcpy(entries, piece->arcs->entries, n * sizeof(*entries));
	} else if (pp_sample_read(piece->file, header, &entries, &n, &cause)) {
		op_warnings_add(tree->warnings, OP_BAD_FILE, "skipped: %s", cause.text);
		return;
	}
	pp_scale_entries(piece->file, entries, n);
	for (size_t i = 0; i < n; i++) {
		uint64_t *count =
			op_pair_table_get(counts, piece_key_of(tree, piece, entries[i].key), 0);
		uint64_t events;

		if (__builtin_mul_overflow(entries[i].count, unit, &events) ||
		    __builtin_add_overflow(*count, events, count))
			*count = UINT64_MAX;
	}
	free(entries);
}

static int compare_keys(const void *a, const void *b)
{
	const struct op_pair *left = a, *right = b;

	return (left->first > right->first) - (left->first < right->first);
}

/* Turns events into samples.  Return: an array of all entries, which the caller frees. */
static struct odb_entry *make_entries(struct original_event *event, bool is_arc,
				      struct op_pair_table *counts)
{
	struct odb_entry *entries = op_alloc(counts->n, sizeof(*entries));

	if (counts->n)
		qsort(counts->items, counts->n, sizeof(*counts->items), compare_keys);
	for (size_t i = 0; i < counts->n; i++)
		entries[i] = (struct odb_entry){
			counts->items[i].first,
			original_event_take(event, is_arc, counts->items[i].value)};
	return entries;
}

/* ---- files ---- */

static void complete_header(const struct tree *tree, const struct piece *piece,
			    struct odb_header *header)
{
	const struct original_event *event = &tree->events[class_of(tree, piece->file)];

	header->cpu_type = event->cpu_type;
	header->ctr_event = event->code;
	header->ctr_um = event->unit_mask;
	header->ctr_count = (uint32_t)event->count;
	if (piece->facts) {
		header->mtime = piece->facts->mtime;
		header->is_kernel = piece->facts->is_kernel;
	}
	if (piece->named) {
		header->is_kernel = 0;
		header->anon_start = tree->named[piece->named - 1].image.start;
	}
	if (piece->callee_named) {
		header->cg_to_is_kernel = 0;
		header->cg_to_anon_start = tree->named[piece->callee_named - 1].image.start;
	}
}

static int write_entries(const struct tree *tree, const struct piece *piece,
			 const struct odb_header *header, const struct odb_entry *entries, size_t n)
{
	char *path = op_format("%s/%s", tree->dir, piece->name);
	struct odb_error cause;
	int result = op_mkdir_parents(path, OP_SESSION_DIR_MODE, tree->error);

	if (!result && odb_write(path, tree->version, header, entries, n, &cause))
		result = op_error_set(tree->error, cause.code, "%s", cause.text);
	free(path);
	return result;
}

static bool counts_any(const struct odb_entry *entries, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (entries[i].count)
			return true;
	return false;
}

/* Writes the file that @n pieces of one name become. */
static int write_pieces(struct tree *tree, const struct piece *pieces, size_t n)
{
	struct original_event *event = &tree->events[class_of(tree, pieces->file)];
	struct op_pair_table counts = {0};
	struct odb_header header = {0};
	struct odb_entry *entries;
	int result = 0;

	for (size_t i = 0; i < n; i++)
		read_piece(tree, &pieces[i], &header, &counts);
	complete_header(tree, pieces, &header);
	entries = make_entries(event, pieces->is_arc, &counts);
	if (counts_any(entries, counts.n))
		result = write_entries(tree, pieces, &header, entries, counts.n);
	if (!pieces->is_arc)
		original_objects_add(&tree->objects, pieces->name,
				     pieces->named ? &tree->named[pieces->named - 1].image
						   : &pieces->file->name.dep,
				     &pieces->file->name.dep, entries, counts.n);
	free(entries);
	op_pair_table_free(&counts);
	return result;
}

static int write_all(struct tree *tree)
{
	size_t end;

	if (tree->n_pieces)
		qsort(tree->pieces, tree->n_pieces, sizeof(*tree->pieces), compare_pieces);
	for (size_t i = 0; i < tree->n_pieces; i = end) {
		for (end = i + 1;
		     end < tree->n_pieces && !strcmp(tree->pieces[end].name, tree->pieces[i].name);)
			end++;
		if (write_pieces(tree, &tree->pieces[i], end - i))
			return -1;
		op_progress("sample files written", end, tree->n_pieces);
	}
	return 0;
}

/* ---- all together ---- */

static void find_kernels(struct tree *tree)
{
	tree->kernel_starts = op_alloc(tree->list->n_dirs, sizeof(*tree->kernel_starts));
	for (size_t i = 0; i < tree->list->n_dirs; i++) {
		struct pp_kallsyms kallsyms;
		struct op_error error;

		/* without its start, keys of the kernel stay as they are */
		if (pp_kallsyms_read(&kallsyms, tree->list->samples_dirs[i], &error))
			pp_kallsyms_warn(tree->warnings, &error);
		tree->kernel_starts[i] = kallsyms.start;
		pp_kallsyms_free(&kallsyms);
	}
}

static int write_tree(struct tree *tree)
{
	const struct pp_sample_list *list = tree->list;

	find_kernels(tree);
	gather_facts(tree);
	if (add_pieces(tree, list->files, list->n) || add_pieces(tree, list->arcs, list->n_arcs) ||
	    add_pieces(tree, list->weights, list->n_weights) ||
	    add_pieces(tree, list->weight_arcs, list->n_weight_arcs) || add_stacks(tree))
		return -1;
	return write_all(tree);
}

static void open_reader(struct tree *tree, struct pp_image_search *search)
{
	tree->reader = (struct pp_image_reader){
		.search = search,
		.samples_dirs = tree->list->samples_dirs,
		.n_dirs = tree->list->n_dirs,
		.warnings = tree->warnings,
	};
	search->samples_dirs = tree->reader.samples_dirs;
	search->n_dirs = tree->reader.n_dirs;
}

static void free_tree(struct tree *tree)
{
	for (size_t i = 0; i < tree->n_pieces; i++)
		free(tree->pieces[i].name);
	free(tree->pieces);
	for (size_t i = 0; tree->derived && i < tree->list->n_stacks; i++)
		stack_arcs_free(tree->derived[i].arcs, tree->derived[i].n);
	free(tree->derived);
	for (size_t i = 0; i < tree->n_facts; i++)
		free(tree->facts[i].name);
	free(tree->facts);
	original_objects_free(&tree->objects);
	for (size_t i = 0; i < tree->images.n; i++) {
		free(tree->named[i].image.name);
		pp_image_content_free(&tree->named[i].content);
	}
	free(tree->named);
	op_names_free_kept(&tree->images);
	pp_image_reader_free(&tree->reader);
	free(tree->kernel_starts);
	free(tree->events);
}

int original_write(uint32_t version, const struct format_sessions *sessions, const char *dir,
		   struct op_error *error)
{
	/* only events are columns: all else is in the names of files */
	static const struct pp_merge merge = {.cpu = true, .tid = true, .tgid = true};
	char *samples = op_format("%s/" OP_SESSION_CURRENT, dir);
	struct pp_sample_list list = {.want_arcs = true, .want_stacks = true};
	struct pp_classes classes = {0};
	struct tree tree = {.version = version,
			    .spec = sessions->spec,
			    .list = &list,
			    .dir = samples,
			    .warnings = sessions->warnings,
			    .error = error};
	int result = pp_select(&list, &classes, sessions->dir, sessions->spec, &merge,
			       sessions->exclude_dependent, sessions->warnings, error);

	if (!result) {
		open_reader(&tree, sessions->search);
		tree.events = original_events_make(version, &list, &classes);
		tree.n_classes = (unsigned int)classes.n;
		result = write_tree(&tree);
	}
	if (!result)
		result = original_write_rest(version, &list, samples, error);
	if (!result)
		result = original_objects_write(&tree.objects, &tree.reader, samples, error);
	if (!result)
		original_objects_warn(list.samples_dirs, list.n_dirs);
	free_tree(&tree);
	pp_classes_free(&classes);
	pp_sample_list_free(&list);
	free(samples);
	return result;
}

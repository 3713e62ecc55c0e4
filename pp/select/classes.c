// SPDX-License-Identifier: GPL-2.0-or-later
/* Sorts sample files into columns. */
#include "classes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/array.h"
#include "libop/base/memory.h"
#include "libop/base/number.h"
#include "libop/base/similar.h"
#include "libop/session/labels.h"
#include "session_events.h"

int pp_merge_parse(struct pp_merge *merge, const char *list, struct op_error *error)
{
	static const char *const words[] = {"cpu", "tid", "tgid", "unitmask", "lib", "all", NULL};
	char *copy = op_copy(list), *rest = copy, *item;
	struct op_similar similar;
	int result = 0;

	while (!result && (item = strsep(&rest, ",")) != NULL) {
		similar = op_similar_of(item, words);
		if (!strcmp(item, "cpu"))
			merge->cpu = true;
		else if (!strcmp(item, "tid"))
			merge->tid = true;
		else if (!strcmp(item, "tgid"))
			merge->tgid = merge->tid = true;
		else if (!strcmp(item, "unitmask"))
			merge->unit_mask = true;
		else if (!strcmp(item, "lib") || !strcmp(item, "library"))
			merge->lib = true;
		else if (!strcmp(item, "all"))
			merge->cpu = merge->tid = merge->tgid = merge->unit_mask = merge->lib =
				true;
		else
			result = op_error_set(error, EINVAL,
					      "--merge=%s: '%s' is not one of cpu, tid, tgid, "
					      "unitmask, lib, all" OP_SIMILAR_FORMAT,
					      list, item, OP_SIMILAR_ARGUMENTS(similar, ""));
	}
	free(copy);
	return result;
}

static int take_merge(const struct op_option *option, void *field, const char *text,
		      struct op_error *error)
{
	(void)option;
	return pp_merge_parse(field, text, error);
}

const struct op_option_type pp_option_merge = {.take = take_merge};

/* OP_ALL comes last. */
static int compare_ids(int64_t a, int64_t b)
{
	return op_compare_u64(a, b);
}

/* Counts sort as text: the column order of OProfile's reports. */
static int compare_counts(uint64_t a, uint64_t b)
{
	char left[24], right[24];

	if (a == b)
		return 0;
	snprintf(left, sizeof(left), "%" PRIu64, a);
	snprintf(right, sizeof(right), "%" PRIu64, b);
	return strcmp(left, right);
}

/* Those without the label come last. */
static int compare_labels(const char *a, const char *b)
{
	if (!a || !b)
		return !a - !b;
	return strcmp(a, b);
}

/* The order of columns; 0 if both are of one class, if their labels are equal. */
static int compare_names(const struct op_sample_name *a, const struct op_sample_name *b,
			 const struct pp_merge *merge)
{
	int order = compare_ids(a->cpu, b->cpu);

	order = order ? order : compare_ids(a->tgid, b->tgid);
	order = order ? order : compare_ids(a->tid, b->tid);
	if (!merge->unit_mask)
		order = order ? order : op_compare_u64(a->unit_mask, b->unit_mask);
	order = order ? order : strcmp(a->event, b->event);
	return order ? order : compare_counts(a->count, b->count);
}

static int compare_files(const void *a, const void *b, void *merge)
{
	const struct pp_sample_file *left = *(struct pp_sample_file *const *)a;
	const struct pp_sample_file *right = *(struct pp_sample_file *const *)b;
	int order = compare_labels(left->label, right->label);

	return order ? order : compare_names(&left->name, &right->name, merge);
}

static void merge_name(struct op_sample_name *name, const struct pp_merge *merge)
{
	if (merge->cpu)
		name->cpu = OP_ALL;
	if (merge->tgid)
		name->tgid = OP_ALL;
	if (merge->tid)
		name->tid = OP_ALL;
}

static void merge_file(struct pp_classes *classes, struct op_sample_name *name,
		       const struct pp_merge *merge)
{
	classes->merged_cpu |= merge->cpu && name->cpu != OP_ALL;
	classes->merged_tgid |= merge->tgid && name->tgid != OP_ALL;
	classes->merged_tid |= merge->tid && name->tid != OP_ALL;
	merge_name(name, merge);
}

/* The axes along which the files differ. */
struct differences {
	bool event, unit_mask, cpu, tgid, tid, tid_is_tgid, label;
};

static struct differences find_differences(const struct pp_classes *classes)
{
	const struct pp_class *first = classes->items;
	struct differences differ = {.tid_is_tgid = true};

	for (size_t i = 0; i < classes->n; i++) {
		const struct pp_class *class = &classes->items[i];

		differ.event |= strcmp(class->event, first->event) || class->count != first->count;
		differ.unit_mask |= class->unit_mask != first->unit_mask;
		differ.cpu |= class->cpu != first->cpu;
		differ.tgid |= class->tgid != first->tgid;
		differ.tid |= class->tid != first->tid;
		differ.tid_is_tgid &= class->tid == class->tgid;
		differ.label |= class->label != first->label;
	}
	return differ;
}

static void list_add(char **list, const char *item)
{
	char *longer = *list ? op_format("%s, %s", *list, item) : op_copy(item);

	free(*list);
	*list = longer;
}

static int find_axis(struct pp_classes *classes, struct op_error *error)
{
	struct differences differ = find_differences(classes);
	const struct {
		bool differs;
		enum pp_axis axis;
		const char *what, *mend;
	} axes[] = {
		{differ.event, PP_AXIS_EVENT, "event", "event:NAME or count:N"},
		{differ.unit_mask && !differ.event, PP_AXIS_EVENT, "unit mask", "--merge=unitmask"},
		{differ.cpu, PP_AXIS_CPU, "CPU", "--merge=cpu"},
		{differ.tgid, PP_AXIS_TGID, "process", "--merge=tgid"},
		{differ.tid && !(differ.tgid && differ.tid_is_tgid), PP_AXIS_TID, "thread",
		 "--merge=tid"},
		{differ.label, PP_AXIS_LABEL, "label", "--by"},
	};
	char *what = NULL, *mend = NULL;
	int result = 0;
	size_t n = 0;

	for (size_t i = 0; i < OP_ARRAY_SIZE(axes); i++) {
		if (!axes[i].differs)
			continue;
		n++;
		classes->axis = axes[i].axis;
		list_add(&what, axes[i].what);
		list_add(&mend, axes[i].mend);
	}
	if (n > 1)
		result = op_error_set(error, EINVAL,
				      "the samples differ in more than one way (%s), and columns "
				      "show only one; leave one by giving the others of: %s",
				      what, mend);
	free(what);
	free(mend);
	return result;
}

/* Two events of one name and count have different unit masks: then the columns show them. */
static bool is_ambiguous(const struct pp_classes *classes, const struct pp_class *class)
{
	for (size_t i = 0; i < classes->n; i++) {
		const struct pp_class *other = &classes->items[i];

		if (other != class && !strcmp(other->event, class->event) &&
		    other->count == class->count)
			return true;
	}
	return false;
}

static void name_class(const struct pp_classes *classes, struct pp_class *class)
{
	switch (classes->axis) {
	case PP_AXIS_EVENT:
		class->column = op_format("%s:%" PRIu64, class->event, class->count);
		if (is_ambiguous(classes, class)) {
			char *bare = class->column;

			class->column = op_format("%s:0x%02" PRIx64, bare, class->unit_mask);
			free(bare);
		}
		break;
	case PP_AXIS_CPU:
		class->column = class->cpu == OP_ALL ? op_copy("cpu:all")
						     : op_format("cpu:%" PRId64, class->cpu);
		class->title = class->cpu == OP_ALL
				       ? op_copy("Samples on all CPUs")
				       : op_format("Samples on CPU %" PRId64, class->cpu);
		break;
	case PP_AXIS_TGID:
		class->column = class->tgid == OP_ALL ? op_copy("tgid:all")
						      : op_format("tgid:%" PRId64, class->tgid);
		class->title = class->tgid == OP_ALL
				       ? op_copy("Processes with any thread group ID")
				       : op_format("Processes with a thread group ID of %" PRId64,
						   class->tgid);
		break;
	case PP_AXIS_TID:
		class->column = class->tid == OP_ALL ? op_copy("tid:all")
						     : op_format("tid:%" PRId64, class->tid);
		class->title =
			class->tid == OP_ALL
				? op_copy("Processes with any thread ID")
				: op_format("Processes with a thread ID of %" PRId64, class->tid);
		break;
	case PP_AXIS_LABEL:
		class->column = op_format("%s:%s", classes->label_name,
					  class->label ? class->label : "none");
		class->title = class->label ? op_format("Samples of %s %s", classes->label_name,
							class->label)
					    : op_format("Samples without %s", classes->label_name);
		break;
	}
}

static void add_class(struct pp_classes *classes, size_t *capacity,
		      const struct op_sample_name *name, const char *label)
{
	classes->items = op_grow(classes->items, capacity, classes->n + 1, sizeof(struct pp_class));
	classes->items[classes->n++] = (struct pp_class){
		.event = name->event,
		.count = name->count,
		.unit_mask = name->unit_mask,
		.tgid = name->tgid,
		.tid = name->tid,
		.cpu = name->cpu,
		.label = label,
	};
}

static bool has_event(const struct pp_classes *classes, const struct op_event *event,
		      const struct pp_merge *merge)
{
	for (size_t i = 0; i < classes->n; i++) {
		const struct pp_class *class = &classes->items[i];

		if (!strcmp(class->event, event->name) && class->count == event->count &&
		    (merge->unit_mask || class->unit_mask == event->unit_mask))
			return true;
	}
	return false;
}

/* Events of which no sample came, behind the others.  There may be one axis only. */
static void add_empty(struct pp_classes *classes, size_t *capacity, struct pp_sample_list *list,
		      const struct pp_merge *merge)
{
	for (size_t i = 0; i < classes->n; i++) {
		const struct pp_class *class = &classes->items[i];

		if (class->cpu != OP_ALL || class->tgid != OP_ALL || class->tid != OP_ALL ||
		    class->label)
			return;
	}
	for (size_t i = 0; i < list->n_dirs; i++)
		pp_session_events_read(list->samples_dirs[i], &list->counted);
	for (size_t i = 0; i < list->counted.count; i++) {
		const struct op_event *event = &list->counted.event[i];
		const struct op_sample_name name = {
			.event = event->name,
			.count = event->count,
			.unit_mask = event->unit_mask,
			.tgid = OP_ALL,
			.tid = OP_ALL,
			.cpu = OP_ALL,
		};

		if (!has_event(classes, event, merge))
			add_class(classes, capacity, &name, NULL);
	}
}

/* The files of all kinds, in an array that the caller frees. */
static struct pp_sample_file **list_all(struct pp_sample_list *list, size_t *n)
{
	const struct {
		struct pp_sample_file *files;
		size_t n;
	} kinds[] = {{list->files, list->n},
		     {list->arcs, list->n_arcs},
		     {list->weights, list->n_weights},
		     {list->weight_arcs, list->n_weight_arcs}};
	size_t most = list->n + list->n_arcs + list->n_weights + list->n_weight_arcs;
	struct pp_sample_file **all = op_alloc(most, sizeof(*all));

	*n = 0;
	for (size_t i = 0; i < OP_ARRAY_SIZE(kinds); i++)
		for (size_t k = 0; k < kinds[i].n; k++)
			all[(*n)++] = &kinds[i].files[k];
	return all;
}

/* What compare_names() compares, of a class. */
static struct op_sample_name class_name_of(const struct pp_class *class)
{
	return (struct op_sample_name){
		.event = (char *)class->event,
		.count = class->count,
		.unit_mask = class->unit_mask,
		.tgid = class->tgid,
		.tid = class->tid,
		.cpu = class->cpu,
	};
}

/* The class of the samples that a stack file counts, or PP_NO_CLASS. */
static unsigned int class_of_stacks(const struct pp_classes *classes,
				    const struct pp_sample_file *file, const struct pp_merge *merge)
{
	size_t low = 0, high = classes->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct op_sample_name at = class_name_of(&classes->items[middle]);
		int order = compare_labels(file->label, classes->items[middle].label);

		if (!order)
			order = compare_names(&file->name, &at, merge);
		if (!order)
			return (unsigned int)middle;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return PP_NO_CLASS;
}

/* Stacks make no columns: those that are in no class have samples in no file of the list. */
static void classify_stacks(const struct pp_classes *classes, struct pp_sample_list *list,
			    const struct pp_merge *merge)
{
	for (size_t i = 0; i < list->n_stacks; i++) {
		struct pp_sample_file *file = &list->stacks[i];

		merge_name(&file->name, merge);
		file->class = class_of_stacks(classes, file, merge);
		if (file->class != PP_NO_CLASS && file->is_weight)
			file->class += (unsigned int)classes->n;
	}
}

/* ---- labels ---- */

/* The value of the label that each session has; the caller frees the array. */
static const char **labels_of_sessions(struct pp_classes *classes,
				       const struct pp_sample_list *list)
{
	const char **labels = op_alloc(list->n_dirs, sizeof(*labels));

	for (size_t i = 0; i < list->n_dirs; i++) {
		char *value = op_label_read(list->samples_dirs[i], classes->label_name);

		labels[i] = value ? op_names_keep(&classes->labels, value) : NULL;
		free(value);
	}
	return labels;
}

static void label_files(struct pp_classes *classes, struct pp_sample_list *list,
			struct pp_sample_file **files, size_t n)
{
	const char **labels;

	if (!classes->label_name)
		return;
	labels = labels_of_sessions(classes, list);
	for (size_t i = 0; i < n; i++)
		files[i]->label = labels[pp_sample_session(list, files[i]->path)];
	for (size_t i = 0; i < list->n_stacks; i++)
		list->stacks[i].label = labels[pp_sample_session(list, list->stacks[i].path)];
	free(labels);
}

/* Sorts files into classes, in the order of columns. */
static void make_classes(struct pp_classes *classes, struct pp_sample_list *list,
			 struct pp_sample_file **files, size_t n, const struct pp_merge *merge)
{
	size_t capacity = 0;
	struct pp_class *class;

	free(classes->items);
	classes->items = NULL;
	classes->n = 0;
	for (size_t i = 0; i < n; i++)
		merge_file(classes, &files[i]->name, merge);
	qsort_r(files, n, sizeof(*files), compare_files, (void *)merge);
	for (size_t i = 0; i < n; i++) {
		if (!i || compare_files(&files[i - 1], &files[i], (void *)merge))
			add_class(classes, &capacity, &files[i]->name, files[i]->label);
		class = &classes->items[classes->n - 1];
		class->many_unit_masks |= class->unit_mask != files[i]->name.unit_mask;
		files[i]->class = classes->n - 1;
	}
	if (list->want_empty)
		add_empty(classes, &capacity, list, merge);
	for (size_t i = 0; i < n; i++)
		files[i]->class += files[i]->is_weight ? classes->n : 0;
	classes->columns = 2 * classes->n;
	classify_stacks(classes, list, merge);
}

static void note_sums(struct pp_classes *classes)
{
	const struct differences differ = find_differences(classes);

	classes->is_summed_up = true;
	classes->summed_tgid = differ.tgid;
	classes->summed_tid = differ.tid;
	classes->summed_cpu = differ.cpu;
}

int pp_classes_make(struct pp_classes *classes, struct pp_sample_list *list,
		    const struct pp_merge *merge, struct op_error *error)
{
	struct pp_merge all = *merge;
	size_t n;
	struct pp_sample_file **files = list_all(list, &n);
	int result;

	*classes = (struct pp_classes){.label_name = merge->label};
	label_files(classes, list, files, n);
	make_classes(classes, list, files, n, merge);
	result = find_axis(classes, error);
	if (result && merge->all_if_many) {
		note_sums(classes);
		all.cpu = all.tgid = all.tid = true;
		classes->axis = PP_AXIS_EVENT;
		make_classes(classes, list, files, n, &all);
		result = find_axis(classes, error);
	}
	free(files);
	for (size_t i = 0; i < classes->n; i++)
		name_class(classes, &classes->items[i]);
	return result;
}

void pp_classes_free(struct pp_classes *classes)
{
	for (size_t i = 0; i < classes->n; i++) {
		free(classes->items[i].column);
		free(classes->items[i].title);
	}
	free(classes->items);
	op_names_free_kept(&classes->labels);
	memset(classes, 0, sizeof(*classes));
}

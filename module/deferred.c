// SPDX-License-Identifier: GPL-2.0-only
/*
 * Deferred samples, by address space.
 */
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "deferred.h"
#include "event_buffer.h"
#include "images/account.h"
#include "images/marks.h"

static unsigned int deferred_max = 8192;
module_param(deferred_max, uint, 0644);
MODULE_PARM_DESC(deferred_max, "samples that wait for address spaces that are locked (default 8192)");

#define SHARE 8 /* no address space has more than this part of them */

LIST_HEAD(op_deferred_spaces);
static DEFINE_HASHTABLE(deferred_spaces, 8);
static struct op_shares deferred_shares;

static struct op_deferred_space *find_deferred_space(const struct mm_struct *mm)
{
	struct op_deferred_space *space;

	hash_for_each_possible(deferred_spaces, space, node, (unsigned long)mm) {
		if (space->mm == mm)
			return space;
	}
	return NULL;
}

static struct op_deferred_space *make_deferred_space(const struct mm_struct *mm)
{
	struct op_deferred_space *space = kzalloc(sizeof(*space), GFP_NOWAIT | __GFP_NOWARN);

	if (!space)
		return NULL;
	space->mm = mm;
	INIT_LIST_HEAD(&space->samples);
	hash_add(deferred_spaces, &space->node, (unsigned long)mm);
	list_add_tail(&space->list, &op_deferred_spaces);
	return space;
}

static void forget_deferred_space(struct op_deferred_space *space)
{
	hash_del(&space->node);
	list_del(&space->list);
	kfree(space);
}

static struct op_deferred_sample *copy(unsigned int cpu, const struct op_context *context,
				       const struct op_cpu_reader *record)
{
	struct op_record_header header = op_cpu_reader_header(record);
	unsigned int nr = op_sample_words(header) + header.nr_callers, i;
	struct op_deferred_sample *sample;

	sample = kmalloc(struct_size(sample, words, nr), GFP_NOWAIT | __GFP_NOWARN);
	if (!sample)
		return NULL;
	sample->until = jiffies + OP_DEFERRED_TIME;
	sample->cpu = cpu;
	sample->account = context->account;
	sample->context = *context;
	sample->nr_words = nr;
	for (i = 0; i < nr; i++)
		sample->words[i] = op_cpu_reader_word(record, i);
	return sample;
}

bool op_deferred_add(unsigned int cpu, const struct op_context *context,
		     const struct op_cpu_reader *record)
{
	unsigned int most = READ_ONCE(deferred_max);
	struct op_deferred_space *space = find_deferred_space(context->mm);
	struct op_deferred_sample *sample;

	lockdep_assert_held(&op_sync_mutex);
	if (!op_share_fits(&deferred_shares, context->account, 1, most) ||
	    (space && space->nr >= max(most / SHARE, 1U)))
		return false;
	sample = copy(cpu, context, record);
	if (!sample)
		return false;
	if (!space)
		space = make_deferred_space(context->mm);
	if (!space) {
		kfree(sample);
		return false;
	}
	list_add_tail(&sample->list, &space->samples);
	space->nr++;
	op_share_take(&deferred_shares, sample->account, 1);
	return true;
}

void op_deferred_remove(struct op_deferred_space *space, struct op_deferred_sample *sample)
{
	list_del(&sample->list);
	op_share_give(&deferred_shares, sample->account, 1);
	kfree(sample);
	if (!--space->nr)
		forget_deferred_space(space);
}

bool op_deferred_any(void)
{
	return READ_ONCE(deferred_shares.total);
}

void op_deferred_keep(u32 *epoch)
{
	const struct op_deferred_sample *sample;
	const struct op_deferred_space *space;

	list_for_each_entry(space, &op_deferred_spaces, list) {
		op_mark_sampled(space->mm, op_mark_period_now());
		list_for_each_entry(sample, &space->samples, list) {
			struct op_record_header header;

			memcpy(&header, sample->words, sizeof(header));
			if ((s32)(header.epoch - *epoch) < 0)
				*epoch = header.epoch;
		}
	}
}

void op_deferred_tear_down(void)
{
	struct op_deferred_space *space, *next_space;
	struct op_deferred_sample *sample, *next;

	list_for_each_entry_safe(space, next_space, &op_deferred_spaces, list) {
		list_for_each_entry_safe(sample, next, &space->samples, list) {
			op_share_give(&deferred_shares, sample->account, 1);
			kfree(sample);
		}
		forget_deferred_space(space);
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state machine.
 */
#include <linux/cpuhotplug.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/printk.h>

#include "backend.h"
#include "core.h"
#include "cpu_buffer.h"
#include "images/dcookie.h"
#include "event_buffer.h"
#include "images/mapping_hooks.h"
#include "module_hook.h"
#include "stats.h"
#include "sync.h"
#include "unwind/map.h"
#include "unwind/table.h"
#include "unwind/walk.h"
#include "images/unmapped.h"

static DEFINE_MUTEX(state_mutex);
static enum { CLOSED, SET_UP, STARTED } state; /* of oprofile_started() without the mutex */
static bool held_off; /* from oprofile_pause() to oprofile_resume(): nothing may sample */
static bool paused; /* held off, and started: oprofile_resume() will begin to sample */

struct oprofile_settings oprofile_settings = {
	.buffer_size = OP_BUFFER_SIZE_DEFAULT,
	.buffer_watershed = OP_BUFFER_WATERSHED_DEFAULT,
	.cpu_buffer_size = OP_CPU_BUFFER_SIZE_DEFAULT,
	.backtrace_depth = 0,
};

/*
 * What setup sets up, in this order, and shutdown takes down in reverse.  Producers of
 * samples need buffers; hooks need the tables that they write; work reads them all.
 */
static int set_up_buffers(void)
{
	const struct oprofile_settings *s = &oprofile_settings;
	int err;

	err = op_event_buffer_set_up(s->buffer_size, s->buffer_watershed);
	if (err)
		return err;
	err = op_cpu_buffers_set_up(s->cpu_buffer_size, s->backtrace_depth);
	if (err)
		op_event_buffer_tear_down();
	return err;
}

static void tear_down_buffers(void)
{
	op_cpu_buffers_tear_down();
	op_event_buffer_tear_down();
}

static int set_up_unwind(void)
{
	op_unwind_maps_set_up();
	return op_unwind_set_up();
}

static void tear_down_unwind(void)
{
	op_unwind_tear_down();
	op_unwind_maps_forget();
	op_unwind_tables_tear_down();
}

static const struct stage {
	int (*set_up)(void);
	void (*tear_down)(void);
} stages[] = {
	{ set_up_buffers, tear_down_buffers },
	{ op_dcookies_set_up, op_dcookies_tear_down },
	{ set_up_unwind, tear_down_unwind },
	{ op_unmapped_set_up, op_unmapped_tear_down },
	{ op_sync_set_up, op_sync_tear_down },
	{ op_mapping_hooks_set_up, op_mapping_hooks_tear_down },
	{ op_module_hook_set_up, op_module_hook_tear_down },
	{ op_backend_set_up, op_backend_shut_down },
};

static void tear_down_stages(int nr_stages)
{
	while (nr_stages)
		stages[--nr_stages].tear_down();
}

static int set_up_stages(void)
{
	int err;
	int i;

	for (i = 0; i < ARRAY_SIZE(stages); i++) {
		err = stages[i].set_up();
		if (err) {
			tear_down_stages(i);
			return err;
		}
	}
	return 0;
}

int oprofile_setup(void)
{
	int err;

	if (mutex_lock_killable(&state_mutex))
		return -EINTR;
	err = state == CLOSED ? set_up_stages() : -EBUSY;
	if (!err)
		WRITE_ONCE(state, SET_UP);
	mutex_unlock(&state_mutex);
	return err;
}

/*
 * The hotplug state calls these on every online CPU when it is installed and removed, and on
 * each CPU that comes and goes in between.  A CPU must come online even if we cannot sample
 * it: without a buffer its samples count as lost.
 */
static int cpu_start(unsigned int cpu)
{
	if (op_cpu_buffer_allocate(cpu))
		pr_warn("no memory for a buffer: samples of CPU %u will be lost\n", cpu);
	op_backend()->cpu_start(cpu);
	return 0;
}

static int cpu_stop(unsigned int cpu)
{
	op_backend()->cpu_stop(cpu);
	return 0;
}

static enum cpuhp_state hotplug_state;

static int begin_sampling(void)
{
	int err;

	err = op_backend_start();
	if (err)
		return err;
	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "oprofile:online", cpu_start, cpu_stop);
	if (err < 0) {
		op_backend_stop();
		return err;
	}
	hotplug_state = err; /* a dynamic state is returned as a positive number */
	op_sync_start_work();
	return 0;
}

static void end_sampling(void)
{
	cpuhp_remove_state(hotplug_state);
	op_backend_stop();
	op_sync_stop_work();
	op_sync_and_make_ready();
	op_unwind_maps_forget(); /* no work is left that would see their address spaces go */
}

int oprofile_start(void)
{
	int err = 0;

	if (mutex_lock_killable(&state_mutex))
		return -EINTR;
	if (state == CLOSED)
		err = -EINVAL;
	if (!err && state == SET_UP && !paused) {
		op_stats_reset();
		if (held_off)
			paused = true;
		else
			err = begin_sampling();
	}
	if (!err && !paused)
		WRITE_ONCE(state, STARTED);
	mutex_unlock(&state_mutex);
	return err;
}

int oprofile_stop(void)
{
	if (mutex_lock_killable(&state_mutex))
		return -EINTR;
	paused = false;
	if (state == STARTED) {
		end_sampling();
		WRITE_ONCE(state, SET_UP);
	}
	mutex_unlock(&state_mutex);
	return 0;
}

void oprofile_shutdown(void)
{
	mutex_lock(&state_mutex);
	if (state == STARTED)
		end_sampling();
	if (state != CLOSED)
		tear_down_stages(ARRAY_SIZE(stages));
	WRITE_ONCE(state, CLOSED);
	paused = false;
	mutex_unlock(&state_mutex);
}

int oprofile_dump(void)
{
	if (mutex_lock_killable(&state_mutex))
		return -EINTR;
	if (state != CLOSED)
		op_sync_and_make_ready();
	mutex_unlock(&state_mutex);
	return 0;
}

void oprofile_pause(void)
{
	mutex_lock(&state_mutex);
	held_off = true;
	if (state == STARTED) {
		end_sampling();
		WRITE_ONCE(state, SET_UP);
		paused = true;
	}
	mutex_unlock(&state_mutex);
}

/* Statistics go on. */
static void take_up_sampling(void)
{
	if (begin_sampling()) {
		pr_warn("sampling could not be taken up again\n");
		WRITE_ONCE(state, SET_UP);
	} else {
		WRITE_ONCE(state, STARTED);
	}
}

void oprofile_resume(void)
{
	mutex_lock(&state_mutex);
	held_off = false;
	if (paused && state == SET_UP)
		take_up_sampling();
	paused = false;
	mutex_unlock(&state_mutex);
}

bool oprofile_restart(void)
{
	if (!mutex_trylock(&state_mutex))
		return false;
	if (state == STARTED) {
		end_sampling();
		take_up_sampling();
	}
	mutex_unlock(&state_mutex);
	return true;
}

bool oprofile_started(void)
{
	return READ_ONCE(state) == STARTED;
}

int oprofile_set(unsigned long *setting, unsigned long value)
{
	int err = 0;

	if (mutex_lock_killable(&state_mutex))
		return -EINTR;
	if (state == STARTED)
		err = -EBUSY;
	else
		WRITE_ONCE(*setting, value);
	mutex_unlock(&state_mutex);
	return err;
}

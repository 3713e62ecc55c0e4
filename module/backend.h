/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A backend makes samples: it interrupts the CPUs and calls oprofile_add_sample().
 * The core knows backends by this table only.
 */
#ifndef OPROFILE_BACKEND_H
#define OPROFILE_BACKEND_H

#include <linux/types.h>

struct dentry;
struct pt_regs;
struct op_frames;

/**
 * struct oprofile_backend - one way of taking samples
 * @name: what the module parameter backend= calls it
 * @probe: 0 if this machine can use it, else a negative errno; NULL: always.  Called when the
 *	module is loaded and when oprofilefs is mounted, with the buffer closed.  Process context.
 * @obstacle: why @probe said no, for users; NULL: there is nothing that it could sample by.
 *	Called after @probe.  May be NULL.
 * @holder: who has all that it needs at this moment, for users; NULL: some is free.  Called after
 *	@probe said 0, likewise.  May be NULL.
 * @setup: get ready; the buffer has been opened.  Process context, may sleep.  May be NULL, as
 *	may the three below.
 * @shutdown: undo @setup
 * @start: reserve what is needed and prepare sampling on the whole machine; @cpu_start follows on
 *	each CPU.  Process context, may sleep.  -EBUSY: others have what it needs, see @reason.
 * @stop: undo @start; @cpu_stop has run on each CPU.  When it returns no interrupt of this
 *	backend is on its way or being handled anywhere.
 * @cpu_start: start sampling this CPU; runs on @cpu in process context with CPU hotplug
 *	held off, when sampling starts and when a CPU comes online while sampling
 * @cpu_stop: undo @cpu_start; runs on @cpu likewise, also before it goes offline
 * @create_files: add entries to the root directory of oprofilefs; may be NULL
 * @create_stats: add entries to the directory stats of oprofilefs; may be NULL
 * @cpu_type: the text of the entry cpu_type
 * @reason: why @start failed, of backends that others' use of counters can fail; else NULL
 * @refresh_times: bring the counters' times (x86/times.h) up to date; NULL: they are
 * @backtrace: log the callers of an interrupted context into @frames; same context as
 *	the samples (NMI or hard interrupt).  NULL: the backend has no backtraces.
 */
struct oprofile_backend {
	const char *name;
	int (*probe)(void);
	const char *(*obstacle)(void);
	const char *(*holder)(void);
	int (*setup)(void);
	void (*shutdown)(void);
	int (*start)(void);
	void (*stop)(void);
	void (*cpu_start)(unsigned int cpu);
	void (*cpu_stop)(unsigned int cpu);
	int (*create_files)(struct dentry *root);
	int (*create_stats)(struct dentry *stats);
	const char *(*cpu_type)(void);
	const char *(*reason)(void);
	void (*refresh_times)(void);
	void (*backtrace)(struct pt_regs *regs, struct op_frames *frames);
};

/*
 * What to do if no counter can be had at a start, behind the reason.  Clocks do not stand in: an
 * event that was asked for must not become another one, and their entries are others.
 */
#define OP_BACKEND_WAY_OUT "; \"opcontrol --start --backend=nmi_timer\" samples by time"

/**
 * op_backend_choose - pick the backend when the module is loaded
 * @name: the wanted one, or NULL or "" for the best that this machine can use
 *
 * If x86 is picked as the best one, and perf works too, perf stands in for it at each start that
 * finds counters in use, or loses them: both have the same entries, events and numbers of counters.
 * If perf does not work, and others hold all counters, the next best one is picked.
 *
 * Context: process.  Return: 0; -EINVAL if there is none of that name; -ENODEV or what its
 * probe said if this machine cannot use it.  The log says why.
 */
int op_backend_choose(const char *name);

/**
 * op_backend_choose_anew - pick the best one again, unless one was asked for by name
 *
 * What held the counters may have gone since, or have come.
 * Context: process; nothing of oprofilefs exists, so that nothing is set up.  Return: 0; -ENODEV.
 */
int op_backend_choose_anew(void);

/* The name of the one that was picked; "" before.  Context: any. */
const char *op_backend_chosen(void);

/*
 * The backend that samples, or has sampled last, or would be tried first.  Constant while it is
 * started.  Any context.
 */
const struct oprofile_backend *op_backend(void);

/* May another one stand in for the chosen backend?  Any context. */
bool op_backend_has_stand_in(void);

/* Why it is this one, for users.  Context: process; text of @size bytes at most. */
void op_backend_why(char *text, size_t size);

/* The backend's @setup and so on, and those of what stands in.  As of struct oprofile_backend. */
int op_backend_set_up(void);
void op_backend_shut_down(void);
int op_backend_start(void);
void op_backend_stop(void);
void op_backend_refresh_times(void);

extern const struct oprofile_backend op_x86_backend;
extern const struct oprofile_backend op_perf_backend;
extern const struct oprofile_backend op_timer_backend;
extern const struct oprofile_backend op_nmi_timer_backend;

#endif

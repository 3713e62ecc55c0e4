/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Constants of perf's records and of perf.data files that <linux/perf_event.h> of an older system
 * lacks: what newer kernels added, and the record types and header features of perf itself.
 */
#ifndef LIBOP_PERF_ABI_H
#define LIBOP_PERF_ABI_H

#include <linux/perf_event.h>

/* Bytes of a record's header, and of the largest record with its header. */
#define PERF_HEADER_SIZE 8
#define PERF_RECORD_MOST 65535

/* Record types of the kernel that were added after Linux 5.13. */
#define PERF_TYPE_AUX_OUTPUT_HW_ID   21
#define PERF_TYPE_CALLCHAIN_DEFERRED 22

/* Record types of perf itself and, from PERF_TYPE_SIMPLEPERF on, of Android's simpleperf. */
enum perf_user_type {
	PERF_TYPE_FIRST_USER = 64,
	PERF_TYPE_ATTR = 64,
	PERF_TYPE_EVENT_TYPE = 65,
	PERF_TYPE_TRACING_DATA = 66,
	PERF_TYPE_BUILD_ID = 67,
	PERF_TYPE_FINISHED_ROUND = 68,
	PERF_TYPE_ID_INDEX = 69,
	PERF_TYPE_AUXTRACE_INFO = 70,
	PERF_TYPE_AUXTRACE = 71,
	PERF_TYPE_AUXTRACE_ERROR = 72,
	PERF_TYPE_THREAD_MAP = 73,
	PERF_TYPE_CPU_MAP = 74,
	PERF_TYPE_STAT_CONFIG = 75,
	PERF_TYPE_STAT = 76,
	PERF_TYPE_STAT_ROUND = 77,
	PERF_TYPE_EVENT_UPDATE = 78,
	PERF_TYPE_TIME_CONV = 79,
	PERF_TYPE_FEATURE = 80,
	PERF_TYPE_COMPRESSED = 81,
	PERF_TYPE_FINISHED_INIT = 82,
	PERF_TYPE_COMPRESSED2 = 83,
	PERF_TYPE_BPF_METADATA = 84,
	PERF_TYPE_SCHEDSTAT_CPU = 85,
	PERF_TYPE_SCHEDSTAT_DOMAIN = 86,
	PERF_TYPE_LAST_KNOWN = 86,
	PERF_TYPE_SIMPLEPERF = 32768,
};

/* Bits of perf_event_attr.sample_type that were added after Linux 5.12. */
#define PERF_BIT_WEIGHT_STRUCT (1u << 24)

/* The bit of perf_event_attr.read_format that Linux 6.0 added: samples that an event has lost. */
#define PERF_BIT_FORMAT_LOST (1u << 4)

/* Of the misc of LOST_SAMPLES, by perf: a filter in BPF did not want them. */
#define PERF_MISC_FILTERED (1u << 15)

/* Bits of perf_event_attr.branch_sample_type that change the layout of a sample. */
#define PERF_BRANCH_HW_INDEX (1u << 17)
#define PERF_BRANCH_COUNTERS (1u << 19)

/* Context markers in a call chain: values from PERF_MARK_FIRST on are markers, not addresses. */
#define PERF_MARK_FIRST		((uint64_t)-4095)
#define PERF_MARK_HV		((uint64_t)-32)
#define PERF_MARK_KERNEL	((uint64_t)-128)
#define PERF_MARK_USER		((uint64_t)-512)
#define PERF_MARK_USER_DEFERRED ((uint64_t)-640) /* a cookie follows */

/* Header features, by bit. */
enum perf_feature_bit {
	PERF_FEATURE_TRACING_DATA = 1,
	PERF_FEATURE_BUILD_ID = 2,
	PERF_FEATURE_HOSTNAME = 3,
	PERF_FEATURE_OSRELEASE = 4,
	PERF_FEATURE_VERSION = 5,
	PERF_FEATURE_ARCH = 6,
	PERF_FEATURE_NRCPUS = 7,
	PERF_FEATURE_CPUDESC = 8,
	PERF_FEATURE_CPUID = 9,
	PERF_FEATURE_TOTAL_MEM = 10,
	PERF_FEATURE_CMDLINE = 11,
	PERF_FEATURE_EVENT_DESC = 12,
	PERF_FEATURE_CPU_TOPOLOGY = 13,
	PERF_FEATURE_NUMA_TOPOLOGY = 14,
	PERF_FEATURE_BRANCH_STACK = 15,
	PERF_FEATURE_PMU_MAPPINGS = 16,
	PERF_FEATURE_GROUP_DESC = 17,
	PERF_FEATURE_AUXTRACE = 18,
	PERF_FEATURE_STAT = 19,
	PERF_FEATURE_CACHE = 20,
	PERF_FEATURE_SAMPLE_TIME = 21,
	PERF_FEATURE_MEM_TOPOLOGY = 22,
	PERF_FEATURE_CLOCKID = 23,
	PERF_FEATURE_DIR_FORMAT = 24,
	PERF_FEATURE_BPF_PROG_INFO = 25,
	PERF_FEATURE_BPF_BTF = 26,
	PERF_FEATURE_COMPRESSED = 27,
	PERF_FEATURE_CPU_PMU_CAPS = 28,
	PERF_FEATURE_CLOCK_DATA = 29,
	PERF_FEATURE_HYBRID_TOPOLOGY = 30,
	PERF_FEATURE_PMU_CAPS = 31,
	PERF_FEATURE_CPU_DOMAIN_INFO = 32,
	PERF_FEATURE_E_MACHINE = 33,
	PERF_FEATURE_CLN_SIZE = 34,
	PERF_FEATURES = 256,
};

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records other than samples: what they say, decoded from their bytes.  What has no use for a
 * profile is passed over by its size, and not decoded.
 */
#ifndef PP_FORMATS_PERF_RECORD_H
#define PP_FORMATS_PERF_RECORD_H

#include "pp/formats/perf/abi.h"
#include "pp/formats/perf/bytes.h"

struct input;

/* A record as it stands in the file. */
struct perf_raw {
	uint32_t type;
	uint16_t misc;
	uint16_t size; /* with its header */
	const uint8_t *body;
	uint64_t offset; /* in the file; of compressed records, that of the record they came in */
	const struct input *input; /* the file */
};

static inline struct perf_bytes perf_raw_body(const struct perf_raw *raw, bool swap)
{
	return perf_bytes_of(raw->body, raw->size - PERF_HEADER_SIZE, swap);
}

#define PERF_BUILD_ID_MOST 20

/* MMAP and MMAP2. */
struct perf_mmap {
	uint32_t pid, tid; /* pid -1: the kernel's */
	uint64_t start, length;
	uint64_t offset; /* in the file, of start; of the kernel, the address of a symbol */
	unsigned int build_id_length; /* 0: none */
	const uint8_t *build_id;
	bool executable;
	const char *path;
};

/* FORK and EXIT. */
struct perf_task {
	uint32_t pid, parent_pid, tid, parent_tid;
};

struct perf_comm {
	uint32_t pid, tid;
	const char *comm;
	bool exec;
};

/* LOST and LOST_SAMPLES. */
struct perf_lost {
	uint64_t count;
};

struct perf_namespaces {
	uint32_t pid, tid;
	uint64_t n;
	const uint8_t *links; /* device and inode of each; see perf_namespace_at() */
};

struct perf_namespace {
	uint64_t device, inode;
};

struct perf_ksymbol {
	uint64_t start;
	uint32_t length;
	uint16_t type; /* 1: BPF, 2: out of line */
	bool unregister;
	const char *name;
};

struct perf_bpf_event {
	uint16_t type; /* 1: loaded, 2: unloaded */
	uint32_t id;
	const uint8_t *tag; /* 8 bytes */
};

struct perf_cgroup {
	uint64_t id;
	const char *path;
};

struct perf_text_poke {
	uint64_t address;
	uint16_t old_length, new_length;
};

struct perf_aux {
	uint64_t offset, size, flags;
};

/* HEADER_BUILD_ID, and the entries of the feature BUILD_ID. */
struct perf_build_id {
	uint16_t misc;
	int32_t pid;
	unsigned int length;
	const uint8_t *id;
	const char *path;
};

struct perf_event_update {
	uint64_t kind; /* 0 unit, 1 scale, 2 name, 3 CPUs */
	uint64_t id;
	const char *text; /* of unit and name, else NULL */
};

/*
 * Each decodes the body of a record, which must have lost its trailer, and returns NULL or what
 * is wrong with it.  Texts and arrays are in the body.
 */
const char *perf_mmap_read(struct perf_mmap *mmap, const struct perf_raw *raw,
			   struct perf_bytes body);
const char *perf_task_read(struct perf_task *task, struct perf_bytes body);
const char *perf_comm_read(struct perf_comm *comm, const struct perf_raw *raw,
			   struct perf_bytes body);
const char *perf_lost_read(struct perf_lost *lost, const struct perf_raw *raw,
			   struct perf_bytes body);
const char *perf_namespaces_read(struct perf_namespaces *namespaces, struct perf_bytes body);
struct perf_namespace perf_namespace_at(const struct perf_namespaces *namespaces, uint64_t index,
					bool swap);
const char *perf_ksymbol_read(struct perf_ksymbol *symbol, struct perf_bytes body);
const char *perf_bpf_event_read(struct perf_bpf_event *event, struct perf_bytes body);
const char *perf_cgroup_read(struct perf_cgroup *cgroup, struct perf_bytes body);
const char *perf_text_poke_read(struct perf_text_poke *poke, struct perf_bytes body);
const char *perf_aux_read(struct perf_aux *aux, struct perf_bytes body);
const char *perf_build_id_read(struct perf_build_id *id, uint16_t misc, struct perf_bytes body);
const char *perf_event_update_read(struct perf_event_update *update, struct perf_bytes body);

/* A name for each type of record: "SAMPLE"; NULL: not known. */
const char *perf_type_name(uint32_t type);

/* Bytes of payload that follow a record outside of it. */
uint64_t perf_payload_size(const struct perf_raw *raw, bool swap);

/* Whether this can be a record's header at all, where only its bytes can tell. */
bool perf_raw_plausible(const struct perf_raw *raw);

#endif

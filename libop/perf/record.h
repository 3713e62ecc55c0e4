/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PERF_RECORD_*: the one decoder of perf's records, for the live rings and for perf.data files.
 *
 * A record is decoded with the perf_event_attr of its event, in either byte order.  Pointers in
 * decoded records are into the bytes of the record.
 */
#ifndef LIBOP_PERF_RECORD_H
#define LIBOP_PERF_RECORD_H

#include "sample.h"

/* struct perf_raw - a record that is not decoded */
struct perf_raw {
	uint32_t type;
	uint16_t misc;
	uint16_t size; /* bytes, with the header */
	const uint8_t *body;
	uint64_t offset;    /* in the file; of a compressed record, that of the one it came in */
	const void *origin; /* the caller's: the file it came from */
};

/**
 * perf_raw_of - the header of a record in this machine's byte order
 * @bytes: the record; need not be aligned
 * @size: its bytes; at most the size in its header
 *
 * Return: false if there is no complete header.
 */
static inline bool perf_raw_of(struct perf_raw *raw, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	if (size < PERF_HEADER_SIZE)
		return false;
	*raw = (struct perf_raw){
		.type = op_load_u32(at, false),
		.misc = op_load_u16(at + 4, false),
		.size = size < PERF_RECORD_MOST ? (uint16_t)size : PERF_RECORD_MOST,
		.body = at + PERF_HEADER_SIZE,
	};
	return true;
}

static inline struct op_reader perf_raw_body(const struct perf_raw *raw, bool swap)
{
	return op_reader_of(raw->body, raw->size - PERF_HEADER_SIZE, swap);
}

#define PERF_BUILD_ID_MOST 20

/* In the misc of a FORK: a recorder made it up for a process that ran before. */
#define PERF_MISC_FORK_EXEC (1u << 13)

/* MMAP and MMAP2. */
struct perf_mmap {
	uint32_t pid, tid; /* pid -1: the kernel's */
	uint64_t start, length;
	uint64_t offset; /* in the file, of start; of the kernel, the address of a symbol */
	/* Of MMAP2, either a build-id or these four; the others are 0. */
	uint32_t major, minor, generation;
	uint64_t inode;
	unsigned int build_id_length;
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

/* HEADER_BUILD_ID, and entries of the header feature BUILD_ID. */
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

/* struct perf_record - a decoded record of the kernel that is not a sample */
struct perf_record {
	uint32_t type;
	uint16_t misc;
	struct perf_ids ids; /* of its trailer */

	union {
		struct perf_mmap mmap;		   /* MMAP, MMAP2 */
		struct perf_task task;		   /* FORK, EXIT */
		struct perf_comm comm;		   /* COMM */
		struct perf_lost lost;		   /* LOST, LOST_SAMPLES */
		struct perf_namespaces namespaces; /* NAMESPACES */
		struct perf_ksymbol ksymbol;	   /* KSYMBOL */
		struct perf_bpf_event bpf_event;   /* BPF_EVENT */
		struct perf_cgroup cgroup;	   /* CGROUP */
		struct perf_text_poke text_poke;   /* TEXT_POKE */
		struct perf_aux aux;		   /* AUX */
	};
};

/**
 * perf_record_read - decode a record of the kernel that is not a sample
 * @attr: of its event; NULL: the record has no trailer
 * @swap: its byte order is not that of this machine
 *
 * Of types without a member in struct perf_record, only the trailer is decoded.
 *
 * Return: NULL, or what is wrong with the record.
 */
const char *perf_record_read(struct perf_record *record, const struct perf_raw *raw,
			     const struct perf_attr *attr, bool swap);

/**
 * perf_record_time - the time of a record, without decoding it
 * @sample_type: of its event, with PERF_SAMPLE_TIME; a constant makes this a few instructions
 *
 * Return: the time in ns, or 0: the record is too short.
 */
static inline uint64_t perf_record_time(const struct perf_raw *raw, uint64_t sample_type, bool swap)
{
	size_t size = raw->size - PERF_HEADER_SIZE, at;

	if (raw->type == PERF_RECORD_SAMPLE) {
		at = perf_time_offset(sample_type);
		return size < at + 8 ? 0 : op_load_u64(raw->body + at, swap);
	}
	if (size < perf_trailer_bytes(sample_type))
		return 0;
	return op_load_u64(raw->body + size - perf_time_offset_back(sample_type), swap);
}

struct perf_namespace perf_namespace_at(const struct perf_namespaces *namespaces, uint64_t index,
					bool swap);

/* Decoders of perf's own records.  Return: NULL, or what is wrong with the record. */
const char *perf_build_id_read(struct perf_build_id *id, uint16_t misc, struct op_reader body);
const char *perf_event_update_read(struct perf_event_update *update, struct op_reader body);

/* The name of a record type: "SAMPLE"; NULL: an unknown type. */
const char *perf_type_name(uint32_t type);

/* Bytes of payload that follow the record and are not part of its size. */
uint64_t perf_payload_size(const struct perf_raw *raw, bool swap);

/* Whether this can be the header of a record: for files that end in garbage. */
bool perf_raw_plausible(const struct perf_raw *raw);

#endif

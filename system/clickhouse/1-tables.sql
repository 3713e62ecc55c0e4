-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tables of a fleet's store: what oppush(1) fills, and what clickhouse://HOST/DATABASE reads.
-- "oppush --install-schema" applies these files in the order of their numbers, each once.  They are
-- written for ClickHouse 18.16 and what came after it.  A statement ends with a semicolon at the end of
-- a line.
--
-- With --cluster=NAME, each table T is made on all servers as T_local, of the Replicated engine, and T
-- itself as Distributed over these, by the expression of the line "sharded by".  So statements here are
-- CREATE TABLE IF NOT EXISTS and ALTER TABLE, the name of the table on their first line.
--
-- Rows of samples, losses and sessions that are sent again are equal in all columns of the order, and
-- those of one order are one: by merges in time, and in what is read at once.  The tables that come
-- before them say what numbers mean; their numbers are hashes of the rest, so all machines have the same
-- rows.

-- What this database has been brought to.
-- sharded by number
CREATE TABLE IF NOT EXISTS migrations (
	number UInt32,
	name String,
	applied DateTime
) ENGINE = ReplacingMergeTree PARTITION BY tuple() ORDER BY number;

-- sharded by event
CREATE TABLE IF NOT EXISTS events (
	event UInt64,
	name String,
	unit String,
	period UInt64,
	frequency UInt64,
	unit_mask UInt64
) ENGINE = ReplacingMergeTree PARTITION BY tuple() ORDER BY event;

-- kind: 1 file, 2 kernel, 3 module, 4 vdso, 5 anonymous memory, 6 BPF, 7 not known, 8 the same in the
-- kernel; build_id: hexadecimal, '' if it is not known.
-- sharded by image
CREATE TABLE IF NOT EXISTS images (
	image UInt64,
	kind UInt8,
	path String,
	build_id String
) ENGINE = ReplacingMergeTree PARTITION BY tuple() ORDER BY image;

-- A line of a function, as the linker knows it; '' if there is no symbol.  inlined: into the frame that
-- comes next in the stack.
-- sharded by frame
CREATE TABLE IF NOT EXISTS frames (
	frame UInt64,
	image UInt64,
	function String,
	file String,
	line UInt32,
	inlined UInt8
) ENGINE = ReplacingMergeTree PARTITION BY tuple() ORDER BY frame;

-- From the leaf to the root.
-- sharded by cityHash64(stack)
CREATE TABLE IF NOT EXISTS stacks (
	stack FixedString(16),
	frames Array(UInt64)
) ENGINE = ReplacingMergeTree PARTITION BY tuple() ORDER BY stack;

-- What a host is called: kernel, arch, cpu, and the labels of its operators, such as role or release.
-- sharded by label_set
CREATE TABLE IF NOT EXISTS label_sets (
	label_set UInt64,
	names Array(String),
	texts Array(String)
) ENGINE = ReplacingMergeTree PARTITION BY tuple() ORDER BY label_set;

-- Samples of a session of a host, by what they were of.  The order has what is alike together: a stack
-- of a host stands once for a day, with its times behind it.
-- sharded by cityHash64(host)
CREATE TABLE IF NOT EXISTS samples (
	day Date,
	time DateTime,
	host String,
	session UInt64,
	label_set UInt64,
	event UInt64,
	app String,
	thread String,
	cgroup String,
	stack FixedString(16),
	samples UInt64,
	weight UInt64
) ENGINE = ReplacingMergeTree PARTITION BY day
ORDER BY (host, event, app, thread, cgroup, stack, time, session);

-- sharded by cityHash64(host)
CREATE TABLE IF NOT EXISTS losses (
	day Date,
	time DateTime,
	host String,
	session UInt64,
	cause String,
	samples UInt64
) ENGINE = ReplacingMergeTree PARTITION BY day ORDER BY (host, time, session, cause);

-- Comes last: samples of a session that is not here are not all there, and are not read.
-- Of sessions of one origin, which were sent with other names, the one with the greatest number counts.
-- duration: nanoseconds; rows, samples: of the table samples.
-- sharded by cityHash64(host)
CREATE TABLE IF NOT EXISTS sessions (
	day Date,
	time DateTime,
	host String,
	session UInt64,
	label_set UInt64,
	origin UInt64,
	duration UInt64,
	os String,
	arch String,
	cpu String,
	cpu_type String,
	cpu_mhz UInt32,
	command String,
	rows UInt64,
	samples UInt64
) ENGINE = ReplacingMergeTree PARTITION BY day ORDER BY (host, time, session);

-- Sums of samples by hours and days, without hosts, threads and control groups, of whole sessions:
-- "oppush --add-up" makes them, and what is read is the same with and without them.  level: seconds.
-- A batch is one sum, made at one time, of sessions that began between start and start + level.
-- sharded by cityHash64(stack)
CREATE TABLE IF NOT EXISTS sums (
	level UInt32,
	start DateTime,
	batch UInt64,
	label_set UInt64,
	event UInt64,
	app String,
	stack FixedString(16),
	samples UInt64,
	weight UInt64
) ENGINE = MergeTree PARTITION BY (level, toYYYYMM(start))
ORDER BY (level, start, batch, label_set, event, app, stack);

-- Comes behind the batch's rows of sums.  Batches of one time and generation add up; the last one
-- counts.  checksum: the sum of the sessions' numbers; samples: of all rows.
-- sharded by batch
CREATE TABLE IF NOT EXISTS batches (
	level UInt32,
	start DateTime,
	generation UInt32,
	batch UInt64,
	sessions UInt64,
	checksum UInt64,
	samples UInt64
) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(start) ORDER BY (level, start, generation, batch);

-- The sessions of a batch of an hour.
-- sharded by batch
CREATE TABLE IF NOT EXISTS summed (
	start DateTime,
	batch UInt64,
	session UInt64
) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(start) ORDER BY (start, batch, session);

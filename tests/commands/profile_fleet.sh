#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The tables of a fleet's store as a format; words and addresses of a store, without a server.  What a
# server does with them: tests/fleet.

# The program x calls f, in which g is inlined, at two lines; f calls itself and the kernel's k, and one
# place has no name.  Strings: 6 main, 7 f, 8 g, 9 k, 10 x.c, 11 x.h, 12 /no/such/x, 13 its build-id
profile()
{
	cat <<-END | make_profile >"$1"
		pprof 6='' 6='cpu-clock_sample' 6='count' 6='cpu-clock' 6='nanoseconds' 6='' 6='main' 6='f'
		pprof 6='g' 6='k' 6='x.c' 6='x.h' 6='/no/such/x' 6='0102030405060708000000000000000000000000'
		pprof 6='[kernel.kallsyms]' 6='cache misses_sample' 6='thread' 6='x y' 6='cgroup' 6='/a' 6='cache misses_event'
		pprof 3=(1=1 2=0x1000 3=0x2000 5=12 6=13) 3=(1=2 2=0xffffffff81000000 3=0xffffffff82000000 5=14)
		pprof 4=(1=1 2=1 3=0x1010 4=(1=1 2=10)) 4=(1=2 2=1 3=0x1020 4=(1=2 2=20))
		pprof 4=(1=3 2=1 3=0x1030 4=(1=3 2=5) 4=(1=2 2=21)) 4=(1=4 2=2 3=0xffffffff81000040 4=(1=4))
		pprof 4=(1=5 2=1 3=0x1099) 4=(1=6 2=1 3=0x1028 4=(1=2 2=20))
		pprof 5=(1=1 2=6 3=6 4=10) 5=(1=2 2=7 3=7 4=10) 5=(1=3 2=8 3=8 4=11) 5=(1=4 2=9 3=9)
		pprof 1=(1=1 2=2) 1=(1=3 2=4) 11=(1=3 2=4) 12=1000 1=(1=15 2=2) 1=(1=20 2=2)
		pprof 2=(1=1 2=[1 1000 0 0] 3=(1=16 2=17)) 2=(1=[2 1] 2=[2 2000 1 30] 3=(1=16 2=17))
		pprof 2=(1=[6 1] 2=[4 4000 0 0] 3=(1=16 2=17)) 2=(1=[3 1] 2=[8 8000 0 0] 3=(1=16 2=17) 3=(1=18 2=19))
		pprof 2=(1=[4 3 1] 2=[16 16000 0 0] 3=(1=16 2=17)) 2=(1=[2 2 1] 2=[32 32000 3 90])
		pprof 2=(1=5 2=[64 64000 0 0]) 2=(2=[128 128000 0 0])
	END
}

# rows FILE - how many bytes each table has
rows()
{
	python3 - "$1" <<-'END'
		import struct, sys
		data = open(sys.argv[1], "rb").read()
		at = data.index(b"\n") + 1
		while at < len(data):
		    n = data[at]
		    length, = struct.unpack_from("<Q", data, at + 1 + n)
		    print(data[at + 1:at + 1 + n].decode(), length)
		    at += 9 + n + length
	END
}

folded() { opexport --to=folded --output=- "$2" "$1" 2>/dev/null | sort; }

requirement fleet_has_stacks_lines_weights_and_groups
profile made
check opexport --to=fleet made -o tables
rows tables
for event in cpu-clock cache_misses; do
	folded made "event:$event" >wanted
	folded tables "event:$event" >got
	diff wanted got && wc -l <got
done
opreport --by=cgroup -n event:cpu-clock tables 2>/dev/null

# Of a program in C++ that is there, a library that is not, the kernel, a module and the vdso: as in a
# report of the session, but for where names that are missing would come from.
requirement names_are_as_in_a_report_of_the_session
images
session <<-EOF
	image prog TIMER
	0x1004 1, 0x1010 600, 0x104f 200, 0x1030 90
	image prog gone/lib.so TIMER
	0x2010 30, 0x2020 40
	image prog {kern}/kallsyms TIMER
	0x10 20, 0x5000000 3
	image prog {kern}/ext4 TIMER
	0x10 7
	image prog [vdso] TIMER
	0x10 2
EOF
printf 'ffffffff81000000 T _stext\nffffffff81000010 T first\n' >samples/current/kallsyms
check opexport --session-dir="$DIR" --to=fleet -o tables
opreport --session-dir="$DIR" -l >of_session 2>/dev/null
opreport -l tables >of_tables
diff of_session of_tables || true
opreport --session-dir="$DIR" >of_session 2>/dev/null
opreport tables >of_tables
diff of_session of_tables || true
for style in normal none; do
	opexport --session-dir="$DIR" --to=folded -D $style -o of_session 2>/dev/null
	try opexport --to=folded -D $style --from=tables -o of_tables
	cmp of_session of_tables
done
each try <<-END
	opreport -l -n lib-image:[kernel] tables
	opreport -l -n -t 2 image:$DIR/prog tables
END
for format in callgrind firefox speedscope; do
	check opexport --to=$format --from=tables -o out
	grep -c '/\[named\]' out || true
done

# Addresses of one line are one row; what is the same on two machines has one number.
requirement rows_are_the_same_wherever_they_are_made
profile made
check opexport --to=fleet made -o one
check opexport --to=fleet made -o two
cmp one two
check opexport --to=fleet --output=three ./one
for file in one three; do folded $file event:cpu-clock >"$file.folded"; done
cmp one.folded three.folded

# One program has more stacks than there is room for, and there are more programs than can be named; the
# others keep theirs.  A line is what both sides say, or what was left out of a program.
requirement programs_with_many_stacks_leave_room_for_others
python3 - >many <<-'END'
	for i in range(20000):
	    print(f"storm;main;call_{i % 97};{'deep_' * 20}{i} {2 if i % 100 else 900 + i}")
	for i in range(300):
	    print(f"work;main;step_{i} {2 + i}")
	for i in range(20000):
	    print(f"{'path' * 50}{i};main 1")
END
opexport --to=folded --from=many -o wanted
for format in fleet pprof otlp; do
	check opexport --to=$format --output-size=1 --from=many -o bounded
	python3 - $format <<-'END'
		import gzip, sys
		data = open("bounded", "rb").read()
		if data.startswith(b"\x1f\x8b"):
		    data = gzip.decompress(data)
		print(sys.argv[1], "has bytes within the bound:", 300000 < len(data) <= 1 << 20, b"[left out]" in data)
	END
	[ $format != otlp ] || continue
	opexport --to=folded --from=bounded -o got
	python3 - <<-'END'
		def read(path):
		    stacks = {}
		    for line in open(path):
		        stack, _, n = line.rstrip("\n").rpartition(" ")
		        stacks[stack] = stacks.get(stack, 0) + int(n)
		    return stacks
		wanted, got = read("wanted"), read("got")
		print("sums are equal:", sum(wanted.values()) == sum(got.values()))
		left = {stack: n for stack, n in got.items() if "[left out]" in stack}
		print("others are as they were:", all(wanted[stack] == got[stack] for stack in got if stack not in left))
		of = lambda stacks, start: {stack: n for stack, n in stacks.items() if stack.startswith(start)}
		print("work has all its stacks:", of(wanted, "work") == of(got, "work"))
		storm = of(got, "storm")
		print("storm keeps what it has most of:", all(wanted[s] == got.get(s) for s, n in of(wanted, "storm").items() if n > 2))
		print("and its sum:", sum(storm.values()) == sum(of(wanted, "storm").values()), len(of(left, "storm")))
		print("programs beyond the last quarter:", len([s for s in left if "path" in s]) > 100, sum(n for s, n in left.items() if "path" not in s and "storm" not in s) > 10000)
	END
done
try opexport --to=fleet --output-size=0 --from=many -o bounded
try opexport --to=folded --output-size=1 --from=many -o bounded

requirement hosts_have_labels
profile made
check opexport --to=fleet --host-label=role=web,release=1.2 made -o tables
opreport --by=role -n event:cpu-clock tables 2>/dev/null
each try <<-END
	opexport --to=fleet --host-label=role made
	opexport --to=fleet --host-label=role= made
	opexport --to=fleet --host-label=ro'le=x made
	opexport --to=fleet --host-label=kernel=x made
	opexport --to=folded --host-label=role=x made
END

# CPUs differ, and so do periods of one rate; 10 samples of 6000 events weigh as much as 12 of 5000.  What
# differs in its unit mask is another event.
requirement events_of_hosts_add_up_by_weight
images
while read -r host period hot cold; do
	rm -rf samples
	printf 'cpu_type i386/core_2\nctr_count %s\nimage prog CYCLES.%s.0.all.all.all\n0x1010 %s, 0x1030 %s\n' \
		"$period" "$period" "$hot" "$cold" | session
	printf 'hostname %s\n' "$host" >samples/current/origin
	check opexport --session-dir="$DIR" --to=fleet -o "$host.fleet"
done <<-END
	web 6000 10 2
	db 5000 12 8
END
join_tables()
{
	python3 - "$@" <<-'END'
		import struct, sys
		tables = {}
		for path in sys.argv[1:]:
		    data = open(path, "rb").read()
		    at = data.index(b"\n") + 1
		    while at < len(data):
		        n = data[at]
		        length, = struct.unpack_from("<Q", data, at + 1 + n)
		        name = data[at:at + 1 + n]
		        tables[name] = tables.get(name, b"") + data[at + 9 + n:at + 9 + n + length]
		        at += 9 + n + length
		with open("joined", "wb") as out:
		    out.write(b"oprofile-fleet 2\n")
		    for name, rows in tables.items():
		        out.write(name + struct.pack("<Q", len(rows)) + rows)
	END
}
join_tables web.fleet db.fleet
try opreport --by=host -n joined
try opreport -l -n joined
rm -rf samples
printf 'cpu_type i386/core_2\nctr_count 5000\nctr_um 1\nimage prog CYCLES.5000.1.all.all.all\n0x1010 7\n' | session
check opexport --session-dir="$DIR" --to=fleet -o masked.fleet
join_tables web.fleet db.fleet masked.fleet
try opreport -n joined

requirement damaged_tables_are_refused
profile made
check opexport --to=fleet made -o tables
for bytes in 17 100 300 600 900; do
	head -c $bytes tables >cut.fleet
	try opreport cut.fleet
done
sed 's/events/evants/' tables >wrong
try opreport wrong
python3 - <<-'END'
	data = bytearray(open("tables", "rb").read())
	at = data.index(b"stacks") + 6 + 8 + 16 + 1
	data[at] ^= 1
	open("wrong", "wb").write(data)
END
try opreport wrong

requirement wrong_addresses_of_a_store_are_refused
each try <<-END
	opreport clickhouse://
	opreport clickhouse://host
	opreport clickhouse://host/
	opreport clickhouse://host/a;b
	opreport clickhouse://user:secret@host/db
	opreport clickhouse://ho'st/db
	opreport clickhouse://host/db?
	opreport clickhouse://host/db?host=
	opreport clickhouse://host/db?last=x
	opreport clickhouse://host/db?from=yesterday
	opreport clickhouse://host/db?by=na'me
	opreport clickhouse://host/db?label=role
	opreport clickhouse://host/db?label=ro/le=x
	opreport clickhouse://host/db?cluster=
	opreport clickhouse://127.0.0.1:1/db
	opreport --last=1h clickhouse://127.0.0.1:1/db?to=2026-01-01
	opreport --last=1h clickhouse://127.0.0.1:1/db?host=a
	oppush
	oppush --to=host
	oppush --to=clickhouse://host/
	oppush --to=clickhouse://127.0.0.1:1/db --install-schema --schema=$DIR/none
	oppush --to=clickhouse://127.0.0.1:1/db --cluster=x
	oppush --to=clickhouse://127.0.0.1:1/db --install-schema --cluster=x;y
END

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Text profiles of Go, Java and lists of threads, as pprof reads them

# What go tool pprof -raw says of these was compared by hand: callers and leaves are return
# addresses, and names are what the text says.
requirement counts_of_goroutines_have_stacks_and_names
cat >made <<-'EOF'
	goroutine profile: total 7
	6 @ 0x43a236 0x4065f5 0x4a0010
	# labels: {"kind":"pool"}
	#	0x43a235	app.wait+0x15		/src/app/wait.go:12
	#	0x4065f4	app.inner+0x34		/src/app/pool.go:30
	#	0x4065f4	app.(*Pool).run+0x34	/src/app/pool.go:40

	1 @ 0x43a236 0x4b0001
	#	0x43a235	app.wait+0x15	/src/app/wait.go:12
	#	0x4b0000	main.main+0x40	/src/main.go:5
EOF
opimport --info made
opexport --from=made --to=folded 2>/dev/null
opimport -o "$DIR/data" made 2>/dev/null
opexport --session-dir=data --to=folded
sed 's/goroutine/threadcreate/' made >threads
opimport --info threads | grep '^event:'

requirement lists_of_threads_have_names_and_creators
{
	cat <<-'EOF'
		--- threadz 1 ---

		--- Thread 7f00 (name: main/14748) stack: ---
		  PC: 0x401010: wait(int*)
		  0x401110: main
		--- Thread 7f01 (name: net/io/14749) stack: ---
		  PC: 0x401210
		      0x401310
		      creator: 0x401410 0x401510
		--- Thread 7f02 (name: net/io/14750) stack: ---
		    [same as previous thread]
		--- Memory map: ---
	EOF
	echo '  00400000-00410000: /no/such/prog'
} >made
opimport --info made
show_profile -v heap made
opexport --from=made --to=folded 2>/dev/null

requirement java_names_its_numbers
{
	printf '%s\n' '--- contentionz 1 ---' 'format = java' 'resolution = microseconds' \
		'sampling period = 10' 'ms since reset = 5000'
	printf '%s\n' '   3     1 @ 0x00000003 0x00000004' '  40     2 @ 0x00000004' '' ''
	printf '%s\n' ' 0x0000003 demo.Lock.take (Lock.java:31)' ' 0x0000004 demo.Main.run (Main.java:7)'
} >made
opimport --info made
opexport --from=made --to=folded
opimport -o "$DIR/data" made
opreport --session-dir=data -l --no-header
{
	printf '%s\n' '--- heapz 1 ---' 'format = java' 'resolution = bytes'
	printf '%s\n' '   1048576     1 @ 0x3 0x4' '' ' 0x3 demo.Buffer.grow (Buffer.java:9)'
} >made
opimport --info made

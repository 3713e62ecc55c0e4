#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport: symbols that are neither in the image nor beside it

# Strips lib.so, and gives it back the one symbol that .dynsym has not, as distributions do it.
mini_debug()
{
	images
	objcopy --only-keep-debug lib.so mini
	objcopy -S --keep-symbol=lib_hidden mini
	xz -f mini
	strip lib.so
	cp lib.so stripped.so
	objcopy --add-section .gnu_debugdata=mini.xz lib.so
	cp lib.so good
}

requirement symbols_in_gnu_debugdata_are_found
mini_debug
session <<-EOF
	image lib.so TIMER
	0x1000 10, 0x101f 1, 0x1020 20, 0x103f 2
	image stripped.so TIMER
	0x1020 3
EOF
reports <<-EOF
	-l -n lib.so
	-l -n -f stripped.so
EOF

requirement damaged_gnu_debugdata_leaves_other_symbols
mini_debug
session <<-EOF
	image lib.so TIMER
	0x1000 10, 0x1020 20
EOF
for at in $(seq 0 7 399); do
	cp mini.xz bad
	printf '\%03o' $((at * 37 % 256)) | dd of=bad bs=1 seek="$at" conv=notrunc status=none
	if [ $((at % 4)) = 0 ]; then
		truncate -s 100 bad
	fi
	objcopy --update-section .gnu_debugdata=bad good lib.so
	opreport --session-dir="$DIR" -l -n >out 2>err
	check grep -q 'lib_work$' out
done

# From a server on the loopback interface.
requirement debug_files_are_fetched_from_debuginfod
python3 -c 'import ctypes; ctypes.CDLL("libdebuginfod.so.1")' 2>"$WORK/missing" ||
	skip "there is no libdebuginfod.so.1 or python3"
images
session <<-EOF
	image prog TIMER
	0x1010 3
EOF
id=0123456789abcdef0123456789abcdef01234567
mkdir -p buildid/$id
objcopy --only-keep-debug prog buildid/$id/debuginfo
strip prog
mkfifo started
python3 - >started 2>/dev/null <<-EOF &
	import functools, http.server
	handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=".")
	server = http.server.HTTPServer(("127.0.0.1", 0), handler)
	print(server.server_port, flush=True)
	server.serve_forever()
EOF
server=$!
trap 'kill $server' EXIT
read -r port <started
ask()
{
	export DEBUGINFOD_CACHE_PATH="$WORK/$1"
	report -l -n -g -f
}
echo 'without DEBUGINFOD_URLS:'
ask cache1
export DEBUGINFOD_URLS="http://127.0.0.1:$port/"
echo 'from the server:'
ask cache1
echo 'the server has the file of another image:'
cp lib.so buildid/$id/debuginfo
ask cache2
kill $server
trap - EXIT
wait $server 2>/dev/null || :
echo 'no server:'
ask cache3 | sed "s/$port/PORT/"

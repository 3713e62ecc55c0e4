# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# What scripts of tests of commands share.  $DIR is the current directory, empty at the start of
# each requirement, and the session directory of what is tested.  $TOP is the source tree, $SOURCES
# the folder with sources of images.
#
#	requirement NAME	starts a test of this requirement, in an empty $DIR
#	images			puts prog and lib.so here, made of $SOURCES/{prog,lib}.s
#	session [OPTION]	makes samples of the description in stdin (see make_session.c)
#	frequency N		makes 2 N samples of heavy code, with 3 of 4 events, and 8 N of light code
#	write NAME		writes stdin to a file, and makes the directories on the way to it
#	try COMMAND...		runs it; writes it, stdout, stderr ("! ") and the exit code, if not 0
#	of_session COMMAND...	the same with --session-dir=$DIR
#	each COMMAND...		runs it with the words of each line of stdin
#	both COMMAND...		each of_session COMMAND, with loose sample files; and packed ones,
#				of which the output must be the same
#	reports			both opreport
#	report ARGUMENT...	the same with these arguments
#	check COMMAND...	runs it silently; writes that it failed, if so
#	full_disk COMMAND...	runs it so that it can write files of a kilobyte only
#	shown ENVIRONMENT TOOL ARGUMENT...	what a terminal shows of the tool; a shell expands all
#				three. $columns: its width (80)
#	skip REASON		ends the script; for what a machine lacks

# For scripts that leave processes: called at the end of each requirement.
cleanup()
{
	:
}
trap cleanup EXIT

requirement()
{
	cleanup
	printf '\n## %s\n' "$1"
	cd "$WORK" || exit
	rm -rf "$DIR"
	mkdir "$DIR"
	cd "$DIR" || exit
	export OPROFILE_EVENTS_DIR="$DIR/events"
}

images()
{
	if [ ! -d "$WORK/images" ]; then
		mkdir "$WORK/images"
		gcc -nostdlib -static -Wa,"--debug-prefix-map=$PWD=." \
			-Wl,-Ttext=0x401000 -Wl,--section-start=.odd=0x403000 \
			-Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 \
			-o "$WORK/images/prog" "$SOURCES/prog.s"
		gcc -shared -nostdlib -Wl,-Ttext=0x2000 -o "$WORK/images/lib.so" "$SOURCES/lib.s"
	fi
	cp "$WORK/images/prog" "$WORK/images/lib.so" .
}

session()
{
	make_session "$@" "$DIR"
}

frequency()
{
	images
	session <<-EOF
		cpu_type i386/core_2
		image prog CYCLES.0.0.all.all.all
		0x1010 $((2 * $1)), 0x1030 $((8 * $1))
		arcs prog prog CYCLES.0.0.all.all.all
		0x1030>0x1010 $((2 * $1)), 0x1010>0x1030 $((8 * $1))
		ctr_count 1000
		file weights/{root}@DIR@/prog/{dep}/{root}@DIR@/prog/CYCLES.0.0.all.all.all
		0x1010 $((6000 * $1)), 0x1030 $((2000 * $1))
		file weights/{root}@DIR@/prog/{dep}/{root}@DIR@/prog/{cg}/{root}@DIR@/prog/CYCLES.0.0.all.all.all
		0x101000001030 $((2000 * $1)), 0x103000001010 $((6000 * $1))
	EOF
}

write()
{
	mkdir -p "$(dirname "$1")"
	cat >"$1"
}

# Runs it; stdout and stderr are in $WORK/stdout and $WORK/stderr.  Return: always 0.
run_quietly()
{
	status=0
	"$@" >"$WORK/stdout" 2>"$WORK/stderr" || status=$?
}

# Writes what run_quietly() left.
written()
{
	sed -e "\$ a\\" "$WORK/stdout"
	sed -e 's/^/! /' "$WORK/stderr"
	if [ "$status" != 0 ]; then
		echo "exit $status"
	fi
}

# Runs it; its stderr is in $WORK/stderr until it has ended.
try()
{
	echo "\$ $*"
	finish "$@"
}

of_session()
{
	echo "\$ $*"
	command=$1
	shift
	finish "$command" "--session-dir=$DIR" "$@"
}

finish()
{
	status=0
	"$@" 2>"$WORK/stderr" || status=$?
	if [ -s "$WORK/stderr" ]; then
		sed -e 's/^/! /' "$WORK/stderr"
	fi
	if [ "$status" != 0 ]; then
		echo "exit $status"
	fi
}

both()
{
	cat >"$WORK/table"
	each of_session "$@" <"$WORK/table" >"$WORK/loose"
	cat "$WORK/loose"
	[ -d samples ] || return 0
	make_session --pack "$DIR"
	each of_session "$@" <"$WORK/table" >"$WORK/packed"
	make_session --unpack "$DIR"
	diff "$WORK/loose" "$WORK/packed" || echo "packed sessions differ"
}

reports()
{
	both opreport
}

report()
{
	printf "%s\n" "$*" | both opreport
}

# Each line is split at blanks; its words are not expanded.
each()
{
	set -f
	while read -r line; do
		# shellcheck disable=SC2086
		"$@" $line </dev/null
	done
	set +f
}

check()
{
	"$@" >"$WORK/check" 2>&1 || {
		echo "FAILED: $*"
		cat "$WORK/check"
	}
}

full_disk()
{
	(
		export GCOV_PREFIX=/dev/null # a cut file of coverage is none
		ulimit -f 2
		"$@"
	)
}

shown()
{
	echo "\$ $*"
	environment=$1
	tool=$2
	shift 2
	python3 - "stty rows 24 cols ${columns:-80}; exec env -u PAGER -u LESS -u NO_COLOR TERM=xterm \
		$environment /bin/sh -c '$(command -v "$tool") --session-dir=$DIR $*'" <<-'EOF' >"$WORK/shown"
		import os, pty, sys
		status = pty.spawn(["sh", "-c", sys.argv[1]], stdin_read=lambda fd: b"")
		if status: print("exit %d" % os.waitstatus_to_exitcode(status))
	EOF
	sed -e "s/\r\$//" -e "\$ a\\" "$WORK/shown" | cat -v
}

skip()
{
	echo "$*" >&2
	exit 77
}

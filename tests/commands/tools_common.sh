#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# All report tools: what they have in common is refused with the same words and exit code.

tools="opreport opannotate oparchive opgprof opimport opexport"

# with_option OPTION ARGUMENT... - tries each tool whose help has the option
with_option()
{
	option=$1
	shift
	for tool in $tools; do
		if $tool --help | grep -qe "$option"; then
			try "$tool" "$@"
		fi
	done
}

requirement version_is_the_same
with_option --version --version
with_option --version -v

requirement wrong_arguments_are_refused_alike
each with_option <<-EOF
	--help --nonsense
	--help -Z
	--verbose --verbose
	--verbose -V loud
	--session-dir --session-dir=
	--image-path -p /a,,/b
	--threshold -t 100.1
	--merge -m cpu,core
	--demangle -D no
	--exclude-symbols -e a,,b
	--include-symbols -i ,
	TAG:LIST tag:x
	TAG:LIST cpu:0 cpu:0
	TAG:LIST tid:x
EOF
with_option --root -R ''

requirement missing_session_is_reported_alike
each try <<-EOF
	opreport --session-dir=/nonexistent
	opannotate --session-dir=/nonexistent -a
	oparchive --session-dir=/nonexistent -l
	opgprof --session-dir=/nonexistent
	opexport --session-dir=/nonexistent --to=folded
EOF

requirement closed_standard_descriptors_are_no_other_file
make_profile >made <<-END
	pprof 6='' 6='s' 6='n' 6='f' 1=(1=1 2=2) 4=(1=1 4=(1=1)) 5=(1=1 2=3) 2=(1=1 2=3)
END
opimport -o data made
find data -type f -exec sha256sum {} + | sort >whole
for closed in '>&-' '<&- >&-' '2>&-' '<&- >&- 2>&-'; do
	rm -rf again
	for command in "opreport made" "opimport -o again made"; do
		status=0
		eval "$command $closed" >said 2>&1 || status=$?
		echo "$command $closed: $status, $(head -n 1 said)"
	done
	mv data first && mv again data
	find data -type f -exec sha256sum {} + | sort | diff whole -
	rm -rf data && mv first data
done

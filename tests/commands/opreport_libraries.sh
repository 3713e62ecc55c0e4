#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opreport: images below applications (--separate=lib), and the profile specification

# --separate=lib: images below applications, and what of them is asked for.
requirement libraries_are_shown_below_applications
images
cp -p prog prog2
write samples/current/kallsyms <<-EOF
	ffffffff81000000 T _stext
	ffffffff81000000 T startup_64
	ffffffff81000100 T do_work
	ffffffff81000200 T _etext
EOF
session <<-EOF
	image prog TIMER
	0x1010 60
	image prog lib.so TIMER
	0x1000 20, 0x1020 10
	image prog {kern}/kallsyms TIMER
	0x100 50
	image prog2 TIMER
	0x1030 10
	image prog2 lib.so TIMER
	0x1004 50
EOF
reports <<-EOF

	-f
	-%
	-r
	-t 20
	-n
	-l
	-l -f
	-l -r
	-x
	-l -x
	-m lib
	-l -m lib
	-l -s image
	-l -s app-name
	-l -s image,symbol -n
	-n lib-image:lib.so
	-n image:prog2
	-n image-exclude:lib.so
	-n -l $DIR/prog
	-n */lib.so
	-n lib.so
	-n -l kallsyms
	-n -l /kallsyms
	-n image:prog*
	-n image:nothing
	-n event:TIMER count:0 unit-mask:0
	-n event:OTHER
	-n tgid:1
	-n cpu:all tid:all
EOF

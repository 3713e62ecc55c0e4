#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Inputs as people have them: odd paths, byte order marks, damaged lines, numbers of any form

# frames FRAME... - text of perf script with a sample for each frame
frames()
{
	for frame; do
		printf 'job 7/7 [000] 1.5: 1 cycles:u: \n\t    7f0000401010 %s\n\n' "$frame"
	done
}

requirement paths_in_frames_have_blanks_and_parentheses
frames 'work+0x10 (/srv/My Tools (old)/a b/tool)' 'work+0x18 (/srv/My Tools (old)/a b/tool)' \
	'work (/srv/open (paren/tool)' 'work+0x4 (/srv/close)/tool)' \
	'ns::call(int, char const*) const (/srv/tool (deleted))' \
	'(anonymous namespace)::g(void (*)(int))+0x8 (/srv/(x)/tool)' \
	'operator()(long)+0x2 (memfd:jit (deleted))' 'operator()(int) ([vdso])' \
	'f(int (*)(int)) (inlined)' 'job (/srv/(y) z)' '[unknown] ([unknown])' >made
opimport -o "$DIR/data" made 2>/dev/null
opreport --session-dir=data -l --long-filenames --no-header | sed 's/  */ /g' | sort

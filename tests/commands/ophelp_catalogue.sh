#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# ophelp: catalogues that are malformed, with file, line and reason

export OPROFILE_FS_DIR=/none

# put TYPE/FILE TEXT - a file, with a good event for @E and a good unit mask for @Z
put()
{
	mkdir -p "i386/$(dirname "$1")"
	printf %b "$2" | sed -e 's/@E/event:0x3c counters:0,1 um:zero minimum:6000 name:CYCLES : Cycles\n/' \
		-e 's/@Z/name:zero type:mandatory default:0x0\n\t0x0 No unit mask\n/g' >"i386/$1"
}

refused()
{
	export OPROFILE_EVENTS_DIR="$DIR"
	put core/events "$1"
	put core/unit_masks "$2"
	put loop/events '# a\ninclude:i386/core\n'
	put loop/unit_masks 'include:i386/core\n'
	put broken/events 'evnt:0x1\n'
	run_quietly ophelp -c i386/core
	printf '%s | %s\n' "$1" "$2"
	written
}

requirement malformed_events_are_refused
while read -r events; do
	refused "$events" @Z
done <<'EOF'
\n# x\n@Ecounters:0 um:zero minimum:1 name:A : a\n
event:0x1 um:zero minimum:1 name:A : a\n
event:0x1 counters:0 minimum:1 name:A : a\n
event:0x1 counters:0 um:zero name:A : a\n
event:0x1 counters:0 um:zero minimum:1 : a\n
event:0x1 counters:0 um:zero minimum:1 name:A\n
event:0x1 counters:0 um:zero minimum:1 name:A :  \t\n
event:0x1 counters:0 um:zero minimum:1 name:A no description\n
@Eevent:0x1 event:0x2 counters:0 um:zero minimum:1 name:A : a\n
event:0x1 counters:0 um:zero minimum:1 name:A name:A : a\n
event:0x1 colour:red counters:0 um:zero minimum:1 name:A : a\n
event: counters:0 um:zero minimum:1 name:A : a\n
event:3c counters:0 um:zero minimum:1 name:A : a\n
event:0x3g counters:0 um:zero minimum:1 name:A : a\n
event:0x100000000 counters:0 um:zero minimum:1 name:A : a\n
event:0x1 counters:2 um:zero minimum:1 name:A : a\n
event:0x1 counters:0,0 um:zero minimum:1 name:A : a\n
event:0x1 counters:0, um:zero minimum:1 name:A : a\n
event:0x1 counters:-1 um:zero minimum:1 name:A : a\n
event:0x1 ext:timer um:zero minimum:1 name:A : a\n
event:0x1 counters:0 ext:ibs_op um:zero minimum:1 name:A : a\n
event:0x1 counters:0 um:nought minimum:1 name:A : a\n
event:0x1 counters:0 um:zero minimum:0x1 name:A : a\n
event:0x1 counters:0 um:zero minimum:1 name:A.B : a\n
event:0x1 counters:0 um:zero minimum:1 name:A/B : a\n
event:0x1 counters:0 um:zero minimum:1 filter:32 name:A : a\n
@Eevent:0x3d counters:0 um:zero minimum:1 name:CYCLES : b\n
@E# \0001\n
include:i386/none\n@E
include:i386/core\n@E
include:i386/loop\n@E
include:i386/loop name:A\n@E
event:0x1 include:i386/loop\n@E
include:i386/broken\n@E
EOF

requirement malformed_unit_masks_are_refused
while read -r masks; do
	refused @E "$masks"
done <<'EOF'
\n@Zname:one type:mandatory default:0x1\n\t0x1 One\n
@Z@Z
name:zero default:0x0\n\t0x0 No\n
type:mandatory default:0x0\n\t0x0 No\n
name:zero type:mandatory\n\t0x0 No\n
name:zero type:optional default:0x0\n\t0x0 No\n
name:zero type:mandatory default:0 size:1\n\t0x0 No\n
name:zero type:mandatory default:0x0 size:1\n\t0x0 No\n
name:zero name:one type:mandatory default:0x0\n\t0x0 No\n
name:a,b type:mandatory default:0x0\n\t0x0 No\n
\t0x0 No\n@Z
name:zero type:mandatory default:0x0\n
name:zero type:mandatory default:0x0\n\t0x0 No\n\t0x1 One\n
name:zero type:mandatory default:0x1\n\t0x0 No\n
\n\nname:zero type:exclusive default:0x3\n\t0x1 One\n\t0x2 Two\n
name:zero type:bitmask default:0x7\n\t0x1 One\n\t0x2 Two\n
name:zero type:exclusive default:all\n\t0x1 extra: one One\n
name:zero type:exclusive default:one\n\t0x1 one One\n
name:zero type:exclusive default:one\n\t0x1 extra: one One\n\t0x2 extra: one B\n
name:zero type:exclusive default:0x1\n\t0x1 extra: a One\n\t0x1 extra:inv b Two\n
name:zero type:mandatory default:0x0\n\t1 One\n
name:zero type:mandatory default:0x0\n\t0x0\n
name:zero type:mandatory default:0x0\n\t0x0 extra:\n
name:zero type:mandatory default:0x0\n\t0x0 extra: 0x1 Text\n
name:zero type:mandatory default:0x0\n\t0x0 extra: a+b Text\n
name:zero type:mandatory default:0x0\n\t0x0 extra:edge short\n
name:zero type:mandatory default:0x0\n\t0x0 extra:ledge short Text\n
name:zero type:mandatory default:0x0\n\t0x0 extra:cmask=100 short Text\n
name:zero type:mandatory default:0x0\n\t0x0 extra:cmask= short Text\n
include:i386/loop\n@Z
EOF

requirement merged_unit_masks_must_fit_together
a='counters:0 minimum:1 name:A : a\n'
refused "event:0x1 um:zero,two $a" '@Zname:two type:bitmask default:0x1\n\t0x1 One\n'
one='name:one type:exclusive default:0x1\n\t0x1 One\n'
refused "event:0x1 um:one,two $a" "${one}name:two type:bitmask default:0x1\n\t0x1 One\n"
refused "event:0x1 um:one,two $a" "${one}name:two type:exclusive default:0x2\n\t0x2 Two\n"
refused "event:0x1 um:one,three $a" "$one"

requirement both_files_are_needed
refused @E @Z
for file in events unit_masks; do
	mv i386/core/$file .
	try ophelp -c i386/core
	mv $file i386/core/
done

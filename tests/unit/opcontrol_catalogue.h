/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The catalogue of events that tests of opcontrol use, so that they do not depend on what the
 * real ones say.  The CPU type has four counters, whatever machine this is.
 */
#ifndef TESTS_OPCONTROL_CATALOGUE_H
#define TESTS_OPCONTROL_CATALOGUE_H

#define CATALOGUE_CPU "x86-64/family10"

/* Below the directory that OPROFILE_EVENTS_DIR names. */
#define CATALOGUE_EVENTS_FILE CATALOGUE_CPU "/events"
#define CATALOGUE_MASKS_FILE  CATALOGUE_CPU "/unit_masks"

#define CATALOGUE_EVENTS                                                                           \
	"event:0x76 counters:0,1,2,3 um:zero minimum:3000 name:CPU_CLK_UNHALTED : Cycles\n"        \
	"event:0xc0 counters:0,1,2,3 um:zero minimum:3000 name:RETIRED : Instructions\n"           \
	"event:0x1d0 counters:0,1,2,3 um:kinds minimum:500 name:REQUESTS : Requests\n"             \
	"event:0x40 counters:0 um:zero minimum:500 name:ONLY0 : On counter 0 only\n"               \
	"event:0x41 counters:0,1 um:zero minimum:500 name:LOW : On the lower counters\n"           \
	"event:0x50 counters:0,1,2,3 um:modes minimum:100 name:STALLS : Stalls\n"                  \
	"event:0xf0 ext:ibs_op um:zero minimum:50000 name:IBS_OP : Operations\n"

#define CATALOGUE_MASKS                                                                            \
	"name:zero type:mandatory default:0x0\n"                                                   \
	"\t0x0 No unit mask\n"                                                                     \
	"name:kinds type:bitmask default:0x3\n"                                                    \
	"\t0x1 extra: reads Reads of memory\n"                                                     \
	"\t0x2 extra: writes Writes to memory\n"                                                   \
	"name:modes type:exclusive default:0x1\n"                                                  \
	"\t0x1 extra: cycles Cycles of stalls\n"                                                   \
	"\t0x4 extra:edge,cmask=1 starts Beginnings of stalls\n"                                   \
	"\t0x2 extra:inv,cmask=a idle Cycles without\n"

#endif

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Proves that each checker of lint.sh sees something: in a small tree of seeded faults every one
# of them must find its own, and the table of exemptions must take it off, and be refused when it
# is stale.
#
#	selftest.sh [CHECKER...]

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LINT_TREE=$scratch/tree BUILD=$scratch/build
tree=$LINT_TREE
mkdir -p "$tree/module" "$tree/tools/lint" "$BUILD"
git -C "$scratch" init -q tree

put() { cat >"$tree/$1"; }
spdx='SPDX-License-Identifier: GPL-2.0'

put Kbuild <<END
# $spdx-only
obj-m := seeded.o
seeded-y := module/seeded.o
END
# checkpatch: no blank between if and its parenthesis; sparse: a user pointer is followed;
# coccinelle: semicolon.cocci.
put module/seeded.c <<END
// $spdx-only
#include <linux/module.h>
#include <linux/uaccess.h>

static int seeded(int __user *from)
{
	if(from)
		return *from;
	while (!from) {
		cpu_relax();
	};
	return 0;
}

static int __init seeded_init(void)
{
	return seeded(NULL);
}

/* symbols: it runs in NMI, and is not NOKPROBE_SYMBOL; nor are the other entries there. */
void op_backtrace(void);

void op_backtrace(void)
{
	cpu_relax();
}

module_init(seeded_init);
MODULE_LICENSE("GPL");
END
put no_licence.sh <<'END'
#!/bin/bash
echo none
END
put long.py <<END
# $spdx-or-later
# $(printf 'x%.0s' {1..100})
END
put broken.py <<END
# $spdx-or-later
def broken(:
END
put unquoted.sh <<END
#!/bin/bash
# $spdx-or-later
rm \$1
END
# clang-tidy: what is freed is used; cppcheck: an array is too small.
put seeded.c <<END
// $spdx-or-later
#include <stdlib.h>

int seeded(void);

int seeded(void)
{
	int *number = malloc(sizeof(*number));
	int room[2] = {0};

	if (!number)
		return 1;
	room[2] = 1;
	free(number);
	return *number + room[0];
}
END
put uncompiled.c <<END
// $spdx-or-later
int uncompiled;
END
# layers: two headers that include each other, and an include that points up; of the module, too.
mkdir -p "$tree/doc" "$tree/libop/base" "$tree/module/uapi" "$tree/pp/report"
put doc/internals.md <<'END'
```layers
/	module  >  pp  >  libop/base
pp	report
module	seeded  >  high
	  >  low  circle  around
```
END
put module/low.h <<END
/* $spdx-only */
#include "high.h"
END
put module/high.h <<END
/* $spdx-only */
#include "uapi/undrawn.h"
END
put module/uapi/undrawn.h <<END
/* $spdx-only */
END
put module/circle.h <<END
/* $spdx-only */
#include "around.h"
END
put module/around.h <<END
/* $spdx-only */
#include "circle.h"
END
put libop/base/upward.h <<END
/* $spdx-or-later */
#include "pp/report/report.h" /* see gone.h, and listing.h */
END
put pp/report/report.h <<END
/* $spdx-or-later */
#include "listing.h"
END
put pp/report/listing.h <<END
/* $spdx-or-later */
#include "libop/base/upward.h"
#include "pp/report/report.h"
int list(const char *name); /* lonely() in a comment */
int lonely(void);
END
put pp/report/listing.c <<END
// $spdx-or-later
int list(const char *name) { return lonely(); }
int lonely(void) { return puts("/*") + puts("*/"); }
END
put tight.h <<END
/* $spdx-or-later */
/*
 *a comment that was folded
 */
END
put pp/report/user.c <<END
// $spdx-or-later
int number = list("lonely");
END
put pp/report/open.c <<END
// $spdx-or-later
int fd = open("/etc/x", O_RDONLY); /* open(comment, O_RDONLY) */
int out = open(path, O_WRONLY | O_CREAT,
	       0600);
char *text = op_file_read(path, 1, NULL, NULL);
Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
char *real = realpath("x", NULL);
int made = rename("x", "y");
END
cp "$here/../../.clang-tidy" "$tree/"
cat >"$BUILD/compile_commands.json" <<END
[{"directory": "$tree", "command": "cc -c seeded.c", "file": "seeded.c"}]
END

# checker, and what it must say
seeds="spdx	no_licence.sh:2: no SPDX
lines	long.py:2: 102 columns
lines	tight.h:3: no blank
names	libop/base/upward.h:2: no file gone.h
python	broken.py:2: .*syntax
layers	libop/base/upward.h:2: .*\[layer\]
layers	cycle of files: .*pp/report/report.*\[cycle\]
layers	cycle of folders: libop/base, pp/report
layers	module/low.h:2: module/low may not include module/high.h \[layer\]
layers	module/uapi/undrawn.h:1: module/uapi is not in the drawing
layers	cycle of files: module/around, module/circle \[cycle\]
exported	pp/report/listing.h:5: lonely
doors	pp/report/open.c:2: open
doors	pp/report/open.c:3: open.*writes
doors	pp/report/open.c:5: op_file_read
doors	pp/report/open.c:6: elf_begin
doors	pp/report/open.c:7: realpath.*resolver
doors	pp/report/open.c:8: rename.*output
shellcheck	unquoted.sh:3:.*SC2086
checkpatch	module/seeded.c:7: ERROR:SPACING
sparse	module/seeded.c:8:.*dereference of noderef
symbols	module/Kbuild.include:1: on_overflow: is no function
symbols	module/seeded.c:[0-9]*: op_backtrace: runs in NMI
coccinelle	module/seeded.c:11:.*semicolon
cppcheck	seeded.c:13: .*arrayIndexOutOfBounds
clang-tidy	seeded.c:15:.*clang-analyzer-unix.Malloc
clang-tidy	uncompiled.c:1:.*uncompiled"

failures=0
fail() { printf 'NOT OK  selftest: %s\n' "$*"; failures=$((failures + 1)); }

# lint CHECKER STATUS - run it, with what it says in $scratch/log
lint()
{
	local status=0

	"$here/../lint.sh" "$1" >"$scratch/log" 2>&1 || status=$?
	[[ $status -eq $2 ]] || fail "$1 ended with $status, not $2: $(cat "$scratch/log")"
}

wanted=$*
tested=0
while IFS=$'\t' read -r checker says; do
	[[ -z $wanted || " $wanted " == *" $checker "* ]] || continue
	tested=$((tested + 1))
	: >"$tree/tools/lint/exempt"
	lint "$checker" 1
	grep -qE "$says" "$scratch/log" || fail "$checker did not find: $says"
done <<<"$seeds"

rm "$tree/tight.h"

# The table: takes off, is refused without a reason, and is stale when nothing is found.
put tools/lint/exempt <<'END'
# It is seeded.
lines long.py \[columns\]
END
lint lines 0
put tools/lint/exempt <<'END'
lines long.py \[columns\]
END
lint lines 2
rm "$tree/long.py"
put tools/lint/exempt <<'END'
# It is gone.
lines long.py \[columns\]
END
lint lines 1
grep -q 'exempts nothing' "$scratch/log" || fail "a stale exemption was not found"
"$here/../lint.sh" -t "$scratch/tally" exempt spdx >/dev/null || true
grep -q "^fail	host	lint	exempt	1 findings, first tools/lint/exempt:2: " "$scratch/tally" ||
	fail "the tally has no failed checker"
lint exempt 1
grep -q 'exempt:2: no file long.py' "$scratch/log" || fail "an exemption of no file was not found"

[[ $failures -eq 0 ]] || exit 1
echo "ok      selftest    $tested seeded faults found"

# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# KUnit for kernels that were built without it, as Debian's are: lib/kunit of that kernel's own
# source, as a module.  It is the real framework, patched where it wants a kernel with
# CONFIG_KUNIT:
#
#   - current->kunit_test, which task_struct lacks, becomes a variable: tests run one at a time
#   - the module notifier, which looks for suites in fields that struct module lacks, is left
#     out: suites_run.c runs them
#   - there is no debugfs, and no user_alloc.c, which needs functions that modules cannot call
#
# What the patch does not reach does not compile.  Nothing of it is in this repository: it is
# copied into the build folder when the tests are built.  Sourced after tests/vm/common.sh.

# framework_replace PATTERN TEXT FILE... - stop if there is nothing to replace
framework_replace()
{
	local pattern=$1 text=$2
	shift 2

	grep -q -- "$pattern" "$@" ||
		die "KUnit has no more \"$pattern\" in ${1%/*}: its patch needs work"
	sed -i "s/$pattern/$text/" "$@"
}

# framework_copy SOURCE FOLDER - the patched framework of an unpacked linux-source, with what
# builds kunit.ko of it
framework_copy()
{
	local source=$1 folder=$2

	rm -rf "$folder"
	mkdir -p "$folder/include"
	cp "$source"/lib/kunit/*.[ch] "$folder/"
	cp -r "$source/include/kunit" "$folder/include/"
	rm -f "$folder"/*[-_]test.c "$folder"/{debugfs,user_alloc}.c
	framework_replace 'current->kunit_test' kunit_stock_current_test \
		"$folder"/*.c "$folder"/include/kunit/*.h
	framework_replace '^#ifdef CONFIG_MODULES' '#if 0' "$folder/test.c"
	cp "$(dirname "${BASH_SOURCE[0]}")"/{Kbuild,stock.[ch]} "$folder/"
}

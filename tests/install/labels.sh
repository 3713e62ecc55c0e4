#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: every lock-free access that is labelled in the module stands in doc/kernel.md, and every
# label there is in the code
#
#	labels.sh SOURCE

set -euo pipefail

cd "$1"
label='[a-z_]+:[A-Z]'
# At an access: the comment begins with its label.
code=$(grep -rhoE "/\* $label( |$)" module --include='*.[ch]' | grep -oE "$label" | sort -u)
# The first two columns of the table.
doc=$(sed -n '/^## Lock-free/,/^## /p' doc/kernel.md | grep -oE "\`$label\`" | tr -d '`' | sort -u)
[[ -n $code ]] || { echo "NOT OK: no labels in the code"; exit 1; }
diff <(echo "$code") <(echo "$doc") || {
	echo "NOT OK: < only in the code, > only in doc/kernel.md"
	exit 1
}
# In the code, who is named as a partner is there.
grep -rhoE "pairs with $label" module --include='*.[ch]' | grep -oE "$label" | sort -u |
	comm -23 - <(echo "$code") | grep . && { echo "NOT OK: partners that are nowhere"; exit 1; }
true

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks that XML has only what OProfile's schema 3.0 has: for a validator, all else is a fault.

	original_xml.py FILE...

This is written from the facts of the format and shares nothing with doc/opreport.xsd, so that the
writer and that schema cannot move away from OProfile together.
"""
import re
import sys
import xml.etree.ElementTree as tree

# element: its children, in a regular expression of names, and its attributes; '!': it must be there
SAMPLES = "(count )+(symbol )*"
ELEMENTS = {
    "profile": ("options setup (classes )?((binary )*|(process )*)symboltable (detailtable )?"
                "(bytestable )?",
                "schemaversion! cputype! processor separatedcpus mhz! title!"),
    "options": ("", "session! debuginfo details imagepath merge excludedependent excludesymbols "
                    "includesymbols"),
    "setup": ("((eventsetup )+|timersetup )", ""),
    "eventsetup": ("", "id! eventname! unitmask setupcount!"),
    "timersetup": ("", "rtcinterrupts!"),
    "classes": ("(class )+", ""),
    "class": ("", "name! cpu event mask"),
    "binary": (SAMPLES + "(module )*", "name!"),
    "module": (SAMPLES, "name!"),
    "process": ("count (thread )+", "pid! name!"),
    "thread": ("count (module )*", "tid!"),
    "symbol": ("(callers )?(callees )?(count )*", "idref! self detaillo detailhi"),
    "callers": ("(symbol )+", ""),
    "callees": ("(symbol )+", ""),
    "count": ("", "class"),
    "symboltable": ("(symboldata )*", ""),
    "symboldata": ("", "id! name! file line startingaddr"),
    "detailtable": ("(symboldetails )*", ""),
    "symboldetails": ("(detaildata )*", "id!"),
    "detaildata": ("(count )*", "id! vmaoffset! file line"),
    "bytestable": ("(bytes )*", ""),
    "bytes": ("", "id!"),
}


def faults(element, path):
    if element.tag not in ELEMENTS:
        yield f"{path}: not of OProfile"
        return
    children, attributes = ELEMENTS[element.tag]
    known = attributes.replace("!", "").split()
    for name in set(element.attrib) - set(known):
        yield f"{path}: @{name}: not of OProfile"
    for name in re.findall(r"(\w+)!", attributes):
        if name not in element.attrib:
            yield f"{path}: no @{name}"
    names = "".join(child.tag + " " for child in element)
    if not re.fullmatch(children, names):
        yield f"{path}: has {names[:100]}"
    if element.tag == "count" and not re.fullmatch(r"\s*\d+\s*", element.text or ""):
        yield f"{path}: '{element.text}' is no number"
    for child in element:
        yield from faults(child, f"{path}/{child.tag}")


def class_faults(root):
    names = [named.get("name") for named in root.iter("class")]
    for name in names:
        if not re.fullmatch(r"[A-Za-z_][\w.-]*", name, re.ASCII):
            yield f"class {name}: a name may not have this"
    if len(set(names)) != len(names):
        yield f"classes {names} have one name"
    for count in root.iter("count"):
        if "class" in count.attrib and count.get("class") not in names:
            yield f"class {count.get('class')} is not there"


found = 0
for file in sys.argv[1:]:
    root = tree.parse(file).getroot()
    for fault in sorted({*faults(root, root.tag), *class_faults(root)}):
        print(f"{file}: {fault}")
        found = 1
sys.exit(found)

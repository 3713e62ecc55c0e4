#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages by the rules of axe-core, an npm package: can they be used without a mouse or eyes?

access_test.py BUILD	exit status 77: there is no browser, or no axe-core

axe-core is that of $AXE_CORE (a file), or one version that npm installs in BUILD/npm.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pages
from driver import Browser

NAME = "axe-core/axe.min.js"
PACKAGE = "axe-core@4.14.1"
INSTALL_SECONDS = 120


def npm(*words):
    """What npm says; None if there is none, or it fails."""
    try:
        done = subprocess.run(["npm", *words], capture_output=True, text=True, check=True,
                              timeout=INSTALL_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def find(build):
    """The script, or None."""
    own = build / "npm" / PACKAGE
    places = [Path(os.environ.get("AXE_CORE", "/none")), own / "node_modules" / NAME]
    found = [place for place in places if place.is_file()]
    if not found:
        npm("install", "--prefix", str(own), "--no-audit", "--no-fund", "--ignore-scripts", PACKAGE)
        found = [place for place in places if place.is_file()]
    return found[0] if found else None


def violations(browser):
    """What the rules find: a line for each element."""
    browser.run("window.found = null; axe.run().then((all) => { window.found = all; },"
                "(error) => { window.found = {error: String(error)}; })")
    found = browser.wait("return window.found && JSON.stringify(window.found)")
    found = json.loads(found)
    if "error" in found:
        return [found["error"]]
    assert found["passes"], "no rule was looked at"
    return [f"{rule['id']}: {rule['help']}: {node['html'][:120]}: {node.get('failureSummary')}"
            for rule in found["violations"] for node in rule["nodes"]]


def look_at(browser, name, page, script):
    """The number of violations, in both themes."""
    failed = 0
    browser.open(page)
    browser.wait("return window.page !== undefined")
    browser.run("document.getElementById('about').open = true")
    browser.run(script)
    for theme in ("light", "dark"):
        found = violations(browser)
        for line in found:
            print(f"not ok {name}, {theme}: {line}")
        if not found:
            print(f"ok {name}, {theme}")
        failed += len(found)
        browser.click("#theme")
    return failed


def catches(browser, script):
    """Does it find what is wrong?  A button without a name is put into the page."""
    browser.run(script)
    browser.run("document.body.append(document.createElement('button'))")
    return any("button-name" in line for line in violations(browser))


def main():
    build = Path(sys.argv[1])
    if not shutil.which("chromedriver") or not shutil.which("chromium"):
        print("skip: no Chromium (Debian packages chromium and chromium-driver)")
        return 77
    axe = find(build)
    if not axe:
        print(f"skip: no axe-core, and npm cannot install it (npm install {PACKAGE})")
        return 77
    script, failed = axe.read_text(), 0
    with tempfile.TemporaryDirectory() as folder, Browser((1400, 1000)) as browser:
        for name, page in pages.make(build, Path(folder)).items():
            failed += look_at(browser, name, page, script)
        if not catches(browser, script):
            print("not ok a button without a name is not found")
            failed += 1
    return 1 if failed else 0


sys.exit(main())

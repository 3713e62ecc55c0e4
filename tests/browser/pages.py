# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages that the tests look at."""
import subprocess

import service

# fib calls itself; 30 of 100 samples are hot's.
STACKS = """\
prog;main 10
prog;main;fib 5
prog;main;fib;fib 7
prog;main;fib;fib;fib 8
prog;main;hot 30
other;main;idle 40
"""

OLD = "prog;main;hot 100\nprog;main;fib 200\n"
NEW = "prog;main;hot 250\nprog;main;fib 150\n"

# Names that would be elements, attributes and scripts.
MARKUP = """<img src=x onerror=document.title='run'>"""
HOSTILE = f"""{MARKUP};main;"'{MARKUP} 30
{MARKUP};main;</script><script>document.title='run'</script> 20
{MARKUP};javascript:document.title='run' 10
"""

# 60 of 100 samples are in the third line.
SOURCE = "void hot(void)\n{\n\thot_line();\n}\n"


def run(*words, text=None):
    subprocess.run(words, input=text, check=True, text=True)


def page_of(programs, folder, name, stacks):
    """A page of folded stacks."""
    page = folder / f"{name}.html"
    run(programs["opexport"], "--from=-", "--from-format=folded", "--to=html", "-o", page,
        text=stacks)
    return page


def session_of(programs, folder, name, text):
    """A session of what another profiler wrote."""
    source, session = folder / f"{name}.in", folder / name
    source.write_text(text)
    run(programs["opimport"], f"--output={session}", source)
    return session


def compiled(folder, place=".", main="hot.c"):
    """A program with hot(), 64 bytes of code of one line, and main(), of a file of this name: its
    path, beside its files in a place below the folder."""
    (folder / place).mkdir(exist_ok=True)
    for name in ("hot.c", main):
        (folder / place / name).write_text(SOURCE)
    assembly = [f'\t.file 1 "{folder / place / "hot.c"}"',
                f'\t.file 2 "{folder / place / main}"', "\t.text", "\t.globl hot, main",
                "\t.type hot, @function", "hot:", "\t.loc 1 3", "\t.rept 64", "\tnop", "\t.endr",
                "\t.size hot, . - hot", "\t.type main, @function", "main:", "\t.loc 2 4",
                "\t.rept 64", "\tnop", "\t.endr", "\t.size main, . - main",
                "\t.section .note.GNU-stack,\"\",@progbits"]
    program = folder / place / "prog"
    run("gcc", "-g", "-nostdlib", "-static", "-Wl,-Ttext=0x401000", "-Wl,-e,main", "-x", "assembler",
        "-o", program, "-", text="\n".join(assembly) + "\n")
    return program


def script(samples):
    """Text of perf script: (microseconds, function), all called by main."""
    lines = []
    for time, name in samples:
        lines += [f"prog 70/71 {1 + time / 1e6:.6f}:     250000 cpu-clock: ",
                  f"\t{0x1010:16x} {name} (/bin/none)", f"\t{0x1000:16x} main (/bin/none)", ""]
    return "\n".join(lines) + "\n"


def counted(programs, session, program, hot=60, main=40):
    """A session of samples in hot() of the program, and in main()."""
    count = "cpu-clock.250000.0.all.all.all"
    session.mkdir()
    run(programs["make_session"], session, text=f"""\
ctr_count 250000
image {program} {count}
0x1010 {hot}, 0x1050 {main}
stacks {program} {count}
stack {hot} {program}+0x1010 {program}+0x1050
stack {main} {program}+0x1050
""")
    return session


def template(i):
    """A name that C++ makes of templates."""
    inner = f"std::pair<std::basic_string<char, std::char_traits<char>, std::allocator<char> >, int{i}>"
    return (f"std::_Rb_tree_node<{inner}>* server::detail::Table{i}<{inner}, std::less<{inner}>, "
            f"std::allocator<{inner}> >::find_or_insert<server::Key{i} const&>({inner} const&)")


def make(build, folder):
    """Makes all of them by the programs of a build.  Return: their paths by name."""
    programs = {name: build / "pp" / name for name in ("opexport", "opimport", "opreport")}
    programs["make_session"] = build / "tests/commands/make_session"
    session = counted(programs, folder / "session", compiled(folder))
    pages = {name: folder / f"{name}.html" for name in ("session", "difference", "time")}
    run(programs["opreport"], f"--session-dir={session}", f"--html={pages['session']}")
    old, new = (session_of(programs, folder, name, text) for name, text in
                (("old", OLD), ("new", NEW)))
    run(programs["opreport"], f"--html={pages['difference']}", "{", old, "}", "{", new, "}")
    (folder / "halves").write_text(script(
        (1000 * i, "hot" if i < 50 else "cold") for i in range(100)))
    run(programs["opexport"], f"--from={folder / 'halves'}", "--to=html", "-o", pages["time"])
    pages["plain"] = page_of(programs, folder, "plain", STACKS)
    pages["tiny"] = page_of(programs, folder, "tiny", "a 1\n")
    pages["templates"] = page_of(programs, folder, "templates", "".join(
        f"server;main;{template(i)};{template(i + 1)} {i % 17 + 1}\n" for i in range(0, 200, 2)))
    pages["alone"] = page_of(programs, folder, "alone", "prog;main;hot 90\nprog;lost 10\n")
    pages["hostile"] = page_of(programs, folder, "hostile", HOSTILE)
    before, after = service.record(folder, build / "tests/commands/make_profile")
    pages["service"], pages["change"] = folder / "service.html", folder / "change.html"
    run(programs["opreport"], f"--html={pages['service']}", before)
    run(programs["opreport"], f"--html={pages['change']}", "{", before, "}", "{", after, "}")
    pages["builds"] = folder / "builds.html"
    builds = [counted(programs, folder / name, compiled(folder, f"{name}_build", file), hot, main)
              for name, file, hot, main in (("first", "moved.c", 600, 100),
                                            ("second", "main.c", 300, 40))]
    run(programs["opreport"], f"--html={pages['builds']}", "{", builds[0], "}", "{", builds[1], "}")
    return pages

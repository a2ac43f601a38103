# SPDX-License-Identifier: GPL-3.0-or-later
"""One way to each thing: what one file does for all, no other does again."""

import re

from house.c_text import code_lines, includes, without_comments
from house.tree import Finding, is_program

# Headers that one file of the library includes, so that what is behind them can be changed in one place.
ONE_INCLUDES = ("cholmod.h", "metis.h", "immintrin.h", "arm_neon.h")
# Functions, and the one file of the library that calls them.
ONE_CALLS = {
    "clock_gettime": "native/base/machine.c",
    "pthread_create": "native/base/parallel.c",
    "vsnprintf": "native/base/status.c",
}
# A message says what went wrong, so it comes with the code of that.
MESSAGE_WITHOUT_CODE = re.compile(r"\bstatus_set\s*\([^;]*?,\s*(?:STATUS|MUSLIN)_OK\s*,")
# `python -m` and `python -c` look into the current folder first; tools/python_support has the safe way.
UNSAFE_PYTHON = re.compile(r"""[Pp](?:ython|YTHON)3?\b[}"']*\s+(?:-\w+\s+)*-[mc]\b""")
UNSAFE_SUBPROCESS = re.compile(r"""sys\.executable,\s*["']-[mc]["']""")


def check(tree):
    """Second ways to what has one already."""
    yield from _check_includes(tree)
    for path in tree.library_files():
        yield from _check_calls(tree, path)
        yield from _check_messages(tree, path)
    yield from _check_python(tree)


def _check_includes(tree):
    first = {}
    for path in tree.library_files():
        for line, name in includes(tree.text(path)):
            if name in ONE_INCLUDES and first.setdefault(name, path) != path:
                yield Finding(path, line, f"{name} is included by {first[name]} alone")


def _check_calls(tree, path):
    for number, line in enumerate(code_lines(tree.text(path)), 1):
        for name, home in ONE_CALLS.items():
            if path != home and re.search(rf"\b{name}\s*\(", line):
                yield Finding(path, number, f"{name} is called in {home} alone")


def _check_messages(tree, path):
    code = without_comments(tree.text(path))
    for match in MESSAGE_WITHOUT_CODE.finditer(code):
        line = code.count("\n", 0, match.start()) + 1
        yield Finding(path, line, "a message with the code OK: which error or warning is it?")


def _check_python(tree):
    ways = [(path, UNSAFE_PYTHON, "#") for path in tree.scripts()]
    ways += [(p, UNSAFE_SUBPROCESS, "#") for p in tree.python_files() if not is_program(p)]
    for path, unsafe, comment in ways:
        for number, line in enumerate(tree.lines(path), 1):
            if unsafe.search(line) and not line.lstrip().startswith(comment):
                text = (
                    "python -m and -c look into the current folder first; see tools/python_support"
                )
                yield Finding(path, number, text)

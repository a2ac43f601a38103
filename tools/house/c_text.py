# SPDX-License-Identifier: GPL-3.0-or-later
"""What a C file includes, defines and names, read from its text: clang-format keeps it regular enough for that.

Every definition and declaration outside of functions starts in the first column, and so does the brace that ends it.
"""

import re
from collections import namedtuple
from functools import lru_cache

COMMENT_OR_STRING = re.compile(
    r"""/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'""", re.DOTALL | re.VERBOSE
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+["<]([^">]+)[">]', re.MULTILINE)
WORD = re.compile(r"[A-Za-z_]\w*")
STATIC = {"static", "INLINE", "GROUP_KERNEL"}  # the latter are macros for the first
CALLED = re.compile(r"(\w+)\s*\(")

# first, last: its lines, from 1
Function = namedtuple("Function", "name first last is_static")


@lru_cache(None)
def without_comments(text, strings=True):
    """The same lines without comments, and without what is in quotes unless that is asked for."""

    def shortened(match):
        if match[0][0] == "/":
            return "\n" * match[0].count("\n")
        return match[0] if strings else '""'

    return COMMENT_OR_STRING.sub(shortened, text)


def includes(text):
    """[(line, what is included), ...]"""
    code = without_comments(text)
    return [(code.count("\n", 0, m.start(1)) + 1, m[1]) for m in INCLUDE.finditer(code)]


@lru_cache(None)
def code_lines(text):
    return without_comments(text, strings=False).split("\n")


@lru_cache(None)
def functions(text):
    """The functions that a file defines."""
    lines, found, start = code_lines(text), [], None
    for at, line in enumerate(lines):
        if start is None and not _is_outside(line):
            continue
        start = at if start is None else start
        head, brace, _ = " ".join(lines[start : at + 1]).partition("{")
        if brace or line.endswith((";", "}")):
            if brace and "(" in head and "=" not in head and not head.startswith("_Static_assert"):
                found.append(_function(lines, head, start, at))
            start = None
    return found


def _is_outside(line):
    """Whether a line begins something outside of functions."""
    return line[:1].isalpha() or line[:1] == "_"


def _function(lines, head, start, at):
    if lines[at].endswith("}"):  # all of it on one line
        last = at
    else:
        last = next((n for n in range(at, len(lines)) if lines[n][:1] == "}"), len(lines) - 1)
    names = [name for name in CALLED.findall(head) if not name.startswith("__")]
    is_static = not STATIC.isdisjoint(WORD.findall(head))
    return Function(names[0] if names else "", start + 1, last + 1, is_static)


@lru_cache(None)
def used_words(text):
    """The names that a file uses; what it only declares or defines is not among them."""
    used = set()
    for line in code_lines(text):
        outside = _is_outside(line)
        for match in WORD.finditer(line):
            before, after = line[: match.start()], line[match.end() :]
            declared = outside and after[:1] == "(" and not {"=", "{"} & set(before)
            if not declared:
                used.add(match[0])
    return used

# SPDX-License-Identifier: GPL-3.0-or-later
"""Every C file begins with a comment that says what it is for."""

from house.tree import Finding


def check(tree):
    """C files and headers whose first line is no comment."""
    for path in tree.c_files():
        if not tree.text(path).startswith("/*"):
            yield Finding(path, 1, "the file has no head comment")

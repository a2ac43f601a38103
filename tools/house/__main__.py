# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks a checkout and prints what is wrong, a line each. Usage: house [ROOT]; exit status 1 with findings."""

import sys
from pathlib import Path

from house import callers, floors, heads, imports, lengths, ways
from house.tree import Tree

CHECKS = (floors, imports, lengths, heads, callers, ways)


def main():
    """Prints the findings of all checks, in the order of the files."""
    root = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    tree = Tree(root)
    found = sorted({finding for check in CHECKS for finding in check.check(tree)})
    for finding in found:
        print(f"{finding.path}:{finding.line}: {finding.text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

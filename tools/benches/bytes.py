# SPDX-License-Identifier: GPL-3.0-or-later
"""A hash of the positions of every scene, solver, scheme and mirror: what a change that only moves code must keep."""

import argparse
import json
import sys

from bytes_cases import catalogue
from common.report import note


def parse():
    parser = argparse.ArgumentParser(prog="tools/bench bytes", description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="also write the hashes to FILE")
    parser.add_argument("--quick", action="store_true", help="every sixth case, few frames each")
    parser.add_argument("--against", metavar="FILE", help="an earlier --json: tell what differs")
    parser.add_argument("--only", metavar="TEXT", default="", help="cases with TEXT in their name")
    return parser.parse_args()


def compare(hashes, path):
    """The names of the cases whose hash is another one in the file; those it lacks are said, too."""
    with open(path, encoding="utf-8") as file:
        before = json.load(file)["hashes"]
    missing = [name for name in hashes if name not in before]
    if missing:
        note(f"{len(missing)} cases are new: {', '.join(missing[:4])}")
    return [name for name in hashes if name in before and before[name] != hashes[name]]


def main():
    options = parse()
    hashes = {}
    for name, case in catalogue.cases(options.quick):
        if options.only in name:
            hashes[name] = case()
            print(f"{hashes[name]}  {name}", flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"quick": options.quick, "hashes": hashes}, file, indent=1)
    if not options.against:
        return 0
    changed = compare(hashes, options.against)
    for name in changed:
        print(f"CHANGED  {name}")
    note(f"{len(hashes)} cases, {len(changed)} changed.")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-3.0-or-later
"""A release: whether all places name one version, the notes from CHANGELOG.md, and the sums of the packages.

    release check VERSION              what stands against it, a line each; exit status 1 with any
    release check-draft VERSION        the same of one that may still be called unreleased
    release notes VERSION FOLDER       writes NOTES.md and SHA256SUMS for the packages in FOLDER
"""

import hashlib
import re
import sys

from pathlib import Path

from packing.files import ROOT
from packing.platforms import PackageError

HEADER = "plugin/include/muslin.h"
BINDING = "plugin/python/muslin/__init__.py"
CHANGELOG = "CHANGELOG.md"
SUMS, NOTES = "SHA256SUMS", "NOTES.md"
# Where the version is written; everything else takes it from the header.
PLACES = {HEADER: r'^#define MUSLIN_VERSION "(.*)"$', BINDING: r'^__version__ = "(.*)"$'}
FORM = re.compile(r"\d+\.\d+\.\d+")


def faults(version, root=ROOT, draft=False):
    """What stands against a release of this version, in words. draft: it may still be called unreleased."""
    if not FORM.fullmatch(version):
        yield f"{version} is no version: three numbers, such as 1.0.2"
    for name, pattern in PLACES.items():
        found = re.findall(pattern, (root / name).read_text(encoding="utf-8"), re.M)
        if found != [version]:
            yield f"{name} says {', '.join(found) or 'nothing'}, not {version}"
    heading = _section((root / CHANGELOG).read_text(encoding="utf-8"), version)[0]
    if not heading:
        yield f"{CHANGELOG} has no section {version}"
    elif "unreleased" in heading and not draft:
        yield f"{CHANGELOG} calls {version} unreleased: write the date there"


def _section(text, version):
    """The heading and the text of one version in the change log; empty if it is not there."""
    found = re.search(rf"^## ({re.escape(version)}\b[^\n]*)\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    return (found.group(1), found.group(2).strip()) if found else ("", "")


def sums(folder):
    """The packages' sums as `sha256sum --check` reads them."""
    names = sorted(path.name for path in folder.iterdir() if path.suffix in (".zip", ".whl"))
    if not names:
        raise PackageError(f"there is no package in {folder}")
    lines = [
        f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names
    ]
    return "".join(lines)


def notes(version, folder, root=ROOT):
    """What is new, what each file is for, and the sums."""
    heading, text = _section((root / CHANGELOG).read_text(encoding="utf-8"), version)
    if not text:
        raise PackageError(f"{CHANGELOG} has nothing to say of {version}")
    rows = [f"| `{line.split()[1]}` | `{line.split()[0]}` |" for line in sums(folder).splitlines()]
    return "\n".join(
        (f"# Muslin {heading}", "", text, "", "## Files")
        + (
            "`.zip`: the extension for Blender 4.2 and newer. `-legacy.zip`: the add-on for Blender 3.4 to 4.1.",
        )
        + ("`.whl`: for Python without Blender, `pip install FILE`.", "")
        + ("| file | SHA-256 |", "|---|---|", *rows, "")
    )


def main(arguments):
    """The command line; tools/release calls it."""
    command, version = arguments[:2]
    try:
        if command in ("check", "check-draft"):
            found = list(faults(version, draft=command == "check-draft"))
            print(*found, sep="\n", end="\n" if found else "")
            return 1 if found else 0
        folder = Path(arguments[2])
        (folder / NOTES).write_text(notes(version, folder), encoding="utf-8")
        (folder / SUMS).write_text(sums(folder), encoding="utf-8")
    except (PackageError, OSError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

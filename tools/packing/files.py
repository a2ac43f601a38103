# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes into packages, as bytes by name: the binding with its library, and the licences."""

import re
from pathlib import Path

from packing.platforms import PackageError

ROOT = Path(__file__).resolve().parents[2]
BINDING = ROOT / "plugin" / "python" / "muslin"
SETTINGS = ROOT / "plugin" / "settings" / "settings.json"
FABRICS = ROOT / "plugin" / "fabrics"
LICENCES = ROOT / "plugin" / "licences"  # those that more than one project refers to
COMMAND_LINE = ("command", "__main__.py")
# What of SuiteSparse is in the library.
SUITESPARSE = ("AMD", "COLAMD", "CHOLMOD")
# What of the compiler is in the library, by platform: threads and C functions of MinGW.
OF_COMPILER = {
    "windows-x64": {"mingw-w64.txt": Path("/usr/share/doc/mingw-w64-x86-64-dev/copyright")}
}


def tree(folder, left_out=()):
    """The files below a folder by their relative path; without caches and the named entries."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and parts[0] not in left_out and "__pycache__" not in parts:
            yield "/".join(parts), path.read_bytes()


def binding_files(library, platform, left_out=()):
    """The package `muslin`: Python, table of settings, fabrics and the native library."""
    files = dict(tree(BINDING, left_out))
    files[SETTINGS.name] = SETTINGS.read_bytes()
    files.update((f"{FABRICS.name}/{name}", data) for name, data in tree(FABRICS))
    files[platform.library] = library.read_bytes()
    return files


def licence_files(sources, platform):
    """Every licence by its name. sources: the folder that has those of the third-party libraries."""
    files = {"LICENSE": (ROOT / "LICENSE").read_bytes()}
    files.update((f"licences/{name}", data) for name, data in tree(LICENCES))
    text = (sources / "suitesparse" / "LICENSE.txt").read_text(encoding="utf-8")
    for part in SUITESPARSE:
        files[f"licences/{part}.txt"] = _section(text, part).encode()
    files["licences/METIS.txt"] = (sources / "metis" / "LICENSE.txt").read_bytes()
    for name, path in OF_COMPILER.get(platform.name, {}).items():
        files[f"licences/{name}"] = path.read_bytes()
    return files


def _section(text, part):
    """What SuiteSparse's file of all licences says of one of its parts."""
    found = re.search(rf"^==> {part}/Doc/License\.txt <==\n(.*?)(?=^==> |\Z)", text, re.M | re.S)
    if found is None:
        raise PackageError(f"SuiteSparse's licences have no part {part}")
    return found.group(1)

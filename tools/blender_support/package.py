# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts the add-on's zips together: one for Blender 4.2 and newer, one for the older ones.

The first is an extension: its files lie at the top, with blender_manifest.toml. The other has a folder `muslin` at
the top and no manifest. Both hold the add-on, the Python binding as its subpackage `muslin` with the native library
inside, and the licences. The same input gives the same bytes: names are sorted, times are fixed.
"""

import argparse
import re
import struct
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ADDON = ROOT / "blender_addon"
BINDING = ROOT / "plugin" / "python" / "muslin"
SETTINGS = ROOT / "plugin" / "settings" / "settings.json"
FABRICS = ROOT / "plugin" / "fabrics"
MANIFEST = "blender_manifest.toml"
NAME = "muslin"
# Blender's names of platforms by the number in an ELF header (e_machine).
PLATFORMS = {62: "linux-x64", 183: "linux-arm64"}
# The command line is of no use inside Blender.
NOT_IN_BINDING = ("command", "__main__.py")
NOT_IN_ADDON = ("tests",)
TIME = (1980, 1, 1, 0, 0, 0)  # the oldest that a zip can hold


class PackageError(Exception):
    """Something that belongs into the package is missing or not as expected."""


def platform_of(library):
    """Blender's name of the platform that the library is built for."""
    header = library.read_bytes()[:20]
    if len(header) < 20 or header[:4] != b"\x7fELF":
        raise PackageError(f"{library} is no ELF library")
    machine = struct.unpack_from("<H", header, 18)[0]
    if machine not in PLATFORMS:
        raise PackageError(f"{library} is for ELF machine {machine}, which no Blender runs on")
    return PLATFORMS[machine]


def replace_once(text, pattern, replacement, where):
    """The text with the one place that matches replaced; none, or more than one, is an error."""
    changed, count = re.subn(pattern, replacement, text, flags=re.MULTILINE)
    if count != 1:
        raise PackageError(f"{where}: expected one place that matches {pattern}, found {count}")
    return changed


def filled_manifest(text, version, platform):
    """The manifest with the version and the platform of this package, whatever stood there."""
    text = replace_once(text, r"^version *=.*$", f'version = "{version}"', MANIFEST)
    return replace_once(text, r"^platforms *=.*$", f'platforms = ["{platform}"]', MANIFEST)


def filled_init(text, version):
    """__init__.py with the version in bl_info, which older Blenders read."""
    numbers = ", ".join(version.split("."))
    return replace_once(
        text, r'"version": *\([^)]*\)', f'"version": ({numbers})', "blender_addon/__init__.py"
    )


def tree(folder, left_out):
    """The files below a folder by their relative path; without caches and the named entries."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and parts[0] not in left_out and "__pycache__" not in parts:
            yield "/".join(parts), path.read_bytes()


def contents(version, platform, library, licences):
    """Everything in the extension: bytes by name."""
    files = dict(tree(ADDON, NOT_IN_ADDON))
    for needed in ("__init__.py", MANIFEST):
        if needed not in files:
            raise PackageError(f"blender_addon has no {needed}")
    files[MANIFEST] = filled_manifest(files[MANIFEST].decode(), version, platform).encode()
    files["__init__.py"] = filled_init(files["__init__.py"].decode(), version).encode()
    for name, data in tree(BINDING, NOT_IN_BINDING):
        files[f"{NAME}/{name}"] = data
    files[f"{NAME}/{SETTINGS.name}"] = SETTINGS.read_bytes()
    for name, data in tree(FABRICS, ()):
        files[f"{NAME}/{FABRICS.name}/{name}"] = data
    files[f"{NAME}/libmuslin.so"] = library.read_bytes()
    files["LICENSE"] = (ROOT / "LICENSE").read_bytes()
    for name, path in licences.items():
        files[f"licences/{name}.txt"] = path.read_bytes()
    return files


def write_zip(path, files):
    """A zip whose bytes depend on the files alone; put in place at once."""
    part = path.with_suffix(".part")
    with zipfile.ZipFile(part, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, TIME)
            entry.create_system = 3  # Unix, so that the next line is understood
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name], compresslevel=9)
    part.replace(path)
    return path


def package(version, library, licences, output):
    """Writes both zips and returns their paths, the extension first."""
    platform = platform_of(library)
    files = contents(version, platform, library, licences)
    legacy = {f"{NAME}/{name}": data for name, data in files.items() if name != MANIFEST}
    output.mkdir(parents=True, exist_ok=True)
    stem = f"{NAME}-{version}-{platform}"
    return write_zip(output / f"{stem}.zip", files), write_zip(
        output / f"{stem}-legacy.zip", legacy
    )


def main(arguments):
    """The command line; tools/package calls it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--version", required=True)
    parser.add_argument("--library", type=Path, required=True, help="stripped")
    parser.add_argument("--licences", type=Path, required=True, help="folder of the sources")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args(arguments)
    licences = {name: options.licences / name / "LICENSE.txt" for name in ("metis", "suitesparse")}
    try:
        for path in package(options.version, options.library, licences, options.output):
            print(path)
    except (PackageError, OSError) as error:
        print(f"package: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

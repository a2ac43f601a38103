# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blender add-on in two forms.

The extension, for Blender 4.2 and newer, has its files at the top, with blender_manifest.toml, and the binding as a wheel
that Blender installs where all extensions find it. The zip for older Blenders has a folder `muslin` at the top and no
manifest; the binding is its subpackage `muslin`, with the native library inside.

In the sources the add-on imports the binding as its subpackage (`from ..muslin import Cloth`). In the extension the same
lines say `from muslin import Cloth`: that is all that differs.
"""

import re

from packing.files import COMMAND_LINE, ROOT, binding_files, tree
from packing.platforms import PackageError

ADDON = ROOT / "blender_addon"
MANIFEST = "blender_manifest.toml"
NOT_IN_ADDON = ("tests",)
INSIDE = re.compile(r"^( *)from \.+muslin(?=[. ])", re.M)
INSIDE_OTHERWISE = re.compile(r"^ *from \.+ import .*\bmuslin\b", re.M)


def replace_once(text, pattern, replacement, where):
    """The text with the one place that matches replaced; none, or more than one, is an error."""
    changed, count = re.subn(pattern, replacement, text, flags=re.MULTILINE)
    if count != 1:
        raise PackageError(f"{where}: expected one place that matches {pattern}, found {count}")
    return changed


def filled_manifest(text, version, platforms, wheels):
    """The manifest with what is of this package, whatever stood there; wheels: paths in the package."""
    for key, value in (
        ("version", f'"{version}"'),
        ("platforms", _list(platforms)),
        ("wheels", _list(f"./{path}" for path in wheels)),
    ):
        text = replace_once(text, rf"^{key} *=.*$", f"{key} = {value}", MANIFEST)
    return text


def _list(values):
    return "[" + ", ".join(f'"{value}"' for value in values) + "]"


def filled_init(text, version):
    """__init__.py with the version in bl_info, which older Blenders read."""
    numbers = ", ".join(version.split("."))
    return replace_once(
        text, r'"version": *\([^)]*\)', f'"version": ({numbers})', "blender_addon/__init__.py"
    )


def importing_wheel(text, where):
    """A module of the add-on that takes the binding from the wheel."""
    if INSIDE_OTHERWISE.search(text):
        raise PackageError(f"{where}: import from .muslin, not muslin from the add-on")
    return INSIDE.sub(r"\1from muslin", text)


def addon_files(version):
    """What both forms have in common, with the binding's imports as in the sources."""
    files = dict(tree(ADDON, NOT_IN_ADDON))
    for needed in ("__init__.py", MANIFEST):
        if needed not in files:
            raise PackageError(f"blender_addon has no {needed}")
    files["__init__.py"] = filled_init(files["__init__.py"].decode(), version).encode()
    return files


def extension_files(version, wheels, licences):
    """An extension for every platform that there is a wheel of. wheels: {platform: (name, bytes)}."""
    files = addon_files(version)
    for name in files:
        if name.endswith(".py"):
            files[name] = importing_wheel(files[name].decode(), name).encode()
    places = {f"wheels/{name}": data for name, data in wheels.values()}
    names = [platform.name for platform in wheels]
    manifest = filled_manifest(files[MANIFEST].decode(), version, names, places)
    return {**files, **places, **licences, MANIFEST: manifest.encode()}


def legacy_files(version, library, platform, licences):
    """The add-on for older Blenders, in its folder."""
    files = addon_files(version)
    del files[MANIFEST]
    binding = binding_files(library, platform, left_out=COMMAND_LINE)
    files.update((f"muslin/{name}", data) for name, data in binding.items())
    files.update(licences)
    return {f"muslin/{name}": data for name, data in files.items()}

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of packages share: the packages of this machine in MUSLIN_PACKAGES, and libraries that are none."""

import os
import platform
import struct
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from packing.platforms import PLATFORMS  # noqa: E402

PACKAGES = Path(os.environ["MUSLIN_PACKAGES"])
VERSION = os.environ["MUSLIN_VERSION"]
MACHINE = platform.machine()
PLATFORM = PLATFORMS[{"x86_64": "linux-x64", "aarch64": "linux-arm64"}[MACHINE]]
EXTENSION = PACKAGES / f"muslin-{VERSION}-{PLATFORM.name}.zip"
LEGACY = PACKAGES / f"muslin-{VERSION}-{PLATFORM.name}-legacy.zip"
WHEEL = PACKAGES / f"muslin-{VERSION}-py3-none-{PLATFORM.tag}.whl"
# Every licence that a package must hold, with words of it.
LICENCES = {
    "LICENSE": "GNU GENERAL PUBLIC LICENSE",
    "licences/CHOLMOD.txt": "CHOLMOD/Modify Module",
    "licences/AMD.txt": "AMD License: BSD 3-clause",
    "licences/COLAMD.txt": "COLAMD License: BSD 3-clause",
    "licences/METIS.txt": "Regents of the University of Minnesota",
    "licences/Apache-2.0.txt": "Apache License",
    "licences/LGPL-2.1.txt": "GNU LESSER GENERAL PUBLIC LICENSE",
}


def read(path):
    """The files of a zip, bytes by name."""
    with zipfile.ZipFile(path) as archive:
        return {entry: archive.read(entry) for entry in archive.namelist()}


def head_of_library(name):
    """As many bytes as show which platform a library is for; nobody can load them."""
    if name == "windows-x64":
        return b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\0\0" + struct.pack("<H", 0x8664)
    if name == "macos-arm64":
        return b"\xcf\xfa\xed\xfe" + struct.pack("<I", 0x0100000C)
    machine = {"linux-x64": 62, "linux-arm64": 183}[name]
    return b"\x7fELF" + bytes(14) + struct.pack("<H", machine)


def without_own_paths():
    """An environment that leads neither to the checkout's binding nor to its library."""
    own = ("MUSLIN_LIBRARY", "PYTHONPATH")
    return {name: value for name, value in os.environ.items() if name not in own}

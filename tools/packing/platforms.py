# SPDX-License-Identifier: GPL-3.0-or-later
"""The platforms that packages are made for, and which of them a library is built for."""

import struct
from collections import namedtuple

# tag: what a wheel's name ends with. library: the file's name there.
Platform = namedtuple("Platform", "name tag library")

# By Blender's names. The Linux libraries need no glibc newer than in their tag: tools/check_exports.
PLATFORMS = {
    platform.name: platform
    for platform in (
        Platform("linux-x64", "manylinux_2_28_x86_64", "libmuslin.so"),
        Platform("linux-arm64", "manylinux_2_28_aarch64", "libmuslin.so"),
        Platform("windows-x64", "win_amd64", "muslin.dll"),
        Platform("macos-arm64", "macosx_11_0_arm64", "libmuslin.dylib"),
    )
}
# Names by the machine's number in a library's head: e_machine of ELF, Machine of PE, cputype of Mach-O.
ELF_MACHINES = {62: "linux-x64", 183: "linux-arm64"}
PE_MACHINES = {0x8664: "windows-x64"}
MACH_O_MACHINES = {0x0100000C: "macos-arm64"}
MACH_O_64 = b"\xcf\xfa\xed\xfe"


class PackageError(Exception):
    """Something that belongs into a package is missing or not as expected."""


def platform_of(library):
    """The platform that a library file is built for, by its first bytes."""
    head = library.read_bytes()[:4096]
    kind, number, names = _machine(head)
    if kind is None:
        raise PackageError(f"{library} is no library of Linux, Windows or macOS")
    if number not in names:
        raise PackageError(f"{library} is for {kind} machine {number}, which no Blender runs on")
    return PLATFORMS[names[number]]


def _machine(head):
    """(kind of file, machine's number, names by number); None three times: no library."""
    if head[:4] == b"\x7fELF" and len(head) >= 20:
        return "ELF", struct.unpack_from("<H", head, 18)[0], ELF_MACHINES
    if head[:4] == MACH_O_64 and len(head) >= 8:
        return "Mach-O", struct.unpack_from("<I", head, 4)[0], MACH_O_MACHINES
    if head[:2] == b"MZ" and len(head) >= 64:
        start = struct.unpack_from("<I", head, 60)[0]
        if head[start : start + 4] == b"PE\0\0" and len(head) >= start + 6:
            return "PE", struct.unpack_from("<H", head, start + 4)[0], PE_MACHINES
    return None, None, None

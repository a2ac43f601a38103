# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds and loads the native library on first use, and makes sure that it is the right one: the file that
MUSLIN_LIBRARY names, the one beside this package, or the one in the build folder of the sources."""

import _ctypes  # what ctypes itself loads with; it alone can let go
import ctypes
import os
import platform
import struct
import sys
import threading
from pathlib import Path

from . import _abi, recorder_by_environment
from .errors import LibraryError

ENVIRONMENT_VARIABLE = "MUSLIN_LIBRARY"

# Machine names by the number in an ELF header (e_machine), and in the header of a file for Windows.
ELF_MACHINES = {3: "i386", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv64"}
WINDOWS_MACHINES = {0x014C: "i386", 0x8664: "x86_64", 0xAA64: "aarch64"}

_lock = threading.RLock()  # a cloth may be given back by the garbage collector at any moment
_loaded = None
_borrowed = 0  # open cloths, whose threads are in the library's code, and calls under way
_interposed = None  # what callers get instead


def file_name():
    """The library's file name on this platform."""
    if sys.platform == "win32":
        return "muslin.dll"
    return "libmuslin.dylib" if sys.platform == "darwin" else "libmuslin.so"


def candidates():
    """Where the library may be when MUSLIN_LIBRARY does not say, best first."""
    package = Path(__file__).resolve().parent
    places = [package / file_name()]
    if package.parts[-3:] == ("plugin", "python", "muslin"):  # the sources, not an installed copy
        places.append(package.parents[2] / "build" / file_name())
    return places


def find():
    """The path of the library file; LibraryError that lists the places when there is none."""
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    if named:
        if not os.path.isfile(named):
            raise LibraryError(f"{ENVIRONMENT_VARIABLE} names {named}, which is not a file")
        return Path(named).resolve()
    places = candidates()
    for place in places:
        if place.is_file():
            return place
    looked = ", ".join(map(str, places))
    build = f"build it, or set {ENVIRONMENT_VARIABLE} to its path"
    remedy = build if len(places) > 1 else "install Muslin again"
    raise LibraryError(f"the native library was not found. Tried {looked}; {remedy}")


def machine_of(path):
    """The machine that a library file is built for, in words; for messages only."""
    try:
        with open(path, "rb") as file:
            header = file.read(1024)
    except OSError as error:
        return f"a file that cannot be read ({error.strerror})"
    if header[:2] == b"MZ" and len(header) > 0x40:
        start = struct.unpack_from("<I", header, 0x3C)[0]
        if header[start : start + 4] == b"PE\0\0" and len(header) >= start + 6:
            number = struct.unpack_from("<H", header, start + 4)[0]
            return f"Windows on {WINDOWS_MACHINES.get(number, f'machine {number:#x}')}"
    if len(header) < 20 or header[:4] != b"\x7fELF":
        return "no ELF library"
    order = ">" if header[5] == 2 else "<"
    number = struct.unpack_from(order + "H", header, 18)[0]
    return ELF_MACHINES.get(number, f"ELF machine {number}")


def open_library(path):
    """Load one library file, check its interface version and declare its functions."""
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise LibraryError(
            f"cannot load {path}: {error}. The file is for {machine_of(path)}, "
            f"this machine is {platform.machine()}, Python {platform.python_version()}"
        ) from None
    check_interface(library, path)
    for name, (result, arguments) in _abi.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise LibraryError(f"{path} has no function {name}; rebuild the library") from None
        function.restype = result
        function.argtypes = arguments
    return library


def check_interface(library, path):
    """Refuse a library whose structs are laid out differently: calling it would corrupt memory."""
    try:
        library.muslin_abi_version.restype = ctypes.c_uint32
        library.muslin_version.restype = ctypes.c_char_p
        interface = library.muslin_abi_version()
        version = library.muslin_version().decode()
    except AttributeError:
        problem = "is not a Muslin library: it has no muslin_abi_version"
        raise LibraryError(f"{path} {problem}") from None
    if interface != _abi.ABI_VERSION:
        raise LibraryError(
            f"{path} is version {version} with interface {interface}, but this Python package "
            f"needs interface {_abi.ABI_VERSION} (machine {platform.machine()}); "
            "install the library and the package in the same version"
        )


def get():
    """The loaded library; the first call finds and loads it, later ones return the same."""
    global _loaded, _interposed
    with _lock:
        if _loaded is None:
            _loaded = open_library(find())
            if _interposed is None:
                _interposed = recorder_by_environment(_loaded)
        return _loaded if _interposed is None else _interposed


def borrow():
    """Keep the library loaded until give_back(): for a cloth, before it is made, and for every call."""
    global _borrowed
    with _lock:
        _borrowed += 1


def give_back():
    """The cloth is gone, or the call has ended."""
    global _borrowed
    with _lock:
        _borrowed -= 1


def unload():
    """Let the file go, so that another version can take its place; the next call loads that. False, and nothing is
    done, while a cloth is open, a call is under way or calls are recorded."""
    global _loaded
    with _lock:
        if _borrowed or _interposed is not None:
            return False
        if _loaded is not None:
            handle, _loaded = _loaded._handle, None
            _ctypes.FreeLibrary(handle) if sys.platform == "win32" else _ctypes.dlclose(handle)
        return True


def interpose(make):
    """From now on get() gives make(library), which has the same functions; None: the library."""
    global _interposed
    with _lock:
        _interposed = None if make is None else make(_loaded)


def version():
    """Version of the native library, such as "0.1.0"."""
    borrow()
    try:
        return get().muslin_version().decode()
    finally:
        give_back()

# SPDX-License-Identifier: GPL-3.0-or-later
"""dll_file.py FILE.dll: checks which libraries a DLL needs and what it exports, by its own tables.

Every Windows has the libraries that muslin.dll may need. Whatever else it named would have to be shipped beside it, and
a DLL of that name that the host has loaded before would be taken instead.
"""

import re
import struct
import sys
from pathlib import Path

# Microsoft's C library is the old one, which is a part of Windows, or the new one, which is since Windows 10.
SYSTEM = re.compile(r"(kernel32|msvcrt|ucrtbase|api-ms-win-crt-[a-z0-9-]+)\.dll", re.IGNORECASE)
OURS = "muslin_"
X86_64 = 0x8664
PE32_PLUS = 0x20B
# Where the tables are listed in the optional header of a PE32+ file, and which is which.
DIRECTORIES, EXPORTS, IMPORTS = 112, 0, 1
IMPORT_ENTRY = 20  # bytes


class DllError(Exception):
    """A file that is no DLL for Windows on x86-64."""


class DllFile:
    """The bytes of a DLL and where its sections are loaded; addresses count from where the file is loaded."""

    def __init__(self, path):
        self.data = Path(path).read_bytes()
        try:
            self._read_headers()
        except struct.error:
            raise DllError(f"{path} is cut short") from None

    def _unpack(self, layout, offset):
        return struct.unpack_from("<" + layout, self.data, offset)

    def _read_headers(self):
        header = self._unpack("I", 0x3C)[0] if self.data[:2] == b"MZ" else len(self.data)
        if self.data[header : header + 4] != b"PE\0\0":
            raise DllError("no file for Windows")
        machine, sections = self._unpack("HH", header + 4)
        (size,) = self._unpack("H", header + 20)
        optional = header + 24
        if machine != X86_64 or self._unpack("H", optional)[0] != PE32_PLUS:
            raise DllError(f"a file for machine {machine:#x}, not for x86-64")
        self.directories = optional + DIRECTORIES
        # virtual size, address, size and offset in the file
        self.sections = [
            self._unpack("IIII", optional + size + 40 * i + 8) for i in range(sections)
        ]

    def _offset(self, address):
        for size, start, stored, offset in self.sections:
            if start <= address < start + max(size, stored):
                return offset + address - start
        raise DllError(f"the address {address:#x} is in no section")

    def _text(self, address):
        begin = self._offset(address)
        return self.data[begin : self.data.index(b"\0", begin)].decode("ascii")

    def imports(self):
        """Names of the libraries that Windows loads with this one."""
        address, _ = self._unpack("II", self.directories + 8 * IMPORTS)
        names = []
        while address:
            (name,) = self._unpack("I", self._offset(address) + 12)
            if not name:
                break
            names.append(self._text(name))
            address += IMPORT_ENTRY
        return names

    def exports(self):
        """Names of the functions that others may call."""
        address, _ = self._unpack("II", self.directories + 8 * EXPORTS)
        if not address:
            return []
        table = self._offset(address)
        (count,) = self._unpack("I", table + 24)
        (names,) = self._unpack("I", table + 32)
        return [self._text(self._unpack("I", self._offset(names) + 4 * i)[0]) for i in range(count)]


def foreign_imports(path):
    """Libraries that a DLL needs and Windows does not bring."""
    return [name for name in DllFile(path).imports() if not SYSTEM.fullmatch(name)]


def problems(path):
    """What is wrong with the DLL, in words."""
    exported = DllFile(path).exports()
    found = [f"needs {name}, which Windows does not bring" for name in foreign_imports(path)]
    found += [
        f"exports {name}, which is not ours" for name in exported if not name.startswith(OURS)
    ]
    return found + ([] if exported else ["exports nothing"])


def main(path):
    try:
        found = problems(path)
    except (OSError, DllError) as error:
        found = [str(error)]
    for problem in found:
        print(f"exports: {path}: {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

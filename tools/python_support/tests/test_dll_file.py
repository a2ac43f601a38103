# SPDX-License-Identifier: GPL-3.0-or-later
"""The reader of DLLs, with small ones that are put together here."""

import struct
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import dll_file  # noqa: E402

ADDRESS, OFFSET, SIZE = 0x1000, 0x200, 0x1000  # of the only section
NOTHING = ADDRESS + SIZE - 16  # an empty list of functions
CODE = 0x60000020  # what is in it, may be read and called


def texts(names, at):
    """Where each text lies behind `at`, and all their bytes."""
    places, data = [], b""
    for name in names:
        places.append(at + len(data))
        data += name.encode("ascii") + b"\0"
    return places, data


def dll(imports=("KERNEL32.dll",), exports=("muslin_version",), machine=0x8664):
    """The bytes of a DLL with these tables and no code."""
    import_table = ADDRESS
    export_table = import_table + 20 * (len(imports) + 1)
    name_table = export_table + 40
    ordinals = name_table + 4 * len(exports)
    places, data = texts([*imports, *exports], ordinals + 2 * len(exports))
    section = b"".join(
        struct.pack("<5I", NOTHING, 0, 0, place, NOTHING) for place in places[: len(imports)]
    )
    section += bytes(20)
    section += struct.pack("<10I", *(0,) * 6, len(exports), 0, name_table, ordinals)
    section += struct.pack(f"<{len(exports)}I", *places[len(imports) :])
    section += struct.pack(f"<{len(exports)}H", *range(len(exports))) + data
    optional = struct.pack("<H106xI", 0x20B, 16) + struct.pack(
        "<4I112x",
        export_table,
        ADDRESS + SIZE - export_table,
        import_table,
        20 * (len(imports) + 1),
    )
    header = b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 0x40) + b"PE\0\0"
    header += struct.pack("<HH12xHH", machine, 1, len(optional), 0) + optional
    header += b".text".ljust(8, b"\0")
    header += struct.pack("<4I12xI", SIZE, ADDRESS, SIZE, OFFSET, CODE)
    return header.ljust(OFFSET, b"\0") + section.ljust(SIZE, b"\0")


@unittest.skipUnless(dll_file.objdump(), "there is no objdump that knows DLLs")
class TestDllFile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "muslin.dll"

    def write(self, data):
        self.path.write_bytes(data)
        return self.path

    def test_reads_both_tables(self):
        path = self.write(dll(("KERNEL32.dll", "msvcrt.dll"), ("muslin_a", "muslin_b")))
        imports, exports = dll_file.tables(path)
        self.assertEqual(imports, ["KERNEL32.dll", "msvcrt.dll"])
        self.assertEqual(exports, ["muslin_a", "muslin_b"])
        self.assertEqual(dll_file.problems(path), [])

    def test_the_new_library_of_microsoft_is_no_stranger(self):
        path = self.write(dll(("kernel32.dll", "api-ms-win-crt-heap-l1-1-0.dll", "ucrtbase.dll")))
        self.assertEqual(dll_file.foreign_imports(path), [])

    def test_names_what_windows_does_not_bring(self):
        path = self.write(dll(("KERNEL32.dll", "libwinpthread-1.dll", "libgcc_s_seh-1.dll")))
        self.assertEqual(
            dll_file.foreign_imports(path), ["libwinpthread-1.dll", "libgcc_s_seh-1.dll"]
        )
        self.assertIn("libwinpthread-1.dll", dll_file.problems(path)[0])

    def test_names_what_is_exported_and_not_ours(self):
        path = self.write(dll(exports=("cholmod_start", "muslin_version")))
        self.assertEqual(dll_file.problems(path), ["exports cholmod_start, which is not ours"])
        path = self.write(dll(exports=()))
        self.assertEqual(dll_file.problems(path), ["exports nothing"])

    def test_refuses_what_is_no_dll(self):
        for data in (b"", b"\x7fELF".ljust(400, b"\0"), dll(machine=0xAA64), dll()[:0x90]):
            with self.assertRaises(dll_file.DllError):
                dll_file.problems(self.write(data))


if __name__ == "__main__":
    unittest.main()

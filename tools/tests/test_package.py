# SPDX-License-Identifier: GPL-3.0-or-later
"""What tools/package leaves for Blender: the zips hold what a Blender needs, and nothing else."""

import ast
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from packages import (
    EXTENSION,
    LEGACY,
    LICENCES,
    PLATFORM,
    ROOT,
    VERSION,
    WHEEL,
    head_of_library,
    read,
    without_own_paths,
)
from packing import addon, archive
from packing.platforms import PLATFORMS, PackageError, platform_of

LIBRARY = f"muslin/muslin/{PLATFORM.library}"


class Contents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.extension, cls.legacy = read(EXTENSION), read(LEGACY)

    def test_the_extension_holds_the_addon_and_a_wheel(self):
        for name in ("__init__.py", "blender_manifest.toml", f"wheels/{WHEEL.name}"):
            self.assertIn(name, self.extension)
        self.assertEqual(self.extension[f"wheels/{WHEEL.name}"], WHEEL.read_bytes())
        loose = [name for name in self.extension if re.search(r"\.(so|dll|dylib)$|^muslin/", name)]
        self.assertEqual(loose, [])

    def test_the_older_package_holds_addon_binding_and_library_in_a_folder(self):
        for name in ("__init__.py", "muslin/__init__.py", "muslin/settings.json"):
            self.assertIn(f"muslin/{name}", self.legacy)
        self.assertIn("muslin/muslin/fabrics/cotton.json", self.legacy)
        self.assertIn(LIBRARY, self.legacy)
        self.assertNotIn("muslin/blender_manifest.toml", self.legacy)
        outside = [name for name in self.legacy if not name.startswith("muslin/")]
        self.assertEqual(outside, [])

    def test_both_hold_every_licence(self):
        for name, words in LICENCES.items():
            self.assertIn(words, self.extension[name].decode())
            self.assertEqual(self.legacy[f"muslin/{name}"], self.extension[name])

    def test_every_python_file_of_the_addon_is_there(self):
        for path in (ROOT / "blender_addon").rglob("*.py"):
            name = path.relative_to(ROOT / "blender_addon")
            if name.parts[0] != "tests":
                self.assertIn(name.as_posix(), self.extension)
                self.assertIn(f"muslin/{name.as_posix()}", self.legacy)

    def test_nothing_of_development_is_there(self):
        for name in self.extension:
            self.assertNotRegex(name, r"^tests/|__pycache__|\.pyc$|~$")
        for name in self.legacy:
            self.assertNotRegex(
                name, r"^muslin/tests/|__pycache__|\.pyc$|muslin/command|__main__|~$"
            )

    def test_both_differ_only_in_where_the_binding_is_imported_from(self):
        for name, data in self.extension.items():
            if name.endswith(".py"):
                text, older = data.decode(), self.legacy[f"muslin/{name}"].decode()
                self.assertNotRegex(text, r"(?m)^ *from \.+ ?(import )?muslin\b")
                self.assertNotRegex(older, r"(?m)^ *(from|import) muslin\b")
                changed = [
                    pair
                    for pair in zip(text.splitlines(), older.splitlines())
                    if pair[0] != pair[1]
                ]
                for new, old in changed:
                    self.assertEqual(new, re.sub(r"from \.+muslin", "from muslin", old))

    def test_one_version_everywhere(self):
        manifest = self.extension["blender_manifest.toml"].decode()
        self.assertEqual(re.findall(r'^version = "(.*)"$', manifest, re.M), [VERSION])
        self.assertEqual(
            re.findall(r"^platforms = (.*)$", manifest, re.M), [f'["{PLATFORM.name}"]']
        )
        self.assertEqual(
            re.findall(r"^wheels = (.*)$", manifest, re.M), [f'["./wheels/{WHEEL.name}"]']
        )
        self.assertNotRegex(manifest, r"@[A-Z]+@")
        for init in (self.extension["__init__.py"], self.legacy["muslin/__init__.py"]):
            info = next(
                ast.literal_eval(node.value)
                for node in ast.parse(init).body
                if isinstance(node, ast.Assign) and node.targets[0].id == "bl_info"
            )
            self.assertEqual(".".join(str(number) for number in info["version"]), VERSION)
        binding = self.legacy["muslin/muslin/__init__.py"].decode()
        self.assertIn(f'__version__ = "{VERSION}"', binding)

    def test_all_python_compiles(self):
        for files in (self.extension, self.legacy):
            for name, data in files.items():
                if name.endswith(".py"):
                    compile(data, name, "exec")

    def test_the_order_and_the_times_are_fixed(self):
        with zipfile.ZipFile(EXTENSION) as file:
            names = file.namelist()
            self.assertEqual(names, sorted(names))
            self.assertEqual({entry.date_time for entry in file.infolist()}, {archive.TIME})


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        with zipfile.ZipFile(LEGACY) as file:
            file.extractall(cls.folder.name)
        cls.path = Path(cls.folder.name).resolve() / LIBRARY

    def test_it_is_for_the_platform_in_the_name(self):
        self.assertEqual(platform_of(self.path), PLATFORM)

    def test_exports_and_needs(self):
        """Among them that no symbol is of a glibc newer than 2.28."""
        run = subprocess.run(
            [ROOT / "tools" / "check_exports", self.path], capture_output=True, text=True
        )
        self.assertEqual((run.returncode, run.stdout), (0, ""), run.stderr)

    def test_the_loader_finds_only_libc_and_libm(self):
        output = subprocess.check_output(["ldd", self.path], text=True)
        names = {Path(line.split()[0]).name for line in output.splitlines()}
        allowed = r"^(linux-vdso\.so\.1|libc\.so\.6|libm\.so\.6|libpthread\.so\.0|ld-linux.*)$"
        self.assertEqual([name for name in names if not re.match(allowed, name)], [])
        self.assertIn("libc.so.6", names)

    def test_it_is_stripped(self):
        output = subprocess.check_output(["readelf", "-SW", self.path], text=True)
        self.assertNotIn(".symtab", output)
        self.assertNotIn(".debug", output)

    def test_the_binding_from_the_zip_finds_it(self):
        code = "from muslin import library; print(library.find(), library.version())"
        output = subprocess.check_output(
            [sys.executable, "-c", code],
            cwd=self.path.parents[1],
            env=without_own_paths(),
            text=True,
        )
        self.assertEqual(output.split(), [str(self.path), VERSION])


class Refusals(unittest.TestCase):
    def test_a_placeholder_that_is_missing_or_twice(self):
        twice = 'version = "1"\nversion = "2"\nplatforms = []\nwheels = []\n'
        for text in ("name = 1\n", twice):
            with self.assertRaises(PackageError):
                addon.filled_manifest(text, "1.2.3", ["linux-x64"], [])

    def test_versions_are_filled_in(self):
        text = 'schema_version = "1.0.0"\nversion = "@V@"\nplatforms = ["@P@"]\nwheels = ["@W@"]\n'
        expected = 'schema_version = "1.0.0"\nversion = "1.2.3"\nplatforms = ["linux-x64"]\nwheels = ["./a.whl"]\n'
        filled = addon.filled_manifest(text, "1.2.3", ["linux-x64"], ["a.whl"])
        self.assertEqual(filled, expected)
        self.assertEqual(
            addon.filled_init('{"version": (0, 0, 0)}', "1.2.3"), '{"version": (1, 2, 3)}'
        )

    def test_imports_lead_to_the_wheel(self):
        text = (
            "from ..muslin import Cloth\n    from .muslin.table import X\nfrom ..muslins import y\n"
        )
        self.assertEqual(
            addon.importing_wheel(text, "x.py"),
            "from muslin import Cloth\n    from muslin.table import X\nfrom ..muslins import y\n",
        )
        with self.assertRaisesRegex(PackageError, "x.py"):
            addon.importing_wheel("from .. import muslin\n", "x.py")

    def test_platforms_by_the_first_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "library"
            for name, platform in PLATFORMS.items():
                path.write_bytes(head_of_library(name))
                self.assertEqual(platform_of(path), platform)
            for data in (b"", b"x" * 80, b"\x7fELF" + bytes(40), b"MZ" + bytes(80)):
                path.write_bytes(data)
                with self.assertRaises(PackageError):
                    platform_of(path)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""What tools/package leaves: the zips in MUSLIN_PACKAGES hold what a Blender needs, and nothing else."""

import ast
import os
import platform
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = Path(os.environ["MUSLIN_PACKAGES"])
VERSION = os.environ["MUSLIN_VERSION"]
MACHINE = platform.machine()
PLATFORM = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}[MACHINE]
ELF_MACHINE = {"x86_64": 62, "aarch64": 183}[MACHINE]
LIBRARY = "muslin/libmuslin.so"

sys.path.insert(0, str(ROOT / "tools" / "blender_support"))
import package  # noqa: E402


def read(name):
    """The files of a zip, bytes by name."""
    with zipfile.ZipFile(PACKAGES / name) as archive:
        return {entry: archive.read(entry) for entry in archive.namelist()}


class Contents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.extension = read(f"muslin-{VERSION}-{PLATFORM}.zip")
        cls.legacy = read(f"muslin-{VERSION}-{PLATFORM}-legacy.zip")

    def test_it_holds_addon_binding_library_and_licences(self):
        for name in (
            "__init__.py",
            "blender_manifest.toml",
            "LICENSE",
            "muslin/__init__.py",
            "muslin/settings.json",
            "muslin/fabrics/cotton.json",
            LIBRARY,
        ):
            self.assertIn(name, self.extension)
        self.assertIn("licences/suitesparse.txt", self.extension)
        self.assertIn("licences/metis.txt", self.extension)

    def test_every_python_file_of_the_addon_is_there(self):
        for path in (ROOT / "blender_addon").rglob("*.py"):
            name = path.relative_to(ROOT / "blender_addon")
            if name.parts[0] != "tests":
                self.assertIn(name.as_posix(), self.extension)

    def test_nothing_of_development_is_there(self):
        for name in self.extension:
            self.assertNotRegex(name, r"^tests/|__pycache__|\.pyc$|^muslin/command|__main__|~$")

    def test_the_older_package_is_the_same_in_a_folder_without_manifest(self):
        expected = {f"muslin/{name}": data for name, data in self.extension.items()}
        del expected["muslin/blender_manifest.toml"]
        self.assertEqual(self.legacy, expected)

    def test_one_version_everywhere(self):
        manifest = self.extension["blender_manifest.toml"].decode()
        self.assertEqual(re.findall(r'^version = "(.*)"$', manifest, re.M), [VERSION])
        self.assertEqual(re.findall(r"^platforms = (.*)$", manifest, re.M), [f'["{PLATFORM}"]'])
        self.assertNotIn("@", "".join(re.findall(r"@[A-Z]+@", manifest)))
        tree = ast.parse(self.extension["__init__.py"])
        info = next(
            ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign) and node.targets[0].id == "bl_info"
        )
        self.assertEqual(".".join(str(number) for number in info["version"]), VERSION)
        binding = self.extension["muslin/__init__.py"].decode()
        self.assertIn(f'__version__ = "{VERSION}"', binding)

    def test_all_python_compiles(self):
        for name, data in self.extension.items():
            if name.endswith(".py"):
                compile(data, name, "exec")

    def test_the_order_and_the_times_are_fixed(self):
        with zipfile.ZipFile(PACKAGES / f"muslin-{VERSION}-{PLATFORM}.zip") as archive:
            names = archive.namelist()
            self.assertEqual(names, sorted(names))
            self.assertEqual({entry.date_time for entry in archive.infolist()}, {package.TIME})


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = Path(cls.folder.name) / "libmuslin.so"
        cls.path.write_bytes(read(f"muslin-{VERSION}-{PLATFORM}.zip")[LIBRARY])

    def test_the_machine_is_the_one_in_the_name(self):
        header = self.path.read_bytes()[:20]
        self.assertEqual(struct.unpack_from("<H", header, 18)[0], ELF_MACHINE)

    def test_exports_and_needs(self):
        run = subprocess.run(
            [ROOT / "tools" / "check_exports", self.path], capture_output=True, text=True
        )
        self.assertEqual((run.returncode, run.stdout), (0, ""), run.stderr)

    def test_the_loader_finds_only_libc_and_libm(self):
        output = subprocess.check_output(["ldd", self.path], text=True)
        names = {Path(line.split()[0]).name for line in output.splitlines()}
        allowed = r"^(linux-vdso\.so\.1|libc\.so\.6|libm\.so\.6|ld-linux.*)$"
        self.assertEqual([name for name in names if not re.match(allowed, name)], [])
        self.assertIn("libc.so.6", names)

    def test_it_is_stripped(self):
        output = subprocess.check_output(["readelf", "-SW", self.path], text=True)
        self.assertNotIn(".symtab", output)
        self.assertNotIn(".debug", output)

    def test_the_binding_from_the_zip_finds_it(self):
        with zipfile.ZipFile(PACKAGES / f"muslin-{VERSION}-{PLATFORM}.zip") as archive:
            archive.extractall(self.folder.name)
        code = "from muslin import library; print(library.find(), library.version())"
        environment = {
            k: v for k, v in os.environ.items() if k not in ("MUSLIN_LIBRARY", "PYTHONPATH")
        }
        output = subprocess.check_output(
            [sys.executable, "-c", code], cwd=self.folder.name, env=environment, text=True
        )
        self.assertEqual(output.split(), [str(Path(self.folder.name).resolve() / LIBRARY), VERSION])


class Refusals(unittest.TestCase):
    def test_a_placeholder_that_is_missing_or_twice(self):
        for text in ("name = 1\n", 'version = "1"\nversion = "2"\nplatforms = []\n'):
            with self.assertRaises(package.PackageError):
                package.filled_manifest(text, "1.2.3", "linux-x64")

    def test_versions_are_filled_in(self):
        text = 'schema_version = "1.0.0"\nversion = "@VERSION@"\nplatforms = ["@PLATFORM@"]\n'
        expected = 'schema_version = "1.0.0"\nversion = "1.2.3"\nplatforms = ["linux-x64"]\n'
        self.assertEqual(package.filled_manifest(text, "1.2.3", "linux-x64"), expected)
        self.assertEqual(
            package.filled_init('{"version": (0, 0, 0)}', "1.2.3"), '{"version": (1, 2, 3)}'
        )

    def test_a_library_that_is_none(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "libmuslin.so"
            for data in (b"", b"x" * 40, b"\x7fELF" + bytes(40)):
                path.write_bytes(data)
                with self.assertRaises(package.PackageError):
                    package.platform_of(path)


if __name__ == "__main__":
    unittest.main()

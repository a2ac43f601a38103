# SPDX-License-Identifier: GPL-3.0-or-later
"""The wheel: pip installs it into a fresh environment, where it works without Blender and without the checkout."""

import base64
import csv
import hashlib
import shutil
import struct
import subprocess
import tempfile
import unittest
import venv
from pathlib import Path

from packages import LICENCES, PLATFORM, ROOT, VERSION, WHEEL, read, without_own_paths

INFO = f"muslin-{VERSION}.dist-info"
# A square of two by two quads, one metre above the ground.
SQUARE = "".join(f"v {x} {y} 1\n" for y in range(3) for x in range(3))
SQUARE += "".join(f"f {i} {i + 1} {i + 4} {i + 3}\n" for i in (1, 2, 4, 5))


class Contents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = read(WHEEL)

    def test_the_record_names_every_file_with_its_sum(self):
        rows = list(csv.reader(self.files[f"{INFO}/RECORD"].decode().splitlines()))
        self.assertEqual({row[0] for row in rows}, set(self.files))
        for name, digest, size in rows:
            if name != f"{INFO}/RECORD":
                found = base64.urlsafe_b64encode(hashlib.sha256(self.files[name]).digest())
                self.assertEqual(digest, "sha256=" + found.decode().rstrip("="), name)
                self.assertEqual(int(size), len(self.files[name]))

    def test_it_is_for_any_python_3_of_its_platform(self):
        self.assertIn(f"Tag: py3-none-{PLATFORM.tag}\n", self.files[f"{INFO}/WHEEL"].decode())
        self.assertIn(f"\nVersion: {VERSION}\n", self.files[f"{INFO}/METADATA"].decode())

    def test_it_holds_the_whole_binding(self):
        for path in (ROOT / "plugin" / "python" / "muslin").rglob("*.py"):
            name = path.relative_to(ROOT / "plugin" / "python").as_posix()
            self.assertEqual(self.files[name], path.read_bytes())
        for name in ("settings.json", "fabrics/cotton.json", PLATFORM.library):
            self.assertIn(f"muslin/{name}", self.files)

    def test_every_licence_is_inside(self):
        for name, words in LICENCES.items():
            self.assertIn(words, self.files[f"{INFO}/licenses/{name}"].decode())


class Installed(unittest.TestCase):
    """Nothing is fetched: NumPy is the machine's."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        venv.create(cls.folder / "venv", system_site_packages=True, with_pip=True, symlinks=True)
        cls.run_in("python", "-m", "pip", "install", "--no-index", "--no-deps", str(WHEEL))

    @classmethod
    def run_in(cls, program, *arguments):
        """What a program of the environment prints."""
        command = [cls.folder / "venv" / "bin" / program, *arguments]
        run = subprocess.run(
            command, cwd=cls.folder, env=without_own_paths(), capture_output=True, text=True
        )
        if run.returncode != 0:
            raise AssertionError(f"{program} {arguments}: {run.stdout}{run.stderr}")
        return run.stdout

    def test_the_library_is_the_one_in_the_environment(self):
        code = "from muslin import library; print(library.find(), library.version())"
        path, version = self.run_in("python", "-c", code).split()
        self.assertIn(self.folder / "venv", Path(path).parents)
        self.assertEqual(version, VERSION)

    def test_command_and_module_drape(self):
        (self.folder / "square.obj").write_text(SQUARE)
        drape = ("drape", "--garment", "square.obj", "--pin", "0,2", "--frames", "3", "-o")
        for name, program in (("a.pc2", ("muslin",)), ("b.pc2", ("python", "-m", "muslin"))):
            self.run_in(*program, *drape, name)
        first, second = ((self.folder / name).read_bytes() for name in ("a.pc2", "b.pc2"))
        self.assertEqual(first, second)
        self.assertEqual(struct.unpack("<12siiffi", first[:32])[:3], (b"POINTCACHE2\0", 1, 9))
        heights = struct.unpack("<27f", first[-27 * 4 :])[2::3]
        self.assertEqual((heights[0], heights[2]), (1, 1))
        self.assertLess(heights[7], 0.99)
        self.assertEqual(self.run_in("muslin", "--version"), f"muslin {VERSION}\n")

    def test_nothing_of_the_current_folder_is_executed(self):
        """An artist works beside what was downloaded."""
        trap = "raise SystemExit('executed: ' + __file__)\n"
        names = ("numpy", "argparse", "json", "sitecustomize", "runpy", "contextlib")
        for name in names:
            (self.folder / f"{name}.py").write_text(trap)
            self.addCleanup((self.folder / f"{name}.py").unlink)
        (self.folder / "muslin").mkdir()
        (self.folder / "muslin" / "__init__.py").write_text(trap)
        self.addCleanup(shutil.rmtree, self.folder / "muslin")
        (self.folder / "square.obj").write_text(SQUARE)
        self.assertIn("9 vertices", self.run_in("muslin", "check", "square.obj"))

    def test_pip_knows_it_and_takes_all_of_it_away(self):
        self.assertIn(f"Version: {VERSION}", self.run_in("python", "-m", "pip", "show", "muslin"))
        packages = next((self.folder / "venv" / "lib").glob("*/site-packages"))
        try:
            self.run_in("python", "-m", "pip", "uninstall", "--yes", "muslin")
            self.assertEqual(list(packages.glob("muslin*")), [])
            self.assertFalse((self.folder / "venv" / "bin" / "muslin").exists())
        finally:
            self.run_in("python", "-m", "pip", "install", "--no-index", "--no-deps", str(WHEEL))


if __name__ == "__main__":
    unittest.main()

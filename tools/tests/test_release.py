# SPDX-License-Identifier: GPL-3.0-or-later
"""One version in header, library, wheel and manifest; the checks and the notes of a release."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from packages import EXTENSION, PLATFORM, ROOT, VERSION, WHEEL, read
from packing import release
from packing.platforms import PackageError

LOG = "# Changelog\n\n## 1.2.0 (2031-05-06)\n- Silk.\n\n## 1.1.0\n- Wool.\n"


class OneVersion(unittest.TestCase):
    def test_header_library_wheel_and_manifest_agree(self):
        header = (ROOT / release.HEADER).read_text()
        found = {"header": re.findall(r'^#define MUSLIN_VERSION "(.*)"$', header, re.M)}
        manifest = read(EXTENSION)["blender_manifest.toml"].decode()
        found["manifest"] = re.findall(r'^version = "(.*)"$', manifest, re.M)
        wheel = read(WHEEL)
        metadata = wheel[f"muslin-{VERSION}.dist-info/METADATA"].decode()
        found["wheel"] = re.findall(r"^Version: (.*)$", metadata, re.M)
        binding = wheel["muslin/__init__.py"].decode()
        found["binding"] = re.findall(r'^__version__ = "(.*)"$', binding, re.M)
        self.assertEqual(found, {name: [VERSION] for name in found})
        # What the library itself says when it is loaded: test_wheel.py, test_package.py.
        self.assertIn(f"{VERSION}\0".encode(), wheel[f"muslin/{PLATFORM.library}"])

    def test_nothing_but_the_change_log_stands_against_this_version(self):
        against = [fault for fault in release.faults(VERSION) if "unreleased" not in fault]
        self.assertEqual(against, [])


class Checks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write(release.HEADER, '#define MUSLIN_VERSION "1.2.0"\n')
        self.write(release.BINDING, '__version__ = "1.2.0"\n')
        self.write(release.CHANGELOG, LOG)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def faults(self, version="1.2.0"):
        return list(release.faults(version, self.root))

    def test_all_is_well(self):
        self.assertEqual(self.faults(), [])

    def test_every_place_that_disagrees_is_named(self):
        self.write(release.BINDING, '__version__ = "1.1.0"\n')
        self.assertEqual(self.faults(), [f"{release.BINDING} says 1.1.0, not 1.2.0"])
        self.assertEqual(len(self.faults("1.3.0")), 3)
        self.assertIn("no version", self.faults("1.3")[0])

    def test_what_is_called_unreleased_is_not_released(self):
        self.write(release.CHANGELOG, LOG.replace("2031-05-06", "unreleased"))
        self.assertEqual(len(self.faults()), 1)
        self.assertEqual(list(release.faults("1.2.0", self.root, draft=True)), [])
        self.assertEqual(len(list(release.faults("1.3.0", self.root, draft=True))), 3)

    def test_nobody_s_folder_is_removed(self):
        kept = self.root / "kept"
        self.write("kept/thesis.txt", "mine")
        build = {**os.environ, "MUSLIN_BUILD": str(self.root / "build")}
        for arguments in (["../../kept"], [VERSION, "--output", kept]):
            command = [ROOT / "tools" / "release", *arguments, "--unchecked"]
            run = subprocess.run(command, env=build, capture_output=True, text=True)
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertRegex(run.stderr, "cannot be released|is not empty")
            self.assertTrue((kept / "thesis.txt").is_file())

    def test_what_is_not_committed_is_not_released(self):
        """Neither is what git does not know; what was made before stays."""
        for name in ("tools/packing", "tools/python_support"):
            shutil.copytree(ROOT / name, self.root / name)
        for name in ("tools/release", "tools/lib.sh"):
            shutil.copy(ROOT / name, self.root / name)
        self.write("build/release/1.2.0/NOTES.md", "of the last time")
        git = {"GIT_CEILING_DIRECTORIES": str(self.root.parent)}
        own = ("MUSLIN_BUILD", "GIT_DIR")
        environment = {name: value for name, value in os.environ.items() if name not in own}

        def refusal():
            command = [self.root / "tools" / "release", "1.2.0"]
            run = subprocess.run(
                command, env={**environment, **git}, capture_output=True, text=True
            )
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertTrue((self.root / "build" / "release" / "1.2.0" / "NOTES.md").is_file())
            return run.stderr

        self.assertIn("git does not tell", refusal())
        subprocess.run(["git", "init", "--quiet", self.root], check=True)
        self.assertIn("there are uncommitted changes", refusal())

    def test_notes_have_the_section_and_the_sums(self):
        (self.root / "a.zip").write_bytes(b"a")
        (self.root / "b.whl").write_bytes(b"b")
        text = release.notes("1.2.0", self.root, self.root)
        self.assertIn("Muslin 1.2.0 (2031-05-06)", text)
        self.assertIn("Silk", text)
        self.assertNotIn("Wool", text)
        for name, data in (("a.zip", b"a"), ("b.whl", b"b")):
            digest = hashlib.sha256(data).hexdigest()
            self.assertIn(f"| `{name}` | `{digest}` |", text)
            self.assertIn(f"{digest}  {name}\n", release.sums(self.root))

    def test_no_packages_and_no_section_are_refused(self):
        for version in ("1.2.0", "7.0.0"):
            with self.assertRaises(PackageError):
                release.notes(version, self.root, self.root)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""The packages of every platform are good, by the judgement of those who use them; and a bad one is reported."""

import tempfile
import unittest
from pathlib import Path

from packages import PACKAGES, VERSION, read
from packing import archive, judge
from packing.platforms import PLATFORMS

SHIPPED = ("linux-x64", "linux-arm64", "windows-x64")


def expected():
    """The names of an extension, a zip for older Blenders and a wheel of each platform."""
    for name in SHIPPED:
        yield f"muslin-{VERSION}-{name}.zip"
        yield f"muslin-{VERSION}-{name}-legacy.zip"
        yield f"muslin-{VERSION}-py3-none-{PLATFORMS[name].tag}.whl"


def faults(test, path):
    try:
        return judge.faults(path)
    except judge.NoJudge as error:
        return test.skipTest(str(error))


class Good(unittest.TestCase):
    def test_every_one_is_there_and_good(self):
        names = [path.name for path in judge.packages(PACKAGES)]
        self.assertEqual(names, sorted(expected()))
        for name in names:
            with self.subTest(name):
                self.assertEqual(faults(self, PACKAGES / name), [])


class Bad(unittest.TestCase):
    """Each is one of the packages with something changed."""

    def changed(self, name, new_name, change):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        files = read(PACKAGES / name)
        change(files)
        return archive.write(Path(folder.name) / new_name, archive.zip_bytes(files))

    def test_a_library_of_another_platform(self):
        windows, linux = (
            f"muslin-{VERSION}-py3-none-{PLATFORMS[n].tag}.whl" for n in SHIPPED[::-2]
        )
        library = read(PACKAGES / linux)["muslin/libmuslin.so"]
        path = self.changed(windows, windows, lambda f: f.update({"muslin/muslin.dll": library}))
        self.assertRegex(" ".join(faults(self, path)), "is for linux-x64")

    def test_a_licence_that_is_missing(self):
        name = f"muslin-{VERSION}-linux-x64-legacy.zip"
        path = self.changed(name, name, lambda files: files.pop("muslin/licences/METIS.txt"))
        self.assertRegex(" ".join(faults(self, path)), "METIS")
        name = f"muslin-{VERSION}-windows-x64-legacy.zip"
        path = self.changed(name, name, lambda files: files.pop("muslin/licences/mingw-w64.txt"))
        self.assertRegex(" ".join(faults(self, path)), "mingw-w64")

    def test_an_extension_that_blender_refuses(self):
        name = f"muslin-{VERSION}-linux-x64.zip"

        def forget_maintainer(files):
            text = files["blender_manifest.toml"].decode()
            files["blender_manifest.toml"] = text.replace("maintainer", "keeper").encode()

        path = self.changed(name, name, forget_maintainer)
        self.assertRegex(" ".join(faults(self, path)), "maintainer")

    def test_an_older_addon_that_cannot_be_enabled(self):
        name = f"muslin-{VERSION}-windows-x64-legacy.zip"
        path = self.changed(name, name, lambda files: files.pop("muslin/registry.py"))
        self.assertRegex(" ".join(faults(self, path)), "was not enabled")

    def test_a_name_of_no_platform(self):
        self.assertEqual(len(judge.faults(Path(f"muslin-{VERSION}-amiga.zip"))), 1)


if __name__ == "__main__":
    unittest.main()

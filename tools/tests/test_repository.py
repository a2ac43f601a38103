# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension in the hands of Blender's own tool, and offered by a web server as a remote repository.

Run for the Blender in MUSLIN_BLENDER_VERSION.
"""

import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

from packages import EXTENSION, PACKAGES, PLATFORM, ROOT, VERSION, head_of_library, read
from packing import __main__ as packing
from packing import files
from packing.addon import extension_files
from packing.platforms import PLATFORMS
from packing.wheel import wheel_bytes, wheel_name

BLENDER = os.environ["MUSLIN_BLENDER_VERSION"]
NEWER = "9" + VERSION[1:]
SHIPPED = ("linux-x64", "linux-arm64", "windows-x64")
UNAVAILABLE = 77  # exit status of tools/blender


class BlenderTest(unittest.TestCase):
    """With a folder of its own, which the Blender sees under the same name."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def blender(self, *arguments):
        """What it prints; skips the test where this Blender is not there."""
        environment = {**os.environ, "MUSLIN_BLENDER_HOME": str(self.folder / "home")}
        run = subprocess.run(
            [ROOT / "tools" / "blender", BLENDER, *map(str, arguments)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if run.returncode == UNAVAILABLE:
            self.skipTest(f"there is no Blender {BLENDER}")
        self.assertEqual(run.returncode, 0, run.stdout)
        return run.stdout

    def extension(self, *arguments):
        return self.blender("--command", "extension", *arguments)


class Tool(BlenderTest):
    """Libraries that nobody can load will do: Blender does not look into wheels."""

    def licences(self):
        return {"LICENSE": b"as it is"}

    def wheels(self):
        found = {}
        for name in SHIPPED:
            path = self.folder / "library"
            path.write_bytes(head_of_library(name))
            platform = PLATFORMS[name]
            data = wheel_bytes(VERSION, path, platform, self.licences())
            found[platform] = (wheel_name(VERSION, platform), data)
        return found

    def test_it_finds_no_fault(self):
        self.assertIn("Success", self.extension("validate", EXTENSION))

    def test_it_splits_the_extension_of_all_platforms_into_ours(self):
        wheels = self.wheels()
        source, output = self.folder / "source", self.folder / "output"
        for name, data in extension_files(VERSION, wheels, self.licences()).items():
            path = source / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        output.mkdir()
        self.extension("build", "--split-platforms", "--source-dir", source, "--output-dir", output)
        built = sorted(output.glob("*.zip"))
        self.assertEqual(len(built), len(SHIPPED))
        for platform, wheel in wheels.items():
            stem = f"muslin-{VERSION}-{platform.name.replace('-', '_')}.zip"
            theirs = read(output / stem)
            ours = extension_files(VERSION, {platform: wheel}, self.licences())
            for name in ("blender_manifest.toml",):
                text = theirs.pop(name).decode()
                self.assertIn(wheel[0], text.split("GENERATED")[-2])
                self.assertIn(f'platforms = ["{platform.name}"]', text)
                del ours[name]
            self.assertEqual(theirs, ours)
            self.extension("validate", output / stem)

    def test_it_lists_a_repository_of_all_platforms(self):
        for platform, wheel in self.wheels().items():
            data = packing.zip_bytes(extension_files(VERSION, {platform: wheel}, self.licences()))
            (self.folder / f"muslin-{VERSION}-{platform.name}.zip").write_bytes(data)
        self.extension("server-generate", "--repo-dir", self.folder)
        listed = json.loads((self.folder / "index.json").read_text())["data"]
        self.assertEqual(
            sorted(entry["platforms"] for entry in listed), sorted([n] for n in SHIPPED)
        )
        for entry in listed:
            self.assertEqual((entry["id"], entry["version"]), ("muslin", VERSION))
            self.assertIn("files", entry["permissions"])


class Silent(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, *_):
        pass


class Repository(BlenderTest):
    def serve(self, folder):
        """The address of a web server for a folder, on this machine only."""
        handler = functools.partial(Silent, directory=str(folder))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_address[1]}/index.json"

    def newer_package(self, output):
        """The extension as if it were of another version: in the manifest, the binding and the library."""
        binding = self.folder / "binding" / "muslin"
        shutil.copytree(files.BINDING, binding, ignore=shutil.ignore_patterns("__pycache__"))
        init = binding / "__init__.py"
        init.write_text(self.renamed(init.read_text(), f'"{VERSION}"', f'"{NEWER}"'))
        library = self.folder / PLATFORM.library
        data = read(PACKAGES / f"muslin-{VERSION}-{PLATFORM.name}-legacy.zip")
        old, new = (f"{version}\0".encode() for version in (VERSION, NEWER))
        library.write_bytes(self.renamed(data[f"muslin/muslin/{PLATFORM.library}"], old, new))
        with mock.patch.object(files, "BINDING", binding):
            return packing.package(NEWER, library, {"LICENSE": b"as it is"}, output)[0]

    def renamed(self, text, old, new):
        self.assertEqual(text.count(old), 1)
        return text.replace(old, new)

    def test_install_update_and_remove_while_a_preview_runs(self):
        repository, newer = self.folder / "repository", self.folder / "newer"
        repository.mkdir()
        shutil.copy(EXTENSION, repository)
        self.extension("server-generate", "--repo-dir", repository)
        newest = self.newer_package(self.folder / "packed")
        newer.mkdir()
        shutil.copy(newest, newer)
        self.extension("server-generate", "--repo-dir", newer)
        url = self.serve(repository)
        script = ROOT / "tools" / "tests" / "inside" / "repository.py"
        reported = self.blender(
            *("-b", "--online-mode", "--python-exit-code", 1, "--python", script),
            *("--", url, repository, newer, VERSION, NEWER),
        )
        self.assertIn("the repository was lived through", reported)
        self.assertFalse(re.search(r"Traceback|Error", reported), reported)


if __name__ == "__main__":
    unittest.main()

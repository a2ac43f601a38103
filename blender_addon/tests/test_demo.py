# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo's scene, coarse and short: baked here, it must play in a Blender without Muslin."""

import os
import subprocess
import tempfile
import unittest

import bpy

HERE = os.path.dirname(os.path.abspath(__file__))
SUPPORT = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tools", "blender_support")


def blender(*arguments):
    """Another Blender of the same kind, with the same settings; (status, all that it said)."""
    command = [bpy.app.binary_path, "-b", "--python-exit-code", "1", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def script(name, *arguments):
    return ["--python", os.path.join(SUPPORT, name), "--", *arguments]


class DemoTest(unittest.TestCase):
    def test_baked_file_plays_alone_and_without_muslin(self):
        with tempfile.TemporaryDirectory(prefix="muslin-test-") as folder:
            baked = os.path.join(folder, "baked.blend")
            coarse = ("--spacing", "0.06", "--body-spacing", "0.03", "--frames", "6")
            status, said = blender(*script("demo_scene.py", baked, *coarse))
            self.assertEqual(status, 0, said)
            self.assertIn("frames baked", said)
            alone = os.path.join(folder, "elsewhere", "copy.blend")
            os.mkdir(os.path.dirname(alone))
            os.rename(baked, alone)
            check = script("demo_render.py", "check", folder)
            status, said = blender("--factory-startup", alone, *check)
            self.assertEqual(status, 0, said)
            # The same question must be able to say no: here Muslin is enabled.
            status, said = blender(alone, *check)
            self.assertNotEqual(status, 0, said)
            self.assertIn("Muslin is enabled", said)


if __name__ == "__main__":
    unittest.main()

"""The command line's other commands: info, check, help and the launcher.

SPDX-License-Identifier: GPL-3.0-or-later
"""


import json
import os
import shutil
import subprocess
import time
import unittest
from pathlib import Path

import numpy as np

from muslin import write_obj
from muslin.library import find
from test_command import CommandTest, write_scene
from test_scenes import sheets

TOOL = Path(__file__).resolve().parents[2] / "tools" / "muslin"


class InfoTest(CommandTest):
    def test_text(self):
        text = self.run_command("info", self.garment).stdout
        for part in ("100 vertices", "components   1", "area", "memory"):
            self.assertIn(part, text)
        bands = ("natural", "cuthill_mckee", "reverse_cuthill_mckee")
        for ordering in bands + ("amd", "metis", "dissection"):
            self.assertRegex(text, rf"(?m)^{ordering} +\d+ +\d+\.\d\d ")

    def test_json(self):
        numbers = json.loads(self.run_command("info", "--json", self.garment).stdout)
        self.assertEqual(numbers["vertex_count"], 100)
        self.assertEqual(numbers["component_count"], 1)
        self.assertEqual(len(numbers["orderings"]), 6)
        self.assertGreater(numbers["memory_bytes"], 0)
        self.assertAlmostEqual(numbers["area"], 1.0, places=1)
        best = min(values["factor_nonzeros"] for values in numbers["orderings"].values())
        chosen = numbers["orderings"][numbers["default_ordering"]]
        self.assertLess(chosen["factor_nonzeros"], 1.3 * best)

    def test_bad_numbering_is_not_tried_unasked(self):
        """A large mesh numbered at random: its natural ordering would take very long."""
        scene = sheets.grid(130, 130)
        write_scene(self.garment, scene, np.random.default_rng(1).permutation(130 * 130))
        numbers = json.loads(self.run_command("info", "--json", self.garment).stdout)
        self.assertIn("--all", numbers["orderings"]["natural"]["skipped"])
        self.assertIn("factor_nonzeros", numbers["orderings"]["metis"])

    def test_large_fan_is_not_tried_unasked(self):
        """Every vertex is near the middle one: a band would be the whole matrix."""
        count = 8000
        angles = np.arange(count) * (2 * np.pi / count)
        rim = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
        faces = [[0, 1 + i, 1 + (i + 1) % count] for i in range(count)]
        write_obj(self.garment, np.vstack([np.zeros((1, 3)), rim]), faces)
        text = self.run_command("info", self.garment).stdout
        for ordering in ("natural", "cuthill_mckee", "reverse_cuthill_mckee"):
            self.assertRegex(text, rf"(?m)^{ordering} +skipped: .* flops; ask for it with --all$")
        for ordering in ("amd", "metis", "dissection"):
            self.assertRegex(text, rf"(?m)^{ordering} +\d+ ")


class CheckTest(CommandTest):
    def test_clean_mesh(self):
        text = self.run_command("check", self.garment).stdout
        self.assertIn("Nothing is wrong with this mesh.", text)
        numbers = json.loads(self.run_command("check", "--json", self.garment).stdout)
        self.assertEqual((numbers["can_simulate"], numbers["findings"]), (True, []))

    def test_reader_that_stops_early(self):
        """A pipe that is closed before everything is written; long and short output."""
        for extra in (0, 20000):
            triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
            self.garment.write_text(triangle + "v 9 9 9\n" * extra)
            command = " ".join(self.command("check", self.garment)) + " | true"
            result = subprocess.run(command, shell=True, capture_output=True, text=True)
            self.assertEqual(result.stderr, "")


class HelpTest(CommandTest):
    def test_help_shows_the_librarys_defaults(self):
        text = " ".join(self.run_command("drape", "--help").stdout.split())
        self.assertIn("--frames 60 therefore makes 59 steps", text)
        self.assertRegex(text, r"kg/m\^2 \(default [\d.]+\)")
        self.assertIn("the edge model applies it to quads only", text)

    def test_help_without_the_library(self):
        environment = {**os.environ, "MUSLIN_LIBRARY": "/nonexistent/libmuslin.so"}
        command = self.command("drape", "--help")
        result = subprocess.run(command, env=environment, capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_usage_errors(self):
        for arguments in ((), ("fly",), ("drape",), ("check",), ("drape", "--garment", "x.obj")):
            result = self.run_command(*arguments, code=2)
            self.assertIn("usage:", result.stderr)

    def test_abbreviated_options_are_refused(self):
        self.run_command(*self.drape_arguments("--sub", 2), code=2)


class ToolTest(CommandTest):
    def test_launcher(self):
        command = [TOOL, *map(str, self.drape_arguments("--frames", 2))]
        result = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd="/")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(len(self.frames()), 2)

    def test_launcher_builds_what_is_out_of_date(self):
        """In a checkout of stand-ins: a cmake that only copies a library and writes a line."""
        checkout = self.folder / "checkout"
        for name in (
            "tools",
            "native",
            "plugin/src",
            "plugin/include",
            "plugin/settings",
            "programs",
        ):
            (checkout / name).mkdir(parents=True)
        for name in ("muslin", "lib.sh"):
            shutil.copy(TOOL.parent / name, checkout / "tools")
        for name in ("plugin/python", "tools/python_support"):
            (checkout / name).symlink_to(TOOL.parents[1] / name)
        sources = ("CMakeLists.txt", "native/a.c", "plugin/src/b.c", "plugin/include/c.h")
        sources += ("plugin/settings/d.json",)
        for name in sources:
            (checkout / name).touch()
        library, log = checkout / "build" / "libmuslin.so", checkout / "log"
        self.script(checkout / "tools" / "setup", "echo setup ran")
        copy = f"[ $1 != --build ] || {{ echo >> {log}; cp -n {find()} {library}; }}"
        self.script(checkout / "programs" / "cmake", copy)

        def builds():
            environment = {**os.environ, "PATH": f"{checkout / 'programs'}:{os.environ['PATH']}"}
            for name in ("MUSLIN_LIBRARY", "MUSLIN_BUILD"):
                environment.pop(name, None)
            command = [checkout / "tools" / "muslin", "--version"]
            result = subprocess.run(command, env=environment, capture_output=True, text=True)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertRegex(result.stdout, r"^muslin [\d.]+\n$")
            return len(log.read_text().splitlines())

        self.assertEqual(builds(), 1, "no library yet")
        self.assertEqual(builds(), 1, "nothing has changed")
        for number, name in enumerate(sources, 2):
            with self.subTest(name):
                time.sleep(0.02)
                (checkout / name).touch()
                self.assertEqual(builds(), number)
                self.assertEqual(builds(), number, "built, though the library stayed as it was")

    def script(self, path, line):
        path.write_text(f"#!/bin/sh\n{line}\n")
        path.chmod(0o755)


if __name__ == "__main__":
    unittest.main()

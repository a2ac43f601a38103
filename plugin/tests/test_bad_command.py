"""Bad input through the command line: an exit code, a message that names it, and no file.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

from in_process import run_in_process

OBJ_SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n"


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.garment = self.folder / "garment.obj"
        self.garment.write_text(OBJ_SQUARE)
        self.output = self.folder / "out.pc2"

    def run_command(self, *arguments):
        return run_in_process(*arguments)

    def drape(self, *arguments, output=None):
        return self.run_command(
            "drape",
            "--garment",
            self.garment,
            "-o",
            output or self.output,
            "--frames",
            3,
            *arguments,
        )

    def refused(self, result, *parts, code=2):
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        self.assertEqual(result.stdout, "")
        for part in parts:
            self.assertIn(str(part), result.stderr)
        self.assertEqual([name for name in os.listdir(self.folder) if "pc2" in name], [])

    def test_values_of_options(self):
        cases = {
            "--frames": ("0", "-1", "1.5", "many"),
            "--fps": ("0", "-24", "nan", "inf", "0.05"),
            "--substeps": ("-1", "-2", "1.5", "often"),
            "--iterations": ("0", "x"),
            "--threads": ("0", "-1"),
            "--density": ("0", "-0.2", "nan", "-inf", "1e99", "heavy", ""),
            "--stretch": ("-1", "nan", "1,2,3"),
            "--shear": ("-1", "inf"),
            "--bend": ("-1", "nan"),
            "--damping": ("-1", "nan"),
            "--stiffness-damping": ("-1",),
            "--air-drag": ("-1",),
            "--normal-drag": ("-1",),
            "--tangent-drag": ("-1",),
            "--rope-density": ("0",),
            "--rope-stretch": ("-1",),
            "--gravity": ("0,0", "0,0,nan", "a,b,c", "-9.81"),
            "--wind": ("1,2,3,4", "inf,0,0"),
            "--uv-scale": ("0", "-1"),
            "--pcg-tolerance": ("0", "1", "-0.1", "nan"),
            "--pcg-limit": ("0", "-1", "1.5", "99999999999"),
            "--pin-stiffness": ("0", "-1", "inf"),
            "--model": ("knit",),
            "--estimate": ("luck",),
            "--order": ("0", "3"),
            "--solver": ("magic",),
            "--ordering": ("alphabetical",),
            "--coefficients": ("nan", "1,2,3,4,5", "a"),
            "--pin": ("x", "-1", "5-3", "1,,2", "1-2-3"),
            "--pin-above": ("z", "w:1", "z:high", "z:nan", "--z:1"),
            "--pin-weight": ("0", "1.5", "-1"),
        }
        for option, values in cases.items():
            for value in values:
                with self.subTest(option, value=value):
                    self.refused(self.drape(option, value), option)

    def test_pin_that_does_not_exist(self):
        self.refused(self.drape("--pin", "0,4"), "--pin 4", "0 to 3")
        self.refused(self.drape("--pin", "0-99999999999"), "--pin 99999999999")

    def test_files_that_are_no_mesh(self):
        contents = {
            "empty": b"",
            "picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
            "text": b"This is a letter.\n",
            "broken": b"v 0 0\n",
            "range": b"v 0 0 0\nf 1 2 3\n",
            "only vertices": b"v 0 0 0\nv 1 0 0\n",
            "not a number": b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        }
        for name, content in contents.items():
            for command in ("drape", "check", "info"):
                with self.subTest(name, command=command):
                    self.garment.write_bytes(content)
                    if command == "drape":
                        self.refused(self.drape())
                    else:
                        result = self.run_command(command, self.garment)
                        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
                        self.assertNotIn("Traceback", result.stderr)
                        self.assertIn(str(self.garment), result.stdout + result.stderr)

    def test_exit_code_of_a_process(self):
        command = [sys.executable, "-m", "muslin", "drape", "--garment", self.garment]
        command += ["-o", self.output, "--pin", "0,4"]
        result = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.refused(result, "--pin 4", "0 to 3")

    def test_missing_garment(self):
        for command in (("check",), ("info",)):
            result = self.run_command(*command, self.folder / "missing.obj")
            self.refused(result, self.folder / "missing.obj")
        self.garment.unlink()
        self.refused(self.drape(), self.garment)

    def test_not_finite_vertex_is_named(self):
        self.garment.write_text("v 0 0 0\nv 1 inf 0\nv 0 1 0\nf 1 2 3\n")
        self.refused(self.drape(), "vertex 1")
        result = self.run_command("check", self.garment)
        self.assertEqual(result.returncode, 2)
        self.assertIn("vertex 1: has a coordinate that is not a number", result.stdout)
        self.assertIn(f"{self.garment}: 3 vertices, 1 triangle\n", result.stdout)

    def test_texture_coordinates_that_are_not_finite(self):
        self.garment.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt nan 1\nf 1/1 2/2 3/1\n")
        result = self.run_command("check", self.garment)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(
            "face 0 (vertices 0, 1, 2): has a texture coordinate that is not a finite number. "
            "It is ignored unless the UV map is the pattern.",
            result.stdout,
        )
        listed = json.loads(self.run_command("check", "--json", self.garment).stdout)
        self.assertEqual([finding["kind"] for finding in listed["findings"]], ["bad_uv"])
        self.refused(self.drape("--pattern", "uv"), "UV")

    def test_outputs_that_cannot_be_written(self):
        missing = self.folder / "missing" / "a"
        (self.folder / "folder").mkdir()
        for path in (missing, self.folder / "folder", "/proc/muslin_test", "/dev/null"):
            for option in ("-o", "--last-frame", "--stats"):
                with self.subTest(option, path=path):
                    given = {"output": path} if option == "-o" else {}
                    result = self.drape(*(() if given else (option, path)), **given)
                    self.refused(result, path)
                    self.assertFalse(missing.parent.exists())

    def test_empty_path(self):
        self.refused(self.drape("--stats", ""), "not a path")

    def test_outputs_over_inputs_and_each_other(self):
        self.refused(self.drape(output=self.garment), "are the same file")
        for arguments in (
            ("--last-frame", self.garment),
            ("--stats", self.output),
        ):
            self.refused(self.drape(*arguments), "are the same file")
        self.assertEqual(self.garment.read_text(), OBJ_SQUARE)

    def test_maps(self):
        bad = self.folder / "map.txt"
        cases = {
            "1\n1\n1\n": "3 numbers",
            "1\n1\n-1\n1\n": "vertex 2",
            "1\nnan\n1\n1\n": "vertex 1",
            "1\nx\n1\n1\n": "line 2",
            "0\n1\n1\n1\n": "vertex 0",
        }
        for content, part in cases.items():
            bad.write_text(content)
            self.refused(self.drape("--mass-map", bad), bad, part)
        bad.write_bytes(b"\xff\xfe\0")
        self.refused(self.drape("--bend-map", bad), bad)
        array = self.folder / "map.npy"
        for content in (b"", b"text", b"\x93NUMPY\x01\0"):
            array.write_bytes(content)
            self.refused(self.drape("--stretch-map", array), array)
        np.save(array, np.ones((2, 2)))
        self.refused(self.drape("--stretch-map", array), array, "2 x 2")
        np.save(array, np.array([object()] * 4), allow_pickle=True)
        self.refused(self.drape("--stretch-map", array), array)

    def test_pin_motion(self):
        self.refused(
            self.drape("--pin", 0, "--pin-motion", self.garment), self.garment, "not a PC2"
        )

    def test_uv_pattern_without_uvs(self):
        self.refused(self.drape("--pattern", "uv"), "UV")

    def test_order_and_coefficients(self):
        self.refused(self.drape("--order", 1, "--coefficients", "1"), "--coefficients")

    def test_defects_are_listed_one_by_one(self):
        self.garment.write_text(
            OBJ_SQUARE + "v 5 5 5\nv 2 0 0\nv 0 0 1\nf 1 2 3\nf 1 2 6\nf 1 1 2\nf 1 3 7\n"
        )
        result = self.run_command("check", self.garment)
        self.assertEqual(result.returncode, 0, result.stderr)
        for line in (
            "face 2 (vertices 0, 1, 2): has the same vertices as an earlier face. It is left out.",
            "face 3 (vertices 0, 1, 5): has no area.",
            "face 4 (vertices 0, 0, 1): uses the same vertex twice. It is left out.",
            "vertex 4: belongs to no face and no edge. It stays where it is.",
            "edge between vertices 0, 2: belongs to three or more faces.",
            "This mesh can be simulated.",
        ):
            self.assertIn(line, result.stdout)
        listed = json.loads(self.run_command("check", "--json", self.garment).stdout)
        self.assertTrue(listed["can_simulate"])
        kinds = sorted({finding["kind"] for finding in listed["findings"]})
        expected = ["duplicate_face", "isolated", "non_manifold", "repeated_vertex", "zero_area"]
        self.assertEqual([kind for kind in kinds if kind != "flipped"], expected)

    def test_a_loose_edge_of_one_vertex(self):
        self.garment.write_text(OBJ_SQUARE + "l 3 3\n")
        result = self.run_command("check", self.garment)
        self.assertIn("loose edge 0 (vertex 2): uses the same vertex twice.", result.stdout)

    def test_defects_are_simulated_with_one_line_of_warning(self):
        self.garment.write_text(OBJ_SQUARE + "v 5 5 5\n")
        result = self.drape("--pin", "0")
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertIn("muslin: warning: the mesh has 1 vertex", result.stderr)
        self.assertTrue(self.output.exists())

    def test_several_warnings_have_a_line_each(self):
        self.garment.write_text(OBJ_SQUARE + "f 1 2 3\nv 5 5 5\n")
        lines = self.drape("--pin", "0").stderr.splitlines()
        self.assertEqual(len(lines), 2, lines)
        for line, part in zip(lines, ("given twice", "belonging to nothing")):
            self.assertTrue(line.startswith("muslin: warning: "), line)
            self.assertIn(part, line)

    def test_everything_pinned(self):
        result = self.drape("--pin", "0-3")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertIn("pinned", result.stderr)


if __name__ == "__main__":
    unittest.main()

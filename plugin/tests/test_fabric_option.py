"""`--fabric` of drape: names and paths, what overrides it, and what is refused.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import unittest

import numpy as np
from fabric_folder import MEASURED, TIN, InFolder
from in_process import run_in_process
from muslin import fabric, fabric_surface


def square(uvs=False):
    """A square metre, perhaps with a UV map."""
    lines = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
    lines += "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3 4/4\n" if uvs else "f 1 2 3 4\n"
    return lines


class CommandTest(InFolder):
    def setUp(self):
        super().setUp()
        garment = self.folder / "g.obj"
        garment.write_text(square(uvs=True))
        self.files = ("--garment", garment, "-o", self.folder / "o.pc2", "--frames", 2)

    def settings(self, *arguments):
        """The settings that a run was made with."""
        reported = self.folder / "stats.json"
        result = run_in_process("drape", *self.files, "--stats", reported, *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(reported.read_text())["settings"]

    def test_fabric(self):
        settings = self.settings("--fabric", "denim")
        for name, value in {**fabric("denim"), **fabric_surface("denim")}.items():
            np.testing.assert_allclose(settings[name], value, rtol=1e-6)

    def test_options_override_the_fabric(self):
        self.write("tin.json", material=TIN, contact={"friction": 0.7, "thickness": 0.009})
        options = ("--shear", 7, "--stretch", "800,900", "--thickness", 0.002, "--self-contact")
        settings = self.settings(*options, "--fabric", "tin")
        self.assertEqual((settings["shear"], settings["stretch_warp"]), (7, 800))
        self.assertEqual(settings["stretch_weft"], 900)
        self.assertEqual(settings["density"], 2)
        self.assertAlmostEqual(settings["thickness"], 0.002, 6)
        self.assertAlmostEqual(settings["friction"], 0.7, 6)

    def test_options_take_the_place_of_what_was_measured(self):
        path = self.write("tin.json", **MEASURED)
        plain = self.settings("--fabric", path)
        self.assertEqual((plain["model"], plain["stretch_samples"][0]), ("membrane", 100))
        stretched = self.settings("--fabric", path, "--stretch", 500)
        self.assertEqual(
            (stretched["stretch_warp"], any(stretched["stretch_samples"])), (500, False)
        )
        self.assertTrue(any(stretched["bend_samples"]))
        bent = self.settings("--fabric", path, "--bend", 1e-4)
        self.assertFalse(any(bent["bend_samples"]))
        self.assertTrue(any(bent["stretch_samples"]))

    def test_options_that_do_not_go_with_what_was_measured(self):
        path = self.write("tin.json", **MEASURED)

        def refused(words, *options):
            result = run_in_process("drape", *self.files, "--fabric", path, *options)
            self.assertEqual(result.returncode, 2)
            self.assertIn(words, result.stderr)
            self.assertFalse((self.folder / "o.pc2").exists())

        refused(
            f"--model triangle does not go with the measured stretch of {path}, which needs the membrane model",
            "--model",
            "triangle",
        )
        refused(
            f"--poisson 0.3 does not go with the measured stretch of {path}", "--poisson", "0.3"
        )
        replaced = self.settings("--fabric", path, "--poisson", 0.3, "--stretch", 500)
        self.assertFalse(any(replaced["stretch_samples"]))
        (self.folder / "o.pc2").unlink()
        path = self.write("tin.json", material={**TIN, "poisson": 0.3}, model="membrane")
        refused(f"--model edge does not go with poisson of {path}", "--model", "edge")
        self.assertEqual(
            self.settings("--fabric", path, "--model", "edge", "--poisson", 0)["model"], "edge"
        )

    def test_the_fabric_is_not_written_over(self):
        path = self.write("tin.json", material=TIN)
        before = path.read_bytes()
        result = run_in_process("drape", *self.files, "--fabric", "tin", "--stats", path)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--stats and --fabric are the same file", result.stderr)
        self.assertEqual(path.read_bytes(), before)

    def test_names_with_signs_of_formats(self):
        self.write("50% {wool} or %s.json", material=TIN)
        result = run_in_process("drape", "--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("50% {wool} or %s", " ".join(result.stdout.split()))
        self.assertEqual(self.settings("--fabric", "50% {wool} or %s")["density"], 2)

    def test_model_of_the_fabric(self):
        path = self.write("tin.json", material=TIN, model="edge")
        self.assertEqual(self.settings("--fabric", path)["model"], "edge")
        self.assertEqual(
            self.settings("--fabric", path, "--model", "triangle")["model"], "triangle"
        )

    def test_without_uv_map_the_warp_is_reported(self):
        (self.folder / "g.obj").write_text(square())
        result = run_in_process("drape", *self.files, "--fabric", "denim")
        self.assertEqual(result.returncode, 0)
        self.assertIn(
            "g.obj has no UV map: the warp of denim is assumed to be vertical", result.stderr
        )
        self.write("tin.json", material=TIN)  # the same in all directions
        self.assertEqual(run_in_process("drape", *self.files, "--fabric", "tin").stderr, "")

    def test_unknown_fabric(self):
        result = run_in_process("drape", *self.files, "--fabric", "demin")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--fabric: there is no fabric 'demin'; did you mean denim", result.stderr)

    def test_broken_file(self):
        self.write("tin.json", material={**TIN, "bend": "soft"})
        for name in ("tin", self.folder / "tin.json"):
            result = run_in_process("drape", *self.files, "--fabric", name)
            self.assertEqual(result.returncode, 2)
            self.assertIn('tin.json: material.bend: "soft" is not a number', result.stderr)
            self.assertFalse((self.folder / "o.pc2").exists())


class GarmentsTest(InFolder):
    """Two garments, of one fabric or of two."""

    def setUp(self):
        super().setUp()
        self.files = ["--frames", 2]
        for name in ("shirt", "jacket"):
            garment = self.folder / f"{name}.obj"
            garment.write_text(square(uvs=True))
            self.files += ["--garment", garment, "-o", self.folder / f"{name}.pc2"]

    def run_with(self, *arguments):
        reported = self.folder / "stats.json"
        result = run_in_process("drape", *self.files, "--stats", reported, *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(reported.read_text())["settings"]

    def refused(self, *arguments):
        result = run_in_process("drape", *self.files, *arguments)
        self.assertEqual(result.returncode, 2)
        return result.stderr

    def test_one_for_each(self):
        path = self.write("tin.json", **MEASURED)
        settings = self.run_with("--fabric", "denim", "--fabric", path, "--damping", 2)
        denim, measured = settings["materials"]
        self.assertAlmostEqual(denim["density"], fabric("denim")["density"], 6)
        self.assertFalse(any(denim["stretch_samples"]))
        self.assertEqual(measured["stretch_samples"][0], 100)
        self.assertEqual([denim["damping"], measured["damping"]], [2, 2])

    def test_numbers_for_each(self):
        settings = self.run_with(
            *("--fabric", "silk", "--density", 0.3, "--density", 0.5, "--stretch", "700,800"),
            *("--stretch", 900),
        )
        shirt, jacket = settings["materials"]
        np.testing.assert_allclose([shirt["density"], jacket["density"]], [0.3, 0.5], rtol=1e-6)
        self.assertEqual((shirt["stretch_warp"], shirt["stretch_weft"]), (700, 800))
        self.assertEqual((jacket["stretch_warp"], jacket["stretch_weft"]), (900, 900))
        np.testing.assert_allclose(jacket["bend"], fabric("silk")["bend"], rtol=1e-6)

    def test_surface_of_both(self):
        """The cloth has one: the largest thickness, and the mean friction."""
        settings = self.run_with("--fabric", "silk", "--fabric", "felt", "--self-contact")
        silk, felt = fabric_surface("silk"), fabric_surface("felt")
        self.assertAlmostEqual(
            settings["thickness"], max(silk["thickness"], felt["thickness"]), places=6
        )
        self.assertAlmostEqual(
            settings["friction"], 0.5 * (silk["friction"] + felt["friction"]), places=6
        )

    def test_one_for_all(self):
        self.assertNotIn("materials", self.run_with("--fabric", "denim"))

    def test_wrong_counts(self):
        words = self.refused("--fabric", "silk", "--fabric", "silk", "--fabric", "silk")
        self.assertIn("--fabric is given 3 times, but there are 2 garments", words)
        self.assertIn("--density is given 3 times", self.refused(*3 * ("--density", 1)))

    def test_model_of_one(self):
        path = self.write("tin.json", **MEASURED)
        words = self.refused("--fabric", "denim", "--fabric", path, "--model", "edge")
        self.assertIn(f"--model edge does not go with the measured stretch of {path}", words)


if __name__ == "__main__":
    unittest.main()

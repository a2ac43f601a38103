"""`muslin fit-fabric`: fabrics come back from their measurements, and bad files are told by line and column.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import csv
import math
import tempfile
import unittest
from pathlib import Path

import numpy as np
from in_process import run_in_process
from muslin import FileError, fabric
from muslin.fabric_file import read_fabric
from muslin.measured.fabric_fit import find_zero, fit, least_squares, samples_of, stretched
from muslin.errors import MuslinError
from muslin.measured.strips import ANGLES, GRAVITY, bend_stiffness, strip_of
from muslin.measured.measurements import COLUMNS, read_measurements
from test_scenes import laboratory

WIDTH, LENGTH = 50, 200  # mm


# A knit that locks: stiffness of warp, weft and shear when slack (N/m), and at a strain of 1/6 over that.
LOCKING = samples_of(np.log([600, 400, 120, 3 - 0.5, 2.5 - 0.5, 1.8 - 0.5]))


def rows_of(settings):
    """What an exact ruler measures of strips that stretch as strips.py says."""
    rows = [["square", "", 200, 100, 20000 * settings["density"] / 1000, ""]]
    half = settings["density"] * LENGTH / 1000 / 2  # of the cloth's own weight, kg/m
    for direction in ANGLES:
        strip = strip_of(settings, direction)
        for strain in (0.02, 0.05, 0.1):
            load = strip.pulled(strain) / GRAVITY - half
            rows.append(["strip", direction, WIDTH, LENGTH, WIDTH * load, LENGTH * (1 + strain)])
    for direction in ANGLES:
        weight = settings["density"] * GRAVITY
        overhang = 2000 * (bend_stiffness(settings, direction) / weight) ** (1 / 3)
        rows.append(["overhang", direction, 25, "", "", overhang])
    return rows


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "strips.csv"

    def write(self, rows, head=COLUMNS):
        with open(self.file, "w", newline="") as file:
            csv.writer(file).writerows([head, *rows])
        return self.file


class FitTest(InFolder):
    def test_strips_of_the_formula_give_their_numbers_back(self):
        for name in ("rubber", "leather"):  # whose bending is alike in all directions
            wanted = fabric(name)
            found = fit(read_measurements(self.write(rows_of(wanted))))
            for key in ("density", "stretch_warp", "stretch_weft", "shear"):
                self.assertAlmostEqual(found.material[key] / wanted[key], 1, 6, (name, key))
            for key in ("bend", "bend_weft"):
                self.assertAlmostEqual(found.material[key] / wanted[key], 1, 6, (name, key))
            self.assertAlmostEqual(found.material["bend_twist"], 1, delta=0.03)
            self.assertLess(found.misfit, 1e-8)

    def test_a_simulated_fabric_comes_back_within_two_percent(self):
        """Strips are hung in the simulation with weights and over an edge, and measured there."""
        wanted = fabric("tulle")
        found = fit(read_measurements(self.write(laboratory.measured(wanted)))).material
        for key in found:
            self.assertAlmostEqual(found[key] / wanted[key], 1, delta=0.02, msg=key)

    def assert_strips_alike(self, found, wanted, most):
        for direction in ANGLES:
            ours, theirs = strip_of(found, direction), strip_of(wanted, direction)
            for strain in (0.01, 0.03, 0.06, 0.1):
                error = ours.pulled(strain) / theirs.pulled(strain) - 1
                self.assertLess(abs(error), most, (direction, strain))

    def test_strips_that_become_stiffer_give_their_curves_back(self):
        wanted = {**fabric("rubber"), "stretch_samples": LOCKING}
        found = fit(read_measurements(self.write(rows_of(wanted))))
        self.assertEqual(found.model, "membrane")
        self.assertLess(found.misfit, 1e-6)
        np.testing.assert_allclose(found.material["stretch_samples"], LOCKING, rtol=1e-4)
        self.assert_strips_alike(found.material, wanted, 1e-4)
        straight = fit(read_measurements(self.file), "triangle")
        self.assertGreater(straight.misfit, 0.03)
        self.assertNotIn("stretch_samples", straight.material)

    def test_simulated_strips_that_become_stiffer_come_back_within_two_percent(self):
        wanted = {**fabric("rubber"), "stretch_samples": LOCKING, "model": "membrane"}
        rows = laboratory.measured(wanted, (0.15, 0.4, 0.7, 1.0), 0.12)
        found = fit(read_measurements(self.write(rows)))
        self.assertEqual(found.model, "membrane")
        self.assert_strips_alike(found.material, wanted, 0.02)

    def test_a_curve_needs_three_weights(self):
        rows = rows_of({**fabric("rubber"), "stretch_samples": LOCKING})
        del rows[4]  # one of the weft's
        measurements = read_measurements(self.write(rows))
        self.assertEqual(fit(measurements).model, "triangle")
        with self.assertRaisesRegex(MuslinError, "at least 3 weights .* 2 along the weft"):
            fit(measurements, "membrane")

    def test_strain_under_a_force(self):
        strip = strip_of({"stretch_samples": LOCKING}, "bias")
        for strain in (0.001, 0.05, 0.3):
            self.assertAlmostEqual(stretched(strip, strip.pulled(strain)), strain, 10)

    def test_a_ruler_of_half_a_millimetre_is_no_disaster(self):
        rows = rows_of(fabric("jersey"))
        for row in rows[1:]:
            row[-1] = round(2 * row[-1]) / 2
        found = fit(read_measurements(self.write(rows))).material
        for key, value in found.items():
            if key in ("stretch_warp", "stretch_weft", "shear", "density"):
                self.assertAlmostEqual(value / fabric("jersey")[key], 1, delta=0.05, msg=key)

    def test_least_squares(self):
        """A circle through points: not linear, and not solved exactly."""
        angles = np.linspace(0, 2, 9)
        points = np.array([np.cos(angles), np.sin(angles)]).T * 3 + (1, 2)
        points[::2] *= 1.001

        def residuals(place):
            return np.linalg.norm(points - place[:2], axis=1) - place[2]

        found = least_squares(residuals, [0, 0, 1])
        np.testing.assert_allclose(found, (1, 2, 3), atol=0.02)
        for move in 1e-4 * np.eye(3):
            for side in (1, -1):
                there, here = residuals(found + side * move), residuals(found)
                self.assertGreaterEqual(there @ there, here @ here)

    def test_zeros(self):
        self.assertAlmostEqual(find_zero(lambda x: 50 - x**3, 0, 10), 50 ** (1 / 3), 2)
        self.assertEqual(find_zero(lambda x: -1 - x, 0, 10), 0)
        self.assertEqual(find_zero(lambda x: 11 - x, 0, 10), 10)


class BadFileTest(InFolder):
    """The file, the line, the column and the value are named."""

    def setUp(self):
        super().setUp()
        self.rows = rows_of(fabric("rubber"))

    def refused(self, words, head=COLUMNS):
        path = self.write(self.rows, head)
        with self.assertRaises(FileError) as caught:
            read_measurements(path)
        self.assertEqual(str(caught.exception), f"{path}{words}")

    def changed(self, line, column, value, words):
        place = COLUMNS.index(column)
        kept, self.rows[line - 2][place] = self.rows[line - 2][place], value
        self.refused(f", line {line}: {column}: {words}")
        self.rows[line - 2][place] = kept

    def test_values(self):
        self.changed(2, "weight_g", "heavy", "'heavy' is not a number")
        self.changed(2, "weight_g", "", "'' is not a number")
        for value in ("nan", "-1", "0", "inf", "1e6"):
            words = f"'{value}' is not above 0 and at most 100000"
            self.changed(3, "width_mm", value, words)
        self.changed(2, "measurement", "cube", "'cube' is not one of square, strip, overhang")
        self.changed(3, "direction", "up", "'up' is not one of warp, weft, bias")
        self.changed(2, "result_mm", 3, "'3' has no meaning for a square; leave it empty")
        words = "is not what cloth hangs over an edge by: 2 to 1000 mm"
        for value in (1, 1001):
            self.changed(len(self.rows) + 1, "result_mm", value, f"'{value}' {words}")
        words = "'90000' makes 4500 kg/m^2, which is not from 0.001 to 100"
        self.changed(2, "weight_g", 90000, words)
        words = "is not more than length_mm, the length without a weight"
        self.changed(3, "result_mm", 200, f"'200' {words}")

    def test_less_length_for_more_weight(self):
        words = "201 is less for its length than in line 4, though more weight pulls"
        self.changed(5, "result_mm", 201, words)

    def test_missing(self):
        rows = self.rows
        self.rows = rows[1:]
        self.refused(": there is no square, whose weight is needed")
        self.rows = [row for row in rows if row[:2] != ["strip", "bias"]]
        self.refused(": there is no strip along the bias")
        self.rows = [row for row in rows if row[:2] != ["overhang", "weft"]]
        self.refused(": there is no overhang along the weft")

    def test_form(self):
        got = ", ".join(COLUMNS[:5])
        self.refused(f", line 1: expected the columns {', '.join(COLUMNS)}, got {got}", COLUMNS[:5])
        self.rows[3] = self.rows[3][:4]
        self.refused(", line 5: 4 values, expected 6")
        self.file.write_text("")
        with self.assertRaisesRegex(FileError, "is empty"):
            read_measurements(self.file)
        self.file.write_bytes(b'"' + b"a" * 200_000)
        with self.assertRaisesRegex(FileError, "this is not CSV"):
            read_measurements(self.file)
        with self.assertRaisesRegex(FileError, "this is a folder"):
            read_measurements(self.folder)

    def test_remarks_spaces_and_the_order_of_columns_do_not_matter(self):
        plain = read_measurements(self.write(self.rows))
        turned = [[f" {cell} " for cell in row[::-1]] for row in self.rows]
        other = read_measurements(self.write([*turned, [""] * 6], COLUMNS[::-1]))
        self.assertEqual(plain, other)

    def test_remarks_and_empty_lines_may_be_anywhere(self):
        plain = read_measurements(self.write(self.rows))
        lines = self.file.read_text().splitlines()
        odd = ["# my shirt", "", '  # 5" wide, blue', ",,,,,", '"# in quotes, with a comma",,,,,']
        self.file.write_text("\n".join([*odd, lines[0], *odd, *lines[1:4], *odd, *lines[4:], *odd]))
        found = read_measurements(self.file)
        self.assertEqual([pull[1:] for pull in plain.pulls], [pull[1:] for pull in found.pulls])
        self.assertEqual([one[1:] for one in plain.overhangs], [one[1:] for one in found.overhangs])
        lines[2] = lines[2].replace("warp", "up")
        self.file.write_text("\n".join([*odd, *lines]))
        with self.assertRaisesRegex(FileError, "line 8: direction: 'up' is not one of"):
            read_measurements(self.file)
        self.file.write_text("# nothing\n\n")
        with self.assertRaisesRegex(FileError, "is empty; expected a line with"):
            read_measurements(self.file)


class CommandTest(InFolder):
    def test_file_is_a_fabric(self):
        self.write(rows_of(fabric("rubber")))
        out = self.folder / "mine.json"
        result = run_in_process("fit-fabric", self.file, "-o", out, "--label", "My Rubber")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("stretch_warp   600", result.stdout)
        one = read_fabric(out)
        self.assertEqual(
            (one.name, one.label, one.source),
            ("mine", "My Rubber", "fitted to the measurements in strips.csv"),
        )
        self.assertAlmostEqual(one.material["shear"] / 200, 1, 4)

    def test_strips_of_another_kind_are_reported(self):
        rows = rows_of(fabric("rubber"))
        for row in rows:
            if row[:2] == ["strip", "warp"]:  # a knit that locks
                row[-1] = LENGTH * (1 + 0.1 * math.tanh(row[4] / 40))
        options = ("fit-fabric", self.write(rows), "-o", self.folder / "a.json")
        result = run_in_process(*options, "--model", "triangle")
        self.assertEqual(result.returncode, 0)
        self.assertIn("of the largest strain in the mean: a line was mistyped", result.stderr)
        result = run_in_process(*options)
        self.assertIn("or the cloth has a different shape of curve", result.stderr)
        self.assertIn("stiffness at a strain of 1/6 over that of slack cloth: warp", result.stdout)
        one = read_fabric(self.folder / "a.json")
        self.assertEqual((one.model, len(one.material["stretch_samples"])), ("membrane", 24))

    def test_a_bias_that_hangs_as_none_can_is_reported(self):
        rows = rows_of(fabric("rubber"))
        rows[-1][-1] *= 5
        result = run_in_process("fit-fabric", self.write(rows), "-o", self.folder / "a.json")
        self.assertEqual(result.returncode, 0)
        self.assertIn("the overhang along the bias does not go with", result.stderr)

    def test_what_is_written_can_be_read(self):
        self.write(rows_of(fabric("rubber")))

        def refused(words, *options):
            result = run_in_process("fit-fabric", self.file, *options)
            self.assertEqual(result.returncode, 2)
            self.assertIn(words, result.stderr)
            self.assertEqual([path.name for path in self.folder.iterdir()], ["strips.csv"])

        out = self.folder / "mine.json"
        refused('--label: label: "" is not text', "-o", out, "--label", "")
        refused("--label: label: ", "-o", out, "--label", "a\x1b[31mb")
        for name in ("mine", "mine.csv", ".json"):
            refused(f"{name}: a file of a fabric is called NAME.json", "-o", self.folder / name)

    def test_bad_input_leaves_no_file(self):
        self.file.write_text("width\n1\n")
        result = run_in_process("fit-fabric", self.file, "-o", self.folder / "mine.json")
        self.assertEqual(result.returncode, 2)
        self.assertIn("strips.csv, line 1: expected the columns", result.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["strips.csv"])
        result = run_in_process("fit-fabric", self.file, "-o", self.file)
        self.assertIn("this is the file of the measurements", result.stderr)


if __name__ == "__main__":
    unittest.main()

"""Files of measured fabrics: what becomes of their numbers, and what is refused.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest
from pathlib import Path

import numpy as np
from fabric_folder import MEASURED, InFolder, flat
from muslin import Cloth, FileError, fabric, fabrics
from muslin.fabric_file import Fields
from muslin.measured_fabric import check_growth, converted

TEN = Path(__file__).resolve().parents[3] / "shared" / "data" / "fabrics"


class MeasuredTest(InFolder):
    def converted(self, **changes):
        return converted({**MEASURED, **changes}, Fields("tin.json"))

    def test_negative_stretch_is_none_and_all_is_doubled(self):
        found = self.converted()
        self.assertEqual(found["model"], "membrane")
        samples = found["material"]["stretch_samples"]
        self.assertEqual((len(samples), samples[:5]), (24, [100, 0, 160, 60, 120]))
        bends = found["material"]["bend_samples"]
        self.assertEqual((len(bends), bends[:6]), (15, [4e-6, 5e-6, 6e-6, 6e-6, 7e-6, 3e-6]))

    def test_plain_numbers_resist_small_strains_alike(self):
        found = self.converted()["material"]
        self.assertEqual((found["stretch_warp"], found["stretch_weft"]), (100, 160))
        self.assertEqual(found["shear"], 15)
        warp, weft, twist = (
            found["bend"] * f for f in (1, found["bend_weft"], found["bend_twist"])
        )
        self.assertAlmostEqual((warp + weft + 2 * twist) / 4, 3e-6)

    def test_refusals(self):
        def refused(words, **changes):
            with self.assertRaisesRegex(FileError, f"^tin.json: {words}"):
                self.converted(**changes)

        rows, bends = MEASURED["stretching"], MEASURED["bending"]
        refused("stretching: wanted 6 rows of 4 numbers, got 5 rows", stretching=rows[:5])
        refused(r"stretching\[0\]: wanted 4 numbers, got 3", stretching=[[1, 2, 3]] + rows[1:])
        refused(
            r"stretching\[0\]\[2\]: c22 -1 N/m at rest is not above 0",
            stretching=[[1, 2, -1, 3]] + rows[1:],
        )
        refused(
            r"stretching\[0\]\[1\]: NaN is not", stretching=[[1, float("nan"), 1, 3]] + rows[1:]
        )
        refused(r"bending\[2\]\[4\]: 0 is not above 0 N m", bending=bends[:2] + [[1, 1, 1, 1, 0]])
        refused('density: "thin" is not a number', density="thin")
        refused("colour: 3: there is no such field", colour=3)
        with self.assertRaisesRegex(FileError, "bending: is missing"):
            converted({"density": 1, "stretching": rows}, Fields("tin.json"))

    def test_a_file_can_be_simulated(self):
        self.write("11oz-tin.json", **MEASURED)
        one = fabrics.find_fabric("11oz-tin")
        self.assertEqual((one.label, one.model), ("11oz Tin", "membrane"))
        with Cloth(flat(), **fabric("11oz-tin")) as cloth:
            self.assertEqual(cloth.settings["model"], "membrane")
            np.testing.assert_allclose(
                cloth.settings["stretch_samples"], one.material["stretch_samples"], rtol=1e-6
            )
            np.testing.assert_allclose(
                cloth.settings["bend_samples"], one.material["bend_samples"], rtol=1e-6
            )
        self.assertFalse(any(fabric("cotton")["stretch_samples"]))  # takes the place of all

    def test_the_ten_measured_fabrics_can_be_simulated(self):
        names = sorted(TEN.glob("*.json"))
        if not names:
            self.skipTest("shared/data/fabrics beside the checkout is not there")
        for path in names:
            with Cloth(flat(), **fabric(str(path))) as cloth:
                cloth.step(1 / 24)
                self.assertTrue(np.isfinite(cloth.positions()).all(), path)

    def test_force_that_falls_with_the_strain(self):
        samples = self.converted()["material"]["stretch_samples"]
        check_growth(Fields("tin.json"), {"stretch_samples": samples})
        samples[4] = 49
        with self.assertRaisesRegex(FileError, "c11 falls from 100 N/m at rest to 49"):
            check_growth(Fields("tin.json"), {"stretch_samples": samples})


if __name__ == "__main__":
    unittest.main()

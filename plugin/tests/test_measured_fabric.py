"""Files of measured fabrics: what becomes of their numbers, and what is refused.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest
from pathlib import Path

import numpy as np
from fabric_folder import MEASURED, InFolder, flat
from muslin import Cloth, FileError, fabric, fabrics
from muslin.fabric_file import Fields
from muslin.measured.measured_fabric import converted

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
        refused("stretching: expected 6 rows of 4 numbers, got 5 rows", stretching=rows[:5])
        refused(r"stretching\[0\]: expected 4 numbers, got 3", stretching=[[1, 2, 3]] + rows[1:])
        refused(
            r"stretching\[0\]\[2\]: c22 -1 N/m at rest is not above 0",
            stretching=[[1, 2, -1, 3]] + rows[1:],
        )
        refused(
            r"stretching\[0\]\[1\]: NaN is not", stretching=[[1, float("nan"), 1, 3]] + rows[1:]
        )
        refused(r"bending\[2\]\[4\]: 0 is not above 0 N m", bending=bends[:2] + [[1, 1, 1, 1, 0]])
        refused(
            r"stretching\[5\]\[3\]: 6e\+06 is not at most 5e\+06",
            stretching=rows[:5] + [[60, 1, 120, 6e6]],
        )
        refused('density: "thin" is not a number', density="thin")
        refused("density: 200 is not from 0.001 to 100 kg/m\\^2", density=200)
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

    def test_tables_of_which_no_strip_resists(self):
        """The library would refuse the first, and make what was not measured of the second."""
        rows = MEASURED["stretching"]
        words = r"stretching\[0\]\[1\]: c12 63 N/m at rest is not at most 62.6\d+, 0.99 of the root"
        with self.assertRaisesRegex(FileError, f"^tin.json: {words}"):
            self.converted(stretching=[[50, 63, 80, 30]] + rows[1:])
        self.converted(stretching=[[50, 62, 80, 30]] + rows[1:])
        words = (
            r"stretching\[1\]\[0\]: c11 24 N/m at a strain of 1/6 is less than half of 50 at rest"
        )
        with self.assertRaisesRegex(FileError, f"^tin.json: {words}"):
            self.converted(stretching=[rows[0], [24, 1, 80, 30]] + rows[2:])
        self.converted(stretching=[rows[0], [25, 1, 80, 30]] + rows[2:])

    def test_what_a_file_may_say_the_library_takes(self):
        """Random tables, many of them odd: what is read can be simulated."""
        random, taken = np.random.default_rng(5), 0
        for _ in range(200):
            scale = 10 ** random.uniform(-2, 6)
            rows = scale * 10 ** random.uniform(-1, 0.5, (6, 4)) * random.uniform(-0.1, 1, (6, 4))
            rows[0, 1] *= random.uniform(0, 2)
            path = self.write(
                "tin.json",
                density=10 ** random.uniform(-3, 2),
                stretching=rows.tolist(),
                bending=(10 ** random.uniform(-12, 1, (3, 5))).tolist(),
            )
            try:
                settings = fabric(str(path))
            except FileError:
                continue
            taken += 1
            with Cloth(flat(), **settings) as cloth:
                cloth.step(1 / 24)
                self.assertTrue(np.isfinite(cloth.positions()).all())
        self.assertGreater(taken, 20)


if __name__ == "__main__":
    unittest.main()

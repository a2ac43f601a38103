"""Garments with something wrong: looked at, draped on a body with self-contact, mirrored; each is survived, or refused.

One case of every defect on our own t-shirt, coarse; tools/bench trust --only garbage has 300, on real garments.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from muslin import Cloth, Mesh, Placement
from test_scenes import garbage, sheets, solids
from test_scenes.contact import figures
from test_scenes.garbage_trial import TORN, drape, trial

SEED = 7
FRAMES = 2
# What nobody can simulate.
REFUSED = {"not_numbers", "wrong_indices"}


def tshirt():
    scene = figures.tshirt(0.06, 0.035)
    body = scene.bodies[0]
    return scene.cloth, garbage.Mesh(body.positions(0), body.faces)


class GarbageTest(unittest.TestCase):
    def test_every_defect(self):
        cloth, body = tshirt()
        for defect in garbage.DEFECTS:
            for outcome in trial(garbage.spoiled(cloth, body, defect, SEED), FRAMES):
                with self.subTest(defect=defect, way=outcome.way):
                    self.assertIsNone(outcome.fault)
                    if defect in REFUSED:
                        self.assertIn("vertex", outcome.refusal)

    def test_sound(self):
        """The trial finds nothing wrong with what is sound, and the library cuts nothing short."""
        outcome = drape(garbage.Worn(*tshirt()), "drape")
        self.assertIsNone(outcome.fault or outcome.refusal)
        self.assertEqual(outcome.curtailed, 0)
        self.assertLess(outcome.stretch, 0.5 * TORN)

    def test_deep_inside(self):
        """Cloth in the middle of a limb, deeper than any contact looks, is told by who inspects it."""
        sheet = sheets.grid(5, 5, 0.1)
        limb = solids.icosphere(0.5)
        places = sheet.positions - sheet.positions.mean(0)
        with Cloth(Mesh.from_faces(places, sheet.faces.tolist())) as cloth:
            cloth.add_body((limb.positions, limb.triangles()))
            found = cloth.inspect()
        self.assertEqual(found.placement, Placement.BAD)
        self.assertEqual(found.inside_count, len(places))
        self.assertGreater(found.deepest, 0.45)

    def test_seeds(self):
        """The same seed spoils alike, another one otherwise."""
        cloth, body = tshirt()
        for defect in ("noisy", "holes"):
            first, again, other = (
                garbage.spoiled(cloth, body, defect, seed).cloth for seed in (1, 1, 2)
            )
            self.assertEqual(first.digest(), again.digest())
            self.assertNotEqual(first.digest(), other.digest())
        self.assertTrue(np.array_equal(cloth.positions, tshirt()[0].positions))


if __name__ == "__main__":
    unittest.main()

"""A garment goes with the body that wears it, however fast: mechanics is the same in a moving frame.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from falling_sheets import STILL_AIR
from muslin import Cloth, Mesh
from test_scenes.contact import figures
from test_scenes.contact.play import FRAME_SECONDS, Play, rms
from test_scenes.sheets import grid

FRAMES = 6
SPEED = 3.0  # m/s
ACCELERATION = 12.0  # m/s^2


def worn(way, speed=0.0):
    """The t-shirt on the figure that raises its arms and is carried by way(seconds) m along -y.

    Gives its positions after some frames as seen from the body, and the edges' strains there.
    """
    scene = figures.tshirt(0.05, 0.025)

    def pose(frame):
        turns, shift = figures.arms_pose(frame)
        return turns, shift - (0, way(frame * FRAME_SECONDS), 0)

    scene.bodies = [figures.figure(pose, 0.025)]
    start = scene.cloth.positions
    with Play(scene, quality="draft", **STILL_AIR) as play:
        play.cloth.set_state(start, np.broadcast_to(np.float32([0, -speed, 0]), start.shape))
        here = play.run(FRAMES).positions().astype(float)
    sides = {tuple(sorted((f[k - 1], f[k]))) for f in scene.cloth.faces for k in range(len(f))}
    a, b = np.array(sorted(sides)).T
    longer = np.linalg.norm(here[a] - here[b], axis=1)
    strain = np.abs(longer / np.linalg.norm((start[a] - start[b]).astype(float), axis=1) - 1)
    return here + (0, way(FRAMES * FRAME_SECONDS), 0), np.percentile(strain, 99)


class CarriedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.still, cls.strain = worn(lambda seconds: 0.0)

    def test_a_running_body(self):
        here, strain = worn(lambda seconds: SPEED * seconds, SPEED)
        self.assertLess(rms(here, self.still), 0.006)
        self.assertLess(strain, self.strain + 0.01)

    def test_a_body_that_begins_to_run(self):
        here, strain = worn(lambda seconds: ACCELERATION * seconds**2 / 2)
        self.assertLess(rms(here, self.still), 0.03)
        self.assertLess(strain, self.strain + 0.03)


class ImageTest(unittest.TestCase):
    """Two sheets that fly at each other are each other's image: their halves rest on the mirror plane."""

    def end(self, mirror, quality):
        side = grid(7, 7, 0.3)
        one = side.positions[:, [2, 0, 1]] + np.float32([0.03, 0, 0])
        positions = np.vstack([one, one * np.float32([-1, 1, 1])])
        faces = np.vstack([side.faces, side.faces[:, ::-1] + len(one)])
        forces = {**STILL_AIR, "gravity": (0, 0, 0)}
        with Cloth(
            Mesh.from_faces(positions, faces), mirror=mirror, quality=quality, **forces
        ) as cloth:
            cloth.set_self_contact(True)
            cloth.set_state(positions, np.sign(positions) * np.float32([-1, 0, 0]))
            for _ in range(8):
                cloth.step(FRAME_SECONDS)
            return cloth.positions()[: len(one), 0].mean(dtype=float)

    def test_half_and_whole_keep_apart(self):
        for quality in ("draft", "fit"):
            half, whole = self.end("exact", quality), self.end("off", quality)
            self.assertGreater(half, 0.0015)
            self.assertAlmostEqual(half, whole, delta=2e-4)


if __name__ == "__main__":
    unittest.main()

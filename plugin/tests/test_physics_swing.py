"""Cloth that touches nothing keeps its motion, whatever else is in the scene.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from falling_sheets import STILL_AIR
from muslin import Cloth, Mesh
from test_scenes import sheets, solids

STEP, SECONDS = 1 / 24, 3.0
QUALITIES = ("draft", "fit", "final")
GRAVITY = 9.81
MATERIAL = {"density": 0.15, "stretch_warp": 2000, "stretch_weft": 2000, "shear": 500, "bend": 1e-6}


def hanging(count=11, side=0.5):
    """A sheet that stands on its upper border, and that border."""
    scene = sheets.grid(count, count, side)
    positions = np.column_stack([0 * scene.positions[:, 0], scene.positions[:, :2]])
    top = np.flatnonzero(positions[:, 2] > positions[:, 2].max() - 1e-6)
    return positions.astype(np.float32), scene.faces, top


class SwingTest(unittest.TestCase):
    def swing(self, quality, add=None, resting=False, **settings):
        """Energy left of a swing after 3 s over that at its start; where the sheet then is."""
        positions, faces, top = hanging()
        count = len(positions)
        if resting:  # a sheet that lies on a floor 3 m away
            level = sheets.grid(5, 5, 0.2).positions + (3, 0, -1)
            faces = [*faces, *(np.asarray(sheets.grid(5, 5, 0.2).faces) + count)]
            positions = np.concatenate([positions, level]).astype(np.float32)
        with Cloth(
            Mesh.from_faces(positions, faces),
            quality=quality,
            **{**MATERIAL, **STILL_AIR, **settings},
        ) as cloth:
            cloth.set_pins(top)
            if add:
                cloth.add_body((add.positions, add.triangles()), 1e-3, 0.3)
            pushed = np.zeros_like(positions)
            depth = positions[top, 2].max() - positions[:count, 2]
            pushed[:count, 0] = 0.6 * depth
            cloth.set_state(positions, pushed)
            start = 0.5 * MATERIAL["density"] * 0.25 * np.mean(pushed[:count, 0] ** 2)
            for _ in range(round(SECONDS / STEP)):
                cloth.step(STEP)
            places, speeds = (values[:count].astype(float) for values in cloth.state())
            weight = MATERIAL["density"] * 0.25 / count
            rise = places[:, 2] - positions[:count, 2]
            left = weight * (0.5 * (speeds**2).sum() + GRAVITY * rise.sum())
        return left / start, places

    def test_a_swing_is_kept_beside_a_body(self):
        far = solids.box((0.2, 0.2, 0.2), (3, 0, -1.3))
        for quality in QUALITIES:
            kept, _ = self.swing(quality, far)
            euler, _ = self.swing(quality, far, integrator="euler")
            print(f"\n{quality}: {kept:.3f}, backward Euler {euler:.3f}", end="")
            self.assertGreater(kept, 0.85, quality)
            self.assertLess(euler, 0.5, quality)

    def test_a_sheet_that_rests_elsewhere_takes_nothing_of_it(self):
        floor = solids.box((1, 1, 0.2), (3, 0, -1.102))
        for quality in QUALITIES:
            kept, _ = self.swing(quality, floor, resting=True)
            print(f"\n{quality}, another rests: {kept:.3f}", end="")
            self.assertGreater(kept, 0.85, quality)


class PinTest(unittest.TestCase):
    def test_pins_that_stop_are_still(self):
        """They are led, and have no history: let go after a rest they do not fly off."""
        positions, faces, top = hanging()
        for quality in QUALITIES:
            with Cloth(
                Mesh.from_faces(positions, faces), quality=quality, **MATERIAL, **STILL_AIR
            ) as cloth:
                cloth.set_pins(top)
                for frame in (1, 2, 3, 3):
                    cloth.move_pins(positions[top] + np.float32([0.1 * frame, 0, 0]))
                    cloth.step(STEP)
                self.assertLess(np.abs(cloth.state()[1][top]).max(), 1e-4, quality)


class FallTest(unittest.TestCase):
    def test_it_falls_as_galileo_says(self):
        """g t^2 / 2 in every frame: a step of first order falls half a substep farther for every substep."""
        scene = sheets.grid(5, 5, 0.3)
        mesh = Mesh.from_faces(scene.positions, scene.faces)
        for quality in QUALITIES:
            with Cloth(mesh, quality=quality, **STILL_AIR) as cloth:
                for frame in range(1, 11):
                    cloth.step(STEP)
                    fallen = -(cloth.positions()[:, 2] - mesh.positions[:, 2]).mean()
                    self.assertAlmostEqual(fallen, 0.5 * GRAVITY * (frame * STEP) ** 2, delta=1e-5)

    def test_a_snapshot_knows_who_has_touched_something(self):
        """Taken while a sheet that has struck still takes steps of first order: what follows has the same bytes."""
        scene = sheets.grid(7, 7, 0.3)
        mesh = Mesh.from_faces(scene.positions, scene.faces)
        ball = solids.uv_sphere(0.05, (0, 0, -0.08), 12, 24)
        with Cloth(mesh) as cloth, Cloth(mesh) as other:
            for each in (cloth, other):
                each.add_body((ball.positions, ball.triangles()), 2e-3, 0.0)
            for _ in range(30):
                cloth.step(STEP)
                if cloth.stats().contacts == 0:
                    other.restore(cloth.snapshot())
                    for each in (cloth, other):
                        each.step(STEP)
                    self.assertEqual(cloth.positions().tobytes(), other.positions().tobytes())


if __name__ == "__main__":
    unittest.main()

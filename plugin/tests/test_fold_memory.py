"""Cloth that keeps a little of a fold: how much, that it gains no energy, and that it goes on after a snapshot.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from body_meshes import sheet
from detail_checks import DetailTest, refused
from mirror_meshes import roof
from muslin import Cloth, DetailCode, Mesh, MuslinError
from test_scenes import sheets

STEP = 1 / 24
SHORT = 1e-5  # s: nothing moves
STILL = {"damping": 3, "threads": 1, "normal_drag": 0, "tangent_drag": 0}
LENGTH, ALONG, ACROSS = 0.2, 33, 5  # of a strip, m and vertices


def strip():
    x, y = np.meshgrid(np.linspace(-LENGTH / 2, LENGTH / 2, ALONG), np.linspace(0, 0.02, ACROSS))
    places = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)]).astype(np.float32)
    return Mesh.from_faces(places, sheets.grid(ALONG, ACROSS, 1.0).faces)


def left_angle(memory, bent=80.0, **settings):
    """Degrees between the ends of a strip that was folded over, `bent` degrees at each end, and let go. It is damped so
    that it does not swing over to the other side, which takes part of the fold back."""
    mesh = strip()
    right, left = (np.flatnonzero(s * mesh.positions[:, 0] > LENGTH / 4) for s in (1, -1))
    with Cloth(
        mesh,
        gravity=(0, 0, 0),
        bend=1e-4,
        fold_memory=memory,
        **{**STILL, "damping": 30, **settings},
    ) as cloth:
        cloth.set_pins(np.concatenate([right, left]))
        for frame in range(1, 25):
            turn = np.radians(bent) * frame / 24
            ends = []
            for vertices, sign in ((right, 1), (left, -1)):
                out = np.abs(mesh.positions[vertices, 0]) - LENGTH / 4
                x = LENGTH / 4 * np.cos(turn / 2) ** 2 + out * np.cos(turn)
                z = -LENGTH / 4 * np.sin(turn) / 2 - out * np.sin(turn)
                ends.append(np.column_stack([sign * x, mesh.positions[vertices, 1], z]))
            cloth.move_pins(np.concatenate(ends))
            cloth.step(STEP)
        cloth.set_pins([])
        for _ in range(48):
            cloth.step(STEP)
        x = cloth.positions().astype(float).reshape(ACROSS, ALONG, 3).mean(0)
    first, last = x[1] - x[0], x[-1] - x[-2]
    cosine = first @ last / np.linalg.norm(first) / np.linalg.norm(last)
    return float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))


def energies(cloth, frames):
    found = []
    for _ in range(frames):
        cloth.step(STEP)
        stats = cloth.stats()
        found.append(stats.kinetic_energy + stats.elastic_energy + stats.gravity_energy)
    return found


class FoldTest(unittest.TestCase):
    def test_a_fold_grows_with_the_setting_and_is_bounded(self):
        angles = [left_angle(memory) for memory in (0, 3, 6)]
        self.assertLess(angles[0], 1)
        self.assertGreater(angles[1], angles[0] + 10)
        self.assertGreater(angles[2], angles[1] + 5)
        for memory, angle in zip((3, 6), angles[1:]):
            self.assertLess(angle, 1.05 * np.degrees(memory * LENGTH))

    def test_every_quality_keeps_the_same_fold(self):
        draft, fit, final = (left_angle(3, quality=way) for way in ("draft", "fit", "final"))
        self.assertAlmostEqual(draft, fit, delta=2)
        self.assertAlmostEqual(final, fit, delta=2)

    def test_no_energy_is_gained(self):
        for settings in ({}, {"quality": "draft"}, {"solver": "implicit"}, {"bend": 1e-3}):
            euler = {"integrator": "euler", "fold_memory": 20, **STILL, "damping": 0}
            with Cloth(sheet(), **{**euler, **settings}) as cloth:
                cloth.set_pins([0, 11])
                found = energies(cloth, 40)
            scale = found[0] - min(found) + 1e-9
            self.assertLess(max(np.diff(found)), 1e-3 * scale, settings)

    def test_nothing_is_left_without(self):
        """A cloth with memory whose setting is 0 is the one without, but for rounding."""
        shapes = []
        for memory in (0, 20):
            with Cloth(sheet(), fold_memory=memory, integrator="euler", **STILL) as cloth:
                cloth.set_pins([0, 11])
                cloth.set_material(fold_memory=0)
                energies(cloth, 10)
                shapes.append(cloth.positions())
        self.assertLess(np.abs(shapes[0] - shapes[1]).max(), 1e-4)


class StateTest(DetailTest):
    def folded(self, **settings):
        cloth = Cloth(sheet(), **{"fold_memory": 20, "bend": 1e-4, **settings})
        cloth.set_pins([0, 11])
        for _ in range(8):
            cloth.step(STEP)
        return cloth

    def test_snapshots_have_it(self):
        with self.folded() as cloth, self.folded(threads=2) as other:
            self.assertEqual(cloth.positions().tobytes(), other.positions().tobytes())
            snapshot = cloth.snapshot()
            energies(cloth, 5)
            later = cloth.positions().tobytes()
            energies(other, 3)
            for each in (cloth, other):
                each.restore(snapshot)
                energies(each, 5)
                self.assertEqual(each.positions().tobytes(), later)

    def test_snapshots_of_another_kind(self):
        with self.folded() as cloth, self.folded(fold_memory=0) as other:
            snapshots = cloth.snapshot(), other.snapshot()
            for each, snapshot in ((cloth, snapshots[1]), (other, snapshots[0])):
                with self.assertRaisesRegex(MuslinError, "fold_memory|bytes"):
                    each.restore(snapshot)

    def test_a_state_that_is_set(self):
        """It is as bent there just now: no jump, and no old folds."""
        with self.folded() as cloth:
            cloth.set_state(sheet().positions)
            self.assertLess(cloth.stats().elastic_energy, 1e-9)

    def test_running_cloth(self):
        with Cloth(sheet()) as cloth:
            details = refused(cloth.set_material, fold_memory=5)
            self.check(details, DetailCode.CONFLICT, name="fold_memory")
            cloth.step(STEP)
        self.check(refused(Cloth, sheet(), fold_memory=-1), DetailCode.RANGE, name="fold_memory")

    def test_half_and_whole(self):
        settings = {"fold_memory": 5, "bend": 1e-3, "quality": "final", **STILL}
        with Cloth(roof(), **settings) as whole, Cloth(roof(), mirror="exact", **settings) as half:
            for cloth in (whole, half):
                for _ in range(10):
                    cloth.step(STEP)
            apart = np.abs(whole.positions() - half.positions()).max()
            self.assertLess(apart, 2e-3)

    def test_half_becomes_whole(self):
        """Wind across the plane ends the half: what it remembered goes on, mirrored."""
        settings = {"fold_memory": 2, "bend": 2e-3, "quality": "final", **STILL}
        with Cloth(roof(17, 13), mirror="auto", **settings) as cloth:
            cloth.set_pins([0, 16])
            energies(cloth, 12)
            stored, places = cloth.stats().elastic_energy, cloth.positions()
            cloth.set_forces(wind=(1e-3, 0, 0), normal_drag=0.1)
            cloth.step(SHORT)
            self.assertEqual(cloth.mirror().solved_whole, 1)
            self.assertLess(abs(cloth.stats().elastic_energy / stored - 1), 1e-3)
        # one that has been put there and remembers nothing stores another amount
        with Cloth(roof(17, 13), **settings) as cloth:
            cloth.set_pins([0, 16])
            cloth.set_state(places)
            cloth.step(SHORT)
            self.assertGreater(abs(cloth.stats().elastic_energy / stored - 1), 1e-2)

    def test_no_energy_is_gained_when_half_becomes_whole(self):
        settings = {"fold_memory": 0.2, "bend": 2e-3, "quality": "final", **STILL}
        for mirror in ("off", "auto"):
            with Cloth(roof(17, 13), mirror=mirror, **settings) as cloth:
                cloth.set_pins([0, 16])
                before = energies(cloth, 12)
                cloth.set_forces(wind=(1e-3, 0, 0), normal_drag=0.1)
                after = energies(cloth, 6)
                self.assertEqual(cloth.mirror().solved_whole, mirror == "auto")
                self.assertLess(max(np.diff(before[-1:] + after)), 0, mirror)

    def test_sewn_later(self):
        """A seam builds the matrix anew, and nothing of the folds is forgotten."""
        settings = {"fold_memory": 2, "bend": 2e-3, "quality": "final", **STILL}
        with Cloth(roof(17, 13), **settings) as cloth:
            cloth.set_pins([0, 16])
            energies(cloth, 12)
            stored = cloth.stats().elastic_energy
            cloth.sew([(0, 16)], speed=1e-6)  # both are held
            cloth.step(SHORT)
            self.assertLess(abs(cloth.stats().elastic_energy / stored - 1), 1e-3)

    def test_levels(self):
        with Cloth(sheet(30), fold_memory=10, budget_ms=1000) as cloth:
            cloth.set_pins([0, 29])
            found = energies(cloth, 4)
            self.assertTrue(np.isfinite(found).all())


if __name__ == "__main__":
    unittest.main()

"""Fine runs that track coarse ones: what is large and what is small, and that only the large is held.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from body_meshes import STEP, sheet
from muslin import Cloth, MuslinError
from muslin.upsampling import Tracking
from muslin.upsampling.nodes import frames_of, slopes_of

SIDE, SIZE = 40, 0.4
LEVEL = 1


def waves(mesh, length):
    """Heights of waves along X, of this length in m."""
    heights = np.zeros((mesh.vertex_count, 3))
    heights[:, 2] = np.sin(2 * np.pi * mesh.positions[:, 0] / length)
    return heights


def rms(vectors):
    return float(np.sqrt((np.asarray(vectors, float) ** 2).sum(-1).mean()))


class LargeTest(unittest.TestCase):
    def setUp(self):
        self.mesh = sheet(SIDE, SIZE, 0.0)
        self.tracking = Tracking(self.mesh, self.mesh.positions[None], LEVEL)

    def test_shifts_are_large(self):
        shift = np.tile([0.1, -0.2, 0.3], (self.mesh.vertex_count, 1))
        np.testing.assert_allclose(self.tracking.large(shift), shift, atol=1e-12)

    def test_long_waves_are_large_and_short_ones_small(self):
        edge = SIZE / (SIDE - 1)
        long, short = waves(self.mesh, 0.4), waves(self.mesh, 4 * edge)
        self.assertLess(rms(self.tracking.large(long) - long), 0.25 * rms(long))
        self.assertLess(rms(self.tracking.large(short)), 0.3 * rms(short))

    def test_targets(self):
        """Where it rides, the targets are the next frame; what is small stays, what is large is taken back."""
        there = self.mesh.positions + np.float32([0, 0, 0.1])
        self.tracking.run = np.stack([self.mesh.positions, there])
        here = self.mesh.positions.astype(float)
        np.testing.assert_allclose(self.tracking.targets(here, 1), there, atol=1e-6)
        edge = SIZE / (SIDE - 1)
        short = 0.001 * waves(self.mesh, 4 * edge)
        lost = rms(self.tracking.targets(here + short, 1) - there - short)
        self.assertLess(lost, 0.3 * rms(short))
        shifted = self.tracking.targets(here + [0.01, 0, 0], 1)
        np.testing.assert_allclose(shifted, there, atol=1e-6)

    def test_held_vertices_go_where_the_run_has_them(self):
        tracking = Tracking(self.mesh, self.mesh.positions[None], LEVEL, held=[3, 5])
        short = waves(self.mesh, 4 * SIZE / (SIDE - 1))
        found = tracking.targets(self.mesh.positions + short, 1)
        np.testing.assert_allclose(found[[3, 5]], self.mesh.positions[[3, 5]], atol=1e-7)

    def test_refused(self):
        for run in (self.mesh.positions, self.mesh.positions[None, 1:], np.empty((0, 1600, 3))):
            with self.assertRaisesRegex(MuslinError, "run to track: expected frames of 1600"):
                Tracking(self.mesh, run, LEVEL)


class RunTest(unittest.TestCase):
    FRAMES = 12

    def test_follows_in_the_large_and_wrinkles_in_the_small(self):
        """A sheet whose run is pressed together to 0.95 of its width: it goes along, and buckles."""
        mesh = sheet(SIDE, SIZE, 0.0)
        press = np.linspace(1, 0.95, self.FRAMES)
        run = np.array([mesh.positions * np.float32([part, 1, 1]) for part in press])
        tracking = Tracking(mesh, run, LEVEL)
        with Cloth(mesh, quality="fit", gravity=(0, 0, 0), pin_stiffness=1e5) as cloth:
            lot = np.random.default_rng(1).normal(size=mesh.vertex_count, scale=1e-4)
            start = mesh.positions.astype(float)
            start[:, 2] += lot  # a flat sheet would not know which way to go
            cloth.set_state(start)
            tracking.begin(cloth)
            for frame in range(1, self.FRAMES):
                cloth.move_pins(tracking.targets(cloth.positions(), frame))
                cloth.step(STEP)
            besides = cloth.positions() - run[-1].astype(float)
        large = tracking.large(besides)
        small = besides - large
        self.assertLess(rms(large), 0.0015)  # of 5 mm, if it did not go along
        self.assertGreater(rms(small[:, 2:]), 0.001)
        self.assertGreater(rms(small[:, 2:]), 2 * rms(small[:, :2]))


class FramesTest(unittest.TestCase):
    def setUp(self):
        lot = np.random.default_rng(4)
        self.rest = np.array([[x, y, 0.1 * x * y] for x in range(5) for y in range(5)], float)
        away = np.linalg.norm(self.rest[:, None] - self.rest, axis=2)
        self.spokes = np.argsort(away, axis=1, kind="stable")[:, 1:7]
        normals = np.tile([0, 0, 1.0], (25, 1))
        self.slopes = slopes_of(self.rest, normals, self.spokes)
        self.turn = np.linalg.qr(lot.normal(size=(3, 3)))[0]
        self.turn *= np.sign(np.linalg.det(self.turn))

    def frames(self, places):
        return frames_of(places, self.spokes, self.slopes)

    def test_rotations(self):
        lot = np.random.default_rng(5).normal(size=(25, 3), scale=0.05)
        frames = self.frames(self.rest + lot)
        np.testing.assert_allclose(
            frames.swapaxes(1, 2) @ frames, np.tile(np.eye(3), (25, 1, 1)), atol=1e-12
        )
        np.testing.assert_allclose(np.linalg.det(frames), 1, atol=1e-12)

    def test_turn_with_the_cloth(self):
        turned = self.frames(self.rest @ self.turn.T + [1, 2, 3])
        np.testing.assert_allclose(turned, self.turn @ self.frames(self.rest), atol=1e-12)

    def test_stretch_turns_nothing(self):
        flat = self.rest * [1, 1, 0]
        np.testing.assert_allclose(self.frames(flat * [1.3, 1.3, 1]), self.frames(flat), atol=1e-12)


if __name__ == "__main__":
    unittest.main()

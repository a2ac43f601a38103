# SPDX-License-Identifier: GPL-3.0-or-later
"""The cases of fast motion in tools/bench motion: how bodies move, and what is skipped."""

import contextlib
import io
import unittest
from pathlib import Path
from unittest import mock

import motion
import muslin
import numpy as np
from common import garments
from common.bench import Results, figures_of
from motion_cases import dance, fast
from test_scenes import sheets, solids
from test_scenes.contact import real
from test_scenes.contact.play import mesh_of
from test_scenes.contact.scene import FRAMES_PER_SECOND


class Motions(unittest.TestCase):
    def test_a_spin_begins_slowly_and_keeps_its_speed(self):
        turned = [fast.degrees(2, fast.READY + since) for since in range(fast.RAMP + 3)]
        self.assertEqual(fast.degrees(2, fast.READY - 1), 0)
        ways = np.diff(turned)
        self.assertTrue((np.diff(ways[: fast.RAMP]) > 0).all())
        np.testing.assert_allclose(ways[fast.RAMP :], 720 / FRAMES_PER_SECOND)

    def test_a_body_comes_from_its_modelled_pose(self):
        scene = fast.moved_fast("trousers", "walk x2")
        if scene is None:
            self.skipTest("shared/data does not lie beside the checkout")
        skin = muslin.read_obj(real.FOLDER / "body.obj").positions
        body, waist = scene.bodies[0], scene.cloth.positions[scene.pins]
        np.testing.assert_allclose(body.positions(0), skin, atol=1e-6)
        np.testing.assert_allclose(scene.pin_positions(0), waist, atol=1e-6)
        walk = garments.scene("trousers", "walk").bodies[0]
        for since in (0, 5):
            here, stored = body.positions(fast.READY + since), walk.positions(2 * since)
            np.testing.assert_allclose(here, stored, atol=1e-6)

    def test_a_garment_is_sewn_on_its_body(self):
        """Two halves of a sheet with a gap of 1 cm, above a ball that rises."""
        sheet = sheets.grid(9, 9, 0.4)
        left, right = sheet.positions[:, 0] < -0.01, sheet.positions[:, 0] > 0.01
        halves = [face for face in sheet.faces if left[face].all() or right[face].all()]
        borders = [
            np.flatnonzero(np.isclose(sheet.positions[:, 0], side)) for side in (-0.05, 0.05)
        ]
        used = np.unique(np.concatenate(halves))
        renumbered = np.full(len(sheet.positions), -1)
        renumbered[used] = np.arange(len(used))
        stitches = renumbered[np.stack(borders, 1)]
        uvs = sheet.positions[used, :2]
        faces = [renumbered[face].tolist() for face in halves]
        cloth = muslin.Mesh.from_faces(
            sheet.positions[used], faces, stitches, uvs=uvs, uv_indices=np.concatenate(faces)
        )
        ball = mesh_of(solids.icosphere(0.1, (0, 0, -0.2), 2))
        poses = np.array([ball.positions + np.float32([0, 0, 0.002 * k]) for k in range(9)])
        track, seconds, history = dance.simulated(cloth, ball, poses, quality="draft")
        self.assertEqual((track.shape, len(seconds), len(history)), ((9, len(used), 3), 8, 8))
        gaps = np.linalg.norm(track[:, stitches[:, 0]] - track[:, stitches[:, 1]], axis=2)
        self.assertLess(gaps[-1].max(), 0.01)


class Skipped(unittest.TestCase):
    def test_what_is_absent_is_named(self):
        garments.scene.cache_clear()
        results = Results()
        with mock.patch.object(real, "FOLDER", Path("/nowhere")):
            with contextlib.redirect_stdout(io.StringIO()) as said:
                for case in ("dance", "fast", "slow"):
                    motion.PARTS[case](results, True)
        garments.scene.cache_clear()
        for name in ("dress_16k.obj", "trousers.obj", "coverall_8k.obj", "body.obj"):
            self.assertIn(name, said.getvalue())
        self.assertEqual(results.numbers, {})

    def test_figures_are_those_of_all_cases(self):
        found = figures_of(motion.BENCH.figures)
        for key in ("energy_gain", "dance_inside_fit", "fast_body_edges_draft", "slow_cost_fit"):
            self.assertIn(key, found)


if __name__ == "__main__":
    unittest.main()

"""The bodies that bend: an elbow, the mannequin's arms and its walk; garments that start outside of them.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest
from pathlib import Path

import numpy as np

import mesh_geometry as geometry
from muslin.inspection.intersections import count_self
from test_contact_scenes import corners_at, sample, scene_of
from test_scenes import mannequin
from test_scenes.contact import rig, sleeve
from test_scenes.contact.real import FOLDER, real_scene

FIGURES = ("tshirt", "skirt")


class SleeveTest(unittest.TestCase):
    def test_the_elbow_bends_by_a_right_angle_in_twelve_frames(self):
        item = scene_of("sleeve").bodies[0]
        for frame, degrees in ((0, 0), (12, 0), (18, 45), (24, 90), (60, 90)):
            points = item.positions(frame).astype(float)
            sides = 32
            rings = points[: len(points) // sides * sides].reshape(-1, sides, 3).mean(1)
            upper, fore = rings[5] - rings[4], rings[-5] - rings[-6]
            cosine = upper @ fore / np.linalg.norm(upper) / np.linalg.norm(fore)
            self.assertAlmostEqual(np.degrees(np.arccos(np.clip(cosine, -1, 1))), degrees, 2)

    def test_bending_keeps_volume_and_length(self):
        """Sections about a line enclose as much when it bends, by the theorem of Pappus."""
        item = sleeve.arm(spacing=0.004, sides=64)
        volumes = [geometry.volume(corners_at(item, frame)) for frame in (0, 15, 18, 24)]
        np.testing.assert_allclose(volumes, volumes[0], rtol=2e-3)
        points, tangents = sleeve.bent_line(np.linspace(0, sleeve.LENGTH, 2001), np.pi / 2)
        length = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
        self.assertAlmostEqual(length, sleeve.LENGTH, 6)
        steps = np.gradient(points, axis=0)
        cosine = (steps * tangents).sum(1) / np.linalg.norm(steps, axis=1)
        self.assertGreater(cosine.min(), 1 - 1e-5)

    def test_the_arm_does_not_pierce_itself(self):
        item = scene_of("sleeve").bodies[0]
        for frame in (15, 18, 21, 24):
            self.assertEqual(geometry.self_piercings(item.positions(frame), item.triangles()), 0)


class FigureTest(unittest.TestCase):
    def test_no_vertex_of_a_garment_is_inside(self):
        for name in FIGURES:
            gaps = mannequin.distance(scene_of(name).cloth.positions)
            self.assertEqual((gaps < 0).sum(), 0, name)
            self.assertGreater(gaps.min(), 0.006, name)

    def test_weights_are_smooth_shares(self):
        mesh, weights = rig.rigged_mannequin()
        self.assertGreaterEqual(weights.min(), 0)
        np.testing.assert_allclose(weights.sum(1), 1)
        edges = geometry.triangle_edges(mesh.triangles())
        lengths = np.linalg.norm(np.diff(mesh.positions[edges], axis=1)[:, 0], axis=1)
        steps = np.abs(weights[edges[:, 0]] - weights[edges[:, 1]]).max(1)
        # From none to all within 3 cm at the least: a joint, not a cut.
        self.assertLess((steps / np.maximum(lengths, 0.004)).max(), 35)

    def test_bodies_start_at_rest_and_do_not_pierce_themselves(self):
        mesh, _ = rig.rigged_mannequin()
        for name in FIGURES:
            item = scene_of(name).bodies[0]
            np.testing.assert_allclose(item.positions(0), mesh.positions, atol=1e-6)
            for frame in (12, 18, 24, 33) if name == "skirt" else (12, 24, 36):
                self.assertEqual(count_self(item.positions(frame), item.triangles()), 0, frame)

    def test_arms_rise_and_fall(self):
        item = scene_of("tshirt").bodies[0]
        hand = mannequin.FINGERS * rig.LEFT
        tip = np.linalg.norm(item.positions(0) - hand, axis=1).argmin()
        height = [item.positions(frame)[tip, 2] for frame in range(49)]
        self.assertGreater(max(height) - height[0], 0.4)
        self.assertGreater(int(np.argmax(height)), 15)
        self.assertLess(abs(height[48] - height[0]), 0.01)

    def test_the_walk_repeats_and_its_feet_take_turns(self):
        item = scene_of("skirt").bodies[0]
        np.testing.assert_allclose(item.positions(13.5), item.positions(37.5), atol=1e-6)
        rest = item.positions(0)
        feet = [
            np.linalg.norm(rest - np.array([side * 0.116, -0.14, 0.02]), axis=1).argmin()
            for side in (1, -1)
        ]
        left, right = (
            np.array([item.positions(frame)[foot] for frame in range(12, 61)]) for foot in feet
        )
        forward = -(left - right)[:, 1]
        self.assertGreater(forward.max(), 0.4)
        self.assertLess(forward.min(), -0.4)
        # The right foot does what the left one did half a cycle before, mirrored.
        np.testing.assert_allclose(right[12:, 1:], left[:-12, 1:], atol=0.02)

    def test_the_waist_follows_the_hips(self):
        scene = scene_of("skirt")
        item = scene.bodies[0]
        self.assertGreater(len(scene.pins), 20)
        start = scene.pin_positions(0).astype(float)
        for frame in (6.5, 18, 30):
            now = scene.pin_positions(frame).astype(float)
            np.testing.assert_allclose(
                np.linalg.norm(now - now[0], axis=1),
                np.linalg.norm(start - start[0], axis=1),
                atol=1e-6,
            )
            self.assertGreater(np.abs(now - start).max(), 0.005)
            corners = corners_at(item, frame)
            near = sample(now, 24)
            self.assertGreater(geometry.distances(near, corners).min(), 0.004, frame)
            self.assertLess(geometry.winding(near, corners).max(), 0.01)

    def test_the_legs_reach_the_skirt(self):
        """Otherwise the walk would test nothing: legs leave the place where the skirt starts."""
        scene = scene_of("skirt")
        item = scene.bodies[0]
        cloth = scene.cloth.positions, scene.cloth.triangles()
        self.assertGreater(geometry.piercings(*cloth, item.positions(18), item.triangles()), 0)


class RealDataTest(unittest.TestCase):
    def test_absent_data_is_no_scene(self):
        self.assertIsNone(real_scene(folder=Path(__file__).parent / "nowhere"))

    @unittest.skipUnless(FOLDER.is_dir(), f"no real garments in {FOLDER}")
    def test_garments_and_body_are_read(self):
        self.assertIsNone(real_scene("no_such_garment"))
        scene = real_scene("tshirt_sym", "body_arms")
        item = scene.bodies[0]
        self.assertEqual(len(scene.pins), 0)
        half = (item.positions(7) + item.positions(8)) / 2
        np.testing.assert_allclose(item.positions(7.5), half, atol=1e-6)
        np.testing.assert_array_equal(item.positions(1e6), item.positions(scene.frames))
        self.assertGreater(geometry.volume(corners_at(item, 30)), 0.02)
        waist = real_scene("skirt_sym", "body_walk")
        heights = waist.cloth.positions[:, 2]
        self.assertGreater(heights[waist.pins].min(), heights.max() - 0.06)
        np.testing.assert_allclose(waist.pin_positions(0), waist.cloth.positions[waist.pins])
        hips = np.abs(waist.pin_positions(20) - waist.pin_positions(0)).max()
        moved = np.abs(waist.bodies[0].positions(20) - waist.bodies[0].positions(0)).max()
        self.assertLess(hips, moved)
        self.assertGreater(hips, 0.001)


if __name__ == "__main__":
    unittest.main()

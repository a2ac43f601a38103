"""The scenes of contact: closed bodies that stay clean while they move, cloth that starts clear of them.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import tempfile
import unittest
from functools import lru_cache

import numpy as np

import mesh_geometry as geometry
from muslin import read_obj, read_pc2
from muslin.inspection.intersections import count_between, count_self
from test_scenes import solids
from test_scenes.contact import falls, layers
from test_scenes.contact.catalogue import SCENES, make
from test_scenes.contact.draw import draw
from test_scenes.contact.files import write_scene
from test_scenes.contact.scene import FRAMES_PER_SECOND
from test_scenes.render import CLOTH, SKIN

FRAMES = range(61)


@lru_cache(maxsize=None)
def scene_of(name):
    return make(name)


def corners_at(item, frame):
    return geometry.corners_of(item.positions(frame), item.triangles())


def sample(points, count):
    """About `count` of the points, spread evenly through their order."""
    return points[:: max(1, len(points) // count)]


class SolidsTest(unittest.TestCase):
    def check_solid(self, mesh, expected, share):
        self.assertTrue(geometry.is_closed(mesh.faces))
        self.assertEqual(len(np.unique(mesh.faces)), len(mesh.positions))
        corners = geometry.corners_of(mesh.positions, mesh.faces)
        self.assertGreater(geometry.heights(corners).min(), 0.02)
        self.assertLess(abs(geometry.volume(corners) / expected - 1), share)

    def test_volumes_are_those_of_the_formulas(self):
        ball = 4 / 3 * np.pi * 0.3**3
        self.check_solid(solids.uv_sphere(0.3, (1, 2, 3)), ball, 0.02)
        self.check_solid(solids.icosphere(0.3, (1, 2, 3), 3), ball, 0.02)
        self.check_solid(solids.box((0.2, 0.3, 0.5), (1, 0, 0), (2, 3, 4)), 0.03, 1e-5)
        self.check_solid(solids.cylinder(0.1, 0.2, 0.9, sides=64), np.pi * 0.01 * 0.7, 0.01)
        pole = np.pi * 0.1**2 * 0.5 + 4 / 3 * np.pi * 0.1**3
        self.check_solid(solids.capsule(0.1, 0, 0.7, (1, 1), sides=48), pole, 0.02)

    def test_points_of_spheres_lie_on_them(self):
        for mesh in (solids.uv_sphere(0.3, (1, 2, 3)), solids.icosphere(0.3, (1, 2, 3), 2)):
            radii = np.linalg.norm(mesh.positions - np.float32((1, 2, 3)), axis=1)
            np.testing.assert_allclose(radii, 0.3, atol=1e-6)

    def test_sheets_face_up_and_tilt_by_their_angle(self):
        for degrees in (0.0, 30.0, -12.5):
            mesh = solids.sheet((2, 1), (0, 0, 1), (3, 2), degrees)
            a, b, c = np.moveaxis(geometry.corners_of(mesh.positions, mesh.faces), 1, 0)
            normal = np.cross(b - a, c - a)
            normal /= np.linalg.norm(normal, axis=1)[:, None]
            angle = np.radians(degrees)
            expected = np.tile((-np.sin(angle), 0, np.cos(angle)), (len(normal), 1))
            np.testing.assert_allclose(normal, expected, atol=1e-6)


class GeometryTest(unittest.TestCase):
    """The checks themselves see what is wrong."""

    def test_an_open_and_an_inward_mesh_are_seen(self):
        mesh = solids.box((1, 1, 1))
        self.assertFalse(geometry.is_closed(mesh.faces[1:]))
        turned = geometry.corners_of(mesh.positions, mesh.faces[:, ::-1])
        self.assertAlmostEqual(geometry.volume(turned), -1.0, 6)

    def test_sides_and_distances(self):
        mesh = solids.icosphere(0.5, (0, 0, 0), 4)
        corners = geometry.corners_of(mesh.positions, mesh.faces)
        points = np.random.default_rng(3).uniform(-0.8, 0.8, (60, 3))
        expected = np.linalg.norm(points, axis=1) - 0.5
        clear = np.abs(expected) > 0.01
        inside = geometry.winding(points, corners) > 0.5
        np.testing.assert_array_equal(inside[clear], (expected < 0)[clear])
        np.testing.assert_allclose(geometry.distances(points, corners), np.abs(expected), atol=2e-3)

    def test_piercings_are_seen_where_no_vertex_is_inside(self):
        needle = solids.capsule(0.01, -0.2, 0.2)
        wide = np.array([(-1, -1, 0), (1, -1, 0.1), (0, 1.3, 0)])
        single = np.array([[0, 1, 2]])
        count = geometry.piercings(wide, single, needle.positions, needle.faces)
        self.assertGreater(count, 0)
        above = wide + (0, 0, 0.4)
        self.assertEqual(geometry.piercings(above, single, needle.positions, needle.faces), 0)


class SceneTest(unittest.TestCase):
    def each(self, check):
        for name in SCENES:
            with self.subTest(name):
                check(scene_of(name))

    def check_parts(self, scene):
        vertices = len(scene.cloth.positions)
        triangles = scene.cloth.triangles()
        self.assertEqual(len(np.unique(triangles)), vertices)
        corners = geometry.corners_of(scene.cloth.positions, triangles)
        self.assertGreater(geometry.heights(corners).min(), 0.05)
        self.assertLess(scene.pins.max(initial=-1), vertices)
        np.testing.assert_array_equal(scene.pin_positions(0), scene.cloth.positions[scene.pins])
        self.assertLessEqual(set(scene.settings), {"friction", "thickness", "self_contact"})
        self.assertIn("made by this code", scene.description)
        self.assertEqual(scene.description.count("\n"), 0)

    def test_the_parts_fit_together(self):
        self.each(self.check_parts)

    def check_closed(self, scene):
        for item in scene.bodies:
            self.assertEqual(geometry.is_closed(item.triangles()), item.closed)
            first = geometry.volume(corners_at(item, 0))
            for frame in FRAMES if item.moves else (0,):
                corners = corners_at(item, frame)
                self.assertTrue(np.isfinite(corners).all())
                self.assertGreater(geometry.heights(corners).min(), 0.03, frame)
                if item.closed:
                    self.assertGreater(first, 0)
                    self.assertLess(abs(geometry.volume(corners) / first - 1), 0.05, frame)

    def test_closed_bodies_stay_closed_and_outward(self):
        self.each(self.check_closed)

    def check_motion(self, scene):
        for item in scene.bodies:
            self.assertEqual(item.positions(0.5).dtype, np.float32)
            moved = np.abs(item.positions(20.25) - item.positions(0)).max()
            self.assertEqual(moved > 0, item.moves)
            if not item.moves:
                continue
            track = [item.positions(frame / 2).astype(float) for frame in range(121)]
            for frame in range(0, 119, 2):
                before, middle, after = track[frame : frame + 3]
                self.assertLess(np.linalg.norm(after - before, axis=1).max(), 0.16)
                # Half a frame on, half the way: no jump, no jerk beyond a walk's.
                self.assertLess(np.abs(middle - (before + after) / 2).max(), 0.012)

    def test_bodies_move_smoothly_at_any_frame(self):
        self.each(self.check_motion)

    def check_clearance(self, scene):
        points = sample(scene.cloth.positions, 60)
        for item in scene.bodies:
            corners = corners_at(item, 0)
            gaps = geometry.distances(points, corners)
            self.assertGreater(gaps.min(), scene.thickness(), item.name)
            if item.closed:
                self.assertLess(np.abs(geometry.winding(points, corners)).max(), 0.01)

    def test_cloth_starts_outside_and_clear_of_the_bodies(self):
        self.each(self.check_clearance)

    def check_piercing(self, scene):
        points, triangles = scene.cloth.positions, scene.cloth.triangles()
        self.assertEqual(count_self(points, triangles), 0)
        for item in scene.bodies:
            there = item.positions(0), item.triangles()
            self.assertEqual(count_between(points, triangles, *there), (0, 0), item.name)

    def test_cloth_pierces_nothing_at_the_start(self):
        self.each(self.check_piercing)

    def check_equality(self, scene):
        again = make(scene.name)
        self.assertEqual(scene.cloth.digest(), again.cloth.digest())
        for one, other in zip(scene.bodies, again.bodies):
            np.testing.assert_array_equal(one.positions(13.7), other.positions(13.7))

    def test_two_makings_are_equal(self):
        self.each(self.check_equality)


class FallsTest(unittest.TestCase):
    def test_cloth_lies_along_the_incline(self):
        for degrees in (0.0, 10.0, 35.0):
            scene = falls.incline(degrees, friction=0.4, thickness=0.002)
            angle = np.radians(degrees)
            normal = np.array([-np.sin(angle), 0, np.cos(angle)])
            ramp = scene.bodies[0].positions(0) @ normal
            cloth = scene.cloth.positions @ normal
            np.testing.assert_allclose(ramp, ramp[0], atol=1e-5)
            np.testing.assert_allclose(cloth - ramp[0], 0.0021, atol=1e-5)
            self.assertEqual(scene.settings["friction"], 0.4)

    def test_pole_corner_and_bead_aim_at_the_inside_of_one_triangle(self):
        for name, axis in (("pole", 2), ("corner", 2), ("bead", 1)):
            scene = scene_of(name)
            there = scene.bodies[0].positions(0)
            if name == "bead":
                tip = there.mean(0)
            else:
                tip = there[there[:, 2].argmax()]
            # The line through the tip: how near does it pass to a vertex of the cloth?
            beside = np.delete(scene.cloth.positions - tip, axis, 1)
            triangles = beside[scene.cloth.triangles()]
            a, b, c = np.moveaxis(triangles, 1, 0)
            turns = np.stack(
                [p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0] for p, q in ((a, b), (b, c), (c, a))]
            )
            self.assertEqual(((turns > 0).all(0) | (turns < 0).all(0)).sum(), 1, name)
            lengths = np.linalg.norm(triangles - np.roll(triangles, 1, 1), axis=2).min()
            self.assertGreater(np.linalg.norm(beside, axis=1).min(), 0.25 * lengths, name)
            if name != "corner":
                self.assertGreater(lengths, 0.03)

    def test_fast_bodies_have_their_speed(self):
        for name, speed in (("plate", 3.0), ("blade", 3.0), ("bead", 0.3)):
            item = scene_of(name).bodies[0]
            step = item.positions(7.5) - item.positions(6.5)
            expected = np.tile((0, speed / FRAMES_PER_SECOND, 0), (len(step), 1))
            np.testing.assert_allclose(step, expected, atol=1e-6)

    def test_they_cross_the_cloth(self):
        for name in ("plate", "blade", "bead"):
            scene = scene_of(name)
            item = scene.bodies[0]
            self.assertLess(item.positions(0)[:, 1].max(), -0.05)
            self.assertGreater(item.positions(scene.frames)[:, 1].min(), 0.1)


class LayersTest(unittest.TestCase):
    def test_the_stack_has_five_pieces_with_gaps(self):
        scene = layers.stack()
        heights = np.unique(scene.cloth.positions[:, 2])
        self.assertEqual(len(heights), 5)
        self.assertGreater(np.diff(heights).min(), 2 * scene.thickness())
        joined = np.arange(len(scene.cloth.positions))
        edges = geometry.triangle_edges(scene.cloth.triangles())
        for _ in range(len(joined)):
            before = joined.copy()
            np.minimum.at(joined, edges[:, 0], joined[edges[:, 1]])
            np.minimum.at(joined, edges[:, 1], joined[edges[:, 0]])
            if (before == joined).all():
                break
        self.assertEqual(len(np.unique(joined)), 5)
        self.assertTrue(scene.settings["self_contact"])

    def test_the_fold_keeps_the_strips_lengths(self):
        mesh = layers.folded().cloth
        edges = geometry.triangle_edges(mesh.triangles())
        bent = np.linalg.norm(np.diff(mesh.positions[edges].astype(float), axis=1)[:, 0], axis=1)
        flat = np.linalg.norm(np.diff(mesh.uvs[edges].astype(float), axis=1)[:, 0], axis=1)
        # A chord is shorter than its arc: by one part in 24 of the squared angle.
        angle = 0.0125 / 0.015
        self.assertLess((bent / flat).max(), 1 + 1e-3)
        self.assertGreater((bent / flat).min(), 1 - angle**2 / 24 - 2e-3)

    def test_the_fold_has_four_layers_apart(self):
        scene = layers.folded()
        points = scene.cloth.positions
        row = points[points[:, 1] == points[:, 1].min()]
        middle = np.abs(row[:, 0]) < 0.1
        crossed = np.flatnonzero(np.diff(np.sign(row[:, 0])) != 0)
        self.assertEqual(len(crossed), 4)
        self.assertEqual(len(np.unique(row[middle, 2].round(5))), 4)
        # Vertices of one section that are far apart along the strip are no nearer than the gap.
        apart = np.abs(np.arange(len(row))[:, None] - np.arange(len(row))) >= 5
        gaps = np.linalg.norm(row[:, None] - row[None], axis=2)[apart]
        self.assertGreater(gaps.min(), 5 * scene.thickness())
        self.assertGreater(points[:, 2].min(), 0.05)


class FilesTest(unittest.TestCase):
    def test_meshes_and_motion_come_back_as_they_were(self):
        scene = scene_of("plate")
        with tempfile.TemporaryDirectory() as folder:
            cloth, body, motion = write_scene(folder, "plate", scene, 5)
            np.testing.assert_array_equal(read_obj(cloth).positions, scene.cloth.positions)
            self.assertEqual(len(read_obj(body).faces()), len(scene.bodies[0].faces))
            cache = read_pc2(motion)
            self.assertEqual(cache.positions.shape[0], 5)
            for frame, places in enumerate(np.array(cache.positions)):
                np.testing.assert_array_equal(places, scene.bodies[0].positions(frame))

    def test_a_still_body_has_no_motion(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = write_scene(folder, "pole", scene_of("pole"), 5)
        self.assertEqual({path.suffix for path in paths}, {".obj"})

    def test_no_two_bodies_share_a_file(self):
        for name in SCENES:
            bodies = [body.name for body in scene_of(name).bodies]
            self.assertEqual(len(bodies), len(set(bodies)), name)


class PictureTest(unittest.TestCase):
    def test_cloth_and_body_are_drawn_in_two_colours(self):
        self.assertNotEqual(CLOTH, SKIN)
        image = draw(scene_of("pole"), (0, 7), size=(90, 100)).astype(int)
        self.assertEqual(image.shape, (100, 180, 3))
        red = image[:, :, 0] - image[:, :, 2] > 60
        self.assertTrue(red[:, :90].any() and red[:, 90:].any())
        dark = (image.max(2) < 130) & (np.ptp(image, axis=2) < 20)
        self.assertTrue(dark[50:75].any())


if __name__ == "__main__":
    unittest.main()

"""Air in closed cloth: Laplace's law, volumes that are kept, momentum, mirroring, and what is refused.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from detail_checks import DetailTest, refused
from muslin import Cloth, DetailCode, Element, Mesh, MuslinError
from scene_meshes import mesh_of
from test_scenes import sheets, solids
from test_scenes.levels import long_test

STEP = 1 / 24
RADIUS = 0.3
BALLOON = {
    "model": "membrane",
    "stretch_warp": 200,
    "stretch_weft": 200,
    "shear": 100,
    "bend": 1e-7,
    "density": 0.15,
    "normal_drag": 0,
    "tangent_drag": 0,
}
WEIGHTLESS = {"gravity": (0, 0, 0)}


def sphere(subdivisions=2, centre=(0, 0, 0)):
    scene = solids.icosphere(RADIUS, centre, subdivisions)
    return Mesh.from_faces(np.float32(scene.positions), np.array(scene.faces).tolist())


def volume(mesh, positions):
    corners = np.float64(positions)[np.array(mesh.faces())]
    return np.linalg.det(corners).sum() / 6


def run(cloth, frames):
    for _ in range(frames):
        cloth.step(STEP)
    return cloth.positions()


class LaplaceTest(unittest.TestCase):
    def test_sphere(self):
        """p = 2 T / R, with the tension T = k e of a St Venant and Kirchhoff sheet, e Green's strain."""
        mesh = sphere(3)
        for settings in ({"scheme": "plain", "iterations": 8}, {"solver": "implicit"}, {}):
            cloth = Cloth(mesh, pressure=100, damping=6, **BALLOON, **WEIGHTLESS, **settings)
            with cloth:
                radii = np.linalg.norm(run(cloth, 30), axis=1)
            self.assertLess(radii.std(), 1e-3 * RADIUS)
            radius = radii.mean()
            tension = 200 * 0.5 * ((radius / RADIUS) ** 2 - 1)
            self.assertGreater(radius, 1.05 * RADIUS)
            self.assertAlmostEqual(2 * tension / radius, 100, delta=1)

    def test_by_sweeps(self):
        settings = {"solver": "sweep", "sweeps": 40, "damping": 6, "pressure": 100}
        with Cloth(sphere(), **BALLOON, **WEIGHTLESS, **settings) as cloth:
            radius = np.linalg.norm(run(cloth, 60), axis=1).mean()
        with Cloth(sphere(), **BALLOON, **WEIGHTLESS, pressure=100, damping=6) as cloth:
            self.assertAlmostEqual(
                np.linalg.norm(run(cloth, 60), axis=1).mean(), radius, delta=1e-4
            )

    def test_changes_while_it_runs(self):
        with Cloth(sphere(), pressure=50, damping=6, **BALLOON, **WEIGHTLESS) as cloth:
            low = np.linalg.norm(run(cloth, 30), axis=1).mean()
            cloth.set_material(pressure=100)
            self.assertGreater(np.linalg.norm(run(cloth, 30), axis=1).mean(), 1.02 * low)
            cloth.set_material(pressure=0)  # from the air that is there on, none may be left
            run(cloth, 1)


class VolumeTest(unittest.TestCase):
    def squeezed(self, mesh, frames=30, **settings):
        """Least and largest volume, over that at rest, between two plates that come together by a quarter."""
        plate = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]
        soft = {**BALLOON, "damping": 2, "stretch_warp": 2000, "stretch_weft": 2000, **WEIGHTLESS}
        rest, found = volume(mesh, mesh.positions), []
        with Cloth(mesh, **{**soft, **settings}) as cloth:
            bodies = [
                cloth.add_body(Mesh.from_faces(np.float32(plate) + (0, 0, z), [[0, 1, 2, 3]]))
                for z in (-RADIUS - 0.005, RADIUS + 0.005)
            ]
            for frame in range(frames):
                way = 0.5 * RADIUS * min(1, 2 * (frame + 1) / frames)
                for body, sign in zip(bodies, (-1, 1)):
                    z = sign * (RADIUS + 0.005 - 0.5 * way)
                    body.move(np.float32(plate) + np.float32([0, 0, z]))
                found.append(volume(mesh, run(cloth, 1)) / rest)
            self.assertLess(np.ptp(cloth.positions()[:, 2]), 1.6 * RADIUS)
        return min(found), max(found)

    @long_test
    def test_kept_to_a_percent(self):
        mesh = sphere(3)
        self.assertLess(self.squeezed(mesh)[0], 0.97)  # else nothing would be shown
        for settings in (
            {"quality": "draft"},
            {"quality": "fit"},
            {"scheme": "plain", "iterations": 8},
        ):
            with self.subTest(**settings):
                least, most = self.squeezed(mesh, volume_stiffness=1e5, **settings)
                self.assertGreater(least, 0.99)
                self.assertLess(most, 1.01)

    def test_two_chambers(self):
        """Each keeps its own: what is pressed out of one does not go to the other."""
        one, other = sphere(2), sphere(2, (2, 0, 0))
        count = one.vertex_count
        faces = [list(face) for face in one.faces()]
        both = Mesh.from_faces(
            np.concatenate([one.positions, other.positions]),
            faces + [[vertex + count for vertex in face] for face in faces],
        )
        with Cloth(both, volume_stiffness=1e5, **BALLOON) as cloth:
            top = [int(one.positions[:, 2].argmax()), int(one.positions[:, 2].argmin())]
            cloth.set_pins(top)
            for frame in range(12):
                nearer = np.float32([[0, 0, -0.01 * (frame + 1)], [0, 0, 0.01 * (frame + 1)]])
                cloth.move_pins(one.positions[top] + nearer)
                run(cloth, 1)
            moved = cloth.positions()
        for mesh, places in ((one, moved[:count]), (other, moved[count:])):
            self.assertAlmostEqual(
                volume(mesh, places - places.mean(axis=0)) / volume(one, one.positions),
                1,
                delta=0.01,
            )


class MotionTest(unittest.TestCase):
    SETTINGS = {**BALLOON, **WEIGHTLESS, "pressure": 60, "volume_stiffness": 2e4}

    def test_momentum(self):
        """Air inside pushes no balloon along, and turns none."""
        mesh = sphere()
        faces = np.array(mesh.faces())
        corners = np.float64(mesh.positions)[faces]
        areas = np.linalg.norm(
            np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
        )
        mass = np.zeros(mesh.vertex_count)
        np.add.at(mass, faces, np.repeat(areas[:, None], 3, axis=1))
        mass /= mass.sum()
        turning = np.cross(np.float32([1, 2, -1]), mesh.positions)
        start = (
            np.float32([0.5, -0.2, 0.1]) + turning + 0.3 * np.sin(9 * mesh.positions[:, [1, 2, 0]])
        )

        def momenta(positions, velocities):
            middle = mass @ positions
            return mass @ velocities, mass @ np.cross(positions - middle, velocities)

        with Cloth(mesh, **self.SETTINGS) as cloth:
            cloth.set_state(mesh.positions, start)
            run(cloth, 12)
            found, expected = momenta(*cloth.state()), momenta(mesh.positions, start)
        np.testing.assert_allclose(found[0], expected[0], atol=1e-5)
        np.testing.assert_allclose(found[1], expected[1], atol=0.05 * np.linalg.norm(expected[1]))

    def test_any_number_of_threads(self):
        mesh = sphere(3)
        found = []
        for threads in (1, 3):
            with Cloth(
                mesh, threads=threads, **{**self.SETTINGS, "gravity": (0, 0, -9.81)}
            ) as cloth:
                found.append(run(cloth, 4).tobytes())
        self.assertEqual(*found)

    def test_snapshot(self):
        with Cloth(sphere(), **self.SETTINGS) as cloth:
            run(cloth, 2)
            snapshot = cloth.snapshot()
            first = run(cloth, 3)
            cloth.restore(snapshot)
            np.testing.assert_array_equal(run(cloth, 3), first)

    def test_mirrored(self):
        mesh = mesh_of(solids.uv_sphere(RADIUS, rings=12, sides=16))
        settings = {**self.SETTINGS, "damping": 4, "scheme": "plain", "iterations": 12}
        settings["volume_stiffness"] = 200
        found = []
        for mirror in ("off", "exact"):
            with Cloth(mesh, mirror=mirror, **settings) as cloth:
                found.append(run(cloth, 15))
                self.assertEqual(cloth.mirror().mode, mirror)
        np.testing.assert_allclose(*found, atol=1e-4)
        self.assertGreater(np.linalg.norm(found[0], axis=1).mean(), 1.001 * RADIUS)


def flat_cushion(count=7, side=0.4, tilt=0.3):
    """Two sheets in one place that are joined all around, in a tilted plane."""
    scene = sheets.grid(count, count, side)
    places = np.array(scene.positions, dtype=float)
    number = np.arange(len(places))
    rim = np.abs(places[:, :2] - places[:, :2].mean(axis=0)).max(axis=1) > 0.499 * side
    back = np.where(rim, number, -1)
    back[~rim] = len(places) + np.arange((~rim).sum())
    faces = [list(face) for face in scene.faces]
    faces += [[int(back[vertex]) for vertex in face[::-1]] for face in scene.faces]
    places = np.concatenate([places, places[~rim]])
    turn = np.array([[np.cos(tilt), 0, np.sin(tilt)], [0, 1, 0], [-np.sin(tilt), 0, np.cos(tilt)]])
    return Mesh.from_faces(np.float32(places @ turn.T), faces)


class FlatTest(DetailTest):
    def test_a_flat_cushion_is_blown_up(self):
        for tilt in (0.0, 0.3):
            mesh = flat_cushion(tilt=tilt)
            with Cloth(mesh, pressure=200, **WEIGHTLESS) as cloth:
                positions = run(cloth, 24)
            corners = [np.float64(positions)[list(face)] for face in mesh.faces()]
            six = sum(np.cross(c, np.roll(c, -1, axis=0)).sum(axis=0) @ c.mean(0) for c in corners)
            self.assertGreater(six / 6, 1e-3)  # m³, where a sphere of its area has 0.05

    def test_no_volume_can_be_kept(self):
        for tilt in (0.0, 0.3):
            mesh = flat_cushion(tilt=tilt)
            with self.assertRaisesRegex(MuslinError, "flat at rest: it has no volume to keep"):
                Cloth(mesh, volume_stiffness=1000)
            with Cloth(mesh, pressure=10) as cloth:
                details = refused(cloth.set_material, pressure=10, volume_stiffness=1000)
                self.check(details, DetailCode.CONFLICT, name="volume_stiffness")
                run(cloth, 1)


class RefusalTest(DetailTest):
    def test_no_face(self):
        rope = Mesh([[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0]], edges=[(0, 1), (1, 2)])
        details = refused(Cloth, rope, pressure=100)
        self.check(details, DetailCode.CONFLICT, name="pressure")

    def test_flat_part(self):
        flat, ball = flat_cushion(), sphere(1, (3, 0, 0))
        count = flat.vertex_count
        mesh = Mesh(
            np.concatenate([flat.positions, ball.positions]),
            np.concatenate([flat.face_sizes, ball.face_sizes]),
            np.concatenate([flat.face_vertices, ball.face_vertices + count]),
        )
        parts = np.repeat([0, 1], [count, ball.vertex_count])
        keeps = {"volume_stiffness": 1e4}
        with self.assertRaisesRegex(
            MuslinError, "for part 0, but the closed surface is flat at rest"
        ):
            Cloth(mesh, parts=parts, materials=[keeps, keeps])
        with Cloth(mesh, parts=parts, materials=[{}, keeps]) as cloth:
            cloth.step(STEP)

    def test_open(self):
        mesh = mesh_of(sheets.grid(4, 4, 1.0))
        with self.assertRaisesRegex(MuslinError, "the surface ends there"):
            Cloth(mesh, pressure=10)
        details = refused(Cloth, mesh, volume_stiffness=10)
        self.assertEqual(
            (details[0].code, details[0].element), (DetailCode.CONFLICT, Element.VERTEX)
        )

    def test_turned_face(self):
        mesh = sphere()
        faces = [list(face) for face in mesh.faces()]
        faces[3].reverse()
        with self.assertRaisesRegex(MuslinError, "different sides"):
            Cloth(Mesh.from_faces(mesh.positions, faces), pressure=10)

    def test_part_without(self):
        """An open part needs none, beside a closed one; else it is named."""
        ball, sheet = sphere(1), mesh_of(sheets.grid(4, 4, 1.0))
        faces = [list(face) for face in ball.faces()]
        count = ball.vertex_count
        faces += [[int(vertex) + count for vertex in face] for face in sheet.faces()]
        mesh = Mesh.from_faces(np.concatenate([ball.positions, sheet.positions + 5]), faces)
        parts = np.repeat([0, 1], [count, sheet.vertex_count])
        with Cloth(mesh, parts=parts, materials=[{"pressure": 50}, {}]) as cloth:
            run(cloth, 2)
        with self.assertRaisesRegex(MuslinError, "part 1: pressure needs a closed surface"):
            Cloth(mesh, parts=parts, materials=[{}, {"pressure": 50}])

    def test_solvers(self):
        for settings in (
            {"solver": "sweep", "volume_stiffness": 1},
            {"solver": "implicit", "volume_stiffness": 1},
            {"solver": "threads", "pressure": 1},
        ):
            details = refused(Cloth, sphere(), **settings)
            self.assertEqual(details[0].code, DetailCode.CONFLICT)

    def test_a_solver_that_keeps_no_volumes_is_given_none_later(self):
        for solver in ("sweep", "implicit"):
            with Cloth(sphere(), solver=solver, pressure=10) as cloth:
                details = refused(cloth.set_material, pressure=10, volume_stiffness=1000)
                self.check(details, DetailCode.CONFLICT, name="volume_stiffness")
                run(cloth, 1)
        ball = sphere(1)
        with Cloth(
            ball,
            solver="sweep",
            parts=np.zeros(ball.vertex_count, int),
            materials=[{"pressure": 5}],
        ) as cloth:
            details = refused(cloth.set_material, part=0, volume_stiffness=1000)
            self.check(details, DetailCode.CONFLICT, name="volume_stiffness")

    def test_later(self):
        with Cloth(sphere()) as cloth:
            self.check(
                refused(cloth.set_material, pressure=10), DetailCode.CONFLICT, name="pressure"
            )
            run(cloth, 1)


if __name__ == "__main__":
    unittest.main()

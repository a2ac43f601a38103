"""Parts of a mirrored cloth without a mirror image: simulated apart, sewn to the garment below.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import hashlib
import unittest

import numpy as np

from mirror_meshes import STEP, image, partners, places, quads, roof, triangles, with_pocket
from detail_checks import refused
from muslin import Cloth, DetailCode, Mesh, fabric
from test_scenes import solids

COUNT = 63  # vertices of roof()
CORNERS = [0, 8]


def run(cloth, frames):
    collected = []
    for _ in range(frames):
        cloth.step(STEP)
        state = np.concatenate(cloth.state()).tobytes()
        collected.append(hashlib.sha256(state).hexdigest()[:16])
    return collected


def with_flap():
    """roof() with a long strip that begins near it and hangs in the air beside it, on one side."""
    flap = places(3, 9, 0.1, 0.8) * np.float32([1, 1, 0]) + np.float32([0.3, 0.69, 0.17])
    faces = [list(face) for face in triangles(9, 7)] + quads(3, 9, COUNT).tolist()
    return Mesh.from_faces(np.concatenate([places(), flap]), faces)


def with_cords():
    """roof() with two cords of five vertices on one side: one begins near it, the other is far away."""
    cord = np.float32([[0.3, 0.3 + 0.1 * k, 0.13] for k in range(5)])
    positions = np.concatenate([places(), cord, cord + np.float32([3, 0, 0])])
    edges = [(first + k, first + k + 1) for first in (COUNT, COUNT + 5) for k in range(4)]
    return Mesh.from_faces(positions, triangles(9, 7), edges)


def hung(mesh, frames=10, prepare=lambda cloth: None, **settings):
    """What is not of roof() after some steps in which roof() stands still."""
    parts = {name: settings.pop(name, None) for name in ("parts", "materials")}
    exact = {"scheme": "plain", "iterations": 20, "mirror": "exact"}
    with Cloth(mesh, **parts, **{**exact, **settings}) as cloth:
        cloth.set_pins([*range(COUNT)])
        prepare(cloth)
        run(cloth, frames)
        return cloth.positions()[COUNT:]


def alone(mesh, frames=10, **settings):
    """The strip of with_flap() by itself, held where it would be sewn."""
    own = mesh.face_vertices >= COUNT
    uvs = {} if mesh.uvs is None else {"uvs": mesh.uvs[own]}
    strip = Mesh(
        mesh.positions[COUNT:], [4] * (own.sum() // 4), mesh.face_vertices[own] - COUNT, **uvs
    )
    with Cloth(strip, **{"scheme": "plain", "iterations": 20, **settings}) as cloth:
        cloth.set_pins([0, 1, 2, 3, 5])
        run(cloth, frames)
        return cloth.positions()


class ExtrasTest(unittest.TestCase):
    def test_the_garment_is_as_without(self):
        with Cloth(with_pocket(), mirror="exact") as cloth, Cloth(roof(), mirror="exact") as plain:
            for each in (cloth, plain):
                each.set_pins(CORNERS)
            run(cloth, 6)
            run(plain, 6)
            self.assertEqual(cloth.mirror().extra_count, 9)
            np.testing.assert_array_equal(cloth.positions()[:COUNT], plain.positions())

    def test_pocket_goes_along(self):
        """Its border keeps its distance from the garment below; its middle is free, but goes along."""
        mesh = with_pocket()
        with Cloth(mesh, mirror="auto") as cloth:
            cloth.set_pins(CORNERS)
            run(cloth, 8)
            self.assertEqual(cloth.warnings, [])
            positions = cloth.positions()
            np.testing.assert_array_equal(positions[:COUNT], image(positions[:COUNT], partners()))
            below = positions[:COUNT][np.argmin(np.linalg.norm(places() - [0.2, 0, 0.06], axis=1))]
            moved = np.linalg.norm(below - [0.2, 0, 0.06])
            self.assertGreater(moved, 0.02)
            distance = np.linalg.norm(positions[COUNT:] - below, axis=1)
            self.assertLess(distance.max(), 0.12)
            self.assertGreater(np.abs(cloth.state()[1][COUNT:]).max(), 0)

    def test_only_what_is_near_is_sewn(self):
        mesh = with_flap()
        with Cloth(mesh, mirror="exact") as cloth:
            cloth.set_pins([*range(COUNT)])  # the garment stands still
            run(cloth, 10)
            moved = np.linalg.norm(cloth.positions() - mesh.positions, axis=1)
            self.assertLess(moved[: COUNT + 3].max(), 1e-6)
            self.assertGreater(moved[-3:].min(), 0.1)

    def test_pins_scales_and_state(self):
        mesh = with_flap()
        end = mesh.vertex_count - 1
        with Cloth(mesh, mirror="exact") as cloth:
            cloth.set_pins([0, 8, end])
            cloth.set_maps(mass=np.linspace(1, 1, mesh.vertex_count))
            run(cloth, 3)
            np.testing.assert_allclose(cloth.positions()[end], mesh.positions[end], atol=1e-7)
            targets = mesh.positions[[0, 8, end]] + np.float32([0, 0, 0.05])
            cloth.move_pins(targets)
            run(cloth, 1)
            np.testing.assert_allclose(cloth.positions()[[0, 8, end]], targets, atol=1e-7)
            moved = mesh.positions + np.float32([0, 0.1, 0.2])
            cloth.set_state(moved, moved * np.float32([0, 0, 1]))
            np.testing.assert_array_equal(cloth.positions(), moved)
            np.testing.assert_array_equal(cloth.state()[1], moved * np.float32([0, 0, 1]))
            self.assertLess(cloth.stats().kinetic_energy, 1)

    def test_flap_meets_the_garment_and_bodies(self):
        """A loose sheet above one side falls on the garment, and another beside it on a body."""
        sheet = places(5, 5, 0.1, 0.1) * np.float32([1, 1, 0])
        sheets = [sheet + np.float32([0.2, 0, 0.3]), sheet + np.float32([0.8, 0, 0.3])]
        faces = [list(face) for face in triangles(9, 7)]
        faces += quads(5, 5, COUNT).tolist() + quads(5, 5, COUNT + 25).tolist()
        mesh = Mesh.from_faces(np.concatenate([places(), *sheets]), faces)
        with Cloth(mesh, mirror="exact") as cloth:
            cloth.set_pins([*range(COUNT)])
            table = solids.box((0.3, 0.3, 0.1), (0.8, 0, 0.15))
            cloth.add_body(Mesh.from_faces(table.positions, table.faces))
            run(cloth, 20)
            heights = cloth.positions()[COUNT:, 2].reshape(2, 25)
            self.assertLess(heights.max(), 0.28)
            self.assertGreater(heights[0].max(), 0.03)
            self.assertGreater(heights[1].min(), 0.2)

    def test_snapshot(self):
        with Cloth(with_pocket(), mirror="auto") as cloth, Cloth(
            with_pocket(), mirror="auto"
        ) as other:
            for each in (cloth, other):
                each.set_pins(CORNERS)
                each.set_self_contact(True)
            run(cloth, 4)
            halved = cloth.snapshot()
            frames = run(cloth, 3)
            cloth.set_pins([0])
            run(cloth, 2)
            self.assertEqual(cloth.mirror().solved_whole, 1)
            for each in (cloth, other):
                each.set_pins(CORNERS, None, places()[CORNERS])
                each.restore(halved)
                self.assertEqual(run(each, 3), frames)

    def test_whole_and_back(self):
        mesh = with_flap()
        settings = {"scheme": "plain", "iterations": 100}
        with Cloth(mesh, mirror="auto", **settings) as cloth:
            cloth.set_pins(CORNERS)
            run(cloth, 3)
            for wind, whole in (((1e-4, 0, 0), 1), ((0, 0, 0), 0)):
                cloth.set_forces(wind=wind)
                before = cloth.positions()
                cloth.step(1e-5)
                self.assertEqual(cloth.mirror().solved_whole, whole)
                self.assertLess(np.abs(cloth.positions() - before).max(), 2e-4)

    def test_stitches_are_slack_at_first(self):
        """Also of what reaches beyond the garment's edge: nothing moves without weight."""
        for mesh in (with_flap(), with_pocket(), with_cords()):
            found = hung(mesh, 2, gravity=(0, 0, 0))
            np.testing.assert_allclose(found, mesh.positions[COUNT:], rtol=0, atol=1e-6)

    def test_fabric_of_its_own(self):
        """The strip moves as it does alone: what holds it stands still."""
        mesh = with_flap()
        felt = {**fabric("felt"), "damping": 2}
        parts = np.repeat([0, 1], [COUNT, mesh.vertex_count - COUNT])
        found = hung(mesh, parts=parts, materials=[fabric("silk"), felt])
        np.testing.assert_allclose(found, alone(mesh, **felt), rtol=0, atol=1e-5)
        self.assertGreater(np.abs(found - alone(mesh, **fabric("silk"))).max(), 1e-3)

    def test_pattern_of_its_own(self):
        """A pattern of four fifths draws it together."""
        mesh = with_flap()
        corners = mesh.positions[mesh.face_vertices, :2].astype(float)
        own = mesh.face_vertices >= COUNT
        uvs = np.where(own[:, None], 0.8 * corners, corners)
        cut = Mesh.from_faces(mesh.positions, mesh.faces(), uvs=uvs)
        found = hung(cut, pattern="uv")
        np.testing.assert_allclose(found, alone(cut, pattern="uv"), rtol=0, atol=1e-5)
        lengths = np.linalg.norm(np.diff(found.reshape(9, 3, 3)[:, 1], axis=0), axis=1)
        self.assertAlmostEqual(lengths[4:].sum() / 0.4, 0.8, delta=0.03)

    def test_fields(self):
        """An even pull is a weight: N/m² over kg/m² is an acceleration."""
        mesh = with_flap()
        pull = np.tile(np.float32([0, 0, -0.6]), (mesh.vertex_count, 1))
        settings = {"density": 0.3, "damping": 0, "normal_drag": 0, "tangent_drag": 0}
        pulled = hung(
            mesh,
            prepare=lambda cloth: cloth.set_fields(traction=pull),
            gravity=(0, 0, 0),
            **settings,
        )
        weighed = hung(mesh, gravity=(0, 0, -2), **settings)
        self.assertGreater(np.abs(weighed - mesh.positions[COUNT:]).max(), 0.05)
        np.testing.assert_allclose(pulled, weighed, rtol=0, atol=2e-6)

    def test_a_pin_goes_before_a_stitch(self):
        mesh = with_flap()
        target = mesh.positions[COUNT + 1] + np.float32([0, 0, 0.01])

        def pin(cloth):
            held = [*range(COUNT), COUNT + 1]
            cloth.set_pins(held, None, np.concatenate([mesh.positions[:COUNT], [target]]))

        found = hung(mesh, 2, pin)
        np.testing.assert_allclose(found[1], target, rtol=0, atol=1e-7)
        np.testing.assert_allclose(found[[0, 2]], mesh.positions[[COUNT, COUNT + 2]], atol=1e-6)

    def test_cords(self):
        """Their ends are sewn where the garment is near; the far one falls as it does alone."""
        mesh = with_cords()
        implicit = {"solver": "implicit", "iterations": 20}
        found = hung(mesh, 4, **implicit).reshape(2, 5, 3)
        self.assertLess(np.abs(found[0, 0] - mesh.positions[COUNT]).max(), 1e-6)
        self.assertLess(found[0, -1, 2], mesh.positions[COUNT + 4, 2] - 0.02)
        lone = Mesh(mesh.positions[-5:], edges=[(k, k + 1) for k in range(4)])
        with Cloth(lone, **implicit) as cloth:
            run(cloth, 4)
            np.testing.assert_allclose(found[1], cloth.positions(), rtol=0, atol=1e-6)

    def test_nothing_to_sew_to(self):
        """A garment of cords alone has no faces."""
        x = np.linspace(-0.4, 0.4, 9, dtype=np.float32)
        rope = np.column_stack([x, np.zeros(9), np.zeros(9)])
        cord = np.float32([[0.2, 0.02, 0], [0.2, 0.12, 0], [0.2, 0.22, 0]])
        edges = [*((k, k + 1) for k in range(8)), (9, 10), (10, 11)]
        mesh = Mesh(np.concatenate([rope, cord]), edges=edges)
        with Cloth(mesh, mirror="exact") as cloth, Cloth(mesh) as whole:
            for each in (cloth, whole):
                each.set_pins([0, 8])
                run(each, 4)
            self.assertEqual(cloth.mirror().extra_count, 3)
            np.testing.assert_allclose(cloth.positions()[9:], whole.positions()[9:], atol=1e-6)

    def test_the_vertex_that_was_lost(self):
        """It is named by the caller's number."""
        mesh = with_flap()
        push = np.zeros((mesh.vertex_count, 3), np.float32)
        push[-1] = 1e30
        with Cloth(mesh, mirror="exact") as cloth:
            cloth.set_fields(traction=push)
            details = refused(cloth.step, 10)
            self.assertEqual(details[0].code, DetailCode.DIVERGED)
            self.assertGreaterEqual(details[0].elements[0], COUNT)

    def test_stray_vertices_stay(self):
        mesh = Mesh.from_faces(np.concatenate([places(), [[0.1, 0.2, 3]]]), triangles(9, 7))
        with Cloth(mesh, mirror="exact") as cloth:
            run(cloth, 2)
            np.testing.assert_array_equal(cloth.positions()[-1], np.float32([0.1, 0.2, 3]))


if __name__ == "__main__":
    unittest.main()

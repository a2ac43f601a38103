"""Force fields at each vertex: what they do, against closed forms and uniform wind; mirrored, on coarser levels, refused.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from body_meshes import STEP
from detail_checks import DetailTest, refused
from mirror_meshes import uneven
from muslin import Cloth, DetailCode, Element, Mesh, Outcome
from test_scenes import sheets

SIDE = 9
DENSITY = 0.3
FREE = {"threads": 1, "gravity": (0, 0, 0), "density": DENSITY, "damping": 0, "air_drag": 0}


def sheet(side=SIDE, size=0.5):
    scene = sheets.grid(side, side, size, "quads")
    return Mesh.from_faces(scene.positions, scene.faces)


def everywhere(vector, count=SIDE * SIDE):
    return np.tile(np.float32(vector), (count, 1))


def stepped(mesh, frames=6, wind=None, traction=None, prepare=lambda cloth: None, **settings):
    with Cloth(mesh, **{**FREE, **settings}) as cloth:
        prepare(cloth)
        cloth.set_fields(wind, traction)
        for _ in range(frames):
            cloth.step(STEP)
        return cloth.positions()


class Acting(unittest.TestCase):
    def test_an_even_traction_is_a_weight(self):
        """N/m² over kg/m² is an acceleration, whatever the solver."""
        pull = 0.6
        for settings in (
            {"scheme": "plain"},
            {"quality": "fit"},
            {"solver": "implicit"},
            {"solver": "threads"},
            {"solver": "sweep"},
        ):
            pulled = stepped(sheet(), traction=everywhere((0, 0, pull)), **settings)
            weighed = stepped(sheet(), **{**settings, "gravity": (0, 0, pull / DENSITY)})
            np.testing.assert_allclose(pulled, weighed, atol=2e-6, err_msg=str(settings))

    def test_even_wind_is_the_wind(self):
        for law in ("linear", "square"):
            drag = {"normal_drag": 0.7, "tangent_drag": 0.1, "drag_law": law}
            blown = stepped(sheet(), wind=everywhere((1, 2, 3)), **drag)

            def windy(cloth, drag=drag):
                cloth.set_forces(wind=(1, 2, 3), **drag)

            np.testing.assert_allclose(blown, stepped(sheet(), prepare=windy, **drag), atol=2e-6)

    def test_each_vertex_feels_its_own(self):
        """A torque of (0, 0, τ) on a free sheet turns it by τ/I t²/2, as a stiff plate."""
        places = sheet().positions
        strength = 0.5
        field = strength * np.cross((0, 0, 1), places).astype(np.float32)
        turned = stepped(sheet(), frames=3, traction=field, quality="final", substeps=8)
        angle = np.arctan2(turned[0, 1], turned[0, 0]) - np.arctan2(places[0, 1], places[0, 0])
        # an angular acceleration of strength/density; final is of second order
        self.assertAlmostEqual(angle, strength / DENSITY * (3 * STEP) ** 2 / 2, delta=1e-5)

    def test_fields_end(self):
        with Cloth(sheet(), **FREE) as cloth:
            cloth.set_fields(traction=everywhere((0, 0, 1)))
            cloth.set_fields()
            cloth.step(STEP)
            np.testing.assert_allclose(cloth.positions(), sheet().positions, atol=1e-9)

    def test_on_a_coarser_level(self):
        mesh = sheet(34)
        count = mesh.vertex_count

        def coarser(cloth):
            cloth.hold_level(1)

        pulled = stepped(
            mesh, 6, None, everywhere((0, 0, 0.6), count), coarser, budget_ms=1000, quality="draft"
        )
        weighed = stepped(
            mesh, 6, prepare=coarser, budget_ms=1000, quality="draft", gravity=(0, 0, 2)
        )
        np.testing.assert_allclose(pulled, weighed, atol=1e-5)


class Mirrored(DetailTest):
    def field(self):
        """Its own image, and another everywhere."""
        x, y, _ = sheet().positions.T
        return np.float32(np.column_stack([3 * x, 1 + y, x * x + y]))

    def test_half_as_whole(self):
        drag = {"normal_drag": 0.7, "tangent_drag": 0.1, "solver": "implicit", "iterations": 20}
        for mirror in ("exact", "auto", "halve"):
            whole, half = (
                stepped(sheet(), 6, self.field(), 2 * self.field(), **drag, mirror=choice)
                for choice in ("off", mirror)
            )
            np.testing.assert_allclose(half, whole, atol=1e-5)

    def test_a_side_with_another_mesh(self):
        mesh = uneven()
        pull = everywhere((0, 0, -0.6), mesh.vertex_count)
        pulled = stepped(mesh, 4, traction=pull, mirror="halve")
        weighed = stepped(mesh, 4, mirror="halve", gravity=(0, 0, -2))
        self.assertLess(weighed[:, 2].mean(), mesh.positions[:, 2].mean() - 0.01)
        np.testing.assert_allclose(pulled, weighed, rtol=0, atol=1e-4)

    def test_any_plane(self):
        """The same in a plane that is no coordinate plane, turned back."""
        turn = np.array([[0.8, -0.6, 0], [0.6, 0.8, 0], [0, 0, 1]])
        mesh = sheet()
        turned = Mesh(mesh.positions @ np.float32(turn.T), mesh.face_sizes, mesh.face_vertices)
        settings = {"solver": "implicit", "iterations": 20, "mirror": "exact"}
        plane = {"mirror_plane": ((0, 0, 0), tuple(turn[:, 0]))}
        wanted = stepped(mesh, 6, self.field(), 2 * self.field(), **settings)
        field = self.field() @ np.float32(turn.T)
        found = stepped(turned, 6, field, 2 * field, **settings, **plane)
        np.testing.assert_allclose(found @ turn, wanted, rtol=0, atol=1e-5)
        with Cloth(turned, **FREE, mirror="exact", **plane) as cloth:
            refused(cloth.set_fields, traction=everywhere(turn[:, 0]))

    def test_what_is_not_symmetric(self):
        field = everywhere((1, 0, 0))
        with Cloth(sheet(), **FREE, mirror="exact") as cloth:
            details = refused(cloth.set_fields, traction=field)
        self.assertEqual(details[0].code, DetailCode.WIND_ASYMMETRIC)
        with Cloth(sheet(), **FREE, mirror="auto") as cloth:
            cloth.set_fields(traction=field)
            self.assertEqual(cloth.details[0].outcome, Outcome.SOLVED_WHOLE)
            reported = len(cloth.warnings)
            cloth.set_fields(traction=2 * field)  # told once
            cloth.step(STEP)
            self.assertEqual(len(cloth.warnings), reported)
            self.assertTrue(cloth.mirror().solved_whole)
            self.assertGreater((cloth.positions() - sheet().positions)[:, 0].min(), 1e-4)

    def test_what_is_not_finite(self):
        field = everywhere((0, 0, 1))
        field[7, 2] = np.nan
        for name in ("wind", "traction"):
            with Cloth(sheet(), **FREE) as cloth:
                details = refused(cloth.set_fields, **{name: field})
            self.assertEqual((details[0].code, details[0].name), (DetailCode.NOT_FINITE, name))
            self.assertEqual((details[0].element, details[0].elements), (Element.VERTEX, (7,)))


if __name__ == "__main__":
    unittest.main()

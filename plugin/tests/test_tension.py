"""What pulls in a cloth's threads, in every model: against slopes of the energy, a weight that hangs, and a tight sleeve.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from body_meshes import STEP
from muslin import Cloth, Mesh
from test_scenes import hoop, sheets

GRAVITY = 9.81
STIFFNESS = {"stretch_warp": 900.0, "stretch_weft": 500.0, "shear": 120.0}
# Measured: c11, c12, c22, c33 slack, then at a stretch of 1/6 in five directions: stiffer the further it is stretched.
SAMPLES = tuple(k * (1.0 + 0.2 * step) for step in range(6) for k in (900.0, 100.0, 500.0, 120.0))
MODELS = {
    "triangles": {"model": "triangle"},
    "products": {"model": "triangle", "solver": "implicit", "shear_energy": "product"},
    "tension only": {"model": "triangle", "tension_only": True},
    "edges": {"model": "edge"},
    "strained edges": {"model": "edge", "strain_measure": "green"},
    "membranes": {"model": "membrane", "poisson": 0.3},
    "hencky": {"model": "membrane", "strain_measure": "hencky"},
    "measured": {"model": "membrane", "stretch_samples": SAMPLES},
    "limited": {"model": "membrane", "strain_limit": 0.15},
    "threads": {"solver": "threads", "area_stiffness": 50.0},
}


def sheet(nx=6, ny=6, size=(0.5, 0.5), quads=False):
    """Flat, with its warp along x; of triangles, or of quads."""
    scene = sheets.grid(nx, ny, size)
    places = scene.positions - scene.positions.min(0)
    faces = np.reshape(scene.faces, (-1, 3))
    if quads:
        low = (np.arange(nx - 1) + nx * np.arange(ny - 1)[:, None]).ravel()
        places = np.float32(
            [[x, y, 0] for y in np.linspace(0, size[1], ny) for x in np.linspace(0, size[0], nx)]
        )
        faces = np.column_stack([low, low + 1, low + nx + 1, low + nx])
    return Mesh.from_faces(places, faces, uvs=places[:, :2][faces.ravel()])


def moved(mesh, a, b, angle):
    """Warp and weft of such lengths, whose angle is less by `angle` than the right one."""
    x, y = mesh.positions[:, 0], mesh.positions[:, 1]
    return np.column_stack([a * x + b * np.sin(angle) * y, b * np.cos(angle) * y, 0 * x])


class EnergyTest(unittest.TestCase):
    """T_u times the area is a dE/da, and T_v times it b dE/db, where all of a sheet is stretched alike."""

    def slopes(self, cloth, mesh, state, step=1e-3):
        found = []
        for axis in (0, 1):
            energies = []
            for sign in (1, -1):
                changed = list(state)
                changed[axis] *= 1 + sign * step
                cloth.set_state(moved(mesh, *changed))
                energies.append(cloth.stats().elastic_energy)
            found.append((energies[0] - energies[1]) / (2 * step))
        return found

    def test_slopes_of_the_energy(self):
        kinds = [(name, quads) for name in MODELS for quads in (False, True)]
        for name, quads in kinds[:-2] + kinds[-1:]:  # threads are of quads
            mesh, chosen = sheet(quads=quads), MODELS[name]
            # Springs of triangles that lean one way or the other answer to shear unevenly.
            leans = "edges" in name and not quads
            for state in ((1.1, 1.03, 0.0),) if leans else ((1.1, 1.03, 0.0), (1.07, 1.05, 0.2)):
                with self.subTest(name, state=state, quads=quads):
                    with Cloth(mesh, **{**STIFFNESS, **chosen}, gravity=(0, 0, 0)) as cloth:
                        wanted = self.slopes(cloth, mesh, state)
                        cloth.set_state(moved(mesh, *state))
                        reported = cloth.tensions()
                    a, b, angle = state
                    area = 0.25 * a * b * np.cos(angle)
                    for pulls, slope in zip(reported, wanted):
                        self.assertLess(np.ptp(pulls), (0.05 if angle else 1e-3) * pulls.max())
                        self.assertAlmostEqual(
                            pulls.mean() * area / slope, 1.0, delta=1e-2 if angle else 2e-3
                        )


class WeightTest(unittest.TestCase):
    def test_a_strip_bears_what_hangs_on_it(self):
        density, length = 2.0, 0.5  # kg/m2: heavy, so that it is stretched
        flat = sheet(5, 41, (0.05, length), quads=True)
        upright, faces = flat.positions[:, [0, 2, 1]], np.array(flat.faces())
        mesh = Mesh.from_faces(
            upright, faces, uvs=upright[:, [2, 0]][faces.ravel()]
        )  # warp upright
        across, heights = upright[:, 0], upright[:, 2]
        for name in ("triangles", "edges", "membranes", "measured", "threads"):
            settings = {**STIFFNESS, "density": density, "damping": 5.0, **MODELS[name]}
            with self.subTest(name), Cloth(mesh, quality="final", **settings) as cloth:
                cloth.set_pins(np.flatnonzero(heights > length - 1e-6))
                for _ in range(150):
                    cloth.step(STEP)
                reported, worn = cloth.tensions()[0], cloth.positions()
                middle = (np.abs(across - 0.025) < 1e-6) & (abs(heights - 0.25) < 0.15)
                row = [worn[abs(heights - z) < 1e-6, 0] for z in heights[middle]]
                width = np.array([np.ptp(places) for places in row])
                below = density * GRAVITY * 0.05 * heights[middle]  # N
                np.testing.assert_allclose(reported[middle] * width, below, rtol=0.03)


class WornTest(unittest.TestCase):
    def test_a_tight_sleeve(self):
        sleeve = hoop.Sleeve(warp=700.0, weft=1300.0, shear=150.0)
        with hoop.worn(sleeve) as cloth:
            reported, fit, heights = cloth.tensions()[1], cloth.fit(), cloth.positions()[:, 2]
        inside = np.abs(heights - heights.mean()) < 0.4 * np.ptp(heights)  # strain is even there
        np.testing.assert_allclose(
            reported[inside], sleeve.reported_tension(fit)[inside], rtol=5e-4
        )

    def test_parts_have_their_own_fabrics_and_maps_count(self):
        scene = sheet(5, 5, (0.2, 0.2))
        both = np.concatenate([scene.positions, scene.positions + (1, 0, 0)])
        faces = np.concatenate([scene.faces(), np.add(scene.faces(), 25)])
        mesh = Mesh.from_faces(both, faces, uvs=both[:, :2][faces.ravel()])
        fabrics = [
            {**STIFFNESS, "shear": 0.0},
            {**STIFFNESS, "stretch_warp": 90.0, "model": "membrane"},
        ]
        with Cloth(mesh, parts=np.repeat([0, 1], 25), materials=fabrics, shear=0.0) as cloth:
            cloth.set_state(mesh.positions * np.float32([1.1, 1, 1]))
            warp = cloth.tensions()[0]
            np.testing.assert_allclose(warp[:25], 900 * 0.1, rtol=1e-3)
            np.testing.assert_allclose(warp[25:], 90 * 0.5 * (1.1**2 - 1) * 1.1, rtol=1e-3)
            cloth.set_maps(stretch=np.full(50, 2.0))
            np.testing.assert_allclose(cloth.tensions()[0], 2 * warp, rtol=1e-5)

    def test_a_diagonal_is_of_its_own_quad(self):
        """Three quads around a pole: only the spring between two of its neighbours is stretched, and only there it pulls."""

        def at(degrees, distance):
            angle = np.radians(degrees)
            return distance * np.cos(angle), distance * np.sin(angle), 0

        # The pole, its neighbours, and the corners across from it: of the first quad near, so that it is cut through
        # the pole and the others beside it.
        ring = [at(-75, 1), at(75, 1), at(180, 1)], [at(0, 1), at(127.5, 2), at(232.5, 2)]
        mesh = Mesh.from_faces(
            np.float32([(0, 0, 0), *ring[0], *ring[1]]),
            [[0, 1, 4, 2], [0, 2, 5, 3], [0, 3, 6, 1]],
        )
        places, turn = mesh.positions.copy(), np.radians(2.0)
        for vertex, angle in ((1, -turn), (2, turn)):  # around the third neighbour
            x, y = places[vertex, :2] - places[3, :2]
            rotated = x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle)
            places[vertex, :2] = places[3, :2] + rotated
        with Cloth(mesh, model="edge", stretch_warp=0, stretch_weft=0, shear=100.0) as cloth:
            cloth.set_state(places)
            reported = np.max(np.abs(cloth.tensions()), axis=0)
        self.assertGreater(reported[[0, 1, 2, 4]].min(), 0.1)
        self.assertLess(reported[[3, 5, 6]].max(), 1e-3)

    def test_both_quads_that_have_a_diagonal_share_it(self):
        """Two quads with two sides in common, each the other's image: what pulls in both does so alike."""
        mesh = Mesh.from_faces(
            np.float32([(0, 0, 0), (2, 0, 0), (1, 0, 0), (1, 1, 0), (1, -1, 0)]),
            [[0, 2, 1, 3], [0, 4, 1, 2]],
        )
        with Cloth(mesh, model="edge", stretch_warp=0, stretch_weft=0, shear=100.0) as cloth:
            cloth.set_state(
                mesh.positions + np.float32([(-0.1, 0, 0), (0.1, 0, 0)] + 3 * [(0, 0, 0)])
            )
            reported = np.sum(cloth.tensions(), axis=0)
        self.assertGreater(reported.min(), 0.1)
        self.assertAlmostEqual(reported[3], reported[4], delta=1e-4 * reported[3])

    def test_folds_lose_nothing(self):
        """A strip around a corner: what pulls across it stays."""
        mesh = sheet(3, 9, (0.1, 0.4))
        x, y = mesh.positions[:, 0], 1.05 * mesh.positions[:, 1]
        bent = np.column_stack([x, np.minimum(y, 0.21), np.maximum(y - 0.21, 0)])
        for name in ("triangles", "edges"):
            with Cloth(mesh, **{**STIFFNESS, **MODELS[name]}) as cloth:
                cloth.set_state(moved(mesh, 1.0, 1.05, 0.0))
                flat = cloth.tensions()[1]
                cloth.set_state(bent)
                np.testing.assert_allclose(cloth.tensions()[1], flat, rtol=1e-3)

    def test_ropes_are_none_of_it(self):
        scene = sheet(3, 3, (0.1, 0.1))
        faces = np.array(scene.faces())
        uvs = scene.positions[:, :2][faces.ravel()]
        mesh = Mesh.from_faces(scene.positions, faces, [[0, 8]], uvs=uvs)
        with Cloth(mesh, model="edge", rope_stretch=1e5) as cloth:
            cloth.set_state(mesh.positions * np.float32([1.1, 1, 1]))
            with_rope = cloth.tensions()
        with Cloth(scene, model="edge") as cloth:
            cloth.set_state(scene.positions * np.float32([1.1, 1, 1]))
            without = cloth.tensions()
        np.testing.assert_array_equal(with_rope, without)

    def test_half_of_a_mirrored_cloth_tells_the_whole(self):
        mesh = sheet(9, 5, (0.4, 0.2))
        places = mesh.positions - np.float32([0.2, 0, 0])
        mesh = Mesh.from_faces(places, mesh.faces(), uvs=places[:, :2][np.ravel(mesh.faces())])
        for name in ("triangles", "edges", "membranes"):
            found = []
            for mode in ("off", "exact"):
                with Cloth(mesh, mirror=mode, **{**STIFFNESS, **MODELS[name]}) as cloth:
                    cloth.set_state(mesh.positions * np.float32([1.1, 1.02, 1]))
                    found.append(np.array(cloth.tensions()))
            with self.subTest(name):
                np.testing.assert_allclose(found[1], found[0], rtol=1e-4)


if __name__ == "__main__":
    unittest.main()

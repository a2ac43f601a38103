# SPDX-License-Identifier: GPL-3.0-or-later
"""The map of damping: a vertex that nothing holds slows down by 1 / (1 + h d f) in a substep of h, f being its factor."""

import unittest

import numpy as np
from muslin import Cloth, Mesh
from mirror_meshes import triangles

COLUMNS, ROWS, SPACING = 7, 9, 0.02
STEP, SUBSTEPS, DAMPING = 0.04, 2, 3.0
SPEED = np.float32([0.3, 0.1, -0.2])
FREE = {
    **{"gravity": (0, 0, 0), "normal_drag": 0, "tangent_drag": 0, "air_drag": 0},
    **{"damping": DAMPING, "substeps": SUBSTEPS, "threads": 1, "integrator": "euler"},
}
SWEEPS = {"solver": "sweep"}  # which stiff cloth takes very many of
LIMP = {"stretch_warp": 0, "stretch_weft": 0, "shear": 0, "bend": 0}
ACROSS = {"mirror": "exact", "mirror_plane": ((0, 0, 0), (0, 1, 0))}


def sheet():
    """Triangles that are symmetric across the plane y = 0."""
    along = (np.arange(COLUMNS) - COLUMNS // 2) * SPACING
    across = (np.arange(ROWS) - ROWS // 2) * SPACING
    x, y = np.meshgrid(along, across, indexing="ij")
    positions = np.float32(np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()]))
    return Mesh.from_faces(positions, triangles(ROWS, COLUMNS))


def grid():
    """Quads in rows and columns, as threads need them."""
    mesh = sheet()
    corner = [(i * ROWS + j) for i in range(COLUMNS - 1) for j in range(ROWS - 1)]
    return Mesh.from_faces(mesh.positions, [(c, c + ROWS, c + ROWS + 1, c + 1) for c in corner])


def kept(factors, steps):
    """The part of its speed that each vertex keeps."""
    return (1 + STEP / SUBSTEPS * DAMPING * factors) ** -(steps * SUBSTEPS)


def run(mesh, factors, steps=3, speed=SPEED, **settings):
    with Cloth(mesh, **{**FREE, **settings}) as cloth:
        cloth.set_state(mesh.positions, np.broadcast_to(speed, mesh.positions.shape))
        if factors is not None:
            cloth.set_map("damping", factors)
        for _ in range(steps):
            cloth.step(STEP)
        return cloth.state()


class DampingMapTest(unittest.TestCase):
    def test_a_sheet_that_flies(self):
        for solver in ("linear", "implicit", "threads"):
            for factor in (0, 0.5, 4):
                with self.subTest(solver=solver, factor=factor):
                    mesh = grid()
                    factors = np.full(mesh.vertex_count, factor)
                    _, speeds = run(mesh, factors, solver=solver, iterations=4)
                    wanted = np.outer(kept(factors, 3), SPEED)
                    np.testing.assert_allclose(speeds, wanted, atol=1e-4)

    def test_each_vertex_by_itself(self):
        """Without stiffness nothing else acts."""
        mesh = sheet()
        factors = np.linspace(0, 5, mesh.vertex_count)
        for settings in ({"quality": "fit"}, {"scheme": "plain"}, {"solver": "implicit"}, SWEEPS):
            with self.subTest(**settings):
                _, speeds = run(mesh, factors, **settings, **LIMP)
                np.testing.assert_allclose(speeds, np.outer(kept(factors, 3), SPEED), atol=1e-5)

    def test_set_and_taken_back_while_it_runs(self):
        """The constant matrix follows: inertia is in it."""
        mesh = sheet()
        factors = np.full(mesh.vertex_count, 4.0)
        with Cloth(mesh, **FREE) as cloth:
            cloth.set_state(mesh.positions, np.broadcast_to(SPEED, mesh.positions.shape))
            for given in (None, factors, None):
                cloth.set_map("damping", given)
                cloth.step(STEP)
            found = cloth.state()[1].astype(float).mean(axis=0)
        wanted = kept(4.0, 1) * kept(1.0, 2) * SPEED
        np.testing.assert_allclose(found, wanted, atol=1e-5)

    def test_mirrored(self):
        mesh = sheet()
        factors = 1 + np.abs(mesh.positions[:, 1]) / SPACING
        along = np.float32([0.3, 0, -0.2])
        whole, _ = run(mesh, factors, speed=along, quality="final")
        half, _ = run(mesh, factors, speed=along, quality="final", **ACROSS)
        np.testing.assert_allclose(half, whole, atol=1e-4)

    def test_ones_change_nothing(self):
        mesh = sheet()
        without, ones = run(mesh, None), run(mesh, np.ones(mesh.vertex_count))
        self.assertEqual(without[0].tobytes(), ones[0].tobytes())

    def test_settling_has_a_damping_of_its_own(self):
        """A map of 0 does not keep the cloth from coming to rest, and counts again when it has."""
        mesh = sheet()
        ends = []
        for factors in (None, np.zeros(mesh.vertex_count)):
            with Cloth(mesh, damping=DAMPING, threads=1) as cloth:
                cloth.set_pins([0, ROWS - 1])
                cloth.set_map("damping", factors)
                while not cloth.settle().settled:
                    pass
                ends.append(cloth.positions().tobytes())
                rest = cloth.positions()
                cloth.set_pins([])
                cloth.set_forces(gravity=(0, 0, 0), normal_drag=0, tangent_drag=0)
                cloth.set_state(rest, np.broadcast_to(SPEED, rest.shape))
                cloth.step(STEP)
                drift = cloth.state()[1].astype(float).mean(axis=0)[0] / SPEED[0]
                self.assertAlmostEqual(
                    drift, kept(0.0 if factors is not None else 1.0, 1), delta=0.01
                )
        self.assertEqual(*ends)


if __name__ == "__main__":
    unittest.main()

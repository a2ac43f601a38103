# SPDX-License-Identifier: GPL-3.0-or-later
"""The map of thickness: where cloth comes to rest, on a table and on another layer, is the thickness times its factor."""

import unittest

import numpy as np
from mirror_meshes import triangles
from muslin import Cloth, Mesh, MuslinError

THICKNESS, SPACING, COLUMNS, ROWS = 0.004, 0.02, 13, 7
SETTINGS = {
    "density": 0.2,
    "stretch_warp": 200,
    "stretch_weft": 200,
    "shear": 50,
    "bend": 1e-6,
    "damping": 5,
    "quality": "final",
    "threads": 1,
}
SINKS = 2e-4  # m: as far as its own weight presses a vertex into its shell, at the most


def lattice(columns, rows, height, spacing=SPACING):
    along = (np.arange(columns) - columns // 2) * spacing
    across = (np.arange(rows) - rows // 2) * spacing
    x, y = np.meshgrid(along, across, indexing="ij")
    positions = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, height)])
    return np.float32(positions), triangles(rows, columns)


def table(cloth):
    corners = np.float32([[-2, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0]])
    low = corners - np.float32([0, 0, 0.3])
    quads = [
        (0, 1, 2, 3),
        (7, 6, 5, 4),
        *((4 + k, 4 + (k + 1) % 4, (k + 1) % 4, k) for k in range(4)),
    ]
    faces = [part for a, b, c, d in quads for part in ((a, b, c), (a, c, d))]
    return cloth.add_body((np.concatenate([corners, low]), np.int32(faces)), THICKNESS, 0.5)


def halves(places, left, right):
    """One factor on either side of x = 0: as abrupt as a mesh can say it."""
    return np.float32(np.where(places[:, 0] < 0, left, right))


def far_from_the_step(places):
    """Where a sheet lies level: some edges away from the step and from its ends."""
    return (np.abs(places[:, 0]) > 2.5 * SPACING) & (np.abs(places[:, 0]) < 5.5 * SPACING)


def fastest(cloth, frames):
    most = 0.0
    for _ in range(frames):
        before = cloth.positions()
        cloth.step(1 / 24)
        most = max(most, float(np.linalg.norm(cloth.positions() - before, axis=1).max()) * 24)
    return most


def on_a_table(factors, frames=40, height=0.005, **settings):
    positions, faces = lattice(COLUMNS, ROWS, height)
    with Cloth(Mesh.from_faces(positions, faces), **{**SETTINGS, **settings}) as cloth:
        table(cloth)
        if factors is not None:
            cloth.set_map("thickness", factors(positions))
        speed = fastest(cloth, frames)
        return cloth.positions(), speed


class TableTest(unittest.TestCase):
    def test_each_half_keeps_its_own(self):
        """And nothing is thrown: a thick half rises out of the table at the speed of recovery at the most."""
        for left, right in ((1, 0.25), (0.5, 2), (0.1, 1)):
            with self.subTest(left=left, right=right):
                factors = lambda places, one=left, other=right: halves(
                    places, one, other
                )  # noqa: E731
                found, speed = on_a_table(factors, height=THICKNESS * max(left, right))
                start, _ = lattice(COLUMNS, ROWS, 0)
                level = far_from_the_step(start)
                wanted = THICKNESS * factors(start)[level]
                np.testing.assert_allclose(found[level, 2], wanted, atol=SINKS)
                self.assertLess(speed, 0.5)

    def test_an_even_map_is_another_thickness(self):
        """Half everywhere is to the bit what half the thickness is: 0.5 has no rounding."""
        mapped, _ = on_a_table(lambda places: np.full(len(places), 0.5), frames=10)
        positions, faces = lattice(COLUMNS, ROWS, 0.005)
        with Cloth(Mesh.from_faces(positions, faces), **SETTINGS) as cloth:
            table(cloth).set_surface(THICKNESS / 2)
            fastest(cloth, 10)
            self.assertEqual(mapped.tobytes(), cloth.positions().tobytes())

    def test_ones_change_nothing(self):
        without, _ = on_a_table(None, frames=10)
        ones, _ = on_a_table(lambda places: np.ones(len(places)), frames=10)
        self.assertEqual(without.tobytes(), ones.tobytes())

    def test_threads(self):
        one, _ = on_a_table(lambda places: halves(places, 1, 0.25), frames=10)
        two, _ = on_a_table(lambda places: halves(places, 1, 0.25), frames=10, threads=2)
        self.assertEqual(one.tobytes(), two.tobytes())

    def test_solvers(self):
        for settings in ({"solver": "implicit", "iterations": 8}, {"quality": "draft"}):
            with self.subTest(**settings):
                factors = lambda places: halves(places, 1, 0.25)  # noqa: E731
                found, _ = on_a_table(factors, **settings)
                start, _ = lattice(COLUMNS, ROWS, 0)
                level = far_from_the_step(start)
                wanted = THICKNESS * factors(start)[level]
                np.testing.assert_allclose(found[level, 2], wanted, atol=2 * SINKS)

    def test_mirrored(self):
        """A thin strip along the plane: half of it alone lies as all of it does."""

        def strip(places):
            return np.where(np.abs(places[:, 1]) < 1.5 * SPACING, 0.25, 1.0)

        across = {"mirror": "exact", "mirror_plane": ((0, 0, 0), (0, 1, 0))}
        whole, _ = on_a_table(strip)
        half, _ = on_a_table(strip, **across)
        np.testing.assert_allclose(half[:, 2], whole[:, 2], atol=SINKS)

    def test_the_other_side_of_a_cut_garment(self):
        """Its mesh is another one, with all diagonals alike; it keeps what the map says, too."""
        positions, _ = lattice(COLUMNS, ROWS + 2, 0.005)
        corners = [i * (ROWS + 2) + j for i in range(COLUMNS - 1) for j in range(ROWS + 1)]
        step = ROWS + 2
        faces = [
            face
            for a in corners
            for face in ((a, a + step, a + 1), (a + 1, a + step, a + step + 1))
        ]
        factors = np.where(np.abs(positions[:, 1]) > 1.5 * SPACING, 0.25, 1)
        settings = {**SETTINGS, "mirror": "halve", "mirror_plane": ((0, 0, 0), (0, 1, 0))}
        with Cloth(Mesh.from_faces(positions, faces), **settings) as cloth:
            table(cloth)
            cloth.set_map("thickness", factors)
            fastest(cloth, 30)
            rims = np.abs(positions[:, 1]) > 3.5 * SPACING
            np.testing.assert_allclose(cloth.positions()[rims, 2], THICKNESS / 4, atol=SINKS)

    def test_the_order_of_calls(self):
        """A body that comes after the map, and one whose thickness changes after it."""
        positions, faces = lattice(COLUMNS, ROWS, 0.005)
        found = []
        for early in (True, False):
            with Cloth(Mesh.from_faces(positions, faces), **SETTINGS) as cloth:
                calls = [
                    lambda own=cloth: own.set_map("thickness", halves(positions, 1, 0.5)),
                    lambda own=cloth: table(own).set_surface(THICKNESS / 2),
                ]
                for call in calls if early else reversed(calls):
                    call()
                fastest(cloth, 10)
                found.append(cloth.positions().tobytes())
        self.assertEqual(*found)

    def test_a_change_while_it_lies(self):
        """It follows a map that changes between steps, and back."""
        positions, faces = lattice(COLUMNS, ROWS, THICKNESS)
        with Cloth(Mesh.from_faces(positions, faces), **SETTINGS) as cloth:
            table(cloth)
            for factor in (1, 3, 0.5):
                cloth.set_map("thickness", halves(positions, factor, 1))
                self.assertLess(fastest(cloth, 30), 0.5)
                level = far_from_the_step(positions)
                wanted = THICKNESS * halves(positions, factor, 1)[level]
                np.testing.assert_allclose(cloth.positions()[level, 2], wanted, atol=SINKS)


class LayerTest(unittest.TestCase):
    def stack(self, below, above, gap=None, **settings):
        """A sheet on a pinned one with a map on both; how far it is above, and how fast it was."""
        low, low_faces = lattice(COLUMNS + 8, ROWS + 8, 0)
        top, top_faces = lattice(COLUMNS, ROWS, THICKNESS * 1.2 if gap is None else gap)
        top += np.float32([0.0037, 0.0023, 0])
        faces = [*low_faces, *((np.array(top_faces) + len(low)).tolist())]
        mesh = Mesh.from_faces(np.concatenate([low, top]), faces)
        with Cloth(mesh, **{**SETTINGS, **settings}) as cloth:
            cloth.set_self_contact(True, THICKNESS, 0.5)
            cloth.set_pins(np.arange(len(low)))
            cloth.set_map("thickness", np.concatenate([below(low), above(top)]))
            speed = fastest(cloth, 40)
            return cloth.positions()[len(low) :], top, speed, cloth.report()

    def test_two_layers_keep_the_mean_of_both(self):
        for below, above in ((0.25, 1), (1, 0.5), (0.5, 0.5)):
            with self.subTest(below=below, above=above):
                found, top, speed, _ = self.stack(
                    lambda places, one=below: np.full(len(places), one),
                    lambda places, one=above: np.full(len(places), one),
                )
                wanted = THICKNESS * (below + above) / 2
                np.testing.assert_allclose(found[far_from_the_step(top), 2], wanted, atol=SINKS)
                self.assertLess(speed, 0.5)

    def test_each_half_of_a_layer_keeps_its_own(self):
        """The step runs through both layers, thick on thick and thin on thin."""
        sides = lambda places: halves(places, 1, 0.2)  # noqa: E731
        found, top, speed, _ = self.stack(sides, sides)
        level = far_from_the_step(top)
        np.testing.assert_allclose(found[level, 2], THICKNESS * sides(top)[level], atol=SINKS)
        self.assertLess(speed, 0.5)

    def test_thin_layers_stay_apart(self):
        """A tenth of the thickness on all but one vertex: the shells of the rest are thin, and nothing passes through."""
        thin = lambda places: np.where(
            np.arange(len(places)) == len(places) // 2, 10, 0.1
        )  # noqa: E731
        found, _, speed, report = self.stack(thin, thin, gap=0.01)
        self.assertGreater(found[:, 2].min(), 0)
        self.assertLess(speed, 0.8)

    def test_a_fast_fall_onto_a_step(self):
        """Continuous detection and impact zones see the step, too: nothing is below, and nothing is thrown up."""
        sides = lambda places: halves(places, 1, 0.1)  # noqa: E731
        found, _, speed, _ = self.stack(sides, sides, gap=0.25)
        self.assertGreater(found[:, 2].min(), -1e-4)
        self.assertLess(speed, 2.3)  # that of the fall is sqrt(2 g h) = 2.2 m/s


class RangeTest(unittest.TestCase):
    def test_what_is_refused(self):
        positions, faces = lattice(3, 3, 0)
        with Cloth(Mesh.from_faces(positions, faces), **SETTINGS) as cloth:
            for factor in (0.05, 11, np.nan):
                with self.subTest(factor=factor), self.assertRaises(MuslinError):
                    cloth.set_map("thickness", np.full(9, factor))


if __name__ == "__main__":
    unittest.main()

"""Threads through the boundary and the command line: ropes and grids, what is refused and where, settings, contact.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import tempfile
import unittest
from pathlib import Path

import numpy as np

from detail_checks import DetailTest, refused
from in_process import run_in_process
from mirror_meshes import quads, uneven
from muslin import Cloth, DetailCode, Element, Mesh, read_pc2
from test_scenes import sheets

STEP = 1 / 24
THREADS = {"solver": "threads", "threads": 1, "iterations": 10}


def grid(nx=9, ny=7, diagonals="quads", edges=()):
    scene = sheets.grid(nx, ny, 0.5, diagonals)
    return Mesh.from_faces(scene.positions, scene.faces, edges=edges)


def rope(count=21):
    positions = np.zeros((count, 3), np.float32)
    positions[:, 0] = np.linspace(0, 1, count)
    edges = np.column_stack([np.arange(count - 1), np.arange(1, count)])
    return Mesh.from_faces(positions, [], edges=edges)


class Simulated(unittest.TestCase):
    def test_a_sheet_hangs_from_its_pins(self):
        with Cloth(grid(), **THREADS, damping=2) as cloth:
            cloth.set_pins([0, 8])
            for _ in range(24):
                cloth.step(STEP)
            positions = cloth.positions()
        np.testing.assert_allclose(positions[[0, 8]], grid().positions[[0, 8]], atol=1e-6)
        self.assertLess(positions[58, 2], -0.3)
        self.assertLess(cloth_stretch(positions), 0.01)

    def test_a_rope_swings_and_keeps_its_length(self):
        with Cloth(rope(), **THREADS) as cloth:
            cloth.set_pins([0])
            for _ in range(12):
                cloth.step(STEP)
            positions = cloth.positions()
        lengths = np.linalg.norm(np.diff(positions, axis=0), axis=1)
        np.testing.assert_allclose(lengths, 0.05, rtol=0.01)
        self.assertLess(positions[-1, 2], -0.5)

    def test_bending_stiffness_of_ropes_acts(self):
        ends = []
        for stiffness in (0, 0.05):
            with Cloth(rope(), **THREADS, rope_bend=stiffness, damping=5) as cloth:
                cloth.set_pins([0, 1])
                for _ in range(48):
                    cloth.step(STEP)
                ends.append(cloth.positions()[-1, 2])
        self.assertLess(ends[0], -0.8)
        # rope_density g L^4 / 8 rope_bend: 0.01 x 9.81 x 0.975^4 / 0.4 = 0.222 m, less for so large a bend
        self.assertAlmostEqual(ends[1], -0.2, delta=0.03)

    def test_a_sheet_lies_on_a_body(self):
        box = sheets.grid(2, 2, 0.2, "quads")
        body = Mesh.from_faces(box.positions - np.float32([0, 0, 0.05]), box.faces)
        with Cloth(grid(), **THREADS) as cloth:
            cloth.add_body(body)
            cloth.set_self_contact(True)
            for _ in range(24):
                cloth.step(STEP)
            positions = cloth.positions()
        over = (np.abs(positions[:, :2]) < 0.09).all(1)
        self.assertGreater(over.sum(), 3)
        self.assertGreater(positions[over, 2].min(), -0.05)
        self.assertLess(positions[:, 2].min(), -0.06)

    def test_a_snapshot_goes_on(self):
        with Cloth(grid(), **THREADS) as cloth:
            cloth.set_pins([0, 8])
            cloth.step(STEP)
            stored = cloth.snapshot()
            cloth.step(STEP)
            wanted = cloth.positions()
            cloth.restore(stored)
            cloth.step(STEP)
            np.testing.assert_array_equal(cloth.positions(), wanted)


def image(positions, columns):
    """The mirror image in x = 0, each place where its partner's is."""
    rows = positions.reshape(-1, columns, 3)
    return np.float32([-1, 1, 1]) * rows[:, ::-1]


class Mirrored(DetailTest):
    """Half of a woven garment is simulated for all of it."""

    TIGHT = {**THREADS, "iterations": 60, "pcg_tolerance": 1e-10}

    def drape(self, mesh, frames=12, pins=(0, 8), prepare=lambda cloth: None, **settings):
        with Cloth(mesh, **{**self.TIGHT, **settings}) as cloth:
            cloth.set_pins(pins)
            prepare(cloth)
            for _ in range(frames):
                cloth.step(STEP)
            return cloth.positions()

    def check_sides(self, whole, half, columns=9):
        np.testing.assert_array_equal(half, image(half, columns).reshape(-1, 3))
        # Newton steps end at a gradient: contacts that push last are a matter of micrometres
        np.testing.assert_allclose(half, whole, rtol=0, atol=1e-5)

    def test_the_half_moves_as_the_whole(self):
        for mirror in ("auto", "exact", "halve"):
            half = self.drape(grid(), mirror=mirror, damping=2)
            self.check_sides(self.drape(grid(), damping=2), half)
            self.assertLess(half[58, 2], -0.2)

    def test_on_a_body(self):
        block = sheets.grid(2, 2, 0.2, "quads")
        body = Mesh.from_faces(block.positions - np.float32([0, 0, 0.01]), block.faces)

        def on_body(cloth):
            cloth.add_body(body)

        draped = [
            self.drape(grid(), 3, (), on_body, mirror=mirror, substeps=4, bend=1e-3)
            for mirror in ("off", "exact")
        ]
        self.check_sides(*draped)
        middle = draped[1][27:36][4]
        self.assertGreater(middle[2], -0.01)

    def test_on_itself(self):
        mesh = grid(9, 13)
        rows = mesh.positions.reshape(13, 9, 3)
        rows[7:, :, 2] = (rows[7:, :, 1] - rows[6, 0, 1]) * 0.3
        rows[7:, :, 1] = rows[6, 0, 1] - (rows[7:, :, 1] - rows[6, 0, 1]) * 0.95

        def layered(cloth):
            cloth.set_self_contact(True)

        still = tuple(range(63))  # the lower half
        whole, half = (
            self.drape(mesh, 10, still, layered, mirror=mirror, substeps=2, bend=1e-3)
            for mirror in ("off", "exact")
        )
        self.check_sides(whole, half)
        self.assertGreater(half[63:, 2].min(), 0)  # nothing fell through

    def test_a_rope_across_the_plane(self):
        mesh = rope()
        mesh.positions[:, 0] -= 0.5
        ends = [
            self.drape(mesh, 12, (0, 20), mirror=mirror, rope_bend=1e-3)
            for mirror in ("off", "exact")
        ]
        self.check_sides(*ends, columns=21)
        self.assertLess(ends[1][10, 2], -0.01)

    def test_the_same_bytes_for_any_number_of_threads(self):
        first, *others = (
            self.drape(grid(17, 13), 6, (0, 16), mirror="exact", threads=count)
            for count in (1, 2, 3)
        )
        for other in others:
            np.testing.assert_array_equal(other, first)

    def test_a_plane_between_two_threads_is_cut(self):
        """Quads across the plane stay quads: half as wide, with a new thread in the plane."""
        details = refused(Cloth, grid(10), **THREADS, mirror="exact")
        self.assertEqual(details[0].code, DetailCode.ACROSS_PLANE)
        self.assertEqual(details[0].count, 6)
        whole = self.drape(grid(10), pins=(0, 9), damping=2)
        half = self.drape(grid(10), pins=(0, 9), mirror="halve", damping=2)
        np.testing.assert_array_equal(half, image(half, 10).reshape(-1, 3))
        # the whole is itself not symmetric by 2 mm: a quad's diagonal weighs on two of its corners
        np.testing.assert_allclose(half, whole, rtol=0, atol=3e-3)

    def test_a_side_with_another_mesh(self):
        """It follows the half: its mean is as that of the whole cloth."""
        mesh = Mesh.from_faces(uneven().positions, quads(9, 7).tolist())
        half, whole = (
            self.drape(mesh, 6, mirror=mirror, damping=4, iterations=10)
            for mirror in ("halve", "off")
        )
        left = mesh.positions[:, 0] < -0.01
        for side in (left, ~left):
            drops = [(mesh.positions - places)[side, 2].mean() for places in (half, whole)]
            self.assertGreater(drops[1], 0.01)
            self.assertAlmostEqual(drops[0] / drops[1], 1, delta=0.1)

    def test_a_cut_that_leaves_no_grid(self):
        """A grid on its corner: the plane halves its quads into triangles."""
        mesh = grid(7, 7)
        x, y, _ = mesh.positions.T.copy()
        mesh.positions[:, 0], mesh.positions[:, 1] = (x - y) / 2**0.5, (x + y) / 2**0.5
        details = refused(Cloth, mesh, **THREADS, mirror="halve")
        self.assertEqual([d.code for d in details], [DetailCode.NO_GRID])
        self.assertRegex(details[0], "cut at the mirror plane this mesh is none: put a line")

    def test_what_is_no_grid_is_reported_in_the_caller_s_numbers(self):
        scene = sheets.grid(9, 7, 0.5, "quads")
        faces = [list(face) for face in scene.faces]
        a, b, c, d = faces[47]  # on the kept side it would have a lower number
        mesh = Mesh.from_faces(scene.positions, [*faces[:47], [a, b, c], [a, c, d]])
        for mirror in ("off", "halve"):
            details = refused(Cloth, mesh, **THREADS, mirror=mirror)
            self.check(details, DetailCode.NO_GRID, element=Element.FACE, elements=(47,), count=1)


def cloth_stretch(positions):
    rows = positions.reshape(7, 9, 3)
    warp = np.linalg.norm(np.diff(rows, axis=0), axis=2) / (0.5 / 6)
    weft = np.linalg.norm(np.diff(rows, axis=1), axis=2) / (0.5 / 8)
    return max(np.abs(warp - 1).max(), np.abs(weft - 1).max())


class Refused(DetailTest):
    def test_a_pole(self):
        angles = np.linspace(0, 2 * np.pi, 10, endpoint=False)
        rim = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
        positions = np.float32(np.vstack([[0, 0, 0], rim]))
        faces = [[0, 1 + k, 2 + k, 1 + (k + 2) % 10] for k in range(0, 10, 2)]
        details = refused(Cloth, Mesh.from_faces(positions, faces), **THREADS)
        self.check(details, DetailCode.NO_GRID, element=Element.VERTEX, elements=(0,), count=1)

    def test_a_fan_at_the_rim(self):
        angles = np.linspace(0, 3.0, 11)
        rim = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
        positions = np.float32(np.vstack([[0, 0, 0], rim]))
        faces = [[0, 1 + k, 2 + k, 3 + k] for k in range(0, 10, 2)]
        details = refused(Cloth, Mesh.from_faces(positions, faces), **THREADS)
        self.check(details, DetailCode.NO_GRID, element=Element.VERTEX, elements=(0,), count=1)

    def test_neither_half_nor_whole(self):
        """Where a half cannot be had the whole is tried, and what is wrong with that is reported; seams likewise."""
        scene = sheets.grid(9, 7, 0.5, "quads")
        faces = [list(face) for face in scene.faces]
        a, b, c, d = faces[47]
        mesh = Mesh.from_faces(scene.positions, [*faces[:47], [a, b, c], [a, c, d]])
        details = refused(Cloth, mesh, **THREADS, mirror="auto")
        self.check(details, DetailCode.NO_GRID, element=Element.FACE, elements=(47,), count=1)
        with Cloth(grid(), **THREADS, mirror="auto") as cloth:
            details = refused(cloth.sew, [(0, 8)])
            self.check(details, DetailCode.CONFLICT, name="solver")
            cloth.step(STEP)

    def test_sizes(self):
        mesh = grid()
        with Cloth(mesh, **THREADS) as cloth:
            details = refused(cloth.set_maps, size=np.full(mesh.vertex_count, 0.9))
            self.check(details, DetailCode.CONFLICT, name="size")

    def test_what_threads_cannot_have(self):
        for name, value in (("budget_ms", 5.0), ("strain_measure", "green")):
            details = refused(Cloth, grid(), **THREADS, **{name: value})
            self.assertEqual([d.code for d in details], [DetailCode.CONFLICT], name)
            self.assertEqual(details[0].name, name)

    def test_what_other_models_have(self):
        for name, value in (("poisson", 0.3), ("strain_limit", 0.1), ("fold_memory", 20)):
            details = refused(Cloth, grid(), **THREADS, **{name: value})
            self.assertEqual([d.code for d in details], [DetailCode.CONFLICT], name)
            self.assertEqual(details[0].name, name)


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.garment = Path(folder.name) / "garment.obj"
        self.output = Path(folder.name) / "out.pc2"

    def drape(self, *options):
        return run_in_process(
            *("drape", "--garment", self.garment, "-o", self.output, "--frames", 4),
            *("--solver", "threads", *options),
        )

    def write(self, positions, faces, edges=()):
        lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in positions]
        lines += ["f " + " ".join(str(vertex + 1) for vertex in face) for face in faces]
        lines += [f"l {a + 1} {b + 1}" for a, b in edges]
        self.garment.write_text("\n".join(lines) + "\n")

    def test_a_sheet_with_a_lace(self):
        scene = sheets.grid(5, 4, 0.4, "quads")
        lace = np.float32([[0.3, 0.2, 0], [0.35, 0.2, 0]])
        self.write(np.vstack([scene.positions, lace]), scene.faces, [(19, 20), (20, 21)])
        result = self.drape("--area-stiffness", 50, "--rope-bend", 1e-4)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(read_pc2(self.output).positions.shape, (4, 22, 3))

    def test_triangles_are_refused_by_their_face(self):
        scene = sheets.grid(5, 4, 0.4, "alternating")
        self.write(scene.positions, scene.faces)
        result = self.drape()
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("threads need a grid of quads, but face 0 has 3 corners", result.stderr)
        self.assertFalse(self.output.exists())

    def test_what_the_model_of_threads_has_not(self):
        scene = sheets.grid(5, 4, 0.4, "quads")
        self.write(scene.positions, scene.faces)
        for options in (
            *(("--model", "triangle"), ("--tension-only",), ("--bending", "spring")),
            *(("--bend-twist", 0), ("--estimate", "rotation")),
            *(("--poisson", 0.3), ("--strain-limit", 0.1)),
        ):
            result = self.drape(*options)
            self.assertEqual(result.returncode, 2, options)
            self.assertIn(f"leave out {options[0]} or --solver threads", result.stderr)

    def test_what_is_for_the_linear_solver(self):
        scene = sheets.grid(5, 4, 0.4, "quads")
        self.write(scene.positions, scene.faces)
        for options in (("--scheme", "plain"), ("--quality", "fit")):
            result = self.drape(*options)
            self.assertEqual(result.returncode, 2, options)
            self.assertIn(f"leave out {options[0]} or --solver threads", result.stderr)


if __name__ == "__main__":
    unittest.main()

"""`muslin pattern`, and `drape` and `settle` with --sew, --tack, --elastic and --unpick.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest
from types import SimpleNamespace

import numpy as np

from body_meshes import table
from muslin import Mesh, links, read_obj, read_pc2, seams, write_obj
from muslin.sewing import runs
from muslin.command import sewing_options
from muslin.command.statistics import range_text
from muslin.sewing.pattern import cut
from sewn_meshes import grid, two_strips
from test_command import CommandTest as Command


def tube(around=16, rows=6, radius=0.1, height=0.3):
    """A sleeve whose UV map is its pattern: a rectangle that is cut along one line."""
    angle = 2 * np.pi * np.arange(around) / around
    ring = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    levels = np.linspace(0, height, rows)
    places = np.array([[x, y, z] for z in levels for x, y in ring])
    faces, uvs, corners = [], [], []
    step = 2 * np.pi * radius / around
    for row in range(rows - 1):
        for k in range(around):
            low, next_k = row * around, (k + 1) % around
            faces.append([low + k, low + next_k, low + around + next_k, low + around + k])
            for at, level in ((k, row), (k + 1, row), (k + 1, row + 1), (k, row + 1)):
                corners.append(len(uvs))
                uvs.append([step * at, levels[level]])
    return Mesh.from_faces(places, faces, uvs=uvs, uv_indices=corners)


class SeamsTest(unittest.TestCase):
    def test_loose_edges_between_faces_are_stitches_and_others_ropes(self):
        mesh, pairs = two_strips(3, 3, 0.02, apart=0.1)
        places = np.concatenate([mesh.positions, [[0, 0, 1], [0, 0, 2]]])
        edges = [*pairs.tolist(), [18, 19], [0, 18]]
        left, found = seams.split_loose_edges(Mesh.from_faces(places, mesh.faces(), edges))
        self.assertEqual(found.tolist(), pairs.tolist())
        self.assertEqual(left.edges.tolist(), [[18, 19], [0, 18]])

    def test_borders_that_meet(self):
        mesh, pairs = two_strips(4, 5, 0.02)
        self.assertEqual(seams.meeting_borders(mesh).tolist(), pairs.tolist())

    def test_chains(self):
        self.assertEqual(seams.chain_of([[5, 2], [2, 9], [9, 1]]).tolist(), [1, 9, 2, 5])
        loop = seams.chain_of([[0, 3], [3, 7], [7, 0]]).tolist()
        self.assertEqual(loop, [0, 3, 7, 0])

    def test_sides_with_other_vertices_are_sewn_evenly(self):
        """Three edges against two that are twice as long in all: places go by share of the length."""
        places = [[0, 0, 0], [0, 1, 0], [0, 2, 0], [0, 3, 0], [1, 0, 0], [1, 2, 0], [1, 6, 0]]
        stitches = seams.between(places, [0, 1, 2, 3], [4, 5, 6])
        self.assertEqual(stitches["vertices"][[0, -1]].tolist(), [[0, -1, 4, -1], [3, -1, 6, -1]])
        middle = {
            tuple(row): p for row, p in zip(stitches["vertices"].tolist(), stitches["places"])
        }
        self.assertEqual(len(stitches), 4)  # a third of both is a vertex of both
        self.assertIn((1, -1, 5, -1), middle)
        self.assertAlmostEqual(float(middle[(2, -1, 5, 6)][1]), 0.5, places=6)

    def test_a_run_ends_where_borders_part(self):
        """Two strips sewn on opposite sides: the hems between the seams stay open."""
        left, faces = grid(4, 6, 0.05)
        mesh = Mesh.from_faces(
            np.concatenate([left, left + [0, 0, 0.1]]), np.concatenate([faces, faces + 24])
        )
        rows = 4 * np.arange(6)
        pairs = np.concatenate([np.column_stack([rows + k, rows + k + 24]) for k in (0, 3)])
        found = sorted(len(first) for first, _ in runs.runs_of(mesh, pairs))
        self.assertEqual(found, [6, 6])
        sewn = runs.evenly_sewn(mesh, pairs)
        self.assertEqual(len(sewn), 12)
        self.assertFalse(np.isin(sewn["vertices"][:, 0], [1, 2, 21, 22]).any())


class PatternTest(unittest.TestCase):
    def test_a_sleeve_is_cut_open_and_rolled(self):
        mesh = tube()
        made = cut(mesh)
        self.assertEqual(made.mesh.vertex_count, mesh.vertex_count + 6)
        self.assertEqual(len(made.stitches), 6)
        self.assertEqual(made.panels.max(), 0)
        sides = made.mesh.sides()
        flat = np.zeros((made.mesh.vertex_count, 2))
        flat[made.mesh.face_vertices] = made.mesh.corner_uvs
        wanted = np.linalg.norm(flat[sides[:, 0]] - flat[sides[:, 1]], axis=1)
        x = made.mesh.positions
        lengths = np.linalg.norm(x[sides[:, 0]] - x[sides[:, 1]], axis=1)
        self.assertLess(np.abs(lengths / wanted - 1).max(), 0.02)  # chords of the circle
        gaps = np.linalg.norm(np.diff(x[made.stitches], axis=1)[:, 0], axis=1)
        self.assertGreater(gaps.min(), 0.1)


class SewCommandTest(Command):
    def test_a_sleeve_closes_again(self):
        mesh = tube()
        source, panels = self.folder / "sleeve.obj", self.folder / "panels.obj"
        faces = mesh.faces()
        write_obj(source, mesh.positions, faces, [], mesh.uvs, mesh.faces(mesh.uv_indices))
        reported = self.run_command("pattern", source, "-o", panels)
        self.assertEqual((reported.returncode, reported.stderr), (0, ""))
        self.assertEqual(reported.stdout, "1 panels, 102 vertices, 6 stitches\n")
        self.garment = panels
        result = self.drape("--frames", 20, "--sew", "--pattern", "uv", "--gravity", "0,0,0")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        last = read_pc2(self.output).positions[-1]
        pairs = read_obj(panels).edges
        self.assertLess(np.linalg.norm(last[pairs[:, 0]] - last[pairs[:, 1]], axis=1).max(), 1e-3)

    def test_tack_elastic_and_release(self):
        mesh, _ = two_strips(4, 4, 0.03, apart=0.01)
        write_obj(self.garment, mesh.positions, mesh.faces())
        result = self.drape(
            *("--frames", 24, "--pin", "0-15", "--tack", "3,15=16,28@8", "--elastic", "16-19=0.8")
        )
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        frames = read_pc2(self.output).positions[:]
        self.assertLess(np.linalg.norm(frames[7][3] - frames[7][16]), 2e-3)
        self.assertLess(frames[-1][16, 2], -0.5)  # it has let go

    def test_a_seam_opens_at_a_frame(self):
        """More than half of the seam that a strip hangs by is unpicked, then all of it, and it falls."""
        mesh, pairs = two_strips(4, 11, 0.03, apart=0.005)
        write_obj(self.garment, mesh.positions, mesh.faces(), pairs)
        sewn = ("--frames", 24, "--pin", "0-43", "--sew", "exactly")
        low = range_text(pairs[:7, 1])
        result = self.drape(*sewn, "--unpick", f"{low}@6", "--unpick", 12)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        frames = read_pc2(self.output).positions[:]
        gaps = np.linalg.norm(frames[:, pairs[:, 0]] - frames[:, pairs[:, 1]], axis=2)
        self.assertLess(gaps[5].max(), 1e-4)
        self.assertGreater(gaps[10, :5].min(), 4e-4)  # it hangs below the line of the seam
        self.assertLess(gaps[10, 7:].max(), 1e-4)
        self.assertGreater(gaps[-1].min(), 0.5)

    def test_until_it_opens_a_seam_is_as_any(self):
        mesh, pairs = two_strips(4, 5, 0.03, apart=0.005)
        write_obj(self.garment, mesh.positions, mesh.faces(), pairs)
        found = []
        for unpicked in ((), ("--unpick", 8)):
            result = self.drape("--frames", 10, "--pin", "0-19", "--sew", *unpicked)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            found.append(read_pc2(self.output).positions[:])
        same = (found[0] == found[1]).all(axis=(1, 2))
        self.assertTrue(same[:7].all() and not same[8:].any(), same)

    def test_a_side_between_vertices_is_meant_when_both_are(self):
        """Five vertices against four: stitches on edges of the longer chain go with both ends of them."""
        stitches = np.zeros(3, dtype=links.STITCH)
        stitches["vertices"] = [[0, -1, 9, -1], [1, -1, 9, 8], [2, -1, 8, 7]]
        garments = SimpleNamespace(
            paths=["a"], starts=np.array([0, 20]), meshes=[SimpleNamespace(vertex_count=20)]
        )
        meant = sewing_options.lies_on(stitches, sewing_options.unpick("8-9@4"), garments)
        self.assertEqual(meant.tolist(), [True, True, False])

    def test_a_tack_to_a_body(self):
        places, faces = grid(4, 4, 0.03, (0, 0, 0.01))
        write_obj(self.garment, places, faces.tolist())
        body = self.folder / "table.obj"
        write_obj(body, table().positions, table().faces())
        result = self.drape("--frames", 12, "--body", body, "--tack", "0=body", "--wind", "40,0,0")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        last = read_pc2(self.output).positions[-1]
        self.assertLess(np.linalg.norm(last[0] - places[0]), 0.011)

    def test_refusals(self):
        mesh, _ = two_strips(3, 3, 0.02)
        write_obj(self.garment, mesh.positions, mesh.faces())
        for arguments, words in (
            (("--sew",), "no loose edge"),
            (("--tack", "0=99"), "only the vertices 0 to 17"),
            (("--tack", "0,1=9"), "2 vertices, but 1"),
            (("--tack", "0=body"), "there is no --body 1"),
            (("--tack", "2:0=1"), "there is no garment 2"),
            (("--tack", "0"), "not of the form"),
            (("--elastic", "0,17=0.5"), "no edge joins"),
            (("--unpick", "5"), "nothing is sewn"),
            (("--unpick", "@5"), "not a vertex"),
        ):
            with self.subTest(arguments):
                result = self.drape("--frames", 2, *arguments, code=2)
                self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main()

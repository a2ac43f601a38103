# SPDX-License-Identifier: GPL-3.0-or-later
"""The judge of point caches counts what is there, and leaves out what is sewn or held."""

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path

import muslin
import numpy as np

from test_scenes import sheets, solids
from test_scenes.contact import cache_judge
from test_scenes.contact.play import mesh_of


def two_panels(overlap):
    """Two sheets of 1 m in one plane, the second's border this far behind the first's; stitches join the borders."""
    sheet = sheets.grid(5, 5, 1.0)
    place = sheet.positions
    border, other = (
        np.flatnonzero(np.isclose(place[:, 0], place[:, 0].max())),
        np.flatnonzero(np.isclose(place[:, 0], place[:, 0].min())),
    )
    tilted = place + np.float32([1.0 - overlap, 0, 0])
    tilted[:, 2] += np.float32(0.4) * (tilted[:, 0] - tilted[:, 0].min() - overlap / 2)
    positions = np.concatenate([place, tilted])
    faces = [*map(list, sheet.faces), *(list(face + len(place)) for face in sheet.faces)]
    edges = np.stack([border, other + len(place)], 1)
    return muslin.Mesh.from_faces(positions, faces, edges)


class CacheJudgeTest(unittest.TestCase):
    def setUp(self):
        self.sheet = mesh_of(sheets.grid(10, 10, 1.0))
        ball = solids.icosphere(0.23, (0.0, 0.0, 0.0), 2)
        self.body = mesh_of(ball)
        self.judge = cache_judge.judge_of(self.sheet, self.body)

    def counts(self, height, judge=None):
        points = self.sheet.positions + np.float32([0, 0, height])
        return (judge or self.judge).counts(0, points, self.body.positions)

    def test_cloth_through_a_ball_counts_both_ways(self):
        counts = self.counts(0.02)
        self.assertGreater(counts.cloth_edges, 10)
        self.assertGreater(counts.body_edges, 10)
        self.assertGreater(counts.inside, 10)
        self.assertEqual(counts.self_edges, 0)
        self.assertEqual((counts.stretch_p99, counts.stretch_max), (1.0, 1.0))

    def test_cloth_above_it_has_nothing(self):
        counts = self.counts(0.25)
        self.assertEqual((counts.through_body, counts.self_edges, counts.inside), (0, 0, 0))

    def test_an_edge_may_pass_with_no_vertex_inside(self):
        counts = self.counts(0.2175)  # the vertices lie beside the top
        self.assertGreater(counts.through_body, 0)
        self.assertEqual(counts.inside, 0)

    def test_a_hole_in_the_body_hides_nothing(self):
        open_body = np.array(self.judge.body_triangles)[1:]
        parts = self.judge.triangles, open_body, self.judge.sides, self.judge.lengths
        judge = cache_judge.CacheJudge(*parts, np.zeros((0, 2), int))
        self.assertEqual(self.counts(0.02, judge).inside, self.counts(0.02).inside)

    def test_what_is_held_does_not_count(self):
        parts = (
            self.judge.triangles,
            self.judge.body_triangles,
            self.judge.sides,
            self.judge.lengths,
        )
        held = range(len(self.sheet.positions))
        judge = cache_judge.CacheJudge(*parts, np.zeros((0, 2), int), held)
        counts = self.counts(0.02, judge)
        self.assertEqual((counts.through_body, counts.inside), (0, 0))

    def test_a_sewn_border_does_not_pierce_itself(self):
        panels = two_panels(0.003)
        judge = cache_judge.judge_of(panels, self.body)
        without = cache_judge.judge_of(panels.replaced(edges=np.zeros((0, 2), np.int32)), self.body)
        far = self.body.positions + np.float32([0, 0, 9])
        self.assertGreater(without.counts(0, panels.positions, far).self_edges, 0)
        self.assertEqual(judge.counts(0, panels.positions, far).self_edges, 0)

    def test_rest_lengths_of_a_pattern(self):
        scene = sheets.grid(4, 4, 1.0)
        scene.uvs, scene.face_uvs = 0.5 * scene.positions[:, :2], scene.faces
        judge = cache_judge.judge_of(mesh_of(scene, uvs=True), self.body, "uv")
        far = self.body.positions + np.float32([0, 0, 9])
        counts = judge.counts(0, scene.positions, far)
        self.assertAlmostEqual(counts.stretch_max, 2.0, places=5)
        self.assertAlmostEqual(counts.stretch_p99, 2.0, places=5)

    def test_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            cloth, body, cache, numbers = (
                str(Path(folder) / name) for name in ("c.obj", "b.obj", "c.pc2", "n.json")
            )
            muslin.write_obj(cloth, self.sheet.positions, self.sheet.faces())
            muslin.write_obj(body, self.body.positions, self.body.faces())
            with muslin.Pc2Writer(cache, self.sheet.vertex_count) as writer:
                for height in (0.25, 0.02):
                    writer.write(self.sheet.positions + np.float32([0, 0, height]))
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                arguments = [cloth, cache, "--body", body, "--json", numbers]
                self.assertEqual(cache_judge.main(arguments), 0)
            first, second = json.loads(Path(numbers).read_text(encoding="utf-8"))
            self.assertEqual((first["frame"], first["cloth_edges"], first["inside"]), (1, 0, 0))
            self.assertEqual(second["cloth_edges"], self.counts(0.02).cloth_edges)
            self.assertIn("worst: body_edges", printed.getvalue())
            with contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(cache_judge.main([body, cache, "--body", body]), 1)
            self.assertIn("number of vertices", said.getvalue())


if __name__ == "__main__":
    unittest.main()

"""`muslin intersections` as a user or a script runs it: text, JSON, exit codes and refusals.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import os
import unittest

import numpy as np

from file_command import FileCommandTest
from muslin import write_obj
from test_scenes import garments, mannequin

FLAT = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"
# A wall in x = 0.3: its upright sides and its cut go through the square, whose cut goes through it.
WALL = "v 0.3 0.2 -1\nv 0.3 0.8 -1\nv 0.3 0.8 1\nv 0.3 0.2 1\nf 1 2 3 4\n"
BOTH = FLAT + WALL.replace("f 1 2 3 4", "f -4 -3 -2 -1")
ROPE = "v 0.7 0.2 -1\nv 0.7 0.3 1\nl 5 6\n"


class IntersectionsTest(FileCommandTest):
    command = "intersections"

    def test_text(self):
        frame, wall = self.file("both.obj", BOTH), self.file("wall.obj", WALL)
        result = self.run_command(frame)
        self.assertEqual(result.stderr, "")
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0], f"{frame}: 8 vertices, 2 quads")
        self.assertEqual(lines[1].split(), ["itself", "4"])
        self.assertEqual(lines[2], "cloth faces  2 of 2 involved")
        self.assertEqual(
            lines[3],
            "the edge of the cloth between vertices 0 and 2 passes through face 1 of the cloth "
            "(vertices 4, 5, 6, 7) at (0.3, 0.3, 0)",
        )
        self.assertEqual(lines[-1], "Edges pass through faces 4 times.")
        flat = self.file("flat.obj", FLAT)
        text = self.run_command(flat, "--body", wall).stdout
        self.assertIn("itself       0\n", text)
        self.assertIn(
            f"4 with {wall}: cloth edges through body faces 1, body edges through cloth faces 3",
            text,
        )
        self.assertIn(f"the edge of {wall} between vertices 1 and 2 passes through face 0", text)

    def test_nothing_found(self):
        frame = self.file("flat.obj", FLAT)
        text = self.run_command(frame, "--fail").stdout
        self.assertIn("cloth faces  0 of 1 involved", text)
        self.assertIn("Nothing passes through anything.", text)
        # Resting on the body is no piercing.
        floor = self.file("floor.obj", FLAT.replace("1", "2").replace("f 2 2", "f 1 2"))
        self.run_command(frame, "--body", floor, "--fail")

    def test_long_lists_are_cut_short(self):
        positions = np.array([(0, 0, 0), (9, 0, 0), (9, 9, 0), (0, 9, 0)], float)
        ropes = np.array([(8, 0.1 + 0.05 * k, z) for k in range(150) for z in (-1, 1)])
        frame = self.folder / "ropes.obj"
        edges = 4 + np.arange(300).reshape(-1, 2)
        write_obj(frame, np.concatenate([positions, ropes]), [(0, 1, 2, 3)], edges)
        text = self.run_command(frame, "--json", self.output).stdout
        self.assertEqual(text.count("passes through"), 5)
        self.assertIn("... and 145 more of this kind", text)
        content = json.loads(self.output.read_text())
        self.assertEqual(content["self"]["count"], 150)
        self.assertEqual(len(content["self"]["places"]), 100)

    def test_json(self):
        frame, wall = self.file("rope.obj", FLAT + ROPE), self.file("wall.obj", WALL)
        far = self.file("far.obj", WALL.replace("0.3", "7"))
        arguments = ("--body", wall, "--body", far, "--json", self.output)
        self.assertTrue(self.run_command(frame, *arguments).stdout.startswith(f"{frame}: "))
        content = json.loads(self.output.read_text())
        self.assertEqual(content["path"], str(frame))
        self.assertEqual((content["face_count"], content["edge_count"]), (1, 6))
        self.assertEqual(content["tolerance"], 2.0**-20)
        self.assertEqual(content["count"], 5)
        self.assertEqual(content["cloth_face_count"], 1)
        self.assertEqual(content["self"]["count"], 1)
        (place,) = content["self"]["places"]
        self.assertEqual((place["edge"], place["face"]), ([4, 5], 0))
        self.assertEqual(place["face_vertices"], [0, 1, 2, 3])
        np.testing.assert_allclose(place["point"], [0.7, 0.25, 0], atol=1e-6)
        first, second = content["bodies"]
        counts = [first[name] for name in ("count", "cloth_edges", "body_edges")]
        self.assertEqual(counts, [4, 1, 3])
        self.assertEqual(first["path"], str(wall))
        self.assertEqual(len(first["cloth_edge_places"]), 1)
        self.assertEqual(len(first["body_edge_places"]), 3)
        self.assertEqual((second["path"], second["count"]), (str(far), 0))

    def test_fail(self):
        frame, wall = self.file("both.obj", BOTH), self.file("wall.obj", WALL)
        result = self.run_command(frame, "--fail", "--json", self.output, code=1)
        self.assertIn("4 times", result.stdout)
        self.assertEqual(json.loads(self.output.read_text())["count"], 4)
        self.run_command(self.file("flat.obj", FLAT), "--body", wall, "--fail", code=1)

    def test_rope_alone_through_a_body(self):
        rope = self.file("rope.obj", "v 0.7 0.2 -1\nv 0.7 0.3 1\nl 1 2\n")
        text = self.run_command(rope, "--body", self.file("flat.obj", FLAT)).stdout
        self.assertIn("cloth edges through body faces 1,", text)

    def test_shirt_on_the_mannequin(self):
        shirt, figure = garments.tshirt(), mannequin.figure()
        paths = self.folder / "shirt.obj", self.folder / "mannequin.obj"
        write_obj(paths[0], shirt.positions, np.asarray(shirt.faces).tolist())
        write_obj(paths[1], figure.positions, np.asarray(figure.faces).tolist())
        text = self.run_command(paths[0], "--body", paths[1], "--fail").stdout
        self.assertIn("Nothing passes through anything.", text)
        pushed = shirt.positions + np.float32([0, 0.03, 0])
        write_obj(paths[0], pushed, np.asarray(shirt.faces).tolist())
        self.run_command(paths[0], "--body", paths[1], "--fail", code=1)

    def test_files_that_cannot_be_judged(self):
        flat, missing = self.file("flat.obj", FLAT), self.folder / "missing.obj"
        points = self.file("points.obj", "v 0 0 0\nv 1 0 0\n")
        wrong = self.file("wrong.obj", FLAT.replace("v 1 1 0", "v 1 nan 0"))
        rope = self.file("rope.obj", "v 0.7 0.2 -1\nv 0.7 0.3 1\nl 1 2\n")
        output = ("--json", self.output)
        self.refused(missing, *output, parts=(missing, "cannot be read"))
        self.refused(points, *output, parts=(points, "no faces and no loose edges"))
        self.refused(wrong, *output, parts=(wrong, "vertex 2", "not a finite number"))
        self.refused(flat, "--body", missing, *output, parts=(missing, "cannot be read"))
        self.refused(flat, "--body", rope, *output, parts=(rope, "no faces"))
        self.refused(flat, "--body", flat, "--body", wrong, *output, parts=(wrong, "vertex 2"))

    def test_json_that_cannot_be_written(self):
        flat = self.file("flat.obj", FLAT)
        nowhere = self.folder / "nowhere" / "out.json"
        self.refused(flat, "--json", nowhere, parts=(nowhere, "does not exist"))
        self.refused(flat, "--json", self.folder, parts=(self.folder, "folder"))
        self.refused(flat, "--json", flat, parts=(flat, "would overwrite"))
        self.refused(flat, "--body", flat, "--json", flat, parts=("would overwrite",))
        self.assertEqual(flat.read_text(), FLAT)
        self.assertEqual(os.listdir(self.folder), ["flat.obj"])

    def test_help_states_the_rule(self):
        text = " ".join(self.run_command("--help").stdout.split())
        for part in ("Touching does not count", "--fail", "exit code 1", "--body", "--json"):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()

"""muslin.find_symmetry and `muslin symmetry`: text, JSON, exit codes and refusals.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import unittest

import numpy as np

import muslin
from file_command import FileCommandTest
from muslin import Mesh, MuslinError, find_symmetry, write_obj
from test_scenes import garments

# Two trapezia that meet in x = 0, in no order, with a fold between them.
STRIP = """v 1 0 0
v 0 0 0.5
v -1 0 0
v 0 1 0.5
v -1.2 1 0
v 1.2 1 0
f 1 6 4 2
f 2 4 5 3
"""
# One square across the plane.
ACROSS = "v -1 0 0\nv 1 0 0\nv 1 1 0\nv -1 1 0\nf 1 2 3 4\n"
POCKET = "v 0.5 0.5 1\nv 0.7 0.5 1\nv 0.6 0.7 1\nf 7 8 9\n"


def strip():
    positions = [[1, 0, 0], [0, 0, 0.5], [-1, 0, 0], [0, 1, 0.5], [-1.2, 1, 0], [1.2, 1, 0]]
    return Mesh.from_faces(positions, [(0, 5, 3, 1), (1, 3, 4, 2)])


class FindTest(unittest.TestCase):
    def test_partners(self):
        found = find_symmetry(strip(), plane=((0, 3, 0), (2, 0, 0)))
        self.assertEqual(found.partners.tolist(), [2, 1, 0, 3, 5, 4])
        self.assertEqual(found.face_partners.tolist(), [1, 0])
        self.assertEqual((found.paired, found.on_plane, found.unpaired), (4, 2, 0))
        self.assertEqual((found.point, found.normal), ((0, 3, 0), (1, 0, 0)))
        self.assertEqual((found.rms, found.largest), (0, 0))
        self.assertAlmostEqual(found.tolerance, 1e-4 * np.sqrt(2.4**2 + 1 + 0.25), delta=1e-9)
        self.assertTrue(found.is_symmetric)

    def test_plane_is_found_in_any_pose(self):
        shirt = garments.tshirt()
        generator = np.random.default_rng(3)
        turn, _ = np.linalg.qr(generator.normal(size=(3, 3)))
        order = generator.permutation(len(shirt.positions))
        back = np.argsort(order)
        moved = (shirt.positions @ turn.T + [1, -2, 0.5])[order]
        mesh = Mesh.from_faces(moved, back[np.asarray(shirt.faces)].tolist())
        found = find_symmetry(mesh)
        self.assertEqual((found.unpaired, found.faces_without), (0, 0))
        self.assertGreater(found.paired, 0.9 * mesh.vertex_count)
        # the shirt is the same left and right, and nowhere else
        self.assertAlmostEqual(abs(np.dot(found.normal, turn[:, 0])), 1, delta=1e-9)
        image = mesh.positions - 2 * np.outer(
            (mesh.positions - found.point) @ found.normal, found.normal
        )
        distance = np.linalg.norm(image - mesh.positions[found.partners], axis=1)
        self.assertAlmostEqual(found.largest, distance.max(), delta=1e-9)
        self.assertAlmostEqual(found.rms, np.sqrt(np.mean(distance**2)), delta=1e-9)

    def test_not_symmetric(self):
        mesh = strip()
        mesh.positions[5] += 0.01
        found = find_symmetry(mesh, plane=((0, 0, 0), (1, 0, 0)))
        self.assertEqual(np.flatnonzero(found.partners < 0).tolist(), [4, 5])
        self.assertEqual(found.faces_without, 2)
        self.assertFalse(found.has_all_partners)
        self.assertTrue(find_symmetry(mesh, ((0, 0, 0), (1, 0, 0)), 0.05).has_all_partners)

    def test_refusals(self):
        mesh = strip()
        flat, empty = ((0, 0, 0), (0, 0, 0)), Mesh([])
        broken = strip()
        broken.positions[2, 1] = np.nan
        for arguments, words in (
            ((None,), "wanted a muslin.Mesh"),
            ((mesh, "x"), "expected a point and a normal"),
            ((mesh, ((0, 0), (1, 0))), "expected a point and a normal"),
            ((mesh, flat), "the normal not zero"),
            ((mesh, ((0, np.nan, 0), (1, 0, 0))), "must be finite"),
            ((mesh, None, "wide"), "expected a number"),
            ((mesh, None, 0), "above 0"),
            ((mesh, None, np.nan), "above 0"),
            ((mesh, None, 5), "at most the mean length"),
            ((broken,), "vertex 2"),
            ((empty,), "no vertices"),
            ((Mesh([[0, 0, 0]]),), "no face and no edge"),
        ):
            with self.subTest(words), self.assertRaises(MuslinError) as caught:
                find_symmetry(*arguments)
            self.assertIn(words, str(caught.exception))

    def test_wrong_structs_are_refused(self):
        mesh, keep = strip().to_struct()
        struct = muslin._abi.Symmetry(size=12)
        get = muslin.library.get
        self.assertEqual(get().muslin_mesh_symmetry(mesh, struct, None, None), -2)
        self.assertIn("MuslinSymmetry.size is 12", muslin.calls.message())
        self.assertEqual(get().muslin_mesh_symmetry(mesh, None, None, None), -2)
        self.assertIn("symmetry is null", muslin.calls.message())
        struct = muslin.calls.new_struct(muslin._abi.Symmetry)
        struct.find = 7
        self.assertEqual(get().muslin_mesh_symmetry(mesh, struct, None, None), -2)
        self.assertIn("find is 7", muslin.calls.message())
        struct.find = 1
        self.assertEqual(get().muslin_mesh_symmetry(mesh, struct, None, None), 0)
        self.assertEqual(struct.paired, 4)
        del keep


class CommandTest(FileCommandTest):
    command = "symmetry"

    def test_symmetric(self):
        path = self.file("strip.obj", STRIP)
        planes = {
            (): "x = 0 m",
            ("--plane", "auto"): "x = 0 m",
            ("--plane", "x"): "x = 0 m",
            ("--plane", "0,0,0,-1,0,0"): "through (0, 0, 0) m, normal (-1, 0, 0)",
        }
        for options, plane in planes.items():
            result = self.run_command(path, *options)
            lines = result.stdout.splitlines()
            self.assertEqual(result.stderr, "")
            self.assertEqual(lines[0], f"{path}: 6 vertices, 2 quads")
            self.assertEqual(lines[1], f"plane        {plane}")
            self.assertEqual(lines[2], "vertices     4 paired, 2 on the plane, 0 without a partner")
            self.assertEqual(lines[4], "faces        0 of 2 without a mirror image")
            self.assertIn("symmetric enough to be mirrored: ", lines[-1])

    def test_pocket(self):
        text = self.run_command(self.file("pocket.obj", STRIP + POCKET)).stdout
        self.assertIn("4 paired, 2 on the plane, 3 without a partner", text)
        self.assertIn("faces        1 of 3 without a mirror image", text)
        self.assertIn("vertex 7 at (0.7, 0.5, 1) has no partner\n", text)
        self.assertIn("This mesh is not symmetric enough to be mirrored.", text)

    def test_other_verdicts(self):
        across = self.file("across.obj", ACROSS)
        text = self.run_command(across, "--plane", "x").stdout
        self.assertIn(
            "cuts         1 faces triangulated differently from their image, 1 of them", text
        )
        self.assertIn("its triangles are not", text)
        text = self.run_command(across, "--plane", "-7,0,0,1,0,0").stdout
        self.assertIn("no vertex has a partner", text)
        text = self.run_command(across, "--plane", "z").stdout
        self.assertIn("0 paired, 4 on the plane", text)
        self.assertIn("no vertex has a partner", text)
        joined = STRIP.replace("f 2 4 5 3", "f 2 4 5\nf 2 5 3")
        text = self.run_command(self.file("joined.obj", joined)).stdout
        self.assertIn("face 0 around (0.55, 0.5, 0.25) has no mirror image", text)
        self.assertIn("they are not connected symmetrically", text)
        rope = self.file("rope.obj", STRIP + "v 1 2 0\nv -1 2 0\nl 6 7\n")
        text = self.run_command(rope).stdout
        self.assertIn("loose edges  1 of 1 without a mirror image", text)
        self.assertIn("they are not connected symmetrically", text)

    def test_long_lists_are_cut_short(self):
        shirt = garments.tshirt()
        path = self.folder / "shirt.obj"
        write_obj(path, shirt.positions, np.asarray(shirt.faces).tolist())
        text = self.run_command(path, "--plane", "9,0,0,1,0,0", "--json", self.output).stdout
        count = len(shirt.positions)
        self.assertEqual(text.count("has no partner"), 5)
        self.assertIn(f"... and {count - 5} more\n", text)
        content = json.loads(self.output.read_text())
        self.assertEqual(len(content["unpaired_places"]), 100)
        self.assertEqual(content["unpaired"], count)

    def test_json(self):
        path = self.file("pocket.obj", STRIP + POCKET)
        self.run_command(path, "--json", self.output, "--tolerance", "0.001")
        content = json.loads(self.output.read_text())
        self.assertEqual(content["path"], str(path))
        self.assertEqual(content["partners"], [2, 1, 0, 3, 5, 4, -1, -1, -1])
        self.assertEqual(content["face_partners"], [1, 0, -1])
        self.assertEqual((content["tolerance"], content["symmetric"]), (0.001, False))
        self.assertEqual((content["point"], content["normal"]), ([0, 0, 0], [1, 0, 0]))
        self.assertEqual([place["vertex"] for place in content["unpaired_places"]], [6, 7, 8])
        (face,) = content["faces_without_places"]
        self.assertEqual((face["face"], face["vertices"]), (2, [6, 7, 8]))

    def test_bad_input(self):
        path = self.file("strip.obj", STRIP)
        for plane in ("w", "1,2,3", "0,0,0,0,0,0", ""):
            with self.subTest(plane=plane):
                self.refused(path, f"--plane={plane}", parts=["--plane", repr(plane)])
        self.refused(path, "--plane", "0,0,0,nan,0,0", parts=["--plane", "'nan' is not a finite"])
        self.refused(path, "--plane", "a,b,c,d,e,f", parts=["--plane", "'a' is not a number"])
        for tolerance in ("0", "-1", "nan", "wide"):
            self.refused(path, "--tolerance", tolerance, parts=["--tolerance", tolerance])
        self.refused(path, "--tolerance", "3", parts=[path, "at most the mean length"])
        self.refused(self.folder / "none.obj", parts=["none.obj"])
        self.refused(self.file("empty.obj", ""), parts=["empty.obj"])
        self.refused(self.file("one.obj", "v 0 0 0\n"), parts=["one.obj", "no face and no edge"])
        nan = self.file("nan.obj", STRIP.replace("v -1 0 0", "v nan 0 0"))
        self.refused(nan, parts=["nan.obj"])
        self.refused(path, "--json", self.folder / "no" / "out.json", parts=["out.json"])
        self.refused(path, "--json", path, parts=["would overwrite a mesh"])
        self.assertEqual(path.read_text(), STRIP)


if __name__ == "__main__":
    unittest.main()

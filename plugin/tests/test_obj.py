"""The OBJ reader and writer: every form that programs write, and every way to be wrong.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import random
import tempfile
import unittest
from pathlib import Path

import numpy as np

from muslin import FileError, Mesh, MuslinError, read_obj, write_obj

SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def read(self, text):
        path = self.folder / "mesh.obj"
        path.unlink(missing_ok=True)  # some disks wait when a file is written over
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return read_obj(path)

    def refused(self, text, *parts):
        """The reader must refuse the text, and its message hold the path and these parts."""
        with self.assertRaises(FileError) as caught:
            self.read(text)
        for part in ("mesh.obj", *parts):
            self.assertIn(part, str(caught.exception))


class ReadTest(FolderTest):
    def test_triangles_quads_and_larger_polygons(self):
        mesh = self.read(SQUARE + "v 2 2 2\nf 1 2 3\nf 1 2 3 4\nf 1 2 3 4 5\n")
        self.assertEqual(mesh.faces(), [[0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4]])
        self.assertEqual(mesh.positions.dtype, np.float32)
        self.assertEqual(mesh.positions[4].tolist(), [2, 2, 2])

    def test_all_forms_of_a_corner(self):
        uvs = "vt 0 0\nvt 1 0\nvt 1 1\n"
        for corners in ("1 2 3", "1/1 2/2 3/3", "1//1 2//2 3//3", "1/1/1 2/2/2 3/3/3", "1 2//9 3"):
            with self.subTest(corners):
                mesh = self.read(SQUARE + uvs + f"vn 0 0 1\nf {corners}\n")
                self.assertEqual(mesh.faces(), [[0, 1, 2]])
                self.assertEqual(mesh.uvs is not None, "/1" in corners and "//" not in corners)

    def test_negative_indices_count_from_the_line(self):
        mesh = self.read(SQUARE + "f -4 -3 -2 -1\nv 5 5 5\nf -1 -2 -3\n")
        self.assertEqual(mesh.faces(), [[0, 1, 2, 3], [4, 3, 2]])

    def test_negative_uv_indices(self):
        mesh = self.read(SQUARE + "vt 0 0\nvt 0.5 0\nvt 1 1\nf 1/-3 2/-2 3/-1\nvt 9 9\n")
        self.assertEqual(mesh.corner_uvs.tolist(), [[0, 0], [0.5, 0], [1, 1]])

    def test_face_may_come_before_its_vertices(self):
        self.assertEqual(self.read("f 1 2 3\n" + SQUARE).faces(), [[0, 1, 2]])

    def test_line_ends_tabs_and_comments(self):
        plain = "# head\n\n" + SQUARE + "f 1 2 3 # tail\n"
        for text in (plain, plain.replace("\n", "\r\n"), plain.replace("\n", "\r")):
            self.assertEqual(self.read(text).faces(), [[0, 1, 2]])
        mesh = self.read("\tv\t1\t 2   3 \n v 0 0 0\nv 0 1 0\nf\t1\t2 3\t")
        self.assertEqual(mesh.positions[0].tolist(), [1, 2, 3])
        self.assertEqual(mesh.faces(), [[0, 1, 2]])

    def test_byte_order_mark(self):
        self.assertEqual(self.read(b"\xef\xbb\xbf" + SQUARE.encode()).vertex_count, 4)

    def test_continued_lines(self):
        for end in ("\n", "\r\n"):
            mesh = self.read(SQUARE + f"f 1 2 \\{end} 3 \\{end}4\nf 1 2 3\\")
            self.assertEqual(mesh.faces(), [[0, 1, 2, 3], [0, 1, 2]])

    def test_comment_with_a_windows_path_is_not_continued(self):
        self.assertEqual(self.read("# C:\\models\\\n" + SQUARE).vertex_count, 4)

    def test_line_number_after_a_continued_line(self):
        self.refused(SQUARE + "f 1 2 \\\n 3\nf 1 2 9\n", "line 7", "vertex 9")

    def test_weights_and_colours_are_ignored(self):
        mesh = self.read("v 1 2 3 1.0\nv 4 5 6 0.1 0.2 0.3\nv 7 8 9 1 0.1 0.2 0.3\nf 1 2 3\n")
        self.assertEqual(mesh.positions.tolist(), [[1, 2, 3], [4, 5, 6], [7, 8, 9]])

    def test_statements_about_other_things_are_skipped(self):
        extra = (
            "mtllib a_b.mtl\no one\ng a b\ns 1\nusemtl x\nvn 0 0 1\nvp 1\np 1 2\ncstype bezier\n"
        )
        self.assertEqual(self.read(extra + SQUARE + "f 1 2 3\n").faces(), [[0, 1, 2]])

    def test_several_objects_share_one_numbering(self):
        mesh = self.read("o a\n" + SQUARE + "f 1 2 3\no b\n" + SQUARE + "f 5 6 7\nf -1 -2 -3\n")
        self.assertEqual(mesh.vertex_count, 8)
        self.assertEqual(mesh.faces(), [[0, 1, 2], [4, 5, 6], [7, 6, 5]])

    def test_polylines_become_loose_edges(self):
        mesh = self.read(SQUARE + "l 1 2 3\nl -1/1 1/2\n")
        self.assertEqual(mesh.edges.tolist(), [[0, 1], [1, 2], [3, 0]])

    def test_edge_of_a_face_is_not_loose(self):
        mesh = self.read(SQUARE + "v 3 3 3\nf 1 2 3\nl 2 1\nl 3 1\nl 1 3 4 5\nl 5 4\n")
        self.assertEqual(mesh.edges.tolist(), [[2, 3], [3, 4]])

    def test_uvs_of_every_corner(self):
        mesh = self.read(SQUARE + "vt 0.25\nvt 1 0 0\nvt 1 1\nf 1/3 2/2 3/1\n")
        self.assertEqual(mesh.uv_indices.tolist(), [2, 1, 0])
        self.assertEqual(mesh.corner_uvs.tolist(), [[1, 1], [1, 0], [0.25, 0]])
        self.assertEqual(mesh.notes, [])

    def test_partial_uv_map_is_noted(self):
        mesh = self.read(SQUARE + "vt 0 0\nf 1/1 2/1 3/1\nf 1 2 4\nf 1/1 2/1 4\n")
        self.assertIsNone(mesh.uvs)
        self.assertEqual(len(mesh.notes), 1)
        self.assertIn("2 of 3 faces", mesh.notes[0])

    def test_vertices_alone(self):
        mesh = self.read(SQUARE)
        self.assertEqual((mesh.vertex_count, mesh.faces(), len(mesh.edges)), (4, [], 0))

    def test_not_finite_coordinates_are_left_to_the_mesh_check(self):
        mesh = self.read("v nan 0 0\nv inf 0 0\nv 1e300 0 0\nf 1 2 3\n")
        self.assertFalse(np.isfinite(mesh.positions[:, 0]).any())


class RefuseTest(FolderTest):
    def test_missing_file_and_folder(self):
        for path in (self.folder / "missing.obj", self.folder, "a\0b"):
            with self.assertRaises(FileError) as caught:
                read_obj(path)
            self.assertIn(str(path), str(caught.exception))

    def test_binary_and_foreign_files(self):
        self.refused(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary")
        self.refused(
            "solid part\nfacet normal 0 0 1\n", "line 1", "'solid' is not an OBJ statement"
        )
        self.refused("ply\nformat ascii 1.0\n", "line 1", "'ply'")
        self.refused("Once upon a time", "'Once'")
        self.refused("\xff\xfe\x1b[31m red", "\\x1b")

    def test_empty_files(self):
        self.refused("", "empty")
        self.refused(" \n\n", "empty")
        self.refused("# only a comment\n", "no vertices")

    def test_bad_numbers(self):
        self.refused("v 0 0 0\nv 1 zwei 3\n", "line 2", "'zwei' is not a number")
        self.refused("v 1_0 0 0\n", "line 1", "'1_0'")
        self.refused("v 1 2\n", "line 1", "three coordinates", "has 2")
        self.refused("v\n", "line 1", "has 0")
        self.refused("v 1,5 0 0\n", "'1,5'")

    def test_bad_faces(self):
        self.refused(SQUARE + "f 1 2\n", "line 5", "three or more corners", "has 2")
        self.refused(SQUARE + "f 1 2 5\n", "line 5", "vertex 5 does not exist", "has 4")
        self.refused(SQUARE + "f 1 2 0\n", "line 5", "vertex 0 does not exist")
        self.refused(SQUARE + "f 1 2 -5\n", "line 5", "vertex -5 does not exist")
        self.refused(SQUARE + "vt 0 0\nf 1/7 2/7 3/7\n", "line 6", "UV 7 does not exist")
        self.refused(SQUARE + "f 1 2 x\n", "line 5", "'x' is not a face corner")
        for corner in ("3/1/1/1", "/1", "1.5", "3//", "1e3", "9" * 30, "9" * 5000, "1_0"):
            self.refused(SQUARE + f"f 1 2 {corner}\n", "line 5")

    def test_bad_lines(self):
        self.refused(SQUARE + "l 1\n", "line 5", "two or more vertices")
        self.refused(SQUARE + "l 1 9\n", "line 5", "vertex 9")

    def test_long_words_are_cut(self):
        with self.assertRaises(FileError) as caught:
            self.read("v 0 0 " + "x" * 100000)
        self.assertLess(len(str(caught.exception)), 400)


class WriteTest(FolderTest):
    def test_round_trip_is_exact(self):
        generator = np.random.default_rng(7)
        positions = generator.normal(size=(50, 3)).astype(np.float32) * 10.0 ** generator.integers(
            -20, 20, (50, 1)
        ).astype(np.float32)
        uvs = generator.random((9, 2)).astype(np.float32)
        faces, face_uvs = [[0, 1, 2], [3, 4, 5, 6, 49]], [[0, 1, 2], [8, 7, 6, 5, 4]]
        path = self.folder / "out.obj"
        write_obj(path, positions, faces, [[7, 8]], uvs, face_uvs)
        mesh = read_obj(path)
        np.testing.assert_array_equal(mesh.positions, positions)
        np.testing.assert_array_equal(mesh.uvs, uvs)
        self.assertEqual(mesh.faces(), faces)
        self.assertEqual(mesh.faces(mesh.uv_indices), face_uvs)
        self.assertEqual(mesh.edges.tolist(), [[7, 8]])

    def test_without_uvs(self):
        path = self.folder / "out.obj"
        write_obj(path, np.zeros((3, 3)), [[0, 1, 2]])
        self.assertEqual(path.read_text(), "v 0 0 0\n" * 3 + "f 1 2 3\n")

    def test_no_trace_of_the_temporary_file(self):
        write_obj(self.folder / "out.obj", np.zeros((3, 3)), [])
        self.assertEqual(os.listdir(self.folder), ["out.obj"])

    def test_missing_folder_is_named(self):
        path = self.folder / "missing" / "out.obj"
        with self.assertRaises(FileError) as caught:
            write_obj(path, np.zeros((3, 3)), [])
        self.assertIn(str(path), str(caught.exception))

    def test_link_keeps_its_place(self):
        target, link = self.folder / "target.obj", self.folder / "link.obj"
        target.write_text("old")
        link.symlink_to(target)
        write_obj(link, np.zeros((1, 3)), [])
        self.assertTrue(link.is_symlink())
        self.assertEqual(target.read_text(), "v 0 0 0\n")


class FuzzTest(FolderTest):
    """Whatever the bytes: a mesh, or a MuslinError. Seeded, so that a failure can be repeated."""

    RICH = (
        "# rich\nmtllib a.mtl\no one\n"
        + SQUARE
        + "v 1e-3 -2.5E2 .5 0.1 0.2 0.3\nvt 0 0\nvt 1 0.5\n"
        "vn 0 0 1\nf 1/1/1 2/2/1 3/1/1\nf -1/-1 -2/-2 -3/-1\nf 1//1 2//1 3//1 4//1\nl 4 5\n"
        "f 1 2 \\\n 3\nusemtl b\r\ng c\ns off\n"
    ).encode()

    def attempt(self, data, case):
        try:
            mesh = self.read(data)
        except MuslinError:
            return
        except Exception as error:
            self.fail(f"case {case}: {error!r} for {data!r}")
        self.assertIsInstance(mesh, Mesh)
        if len(mesh.face_vertices):
            self.assertGreaterEqual(mesh.face_vertices.min(), 0)
            self.assertLess(mesh.face_vertices.max(), mesh.vertex_count)

    def test_random_bytes(self):
        chance = random.Random(1)
        for case in range(1000):
            self.attempt(chance.randbytes(chance.randrange(200)), case)

    def test_random_words(self):
        chance = random.Random(2)
        words = "v vt f l 1 -1 0 2/1 3//1 1/2/3 nan 1e9 \\ # / // \n \r\n \t x _ 99999999999".split(
            " "
        )
        for case in range(3000):
            text = " ".join(chance.choice(words) for _ in range(chance.randrange(60)))
            self.attempt((SQUARE + text).encode(), case)

    def test_mutations(self):
        chance = random.Random(3)
        for case in range(3000):
            data = bytearray(self.RICH)
            for _ in range(chance.randrange(1, 8)):
                place = chance.randrange(len(data))
                action = chance.randrange(4)
                if action == 0:
                    data[place] = chance.randrange(256)
                elif action == 1:
                    del data[place : place + chance.randrange(1, 10)]
                elif action == 2:
                    data[place:place] = chance.choice(
                        [b"/", b"-", b"\\\n", b" ", b"\n", b"f ", b"9"]
                    )
                else:
                    other = chance.randrange(len(data))
                    data[place:place] = data[other : other + chance.randrange(20)]
                data = data or bytearray(b"v")
            self.attempt(bytes(data), case)


if __name__ == "__main__":
    unittest.main()

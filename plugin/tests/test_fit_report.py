"""The regions of garments, the report of their fit, and `drape --fit-report`.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import unittest

import numpy as np

from body_meshes import ball, sheet, table
from muslin import Cloth, Mesh, read_obj
from muslin.inspection.fit_report import band_width, bands, components, make_report, regions_of
from muslin.inspection.surface import surface_of
from test_bodies_command import BodyCommandTest
from test_scenes import garments

UP = np.array([0.0, 0.0, 1.0])


class NamesTest(BodyCommandTest):
    """What a file calls its faces: groups, else objects, else materials."""

    def names(self, *lines):
        """Of four faces, with a line before each."""
        corners = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
        faces = "".join(f"{line}\nf 1 2 3\n" for line in lines)
        self.garment.write_text(corners + faces, encoding="utf-8")
        found = read_obj(self.garment).face_names
        return found and [found[0][which] for which in found[1]]

    def test_groups(self):
        wanted = ["cuff left", "cuff left", "Ärmel", "cuff left"]
        self.assertEqual(self.names("g cuff  left", "", "g Ärmel", "g cuff left"), wanted)

    def test_first_faces_may_have_none(self):
        self.assertEqual(self.names("", "g", "g a", ""), ["unnamed", "unnamed", "a", "a"])

    def test_one_name_tells_nothing(self):
        self.assertIsNone(self.names("o shirt\ng shirt", "", "", ""))
        self.assertIsNone(self.names("", "", "", ""))

    def test_objects_and_materials(self):
        lines = ("g all\no shirt\nusemtl a", "usemtl b", "o cuff", "")
        self.assertEqual(self.names(*lines), ["shirt", "shirt", "cuff", "cuff"])
        self.assertEqual(self.names("usemtl a", "usemtl b", "", "usemtl a"), ["a", "b", "b", "a"])

    def test_vertices_go_with_most_of_their_faces(self):
        mesh = sheet(4, 0.3)  # 3 by 3 cells of two triangles
        mesh.face_names = ["left", "right"], np.array(3 * [0, 0, 0, 0, 1, 1])
        names, of_vertex = regions_of(mesh, surface_of(mesh), UP)
        self.assertEqual(names, ["left", "right"])
        np.testing.assert_array_equal(of_vertex.reshape(4, 4)[1:3, 0], 0)
        np.testing.assert_array_equal(of_vertex.reshape(4, 4)[:, 3], 1)


class BandsTest(unittest.TestCase):
    def test_widths_are_round(self):
        for height, wanted in ((1.7, 0.2), (0.6, 0.1), (1.0, 0.1), (0.3, 0.05), (17, 2), (0, 1e-4)):
            self.assertAlmostEqual(band_width(height, 0), wanted)
        self.assertAlmostEqual(band_width(0.5, 0.04), 0.1)

    def test_coarse_cloth_does_not_fall_apart(self):
        scene = garments.skirt(spacing=0.08)
        names = bands(surface_of(Mesh.from_faces(scene.positions, scene.faces)), UP)[0]
        self.assertEqual([name for name in names if "," in name], [])

    def test_legs_are_left_and_right(self):
        scene = garments.trousers()
        mesh = Mesh.from_faces(scene.positions, scene.faces)
        names, of_vertex = bands(surface_of(mesh), UP)
        sides = {name.rpartition(", ")[2] for name in names}
        self.assertTrue({"left", "right"} <= sides)
        x = mesh.positions[:, 0]
        for which, name in enumerate(names):
            if name.endswith("left"):
                self.assertGreater(x[of_vertex == which].mean(), 0)
            if name.endswith("right"):
                self.assertLess(x[of_vertex == which].mean(), 0)
        tops = [float(name.split()[0]) for name in names]
        self.assertEqual(tops, sorted(tops, reverse=True))

    def test_components(self):
        chance = np.random.default_rng(4)
        for _ in range(20):
            edges = chance.integers(0, 60, (40, 2))
            label = np.arange(60)
            for _ in range(60):
                for one, other in edges:
                    label[[one, other]] = min(label[one], label[other])
            np.testing.assert_array_equal(components(60, edges), label)


class ReportTest(unittest.TestCase):
    def test_numbers_are_those_of_the_vertices(self):
        low, high = sheet(8, 0.3, 0.006), sheet(5, 0.2, 0.5)
        positions = np.concatenate([low.positions, high.positions])
        faces = low.faces() + [[v + low.vertex_count for v in face] for face in high.faces()]
        with Cloth(Mesh.from_faces(positions, faces), quality="fit", density=0.3) as cloth:
            cloth.add_body(table())
            for _ in range(5):
                cloth.step(1 / 24)
            fit, report = cloth.fit(), make_report([low, high], ["a/low.obj", "b/low.obj"], cloth)
        self.assertEqual([g["garment"] for g in report["garments"]], ["low", "low (2)"])
        first, second = report["garments"]
        self.assertEqual(first["vertices"], 64)
        self.assertAlmostEqual(first["area"], 0.09, places=4)
        self.assertAlmostEqual(second["area"], 0.04, places=4)
        self.assertEqual(second["pressure"]["most"], 0)
        np.testing.assert_array_equal(
            first["arrays"]["gap"] + second["arrays"]["gap"], fit.gap.astype(float)
        )
        for kind in ("warp", "weft", "shear", "pressure"):
            worst = report["worst"][kind][0]
            self.assertEqual(worst[kind], getattr(fit, kind).max())
            own = report["garments"][worst["garment"] != "low"]
            self.assertEqual(own["arrays"][kind][worst["vertex"]], worst[kind])
        self.assertAlmostEqual(report["worst"]["gap"][0]["gap"], fit.gap.min())
        sums = [
            sum(row["area"] for row in report["regions"] if row["garment"] == name)
            for name in ("low", "low (2)")
        ]
        np.testing.assert_allclose(sums, [0.09, 0.04], rtol=1e-3)

    def test_worst_places_are_apart(self):
        with Cloth(sheet(12, 0.4, 0.05)) as cloth:
            cloth.add_body(ball())
            for _ in range(8):
                cloth.step(1 / 24)
            places = make_report([sheet(12)], ["sheet.obj"], cloth)["worst"]["pressure"]
        self.assertGreater(len(places), 1)
        points = np.array([place["position"] for place in places])
        distances = np.linalg.norm(points[:, None] - points[None], axis=2)
        self.assertGreater(distances[np.triu_indices(len(points), 1)].min(), 0.01)


class FitReportCommandTest(BodyCommandTest):
    def setUp(self):
        super().setUp()
        self.write(self.body, table())

    def test_json(self):
        path = self.folder / "fit.JSON"
        self.drape("--frames", 10, "--body", self.body, "--fit-report", path)
        report = json.loads(path.read_text())
        with Cloth(read_obj(self.garment)) as cloth:
            cloth.add_body(read_obj(self.body))
            for _ in range(9):
                cloth.step(1 / 24)
            wanted = cloth.fit()
        arrays = report["garments"][0]["arrays"]
        for kind, values in zip(wanted._fields, wanted):
            np.testing.assert_array_equal(np.float32(arrays[kind]), values)

    def test_table(self):
        path = self.folder / "fit.txt"
        self.drape("--frames", 10, "--body", self.body, "--fit-report", path)
        text = path.read_text()
        for words in ("by region", "all of garment", "Presses most", "fastest vertex"):
            self.assertIn(words, text)

    def test_without_a_body(self):
        """Strains alone; JSON knows no infinite gap."""
        path = self.folder / "fit.json"
        self.drape("--frames", 2, "--fit-report", path)
        report = json.loads(path.read_text())
        self.assertIsNone(report["garments"][0]["gap"])
        self.assertEqual(report["worst"]["gap"], [])
        self.drape("--frames", 2, "--fit-report", self.folder / "fit.txt")

    def test_settled(self):
        """What has come to rest presses with its weight."""
        path, output = self.folder / "fit.json", self.folder / "worn.obj"
        arguments = ("--body", self.body, "-o", output, "--density", 0.3, "--fit-report", path)
        self.run_command("settle", self.garment, *arguments)
        garment = json.loads(path.read_text())["garments"][0]
        self.assertAlmostEqual(garment["force"] / (0.3 * 9.81 * garment["area"]), 1, delta=0.03)

    def test_a_rope_has_no_strains(self):
        self.garment.write_text("v 0 0 .1\nv .1 0 .1\nv .2 0 .1\nl 1 2\nl 2 3\n")
        path = self.folder / "fit.txt"
        self.drape("--frames", 3, "--body", self.body, "--fit-report", path)
        text = path.read_text()
        self.assertNotIn("most (", text)  # no table of the worst zeros
        whole = next(line for line in text.splitlines() if line.startswith("all of"))
        self.assertEqual(whole.count(" -"), 9, whole)
        self.drape("--frames", 3, "--body", self.body, "--fit-report", self.folder / "fit.json")
        garment = json.loads((self.folder / "fit.json").read_text())["garments"][0]
        self.assertEqual((garment["warp"], garment["pressure"]), (None, None))
        self.assertGreater(garment["gap"]["least"], 0)

    def test_is_not_an_input(self):
        self.drape("--frames", 2, "--fit-report", self.garment, code=2)


if __name__ == "__main__":
    unittest.main()

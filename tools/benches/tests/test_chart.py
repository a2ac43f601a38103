# SPDX-License-Identifier: GPL-3.0-or-later
"""The chart of every way to solve: measures that are known, ways that are all accounted for, pictures and the table."""

import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace

import numpy as np
from common import charts
from research.cases import chart

SPACE = "{http://www.w3.org/2000/svg}"
NOBODY = SimpleNamespace(is_there=lambda: False)  # no Blender


def stage(name="sphere", size=chart.SMALL, frames=(3, 2)):
    kind = chart.KINDS[name]
    return chart.Stage(kind, size, kind.make("quick"), *frames)


def row(**more):
    known = {column: None for column in chart.COLUMNS}
    known |= {"table": "chart", "scene": "jacket", "size": "middle", "vertices": 6519, "ms": 40.0}
    known |= {"frames": 36, "inside": 0, "body_piercings": 0, "stretch_max": 1.25}
    return {**known, "distance": 0.031, "trembling": 3.2, **more}


class Measures(unittest.TestCase):
    def test_a_vertex_that_goes_to_and_fro_trembles_with_its_speed(self):
        track = np.zeros((20, 3, 3), np.float32)
        track[::2, 1, 2], track[1::2, 1, 2] = 0.001, -0.001
        self.assertAlmostEqual(chart.trembling(track), 48.0, places=3)  # 2 mm a frame, 24 a second

    def test_cloth_that_falls_does_not_tremble(self):
        times = np.arange(20) / 24
        track = np.zeros((20, 2, 3))
        track[:, :, 2] = (-4.905 * times**2)[:, None]
        self.assertLess(chart.trembling(track), 1e-9)
        self.assertGreater(chart.fastest(track), 6000)

    def test_the_fastest_vertex(self):
        track = np.zeros((20, 2, 3))
        track[:, 1, 0] = 0.0005 * np.arange(20)
        self.assertAlmostEqual(chart.fastest(track), 12.0)

    def test_distance_is_of_the_size_and_only_where_the_model_has_converged(self):
        here = stage()
        points = here.scene.cloth.positions
        here.references["triangle"] = np.array([points, points, points])
        moved = np.array([points, points, points + np.float32([0, 0, 0.02])])
        self.assertAlmostEqual(chart.distance(here, "triangle", moved), 0.02, places=5)
        self.assertIsNone(chart.distance(here, "edge", moved))


class EveryWay(unittest.TestCase):
    def test_no_two_are_called_the_same(self):
        names = [(way.family, way.point) for way in chart.WAYS]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(set(chart.TITLES), {way.family for way in chart.WAYS})

    def test_all_that_are_asked_for_are_there(self):
        points = {name: [w.point for w in chart.WAYS if w.family == name] for name in chart.TITLES}
        for family in ("plain", "two-level"):
            self.assertEqual(points[family], [str(count) for count in range(1, 9)])
        for family in ("quality", "edges", "mirrored"):
            self.assertEqual(points[family], ["draft", "fit", "final"])
        self.assertTrue(all(points.values()))

    def test_every_row_has_a_time_or_a_reason(self):
        here = stage("swing", "quick", (2, 0))
        for way in chart.WAYS:
            found = chart.measure(here, way, NOBODY)
            self.assertEqual(tuple(found), chart.COLUMNS)
            self.assertNotEqual(found["ms"] is None, found["why"] is None, way)

    def test_garments_have_no_threads(self):
        worn = SimpleNamespace(kind=chart.KINDS["jacket"], size=chart.SMALL)
        for way in chart.WAYS:
            if way.family == "threads":
                self.assertIn("grids", way.reason(worn))

    def test_cloth_that_is_torn_says_so(self):
        here = stage()
        track = np.repeat(here.scene.cloth.positions[None], 4, axis=0)
        track[2:, 5] = np.nan
        found = chart.judged(here, chart.WAYS[0], track, [1.0, 2.0, 3.0])
        self.assertEqual(found["why"], "torn to pieces")
        self.assertIsNone(found["stretch_max"])

    def test_a_start_beside_is_within_a_micrometre_and_another(self):
        here = stage()
        moved = chart.beside(here).scene.cloth.positions - here.scene.cloth.positions
        self.assertGreater(np.abs(moved).max(), 0)
        self.assertLess(np.abs(moved).max(), 1.2e-6)


@unittest.skipIf(charts.missing(), charts.MISSING)
class Pictures(unittest.TestCase):
    def test_a_chart_is_drawn_from_rows(self):
        rows = [row(family="plain", point="1", ms=5.0), row(family="quality", point="draft")]
        rows.append(row(family="quality", point="fit", ms=None, why="left out"))
        with tempfile.TemporaryDirectory() as folder:
            path = chart.write(rows, chart.KINDS["jacket"], folder)
            names = [text.text for text in ElementTree.parse(path).iter(f"{SPACE}text")]
            self.assertIsNone(chart.write(rows, chart.KINDS["swing"], folder))
        self.assertIn("6,519 vertices", names)
        self.assertIn(chart.TITLES["plain"], names)
        self.assertNotIn(chart.TITLES["sweeps"], names)


class Page(unittest.TestCase):
    def test_the_table_has_what_was_measured(self):
        rows = [
            row(family="quality", point="draft"),
            row(family="quality", point="draft", scene="tshirt", stretch_max=1.5, inside=2),
            row(family="quality", point="draft", scene="sphere", ms=8.25, trembling=12.4),
            row(family="plain", point="1", size="small"),
        ]
        (found,) = chart.summary(rows)
        cells = [found[name] for name in ("way", "swing", "sphere", "tshirt", "jacket")]
        same = "40 ms, 3.1 %"
        self.assertEqual(cells, ["quality draft", None, "8.2 ms, 3.1 %", same, same])
        self.assertEqual([*found.values()][5:], [50, 2, 12.4])

    def test_few_frames_do_not_tell_the_most_stretch(self):
        (found,) = chart.summary([row(family="plain", point="1", frames=12, trembling=None)])
        self.assertEqual([*found.values()][4:], ["40 ms, 3.1 %", None, None, None])

    def test_how_far_two_converged_runs_are_apart(self):
        again = row(family="two-level", point=chart.AGAIN, scene="swing", distance=0.0061)
        self.assertEqual(chart.apart([row(family="plain", point="1"), again]), "0.6 % (swing)")


if __name__ == "__main__":
    unittest.main()

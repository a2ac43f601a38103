# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/bench speed on tiny meshes: every key is there, the plots are drawn. Nothing is said about times."""

import argparse
import contextlib
import io
import json
import os
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from unittest import mock

LIBRARY = Path(os.environ["MUSLIN_LIBRARY"]).resolve()
os.environ.setdefault("MUSLIN_BENCH_PROGRAMS", str(LIBRARY.parent / "bench"))

import speed
from blender_cases import race
from common import charts
from common.bench import Results, figures_of
from speed import LABELS, QUICK, Effort, sizes

TINY = Effort(
    sides=sizes(6, 8, 10, 12, 14, 16),
    solve_turns=sizes(1, 1, 1, 1, 1, 1),
    repeats=1,
    skipped=1,
    timed=2,
    pcg_vertices=166,
    pcg_timed=2,
    pcg_steps=(1, 1),
    garment={"spacing": 0.08, "body_spacing": 0.05},
    garment_frames=(1, 2),
    builtin_sides=sizes(6, 8, 10, 12, 14, 16),
)

POSITIVE = ("solve_speedup_1t_20k", "solve_over_floor_100k", "step_speedup_pcg")
POSITIVE += ("iteration_over_cholmod_solve", "frame_ms_100k", "refactor_s_100k")
# What not every machine can tell: Blender's cloth, Eigen, as many cores.
CONDITIONAL = ("vs_builtin", "free_", "sphere_", "solve_speedup_eigen", "scaling_2", "scaling_16")


def line(name, threads, ms, least=0.1, error=1e-6):
    return f"100 900 4000 32 {name} {threads} {ms} {least} {error}".split()


class Run(unittest.TestCase):
    """A whole run as --quick --json --plots makes it, of tiny meshes and without Blender."""

    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.kept.cleanup)
        cls.folder = Path(cls.kept.name)
        path, drawings = cls.folder / "figures.json", cls.folder / "plots"
        drawings = None if charts.missing() else str(drawings)
        only = [name for name in speed.PARTS if name != "builtin"]
        options = argparse.Namespace(json=str(path), quick=True, only=only, plots=drawings)
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            stack.enter_context(mock.patch.object(speed, "QUICK", TINY))
            status = speed.BENCH.run(options)
        assert status == 0
        cls.numbers = json.loads(path.read_text("utf-8"))
        cls.rows = cls.numbers.pop("rows")

    def test_every_key_is_in_the_file(self):
        wanted = set(figures_of(speed.FIGURES)) | set(race.keys(LABELS))
        self.assertEqual(wanted - self.numbers.keys(), set())
        self.assertIn("vs_builtin_sphere_2t_200k_draft", wanted)

    def test_only_what_the_machine_cannot_tell_is_empty(self):
        for key, value in self.numbers.items():
            if not key.startswith(CONDITIONAL):
                self.assertIsInstance(value, (int, float), key)
            if key in POSITIVE:
                self.assertGreater(value, 0, key)

    def test_quality_stands_beside_every_time(self):
        quality = {"error", "response", "largest_strain"}
        for row in self.rows:
            self.assertTrue(quality & row.keys(), row)
            self.assertTrue(all(row[name] is not None for name in quality & row.keys()), row)
            self.assertLess(row.get("error", 0), 1e-3, row)  # our answers are right
        self.assertEqual(self.numbers["scaling_same_bytes"], 1)

    def test_the_parts_of_the_set_up_make_up_the_whole(self):
        found = self.numbers
        parts = ("ordering", "analysis", "factor", "rest")
        whole = sum(found[f"setup_{part}_s_100k"] for part in parts)
        self.assertAlmostEqual(whole, found["setup_s_100k"])
        self.assertGreaterEqual(found["setup_rest_s_100k"], 0)

    @unittest.skipIf(charts.missing(), charts.MISSING)
    def test_plots_are_drawn(self):
        paths = list((self.folder / "plots").iterdir())
        for path in paths:
            ElementTree.parse(path)
        names = {path.name for path in paths}
        wanted = {f"speed_{name}.svg" for name in ("solve", "step", "memory", "scaling")}
        self.assertEqual(names, wanted)


class Frames(unittest.TestCase):
    def test_the_newest_blender_on_two_threads_is_drawn(self):
        results = Results()
        for version, threads, ms in (("5.2", 2, 1), ("10.0", 1, 2), ("10.0", 2, 3)):
            for method in ("Blender's own", "Muslin, draft", "Muslin, fixed rounds"):
                row = {"version": version, "threads": threads, "method": method}
                results.row("free_size", **row, vertices=100, ms_per_frame=ms)
        drawn = {line.name: line.points for line in speed.frames(results) if line.points}
        self.assertEqual(drawn, {"Blender, free": ((100, 3),), "Muslin, free": ((100, 3),)})


class Figures(unittest.TestCase):
    def test_the_better_of_the_two_opponents_counts(self):
        lines = [line("ours", 1, 1), line("simplicial", 1, 4), line("supernodal", 1, 3)]
        found = speed.parse(lines)
        self.assertEqual(speed.best_cholmod(found), found["supernodal", 1]["ms"])
        del found["supernodal", 1]
        self.assertEqual(speed.best_cholmod(found), 4)

    def test_exponents(self):
        counts = [5000, 20000, 200000]
        for slope in (1.0, 1.5):
            self.assertAlmostEqual(speed.exponent(counts, [s**slope for s in counts]), slope)

    def test_threads_are_doubled_up_to_what_there_is(self):
        self.assertEqual(speed.thread_counts(1), [1])
        self.assertEqual(speed.thread_counts(2), [1, 2])
        self.assertEqual(speed.thread_counts(12), [1, 2, 4, 8, 12])
        self.assertEqual(speed.thread_counts(16), [1, 2, 4, 8, 16])

    def test_a_quick_run_has_all_sizes(self):
        for effort in (QUICK, TINY):
            self.assertEqual(tuple(effort.sides), LABELS)
            self.assertEqual(tuple(effort.solve_turns), LABELS)
            self.assertEqual(tuple(effort.builtin_sides), LABELS)
            self.assertEqual(sorted(effort.sides.values()), list(effort.sides.values()))


if __name__ == "__main__":
    unittest.main()

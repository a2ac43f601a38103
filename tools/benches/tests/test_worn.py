# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of tools/bench worn with all their columns, and what is skipped."""

import contextlib
import io
import unittest
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
import worn
from common import garments
from common.bench import Results, figures_of
from test_scenes.contact import figures, real


class Rows(unittest.TestCase):
    """One small run of the scenes' own t-shirt."""

    @classmethod
    def setUpClass(cls):
        cls.results = Results()
        cls.book = worn.Book(cls.results)
        cls.case = worn.Case("own_tshirt", count=250, motion="own", frames=4, still=2)
        coarse = {"own_tshirt": (partial(figures.tshirt, body_spacing=0.03), 0.06)}
        patch = mock.patch.dict(garments.OWN, coarse)
        patch.start()
        cls.addClassCleanup(patch.stop)
        garments.scene.cache_clear()
        with contextlib.redirect_stdout(io.StringIO()):
            cls.record = cls.book.run(cls.case)
            cls.book.run(cls.case)

    def test_a_row_is_made_once_with_what_is_printed(self):
        self.assertEqual(len(self.results.rows), 1)
        self.assertLessEqual(set(worn.PRINTED.split()), self.record.keys())
        empty = {column for column, value in self.record.items() if value is None}
        self.assertEqual(empty, {"distance"})

    def test_stages_make_up_the_frame(self):
        parts = sum(self.record[stage] for stage in (*worn.STAGES, "rest"))
        self.assertAlmostEqual(parts / self.record["ms"], 1, delta=0.3)
        self.assertLessEqual(self.record["coarse"], self.record["solve"])

    def test_the_body_stands_still_at_the_end(self):
        body = self.case.scene().bodies[0]
        self.assertGreater(np.abs(body.positions(4) - body.positions(3)).max(), 0)
        np.testing.assert_array_equal(body.positions(6), body.positions(4))


class Skipped(unittest.TestCase):
    def test_what_is_absent_is_named(self):
        garments.scene.cache_clear()
        with mock.patch.object(real, "FOLDER", Path("/nowhere")):
            with contextlib.redirect_stdout(io.StringIO()) as said:
                garments.report_skipped()
                book = worn.Book(Results())
                self.assertIsNone(book.run(worn.Case("coverall_8k")))
        garments.scene.cache_clear()
        text = " ".join(said.getvalue().split())
        for name in garments.REAL:
            self.assertIn(name, text)
        self.assertNotIn("own_tshirt", text)

    def test_keys_are_chosen_by_name(self):
        parts = worn.BENCH.chosen(["worn_ms_1k", "worn_inside", "worn_piercings"])
        self.assertEqual(parts, [worn.PARTS["worn_ms_1k"], worn.PARTS["worn_inside"]])
        with self.assertRaises(SystemExit):
            worn.BENCH.chosen(["worn_ms_9k"])

    def test_every_key_has_something_to_reach(self):
        keys = list(figures_of(worn.FIGURES))
        self.assertEqual(set(keys), worn.PARTS.keys() - {worn.ROWS})
        self.assertEqual(len(set(keys)), len(keys))
        self.assertEqual(worn.BENCH.reached("worn_ms_8k", 40), "yes")
        self.assertEqual(worn.BENCH.reached("worn_ms_8k", 42), "NO")
        self.assertIsNone(worn.BENCH.reached("worn_ms_8k", None))
        self.assertEqual(worn.BENCH.reached("worn_vs_nodes", 5), "yes")


if __name__ == "__main__":
    unittest.main()

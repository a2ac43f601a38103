# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of a bench: each is given once, unless it is a sum of several parts."""

import unittest

from common.bench import Results, judged


class ResultsTest(unittest.TestCase):
    def test_figure_is_given_once(self):
        results = Results()
        results.number("speed", 2.0)
        with self.assertRaisesRegex(ValueError, "speed is given twice"):
            results.number("speed", 3.0)
        self.assertEqual(results.numbers, {"speed": 2.0})

    def test_parts_add_to_a_sum(self):
        results = Results()
        for kills in (50, 27):
            results.add("kills_tried", kills)
            results.add("kills_lost", 0)
        self.assertEqual(results.numbers, {"kills_tried": 77, "kills_lost": 0})

    def test_numbers_are_judged_by_what_to_reach(self):
        cases = (
            (2, "<= 3", "yes"),
            (4, "<= 3", "NO"),
            (3, "< 3", "NO"),
            (16, ">= x15", "yes"),
            (2e-3, "<= 1e-3", "NO"),
            (1.02, "0.97..1.03", "yes"),
            (1.04, "0.97..1.03", "NO"),
            (-1, "0", "NO"),
            (0, "0", "yes"),
            (7, "-", None),
            (7, "all", None),
            (None, "<= 3", None),
        )
        for value, reach, wanted in cases:
            self.assertEqual(judged(value, reach), wanted, (value, reach))


if __name__ == "__main__":
    unittest.main()

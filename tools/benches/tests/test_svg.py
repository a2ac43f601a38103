# SPDX-License-Identifier: GPL-3.0-or-later
"""The plots of the benches: well-formed, everything within the picture, points where they belong."""

import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from common import svg  # noqa: E402

SPACE = "{http://www.w3.org/2000/svg}"
NUMBER = r"-?\d+(?:\.\d+)?"
LINES = [
    svg.Line("one", ((1000, 0.1), (100000, 10.0))),
    svg.Line("two < three & more", ((100000, 20.0), (1000, 0.3), (10000, 3.0)), dashed=True),
]


def drawn(lines=LINES):
    return ElementTree.fromstring(svg.plot("A & B", "vertices", "ms", lines))


def curves(root):
    """The points of every line, in pixels."""
    return [
        [tuple(map(float, pair)) for pair in re.findall(f"({NUMBER}) ({NUMBER})", path.get("d"))]
        for path in root.iter(f"{SPACE}path")
        if path.get("class") == "line"
    ]


class Axes(unittest.TestCase):
    def test_a_decade_is_as_long_as_any_other(self):
        axis = svg.Axis([1, 1000], 0, 300)
        self.assertEqual(
            [round(axis.place(number)) for number in (1, 10, 100, 1000)], [0, 100, 200, 300]
        )

    def test_it_reaches_around_all_numbers(self):
        for numbers in ((0.013, 7.2), (1, 1), (4999, 5001), (0.1, 0.1), (2e5, 1225)):
            axis = svg.Axis(numbers, 10, 110)
            self.assertLess(axis.low, axis.high)
            for number in numbers:
                self.assertGreaterEqual(axis.place(number), 10 - 1e-6)
                self.assertLessEqual(axis.place(number), 110 + 1e-6)

    def test_ticks_are_few_and_on_the_axis(self):
        for numbers in ((1, 2), (0.01, 300), (1225, 199809), (1e-6, 1e6)):
            axis = svg.Axis(numbers, 0, 100)
            self.assertGreaterEqual(len(axis.ticks()), 2)
            self.assertLessEqual(len(axis.ticks()), 13)
            self.assertTrue(all(-1e-6 <= axis.place(tick) <= 100 + 1e-6 for tick in axis.ticks()))

    def test_numbers_that_have_no_logarithm_are_refused(self):
        for numbers in ((), (0, 1), (-1, 5)):
            with self.assertRaises(ValueError):
                svg.Axis(numbers, 0, 1)

    def test_even_axes_reach_around_all_numbers_and_begin_at_zero_where_it_is_near(self):
        for numbers in ((0.1, 7.2), (1, 1), (-3, 5), (0, 0), (41.1, 41.9), (0.62, 1.31)):
            axis = svg.EvenAxis(numbers, 10, 110)
            self.assertGreaterEqual(len(axis.ticks()), 2)
            self.assertLessEqual(len(axis.ticks()), 10)
            for number in numbers:
                self.assertGreaterEqual(axis.place(number), 10 - 1e-6)
                self.assertLessEqual(axis.place(number), 110 + 1e-6)
        self.assertEqual(svg.EvenAxis((0.1, 7.2), 0, 1).low, 0)
        self.assertAlmostEqual(svg.EvenAxis((0, 4), 0, 100).place(1), 25)

    def test_short_numbers(self):
        texts = [svg.number_text(number) for number in (0.05, 1, 500, 2000, 200000, 5e6)]
        self.assertEqual(texts, ["0.05", "1", "500", "2k", "200k", "5M"])


class Plots(unittest.TestCase):
    def test_everything_lies_within_the_picture(self):
        root = drawn()
        for points in curves(root):
            for x, y in points:
                self.assertTrue(svg.LEFT - 0.1 <= x <= svg.WIDTH - svg.RIGHT + 0.1, x)
                self.assertTrue(svg.TOP - 0.1 <= y <= svg.HEIGHT - svg.BOTTOM + 0.1, y)
        for text in root.iter(f"{SPACE}text"):
            self.assertTrue(0 < float(text.get("x")) < svg.WIDTH)
            self.assertTrue(0 < float(text.get("y")) < svg.HEIGHT)

    def test_lines_go_from_left_to_right_and_larger_is_higher(self):
        for points in curves(drawn()):
            self.assertEqual(points, sorted(points))
            heights = [y for _, y in points]
            self.assertEqual(heights, sorted(heights, reverse=True))

    def test_every_line_is_there_with_its_name(self):
        root = drawn()
        self.assertEqual([len(points) for points in curves(root)], [2, 3])
        texts = [text.text for text in root.iter(f"{SPACE}text")]
        for wanted in ("A & B", "vertices", "ms", "one", "two < three & more"):
            self.assertIn(wanted, texts)

    def test_only_what_is_dashed_is_dashed(self):
        paths = [p for p in drawn().iter(f"{SPACE}path") if p.get("class") == "line"]
        self.assertEqual([p.get("stroke-dasharray") is not None for p in paths], [False, True])

    def test_a_line_without_points_is_left_out(self):
        root = drawn([*LINES, svg.Line("empty", ())])
        self.assertEqual(len(curves(root)), 2)
        self.assertNotIn("empty", [text.text for text in root.iter(f"{SPACE}text")])

    def test_ink_is_seen_on_its_own_paper(self):
        """A page's background does not shine through: the first thing drawn covers all of it."""
        first = next(iter(drawn().iter(f"{SPACE}rect")))
        size = (float(first.get("width")), float(first.get("height")))
        self.assertEqual(size, (svg.WIDTH, svg.HEIGHT))
        for colour in (svg.INK, *svg.COLOURS):
            self.assertGreater(contrast(colour, first.get("fill")), 1.9, colour)


class Bars(unittest.TestCase):
    def setUp(self):
        rows = [("one & two", (1.0, 2.0, 0.0)), ("three", (0.5, 0.5, 5.0))]
        self.root = ElementTree.fromstring(svg.bars("Bars", "ms", ("a", "b", "c"), rows))
        self.drawn = [
            tuple(float(rect.get(name)) for name in ("x", "y", "width", "height"))
            for rect in self.root.iter(f"{SPACE}rect")
            if rect.get("class") == "bar"
        ]

    def test_parts_are_as_long_as_their_numbers(self):
        widths = [width for _, _, width, _ in self.drawn]
        self.assertEqual(len(widths), 6)
        for width, length in zip(widths, (1.0, 2.0, 0.0, 0.5, 0.5, 5.0)):
            self.assertAlmostEqual(width, length * widths[0], delta=0.6)

    def test_parts_follow_each_other_and_rows_are_apart(self):
        for (x, y, width, height), (after, below, _, _) in zip(self.drawn, self.drawn[1:]):
            if y == below:
                self.assertAlmostEqual(x + width, after, delta=0.11)
            else:
                self.assertGreater(below, y + height)

    def test_everything_is_in_the_picture_and_named(self):
        height = float(self.root.get("height"))
        for x, y, width, thick in self.drawn:
            self.assertLess(x + width, svg.WIDTH)
            self.assertLess(y + thick, height)
        texts = [text.text for text in self.root.iter(f"{SPACE}text")]
        for wanted in ("Bars", "ms", "a", "b", "c", "one & two", "three", "3", "6"):
            self.assertIn(wanted, texts)


def contrast(one, other):
    """Of two colours, as the web's guidelines reckon it: 1 for the same, 21 for black on white."""
    low, high = sorted(_luminance(colour) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


if __name__ == "__main__":
    unittest.main()

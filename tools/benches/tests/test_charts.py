# SPDX-License-Identifier: GPL-3.0-or-later
"""The plots of the benches: axes as asked for, everything named and within the picture, the same in every run."""

import re
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from common import charts

SPACE = "{http://www.w3.org/2000/svg}"
LINES = [
    charts.Line("one", ((1000, 0.1), (100000, 10.0))),
    charts.Line("two < three & more", ((100000, 20.0), (1000, 0.3), (10000, 3.0)), dashed=True),
    charts.Line("empty", ()),
]
PANELS = {
    (0, 0): [charts.Line("one & two", ((1, 0.5), (2, 0.4))), charts.Line("three", ((900, 7.0),))],
    (1, 0): [charts.Line("three", ((70, 3.0), (20, 1.0)), dashed=True)],
    (0, 1): [charts.Line("one & two", ((1, 0), (2, 40)))],
}
ROWS = [charts.Row("distance"), charts.Row("count", 0.5)]


def drawn(write, *what):
    """A figure with everything in its place."""
    figure = write(None, *what)
    figure.draw_without_rendering()
    return figure


def along_x(numbers, scale="log"):
    """The axes of a plot of these numbers along x."""
    lines = [charts.Line("one", tuple((x, 1.0 + k) for k, x in enumerate(numbers)))]
    return drawn(charts.write, "A", "x", "y", lines, (scale, "log")).axes[0]


def written(write, *what):
    """The root of the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plot.svg"
        write(path, *what)
        return ElementTree.parse(path).getroot()


def outside(root):
    """Texts that do not stand in the picture."""
    width, height = map(float, root.get("viewBox").split()[2:])
    found = []
    for text in root.iter(f"{SPACE}text"):
        moved = re.match(r"translate\(([\d.-]+) ([\d.-]+)\)", text.get("transform", ""))
        x, y = map(float, moved.groups() if moved else (text.get("x"), text.get("y")))
        if not (0 < x < width and 0 < y < height):
            found.append(text.text)
    return found


@unittest.skipIf(charts.missing(), charts.MISSING)
class Plots(unittest.TestCase):
    def test_axes_reach_around_all_numbers_with_a_few_ticks(self):
        for scale, cases in (
            ("log", ((0.013, 7.2), (1, 1), (4999, 5001), (2e5, 1225), (1e-6, 1e6))),
            ("linear", ((0.1, 7.2), (1, 1), (-3, 5), (0, 0), (41.1, 41.9), (0.62, 1.31))),
        ):
            for numbers in cases:
                axes = along_x(numbers, scale)
                low, high = axes.get_xlim()
                self.assertTrue(low <= min(numbers) <= max(numbers) <= high, numbers)
                self.assertLessEqual(sum(low <= tick <= high for tick in axes.get_xticks()), 15)
        self.assertEqual(along_x((0.1, 7.2), "linear").get_xlim()[0], 0)

    def test_numbers_that_have_no_logarithm_are_refused(self):
        for numbers in ((), (0, 1), (-1, 5)):
            with self.assertRaises(ValueError):
                along_x(numbers)

    def test_short_numbers(self):
        texts = [charts.number_text(number) for number in (0.05, 1, 500, 2000, 200000, 5e6)]
        self.assertEqual(texts, ["0.05", "1", "500", "2k", "200k", "5M"])

    def test_lines_with_points_are_drawn_from_left_to_right(self):
        lines = drawn(charts.write, "A", "x", "y", LINES).axes[0].get_lines()
        self.assertEqual([line.get_linestyle() for line in lines], ["-", "--"])
        for line in lines:
            self.assertEqual(sorted(line.get_xdata()), list(line.get_xdata()))

    def test_everything_is_named_within_the_picture_and_the_same_in_every_run(self):
        panels = charts.write_panels, "A & B", "ms", ("first", "second"), ROWS, PANELS
        for what, wanted in (
            ((charts.write, "A & B", "x", "ms", LINES), ("x", "one", "two < three & more")),
            (panels, ("first", "second", "distance", "count", "one & two", "three", "0")),
        ):
            root, again = written(*what), written(*what)
            self.assertEqual(outside(root), [])
            names = [text.text for text in root.iter(f"{SPACE}text")]
            self.assertLessEqual({"A & B", "ms", *wanted}, set(names))
            self.assertNotIn("empty", names)
            self.assertEqual(ElementTree.tostring(root), ElementTree.tostring(again))

    def panel_curves(self, order=()):
        """A column after the other, its rows downward."""
        what = "A", "ms", ("first", "second"), ROWS, PANELS, order
        axes = drawn(charts.write_panels, *what).axes
        return [line for k in (0, 2, 1, 3) for line in axes[k].get_lines()]

    def test_a_line_has_its_colour_in_every_panel_and_points_keep_their_order(self):
        curves = self.panel_curves()
        colours = [curve.get_color() for curve in curves]
        self.assertEqual(colours, [colours[0], colours[1], colours[0], colours[1]])
        self.assertEqual([list(curves[k].get_xdata()) for k in (0, 3)], [[1, 2], [70, 20]])
        ordered = self.panel_curves(("absent", "three", "one & two"))
        self.assertEqual(ordered[0].get_color(), charts.COLOURS[2])


if __name__ == "__main__":
    unittest.main()

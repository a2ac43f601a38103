# SPDX-License-Identifier: GPL-3.0-or-later
"""The plots of the benches: well-formed, everything within the picture, points where they belong."""

import math
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from common import charts  # noqa: E402

SPACE = "{http://www.w3.org/2000/svg}"
LINES = [
    charts.Line("one", ((1000, 0.1), (100000, 10.0))),
    charts.Line("two < three & more", ((100000, 20.0), (1000, 0.3), (10000, 3.0)), dashed=True),
]


def drawn(lines=LINES, scales=("log", "log")):
    """The axes of a plot, with everything in its place."""
    figure = charts.write(None, "A & B", "vertices", "ms", lines, scales)
    figure.draw_without_rendering()
    return figure.axes[0]


def along_x(numbers, scale="log"):
    """The axes of a plot of these numbers along x."""
    return drawn(
        [charts.Line("one", tuple((x, 1.0 + k) for k, x in enumerate(numbers)))], (scale, "log")
    )


def place(axes, x):
    """Of a number along x, 0 to 1 from border to border."""
    return axes.transAxes.inverted().transform(axes.transData.transform((x, 1.0)))[0]


def ticks(axes):
    return [tick for tick in axes.get_xticks() if -1e-6 <= place(axes, tick) <= 1 + 1e-6]


def curves(axes):
    """The points of every line, in pixels from the lower left corner."""
    return [axes.transData.transform(line.get_xydata()).tolist() for line in axes.get_lines()]


def written(write, *what):
    """The root of the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plot.svg"
        write(path, *what)
        return ElementTree.parse(path).getroot()


def texts_of(root):
    return [text.text for text in root.iter(f"{SPACE}text")]


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
class Axes(unittest.TestCase):
    def test_a_decade_is_as_long_as_any_other(self):
        axes = along_x([1, 1000])
        places = [place(axes, number) for number in (1, 10, 100, 1000)]
        for way in (b - a for a, b in zip(places, places[1:])):
            self.assertAlmostEqual(way, places[1] - places[0])
            self.assertGreater(way, 0.25)

    def test_it_reaches_around_all_numbers(self):
        for numbers in ((0.013, 7.2), (1, 1), (4999, 5001), (0.1, 0.1), (2e5, 1225)):
            axes = along_x(numbers)
            self.assertLess(*axes.get_xlim())
            for number in numbers:
                self.assertGreaterEqual(place(axes, number), -1e-6)
                self.assertLessEqual(place(axes, number), 1 + 1e-6)

    def test_ticks_are_few_and_on_the_axis(self):
        for numbers in ((1, 2), (0.01, 300), (1225, 199809), (1e-6, 1e6)):
            found = ticks(along_x(numbers))
            self.assertGreaterEqual(len(found), 2)
            self.assertLessEqual(len(found), 15)

    def test_numbers_that_have_no_logarithm_are_refused(self):
        for numbers in ((), (0, 1), (-1, 5)):
            with self.assertRaises(ValueError):
                along_x(numbers)

    def test_even_axes_reach_around_all_numbers_and_begin_at_zero_where_it_is_near(self):
        for numbers in ((0.1, 7.2), (1, 1), (-3, 5), (0, 0), (41.1, 41.9), (0.62, 1.31)):
            axes = along_x(numbers, "linear")
            self.assertGreaterEqual(len(ticks(axes)), 2)
            self.assertLessEqual(len(ticks(axes)), 10)
            for number in numbers:
                self.assertGreaterEqual(place(axes, number), -1e-6)
                self.assertLessEqual(place(axes, number), 1 + 1e-6)
        self.assertEqual(along_x((0.1, 7.2), "linear").get_xlim()[0], 0)
        axes = along_x((0, 4), "linear")
        quarter = place(axes, 1) - place(axes, 0)
        self.assertAlmostEqual(quarter, (place(axes, 4) - place(axes, 0)) / 4)

    def test_short_numbers(self):
        texts = [charts.number_text(number) for number in (0.05, 1, 500, 2000, 200000, 5e6)]
        self.assertEqual(texts, ["0.05", "1", "500", "2k", "200k", "5M"])


@unittest.skipIf(charts.missing(), charts.MISSING)
class Plots(unittest.TestCase):
    def test_everything_lies_within_the_picture(self):
        axes = drawn()
        for points in curves(axes):
            for point in points:
                self.assertTrue(axes.get_window_extent().contains(*point), point)
        self.assertEqual(outside(written(charts.write, "A", "x", "y", LINES)), [])

    def test_lines_go_from_left_to_right_and_larger_is_higher(self):
        for points in curves(drawn()):
            self.assertEqual(points, sorted(points))
            heights = [y for _, y in points]
            self.assertEqual(heights, sorted(heights))

    def test_every_line_is_there_with_its_name(self):
        self.assertEqual([len(points) for points in curves(drawn())], [2, 3])
        texts = texts_of(written(charts.write, "A & B", "vertices", "ms", LINES))
        for wanted in ("A & B", "vertices", "ms", "one", "two < three & more"):
            self.assertIn(wanted, texts)

    def test_only_what_is_dashed_is_dashed(self):
        self.assertEqual([line.get_linestyle() for line in drawn().get_lines()], ["-", "--"])

    def test_a_line_without_points_is_left_out(self):
        lines = [*LINES, charts.Line("empty", ())]
        self.assertEqual(len(curves(drawn(lines))), 2)
        self.assertNotIn("empty", texts_of(written(charts.write, "A", "x", "y", lines)))

    def test_ink_is_seen_on_its_own_paper(self):
        """A page's background does not shine through: the first thing drawn covers all of it."""
        root = written(charts.write, "A & B", "vertices", "ms", LINES)
        first = next(iter(root.iter(f"{SPACE}path")))
        width, height = map(float, root.get("viewBox").split()[2:])
        corners = {tuple(map(float, at)) for at in _corners(first.get("d"))}
        self.assertTrue(all(min(x, width - x) < 0.1 for x, _ in corners), corners)
        self.assertTrue(all(min(y, height - y) < 0.1 for _, y in corners), corners)
        self.assertIn(f"fill: {charts.PAPER}", first.get("style"))
        for colour in (charts.INK, *charts.COLOURS):
            self.assertGreater(contrast(colour, charts.PAPER), 1.9, colour)

    def test_a_plot_is_the_same_in_every_run(self):
        files = [written(charts.write, "A & B", "vertices", "ms", LINES) for _ in range(2)]
        self.assertEqual(*map(ElementTree.tostring, files))


def _corners(path):
    words = [word for word in path.split() if word not in "MLZz"]
    return zip(words[::2], words[1::2])


@unittest.skipIf(charts.missing(), charts.MISSING)
class Bars(unittest.TestCase):
    ROWS = [("one & two", (1.0, 2.0, 0.0)), ("three", (0.5, 0.5, 5.0))]
    WHAT = "Bars", "ms", ("a", "b", "c"), ROWS

    def setUp(self):
        self.figure = charts.write_bars(None, *self.WHAT)
        self.figure.draw_without_rendering()
        boxes = sorted((bar.get_bbox() for bar in self.figure.axes[0].patches), key=lambda b: b.x0)
        self.drawn = sorted(boxes, key=lambda box: round(box.y0))

    def test_parts_are_as_long_as_their_numbers(self):
        self.assertEqual(len(self.drawn), 6)
        for box, length in zip(self.drawn, (1.0, 2.0, 0.0, 0.5, 0.5, 5.0)):
            self.assertAlmostEqual(box.width, length)

    def test_parts_follow_each_other_and_rows_are_apart(self):
        for box, after in zip(self.drawn, self.drawn[1:]):
            if math.isclose(box.y0, after.y0):
                self.assertAlmostEqual(box.x1, after.x0)
            else:
                self.assertGreater(after.y0, box.y1)

    def test_everything_is_in_the_picture_and_named(self):
        axes = self.figure.axes[0]
        for bar in axes.patches:
            self.assertTrue(
                axes.get_window_extent().fully_containsx(bar.get_window_extent().x1 - 1)
            )
            self.assertTrue(axes.get_window_extent().fully_containsy(bar.get_window_extent().y0))
        root = written(charts.write_bars, *self.WHAT)
        self.assertEqual(outside(root), [])
        texts = texts_of(root)
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

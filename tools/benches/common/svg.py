# SPDX-License-Identifier: GPL-3.0-or-later
"""Plots with logarithmic or even axes, and bars, as SVG, without any other library.

A plot brings its own light background, so that it reads the same on light and on dark pages.
"""

from dataclasses import dataclass
from math import ceil, floor, log10
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 800, 440
LEFT, RIGHT, TOP, BOTTOM = 92, 226, 46, 56  # margins; names of the lines are at the right
PAPER, INK, FAINT = "#fcfcfa", "#222222", "#d5d5d0"
# Told apart by people who see colours differently (Okabe and Ito), and by marks.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#666666")
FONT = "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif"
STEPS = (1, 2, 5)  # of a decade


@dataclass(frozen=True)
class Line:
    """Points, of positive numbers along logarithmic axes. dashed: for what is only a measure, such as a floor."""

    name: str
    points: tuple
    dashed: bool = False


class Axis:
    """Numbers from `low` to `high` along pixels from `start` to `end`."""

    def __init__(self, numbers, start, end):
        numbers = list(numbers)
        if not numbers or min(numbers) <= 0:
            raise ValueError("a logarithmic axis needs positive numbers")
        self.low, self.high = _around(min(numbers), max(numbers))
        self.start, self.end = start, end

    def place(self, number):
        share = log10(number / self.low) / log10(self.high / self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self):
        """Numbers to write beside the axis: 1, 2 and 5 of every decade, or 1 alone if they are many."""
        few = [tick for tick in _candidates(self.low, self.high, STEPS[:1]) if self._has(tick)]
        many = [tick for tick in _candidates(self.low, self.high, STEPS) if self._has(tick)]
        return many if len(many) <= 10 else few

    def _has(self, tick):
        return self.low * (1 - 1e-9) <= tick <= self.high * (1 + 1e-9)


class EvenAxis:
    """The same with even steps; 0 is on it where the numbers begin near it."""

    def __init__(self, numbers, start, end):
        low, high = min(numbers), max(numbers)
        if 0 < low < 0.5 * high:
            low = 0.0
        wide = (high - low) or abs(high) or 1.0
        size = 10.0 ** floor(log10(wide / 4))
        self.step = size * next(step for step in (1, 2, 5, 10) if wide / (step * size) <= 8)
        self.low = self.step * floor(low / self.step + 1e-9)
        self.high = max(self.step * ceil(high / self.step - 1e-9), self.low + self.step)
        self.start, self.end = start, end

    def place(self, number):
        share = (number - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self):
        count = round((self.high - self.low) / self.step)
        return [float(f"{self.low + k * self.step:.9g}") for k in range(count + 1)]


AXES = {"log": Axis, "linear": EvenAxis}


def _candidates(low, high, steps):
    decades = range(floor(log10(low)) - 1, ceil(log10(high)) + 1)
    return [step * 10.0**decade for decade in decades for step in steps]


def _around(low, high):
    """The nearest ticks around the numbers, never the same twice."""
    candidates = _candidates(low, 10 * high, STEPS)
    below = max(tick for tick in candidates if tick <= low * (1 + 1e-9))
    above = min(tick for tick in candidates if tick >= high * (1 - 1e-9) and tick > below)
    return below, above


def number_text(number):
    """Short enough for an axis: 200k, 1M, 0.05."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:g}{letter}"
    return f"{number:g}"


def plot(title, x_name, y_name, lines, scales=("log", "log")):
    """The whole SVG file, as text. Lines without points are left out. scales: "log" or "linear" along x and y."""
    lines = [line for line in lines if line.points]
    x = AXES[scales[0]]([px for line in lines for px, _ in line.points], LEFT, WIDTH - RIGHT)
    y = AXES[scales[1]]([py for line in lines for _, py in line.points], HEIGHT - BOTTOM, TOP)
    parts = [*_frame(title, x_name, y_name), *_grid(x, y)]
    for index, line in enumerate(lines):
        parts += _line(line, index, x, y)
    return document(title, HEIGHT, parts)


def write(path, *what):
    with open(path, "w", encoding="utf-8") as file:
        file.write(plot(*what))


BAR, GAP, NAMES = 15, 6, 330  # pixels: of a bar, between two, for the names at the left


def bars(title, unit, parts, rows):
    """Bars made of parts, one below the other, as the text of an SVG file. rows: (name, length of each part)."""
    height = TOP + 34 + (BAR + GAP) * len(rows) + BOTTOM
    axis = EvenAxis([0, *(sum(lengths) for _, lengths in rows)], NAMES, WIDTH - 70)
    bottom = height - BOTTOM
    drawn = [text(16, 26, title, "start", ' font-size="16" font-weight="600"')]
    drawn.append(text((NAMES + WIDTH) / 2, height - 14, unit))
    for tick in axis.ticks():
        at = axis.place(tick)
        drawn.append(f'<path d="M{at:.1f} {TOP + 24}V{bottom}" stroke="{FAINT}"/>')
        drawn.append(text(at, bottom + 18, number_text(tick)))
    for index, part in enumerate(parts):
        left = 16 + 100 * index
        drawn.append(
            f'<rect x="{left}" y="{TOP - 4}" width="12" height="12" fill="{COLOURS[index]}"/>'
        )
        drawn.append(text(left + 18, TOP + 7, part, "start"))
    for row, (name, lengths) in enumerate(rows):
        drawn += _bar(name, lengths, TOP + 34 + row * (BAR + GAP), axis)
    return document(title, height, drawn)


def _bar(name, lengths, top, axis):
    drawn, start = [text(NAMES - 8, top + 12, name, "end")], 0.0
    for index, length in enumerate(lengths):
        left, right = axis.place(start), axis.place(start + length)
        drawn.append(
            f'<rect class="bar" x="{left:.1f}" y="{top}" width="{right - left:.1f}" height="{BAR}" '
            f'fill="{COLOURS[index]}"/>'
        )
        start += length
    return [*drawn, text(axis.place(start) + 6, top + 12, f"{start:.3g}", "start")]


def write_bars(path, *what):
    with open(path, "w", encoding="utf-8") as file:
        file.write(bars(*what))


def document(title, height, parts):
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" font-family="{FONT}" font-size="13" fill="{INK}" role="img">'
    )
    paper = f'<rect width="{WIDTH}" height="{height}" rx="6" fill="{PAPER}"/>'
    return "\n".join([head, f"<title>{escape(title)}</title>", paper, *parts, "</svg>", ""])


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(words)}</text>'


def _frame(title, x_name, y_name):
    middle_x, middle_y = (LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2
    turned = f' transform="rotate(-90 18 {middle_y:.1f})"'
    return [
        text(LEFT, 26, title, "start", ' font-size="16" font-weight="600"'),
        text(middle_x, HEIGHT - 14, x_name),
        text(18, middle_y, y_name, more=turned),
    ]


def _grid(x, y):
    parts = []
    for tick in x.ticks():
        at = x.place(tick)
        parts.append(f'<path d="M{at:.1f} {y.start}V{y.end}" stroke="{FAINT}"/>')
        parts.append(text(at, y.start + 20, number_text(tick)))
    for tick in y.ticks():
        at = y.place(tick)
        parts.append(f'<path d="M{x.start} {at:.1f}H{x.end}" stroke="{FAINT}"/>')
        parts.append(text(x.start - 8, at + 4, number_text(tick), "end"))
    return parts


def _line(line, index, x, y):
    """The curve, its marks, and its name in the list at the right."""
    colour = COLOURS[index % len(COLOURS)]
    places = [(x.place(px), y.place(py)) for px, py in sorted(line.points)]
    way = "M" + "L".join(f"{px:.1f} {py:.1f}" for px, py in places)
    dashes = ' stroke-dasharray="6 5"' if line.dashed else ""
    stroke = f'fill="none" stroke="{colour}" stroke-width="2"{dashes}'
    at, left = TOP + 12 + 22 * index, WIDTH - RIGHT + 16
    return [
        f'<path class="line" d="{way}" {stroke}/>',
        *(mark(px, py, index, colour) for px, py in places),
        f'<path d="M{left} {at}H{left + 26}" {stroke}/>',
        mark(left + 13, at, index, colour),
        text(left + 34, at + 4, line.name, "start"),
    ]


def mark(x, y, index, colour):
    """A circle, a square, a diamond or a triangle."""
    shapes = ("M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z", "M-4 -4H4V4H-4Z", "M0 -5L5 0L0 5L-5 0Z")
    shape = (*shapes, "M0 -5L5 4H-5Z")[index % 4]
    return f'<path d="{shape}" transform="translate({x:.1f} {y:.1f})" fill="{colour}"/>'

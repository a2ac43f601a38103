# SPDX-License-Identifier: GPL-3.0-or-later
"""Many small plots in one SVG file: a column for each case, a row for each number, the same lines in all of them.

All share the axis along x, those of a row the one along y; both are logarithmic.
"""

from dataclasses import dataclass
from math import log10

from common import svg

LEFT, RIGHT, TOP, GAP = 78, 14, 62, 12
HEIGHT = 128  # of a small plot
UNDER = 42  # pixels for the numbers along x
LEGEND, NAMES = 20, 3  # pixels between its lines, names in one


@dataclass(frozen=True)
class Row:
    """name: along y. floor: what is below is drawn there, and its number is 0 (for counts and what may vanish)."""

    name: str
    floor: float = None


def panels(title, x_name, columns, rows, lines, order=()):
    """The whole file, as text.

    columns  their names
    lines    of each column and row, by (column, row), lists of svg.Line; a name has its colour in all of them
    order    names by which colours are given, so that several files have the same; those without a line are not shown
    """
    drawn_names = dict.fromkeys(line.name for cell in lines.values() for line in cell)
    names = list(dict.fromkeys((*order, *drawn_names)))
    shown = [name for name in names if name in drawn_names]
    bottom = TOP + len(rows) * (HEIGHT + GAP) - GAP
    height = bottom + UNDER + LEGEND * -(-len(shown) // NAMES) + 10
    drawn = [svg.text(16, 26, title, "start", ' font-size="16" font-weight="600"')]
    drawn.append(svg.text((LEFT + svg.WIDTH - RIGHT) / 2, bottom + 34, x_name))
    width = (svg.WIDTH - LEFT - RIGHT - GAP * (len(columns) - 1)) / len(columns)
    numbers = [x for cell in lines.values() for line in cell for x, _ in line.points]
    for column, name in enumerate(columns):
        left = LEFT + column * (width + GAP)
        x = svg.Axis(numbers, left, left + width)
        drawn.append(svg.text(left + width / 2, TOP - 10, name))
        drawn += _along_x(x, bottom)
        for index, row in enumerate(rows):
            y = _y_axis(lines, index, row, TOP + index * (HEIGHT + GAP))
            drawn += _panel(x, y, row, lines.get((column, index), ()), names, column == 0)
    drawn += _legend(shown, names, lines, bottom + UNDER + 18)
    return svg.document(title, height, drawn)


def write(path, *what):
    with open(path, "w", encoding="utf-8") as file:
        file.write(panels(*what))


def _y_axis(lines, index, row, top):
    values = [
        _above(value, row)
        for (_, at), cell in lines.items()
        if at == index
        for line in cell
        for _, value in line.points
    ]
    if row.floor:
        values.append(row.floor)
    return svg.Axis(values or [1.0], top + HEIGHT, top)


def _above(value, row):
    return value if row.floor is None else max(value, row.floor)


def _decades(axis):
    """Few numbers: powers of ten, or what the axis has itself where these are less than two."""
    whole = [tick for tick in axis.ticks() if abs(log10(tick) - round(log10(tick))) < 1e-9]
    return whole if len(whole) > 1 else axis.ticks()


def _along_x(x, bottom):
    return [
        svg.text(x.place(tick), bottom + 16, svg.number_text(tick), more=' font-size="11"')
        for tick in _decades(x)
    ]


def _panel(x, y, row, lines, names, first):
    frame = f'x="{x.start:.1f}" y="{y.end}" width="{x.end - x.start:.1f}" height="{HEIGHT}"'
    drawn = [f'<rect {frame} fill="none" stroke="{svg.FAINT}"/>']
    for tick in _decades(x):
        at = x.place(tick)
        drawn.append(f'<path d="M{at:.1f} {y.start}V{y.end}" stroke="{svg.FAINT}"/>')
    for tick in _decades(y):
        at = y.place(tick)
        drawn.append(f'<path d="M{x.start:.1f} {at:.1f}H{x.end:.1f}" stroke="{svg.FAINT}"/>')
        if first and not (row.floor and tick < row.floor * 1.5):
            drawn.append(_number(x.start, at, svg.number_text(tick)))
    if first and row.floor:
        drawn.append(_number(x.start, y.place(row.floor), "0"))
    if first:
        middle = (y.start + y.end) / 2
        turned = f' transform="rotate(-90 18 {middle:.1f})"'
        drawn.append(svg.text(18, middle, row.name, more=turned))
    for line in lines:
        places = [(x.place(px), y.place(_above(py, row))) for px, py in line.points]
        drawn += _curve(places, names.index(line.name), line.dashed)
    return drawn


def _number(x, y, text):
    return svg.text(x - 6, y + 4, text, "end", ' font-size="11"')


def _curve(places, index, dashed):
    """In the order in which the points are given: along rounds, or from draft to final."""
    colour = svg.COLOURS[index % len(svg.COLOURS)]
    way = "M" + "L".join(f"{px:.1f} {py:.1f}" for px, py in places)
    return [
        f'<path class="line" d="{way}" {_stroke(colour, dashed)}/>',
        *(svg.mark(px, py, index, colour) for px, py in places),
    ]


def _stroke(colour, dashed):
    dashes = ' stroke-dasharray="5 4"' if dashed else ""
    return f'fill="none" stroke="{colour}" stroke-width="1.5"{dashes}'


def _legend(shown, names, lines, top):
    dashed = {line.name: line.dashed for cell in lines.values() for line in cell}
    wide = (svg.WIDTH - LEFT) / NAMES
    drawn = []
    for place, name in enumerate(shown):
        index = names.index(name)
        left, at = LEFT + (place % NAMES) * wide, top + LEGEND * (place // NAMES)
        drawn += _curve([(left + 13, at)], index, False)[1:]
        colour = svg.COLOURS[index % len(svg.COLOURS)]
        drawn.append(
            f'<path d="M{left:.1f} {at}H{left + 26:.1f}" {_stroke(colour, dashed[name])}/>'
        )
        drawn.append(svg.text(left + 34, at + 4, name, "start"))
    return drawn

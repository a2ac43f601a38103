# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines, and small plots side by side, as SVG files, by matplotlib.

A picture brings its own light background, so that it reads the same on light and on dark pages.
"""

import importlib.util
from dataclasses import dataclass
from functools import wraps

PAPER, INK, FAINT = "#fcfcfa", "#222222", "#d5d5d0"
# Told apart by people who see colours differently (Okabe and Ito), and by marks.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#666666")
MARKS = "osD^"
WIDTH, HEIGHT, ROW = 8.9, 4.9, 1.6  # inches; of a row of small plots
STYLE = {
    "svg.fonttype": "none",  # letters stay letters
    "svg.hashsalt": "muslin",  # the same names in every run
    "font.family": "sans-serif",
    "axes.edgecolor": FAINT,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "axes.titleweight": "semibold",
    "axes.titlelocation": "left",
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "legend.frameon": False,
}
for _part in ("text.color", "axes.labelcolor", "xtick.color", "ytick.color"):
    STYLE[_part] = INK
MISSING = "matplotlib is missing, which draws the plots; tools/setup --lint installs it"


@dataclass(frozen=True)
class Line:
    """Points, of positive numbers along logarithmic axes. dashed: for what is only a measure, such as a floor."""

    name: str
    points: tuple
    dashed: bool = False


@dataclass(frozen=True)
class Row:
    """name: along y. floor: what is below is drawn there, and its number is 0 (for counts and what may vanish)."""

    name: str
    floor: float = None


def missing():
    """Whether there is no matplotlib."""
    return importlib.util.find_spec("matplotlib") is None


def to_file(draw):
    """Makes of draw(figure, ...) a function of (path, ...) that writes the figure as SVG; without a path it only gives it."""

    @wraps(draw)
    def write(path, *what):
        if missing():
            raise SystemExit(MISSING)
        import matplotlib
        from matplotlib.figure import Figure

        with matplotlib.rc_context(STYLE):
            figure = Figure(layout="constrained")
            draw(figure, *what)
            if path:
                figure.savefig(path, format="svg", metadata={"Date": None}, bbox_inches="tight")
        return figure

    return write


def number_text(number, _place=None):
    """Short enough for an axis: 200k, 1M, 0.05."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            return f"{number / size:g}{letter}"
    return f"{number:g}"


@to_file
def write(figure, title, x_name, y_name, lines, scales=("log", "log")):
    """A plot of lines, their names beside it. Lines without points are left out. scales: "log" or "linear"."""
    lines = [line for line in lines if line.points]
    figure.set_size_inches(WIDTH, HEIGHT)
    axes = figure.add_subplot(title=title, xlabel=x_name, ylabel=y_name)
    for index, line in enumerate(lines):
        _curve(axes, index, line, sorted(line.points))
    for name, scale, place in (("x", scales[0], 0), ("y", scales[1], 1)):
        _scale(axes, name, scale, [point[place] for line in lines for point in line.points])
    axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1))


def _curve(axes, index, line, points):
    (curve,) = axes.plot(
        *zip(*points),
        color=COLOURS[index % len(COLOURS)],
        marker=MARKS[index % len(MARKS)],
        markersize=5,
        linestyle="--" if line.dashed else "-",
        label=line.name,
    )
    return curve


def _scale(axes, name, scale, numbers, many=2000):
    """Along "x" or "y": powers of ten where the largest number is that many times the smallest, or else 1, 2 and 5 of every
    decade; an even axis begins at 0 where its numbers begin near it."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    low, high = min(numbers), max(numbers)
    axis = getattr(axes, f"{name}axis")
    if scale == "log":
        if low <= 0:
            raise ValueError("a logarithmic axis needs positive numbers")
        getattr(axes, f"set_{name}scale")("log")
        axis.set_major_locator(LogLocator(subs=(1,) if high >= many * low else (1, 2, 5)))
        axis.set_minor_locator(NullLocator())
    elif 0 < low < 0.5 * high:
        getattr(axes, f"set_{name}lim")(0)
    axis.set_major_formatter(FuncFormatter(number_text))


@to_file
def write_panels(figure, title, x_name, columns, rows, lines, order=()):
    """Many small plots with logarithmic axes: a column for each case, a row for each number, the same lines in all.

    columns  their names
    lines    of each column and row, by (column, row), lists of Line in the order of their points; a name has its colour
             in all of them
    order    names by which colours are given, so that several files have the same; those without a line are not shown
    """
    drawn_names = dict.fromkeys(line.name for cell in lines.values() for line in cell)
    names = list(dict.fromkeys((*order, *drawn_names)))
    figure.set_size_inches(WIDTH, 1.8 + ROW * len(rows))
    figure.suptitle(title, weight="semibold")
    grid = figure.subplots(len(rows), len(columns), sharex=True, sharey="row", squeeze=False)
    shown = {}
    for (column, index), cell in sorted(lines.items()):
        for line in cell:
            points = [(x, _above(y, rows[index])) for x, y in line.points]
            curve = _curve(grid[index][column], names.index(line.name), line, points)
            shown.setdefault(line.name, curve)
    for column, name in enumerate(columns):
        grid[0][column].set_title(name, loc="center", weight="normal")
        along = [x for cell in lines.values() for line in cell for x, _ in line.points]
        _scale(grid[0][column], "x", "log", along or [1.0], many=20)
    for index, row in enumerate(rows):
        cells = [lines.get((column, index), ()) for column in range(len(columns))]
        up = [_above(y, row) for cell in cells for line in cell for _, y in line.points]
        up += [row.floor] if row.floor else []
        axes = grid[index][0]  # the others of the row share its axis
        _scale(axes, "y", "log", up or [1.0], many=20)
        if row.floor:
            limits, ticks = axes.get_ylim(), axes.get_yticks()
            zero = {row.floor: 0}
            axes.yaxis.set_major_formatter(lambda y, _, zero=zero: number_text(zero.get(y, y)))
            axes.set_yticks([row.floor, *(tick for tick in ticks if tick > 1.5 * row.floor)])
            axes.set_ylim(limits)
        axes.set_ylabel(row.name)
    shown = {name: shown[name] for name in names if name in shown}
    figure.supxlabel(x_name)
    figure.legend(shown.values(), shown, loc="upper center", ncols=3, bbox_to_anchor=(0.5, 0))


def _above(value, row):
    return value if row.floor is None else max(value, row.floor)

# SPDX-License-Identifier: GPL-3.0-or-later
"""`muslin fabrics`: lists all fabrics with what their numbers mean, and draws them."""

import os
from math import log10
from xml.sax.saxutils import escape

from .. import exits
from ..errors import FileError, printable
from ..fabrics import default_folder, survey, user_folders
from ..files import check_writable, to_json, write_atomic
from ..measured.strips import ANGLES, bending_length, strip_of
from .fit_report_file import aligned
from .progress import warn

DESCRIPTION = """Lists the fabrics that --fabric and Blender's menu offer: those of Muslin and your own
files. Weight in g/m^2; stretch along warp and weft and shear in N/m; bending length along warp, weft and bias in cm: half
of the overhang whose end is 41.5 degrees below the edge."""
HEADS = ("fabric", "weight", "warp", "weft", "shear", "bending length", "friction", "source")

# The plot: a small chart of force over strain for each fabric, with bars of its bending lengths below, all on the same scales.
COLUMNS = 5
CELL, ROW = 190, 212  # pixels of a fabric
LEFT, TOP, RIGHT, BOTTOM = 58, 70, 14, 20
CHART_WIDTH, CHART_HEIGHT, BAR = 158, 118, 8
STRAINS = tuple(0.005 * count for count in range(1, 41))
LEAST, MOST = 0.1, 10000.0  # N/m, along the logarithmic axis of force
LONGEST = 0.07  # m, of the bars; a longer one is cut off
PAPER, INK, FAINT = "#fcfcfa", "#222222", "#d5d5d0"
# Told apart by people who see colours differently (Okabe and Ito), and by dashes.
STYLES = {"warp": ("#0072b2", ""), "weft": ("#d55e00", "7 3"), "bias": ("#009e73", "2 3")}
FONT = "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif"


def add_command(commands):
    parser = commands.add_parser("fabrics", help="list the fabrics", description=DESCRIPTION)
    parser.add_argument("--json", metavar="FILE", help="also write all their numbers")
    words = "also plot force over strain along warp, weft and bias, and the bending lengths"
    parser.add_argument("--plot", metavar="FILE.svg", help=words)
    parser.set_defaults(run=list_fabrics)


def list_fabrics(options):
    """Run the command; gives the exit code. A broken file is reported, and is no failure of the list."""
    outputs = [path for path in (options.json, options.plot) if path is not None]
    if len(set(map(os.path.realpath, outputs))) < len(outputs):
        raise FileError(options.plot, "--json and --plot are the same file")
    for path in outputs:
        check_writable(path)
    found, broken = survey()
    print("\n".join(aligned([HEADS, *map(row, found)], left=(0, len(HEADS) - 1))))
    folders = ", ".join(map(str, user_folders())) or f"none; {default_folder()} would be read"
    print(printable(f"folder of your own: {folders}"))
    for one in broken:
        warn(f"no fabric: {one.reason}")
    if options.json is not None:
        content = {"fabrics": list(map(numbers, found)), "broken": [b._asdict() for b in broken]}
        write_atomic(options.json, to_json(content).encode("utf-8"))
    if options.plot is not None:
        write_atomic(options.plot, plot(found).encode("utf-8"))
    return exits.OK


def row(one):
    material = one.material
    lengths = "/".join(f"{100 * bending_length(material, each):.1f}" for each in ANGLES)
    stiffness = [material[name] for name in ("stretch_warp", "stretch_weft", "shear")]
    numbers = [f"{each:.{0 if each >= 100 else 1}f}" for each in stiffness]
    weight, friction = f"{1000 * material['density']:.0f}", f"{one.contact['friction']:g}"
    return map(printable, (one.name, weight, *numbers, lengths, friction, one.source))


def numbers(one):
    """A fabric as its file has it, with its bending lengths, m."""
    lengths = {direction: bending_length(one.material, direction) for direction in ANGLES}
    return {**one._asdict(), "bending_length": lengths}


def plot(fabrics):
    """All fabrics, as the text of an SVG file."""
    rows = -(-len(fabrics) // COLUMNS)
    width = LEFT + COLUMNS * CELL + RIGHT
    height = TOP + rows * ROW + BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="{FONT}" font-size="11" fill="{INK}">',
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
        text(LEFT, 24, "Fabrics: force over strain of a strip, and bending length", size=16),
    ]
    for place, (direction, style) in enumerate(STYLES.items()):
        x = LEFT + 90 * place
        parts += [line([(x, 42), (x + 34, 42)], *style), text(x + 40, 46, direction)]
    scales = "across: strain, 0 to 20 %; up: force per width, N/m; bars: cm"
    parts.append(text(LEFT + 290, 46, scales))
    for place, one in enumerate(fabrics):
        x, y = LEFT + CELL * (place % COLUMNS), TOP + ROW * (place // COLUMNS)
        parts += panel(one, x, y, place % COLUMNS == 0)
    return "\n".join([*parts, "</svg>", ""])


def panel(one, x, y, first):
    """A fabric: its name, its chart and its bars."""
    parts = [text(x, y - 4, one.label, size=13), *frame(x, y, first)]
    for direction, style in STYLES.items():
        strip = strip_of(one.material, direction)
        across = [x + CHART_WIDTH * strain / STRAINS[-1] for strain in STRAINS]
        up = [height_of(y, strip.pulled(strain)) for strain in STRAINS]
        parts.append(line(zip(across, up), *style))
    for place, direction in enumerate(ANGLES):
        length, colour = bending_length(one.material, direction), STYLES[direction][0]
        top = y + CHART_HEIGHT + 24 + (BAR + 4) * place
        wide = CHART_WIDTH * min(length / LONGEST, 1.0)
        parts.append(f'<rect x="{x}" y="{top}" width="{wide:.1f}" height="{BAR}" fill="{colour}"/>')
        parts.append(text(x + wide + 4, top + BAR, f"{100 * length:.1f}"))
    return parts


def frame(x, y, first):
    """Box and scales of a chart; the numbers of the force only at the left."""
    parts = [
        f'<rect x="{x}" y="{y}" width="{CHART_WIDTH}" height="{CHART_HEIGHT}" fill="none" '
        f'stroke="{FAINT}"/>'
    ]
    for power in range(round(log10(LEAST)), round(log10(MOST)) + 1):
        up = height_of(y, 10.0**power)
        parts.append(line([(x, up), (x + CHART_WIDTH, up)], FAINT, wide=0.6))
        if first:
            parts.append(text(x - 6, up + 4, f"{10.0 ** power:g}", end=True))
    for percent in (0, 10, 20):
        across = x + CHART_WIDTH * percent / 20
        parts.append(text(across, y + CHART_HEIGHT + 13, f"{percent}", middle=True))
    return parts


def height_of(y, force):
    """Where a force (N/m) is in the chart whose top is y; what is beyond stays at the border."""
    share = log10(max(force, LEAST) / LEAST) / log10(MOST / LEAST)
    return y + CHART_HEIGHT * (1 - min(share, 1.0))


def line(points, colour, dashes="", wide=1.8):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    stroke = f'stroke="{colour}" stroke-width="{wide}"'
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<polyline points="{path}" fill="none" {stroke}{dashed}/>'


def text(x, y, words, size=11, end=False, middle=False):
    anchor = ' text-anchor="end"' if end else ' text-anchor="middle"' if middle else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}"{anchor}>{escape(words)}</text>'

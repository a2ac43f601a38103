# SPDX-License-Identifier: GPL-3.0-or-later
"""Hoop tension and pressure of a tight sleeve on a cylinder against the closed form."""

from common.report import heading, note
from test_scenes.hoop import Sleeve, errors, wear

# What it is, the sleeve, whether a quick run has it.
CASES = (
    ("threads upright", Sleeve(tight=0.1), True),
    ("hardly tight", Sleeve(tight=0.02), False),
    ("very tight", Sleeve(tight=0.3), False),
    ("triangles", Sleeve(tight=0.1, cut="triangles"), False),
    ("uneven triangles", Sleeve(tight=0.1, cut="uneven"), True),
    ("coarse, uneven", Sleeve(tight=0.1, cut="uneven", around=32), False),
    ("fine", Sleeve(tight=0.1, around=128), False),
    ("on the bias", Sleeve(tight=0.1, bias=True), True),
    ("on the bias, uneven", Sleeve(tight=0.1, bias=True, cut="uneven"), False),
    ("weft stiffer", Sleeve(tight=0.05, warp=400, weft=2000, shear=60), False),
    ("thin shell", Sleeve(tight=0.1, thickness=0.001), False),
    ("draft", Sleeve(tight=0.1, quality="draft"), False),
    ("final", Sleeve(tight=0.1, quality="final"), False),
)
COLUMNS = "name pressure stand_off tension_rms tension_worst pressure_rms pressure_worst"


def measure(results, quick):
    """`sleeve_error`: the root mean square over the vertices of a sleeve, of tension or pressure, whichever is
    larger, in the worst case."""
    heading("A tight sleeve")
    note(
        "Error of the hoop tension that the told strain means, and of the told pressure, relative to "
        "T = dW/dh and p = T/r at the radius where the cloth is; over all vertices but those at the ends."
    )
    found = []
    for name, sleeve, in_quick in CASES:
        if quick and not in_quick:
            continue
        error = errors(sleeve, *wear(sleeve))
        found += [error.tension_rms, error.pressure_rms]
        results.row("sleeve", name=name, **error._asdict())
    results.show("sleeve", COLUMNS)
    results.number("sleeve_error", max(found))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours of a fit map: how far they reach, which they are, and the numbers of their legend.

Both scales can be read without telling red from green: viridis, which gets lighter all the way, and blue over grey to
orange for what has a sign.
"""

from math import ceil, floor, log10

import numpy as np

# sRGB at even distances.
VIRIDIS = (
    (0.267, 0.005, 0.329), (0.275, 0.195, 0.496), (0.213, 0.359, 0.552), (0.153, 0.497, 0.558),
    (0.122, 0.633, 0.531), (0.290, 0.759, 0.428), (0.622, 0.854, 0.226), (0.993, 0.906, 0.144),
)  # fmt: skip
BLUE_ORANGE = (
    (0.020, 0.188, 0.380), (0.129, 0.400, 0.675), (0.400, 0.663, 0.812), (0.880, 0.880, 0.880),
    (0.957, 0.647, 0.345), (0.800, 0.380, 0.080), (0.450, 0.170, 0.020),
)  # fmt: skip
OUTERMOST = 0.01  # share of the vertices that the automatic range may leave out
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)  # between the numbers of a legend
ENDS = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)  # where an automatic range may end
TICKS = 5  # at most so many parts of the legend


def span(quantity, values, chosen=None):
    """(least, most) of the colours, in the quantity's unit. chosen: the artist's own, or None."""
    if chosen is not None:
        least, most = chosen
        return (least, most) if most > least else (least, least + 1.0)
    found = np.abs(values) if quantity.is_signed else values
    reach = float(np.quantile(found, 1.0 - OUTERMOST)) if len(found) else 0.0
    most = _round_up(max(reach, 1e-3), ENDS)
    return (-most if quantity.is_signed else 0.0), most


def _round_up(value, steps):
    power = 10.0 ** floor(log10(value))
    return next(step for step in steps if step * power >= value * (1 - 1e-9)) * power


def colours(quantity, values, limits):
    """n x 4 float32, sRGB and opaque."""
    table = np.array(BLUE_ORANGE if quantity.is_signed else VIRIDIS)
    if quantity.worst < 0:
        table = table[::-1]  # the worst is the lightest
    share = (np.asarray(values, dtype=np.float64) - limits[0]) / (limits[1] - limits[0])
    place = np.clip(np.nan_to_num(share), 0.0, 1.0) * (len(table) - 1)
    found = np.ones((len(place), 4), dtype=np.float32)
    for channel in range(3):
        found[:, channel] = np.interp(place, np.arange(len(table)), table[:, channel])
    return found


def ticks(limits):
    """[(number, text), ...] of the legend, round numbers."""
    least, most = limits
    step = _round_up((most - least) / TICKS, STEPS)
    first, last = ceil(least / step - 1e-6), floor(most / step + 1e-6)
    power = floor(log10(step) + 1e-9)
    digit = step / 10.0**power
    digits = max(0, -power + (abs(digit - round(digit)) > 1e-6))
    numbers = [number * step for number in range(first, last + 1)]
    return [(number, f"{number:,.{digits}f}") for number in numbers]

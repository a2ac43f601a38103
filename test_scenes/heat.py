# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of vertices as colours, for pictures of what is tight: the report of drape --fit-report, a scale, its legend."""

import json
import os
from typing import NamedTuple

import numpy as np

from test_scenes.image import write_text

# From nothing to the most; linear RGB.
STOPS = np.array(
    [
        (0.25, 0.27, 0.30),
        (0.24, 0.36, 0.22),
        (0.72, 0.52, 0.08),
        (0.62, 0.10, 0.03),
        (0.16, 0.0, 0.05),
    ]
)


class Kind(NamedTuple):
    """What is shown of a number: its caption, factor and unit, and whether little of it is tight."""

    caption: str
    factor: float
    unit: str
    little: bool = False


KINDS = {
    "pressure": Kind("pressure", 1.0, "Pa"),
    "warp": Kind("strain in warp", 100.0, "%"),
    "weft": Kind("strain in weft", 100.0, "%"),
    "shear": Kind("shear", np.degrees(1), "deg"),
    "gap": Kind("gap", 1000.0, "mm", little=True),
}


def read_values(path, kind, mesh_path, count):
    """The numbers of a mesh's vertices from a report, in the unit that is shown."""
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    name = os.path.splitext(os.path.basename(mesh_path))[0]
    fitting = [g for g in report["garments"] if len(g["arrays"][kind]) == count]
    if not fitting:
        raise ValueError(f"{path} has no garment of {count} vertices")
    garment = next((g for g in fitting if g["garment"] == name), fitting[0])
    values = [np.inf if value is None else value for value in garment["arrays"][kind]]
    return KINDS[kind].factor * np.array(values)


def default_most(values):
    """A round number that few vertices exceed."""
    high = np.percentile(values[np.isfinite(values)], 95) if np.isfinite(values).any() else 1.0
    if not high > 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(high))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= high * (1 - 1e-9))


def colours(values, most, kind):
    """Linear RGB (n, 3) of numbers from 0 to `most`; what is tight is red."""
    part = np.clip(values / most, 0, 1)
    part = 1 - part if KINDS[kind].little else part
    places = np.linspace(0, 1, len(STOPS))
    return np.stack([np.interp(part, places, STOPS[:, channel]) for channel in range(3)], -1)


def draw_legend(image, most, kind):
    """A caption, a bar and its ends with the unit, at the lower left, in place."""
    thick, left, top = 12, 14, image.shape[0] - 44
    width = min(180, image.shape[1] - 2 * left)
    panel = image[top - 28 : top + thick + 26, left - 8 : left + width + 8]
    panel[:] = panel // 5 + 192  # pale, so that what is behind does not hide it
    write_text(image, KINDS[kind].caption, left, top - 20)
    shades = colours(np.linspace(0, most, width), most, kind) ** (1 / 2.2)
    image[top : top + thick, left : left + width] = np.uint8(255 * np.minimum(1.35 * shades, 1))
    write_text(image, "0", left, top + thick + 6)
    end = f"{most:g} {KINDS[kind].unit}"
    write_text(image, end, left + width - 12 * len(end) + 2, top + thick + 6)

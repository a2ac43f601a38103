# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of vertices as colours, for pictures of what is tight: the report of drape --fit-report, a scale, its legend."""

import json
import os

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
# What is shown of each kind, in which unit, and whether little of it is tight.
KINDS = {
    "pressure": (1.0, False),  # Pa
    "warp": (100.0, False),  # %
    "weft": (100.0, False),
    "shear": (np.degrees(1), False),  # degrees
    "gap": (1000.0, True),  # mm
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
    return KINDS[kind][0] * np.array(values)


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
    part = 1 - part if KINDS[kind][1] else part
    places = np.linspace(0, 1, len(STOPS))
    return np.stack([np.interp(part, places, STOPS[:, channel]) for channel in range(3)], -1)


def draw_legend(image, most, kind):
    """A bar with its ends, at the lower left, in place."""
    thick, left, top = 12, 14, image.shape[0] - 44
    width = min(160, image.shape[1] - 2 * left)
    panel = image[top - 8 : top + thick + 26, left - 8 : left + width + 8]
    panel[:] = panel // 5 + 192  # pale, so that what is behind does not hide it
    shades = colours(np.linspace(0, most, width), most, kind) ** (1 / 2.2)
    image[top : top + thick, left : left + width] = np.uint8(255 * np.minimum(1.35 * shades, 1))
    write_text(image, "0", left, top + thick + 6)
    end = f"{most:g}"
    write_text(image, end, left + width - 12 * len(end) + 2, top + thick + 6)

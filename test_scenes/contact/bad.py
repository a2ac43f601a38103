# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases without a good answer, not in the catalogue: cloth has no room, or starts inside. All our own code."""

import numpy as np

from test_scenes import solids
from test_scenes.contact.falls import square
from test_scenes.contact.scene import OUR_OWN, ContactScene, carried, still

CLOSING_FRAMES = 24


def closing_plates(gap, count=21, size=0.3):
    """A level cloth between two plates that close to `gap` metres in a second; negative: they overlap."""
    lower = solids.box((0.5, 0.5, 0.02), (0, 0, -0.01 - 0.05), cells=(4, 4, 1))
    upper = solids.box((0.5, 0.5, 0.02), (0, 0, 0.01 + 0.05), cells=(4, 4, 1))
    way = (0.1 - gap) / 2

    def offset(frame):
        return np.array([0, 0, way * min(frame / CLOSING_FRAMES, 1.0)])

    return ContactScene(
        "plates",
        f"cloth between plates that close to {1000 * gap:g} mm; {OUR_OWN}",
        square(count, size, 0.0),
        [
            carried(lower, offset, name="lower plate"),
            carried(upper, lambda frame: -offset(frame), name="upper plate"),
        ],
    )


def swallowed(count=25, radius=0.1):
    """A cloth whose middle is inside a sphere from the start."""
    return ContactScene(
        "swallowed",
        f"0.6 m cloth with a sphere in its middle from the start; {OUR_OWN}",
        square(count, 0.6, 0.02),
        [still(solids.uv_sphere(radius, (0.013, 0.007, 0)))],
    )

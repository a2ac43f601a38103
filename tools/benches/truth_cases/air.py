# SPDX-License-Identifier: GPL-3.0-or-later
"""What the air's drag should do to a sheet that falls flat."""

from muslin.table import SETTINGS

LINEAR = 0.5  # N s/m^3
AIR, DRAG_COEFFICIENT = 1.2, 1.2  # kg/m^3, and that of a plate across the flow
WITH_LAW = {"normal_drag", "tangent_drag", "drag_law"}


def laws(load):
    """(settings, terminal speed) of each law of the air; load in N/m^2. The first is the library's own air."""
    own = {name: SETTINGS[name].default for name in WITH_LAW}
    linear = {"normal_drag": LINEAR, "tangent_drag": 0.05, "drag_law": "linear"}
    square = (2 * load / (AIR * DRAG_COEFFICIENT)) ** 0.5
    return [(own, square), (linear, load / LINEAR)]

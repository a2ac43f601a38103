# SPDX-License-Identifier: GPL-3.0-or-later
"""What the air's drag should do to a sheet that falls flat."""

DRAG = 0.5  # N s/m^3


def laws(load):
    """(settings, terminal speed) of each law of the air that the library has; load in N/m^2."""
    return [({"normal_drag": DRAG, "tangent_drag": 0.05}, load / DRAG)]

# SPDX-License-Identifier: GPL-3.0-or-later
"""A free sheet held at two corners: Muslin's bake, and Blender's own cloth at its default quality."""

import contest
import scenes


def measure(folder, side, frames, rounds):
    return contest.run(folder, frames, rounds, lambda: scenes.sheet(side))

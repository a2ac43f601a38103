"""What was added to a garment that rides knows nothing of bodies: it is put before them.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import numpy as np

DIP = (
    0.002  # m: what rides may already be inside by so much, between the vertices that are simulated
)
DEEPEST = 0.05  # m


def put_before_bodies(cloth, riding, positions):
    """Positions (n x 3, m) that were made of riding ones, as they are before the bodies of `cloth`; a new array."""
    # What rides is outside, so that nothing is deeper inside than it was moved. A search takes longer the further it goes.
    moved = float(np.sqrt(((positions - riding) ** 2).sum(axis=1).max()))
    return cloth.put_outside(positions, min(moved + DIP, DEEPEST))

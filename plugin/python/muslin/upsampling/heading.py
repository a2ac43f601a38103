"""Where a garment as a whole is turned to, about the vertical: what falls does so alike in any such direction.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import numpy as np


def heading(places, rest):
    """The rotation about Z, 3 x 3, from the rest shape to these places (both p x 3, m), in the sense of least squares.

    Rows are turned back by `row @ heading`, and turned with the garment by `row @ heading.T`.
    """
    now, then = places[:, :2] - places[:, :2].mean(axis=0), rest[:, :2] - rest[:, :2].mean(axis=0)
    cosine = float((now * then).sum(dtype=np.float64))
    sine = float((now[:, 1] * then[:, 0] - now[:, 0] * then[:, 1]).sum(dtype=np.float64))
    length = np.hypot(cosine, sine)
    turn = np.eye(3, dtype=np.float32)
    if length > 0:
        turn[:2, :2] = np.array([[cosine, -sine], [sine, cosine]]) / length
    return turn

# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast what is previewed moves, from one shape that is shown to the next: the same that a bake's cache tells."""

import numpy as np

# By uid: the shape of the frame that is shown, and its velocity or None where nobody has asked.
_shown = {}


def begin(uid, positions):
    """The next shape comes from this one, n x 3 in the object's own space; what was before it does not count."""
    _shown[uid] = positions, None


def follow(uid, positions, rate, is_wanted):
    """Another shape is shown, in the object's own space: its velocity there, units a second; None: not wanted.

    rate: frames of the scene a second, where a frame lies between both shapes, also where it drapes on a fixed one. None:
    it is the same frame, refined, and has its velocity; the next one comes from the shape that it had first. So does a
    shape that is shown again.
    """
    before, velocity = _shown.get(uid, (None, None))
    is_known = before is not None and len(before) == len(positions)
    if is_known and is_wanted and rate is not None and positions is not before:
        velocity = np.float32(rate) * (positions - before)
    elif is_wanted and (velocity is None or not is_known):
        velocity = np.zeros_like(positions)
    is_refined = is_known and rate is None
    _shown[uid] = before if is_refined else positions, velocity if is_wanted else None
    return _shown[uid][1]


def forget(uid=None):
    """Nothing is shown of a garment; None: of any."""
    if uid is None:
        _shown.clear()
    else:
        _shown.pop(uid, None)

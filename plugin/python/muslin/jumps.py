# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that jump: put elsewhere between two frames, as at a cut. The library places them, and cloth that they wear is
carried along, where they jumped as one rigid thing."""

from collections import namedtuple
from enum import Enum

import numpy as np

from .errors import MuslinError

RIGID = 0.1  # of the bodies' size: what may be left of the way, on average, that is no rigid motion
NEAR = 0.25  # of the cloth's size: how far cloth that is worn may be from its body
WORN = 0.5  # of the cloth that has to be so near

# A body that has jumped, and the places of its vertices, n x 3, m. distance: m.
Jump = namedtuple("Jump", "body distance before after")
# carried: along with the body. left: it is not worn on it, or held elsewhere. lost: there is no rigid motion from the old pose to the new.
Outcome = Enum("Outcome", "CARRIED LEFT LOST")


def move(body, before, after):
    """Body.move() to places; gives a Jump where that is one, or None."""
    detail = body.move(after)
    return Jump(body, detail.value, before, after) if detail is not None else None


def rigid_motion(before, after):
    """(rotation 3 x 3, shift) that carries points best in the sense of least squares, and what is left on average, m."""
    first, second = before.mean(axis=0), after.mean(axis=0)
    u, _, v = np.linalg.svd((after - second).T @ (before - first))
    u[:, 2] *= np.sign(np.linalg.det(u @ v))  # a rotation, never a reflection [Kabsch 1976]
    rotation = u @ v
    shift = second - rotation @ first
    left = after - before @ rotation.T - shift
    return rotation, shift, float(np.linalg.norm(left, axis=1).mean())


def of_bodies(moved):
    """The Jumps among what move() gave of several bodies."""
    return [jump for jump in moved if jump is not None]


def carry(cloth, jumps, pins=((), ())):
    """Carries a cloth along with the bodies that jumped before the next step, if it is worn on them; gives an Outcome, or
    None without jumps. pins: vertices that are held, and where they are to be at the end of the step: cloth that others
    hold elsewhere stays."""
    if not jumps:
        return None
    before, after = (
        np.concatenate([getattr(jump, end) for jump in jumps]).astype(np.float64)
        for end in ("before", "after")
    )
    if not _is_worn(cloth, jumps):
        return Outcome.LEFT
    rotation, shift, left = rigid_motion(before, after)
    most = RIGID * np.linalg.norm(np.ptp(before, axis=0))
    positions, velocities = cloth.state()
    held, targets = pins
    if len(held):
        away = np.linalg.norm(positions[held] @ rotation.T + shift - targets, axis=1)
        if np.median(away) > most:
            return Outcome.LEFT
    if left > most:
        return Outcome.LOST
    try:
        cloth.set_state(positions @ rotation.T + shift, velocities @ rotation.T)
    except MuslinError:  # it has to stay symmetric to a plane in the world
        return Outcome.LOST
    for jump in jumps:  # what is left is a motion as of any frame
        jump.body.place(jump.before @ rotation.T + shift)
        jump.body.move(jump.after)
    return Outcome.CARRIED


def _is_worn(cloth, jumps):
    """Whether most of the cloth was near the bodies, and no longer is. They are left at their new places."""
    reach = NEAR * float(np.linalg.norm(np.ptp(cloth.positions(), axis=0)))
    left_alone = cloth.fit().gap > reach
    for jump in jumps:
        jump.body.place(jump.before)
    was_near = cloth.fit().gap < reach
    for jump in jumps:
        jump.body.place(jump.after)
    return bool((was_near & left_alone).mean() > WORN)

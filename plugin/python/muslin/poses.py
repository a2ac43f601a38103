# SPDX-License-Identifier: GPL-3.0-or-later
"""From one pose of a body to another, limbs turning without shrinking; and the run-up: frames before the first, in
which bodies come from the pose that a garment was made for."""

import numpy as np

from . import jumps

RINGS = 8  # neighbours of neighbours that count as a vertex's surroundings
SMALL = 1e-6  # rad: series from here on down
HALF = 1e-3  # rad: so near to half a turn the axis is found otherwise


def pose_between(mesh, first, second):
    """pose(s) gives the positions, float32 (n, 3), at the part s of the way from `first` to `second`. mesh: for its
    faces alone."""
    first, second = np.asarray(first, np.float64), np.asarray(second, np.float64)
    turn, shift = _rigid_motions(mesh, first, second)
    log = _logarithm(turn)
    start = np.linalg.solve(_integral(log), shift[..., None])

    def at(part):
        way = _exponential(part * log) @ first[..., None] + part * _integral(part * log) @ start
        return way[..., 0]

    left = second - at(1.0)

    def pose(part):
        return (at(part) + part * left).astype(np.float32)

    return pose


def _rigid_motions(mesh, first, second):
    """Per vertex the rotation (n, 3, 3) and the translation (n, 3) that carry its surroundings best."""
    middle = first.mean(0)  # moments of small numbers
    x, y = first - middle, second - middle
    ones = np.ones((len(x), 1))
    moments = np.concatenate([ones, x, y, (y[:, :, None] * x[:, None, :]).reshape(-1, 9)], 1)
    a, b = mesh.sides().T
    for _ in range(RINGS):
        spread = moments.copy()
        for column in range(moments.shape[1]):
            spread[:, column] += np.bincount(a, moments[b, column], len(x))
            spread[:, column] += np.bincount(b, moments[a, column], len(x))
        moments = spread / spread[:, :1]
    x_mean, y_mean = moments[:, 1:4], moments[:, 4:7]
    covariance = moments[:, 7:].reshape(-1, 3, 3) - y_mean[:, :, None] * x_mean[:, None, :]
    turn = nearest_rotations(covariance)
    shift = y_mean + middle - (turn @ (x_mean + middle)[..., None])[..., 0]
    return turn, shift


def nearest_rotations(matrices):
    """The rotations, never reflections, that are nearest to matrices (n, 3, 3) in the sense of least squares (Kabsch,
    1976)."""
    u, _, v = np.linalg.svd(matrices)
    u[:, :, 2] *= np.sign(np.linalg.det(u @ v))[:, None]
    return u @ v


def _cross(w):
    """The matrices (n, 3, 3) of the cross product with w (n, 3)."""
    zero = np.zeros(len(w))
    x, y, z = w.T
    return np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)


def _logarithm(turn):
    """Rotation vectors (n, 3), rad. Near half a turn, where the way round is anyone's choice, all go the same."""
    cosine = np.clip((np.trace(turn, axis1=1, axis2=2) - 1) / 2, -1, 1)
    angle = np.arccos(cosine)
    skew = turn - turn.transpose(0, 2, 1)
    skew = np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], 1)
    half = angle > np.pi - HALF
    log = skew * (0.5 / np.sinc(np.where(half, 0, angle) / np.pi))[:, None]
    if half.any():
        log[half] = _half_turns(turn[half], angle[half], skew[half])
    return log


def _half_turns(turn, angle, skew):
    """The axis is that of R + 1, which has nothing else there."""
    doubled = turn + np.eye(3)
    columns = np.argmax(np.stack([doubled[:, k, k] for k in range(3)], 1), axis=1)
    axis = doubled[np.arange(len(turn)), :, columns]
    axis /= np.linalg.norm(axis, axis=1)[:, None]
    axis *= np.where(axis @ axis[0] < 0, -1.0, 1.0)[:, None]
    back = np.einsum("ni,ni->n", axis, skew) < 0
    return axis * np.where(back, 2 * np.pi - angle, angle)[:, None]


def _series(w):
    """sin a / a, (1 - cos a) / a^2 and (a - sin a) / a^3 for the angles a of rotation vectors."""
    angle = np.linalg.norm(w, axis=1)
    safe = np.where(angle < SMALL, 1.0, angle)
    one = np.sinc(angle / np.pi)
    two = np.where(angle < SMALL, 0.5, (1 - np.cos(safe)) / safe**2)
    three = np.where(angle < SMALL, 1 / 6, (safe - np.sin(safe)) / safe**3)
    return (number[:, None, None] for number in (one, two, three))


def _exponential(w):
    one, two, _ = _series(w)
    cross = _cross(w)
    return np.eye(3) + one * cross + two * cross @ cross


def _integral(w):
    _, two, three = _series(w)
    cross = _cross(w)
    return np.eye(3) + two * cross + three * cross @ cross


def settle(cloth):
    """Steps until the cloth rests; gives the SettleReport of each, so that the caller may stop or show it."""
    while True:
        report = cloth.settle()
        yield report
        if report.settled:
            return


def run_up(cloth, frames, step_seconds, move):
    """Settles the cloth, takes `frames` steps, and settles it again; without frames only the first.

    move(part): moves bodies and pins to this part of the way, from rest to rest, and gives the Jumps of bodies, which the
    cloth goes along with where it can. Gives a line of text for each step, and whether the cloth came to rest by itself,
    None where that is not known yet.
    """
    yield from map(_line, settle(cloth))
    for frame in range(1, frames + 1):
        part = frame / frames
        jumps.carry(cloth, move(part * part * (3 - 2 * part)))
        cloth.step(step_seconds)
        yield f"running up: frame {frame} of {frames}", None
    if frames:
        yield from map(_line, settle(cloth))


def _line(report):
    rests = bool(report.came_to_rest) if report.settled else None
    return f"settling: {1e3 * report.mean:.3g} mm/s", rests

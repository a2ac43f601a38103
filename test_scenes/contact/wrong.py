# SPDX-License-Identifier: GPL-3.0-or-later
"""Garments that begin wrongly: shifted, of another scale, with a limb outside, inside out, tangled.

Each kind is made from a good start by numbers drawn with a seed, so that many may be tried. All lengths
are in parts of the garment, which may be of any size.
"""

import numpy as np

from test_scenes.mesh import boundary_loops, evened

SHIFTS = (0.08, 0.25)  # of the garment's longest side, a quarter of them further than all of it
SMALLER, LARGER = (0.3, 0.85), (1.5, 4.0)
FAR_OFF = (0.01, 100.0)  # metres taken for centimetres, and the other way round


def shifted(points, faces, draw):
    """Along some direction by a part of its length, or to where it touches nothing."""
    direction = draw.normal(size=3)
    far = draw.random() < 0.25
    way = np.ptp(points, axis=0).max() * (1.5 if far else draw.uniform(*SHIFTS))
    return points + way * direction / np.linalg.norm(direction), faces


def scaled(points, faces, draw):
    """About the middle of its box, smaller, larger, or in another unit about the origin."""
    choice = draw.integers(4)
    if choice == 3:
        return points * draw.choice(FAR_OFF), faces
    middle = (points.min(0) + points.max(0)) / 2
    factor = draw.uniform(*(SMALLER if choice == 0 else LARGER))
    return middle + factor * (points - middle), faces


def limb_outside(points, faces, draw):
    """The end of a sleeve or of a leg, or of a garment without these, is beside the limb."""
    size = np.ptp(points, axis=0).max()
    loops = [np.array(loop) for loop in boundary_loops(faces)]
    length = max(border_length(points, loop) for loop in loops)
    ends = [loop for loop in loops if border_length(points, loop) > 0.04 * length]
    narrow = [loop for loop in ends if border_length(points, loop) < 0.6 * length]
    # Outermost first: where sleeves and legs end.
    chosen = narrow or ends
    chosen.sort(key=lambda loop: -np.linalg.norm(points[loop].mean(0) - points.mean(0)))
    end = chosen[draw.integers(min(2, len(chosen)))]
    middle, diameter = points[end].mean(0), border_length(points, end) / np.pi
    normal = np.linalg.svd(points[end] - middle)[2][2]
    aside = np.cross(normal, draw.normal(size=3))
    aside *= np.sign(aside @ (middle - points.mean(0))) / np.linalg.norm(aside)  # not into the rest
    away = np.linalg.norm(points - middle, axis=1)
    reach = min(max(3 * diameter, 0.2 * size), 0.6 * size)
    share = np.clip(2 * (1 - away / reach), 0, 1)
    way = min(max(2.5 * diameter, 0.15 * size), 0.5 * size)
    return points + (share * way)[:, None] * aside, faces


def border_length(points, loop):
    return np.linalg.norm(points[loop] - points[np.roll(loop, -1)], axis=1).sum()


def inside_out(points, faces, draw):
    """Its faces look inward."""
    return points, evened([list(face)[::-1] for face in faces])


def tangled(points, faces, draw):
    """Crumpled by more than its edges are long, or one side pushed through the other."""
    if draw.random() < 0.5:
        sides = [points[face[0]] - points[face[1]] for face in faces]
        length = np.mean(np.linalg.norm(sides, axis=1))
        return points + draw.normal(scale=1.5 * length, size=points.shape), faces
    middle = (points.min(0) + points.max(0)) / 2
    moved = points.copy()
    beyond = points[:, 0] > middle[0]
    moved[beyond, 0] = 2 * middle[0] - points[beyond, 0]
    moved[beyond, 1] += 0.03 * np.ptp(points[:, 1]) * draw.uniform(0.5, 1.5)
    return moved, faces


KINDS = {
    "shifted": shifted,
    "scaled": scaled,
    "limb outside": limb_outside,
    "inside out": inside_out,
    "tangled": tangled,
}


def wrong_start(kind, positions, faces, seed):
    """(positions, faces) of the garment begun wrongly in this way; the same for the same seed."""
    points, faces = KINDS[kind](np.asarray(positions, float), faces, np.random.default_rng(seed))
    return points.astype(np.float32), faces

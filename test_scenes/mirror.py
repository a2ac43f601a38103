# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds symmetric meshes from one half, so that positions and topology mirror to the bit at x = 0."""

import numpy as np

from test_scenes.mesh import unique_edges


def reflect(positions, faces):
    """Positions and faces of a half (x >= 0) and its mirror image, sewn along the vertices with x == 0.

    The half's vertices come first and keep their numbers.
    """
    positions = np.asarray(positions, np.float32)
    if positions[:, 0].min() < 0:
        raise ValueError("the half reaches across the mirror plane")
    middle = positions[:, 0] == 0
    partner = mirror_partner(middle)
    mirrored = positions[~middle] * np.array([-1, 1, 1], np.float32)
    both = np.concatenate([positions, mirrored])
    return both, np.concatenate([faces, partner[faces][:, ::-1]]).astype(np.int32)


def mirror_partner(middle):
    """For each vertex of the half, the number of its mirror image in the whole mesh."""
    partner = np.arange(len(middle))
    partner[~middle] = len(middle) + np.arange((~middle).sum())
    return partner


def smooth_half(positions, faces, amount, fixed=None):
    """Moves each vertex of a half by `amount` of the way to the mean of its neighbours.

    Vertices with x == 0 see their neighbours twice, here and mirrored, and stay in the plane.
    """
    edges, _ = unique_edges(faces)
    middle = positions[:, 0] == 0
    start = np.concatenate([edges[:, 0], edges[:, 1]])
    end = np.concatenate([edges[:, 1], edges[:, 0]])
    weight = np.where(middle[start] & ~middle[end], 2.0, 1.0)
    total = np.bincount(start, weight, len(positions))
    mean = np.stack(
        [np.bincount(start, weight * positions[end, k], len(positions)) / total for k in range(3)],
        1,
    )
    moved = positions + amount * (mean - positions)
    moved[middle, 0] = 0
    if fixed is not None:
        moved[fixed] = positions[fixed]
    return moved


def mirror_pairs(mesh):
    """For each vertex of a mesh the one at exactly its mirrored position; ValueError if there is none."""
    keys = {tuple(p): k for k, p in enumerate((mesh.positions + np.float32(0)).tolist())}
    pairs = np.empty(len(mesh.positions), np.int64)
    for vertex, (x, y, z) in enumerate(mesh.positions.tolist()):
        other = keys.get((-x if x else 0.0, y, z))
        if other is None:
            raise ValueError(f"vertex {vertex} has no mirror image")
        pairs[vertex] = other
    return pairs

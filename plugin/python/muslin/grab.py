# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth grabbed while it is simulated: what a line of sight hits, and the soft pins that pull a patch of it.

    surface = surface_of(mesh)
    hit = first_hit(positions, surface.triangles, eye, direction)
    patch = take(mesh, surface, hit.vertex)
    weights = pull_weights(surface, patch, cloth.settings["pin_stiffness"])
    cloth.set_pins(patch.vertices, weights, positions[patch.vertices])
    cloth.move_pins(lead(positions[patch.vertices], wanted, reach(mesh)))   # before each step
"""

from collections import namedtuple

import numpy as np

from .inspection.surface import components

RADIUS = 0.04  # of the garment's size: the patch that is pulled
REACH = 0.1  # of the garment's size: how far ahead of the cloth the hand pulls, at the most
REACH_MOST = 0.25  # m: beyond that it would throw large cloth, 6 m/s in a frame
PULL = 20.0  # 1/s: a garment that hangs from a hand alone hangs g / PULL^2 below it, 25 mm
SOFT = 0.9999  # the largest weight of a soft pin

# vertex: of the triangle that is hit, the nearest. distance: in lengths of the direction.
Hit = namedtuple("Hit", "vertex distance")
# shares: of the pull, one for each vertex; they add up to 1.
Patch = namedtuple("Patch", "vertices shares")


def first_hit(positions, triangles, origin, direction):
    """The first triangle on a line of sight, as a Hit, or None [Möller and Trumbore 1997]."""
    corners = np.asarray(positions, np.float64)[triangles]
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    across = np.cross(direction, second)
    determinant = (first * across).sum(axis=1)
    away = np.asarray(origin, np.float64) - corners[:, 0]
    other = np.cross(away, first)
    with np.errstate(divide="ignore", invalid="ignore"):  # triangles seen from the side
        u = (away * across).sum(axis=1) / determinant
        v = other @ np.asarray(direction, np.float64) / determinant
        distance = (second * other).sum(axis=1) / determinant
        inside = (u >= 0) & (v >= 0) & (u + v <= 1) & (distance > 0)
    if not inside.any():
        return None
    nearest = np.flatnonzero(inside)[np.argmin(distance[inside])]
    weights = (1 - u[nearest] - v[nearest], u[nearest], v[nearest])
    return Hit(int(triangles[nearest][np.argmax(weights)]), float(distance[nearest]))


def size_of(mesh):
    """The diagonal of its box at rest, m."""
    return float(np.linalg.norm(np.ptp(mesh.positions, axis=0)))


def reach(mesh):
    """How far from the cloth, m, the hand pulls at the most: what is farther pulls no harder."""
    return min(REACH * size_of(mesh), REACH_MOST)


def take(mesh, surface, vertex):
    """The Patch around a vertex: what is connected to it within RADIUS at rest; shares fall off outward."""
    radius = RADIUS * size_of(mesh)
    ways = np.linalg.norm(mesh.positions.astype(np.float64) - mesh.positions[vertex], axis=1)
    near = ways < radius
    label = components(mesh.vertex_count, surface.edges[near[surface.edges].all(axis=1)])
    vertices = np.flatnonzero(label == label[vertex]).astype(np.int32)
    shares = (1 - (ways[vertices] / radius) ** 2) ** 2 if radius > 0 else np.ones(1)
    return Patch(vertices, shares / shares.sum())


def pull_weights(surface, patch, pin_stiffness):
    """Weights of soft pins whose stiffness together is M PULL^2, M the garment's mass: one of weight w has m
    pin_stiffness w / (1 - w), m the mass of its vertex, its part of the area."""
    own = surface.vertex_areas()
    part = own[patch.vertices] / max(own.sum(), np.finfo(float).tiny)
    pull = PULL**2 * patch.shares
    return np.minimum(pull / (pull + part * pin_stiffness), SOFT).astype(np.float32)


def lead(positions, wanted, longest):
    """Where pins shall be on the way to where they are wanted: no farther than so from the cloth, m."""
    ways = wanted - positions
    lengths = np.linalg.norm(ways, axis=1)
    parts = np.minimum(1.0, longest / np.maximum(lengths, np.finfo(float).tiny))
    return (positions + parts[:, None] * ways).astype(np.float32)


def images(vectors, plane):
    """The mirror images of points (n x 3). plane: a point and a normal of length 1."""
    point, normal = (np.asarray(part, np.float64) for part in plane)
    across = (vectors - point) @ normal
    return vectors - 2.0 * across[:, None] * normal


def nearest_images(positions, vertices, plane):
    """For each of these vertices the one that is nearest to its mirror image."""
    places = images(positions[vertices], plane)
    nearest = [np.argmin(((positions - place) ** 2).sum(axis=1)) for place in places]
    return np.array(nearest, np.int32)


def mirrored(vertices, weights, targets, partners, plane):
    """The same pins with their mirror images; where both are of one vertex, their mean. partners: of all vertices, -1
    without one. plane: a point and a normal of length 1."""
    others = partners[vertices]
    has_one = others >= 0
    every = np.concatenate([vertices, others[has_one]])
    chosen, place = np.unique(every, return_inverse=True)
    counts = np.bincount(place)

    def mean(values):
        return np.bincount(place, values, len(chosen)) / counts

    all_targets = np.concatenate([targets, images(targets[has_one], plane)])
    places = np.column_stack([mean(column) for column in all_targets.T])
    all_weights = mean(np.concatenate([weights, weights[has_one]]))
    return chosen.astype(np.int32), all_weights.astype(np.float32), places.astype(np.float32)

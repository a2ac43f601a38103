# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's force fields at points: the formulas of its effectors, for arrays of points.

What Blender's particles feel of Wind, Force, Vortex, Magnet, Harmonic, Turbulence and Drag fields, shaped as a point, line
or plane, with falloff, flow and the side of z. Lengths are in Blender's units. Noise has Blender's distribution, from
other random numbers: the same seed and frame always give the same. Turbulence stands still in air that stands still, as
Blender's does; a wind carries its pattern along.
"""

from dataclasses import dataclass

import numpy as np
from mathutils import Vector, noise

KINDS = {"WIND", "FORCE", "VORTEX", "MAGNET", "HARMONIC", "TURBULENCE", "DRAG"}
SHAPES = {"POINT", "LINE", "PLANE"}
OCTAVES = 2  # of turbulence, as Blender has them
STRONGEST_DRAG = 2.0
TINY = 1e-12


@dataclass
class Points:
    """Where a field is asked for. velocities: per second. limit: of drag on them, so that a step stays stable.
    carried: how far the wind has carried the air."""

    places: np.ndarray
    velocities: np.ndarray
    frame: int = 0
    limit: float = np.inf
    carried: np.ndarray = (0.0, 0.0, 0.0)


@dataclass
class Seen:
    """Points as a field sees them: from its nearest place, and from its middle."""

    axis: np.ndarray
    way: np.ndarray
    distance: np.ndarray
    from_middle: np.ndarray


def is_known(field):
    return field.type in KINDS and field.shape in SHAPES and field.apply_to_location


def lengths(vectors):
    return np.linalg.norm(vectors, axis=1)


def units(vectors):
    return vectors / np.maximum(lengths(vectors), TINY)[:, None]


def seen(field, matrix, places):
    matrix = np.array(matrix, dtype=float)
    axis = matrix[:3, 2] / max(np.linalg.norm(matrix[:3, 2]), TINY)
    from_middle = places - matrix[:3, 3]
    along = np.outer(from_middle @ axis, axis)
    way = from_middle
    if field.shape != "POINT":
        turns = field.type == "VORTEX" or field.shape == "LINE"
        way = from_middle - along if turns else along
    return Seen(axis, way, lengths(way), from_middle)


def falloff(field, view):
    def fading(distance, power, least, most):
        fades = (1.0 + np.maximum(distance - least, 0.0)) ** -power
        return np.where(distance > most, 0.0, fades)

    def by_distance(distance):
        least = field.distance_min if field.use_min_distance else 0.0
        most = field.distance_max if field.use_max_distance else np.inf
        return fading(distance, field.falloff_power, least, most)

    def by_radius(radius):
        least = field.radial_min if field.use_radial_min else 0.0
        most = field.radial_max if field.use_radial_max else np.inf
        return fading(radius, field.radial_falloff, least, most)

    along = view.from_middle @ view.axis
    if field.falloff_type == "SPHERE":
        found = by_distance(view.distance)
    elif field.falloff_type == "TUBE":
        radius = lengths(view.from_middle - np.outer(along, view.axis))
        found = by_distance(np.abs(along)) * by_radius(radius)
    else:  # CONE: its radius is an angle
        cosine = along / np.maximum(lengths(view.from_middle), TINY)
        angle = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
        found = by_distance(np.abs(along)) * by_radius(angle)
    if field.z_direction == "POSITIVE":
        return np.where(along < 0, 0.0, found)
    return np.where(along > 0, 0.0, found) if field.z_direction == "NEGATIVE" else found


def noises(field, frame, count):
    """What noise adds to the strength at each point."""
    random = np.random.default_rng([field.seed, frame & 0xFFFFFFFF])  # seeds are not negative
    steps = random.integers(0, 128, count)
    sizes = steps / (1.0 + random.random(count)) / 128.0
    return field.noise * np.where(steps > 64, sizes, -sizes)


def turbulent(places, size):
    """A sum of octaves of Perlin's noise, from 0 to 1, at places (x, y, z)."""
    total = np.zeros(len(places))
    for octave in range(OCTAVES + 1):
        scaled = places * (2.0**octave / (size or 1.0))
        found = [noise.noise(Vector(p), noise_basis="PERLIN_NEW") for p in scaled.tolist()]
        total += 0.5**octave * (0.5 + 0.5 * np.array(found))
    return total * 2.0**OCTAVES / (2.0 ** (OCTAVES + 1) - 1.0)


def wind(field, view, strength, _):
    return strength[:, None] * view.axis


def force(field, view, strength, _):
    if field.use_gravity_falloff:
        strength = strength / np.maximum(view.distance, TINY) ** 2
        strength = np.where(view.distance < 1e-6, 0.0, strength)
    return strength[:, None] * units(view.way)


def vortex(field, view, strength, points):
    if field.shape == "POINT":
        around = units(np.cross(view.axis, view.way))
        return (strength * view.distance)[:, None] * around
    turn = strength[:, None] * np.cross(view.axis, view.from_middle)
    inward = strength[:, None] * np.cross(view.axis, turn)
    return inward + turn


def magnet(field, view, strength, points):
    plane = np.broadcast_to(view.axis, view.way.shape)
    axis = plane if field.shape == "PLANE" else np.cross(view.axis, view.way)
    return np.cross(points.velocities, strength[:, None] * units(axis))


def harmonic(field, view, strength, _):
    rest = field.rest_length
    stretch = (view.distance - rest) / np.maximum(view.distance, TINY) if rest else 1.0
    return (-strength * stretch)[:, None] * view.way


def turbulence(field, view, strength, points):
    at = points.places if field.use_global_coords else view.from_middle + view.axis
    at = at - np.asarray(points.carried)
    turned = [turbulent(np.roll(at, -axis, axis=1), field.size) for axis in range(3)]
    return strength[:, None] * (2.0 * np.column_stack(turned) - 1.0)


PULLS = {
    "WIND": wind,
    "FORCE": force,
    "VORTEX": vortex,
    "MAGNET": magnet,
    "HARMONIC": harmonic,
    "TURBULENCE": turbulence,
}


def drag(field, strength, fades, points):
    """Resistance of each point, per velocity."""
    if field.type == "HARMONIC":
        return 2.0 * field.harmonic_damping * np.sqrt(np.abs(strength))
    if field.type == "DRAG":
        quadratic = np.minimum(strength, STRONGEST_DRAG)
        linear = min(field.quadratic_drag, STRONGEST_DRAG)
        return fades * (quadratic * lengths(points.velocities) + linear)
    turns = field.type == "VORTEX" and field.shape != "POINT"
    return fades * field.flow + (1.0 if turns else 0.0)


def parts(field, matrix, points):
    """What an evaluated field pulls each point with, and what it takes from its velocity."""
    view = seen(field, matrix, points.places)
    fades = falloff(field, view)
    # what Blender calls linear drag is what goes with the square of the speed, and the other way round
    strong = field.linear_drag if field.type == "DRAG" else field.strength
    strength = np.full(len(points.places), strong)
    if field.noise > 0:
        strength = strength + noises(field, points.frame, len(strength))
    held = np.minimum(drag(field, strength, fades, points), points.limit)
    pull = np.zeros_like(points.places)
    if field.type in PULLS:
        pull = PULLS[field.type](field, view, strength * fades, points)
    return pull, -held[:, None] * points.velocities

# SPDX-License-Identifier: GPL-3.0-or-later
"""A mirrored garment in the library's words: its plane in the world.

The library knows one plane for the rest shape and for the world. The rest shape stands around the
object's origin, so it is shifted across the plane, and only across, to where the object stands.
"""

import numpy as np

from ..muslin import find_symmetry
from ..muslin.grab import images
from ..scene import place

AXES = ("x", "y", "z")
STRAIGHT = 1e-6  # a normal this near to an axis of the world is that axis: rotations are rounded


def wanted(obj):
    """The library's settings without the plane; {} for a garment that is not mirrored."""
    chosen = obj.muslin.mirror
    if not chosen.enabled:
        return {}
    found = {"mirror": chosen.method, "mirror_tolerance": chosen.tolerance}
    found |= {"closure": chosen.closure, "asymmetric_body": chosen.asymmetric_body}
    if chosen.closure != "free":  # a front is closed in the plane, so the whole cannot be simulated
        found["asymmetric_body"] = "symmetrise"
    if chosen.closure == "button":
        found.update(overlap=chosen.overlap, over=chosen.over)
    return found


def choice(obj):
    """To see whether the artist has changed it."""
    found = wanted(obj)
    return (obj.muslin.mirror.plane, *found.items()) if found else ()


def tolerance_of(obj):
    return obj.muslin.mirror.tolerance or None


def plane_of(obj, mesh, matrix):
    """Point (m, from the object's origin) and normal of the plane of a rest shape as rest_mesh() has it."""
    chosen = obj.muslin.mirror.plane
    if chosen == "found":
        found = find_symmetry(mesh, None, tolerance_of(obj))
        return np.array(found.point), straight(np.array(found.normal))
    return np.zeros(3), axis_of(obj, matrix)


def axis_of(obj, matrix):
    """The normal of the chosen plane, in the world; X where the plane is to be found."""
    inverse = np.linalg.inv(place.as_matrix(matrix)[:3, :3])
    chosen = obj.muslin.mirror.plane
    return straight(inverse[AXES.index(chosen) if chosen in AXES else 0])


def straight(normal):
    """Of length 1, and exactly along an axis where it nearly is."""
    normal = normal / np.linalg.norm(normal)
    normal[np.abs(normal) < STRAIGHT] = 0.0
    return normal / np.linalg.norm(normal)


def in_place(obj, mesh, matrix, unit):
    """The rest shape shifted to the plane's place in the world, and that plane as a setting."""
    point, normal = plane_of(obj, mesh, matrix)
    across = float(normal @ place.as_matrix(matrix)[:3, 3]) * unit
    plane = (tuple(normal * (across + float(normal @ point))), tuple(normal))
    if across == 0.0:
        return mesh, plane
    shifted = (mesh.positions + normal * across).astype(np.float32)
    return mesh.replaced(positions=shifted), plane


def symmetrised(mesh, settings, positions, velocities):
    """The mean of a state and its mirror image, for a cloth that is mirrored from now on."""
    point, normal = (np.array(part) for part in settings["mirror_plane"])
    found = find_symmetry(mesh, (point, normal), settings["mirror_tolerance"] or None)
    partners = np.where(found.partners < 0, np.arange(mesh.vertex_count), found.partners)

    mean = 0.5 * (positions + images(positions[partners], (point, normal)))
    if velocities is not None:
        velocities = 0.5 * (velocities + images(velocities[partners], (np.zeros(3), normal)))
    return mean, velocities

# SPDX-License-Identifier: GPL-3.0-or-later
"""Seams, tacks, elastics and buttons as arrays of links, which Cloth.set_links() takes."""

import ctypes

import numpy as np

from .. import _abi, arrays
from ..calls import new_struct
from ..settings import number

SPEED = 1.0  # m/s that seams and tacks close with
ELASTIC = 30.0  # N that an elastic pulls with at twice its length
NONE = -1


# An array of links is of one of these kinds; `length` of a tack or seam below 0: as long as it is.
KINDS = {
    name: np.dtype(getattr(_abi, name.title())) for name in ("seam", "tack", "elastic", "button")
}


def to_struct(sets, weightless):
    """Arrays of links as the library takes them, and what the struct points to; keep both during the call."""
    struct, kept = new_struct(_abi.Links), []
    struct.weightless = int(bool(weightless))
    if not all(each.dtype in KINDS.values() for each in sets):
        arrays.refuse("sets: wanted arrays that a function of this module has made")
    for name, kind in KINDS.items():
        array = np.concatenate([np.zeros(0, kind), *(each for each in sets if each.dtype == kind)])
        setattr(struct, f"{name}_count", len(array))
        pointer = ctypes.POINTER(getattr(_abi, name.title()))
        setattr(struct, f"{name}s", array.ctypes.data_as(pointer))
        kept.append(array)
    return struct, kept


def _empty(count, kind):
    links = np.zeros(count, dtype=KINDS[kind])
    links["vertices"] = NONE
    return links


def seam(stitches, speed=SPEED, stiffness=0.0):
    """Links that sew: pairs of vertices (n x 2), or what a function of `seams` has found.

    speed: of closing, m/s. stiffness: N/m of a stitch once it is closed; 0: that of the fabric, 30 times.
    """
    return _sewn("seam", stitches, speed, stiffness)


def _sewn(kind, stitches, speed, stiffness):
    stitches = stitches_of(stitches)
    links = _empty(len(stitches), kind)
    for field in ("vertices", "places"):
        links[field] = stitches[field]
    return _held(links, 0.0, speed, stiffness)


def tack(first, second, length=0.0, speed=SPEED, stiffness=0.0):
    """Links that hold vertices of the cloth to others of it, one by one.

    length: m that they shall be apart; None: as far as they are now.
    """
    first, second = arrays.indices("first", first), arrays.indices("second", second)
    if len(first) != len(second):
        arrays.refuse(f"second: {len(second)} vertices for {len(first)}")
    links = _empty(len(first), "tack")
    links["body"] = NONE
    links["vertices"][:, 0] = first
    links["vertices"][:, 2] = second
    return _held(links, length, speed, stiffness)


def tack_to_body(vertices, body, corners, weights, length=0.0, speed=SPEED, stiffness=0.0):
    """Links that hold vertices to places on a body: `corners` (n x 3) of it with `weights` (n x 3).

    body: a Body of the same cloth. nearest.nearest_places() finds places.
    """
    vertices = arrays.indices("vertices", vertices)
    links = _empty(len(vertices), "tack")
    links["vertices"][:, 0] = vertices
    links["body"] = body.number
    links["body_vertices"] = arrays.indices("corners", corners, columns=3)
    links["body_weights"] = arrays.floats("weights", weights, (len(vertices), 3))
    return _held(links, length, speed, stiffness)


def _held(links, length, speed, stiffness):
    links["length"] = NONE if length is None else number("length", length)
    links["speed"] = number("speed", speed)
    links["stiffness"] = number("stiffness", stiffness)
    return links


def elastic(edges, share, stiffness=ELASTIC):
    """Links along edges (n x 2) that want to be `share` of the length that these have now.

    stiffness: N that it pulls with where it is twice as long as it wants to be.
    """
    edges = arrays.indices("edges", edges, columns=2)
    links = _empty(len(edges), "elastic")
    links["vertices"][:, 0] = edges[:, 0]
    links["vertices"][:, 2] = edges[:, 1]
    links["share"] = number("share", share)
    links["strength"] = number("stiffness", stiffness)
    return links


def button(stitches, facing, length, speed=SPEED, stiffness=0.0):
    """Links that lay the first point of each stitch over its second, `length` m above, and hold it there.

    length: one for all or one for each. facing: n x 3 vertices of the cloth below, whose triangles are seen
    counter-clockwise from above.
    """
    links = _sewn("button", stitches, speed, stiffness)
    links["below"] = arrays.indices("facing", facing, columns=3)
    links["length"] = arrays.floats("length", np.broadcast_to(length, len(links)), (len(links),))
    return links


def shifted(links, by):
    """Links of a garment whose vertices are counted from another number on in a joint cloth."""
    found = links.copy()
    found["vertices"] += np.where(found["vertices"] >= 0, by, 0).astype(np.int32)
    if found.dtype == KINDS["button"]:
        found["below"] += by
    return found


STITCH = np.dtype([("vertices", np.int32, 4), ("places", np.float32, 2)])


def stitches_of(given):
    """An array of stitches: `vertices` and `places` as in muslin_links.h; pairs of vertices become one."""
    if isinstance(given, np.ndarray) and given.dtype == STITCH:
        return given
    pairs = arrays.indices("stitches", given, columns=2)
    stitches = np.zeros(len(pairs), dtype=STITCH)
    stitches["vertices"] = NONE
    stitches["vertices"][:, [0, 2]] = pairs
    return stitches

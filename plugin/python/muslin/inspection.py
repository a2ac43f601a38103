"""How a garment lies on its bodies and in itself: what the library finds at one moment.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import ctypes
from dataclasses import dataclass

from . import _abi, _enums
from .calls import dataclass_of, new_struct, to_dataclass

InspectionReport = dataclass_of(
    _abi.Inspection, "InspectionReport", "How a garment lies; m. As in muslin.h."
)


@dataclass(frozen=True)
class Place:
    """One place of what is found. body: its number, or None. vertices: the vertex, or the edge's two.

    corners: of the triangle. point, depth: m.
    """

    kind: _enums.PlaceKind
    body: int
    vertices: tuple
    corners: tuple
    point: tuple
    depth: float


@dataclass(frozen=True)
class Inspection(InspectionReport):
    """How a garment lies: `lie` and `found` say it in short, `places` has the first of each kind."""

    places: tuple = ()


def inspect_cloth(call):
    """call(name, ...): of a cloth's functions."""
    report = new_struct(_abi.Inspection)
    places = (_abi.Place * (_abi.PLACES_EACH * len(_enums.PlaceKind)))()
    found = ctypes.c_int32(0)
    call("muslin_cloth_inspect", report, places, len(places), ctypes.byref(found))
    told = vars(to_dataclass(InspectionReport, report))
    told.update(lie=_enums.Lie(report.lie), found=_enums.Fault(report.found))
    return Inspection(**told, places=tuple(map(place_of, places[: found.value])))


def place_of(item):
    """A C place without its unused parts, which are -1."""
    return Place(
        _enums.PlaceKind(item.kind),
        None if item.body < 0 else item.body,
        tuple(v for v in item.vertices if v >= 0),
        tuple(v for v in item.corners if v >= 0),
        tuple(item.point),
        item.depth,
    )

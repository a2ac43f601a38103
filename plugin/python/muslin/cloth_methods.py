"""The methods of Cloth about what sews it, how it lies on its bodies and in itself, and where it is tight.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import ctypes
from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from . import _abi, _enums, arrays
from .calls import dataclass_of, new_struct, to_dataclass
from .settings import whole_number
from .sewing import links

LinkReport = dataclass_of(
    _abi.LinkReport, "LinkReport", "How far seams, tacks and elastics have come; m."
)


class Sewing:
    """Base of Cloth. Each set of links has a number, by which it is released and reported on."""

    _sets = (
        0  # sets since all were replaced, released ones included: a snapshot may bring them back
    )
    _weightless = True

    def set_links(self, sets, weightless=True):
        """Replace all links; gives the number of each set.

        sets: arrays of links.seam(), links.tack(), links.tack_to_body() or links.elastic().
        weightless: gravity waits until all have closed, at most twice as long as their way takes.
        """
        return self._give("muslin_cloth_set_links", 0, sets, weightless)

    def add_links(self, sets):
        """More links beside those that are there, which stay as they are; gives the number of each set."""
        return self._give("muslin_cloth_add_links", self._sets, sets, self._weightless)

    def sew(self, stitches, **how):
        """Sew pairs of vertices, or stitches that `seams` has found, beside what is sewn already.

        Gives the set's number. speed, stiffness: as links.seam() explains.
        """
        return self._add(links.seam(stitches, **how))

    def tack(self, first, second, **how):
        """Hold vertices to others of this cloth, as links.tack() explains; gives the set's number."""
        return self._add(links.tack(first, second, **how))

    def elastic(self, edges, share, **how):
        """Elastic along edges, as links.elastic() explains; gives the set's number."""
        return self._add(links.elastic(edges, share, **how))

    def release(self, set_number):
        """Let the links of a set go."""
        self._call("muslin_cloth_release_links", whole_number("set_number", set_number))

    def hold(self, set_number):
        """Hold the links of a released set again, as long as they were measured when they were given.

        Tacks whose body is gone stay released.
        """
        self._call("muslin_cloth_hold_links", whole_number("set_number", set_number))

    def link_report(self, set_number=None):
        """How far a set of links has come, or all of them, as a LinkReport."""
        report = new_struct(_abi.LinkReport)
        which = -1 if set_number is None else whole_number("set_number", set_number)
        self._call("muslin_cloth_get_links", which, report)
        return to_dataclass(LinkReport, report)

    def _add(self, added):
        return self.add_links([added])[0]

    def _give(self, call, first, sets, weightless):
        given = [array.copy() for array in sets]
        numbers = list(range(first, first + len(given)))
        for set_number, array in zip(numbers, given):
            array["set"] = set_number
        struct, keep = links.to_struct(given, weightless)
        self._call(call, struct)
        del keep
        self._sets = first + len(given)
        self._weightless = weightless
        return numbers


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
    """A garment's placement: `placement` is its severity, `found` what is wrong, `places` the first places of each kind."""

    places: tuple = ()


def inspect_cloth(call):
    """call(name, ...): of a cloth's functions."""
    report = new_struct(_abi.Inspection)
    places = (_abi.Place * (_abi.PLACES_EACH * len(_enums.PlaceKind)))()
    found = ctypes.c_int32(0)
    call("muslin_cloth_get_inspection", report, places, len(places), ctypes.byref(found))
    reported = vars(to_dataclass(InspectionReport, report))
    reported.update(placement=_enums.Placement(report.placement), found=_enums.Fault(report.found))
    return Inspection(**reported, places=tuple(map(place_of, places[: found.value])))


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


Fit = namedtuple("Fit", "warp weft shear pressure gap")
Fit.__doc__ = (
    """Where a cloth is tight: arrays of one float32 for each vertex, as Cloth.fit() explains."""
)


class Tightness:
    """Base of Cloth."""

    def fit(self):
        """Where the cloth is tight, as a Fit of arrays, one number for each vertex.

        warp, weft: strain of the threads, length over that in the pattern minus 1. shear: by how much
        the angle between them differs from the right one, rad. pressure: on bodies, Pa. gap: m to
        the nearest surface of a body, negative inside; infinite without bodies.
        """
        fit = Fit(*np.empty((5, self.vertex_count), dtype=np.float32))
        self._call("muslin_cloth_get_fit", *map(arrays.float_pointer, fit))
        return fit

    def tensions(self):
        """(along warp, along weft) at each vertex: N for each metre of cloth across as it is now, by the cloth's own law.

        Below 0 where it is compressed. Bending, ropes, seams and elastics are none of it.
        """
        pulls = np.empty((2, self.vertex_count), dtype=np.float32)
        self._call("muslin_cloth_get_tension", *map(arrays.float_pointer, pulls))
        return pulls[0], pulls[1]

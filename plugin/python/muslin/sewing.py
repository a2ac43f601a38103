"""What a cloth is sewn by: the methods of Cloth about links.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import ctypes

import numpy as np

from . import _abi, links
from .calls import dataclass_of, new_struct, to_dataclass
from .settings import whole_number

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
        self._call("muslin_cloth_link_report", which, report)
        return to_dataclass(LinkReport, report)

    def _add(self, added):
        return self.add_links([added])[0]

    def _give(self, call, first, sets, weightless):
        given = [array.copy() for array in sets]
        numbers = list(range(first, first + len(given)))
        for set_number, array in zip(numbers, given):
            array["set"] = set_number
        joined = np.concatenate(given or [links.seam([])])
        pointer = joined.ctypes.data_as(ctypes.POINTER(_abi.Link))
        self._call(call, len(joined), pointer, int(bool(weightless)))
        self._sets = first + len(given)
        self._weightless = weightless
        return numbers

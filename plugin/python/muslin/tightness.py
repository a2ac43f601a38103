"""Where a cloth is tight: the methods of Cloth about strain, tension and pressure.

SPDX-License-Identifier: GPL-3.0-or-later
"""

from collections import namedtuple

import numpy as np

from . import arrays

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
        self._call("muslin_cloth_fit", *map(arrays.float_pointer, fit))
        return fit

    def tensions(self):
        """(along warp, along weft) at each vertex: N for each metre of cloth across as it is now, by the cloth's own law.

        Below 0 where it is compressed. Bending, ropes, seams and elastics are none of it.
        """
        pulls = np.empty((2, self.vertex_count), dtype=np.float32)
        self._call("muslin_cloth_tension", *map(arrays.float_pointer, pulls))
        return pulls[0], pulls[1]

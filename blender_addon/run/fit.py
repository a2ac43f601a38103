# SPDX-License-Identifier: GPL-3.0-or-later
"""Strain, tension, pressure and ease of a cloth as it is now, in the units of the fit map."""

import numpy as np

TO_MILLIMETRES, TO_PER_CENT = 1e3, 1e2


def maps(cloth):
    """quantity -> n numbers float32. No ease without bodies.

    Runs in any thread, touches nothing of Blender.
    """
    fit = cloth.fit()
    found = {"warp": fit.warp * TO_PER_CENT, "weft": fit.weft * TO_PER_CENT}
    found["shear"] = np.degrees(fit.shear)
    found["tension"] = np.maximum(*cloth.tensions())
    found["pressure"] = fit.pressure
    if np.isfinite(fit.gap).all():
        found["ease"] = fit.gap * TO_MILLIMETRES
    return found


class FitMaps:
    """What a Simulation tells of how its garments fit, after each step.

    fit_maps: of the last step, see maps(); None where they are not wanted.
    """

    def __init__(self, objects):
        self.fit_maps = None
        self._tells_fit = any(each.muslin.fit.enabled for each in objects)

    def choose_fit(self):
        """As the artist wants it now. In the main thread."""
        self._tells_fit = any(member.find().muslin.fit.enabled for member in self.members)

    def measure_fit(self):
        """The maps of the cloth as it is now, or none. Runs in any thread, touches nothing of Blender."""
        self.fit_maps = maps(self.cloth) if self._tells_fit else None

    def tell_fit(self):
        """A map was switched on or off."""
        self.choose_fit()
        self.measure_fit()

    def fit_maps_of(self, member, obj):
        """Those of one garment, where they are wanted."""
        if self.fit_maps is None or not obj.muslin.fit.enabled:
            return None
        return {quantity: numbers[member.span] for quantity, numbers in self.fit_maps.items()}

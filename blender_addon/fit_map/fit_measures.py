# SPDX-License-Identifier: GPL-3.0-or-later
"""Strain, tension, pressure and ease of a cloth as it is now, in the units of the fit map."""

import numpy as np

TO_MILLIMETRES, TO_PER_CENT = 1e3, 1e2


def maps(cloth, with_tension):
    """quantity -> n numbers float32. No ease without bodies; tension takes longer than all others.

    Runs in any thread, touches nothing of Blender.
    """
    fit = cloth.fit()
    found = {"warp": fit.warp * TO_PER_CENT, "weft": fit.weft * TO_PER_CENT}
    found["shear"] = np.degrees(fit.shear)
    if with_tension:
        found["tension"] = tension(cloth)
    found["pressure"] = fit.pressure
    if np.isfinite(fit.gap).all():
        found["ease"] = fit.gap * TO_MILLIMETRES
    return found


def tension(cloth):
    return np.maximum(*cloth.tensions())


class FitMaps:
    """What a Simulation reports on how its garments fit, after each step.

    fit_maps: of the last step, see maps(); None where they are not wanted. What is watched has the tension only where it
    is the map that is shown.
    """

    def __init__(self, objects, live):
        self.fit_maps = None
        self._is_watched = live
        self._choose(objects)

    def _choose(self, objects):
        wanted = [each.muslin.fit.quantity for each in objects if each.muslin.fit.enabled]
        self._wants_fit = bool(wanted)
        self._wants_tension = "tension" in wanted or not self._is_watched

    def choose_fit(self):
        """As the artist wants it now. In the main thread."""
        self._choose([member.find() for member in self.members])

    def measure_fit(self):
        """The maps of the cloth as it is now, or none. Runs in any thread, touches nothing of Blender."""
        self.fit_maps = maps(self.cloth, self._wants_tension) if self._wants_fit else None

    def add_tension(self):
        """To the maps, where it is missing: what is kept has all of them."""
        if self.fit_maps is not None and "tension" not in self.fit_maps:
            self.fit_maps["tension"] = tension(self.cloth)

    def update_fit(self):
        """A map was switched on or off, or another one is shown."""
        self.choose_fit()
        self.measure_fit()

    def fit_maps_of(self, member, obj):
        """Those of one garment, where they are wanted."""
        if self.fit_maps is None or not obj.muslin.fit.enabled:
            return None
        return {quantity: numbers[member.span] for quantity, numbers in self.fit_maps.items()}

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

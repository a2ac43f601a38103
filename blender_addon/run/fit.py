# SPDX-License-Identifier: GPL-3.0-or-later
"""Strain, tension, pressure and ease of a cloth as it is now, in the units of the fit map."""

import numpy as np

from ..muslin.tension import cloth_tensions

TO_MILLIMETRES, TO_PER_CENT = 1e3, 1e2


def maps(cloth, stretch_scale=None):
    """quantity -> n numbers float32. No tension where no law tells it, no ease without bodies.

    Runs in any thread, touches nothing of Blender. stretch_scale: of each vertex, or None.
    """
    fit = cloth.fit()
    found = {"warp": fit.warp * TO_PER_CENT, "weft": fit.weft * TO_PER_CENT}
    found["shear"] = np.degrees(fit.shear)
    pulls = cloth_tensions(cloth, fit, 1.0 if stretch_scale is None else stretch_scale)
    if pulls is not None:
        found["tension"] = np.maximum(*pulls)
    found["pressure"] = fit.pressure
    if np.isfinite(fit.gap).all():
        found["ease"] = fit.gap * TO_MILLIMETRES
    return found

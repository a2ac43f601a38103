# SPDX-License-Identifier: GPL-3.0-or-later
"""Detail for a garment that follows a coarser level: learnt from fine runs, or from compression alone.

    from muslin.upsampling import Upsampling, train

    operator = train(mesh, [(coarse_run, fine_run), ...], level=2).operator
    operator.save("shirt.upsampling.npz")
    positions = Upsampling.load("shirt.upsampling.npz", mesh).apply(cloth.positions())
"""

from .operator import Upsampling, put_before_bodies
from .tracking import Tracking
from .training import train
from .wrinkles import Wrinkles

__all__ = ["Tracking", "Upsampling", "Wrinkles", "put_before_bodies", "train"]

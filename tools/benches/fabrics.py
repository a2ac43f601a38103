# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabrics: measured materials against their own numbers."""

import sys

from common.parts import Bench
from fabric_cases import bending, fitted, refinement, speed, stretching, upsampling

QUICK_HELP = "few fabrics and meshes of each kind"
PARTS = {
    "stretching": stretching,
    "speed": speed,
    "bending": bending,
    "fitted": fitted,
    "refinement": refinement,
    "upsampling": upsampling,
}
# Key, what it is, what to reach.
FIGURES = (
    ("trbs_energy_error", "sheet against triangular springs: energy, relative", "<= 1e-12"),
    ("strip_error", "force of measured strips along warp, weft and bias", "<= 0.02"),
    ("fabric_speedup", "conventional solver over ours, at the same distance", ">= 10"),
    ("fabric_cost", "a frame of a measured fabric over one of triangles", "<= 1.6"),
    ("strip_error_between", "likewise at 22.5 and 67.5 degrees", "-"),
    ("strip_bend_degrees", "Peirce's angle of measured strips, farthest from theory", "<= 1.5"),
    ("fit_error", "numbers of a fabric fitted to simulated measurements", "<= 0.02"),
    ("curve_fit_error", "force of strips of curves fitted to simulated measurements", "<= 0.02"),
    ("refinement_distance", "drapes on 2k and 8k vertices from 32k, over the size", "<= 0.015"),
    ("upsample_speedup", "a frame of 32k vertices over one of 4k that is up-sampled", ">= 10"),
    ("upsample_speedup_layered", "likewise with self-contact in both", "-"),
    ("upsample_error_ratio", "distance from the 32k run over that of plain riding", "<= 0.6"),
    (
        "upsample_tracking_ratio",
        "likewise of wrinkles, where the fine run tracks the coarse one",
        "-",
    ),
    ("upsample_pierced", "edges of the up-sampled t-shirt through the body", "<= 0"),
    ("upsample_ms", "up-sampling a frame, ms", "-"),
)
BENCH = Bench("fabrics", __doc__, QUICK_HELP, PARTS, FIGURES)

if __name__ == "__main__":
    sys.exit(BENCH.main())

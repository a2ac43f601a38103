# SPDX-License-Identifier: GPL-3.0-or-later
"""How far Muslin reaches: farms, the other systems that it runs on, and the packages for them."""

import sys

from common.parts import Bench
from reach_cases import farm, packages, windows

QUICK_HELP = "small garments, fewer tests; the same figures"
PARTS = {"windows": windows, "packages": packages, "farm": farm}
# Key, what it is, what to reach.
FIGURES = (
    ("wine_tests_run", "tests for Windows that ran, under Wine", "-"),
    ("wine_tests_failed", "of these, failed", "0"),
    ("packages_valid", "packages for three platforms that Blender, pip and the loaders take", "9"),
    ("dll_foreign_imports", "libraries that muslin.dll needs and Windows does not bring", "0"),
    ("batch_speedup", "24 tasks, two at a time against one after the other, two cores", ">= 1.8"),
    ("slurm_mismatch", "point caches of a Slurm array that differ from one machine's", "0"),
    (
        "windows_distance_fall",
        "Linux against Windows, free fall: largest distance over size",
        "<= 1e-6",
    ),
    ("windows_distance_tshirt", "the same, a t-shirt on a figure that moves", "-"),
    ("one_bit_distance_tshirt", "the same scene on Linux, one bit of its start changed", "-"),
)
BENCH = Bench("reach", __doc__, QUICK_HELP, PARTS, FIGURES)

if __name__ == "__main__":
    sys.exit(BENCH.main())

# SPDX-License-Identifier: GPL-3.0-or-later
"""Every way to solve: the sources' own figures measured again, and what each way gives for its time."""

import sys

from common.parts import Bench
from research.method_cases import (
    compact,
    first_frame,
    mirroring,
    patterns,
    semi_implicit,
    sphere,
    threads,
    vibration,
)
from research.method_cases.chart import part as chart

QUICK_HELP = "small meshes, few frames; the same figures of other sizes"
PARTS = {
    "semi_implicit": semi_implicit,
    "threads": threads,
    "compact": compact,
    "patterns": patterns,
    "vibration": vibration,
    "sphere": sphere,
    "mirroring": mirroring,
    "first_frame": first_frame,
    **chart.PARTS,
}
# Key, what it is, what to reach.
FIGURES = (
    (
        "kim6_speedup",
        "converged implicit step over six sweeps, stiff sheet of 6,400 masses",
        ">= 6",
    ),
    (
        "compact_product_speedup",
        "product with an assembled matrix over one along threads",
        ">= 1.5",
    ),
    ("pattern_miscount", "entries of L, the library's count less NumPy's", "0"),
    (
        "vibration_edge_reference_rotation",
        "edges guessed by rotation: third differences over way",
        "-",
    ),
    ("vibration_edge_reference_translation", "the same, by translation", "-"),
    ("vibration_triangle_reference_rotation", "triangles by rotation", "-"),
    ("vibration_triangle_reference_translation", "the same, by translation", "-"),
    ("threads_jacobian_error", "the slides' G against the derivative, stretch 1.1", "-"),
    ("threads_least_eigenvalue", "of the slides' matrix, links 1 % too short", "-"),
    ("threads_dominant_rows", "of it that are diagonally dominant, stretch 1.001", "-"),
    ("threads_area_part", "the slides' area force over minus its energy's derivative", "-"),
    ("threads_bending_part", "the slides' bending force likewise", "-"),
    ("threads_response_rope", "drop by one Newton step a step over the converged one", "-"),
    ("threads_response_cloth", "the same, a cloth", "-"),
    ("sphere_triangle_c_2", "sphere test, linear IVT, 1/48 s: drop over the conventional", "-"),
    ("sphere_triangle_c_20", "the same, 1/480 s", "-"),
    ("sphere_triangle_d_2", "the same, 1/48 s, two levels at fit", "-"),
    (
        "first_frame_ratio",
        "first frame of a new 20k garment on a body, sweeps over constant matrix at draft",
        "< 1",
    ),
    ("first_frame_ratio_fit", "the same over fit, the library's default", "< 1"),
    ("first_frame_ratio_hung", "the same as the first, hung, nothing to meet", "< 1"),
    ("first_frame_ratio_self", "the same as the first, with self-contact", "< 1"),
)
BENCH = Bench("methods", __doc__, QUICK_HELP, PARTS, FIGURES)

if __name__ == "__main__":
    sys.exit(BENCH.main())

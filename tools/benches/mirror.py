# SPDX-License-Identifier: GPL-3.0-or-later
"""Half a garment for both: how much faster, how near to the whole run, closures, and what is not symmetric."""

import sys

from common.parts import Bench
from mirror_cases import closures, distance, speed, uneven

QUICK_HELP = "coarse meshes and fewer frames; the same figures of other sizes"
# Key, what it is, what to reach.
FIGURES = (
    ("solver_speedup_329", "solver without contacts, t-shirt, linear rounds", "-"),
    ("solver_speedup_329_implicit", "the same, conventional", "-"),
    ("solver_speedup_1934", "open jacket, linear rounds", "-"),
    ("solver_speedup_1934_implicit", "the same, conventional", "-"),
    ("solver_speedup_20k", "t-shirt of 20,000 vertices, linear rounds", "-"),
    ("solver_speedup_20k_implicit", "the same, conventional", "-"),
    ("step_speedup_20k", "whole step with body contact, linear rounds", "-"),
    ("step_speedup_20k_draft", "the same at draft", "-"),
    ("step_speedup_20k_fit", "the same at fit", "-"),
    ("frame_speedup_20k", "linear rounds, body and positions handed over, too", "-"),
    ("factor_speedup_20k", "a factorisation", "-"),
    ("factor_memory_ratio_20k", "bytes taken for the factor, whole over half", "-"),
    ("factor_nonzeros_ratio_20k", "entries of L, whole over half", "-"),
    ("memory_ratio_20k", "all bytes of the cloth, whole over half", "-"),
    ("hanging_distance", "to the whole run over size, 100 frames, linear rounds", "-"),
    ("hanging_distance_implicit", "the same, conventional", "-"),
    ("hanging_distance_fit", "the same at fit", "-"),
    ("hanging_fit_whole_to_implicit", "whole at fit to whole conventional", "-"),
    ("hanging_fit_half_to_implicit", "half at fit to whole conventional", "-"),
    ("worn_distance", "20,000 vertices on the moving body, frame 10", "-"),
    ("worn_uneven", "the whole run's own asymmetry then", "-"),
    ("worn_uncertainty", "two whole runs that start 1 um apart, then", "-"),
    ("worn_distance_100", "by half at frame 100", "-"),
    ("worn_uneven_100", "the whole run's own asymmetry then", "-"),
    ("worn_uncertainty_100", "two whole runs that start 1 um apart, then", "-"),
    ("worn_distance_jacket", "the jacket, frame 10", "-"),
    ("worn_uncertainty_jacket", "two whole runs of it that start 1 um apart", "-"),
    ("worn_distance_jacket_implicit", "the jacket, frame 10, conventional", "-"),
    ("asymmetry", "of all mirrored outputs, m", "0"),
    ("halve_distance", "sides cut differently: to the whole run's surface, over size", "-"),
    ("front_piercings", "between closed fronts, every 10th frame", "0"),
    ("front_piercings_end", "the same at the end", "0"),
    ("front_piercings_closing", "the most while they close", "-"),
    ("closed_end_speed", "largest of a closed jacket at the end, m/s", "-"),
    ("extra_piercings", "of a pocket through the shirt", "0"),
    ("switch_jump_ratio", "way in the frame of a switch over that of frames before", "-"),
)
PARTS = {"speed": speed, "distance": distance, "uneven": uneven, "closures": closures}


def last(results):
    outputs = [row["asymmetry"] for row in results.rows if row.get("asymmetry") is not None]
    if outputs:
        results.number("asymmetry", max(outputs))


BENCH = Bench("mirror", __doc__, QUICK_HELP, PARTS, FIGURES, last=last)

if __name__ == "__main__":
    sys.exit(BENCH.main())

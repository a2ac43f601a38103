# SPDX-License-Identifier: GPL-3.0-or-later
"""Fitting garments to bodies: bad starts that are told, and what is told about the fit."""

import sys

from common.parts import Bench
from fitting_cases import halve, run_ups, settling, sleeve, starts, trapped

QUICK_HELP = "few cases of each kind"
PARTS = {
    "settling": settling,
    "run_ups": run_ups,
    "trapped": trapped,
    "sleeve": sleeve,
    "starts": starts,
    "halve": halve,
}
# Key, what it is, what to reach.
FIGURES = (
    ("settle_s_8k", "coverall of 8,426 vertices until it is settled, s", "<= 2"),
    ("settle_distance", "from there to where a long run rests, over the size", "<= 0.02"),
    ("settle_speed", "fastest vertex when it is settled, mm/s", "<= 1"),
    ("settle_s_mirror", "mirrored bodysuit of 10,000 vertices until it is settled, s", "<= 1.2"),
    ("start_inside", "vertices inside the body in any frame after a run-up", "0"),
    ("start_piercings", "edges through the body, or of it through the cloth, likewise", "-"),
    ("start_stretch_p99", "one edge in a hundred is stretched to more, likewise", "<= 1.15"),
    ("halve_piercings", "uneven suits by half: edges through the body and itself", "0"),
    ("halve_stretch_p99", "one edge in a hundred is stretched to more, likewise", "<= 1.15"),
    ("halve_speedup", "a frame of the whole suit over one by half, likewise", ">= 1.6"),
    ("trapped_frames", "frames with a vertex on the wrong side of skins that touch", "0"),
    ("trapped_stretch", "the largest stretch of an edge between them", "<= 1.3"),
    ("trapped_frames_draft", "the first of these at draft", "-"),
    ("trapped_stretch_draft", "the second", "-"),
    ("trapped_left", "what is wrong when they have parted", "0"),
    ("sleeve_error", "hoop tension and pressure of a tight sleeve", "<= 0.05"),
    ("silent_starts", "starts made wrong that are not told as bad", "0"),
    ("wrong_starts", "of so many", "40"),
    ("false_alarms", "good starts that are told as bad, scenes that are told at all", "0"),
    ("miscounted_piercings", "the most by which a count differs from the judge's", "-"),
    ("inspect_ms_8k", "an inspection of the coverall, ms", "-"),
)
BENCH = Bench("fitting", __doc__, QUICK_HELP, PARTS, FIGURES)

if __name__ == "__main__":
    sys.exit(BENCH.main())

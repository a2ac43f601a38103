# SPDX-License-Identifier: GPL-3.0-or-later
"""How cloth meets bodies and itself: nothing passes, friction, rest, distance to the converged run, cost."""

import sys

from common.parts import Bench
from contact_cases import cost, everywhere, friction, sphere
from worn_cases import distance

QUICK_HELP = "coarse meshes and fewer frames; the same figures of other sizes"
# Key, what it is, what to reach.
FIGURES = (
    ("deep_frames", "frames with a vertex behind a body, all scenes", "0"),
    ("self_piercings", "cloth through itself at the end, all scenes", "0"),
    ("body_piercings", "cloth through bodies at the end, both ways", "0"),
    ("body_piercings_on_the_way", "the most in any 4th frame, summed over scenes", "-"),
    ("incline_ratio", "sliding on 20 degrees at 0.3, over theory", "0.97..1.03"),
    ("incline_stick_mm", "way on 20 degrees at 0.5, mm", "-"),
    ("rest_speed", "settled sphere drape, mm/s", "<= 5"),
    ("rest_speed_worst", "the worst of four starts", "-"),
    ("rest_speed_fastest", "the fastest vertex, mean of four starts", "-"),
    ("worn_rms", "worn t-shirt at fit, RMS over size", "<= 0.02"),
    ("worn_rms_draft", "the same at draft", "-"),
    ("worn_rms_final", "the same at final", "-"),
    ("contact_share", "contact over the whole step, 20k on 20k", "<= 0.6"),
    ("contact_share_self", "the same with self-contact", "-"),
    ("growth_exponent", "cost of a frame, 10k to 80k vertices", "<= 1.15"),
    ("growth_exponent_solve", "cost of a solve and all around it, likewise", "-"),
    ("step_bytes", "bytes taken from the heap during warm steps", "0"),
    (
        "sphere_distance",
        "settled sphere drape, final, against the converged conventional",
        "<= 0.02",
    ),
    ("sphere_distance_worst", "the worst pair of starts", "-"),
    ("sphere_distance_fit", "the same at fit", "-"),
    ("sphere_distance_one_newton", "final against one Newton step", "-"),
    ("sphere_distance_rough", "final against converged, starts rough by 0.1 mm", "-"),
    ("sphere_uncertainty_rough", "two converged drapes from rough starts", "-"),
    ("sphere_uncertainty", "two converged drapes a micrometre apart", "-"),
    ("sphere_uncertainty_final", "two at final a micrometre apart", "-"),
)
PARTS = {
    "everywhere": everywhere,
    "friction": friction,
    "sphere": sphere,
    "distance": distance,
    "cost": cost,
}


def last(results):
    if "worn_rms_fit" in results.numbers:  # its name since there were others
        results.number("worn_rms", results.numbers["worn_rms_fit"])


BENCH = Bench("contact", __doc__, QUICK_HELP, PARTS, FIGURES, last=last)

if __name__ == "__main__":
    sys.exit(BENCH.main())

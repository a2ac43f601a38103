# SPDX-License-Identifier: GPL-3.0-or-later
"""An artist's afternoon: clicks, seconds until cloth moves and rests, frames a second, and what shows through."""

import sys

from artist_cases import dressing, overhead, playing, sewing, wearing
from common.parts import Bench

QUICK_HELP = "one garment, few frames; the same figures of other sizes"
PARTS = {
    "dressing": dressing,
    "playing": playing,
    "sewing": sewing,
    "overhead": overhead,
    "wearing": wearing,
}
# Key, what it is, what to reach.
FIGURES = (
    ("clicks_to_drape", "clicks from imported meshes to a draped garment", "<= 3"),
    ("dress_s_8k", "from the click to the settled coverall of 8,426 vertices, s", "<= 4"),
    ("first_motion_s", "from the click to its first visible motion, s", "<= 0.5"),
    ("live_fps_8k", "frames a second in the add-on, coverall, budget 41 ms", ">= 20"),
    ("seam_gap_mm", "largest gap of a t-shirt's pattern sewn around the body, mm", "<= 1"),
    ("sewn_stretch", "its edge stretch, 99th percentile", "<= 1.1"),
    ("overhead_ms", "of a baked frame outside the native step, two garments, ms", "<= 3"),
    ("inside_any_frame", "vertices inside the body in any frame, all garments and motions", "0"),
)
BENCH = Bench("artist", __doc__, QUICK_HELP, PARTS, FIGURES)

if __name__ == "__main__":
    sys.exit(BENCH.main())

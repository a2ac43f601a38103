# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on in the real Blenders: overhead, speed against Blender's own cloth, exactness, start."""

import sys
from functools import lru_cache

from blender_cases import enabling, free, overhead, readback
from blender_cases.session import open_sessions
from common.parts import Bench
from common.report import note

QUICK_HELP = "a coarse sheet and fewer frames; the same figures of other sizes"
# Key, what it is, what to reach.
FIGURES = (
    ("overhead_ms", "overhead a frame at 19,881 vertices, worst of 4.3 and 5.2, ms", "<= 3"),
    (
        "vs_builtin_free_20k",
        "Blender's own time over ours, free sheet, two rounds, worst",
        ">= x30",
    ),
    ("free_response", "its lowest response, frames 5, 10, 20", ">= 0.8"),
    ("free_largest_stretch", "its largest edge stretch", "<= 1.10"),
    ("vs_builtin_free_20k_draft", "the same ratio at quality draft", "-"),
    ("free_response_draft", "its lowest response", "-"),
    ("free_largest_stretch_draft", "its largest edge stretch", "-"),
    ("free_reference_response", "the converged run's own, against Newton", "-"),
    ("readback_mismatch", "numbers with other bits, PC2 and relative keys", "0"),
    ("enable_s", "enabling, s, worst", "<= 0.1"),
    ("enable_first_s", "the same without bytecode", "-"),
    ("enable_loads", "NumPy or the library loaded by enabling", "0"),
)


@lru_cache(maxsize=None)
def sessions_here():
    return open_sessions()


def in_sessions(part):
    """A part that is measured in every Blender that is there."""

    def measure(results, quick):
        sessions, missing = sessions_here()
        if not sessions:
            sys.exit("bench: there is no Blender here; tools/blenders prepare fetches them")
        if "blenders" not in results.numbers:
            results.number("blenders", len(sessions))
            for version in missing:
                note(
                    f"Blender {version} is not there; tools/blenders prepare {version} fetches it."
                )
        part.measure(results, sessions, quick)

    return measure


PARTS = {
    "enabling": in_sessions(enabling),
    "readback": in_sessions(readback),
    "overhead": in_sessions(overhead),
    "free": in_sessions(free),
}
BENCH = Bench("blender", __doc__, QUICK_HELP, PARTS, FIGURES)

if __name__ == "__main__":
    sys.exit(BENCH.main())

# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on in the real Blenders: overhead, speed against Blender's own cloth, exactness, start."""

import sys
import time

from blender_cases import enabling, free, overhead, readback
from blender_cases.session import open_sessions
from common import command
from common.report import heading, note, short, table

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


def measure(results, quick):
    begin = time.monotonic()
    print("The add-on in the real Blenders")
    if quick:
        note("Quick run: coarse sheets, few frames; the figures proper are those of a full run.")
    command.describe_machine(results)
    sessions, missing = open_sessions()
    if not sessions:
        sys.exit("bench: there is no Blender here; tools/blenders prepare fetches them")
    for version in missing:
        note(f"Blender {version} is not there; tools/blenders prepare {version} fetches it.")
    results.number("blenders", len(sessions))
    for part in (enabling, readback, overhead, free):
        part.measure(results, sessions, quick)
    heading("Figures")
    found = results.numbers
    table(
        ("what", "key", "ours", "reach"),
        [(text, key, short(found.get(key)), reach) for key, text, reach in FIGURES],
        left=2,
    )
    results.number("bench_seconds", round(time.monotonic() - begin, 1))
    note(f"Measured in {results.numbers['bench_seconds']:.0f} s.")


if __name__ == "__main__":
    sys.exit(command.run(measure, command.parse("blender", __doc__, QUICK_HELP)))

# SPDX-License-Identifier: GPL-3.0-or-later
"""A finished bake as Blender shows it, against the numbers that the library computed."""

from common.report import heading, note, whole

EXACT = ("pc2", "relative")  # what is promised to the bit


def measure(results, sessions, quick):
    heading("Reading back: evaluated vertices at every frame against the library's float32")
    side, frames = (41, 8) if quick else (141, 24)
    note(
        f"A sheet of {whole(side * side)} vertices over {frames} frames; numbers with other bits. A "
        "zero of either sign is the same number: shape keys are sums, which lose it."
    )
    wrong = 0
    for session in sessions:
        found = session.run("readback", side=side, frames=frames)
        for kind, one in found.items():
            wrong += one["mismatch"] if kind in EXACT else 0
            results.row("readback", version=session.version, kind=kind, **one)
    results.show("readback", "version kind numbers mismatch zero_signs largest")
    results.number("readback_mismatch", wrong)

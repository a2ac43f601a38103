# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases without a good answer: what matters is that the cloth stays finite and calm, and says so."""

import numpy as np
from common.report import digits, heading, note, percent, table
from test_scenes.contact.bad import closing_plates, swallowed
from test_scenes.contact.play import Play

FRAMES = 48
CASES = {
    "plates close to 10 mm": lambda: closing_plates(0.010),
    "plates close to 2 mm": lambda: closing_plates(0.002),
    "plates overlap by 10 mm": lambda: closing_plates(-0.010),
    "sphere appears around it": swallowed,
}
HEADER = (
    "case",
    "finite",
    "stuck|largest",
    "stuck|at the end",
    "speed|largest, m/s",
    "end speed|mm/s",
    "strain|largest",
    "heights at|the end, mm",
    "ms per|frame",
)


def measure(results, quick):
    heading("No room left, quality fit")
    note(
        f"{FRAMES} frames. Stuck: vertices that the library says have nowhere to go. The plates, 20 mm "
        "thick, meet at the height 0; cloth that ends elsewhere has come through one of them."
    )
    rows = []
    for name in CASES:
        rows.append(_case(results, name))
    table(HEADER, rows)


def _case(results, name):
    fastest = 0.0
    with Play(CASES[name](), self_contact=True) as play:
        for _ in range(FRAMES):
            play.step()
            fastest = max(fastest, play.largest_speed())
        finite = bool(np.isfinite(play.positions()).all())
        end = play.mean_speed()
        low, high = (1000 * float(f(play.positions()[:, 2])) for f in (np.min, np.max))
    stuck = [stats.stuck for stats in play.history]
    strain = max(stats.largest_strain for stats in play.history)
    seconds = sum(play.seconds) / FRAMES
    results.row(
        "bad",
        case=name,
        finite=finite,
        stuck_largest=max(stuck),
        stuck_end=stuck[-1],
        largest_speed=fastest,
        end_speed=end,
        largest_strain=strain,
        lowest=low / 1000,
        highest=high / 1000,
        frame_seconds=seconds,
    )
    return (
        name,
        "yes" if finite else "no",
        max(stuck),
        stuck[-1],
        digits(fastest, 2),
        digits(1000 * end, 2),
        percent(strain),
        f"{low:.0f}..{high:.0f}",
        digits(1000 * seconds, 1),
    )

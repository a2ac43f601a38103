# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases without a good answer: what matters is that the cloth stays finite and calm, and says so."""

import numpy as np
from common.report import Rows, heading, mm, note, percent, to
from test_scenes.contact.bad import closing_plates, swallowed
from test_scenes.contact.play import Play

FRAMES = 48
CASES = {
    "plates close to 10 mm": lambda: closing_plates(0.010),
    "plates close to 2 mm": lambda: closing_plates(0.002),
    "plates overlap by 10 mm": lambda: closing_plates(-0.010),
    "sphere appears around it": swallowed,
}
COLUMNS = {
    "case": ("case",),
    "finite": ("finite", lambda finite: "yes" if finite else "no"),
    "stuck_largest": ("stuck|largest",),
    "stuck_end": ("stuck|at the end",),
    "largest_speed": ("speed|largest, m/s", to(2)),
    "end_speed": ("end speed|mm/s", to(2, mm)),
    "largest_strain": ("strain|largest", percent),
    "lowest": ("lowest at|the end, mm", to(0, mm)),
    "highest": ("highest at|the end, mm", to(0, mm)),
    "frame_seconds": ("ms per|frame", mm),
}


def measure(results, quick):
    heading("No room left, quality fit")
    note(
        f"{FRAMES} frames. Stuck: vertices that the library says have nowhere to go. The plates, 20 mm "
        "thick, meet at the height 0; cloth that ends elsewhere has come through one of them."
    )
    rows = Rows(results, "bad", COLUMNS)
    for name in CASES:
        _case(rows, name)
    rows.show()


def _case(rows, name):
    fastest = 0.0
    with Play(CASES[name](), self_contact=True) as play:
        for _ in range(FRAMES):
            play.step()
            fastest = max(fastest, play.largest_speed())
        finite = bool(np.isfinite(play.positions()).all())
        end = play.mean_speed()
        low, high = (float(f(play.positions()[:, 2])) for f in (np.min, np.max))
    stuck = [stats.stuck for stats in play.history]
    rows.add(
        case=name,
        finite=finite,
        stuck_largest=max(stuck),
        stuck_end=stuck[-1],
        largest_speed=fastest,
        end_speed=end,
        largest_strain=max(stats.largest_strain for stats in play.history),
        lowest=low,
        highest=high,
        frame_seconds=sum(play.seconds) / FRAMES,
    )

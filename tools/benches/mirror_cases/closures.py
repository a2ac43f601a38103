# SPDX-License-Identifier: GPL-3.0-or-later
"""An open jacket that is zipped or buttoned: do its fronts stay apart, and does it come to rest?"""

from common.report import Rows, heading, note
from mirror_cases.pairs import DRAFT, asymmetry_of
from mirror_cases.speed import COARSE
from muslin.inspection.intersections import count_between
from test_scenes.contact import mirrored
from test_scenes.contact.play import Play
from test_scenes.mirror import mirror_pairs

FRAMES, QUICK_FRAMES = 300, 30
STILL = 48  # the body moves for so many frames
CLOSING = 12  # frames until the fronts are together: half a second
LOOK = 10  # frames between two counts of piercings afterwards
CLOSURES = ("zip", "button")
COLUMNS = (
    "closure front_vertices closing_piercings piercings end_piercings least_gap largest_gap "
    "end_speed mean_end_speed largest_strain asymmetry frame_seconds"
)


def measure(results, quick):
    frames = QUICK_FRAMES if quick else FRAMES
    scene = mirrored.jacket(**(COARSE if quick else {}), last=QUICK_FRAMES // 2 if quick else STILL)
    heading("Closures of an open jacket, exact, quality draft, self-contact on")
    note(
        f"{frames} frames; the body stands still from frame {QUICK_FRAMES // 2 if quick else STILL} on. "
        f"Piercings between the two fronts, both ways: the most in any of the first {CLOSING} frames, the sum over every "
        f"{LOOK}th frame afterwards, and at the last. Gap: between a vertex of the front's edge and its partner, "
        "across the plane; a button's are beyond it and count as negative. What is closed with a button is not mirrored: there "
        "one front is lifted over the other."
    )
    printed = Rows(results, "closures", COLUMNS)
    for closure in CLOSURES:
        _run(printed, scene, closure, frames)
    printed.show()
    rows = [row for row in results.rows if row["table"] == "closures"]
    results.number("front_piercings", sum(row["piercings"] for row in rows))
    results.number("front_piercings_closing", max(row["closing_piercings"] for row in rows))
    results.number("front_piercings_end", sum(row["end_piercings"] for row in rows))
    results.number("closed_end_speed", max(row["end_speed"] for row in rows))


def _run(rows, scene, closure, frames):
    left, right = mirrored.fronts(scene.cloth)
    edge = mirrored.front_edge(scene.cloth)
    partner = mirror_pairs(scene.cloth)
    asymmetry, closing, counts = 0.0, [], []
    settings = {"mirror": "exact", "closure": closure, **DRAFT[1]}
    with Play(scene, closure, self_contact=True, quads=True, kept=False, **settings) as play:
        for frame in range(1, frames + 1):
            here = play.step()
            asymmetry = max(asymmetry, asymmetry_of(here, partner))
            if frame <= CLOSING:
                closing.append(sum(count_between(here, left, here, right)))
            elif frame % LOOK == 0 or frame == frames:
                counts.append(sum(count_between(here, left, here, right)))
        gaps = 2 * here[edge, 0]
        largest, mean = play.largest_speed(), play.mean_speed()
        fronts, strain = play.cloth.mirror().front_count, max(
            s.largest_strain for s in play.history
        )
    rows.add(
        closure=closure,
        front_vertices=fronts,
        frames=frames,
        closing_piercings=max(closing),
        piercings=sum(counts),
        end_piercings=counts[-1],
        least_gap=float(gaps.min()),
        largest_gap=float(gaps.max()),
        end_speed=largest,
        mean_end_speed=mean,
        largest_strain=strain,
        asymmetry=asymmetry if closure != "button" else None,
        frame_seconds=sum(play.seconds) / frames,
    )

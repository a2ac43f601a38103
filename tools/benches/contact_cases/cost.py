# SPDX-License-Identifier: GPL-3.0-or-later
"""What contact costs: its share of a step, how a step grows with the cloth, memory taken in a step."""

from math import log

from common.measure import program
from common.report import Rows, heading, note, whole
from test_scenes.contact.catalogue import make
from test_scenes.contact.judge import deep_frames
from test_scenes.contact.play import Play

SKIPPED, TIMED, QUICK_TIMED = 4, 12, 4  # frames
GARMENT = {"spacing": 0.0069}  # m between vertices: 20,000 of them
QUICK_GARMENT = {"spacing": 0.04, "body_spacing": 0.02}
FIRST, LAST = 8, 20  # frames of the growth
COUNTS, QUICK_COUNTS = (100, 168, 283), (25, 50)  # vertices along a side


SHARE_COLUMNS = (
    "self_contact total_seconds search_seconds answer_seconds share solves touching "
    "self_contacts deep_frames"
)
GROWTH_COLUMNS = (
    "vertices frame_seconds contact_seconds solves corrections solve_seconds touching "
    "largest_strain"
)


def measure(results, quick):
    _share(results, quick)
    _growth(results, quick)
    heading("Memory taken from the heap by steps that are warm")
    results.number("step_bytes", int(program("step_bytes")))
    note(
        f"{whole(results.numbers['step_bytes'])} bytes in 800 steps without contact and 200 with a "
        "moving table, a fast blade and self-contact, both solvers and models, one thread and two."
    )


def _share(results, quick):
    scene = make("tshirt", **(QUICK_GARMENT if quick else GARMENT))
    timed = QUICK_TIMED if quick else TIMED
    heading("What contact takes of a step: a t-shirt on a moving body, quality fit, one thread")
    note(
        f"{whole(len(scene.cloth.positions))} vertices on {whole(len(scene.bodies[0].triangles()))} "
        f"triangles; means over frames {SKIPPED + 1} to {SKIPPED + timed}. Search: finding contacts. "
        "Answer: what they add to the solver's rounds, and putting vertices back."
    )
    rows = Rows(results, "share", SHARE_COLUMNS)
    for layered, suffix in ((False, ""), (True, "_self")):
        with Play(scene, self_contact=layered, quality="fit") as play:
            play.run(SKIPPED + timed)
        deep, _ = deep_frames(scene, play.track)
        stats = play.history[SKIPPED:]
        total, search, answer, solves, touching, own = (
            sum(getattr(s, name) for s in stats) / timed
            for name in (
                "total_seconds",
                "detection_seconds",
                "response_seconds",
                "solves",
                "touching",
                "self_contacts",
            )
        )
        share = (search + answer) / total
        results.number(f"contact_share{suffix}", share)
        rows.add(
            self_contact=layered,
            vertices=len(scene.cloth.positions),
            total_seconds=total,
            search_seconds=search,
            answer_seconds=answer,
            share=share,
            solves=solves,
            touching=touching,
            self_contacts=own,
            deep_frames=int(deep),
        )
    rows.show()


def _growth(results, quick):
    heading("How a frame grows with the cloth: on a sphere, quality fit, one thread")
    note(f"Means over frames {FIRST} to {LAST}, the same simulated time at every size.")
    rows, found = Rows(results, "growth", GROWTH_COLUMNS), []
    for count in QUICK_COUNTS if quick else COUNTS:
        scene = make("sphere_centred", count=count)
        with Play(scene, self_contact=False, quality="fit", kept=False) as play:
            play.run(LAST)
        stats = play.history[FIRST - 1 :]
        names = ("total_seconds", "contact_seconds", "solves", "corrections", "touching")
        seconds, contact, solves, corrections, touching = (
            sum(getattr(s, name) for s in stats) / len(stats) for name in names
        )
        strain = max(s.largest_strain for s in stats)
        found.append((count * count, seconds, seconds / solves))
        rows.add(
            vertices=count * count,
            frame_seconds=seconds,
            contact_seconds=contact,
            solves=solves,
            corrections=corrections,
            solve_seconds=seconds / solves,
            touching=touching,
            largest_strain=strain,
        )
    rows.show()
    results.number("growth_exponent", _exponent(found, 1))
    results.number("growth_exponent_solve", _exponent(found, 2))


def _exponent(found, place):
    first, last = found[0], found[-1]
    return log(last[place] / first[place]) / log(last[0] / first[0])

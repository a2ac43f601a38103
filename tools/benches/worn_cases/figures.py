# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures by key, each from as few runs as it takes; runs that several share are made once."""

import os
from dataclasses import replace
from statistics import median

import numpy as np
from common.report import digits, heading, note, table
from contact_cases import sphere
from worn_cases import distance, live
from worn_cases.rows import SKIPPED
from worn_cases.runs import Case

COVERALL = Case("coverall_8k", judged=1)
LONG_SLEEVED = Case("longsleeve", judged=1)
JACKET = Case("jacket_open", count=8000, judged=1)  # subdivided once: 6,519
QUICK_FRAMES = 10
SCALED_FRAMES = 8
MANY = 16  # cores, of which a figure says how much they help
THREADS = min(os.cpu_count(), MANY)
SMALL = {
    COVERALL: Case("jacket_open", frames=QUICK_FRAMES),
    LONG_SLEEVED: Case("tshirt", frames=QUICK_FRAMES),
    JACKET: Case("longsleeve", frames=QUICK_FRAMES),
}


def sized(case, quick):
    return SMALL[case] if quick else case


def judged_cases(quick):
    """Those whose quality counts: what the figures of time are taken from."""
    coverall, top, jacket = (sized(c, quick) for c in (COVERALL, LONG_SLEEVED, JACKET))
    bare = [replace(case, self_contact=False) for case in (coverall, jacket)]
    return [coverall, top, replace(coverall, quality="fit"), jacket, *bare]


def _frame(key, case, quality="draft"):
    """A figure of time of one case."""

    def measure(book, quick):
        record = book.run(replace(sized(case, quick), quality=quality))
        book.results.number(key, record and record["ms"])

    return (key,), measure


def quality(book, quick):
    """The worst of all runs that figures of time are taken from."""
    found = [record for record in map(book.run, judged_cases(quick)) if record]
    if not found:
        return
    through = [r["body_piercings"] + (r["self_piercings"] or 0) for r in found]
    book.results.number("worn_stretch_p99", max(r["stretch_p99"] for r in found))
    book.results.number("worn_inside", max(r["inside"] for r in found))
    book.results.number("worn_piercings", max(through))


def modifier(book, quick):
    """Blender's Cloth modifier with self-collision over ours with self-contact, the lesser of two garments."""
    _over(book, "worn_vs_modifier", "modifier", [sized(c, quick) for c in (COVERALL, JACKET)])


def nodes(book, quick):
    """The nodes, which know no self-collision, over ours without self-contact."""
    bare = [replace(sized(case, quick), self_contact=False) for case in (COVERALL, JACKET)]
    _over(book, "worn_vs_nodes", "nodes", bare)


def _over(book, key, method, cases):
    """Ours and the rival take turns, so that both see the same machine."""
    pairs = [(book.run(case), book.rivals.run(case, method)) for case in cases]
    ratios = [theirs["ms"] / ours["ms"] for ours, theirs in pairs if ours and theirs]
    book.results.number(key, min(ratios) if len(ratios) == len(cases) else None)


def rms(book, quick):
    distance.measure(book.results, quick)


def lively(book, quick):
    live.measure(book.results, quick)


def rest(book, quick):
    heading("How still a drape over a sphere gets, fit, self-contact, from four starts")
    plays = [sphere.settled(quick, start) for start in range(sphere.STARTS)]
    sphere.rest_numbers(book.results, plays)
    speeds = [(1000 * play.end_speed, 1000 * play.end_fastest) for play in plays]
    rows = [(k, *(digits(speed, 2) for speed in both)) for k, both in enumerate(speeds)]
    table(("start", "mean|mm/s", "fastest|mm/s"), rows)


def scaling(book, quick):
    """One thread over all, frame by frame in turn."""
    case = replace(sized(COVERALL, quick), quality="fit", frames=SCALED_FRAMES)
    if case.scene() is None or THREADS == 1:
        return
    plays = [replace(case, threads=threads).play(quality="fit") for threads in (1, THREADS)]
    for _ in range(case.frames):
        for play in plays:
            play.step()
    one, all_of_them = (1e3 * median(play.frame_seconds[SKIPPED:]) for play in plays)
    same = all(np.array_equal(a, b) for a, b in zip(*(play.track for play in plays)))
    for play in plays:
        play.cloth.close()
    book.results.number(f"worn_scaling_{THREADS}", one / all_of_them)
    book.results.row("scaling", garment=case.garment, threads=THREADS, one=one, all=all_of_them)
    note(
        f"{case.garment} at fit with self-contact: {one:.0f} ms a frame on one thread, "
        f"{all_of_them:.0f} on {THREADS}; the same positions: {'yes' if same else 'NO'}."
    )


CASES = (
    _frame("worn_ms_8k", COVERALL),
    _frame("worn_ms_1k", LONG_SLEEVED),
    _frame("worn_fit_ms_8k", COVERALL, "fit"),
    (("worn_vs_modifier",), modifier),
    (("worn_vs_nodes",), nodes),
    (("worn_stretch_p99", "worn_inside", "worn_piercings"), quality),
    (("worn_rms_draft", "worn_rms_fit", "worn_rms_final"), rms),
    (("live_ms_100k", "live_distance"), lively),
    (("rest_speed",), rest),
    (tuple({f"worn_scaling_{n}": n for n in (THREADS, MANY)}), scaling),
)

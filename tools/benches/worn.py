# SPDX-License-Identifier: GPL-3.0-or-later
"""Real garments on a moving body: a frame by stage, and its quality, beside Blender's own two solvers."""

import os
import time
from dataclasses import dataclass, replace
from statistics import mean, median

import contact
import numpy as np
from blender_cases.session import METHODS, OwnSolvers
from common import garments
from common.bench import Bench, heading, print_table
from test_scenes.contact.catalogue import make
from test_scenes.contact.play import FRAME_SECONDS, Play, distances, rms, size_of
from test_scenes.contact.quality import EVERY, quality_of

QUICK_HELP = "small garments, few frames, no rows beside the figures; the same keys of other sizes"
MANY = 16  # cores, of which a figure says how much they help
THREADS = min(os.cpu_count(), MANY)
# What to reach is for aarch64 and two cores.
FIGURES = f"""
worn_ms_8k | <= 41 | frame at draft, coverall with self-contact, ms
worn_ms_1k | <= 12 | frame at draft, long-sleeved top with self-contact, ms
worn_fit_ms_8k | <= 165 | frame at fit, coverall with self-contact, ms
worn_vs_modifier | >= 15 | Cloth modifier with self-collision over draft, lesser of two
worn_vs_nodes | >= 4 | Cloth Dynamics nodes over draft, no self-contact, lesser of two
worn_stretch_p99 | <= 1.15 | edge stretch in these runs, 99th percentile
worn_inside | <= 0 | vertices inside the body in these runs
worn_piercings | <= 0 | edges through faces in these runs
worn_rms_draft | <= 0.03 | t-shirt to the converged run, draft
worn_rms_fit | <= 0.018 | t-shirt to the converged run, fit
worn_rms_final | <= 0.012 | t-shirt to the converged run, final
live_ms_100k | <= 41 | live frame of a t-shirt of 100,522 vertices, ms
live_distance | <= 0.03 | t-shirt of 100,522 vertices refined at rest, to the fine run
rest_speed | <= 2 | settled sphere drape, mean of four starts, mm/s
worn_scaling_{THREADS} | - | one thread over all, coverall at fit
worn_scaling_{MANY} | >= 8 | one thread over sixteen, coverall at fit
"""

# --- a row -----------------------------------------------------------------------------------------

SKIPPED = 2  # frames before the clock starts: the first ones factor and warm up
STAGES = ("force", "assemble", "solve", "contact")
# What is printed of a row, which has more.
PRINTED = "garment vertices motion self_contact method mirror ms force assemble solve contact"
PRINTED += " coarse rest solves stretch_p99 stretch_max inside body_piercings self_piercings"
PRINTED += " distance fastest_at_rest"


@dataclass(frozen=True)
class Case:
    """A row of ours.

    count      about so many vertices; None: the garment as it is
    judged     every n-th frame is judged
    still      frames after the motion in which the body stands still, for the speed at rest
    converged  whether its distance to the converged run is asked for
    """

    garment: str
    quality: str = "draft"
    self_contact: bool = True
    count: int = None
    motion: str = "arms"
    mirror: str = "off"
    frames: int = 20
    threads: int = os.cpu_count()
    judged: int = EVERY
    still: int = 0
    converged: bool = False

    def scene(self):
        return garments.scene(self.garment, self.motion, self.count, self.frames)

    def play(self, **settings):
        """With the library's default fabric, the UV map and the body's own quads, as an artist has them."""
        wanted = {"quads": True, "uvs": True, "fabric": {}, "threads": self.threads, **settings}
        return Play(self.scene(), self_contact=self.self_contact, mirror=self.mirror, **wanted)


class Book:
    """Runs every case, and each of Blender's own solvers on it, once, and keeps its row."""

    def __init__(self, results):
        self.results, self.solvers = results, OwnSolvers("worn")
        self.records, self.references = {}, {}
        garments.report_skipped()

    def run(self, case):
        """The record of a case; None where its garment is absent."""
        if case not in self.records:
            self._keep(case, None if case.scene() is None else self._measure(case))
        return self.records[case]

    def rival(self, case, method):
        """The record of "modifier" or "nodes" in the scene of a case; None where a file or Blender is absent."""
        layered = case.self_contact and method == "modifier"
        key = (case.garment, case.count, case.motion, case.frames, layered, method)
        if key not in self.records:
            known = case.scene() is not None and self.solvers.is_there()
            self._keep(key, self._race(case, method, layered) if known else None)
        return self.records[key]

    def _keep(self, key, record):
        self.records[key] = record
        if record is not None:
            self.results.row("worn", **record)

    def _measure(self, case):
        with case.play(quality=case.quality) as play:
            track = np.array(play.run(case.frames).track)
            play.kept = False
            play.run(case.still)
            speed = 1e3 * play.largest_speed() if case.still else None
        named = ("garment", "motion", "self_contact", "mirror", "threads", "frames")
        return {
            **{name: getattr(case, name) for name in named},
            "vertices": track.shape[1],
            "method": case.quality,
            **timed(play, case.frames),
            **quality_of(case.scene(), track, case.self_contact, case.judged),
            "distance": self._distance(case, track) if case.converged else None,
            "fastest_at_rest": speed,
        }

    def _race(self, case, method, layered):
        scene = case.scene()
        track, milliseconds, version = self.solvers.run(scene, method, case.frames + 1, layered)
        quality = quality_of(scene, track, layered) if np.isfinite(track).all() else {}
        fields = {"method": method, "blender": version, "self_contact": layered, **quality}
        fields |= {name: getattr(case, name) for name in ("garment", "motion", "frames")}
        ms = median(milliseconds[1 + SKIPPED :])
        return {"vertices": track.shape[1], "ms": ms, **fields}

    def _distance(self, case, track):
        """The largest RMS distance to the converged run, of the garment's size."""
        key = (case.garment, case.count, case.motion, case.self_contact, case.frames)
        if key not in self.references:
            with case.play(**contact.CONVERGED) as play:
                self.references[key] = play.run(case.frames).track
        return max(distances(case.scene(), track, self.references[key]))


def timed(play, frames):
    """Medians over the frames from the third on, ms: of the whole with handing body and positions over, and of each
    stage; rest is what no stage counts."""
    history, whole = play.history[SKIPPED:frames], play.frame_seconds[SKIPPED:frames]
    stages = {s: [getattr(h, f"{s}_seconds") for h in history] for s in (*STAGES, "coarse")}
    stages["rest"] = [t - sum(stages[s][k] for s in STAGES) for k, t in enumerate(whole)]
    found = {stage: 1e3 * median(seconds) for stage, seconds in stages.items()}
    return {"ms": 1e3 * median(whole), **found, "solves": mean(h.solves for h in history)}


# --- the figures, each from as few runs as it takes ------------------------------------------------

COVERALL, TOP = Case("coverall_8k", judged=1), Case("longsleeve", judged=1)
JACKET = Case("jacket_open", count=8000, judged=1)  # subdivided once: 6,519
SMALL = {COVERALL: "jacket_open", TOP: "tshirt", JACKET: "longsleeve"}  # of a quick run
SCALED_FRAMES = 8


def sized(case, quick):
    return Case(SMALL[case], frames=10) if quick else case


def bare(case):
    return replace(case, self_contact=False)


def frame_of(key, case, quality="draft"):
    """A figure of time of one case."""

    def measure(book, quick):
        record = book.run(replace(sized(case, quick), quality=quality))
        book.results.number(key, record and record["ms"])

    return measure


def quality(book, quick):
    """The worst of all runs that figures of time are taken from."""
    coverall, top, jacket = (sized(case, quick) for case in (COVERALL, TOP, JACKET))
    cases = [coverall, top, replace(coverall, quality="fit"), jacket, bare(coverall), bare(jacket)]
    found = [record for record in map(book.run, cases) if record]
    if found:
        through = [r["body_piercings"] + (r["self_piercings"] or 0) for r in found]
        book.results.number("worn_stretch_p99", max(r["stretch_p99"] for r in found))
        book.results.number("worn_inside", max(r["inside"] for r in found))
        book.results.number("worn_piercings", max(through))


def modifier(book, quick):
    """Blender's Cloth modifier with self-collision over ours with self-contact, the lesser of two garments."""
    _over(book, "worn_vs_modifier", "modifier", [sized(c, quick) for c in (COVERALL, JACKET)])


def nodes(book, quick):
    """The nodes, which know no self-collision, over ours without self-contact."""
    _over(book, "worn_vs_nodes", "nodes", [bare(sized(c, quick)) for c in (COVERALL, JACKET)])


def _over(book, key, method, cases):
    """Ours and the rival take turns, so that both see the same machine."""
    pairs = [(book.run(case), book.rival(case, method)) for case in cases]
    ratios = [theirs["ms"] / ours["ms"] for ours, theirs in pairs if ours and theirs]
    book.results.number(key, min(ratios) if len(ratios) == len(cases) else None)


def distance(book, quick):
    contact.distance(book.results, quick)


def rest(book, quick):
    heading("How still a drape over a sphere gets, fit, self-contact, from four starts")
    plays = [contact.settled(quick, start) for start in range(contact.STARTS)]
    contact.rest_numbers(book.results, plays)


def scaling(book, quick):
    """One thread over all, frame by frame in turn."""
    case = replace(sized(COVERALL, quick), quality="fit", frames=SCALED_FRAMES)
    if case.scene() is None or THREADS == 1:
        return
    plays = [replace(case, threads=threads).play(quality="fit") for threads in (1, THREADS)]
    for _ in range(case.frames):
        for play in plays:
            play.step()
    one, together = (1e3 * median(play.frame_seconds[SKIPPED:]) for play in plays)
    same = all(np.array_equal(a, b) for a, b in zip(*(play.track for play in plays)))
    for play in plays:
        play.cloth.close()
    book.results.number(f"worn_scaling_{THREADS}", one / together)
    row = {"garment": case.garment, "threads": THREADS, "one_ms": one, "all_ms": together}
    book.results.table("scaling", [{**row, "same_positions": same}])


# A garment too fine for a live frame: what a frame takes within a budget, and where it ends once it is left alone.
FINE, QUICK_FINE = {"spacing": 0.00303}, {"spacing": 0.02, "body_spacing": 0.02}
BUDGET, QUICK_BUDGET = 41.0, 10.0  # ms
MOVING, STILL = 24, 36  # frames: of the motion, and of the fine run until it rests
MOST_SECONDS = 240.0  # for refining; what has not settled by then is compared as it is
LIVE = {"quality": "draft", "threads": 2, "self_contact": False, "kept": False}


def live(book, quick):
    heading("A t-shirt too fine to be live: within a budget, then left alone")
    budget = QUICK_BUDGET if quick else BUDGET
    scene = garments.standing(make("tshirt", **(QUICK_FINE if quick else FINE)), MOVING)
    with Play(scene, budget_ms=budget, **LIVE) as coarse:
        coarse.run(MOVING)
        simulated = coarse.cloth.levels().simulated_count
        taken, settled = _refine(coarse.cloth)
        refined = coarse.cloth.positions()
    with Play(scene, **LIVE) as fine:
        fine.run(MOVING + STILL)
        apart = rms(refined, fine.positions()) / size_of(scene)
    frame, whole = (1e3 * median(play.frame_seconds[SKIPPED:MOVING]) for play in (coarse, fine))
    row = {"vertices": len(scene.cloth.positions), "budget_ms": budget, "simulated": simulated}
    row |= {"ms": frame, "worst_ms": 1e3 * max(coarse.frame_seconds[SKIPPED:MOVING])}
    row |= {"fine_ms": whole, "refining_s": taken, "settled": settled, "distance": apart}
    book.results.table("live", [row], live_ms_100k=frame, live_distance=apart)


def _refine(cloth):
    """(s, whether it has settled)"""
    begin, settled = time.monotonic(), False
    while not settled and time.monotonic() - begin < MOST_SECONDS:
        settled = bool(cloth.refine(FRAME_SECONDS).settled)
    return time.monotonic() - begin, settled


# --- the rows beside the figures: every garment at three sizes -------------------------------------

SIZES = (None, 8000, 30000)
LARGE_FRAMES = 10  # of the largest size
STILL_AT_END = 24  # frames of some rows
SMALL_ENOUGH = ("tshirt", "longsleeve")  # for the converged run


def beside(book, quick):
    """The part that no --only and no quick run takes by itself."""
    if quick:
        return
    heading("Every garment, a choice")
    for name in garments.names():
        for case in chosen_cases(name):
            book.run(case)
        as_it_is = Case(name, motion=garments.motions(name)[0])
        scene = as_it_is.scene()
        # rivals do not carry pins along with the body
        if scene is not None and not len(scene.pins):
            for method in METHODS:
                book.rival(as_it_is, method)


def chosen_cases(name):
    """The symmetric ones by half; of the others what tells most for its time."""
    first, *others = garments.motions(name)
    as_it_is = Case(name, motion=first, still=STILL_AT_END, converged=name in SMALL_ENOUGH)
    if name.endswith("_sym") and name[: -len("_sym")] in garments.REAL:
        return [replace(as_it_is, mirror="exact")]
    plain, finer = Case(name, motion=first), Case(name, count=SIZES[1], motion=first)
    cases = [replace(as_it_is, quality=quality) for quality in contact.QUALITIES]
    cases += [bare(plain), *(Case(name, motion=motion) for motion in others)]
    cases += [finer, bare(finer), replace(finer, quality="fit")]
    return [*cases, replace(plain, count=SIZES[2], frames=LARGE_FRAMES)]


# --- the bench -------------------------------------------------------------------------------------

ROWS = "rows"


def part(case, *keys):
    """Runs that several parts share are made once."""

    def measure(results, quick):
        if "book" not in results.kept:
            results.kept["book"] = Book(results)
        case(results.kept["book"], quick)
        for key in keys:
            results.numbers.setdefault(key, None)  # what this machine cannot tell

    return dict.fromkeys(keys or [ROWS], measure)


def show_rows(results):
    """ms: a frame with handing the body and the positions over, median from the third on; then its stages."""
    if results.of("worn"):
        heading("All runs; the columns as docs/notes/measurements.md says")
        print_table(results.of("worn"), PRINTED)


PARTS = {
    **part(frame_of("worn_ms_8k", COVERALL), "worn_ms_8k"),
    **part(frame_of("worn_ms_1k", TOP), "worn_ms_1k"),
    **part(frame_of("worn_fit_ms_8k", COVERALL, "fit"), "worn_fit_ms_8k"),
    **part(modifier, "worn_vs_modifier"),
    **part(nodes, "worn_vs_nodes"),
    **part(quality, "worn_stretch_p99", "worn_inside", "worn_piercings"),
    **part(distance, "worn_rms_draft", "worn_rms_fit", "worn_rms_final"),
    **part(live, "live_ms_100k", "live_distance"),
    **part(rest, "rest_speed"),
    **part(scaling, f"worn_scaling_{THREADS}", f"worn_scaling_{MANY}"),
    **part(beside),
}
BENCH = Bench("worn", __doc__, QUICK_HELP, PARTS, FIGURES, last=show_rows)

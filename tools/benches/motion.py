# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of the motion the solver keeps, and what fast motion does to cloth: response, cost, energy, and what passes through."""

from collections import namedtuple
from statistics import median

import numpy as np
from common.bench import Bench, heading, note, short
from common.measure import BARE, MANY_ROUNDS, NEWTON, close, closeness, energy_of, largest, means
from common.measure import side_by_side
from motion_cases import dance
from motion_cases import fast
from motion_cases import hands
from motion_cases import starts
from motion_cases import sweep
from test_scenes.contact.play import Play, distances, rms
from test_scenes.contact.scene import FRAMES_PER_SECOND, ContactScene
from test_scenes.garments import tshirt
from test_scenes.sheets import grid

QUICK_HELP = "small sheets, a coarse shirt, fewer cases and frames, fast motions at draft alone"
FIGURES = """
response_4_solves{,_20k} | >= 0.95 | response, 5,476 or 19,881 vertices, 2 iterations x 2 substeps
response_draft_worst | >= 0.8 | lowest response at draft, sheets
response_fit_worst | >= 0.95 | lowest response at fit, sheets
response_final_worst | >= 0.99 | lowest response at final, sheets
coarse_over_solve | <= 0.6 | coarse correction over bare solve, 19,881 vertices
coarse_over_rest | - | coarse correction over the rest of a round
energy_gain{,_bdf2} | <= 0.01 | energy above the start, 240 frames, backward Euler or BDF2
energy_rise | - | largest rise of energy within a frame
garment_rms | <= 0.02 | shirt at fit, RMS over size
garment_rms_soft | - | shirt at fit, soft bending
garment_uncertainty_{stiff,soft} | - | the converged shirt's own uncertainty
two_level_speedup | >= x2 | Anderson's time over ours, same response
energy_left_{euler,bdf2,small_step} | - | energy left after 48 frames; the small step is BDF2 of 1/384 s
"""

# --- scenes ----------------------------------------------------------------------------------------

FRAMES, LOOKED_AT = 20, (5, 10, 20)
SOFT, STIFF = 1e-4, 1e-2  # bending, N m
# Stiff cloth needs three times as many to settle.
STRICT = {**NEWTON, "iterations": 60, "pcg_tolerance": 0.03, "pcg_limit": 2000}
STIFF_FROM = 1e5  # N/m
HOLDS = ("two pins", "one pin", "edge", "shaken pins", "closing pins")
TWO_ITERATIONS = {"scheme": "two_level", "iterations": 2}
METHODS = {
    "plain, 1 iteration": {"scheme": "plain", "iterations": 1},
    **{
        f"two-level, {n} iterations": {"scheme": "two_level", "iterations": n} for n in (1, 2, 3, 4)
    },
    **{quality: {"quality": quality} for quality in ("draft", "fit", "final")},
    **{f"Anderson, {n} iterations": {"scheme": "anderson", "iterations": n} for n in (8, 16)},
}
# Vertices along the side of the three sheets, and the shirt's edge length, m.
Sizes = namedtuple("Sizes", "small middle large shirt")
FULL_SIZES, QUICK_SIZES = Sizes(35, 74, 141, 0.02), Sizes(20, 25, 35, 0.04)


class Fall(Play):
    """A run of a scene of this bench, to be compared with others of it."""

    def __init__(self, scene, name, **settings):
        super().__init__(scene, name, **{**scene.settings["numbers"], **settings})

    @property
    def middle(self):
        """Median seconds of a step."""
        return median(stats.total_seconds for stats in self.history)

    def response(self, converged, frame):
        """Mean drop over the converged one; the sheets start at zero."""
        drops = [run.track[frame][:, 2].mean(dtype=np.float64) for run in (self, converged)]
        return float(drops[0] / drops[1])

    def compared(self, other):
        """Response and RMS distance, m, at the frames that are looked at."""
        apart = {f"rms_{f}": rms(self.track[f], other.track[f]) for f in LOOKED_AT}
        return {**{f"response_{f}": self.response(other, f) for f in LOOKED_AT}, **apart}

    def effort(self):
        counts = {**means(self.history, "solves"), "iterations": self.cloth.report().iterations}
        counts["rejected"] = sum(stats.rejected for stats in self.history)
        return {"frame_seconds": self.middle, **counts}


def in_turn(scene, ways, frames, block=5):
    """Runs of a scene by name, so many frames of each in turn: noise hits all, and each has its caches warm."""
    runs = [Fall(scene, name, **settings) for name, settings in ways.items()]
    for begin in range(0, frames, block):
        for run in runs:
            run.run(min(block, frames - begin))
    return runs


def follow(scene, name, frames, settings):
    """A run on its own; safe to call from several threads at once."""
    return Fall(scene, name, **settings).run(frames)


def scene_of(mesh, pins, targets, stiffness, bend):
    """Of a fabric without anything that damps. targets: where its pins are at a time, s."""
    stretch = 1.15 * stiffness
    numbers = {"density": 0.3, "stretch_warp": stretch, "stretch_weft": stretch, **BARE}
    numbers |= {"shear": 0.15 * stiffness, "bend": bend, "substeps": 2}

    def place(frame):
        return targets(frame / FRAMES_PER_SECOND)

    return ContactScene("", "", mesh, [], pins, place, settings={"numbers": numbers})


def sheet(side, hold, stiffness=1e4, bend=SOFT):
    """A horizontal sheet of 1 m, let go at rest."""
    mesh = grid(side, side, 1.0)
    corners = np.array([side * (side - 1), side * side - 1], np.int32)
    pins = {"one pin": corners[:1], "edge": np.arange(corners[0], side * side)}.get(hold, corners)
    start = mesh.positions[pins].astype(float)

    def targets(seconds):
        moved = start.copy()
        if hold == "shaken pins":
            moved[:, 1] += 0.15 * np.sin(4 * np.pi * seconds) * min(1, seconds / 0.25)
        elif hold == "closing pins":
            moved[:, 0] += np.array([0.3, -0.3]) * min(1, seconds)
        return moved

    return scene_of(mesh, pins, targets, stiffness, bend)


def shirt(spacing, bend):
    """A shirt, its sleeves and body tubes, hung from shoulders that swing in two directions."""
    mesh = tshirt(spacing)
    height = mesh.positions[:, 2].astype(float)
    pins = np.flatnonzero(height > height.max() - 0.06 * np.ptp(height))
    start = mesh.positions[pins].astype(float)

    def targets(seconds):
        grown = min(1, seconds / 0.25)
        aside, along = 0.05 * np.sin(3 * np.pi * seconds), 0.10 * np.sin(2 * np.pi * seconds)
        return start + grown * np.array([aside, along, 0.0])

    return scene_of(mesh, pins, targets, 1e4, bend)


# --- how far sheets fall ---------------------------------------------------------------------------

STIFFNESSES = (1e3, 1e4, 1e5)
UNSURE = 0.01  # residual from which on a reference counts as not quite converged


def cases(sizes, quick):
    """(side, hold, stiffness, bending), the smallest sheets first."""
    small = [
        (sizes.small, hold, stiffness, bend)
        for hold in HOLDS
        for stiffness in STIFFNESSES
        for bend in (SOFT, STIFF)
        if not quick or (bend, stiffness) == (SOFT, 1e4) or (hold, stiffness) == ("two pins", 1e5)
    ]
    soft = (1e4,) if quick else (1e4, 1e3, 1e5)
    middle = [(sizes.middle, "two pins", stiffness, SOFT) for stiffness in soft]
    middle += [] if quick else [(sizes.middle, "two pins", 1e4, STIFF)]
    return [*small, *middle, (sizes.large, "two pins", 1e4, SOFT)]


def describe(case):
    side, hold, stiffness, bend = case
    return f"{hold}, k = {stiffness:,.0f} N/m, bending {bend:g} N m, {side * side:,} vertices"


def sheets(results, quick):
    sizes = QUICK_SIZES if quick else FULL_SIZES
    heading("Response: mean drop over that of the converged step, and RMS distance to it")
    note(
        "Sheets of 1 m, 0.3 kg/m2, stretch 1.15 k, shear 0.15 k, nothing that damps, starting horizontal; 24 frames a "
        "second, 2 substeps, backward Euler. Converged: 20 Newton steps a substep, 60 for stiff cloth; for the largest "
        "24 two-level iterations."
    )
    listed = cases(sizes, quick)
    scenes = [sheet(*case) for case in listed]
    jobs = [(scene, "converged", FRAMES, _reference(c, sizes)) for c, scene in zip(listed, scenes)]
    references = side_by_side(follow, jobs)
    pairs = dict(zip(listed, zip(scenes, references)))
    found = {case: _fall(results, case, *pairs[case]) for case in listed}
    middle = (sizes.middle, "two pins", 1e4, SOFT)
    results.number("response_4_solves", found[middle]["two-level, 2 iterations"])
    large = (sizes.large, *middle[1:])
    results.number("response_4_solves_20k", found[large]["two-level, 2 iterations"])
    _worst(results, found)
    unsure = [describe(c) for c, run in zip(listed, references) if _residual(run) > UNSURE]
    if unsure:
        note(f"References that did not quite converge: {'; '.join(unsure)}.")
    _parts_of_a_round(results, sizes)
    _against_anderson(results, *pairs[middle])
    close(references)


def _reference(case, sizes):
    if case[0] >= sizes.large:
        return MANY_ROUNDS
    return STRICT if case[2] >= STIFF_FROM else NEWTON


def _residual(run):
    """The worst force imbalance that a frame ended with."""
    return largest(run.history, "residual")


def _fall(results, case, scene, converged):
    """Response at frame 10 by method."""
    runs = in_turn(scene, METHODS, FRAMES)
    note(f"{describe(case)}; largest residual of the converged run {short(_residual(converged))}")
    side, hold, stiffness, bend = case
    named = {"hold": hold, "stiffness": stiffness, "bend": bend, "vertices": side * side}
    rows = [{"method": r.name, **named, **r.compared(converged), **r.effort()} for r in runs]
    columns = "method response_5 response_10 response_20 rms_5 rms_10 rms_20 frame_seconds"
    results.table("falls", rows, f"{columns} solves iterations rejected")
    close(runs)
    return {run.name: run.response(converged, 10) for run in runs}


def _worst(results, found):
    """The lowest response at frame 10 of each quality, too much motion counted like too little."""
    rows = []
    for quality in ("draft", "fit", "final"):
        reached = {case: closeness(responses[quality]) for case, responses in found.items()}
        worst = min(reached, key=reached.get)
        results.number(f"response_{quality}_worst", reached[worst])
        rows.append({"quality": quality, "worst_case": describe(worst), "response": reached[worst]})
    results.table("worst", rows)


# --- what a coarse correction costs ----------------------------------------------------------------

ANDERSON_ITERATIONS = (4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 96, 128)


def _parts_of_a_round(results, sizes):
    heading("Cost of a coarse correction over that of a solve, one thread")
    rows = []
    for side in (sizes.small, sizes.middle, sizes.large):
        (run,) = in_turn(sheet(side, "two pins"), {"parts": TWO_ITERATIONS}, 12)
        stats = run.history[2:]
        coarse = median(s.coarse_seconds / s.corrections for s in stats)
        solve = median((s.solve_seconds - s.coarse_seconds) / s.solves for s in stats)
        rest = median((s.total_seconds - s.coarse_seconds) / s.solves for s in stats)
        row = {"vertices": side * side, "coarse_seconds": coarse, "solve_seconds": solve}
        row |= {"rest_seconds": rest, "over_solve": coarse / solve, "over_rest": coarse / rest}
        rows.append(row)
        run.cloth.close()
    results.table("parts", rows, coarse_over_solve=rows[-1]["over_solve"])
    results.number("coarse_over_rest", rows[-1]["over_rest"])


def _against_anderson(results, scene, converged):
    """How many iterations reach the response of two two-level ones, and the time of both in turn."""
    heading("Anderson acceleration that reaches the response of two two-level iterations")
    runs = [follow(scene, "two-level, 2 iterations", 10, TWO_ITERATIONS)]
    wanted = closeness(runs[0].response(converged, 10))
    for iterations in ANDERSON_ITERATIONS:
        settings = {"scheme": "anderson", "iterations": iterations}
        runs.append(follow(scene, f"Anderson, {iterations} iterations", 10, settings))
        if closeness(runs[-1].response(converged, 10)) >= wanted:
            break
    else:
        note("Anderson does not get there: the speed-up is a lower bound.")
    rows = [{"method": r.name, "response_10": r.response(converged, 10)} for r in runs]
    results.table("anderson", rows)
    again = in_turn(scene, {"ours": TWO_ITERATIONS, "rival": settings}, 10)
    results.number("two_level_speedup", again[1].middle / again[0].middle)
    close([*runs, *again])


# --- a shirt ---------------------------------------------------------------------------------------


def garment(results, quick):
    heading("A shirt of several tubes, hung from shoulders that swing")
    note(
        "Without contact the tubes collapse and buckle, soft ones by chance: the reference has an uncertainty of its own, the "
        "distance of two converged runs (20 Newton steps to 0.1, 30 to 0.05). RMS distances over the size."
    )
    sizes, frames = (QUICK_SIZES, 12) if quick else (FULL_SIZES, 24)
    scenes = {bend: shirt(sizes.shirt, bend) for bend in (STIFF, SOFT)}
    stricter = {**NEWTON, "iterations": 30, "pcg_tolerance": 0.05}
    jobs = [(s, "converged", frames, n) for s in scenes.values() for n in (NEWTON, stricter)]
    newton = side_by_side(follow, jobs)
    for (bend, scene), converged, other in zip(scenes.items(), newton[::2], newton[1::2]):
        key, suffix = ("soft", "_soft") if bend == SOFT else ("stiff", "")
        results.number(
            f"garment_uncertainty_{key}", max(distances(scene, converged.track, other.track))
        )
        runs, rows = in_turn(scene, METHODS, frames), []
        for run in runs:
            apart = distances(scene, run.track, converged.track)
            row = {"method": run.name, "bend": bend, "rms_5": apart[4], "rms_10": apart[9]}
            rows.append({**row, "rms_last": apart[-1], "rms": max(apart), **run.effort()})
            if run.name == "fit":
                results.number(f"garment_rms{suffix}", max(apart))
        results.table("garment", rows)
        close([*runs, converged, other])


# --- energy over time without drag and damping: none may be gained, and little should be lost ------

GAIN_FRAMES, QUICK_GAIN_FRAMES = 240, 96
LEFT_FRAMES = 48
# Second order: backward Euler loses visibly more energy at the same step.
SMALL_STEP = {**NEWTON, "substeps": 16, "iterations": 6, "integrator": "bdf2"}
INTEGRATORS = {"euler": "", "bdf2": "_bdf2"}


def energy(results, quick):
    sizes = QUICK_SIZES if quick else FULL_SIZES
    _gains(results, sizes, quick)
    _left(results, sizes)


def energies(run):
    return np.array([energy_of(stats) for stats in run.history])


def _gains(results, sizes, quick):
    frames = QUICK_GAIN_FRAMES if quick else GAIN_FRAMES
    heading(f"Energy gained within {frames} frames at fit, pins at rest, over the largest fall")
    listed = [(sizes.middle, "two pins", 1e4, SOFT)]
    listed += [
        (sizes.small, hold, stiffness, bend)
        for hold in ("two pins", "one pin", "edge")
        for stiffness in STIFFNESSES
        for bend in (SOFT, STIFF)
        if (hold == "two pins" or stiffness == 1e4) and not (quick and bend == STIFF)
    ]
    choices = [(case, integrator) for case in listed for integrator in INTEGRATORS]
    ways = {name: {"quality": "fit", "integrator": name} for name in INTEGRATORS}
    jobs = [(sheet(*case), name, frames, ways[name]) for case, name in choices]
    runs = side_by_side(follow, jobs)
    rows = []
    for (case, integrator), run in zip(choices, runs):
        above, rise = gain(run)
        row = {"case": describe(case), "integrator": integrator}
        rows.append({**row, "above_start": above, "largest_rise": rise})
    results.table("energy_gain", rows)
    for integrator, suffix in INTEGRATORS.items():
        mine = results.of("energy_gain", integrator=integrator)
        results.number(f"energy_gain{suffix}", max(row["above_start"] for row in mine))
        results.number(f"energy_rise{suffix}", max(row["largest_rise"] for row in mine))
    close(runs)


def gain(run):
    """(largest rise above the start, largest rise within a frame) over the largest fall."""
    found = np.concatenate([[0.0], energies(run)])  # flat, at rest and at height zero
    fallen = max(-s.gravity_energy - s.elastic_energy for s in run.history)
    return max(0.0, float(found.max())) / fallen, max(0.0, float(np.diff(found).max())) / fallen


def _left(results, sizes):
    heading("Energy over time and the motion of a small step: backward Euler and BDF2")
    note("Energy left: 1 at the start, 0 at rest. The small step is BDF2 with 1/384 s.")
    scene = sheet(sizes.small, "two pins")
    ways = {
        "bdf2, converged, 16 substeps": SMALL_STEP,
        "euler, converged, 16 substeps": {**SMALL_STEP, "integrator": "euler"},
        "euler, fit": {"quality": "fit"},
        "bdf2, fit": {"quality": "fit", "integrator": "bdf2"},
        "euler, fit, 4 substeps": {"quality": "fit", "substeps": 4},
        "bdf2, fit, 4 substeps": {"quality": "fit", "integrator": "bdf2", "substeps": 4},
        "euler, converged": NEWTON,
        "bdf2, converged": {**NEWTON, "integrator": "bdf2"},
    }
    jobs = [(scene, name, LEFT_FRAMES, settings) for name, settings in ways.items()]
    resting = (scene, "at rest", 240, {"quality": "fit", "damping": 4.0})
    *runs, rest = side_by_side(follow, [*jobs, resting])
    lowest = float(energies(rest)[-1])
    rows = []
    for run in runs:
        left = [float(1 - e / lowest) for e in energies(run)[3::4]]
        row = {"method": run.name, **run.compared(runs[0]), "left": left, "energy_left": left[-1]}
        rows.append(row)
    columns = "method response_5 response_10 response_20 rms_5 rms_10 rms_20 energy_left"
    results.table("integrators", rows, columns)
    for key, k in (("euler", 2), ("bdf2", 3), ("small_step", 0)):
        results.number(f"energy_left_{key}", rows[k]["energy_left"])
    close([*runs, rest])


# Motions that are hard on contact, each with PARTS and FIGURES of its own.
CASES = (
    dance,
    fast,
    hands,
    starts,
    sweep,
)
PARTS = {"sheets": sheets, "garment": garment, "energy": energy}
for case in CASES:
    PARTS |= case.PARTS
    FIGURES += case.FIGURES.lstrip()
BENCH = Bench("motion", __doc__, QUICK_HELP, PARTS, FIGURES)

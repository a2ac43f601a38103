# SPDX-License-Identifier: GPL-3.0-or-later
"""How cloth meets bodies and itself: nothing passes, friction, rest, distance to the converged run, cost."""

from math import log
from statistics import mean, median

import numpy as np
from common.bench import Bench, heading, note
from common.measure import BARE, NEWTON, largest, means, program
from muslin.inspection.intersections import count_between, count_self
from test_scenes.contact.catalogue import SCENES, make
from test_scenes.contact.judge import deep_frames
from test_scenes.contact.play import FRAME_SECONDS, Play, distances, size_of

QUICK_HELP = "coarse meshes and fewer frames; the same figures of other sizes"
FIGURES = """
deep_frames | 0 | frames with a vertex behind a body, all scenes
{self,body}_piercings | 0 | cloth through itself, through bodies, at the end, all scenes
body_piercings_on_the_way | - | the most in any 4th frame, summed over scenes
incline_ratio | 0.97..1.03 | sliding on 20 degrees at 0.3, over theory
incline_stick_mm | - | way on 20 degrees at 0.5, mm
rest_speed | <= 5 | settled sphere drape, mm/s
rest_speed_{worst,fastest} | - | the worst of four starts; the fastest vertex, mean of them
worn_rms | <= 0.02 | worn t-shirt at fit, RMS over size
worn_rms_{draft,final} | - | the same at draft, at final
contact_share | <= 0.6 | contact over the whole step, 20k on 20k
contact_share_self | - | the same with self-contact
growth_exponent | <= 1.15 | cost of a frame, 10k to 80k vertices
growth_exponent_solve | - | cost of a solve and all around it, likewise
step_bytes | 0 | bytes taken from the heap during warm steps
sphere_distance | <= 0.02 | settled sphere drape, final, against the converged conventional
sphere_distance_rough | - | final against converged, starts rough by 0.1 mm
sphere_uncertainty{,_rough} | - | two converged drapes a micrometre apart, or from rough starts
"""
QUALITIES = ("draft", "fit", "final")

# --- every scene -----------------------------------------------------------------------------------

# Coarser meshes for a quick run; the other scenes are small enough.
SHIRT = {"spacing": 0.04, "body_spacing": 0.02}
COARSE = {name: {"count": 25} for name in ("sphere", "sphere_centred", "table", "table_sheet")}
COARSE |= {"plate": {"count": 25}, "blade": {"count": 25}, "stack": {"count": 13}}
COARSE |= {"sleeve": {"spacing": 0.025}, "folded": {"spacing": 0.025}}
COARSE |= {"skirt": SHIRT, "tshirt": SHIRT}
EVERYWHERE_FRAMES = 16  # of a quick run
LOOK = 4  # frames between two counts of piercings
PIERCINGS = ("deep_frames", "self_piercings", "body_piercings", "body_piercings_on_the_way")


def everywhere(results, quick):
    heading("Every scene of contact to its end, quality fit, self-contact on")
    note(
        "Deep frames: with a vertex more than a micrometre behind the true surface of a body, judged by rays and passages "
        "in NumPy. Piercings: at the last frame, and on the way the most with bodies in any 4th."
    )
    rows = [_whole_scene(name, quick) for name in SCENES]
    results.table("scenes", rows)
    for key in PIERCINGS:
        results.number(key, sum(row[key] for row in rows))


def _whole_scene(name, quick):
    scene = make(name, **(COARSE.get(name, {}) if quick else {}))
    with Play(scene, name, self_contact=True) as play:
        play.run(min(scene.frames, EVERYWHERE_FRAMES) if quick else scene.frames)
        deep, depth = deep_frames(scene, play.track)
        looked = range(LOOK, play.frame, LOOK)
        return {
            "scene": name,
            "vertices": len(play.positions()),
            "deep_frames": int(deep),
            "largest_depth": depth,
            "self_piercings": count_self(play.positions(), scene.cloth.faces),
            "body_piercings": _through(scene, play.positions(), play.frame),
            "body_piercings_on_the_way": max(_through(scene, play.track[k], k) for k in looked),
            **{key: largest(play.history, key) for key in ("stuck", "tangled", "largest_strain")},
            "end_speed": play.mean_speed(),
            "frame_seconds": mean(play.seconds),
        }


def _through(scene, positions, frame):
    """Edges of the cloth through bodies, and of bodies through the cloth."""
    faces = scene.cloth.faces
    return sum(
        sum(count_between(positions, faces, body.positions(frame), body.triangles()))
        for body in scene.bodies
    )


# --- friction --------------------------------------------------------------------------------------

DEGREES, SLIDING, STICKING, GRAVITY = 20.0, 0.3, 0.5, 9.81
FITTED = np.arange(12, 41)  # frames to whose speeds a line is fitted
STICK_FRAMES = 60
METHODS = {quality: {"quality": quality} for quality in QUALITIES}
METHODS["fit, BDF2"] = {"quality": "fit", "integrator": "bdf2"}
METHODS["implicit, 1 Newton step"] = {"solver": "implicit", "iterations": 1}


def friction(results, quick):
    heading(f"A cloth on a ramp of {DEGREES:g} degrees, all drag and damping off")
    angle = np.radians(DEGREES)
    theory = GRAVITY * (np.sin(angle) - SLIDING * np.cos(angle))
    down = np.array([-np.cos(angle), 0, -np.sin(angle)])
    rows = []
    for name in ("fit", "implicit, 1 Newton step") if quick else METHODS:
        ratio, way = _slide(METHODS[name], down) / theory, _stick(METHODS[name], down)
        rows.append({"method": name, "acceleration_ratio": ratio, "stuck_way": way})
        if name == "fit":
            results.figures(incline_ratio=ratio, incline_stick_mm=1000 * way)
    results.table("incline", rows)


def _slide(settings, down):
    """Acceleration down the ramp, m/s2."""
    speeds = []
    with Play(make("incline", degrees=DEGREES, friction=SLIDING), **BARE, **settings) as play:
        for _ in range(FITTED[-1]):
            play.step()
            speeds.append(float((play.velocities().astype(float) @ down).mean()))
    return np.polyfit(FITTED * FRAME_SECONDS, np.array(speeds)[FITTED - 1], 1)[0]


def _stick(settings, down):
    """Mean way of the vertices along the ramp, m."""
    with Play(make("incline", degrees=DEGREES, friction=STICKING), **BARE, **settings) as play:
        play.run(STICK_FRAMES)
        return float(abs(((play.positions() - play.track[0]).astype(float) @ down).mean()))


# --- the drape over a sphere -----------------------------------------------------------------------

SPHERE, QUICK_SPHERE = (60, 51), (40, 21)  # frames, vertices along a side
SHIFT = 1e-6  # m, of the start: how far chance moves the folds
ROUGH = 1e-4  # m, up and down: no cloth is flatter than this
STARTS = 4  # of which the speed at rest is a mean: some fold may still be slipping


def sphere(results, quick):
    heading("A cloth on a sphere, after it has come to rest")
    runs = {
        "fit": _drape(quick, quality="fit"),
        **{f"fit, self-contact, start {k}": settled(quick, k) for k in range(STARTS)},
        "final": _drape(quick, quality="final"),
        "final, start moved": _drape(quick, SHIFT, quality="final"),
        "one Newton step": _drape(quick, solver="implicit", iterations=1),
        "converged": _drape(quick, **NEWTON),
        "converged, start moved": _drape(quick, SHIFT, **NEWTON),
        "final, rough": _drape(quick, rough=2, quality="final"),
        "converged, rough": _drape(quick, rough=0, **NEWTON),
        "converged, rough again": _drape(quick, rough=1, **NEWTON),
    }
    note(
        "Distance: mean over the vertices, of the cloth's size. Folds fall where chance has them, so two runs are also "
        "started a micrometre apart: nobody can come nearer than they do."
    )
    results.table("sphere", [_beside(runs, name) for name in runs])
    rest_numbers(results, [run for name, run in runs.items() if "self-contact" in name])
    moved = ("", ", start moved")
    rough = [runs["converged, rough"], runs["converged, rough again"]]
    pairs = [_apart(runs[f"final{a}"], runs[f"converged{b}"]) for a in moved for b in moved]
    found = {
        "distance": mean(pairs),  # the folds of a single pair are chance
        # A smooth start keeps a symmetry that real cloth breaks: rough ones say what chance does.
        "distance_rough": mean(_apart(runs["final, rough"], of) for of in rough),
        "uncertainty_rough": _apart(*rough),
        "uncertainty": _apart(runs["converged, start moved"], runs["converged"]),
    }
    for key, value in found.items():
        results.number(f"sphere_{key}", value)


def _drape(quick, shift=0.0, self_contact=False, rough=None, **settings):
    """rough: the seed of a rough start."""
    frames, count = QUICK_SPHERE if quick else SPHERE
    scene = make("sphere_centred", count=count)
    scene.cloth.positions[:, 0] += np.float32(shift)
    if rough is not None:
        noise = np.random.default_rng(rough).standard_normal(count * count)
        scene.cloth.positions[:, 2] += (ROUGH * noise).astype(np.float32)
    with Play(scene, self_contact=self_contact, **settings) as play:
        play.run(frames)
        play.end_speed, play.end_fastest = play.mean_speed(), play.largest_speed()
        return play


def settled(quick, start):
    """The drape of which the speed at rest is reported, from one of the starts."""
    return _drape(quick, start * SHIFT, True, quality="fit")


def rest_numbers(results, plays):
    """plays: settled ones from all starts. The speed is a mean over the vertices, mm/s."""
    speeds = [1000 * play.end_speed for play in plays]
    results.figures(rest_speed=mean(speeds), rest_speed_worst=max(speeds))
    results.number("rest_speed_fastest", mean(1000 * play.end_fastest for play in plays))


def _beside(runs, name):
    play, converged = runs[name], runs["converged"]
    height, wanted = (one.positions()[:, 2].mean(dtype=float) for one in (play, converged))
    return {
        "method": name,
        "distance_conventional": _apart(play, runs["one Newton step"]),
        "distance_converged": _apart(play, converged),
        "height_difference": float(abs(height - wanted)) / size_of(converged.scene),
        "end_speed": play.end_speed,
        "largest_strain": play.history[-1].largest_strain,
        "frame_seconds": median(play.seconds),
    }


def _apart(one, other):
    apart = one.positions().astype(float) - other.positions()
    return float(np.linalg.norm(apart, axis=1).mean()) / size_of(other.scene)


# --- distance of a worn t-shirt --------------------------------------------------------------------

WORN_FRAMES, QUICK_WORN_FRAMES = 24, 8
# Solved until hardly anything changes.
CONVERGED = {"solver": "implicit", "iterations": 40, "pcg_tolerance": 1e-4, "pcg_limit": 2000}
CONVERGED["threads"] = 2
QUICK_CONVERGED = {**NEWTON, "threads": 2}


def distance(results, quick):
    """worn_rms_draft and so on: the largest RMS distance to the converged run, over the size."""
    frames = QUICK_WORN_FRAMES if quick else WORN_FRAMES
    scene = make("tshirt", **(SHIRT if quick else {}))
    heading("A t-shirt worn by a moving body, against the converged run at the same step")
    with Play(scene, **(QUICK_CONVERGED if quick else CONVERGED)) as converged:
        converged.run(frames)
    rows = []
    for quality in QUALITIES:
        with Play(scene, quality=quality) as play:
            play.run(frames)
        apart = distances(scene, play.track, converged.track)
        results.number(f"worn_rms_{quality}", max(apart))
        row = {"method": quality, "rms_5": apart[4], "rms_last": apart[-1], "rms": max(apart)}
        rows.append({**row, **means(play.history, "solves"), "frame_seconds": median(play.seconds)})
    results.table("distance", rows)


# --- cost ------------------------------------------------------------------------------------------

SKIPPED, TIMED, QUICK_TIMED = 4, 12, 4  # frames
FINE = {"spacing": 0.0069}  # m between vertices: 20,000 of them
FIRST, LAST = 8, 20  # frames of the growth
COUNTS, QUICK_COUNTS = (100, 168, 283), (25, 50)  # vertices along a side
SHARES = "total_seconds detection_seconds response_seconds solves touching self_contacts"
GROWTH = "total_seconds contact_seconds solves corrections touching"


def cost(results, quick):
    _share(results, quick)
    _growth(results, quick)
    heading("Memory taken from the heap by steps that are warm")
    results.number("step_bytes", int(program("step_bytes")))
    note(f"{results.numbers['step_bytes']:,} bytes in 1000 steps, both solvers and models.")


def _share(results, quick):
    """What finding contacts and answering them takes of a step."""
    scene = make("tshirt", **(SHIRT if quick else FINE))
    heading("What contact takes of a step: a t-shirt on a moving body, quality fit, one thread")
    rows = []
    for layered, suffix in ((False, ""), (True, "_self")):
        with Play(scene, self_contact=layered, quality="fit") as play:
            play.run(SKIPPED + (QUICK_TIMED if quick else TIMED))
        row = {"self_contact": layered, "vertices": len(scene.cloth.positions)}
        row |= means(play.history[SKIPPED:], SHARES)
        row["share"] = (row["detection_seconds"] + row["response_seconds"]) / row["total_seconds"]
        row["deep_frames"] = int(deep_frames(scene, play.track)[0])
        results.number(f"contact_share{suffix}", row["share"])
        rows.append(row)
    results.table("share", rows)


def _growth(results, quick):
    heading("How a frame grows with the cloth: on a sphere, quality fit, one thread")
    rows = []
    for count in QUICK_COUNTS if quick else COUNTS:
        scene = make("sphere_centred", count=count)
        with Play(scene, self_contact=False, quality="fit", kept=False) as play:
            history = play.run(LAST).history[FIRST - 1 :]
        row = {"vertices": count * count, **means(history, GROWTH)}
        row["solve_seconds"] = row["total_seconds"] / row["solves"]
        row["largest_strain"] = largest(history, "largest_strain")
        rows.append(row)
    results.table("growth", rows)
    for key, name in (("growth_exponent", "total"), ("growth_exponent_solve", "solve")):
        small, large = rows[0], rows[-1]
        rise = log(large[f"{name}_seconds"] / small[f"{name}_seconds"])
        results.number(key, rise / log(large["vertices"] / small["vertices"]))


PARTS = {"everywhere": everywhere, "friction": friction, "sphere": sphere}
PARTS |= {"distance": distance, "cost": cost}


def last(results):
    if "worn_rms_fit" in results.numbers:
        results.number("worn_rms", results.numbers["worn_rms_fit"])


BENCH = Bench("contact", __doc__, QUICK_HELP, PARTS, FIGURES, last=last)

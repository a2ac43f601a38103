# SPDX-License-Identifier: GPL-3.0-or-later
"""Fitting garments to bodies: whether bad starts are reported, and whether the fit is right."""

import os
import time
from dataclasses import dataclass
from statistics import median

import numpy as np
from common import garments
from common.bench import Bench, heading, note
from muslin import Cloth, Mesh, MuslinError, read_obj
from muslin.inspection.intersections import count_between, count_self
from muslin.poses import pose_between, run_up, settle
from test_scenes.contact import catalogue, figures, real
from test_scenes.contact.play import FRAME_SECONDS, Play, rms
from test_scenes.contact.quality import Judge, quality_of, stretches
from test_scenes.contact.trapped import SCENES as TRAPPED
from test_scenes.contact.trapped_judge import judged as judged_trapped
from test_scenes.contact.wrong import KINDS, wrong_start
from test_scenes.hoop import Sleeve, errors, wear

QUICK_HELP = "few cases of each kind"
FIGURES = """
settle_s_8k | <= 2 | coverall of 8,426 vertices until it is settled, s
settle_distance | <= 0.02 | from there to where a long run rests, over the size
settle_speed | <= 1 | fastest vertex when it is settled, mm/s
settle_s_mirror | <= 1.2 | mirrored bodysuit of 10,000 vertices until it is settled, s
start_inside | 0 | vertices inside the body in any frame after a run-up
start_piercings | - | edges through the body, or of it through the cloth, likewise
{start,halve}_stretch_p99 | <= 1.15 | one edge in a hundred is stretched to more, run-ups, halves
halve_piercings | 0 | uneven suits by half: edges through the body and itself
halve_speedup | >= 1.6 | a frame of the whole suit over one by half, likewise
trapped_frames | 0 | frames with a vertex on the wrong side of skins that touch
trapped_stretch | <= 1.3 | the largest stretch of an edge between them
trapped_{frames,stretch}_draft | - | both at draft
trapped_left | 0 | what is wrong when they have parted
sleeve_error | <= 0.05 | hoop tension and pressure of a tight sleeve
silent_starts | 0 | starts made wrong that are not reported as bad
wrong_starts | 40 | of so many
false_alarms | 0 | good starts that are reported as bad, scenes that are reported at all
miscounted_piercings | - | the most by which a count differs from the judge's
inspect_ms_8k | - | an inspection of the coverall, ms
"""


@dataclass
class Worn:
    """A garment on a body in the pose that it was made for. scene: the garment on the moving body."""

    mesh: Mesh
    body: Mesh
    scene: object

    def moved(self, frame):
        return self.scene.bodies[0].positions(frame)

    def dressed(self, **settings):
        """The cloth and its body. Nothing is pinned: what is worn stays up by itself, or is seen to fall."""
        cloth = Cloth(self.mesh, threads=os.cpu_count(), **settings)
        body = cloth.add_body(self.body, friction=self.scene.settings.get("friction"))
        cloth.set_self_contact(True)
        return cloth, body


def made_for(name, count=None, motion="arms"):
    """None where a file is absent."""
    own = name in garments.OWN
    scene = garments.scene(name, garments.OWN_MOTION if own else motion, count)
    if scene is None:
        return None
    moving = scene.bodies[0]
    body = Mesh.from_faces(moving.positions(0), moving.faces)
    if not own:
        body = read_obj(real.FOLDER / "body.obj")
    return Worn(Mesh.from_faces(scene.cloth.positions, scene.cloth.faces), body, scene)


# --- settling --------------------------------------------------------------------------------------

LONG, AFTER = 96, 8  # frames: of a run at rest, after it is let go
# Name, vertices, mirror, what follows settle_ in the figures.
SETTLED = (
    ("coverall_8k", None, "off", "s_8k"),
    ("bodysuit_sym", 10000, "auto", "s_mirror"),
    ("bodysuit_sym", 10000, "off", None),
    ("jacket_open", 6500, "off", None),
    *(
        (name, None, "off", None)
        for name in ("longsleeve", "jacket_open", "trousers", "skirt_sym", "overalls")
    ),
)
QUICK_SETTLED = (("tshirt", None, "off", None), ("own_tshirt", None, "off", None))


def settling(results, quick):
    heading("Garments that settle on a body in the pose they were made for")
    note(
        f"s: from creating the cloth. Distance: to where a run of {LONG} frames ends, RMS over the size. Let go: how far the "
        f"cloth moves in the next {AFTER} frames, RMS."
    )
    rows = []
    for name, count, mirror, key in QUICK_SETTLED if quick else (*SETTLED, *QUICK_SETTLED):
        worn = made_for(name, count)
        if worn is None:
            continue
        row = {"name": name, "mirror": mirror, **_settled(worn, mirror)}
        rows.append(row)
        if key is not None:
            results.number(f"settle_{key}", row["s"])
        if key == "s_8k":
            results.figures(settle_distance=row["distance"], settle_speed=1000 * row["fastest"])
    results.table("settle", rows)


def _settled(worn, mirror):
    begin = time.perf_counter()
    cloth, _ = worn.dressed(mirror=mirror)
    with cloth:
        *_, report = settle(cloth)
        seconds = time.perf_counter() - begin
        rest = cloth.positions()
        let_go = rms(_after(cloth, AFTER), rest)
    cloth, _ = worn.dressed(mirror=mirror)
    with cloth:
        apart = rms(_after(cloth, LONG), rest) / np.ptp(worn.mesh.positions, axis=0).max()
    row = {"vertices": worn.mesh.vertex_count, "s": seconds, "steps": report.steps}
    row["came_to_rest"] = bool(report.came_to_rest)
    return {**row, "fastest": report.fastest, "distance": float(apart), "let_go": let_go}


def _after(cloth, frames):
    for _ in range(frames):
        cloth.step(FRAME_SECONDS)
    return cloth.positions()


# --- run-ups ---------------------------------------------------------------------------------------

# Frames: before, of the animation, from one that is judged to the next.
RUN_UP, FRAMES, EVERY = 24, 20, 4
QUICK_RUN_UPS = (("tshirt_sym", "arms"), ("trousers", "walk"))


def run_ups(results, quick):
    """Judged by what shares no code with the simulation."""
    heading("Run-ups: a body comes from the pose in its file to its first frame; then it moves")
    garments.report_skipped()
    choices = [(name, motion) for name in garments.REAL for motion in garments.MOTIONS]
    rows = []
    for name, motion in QUICK_RUN_UPS if quick else choices:
        worn = made_for(name, motion=motion)
        if worn is not None:
            rows.append({"name": name, "motion": motion, **_run_up(worn)})
    results.table("run_up", rows)
    if rows:
        for key, name in (("start_inside", "inside"), ("start_piercings", "through")):
            results.number(key, max(max(row[f"first_{name}"], row[name]) for row in rows))
        results.number("start_stretch_p99", max(row["stretch_p99"] for row in rows))


def _run_up(worn):
    cloth, body = worn.dressed()
    with cloth:
        pose = pose_between(worn.body, worn.body.positions, worn.moved(0))
        for _ in run_up(cloth, RUN_UP, FRAME_SECONDS, lambda part: body.move(pose(part))):
            pass
        track = [cloth.positions()]
        for frame in range(1, FRAMES + 1):
            body.move(worn.moved(frame))
            track.append(_after(cloth, 1))
    judge = Judge(worn.scene)
    first, *later = (judge.counts(track[f], f) for f in range(0, len(track), EVERY))
    inside, through, own = (max(values) for values in zip(*later))
    p99, most = (max(pair) for pair in zip(*(stretches(worn.scene, [x]) for x in track)))
    return {
        "start_inside": judge.counts(worn.mesh.positions, 0)[0],
        "first_inside": first[0],
        "first_through": first[1],
        "inside": inside,
        "through": through,
        "self_through": max(first[2], own),
        "stretch_p99": p99,
        "stretch_max": most,
    }


# --- uneven suits by half --------------------------------------------------------------------------

HALVE_FRAMES, WARM_UP = 20, 2  # frames; before any that is timed


def halve(results, quick):
    """What the other side pierces, how far edges are stretched, and what is gained over all of the garment."""
    heading("Uneven suits by half: motion `arms`, draft, self-contact, all threads, in turn")
    rows = []
    for name in ("jacket_open",) if quick else ("coverall_8k", "jacket_open"):
        worn = made_for(name)
        for closure in ("free", "button") if worn else ():
            try:
                rows.append({"name": name, "closure": closure, **_halved(worn, closure)})
            except MuslinError as error:
                note(f"{name}, {closure}: refused, since {error}.")
    results.table("halve", rows)
    if rows:
        pierced = [row["body_piercings"] + row["self_piercings"] for row in rows]
        results.number("halve_piercings", max(pierced))
        results.number("halve_stretch_p99", max(row["stretch_p99"] for row in rows))
        results.number("halve_speedup", min(row["speedup"] for row in rows))


def _halved(worn, closure):
    """Reading the positions is a part of a frame: it is where a half becomes a whole."""
    halves = {"mirror": "halve", "closure": closure}
    pairs = [worn.dressed(quality="draft"), worn.dressed(quality="draft", **halves)]
    for cloth, body in pairs:
        body.place(worn.moved(0))
        cloth.prepare(FRAME_SECONDS)
    track, seconds = [pairs[1][0].positions()], ([], [])
    for frame in range(1, HALVE_FRAMES + 1):
        for (cloth, body), spent in zip(pairs, seconds):
            body.move(worn.moved(frame))
            begin = time.perf_counter()
            here = _after(cloth, 1)
            spent.append(time.perf_counter() - begin)
        track.append(here)
    whole, half = (1e3 * median(spent[WARM_UP:]) for spent in seconds)
    row = {"vertices": len(here), "half_vertices": pairs[1][0].mirror().half_vertex_count}
    row |= {"whole_ms": whole, "half_ms": half, "speedup": whole / half}
    for cloth, _ in pairs:
        cloth.close()
    return {**row, **quality_of(worn.scene, track, self_contact=True)}


# --- bodies that touch themselves, and a tight sleeve ----------------------------------------------


def trapped(results, quick):
    """Cloth between two skins of a body that touches itself: cuff, armpit, thighs, elbow and pocket."""
    heading("Bodies that touch themselves")
    choices = [(name, quality) for name in TRAPPED for quality in ("draft", "fit")]
    rows = []
    for name, quality in (("cuff", "draft"), ("pocket", "fit")) if quick else choices:
        scene = TRAPPED[name]()
        with Play(scene, quality=quality, fabric={}) as play:
            found = judged_trapped(scene, play.run().track)
        rows.append({"scene": name, "quality": quality, **found.numbers()})
    results.table("trapped", rows)
    for quality, ending in (("fit", ""), ("draft", "_draft")):
        mine = [row for row in rows if row["quality"] == quality]
        results.number(f"trapped_frames{ending}", sum(row["wrong_frames"] for row in mine))
        results.number(f"trapped_stretch{ending}", max(row["stretch"] for row in mine))
    results.number("trapped_left", sum(row["left"] for row in rows))


QUICK_SLEEVES = {
    "threads upright": Sleeve(tight=0.1),
    "uneven triangles": Sleeve(tight=0.1, cut="uneven"),
    "on the bias": Sleeve(tight=0.1, bias=True),
}
SLEEVES = {
    **QUICK_SLEEVES,
    "hardly tight": Sleeve(tight=0.02),
    "very tight": Sleeve(tight=0.3),
    "triangles": Sleeve(tight=0.1, cut="triangles"),
    "coarse, uneven": Sleeve(tight=0.1, cut="uneven", around=32),
    "fine": Sleeve(tight=0.1, around=128),
    "on the bias, uneven": Sleeve(tight=0.1, bias=True, cut="uneven"),
    "weft stiffer": Sleeve(tight=0.05, warp=400, weft=2000, shear=60),
    "thin shell": Sleeve(tight=0.1, thickness=0.001),
    "draft": Sleeve(tight=0.1, quality="draft"),
    "final": Sleeve(tight=0.1, quality="final"),
}


def sleeve(results, quick):
    """sleeve_error: root mean square over the vertices, of tension or pressure, whichever is larger, in the worst case."""
    heading("A tight sleeve on a cylinder: hoop tension and pressure against the closed form")
    rows = [
        {"name": name, **errors(sleeve, *wear(sleeve))._asdict()}
        for name, sleeve in (QUICK_SLEEVES if quick else SLEEVES).items()
    ]
    results.table("sleeve", rows)
    worst = [max(row["tension_rms"], row["pressure_rms"]) for row in rows]
    results.number("sleeve_error", max(worst))


# --- starts that are made wrong, and good ones -----------------------------------------------------

GARMENTS = ("tshirt", "longsleeve", "jacket_open", "trousers", "skirt_sym")
GARMENTS += ("coverall_8k", "overalls", "bodysuit_sym")
OWN = {"own_tshirt": figures.tshirt, "own_skirt": figures.skirt}
TIMED = "coverall_8k"


def starts(results, quick):
    """silent_starts: wrong ones that are not reported as bad. false_alarms: good ones that are, or scenes that are reported at all."""
    heading("Starts: garments on the body that they were made for, begun wrongly, and as they are")
    names = ("tshirt", "trousers") if quick else GARMENTS
    found = {name: real.real_scene(name) for name in names}
    worn = {name: scene for name, scene in found.items() if scene is not None}
    worn = worn or {name: make() for name, make in OWN.items()}
    wrong = []
    for garment, (name, scene) in enumerate(worn.items()):
        for number, kind in enumerate(KINDS):
            places, faces = scene.cloth.positions, scene.cloth.faces
            start = wrong_start(kind, places, faces, 97 * garment + number)
            wrong.append(_row(name, kind, _inspected(scene, *start)[0]))
    results.table("starts", wrong, wrong_starts=len(wrong))
    results.number("silent_starts", sum(row["told_as"] != "bad" for row in wrong))
    good, off = [], 0
    for name, scene in worn.items():
        reported, seconds = _inspected(scene)
        good.append(_row(name, "as it is", reported))
        off = max(off, *_miscounted(scene, reported))
        if name == TIMED:
            results.number("inspect_ms_8k", 1000 * seconds)
    others = list(catalogue.SCENES.items())[:: 3 if quick else 1]
    scenes = [_row(name, "scene", _inspected(make())[0]) for name, make in others]
    results.table("starts", good + scenes)
    alarms = sum(row["reported_as"] == "bad" for row in good)
    results.number("false_alarms", alarms + sum(row["reported_as"] != "clean" for row in scenes))
    results.number("miscounted_piercings", off)


def _inspected(scene, positions=None, faces=None):
    """(inspection, seconds) of the scene's cloth, or of another start of it, on its bodies."""
    positions = scene.cloth.positions if positions is None else positions
    faces = scene.cloth.faces if faces is None else faces
    with Cloth(Mesh.from_faces(positions, _lists(faces))) as cloth:
        for body in scene.bodies:
            cloth.add_body(Mesh.from_faces(body.positions(), _lists(body.faces)))
        cloth.inspect()
        seconds = []
        for _ in range(3):
            begin = time.perf_counter()
            found = cloth.inspect()
            seconds.append(time.perf_counter() - begin)
        return found, median(seconds)


def _lists(faces):
    return [[int(vertex) for vertex in face] for face in faces]


def _row(name, kind, found):
    faults = [fault.name.lower() for fault in type(found.found) if found.found & fault]
    row = {"garment": name, "kind": kind, "reported_as": found.placement.name.lower()}
    row |= {"inside": found.inside_count, "deep_mm": 1000 * found.deepest}
    row["body_piercings"] = found.body_piercings + found.cloth_piercings
    more = ("self_piercings", "limbs_through", "openings_empty")
    return {**row, **{key: getattr(found, key) for key in more}, "found": ", ".join(faults)}


def _miscounted(scene, found):
    """By how many piercings of body and cloth an inspection and the judge differ."""
    places, faces = scene.cloth.positions, _lists(scene.cloth.faces)
    pairs = [count_between(places, faces, b.positions(), _lists(b.faces)) for b in scene.bodies]
    into, through = (sum(counts) for counts in zip(*pairs))
    own = count_self(places, faces) - found.self_piercings
    return abs(into - found.body_piercings), abs(through - found.cloth_piercings), abs(own)


PARTS = {"settling": settling, "run_ups": run_ups, "trapped": trapped}
PARTS |= {"sleeve": sleeve, "starts": starts, "halve": halve}
BENCH = Bench("fitting", __doc__, QUICK_HELP, PARTS, FIGURES)

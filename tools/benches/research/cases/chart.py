# SPDX-License-Identifier: GPL-3.0-or-later
"""Quality against milliseconds for every way to solve, Blender's own two among them, on four scenes at three sizes.

A way that is not measured at a size, or cannot be, has a reason in words: nothing is left out in silence. All scenes are
their own mirror image, bodies and motions included, so that one half can be solved for both.
"""

import os
from dataclasses import dataclass, field, replace
from statistics import median

import numpy as np
from blender_cases.session import OwnSolvers
from common import charts, garments
from common.bench import heading, note, print_table
from muslin import MuslinError
from test_scenes.contact import falls
from test_scenes.contact.play import Play, distances
from test_scenes.contact.quality import quality_of
from test_scenes.contact.scene import FRAMES_PER_SECOND, ContactScene
from test_scenes.sheets import grid

# --- scenes that move and then are left alone ------------------------------------------------------

SMALL, MIDDLE, LARGE, QUICK = "small", "middle", "large", "quick"
SIDES = {SMALL: 33, MIDDLE: 65, LARGE: 129}  # vertices; odd: a column lies in the mirror plane
QUICK_SIDE, QUICK_FRAMES = 21, (8, 4)
WORN = (20, 16)  # frames in which the arms rise, and in which the body stands still


@dataclass(frozen=True)
class Kind:
    """One of the four scenes.

    make     a size to its scene; None where a file is absent
    moving   frames that are timed and compared with the converged run
    resting  frames after them in which nothing pushes the cloth any more
    layered  self-contact is on
    woven    a grid of quads, which the thread solver takes
    rests    whether it lies still at the end; the swing never does
    """

    name: str
    title: str
    make: object
    moving: int
    resting: int
    layered: bool = False
    woven: bool = False
    rests: bool = True


@dataclass
class Stage:
    """A scene at one size, and the tracks of the converged runs of it by model."""

    kind: Kind
    size: str
    scene: ContactScene
    moving: int
    resting: int
    references: dict = field(default_factory=dict)

    @property
    def vertices(self):
        return len(self.scene.cloth.positions)

    @property
    def frames(self):
        return self.moving + self.resting


def swing(size):
    """A level sheet of 1 m that falls and swings from two of its corners."""
    side = SIDES.get(size, QUICK_SIDE)
    pins = np.array([side * (side - 1), side * side - 1])
    sheet = grid(side, side, 1.0, "quads")
    return ContactScene("swing", "a sheet held by two corners", sheet, pins=pins)


def sphere(size):
    """A sheet that falls on a ball and stays on it."""
    side = SIDES.get(size, QUICK_SIDE)
    scene, sheet = falls.sphere_centred(side), grid(side, side, 1.0, "quads")
    sheet.positions[:, 2] = scene.cloth.positions[0, 2]
    ball = next(body for body in scene.bodies if body.closed)
    return replace(scene, cloth=sheet, bodies=[ball])


def _worn(garment):
    """A garment as it is, cut finer once, and twice."""

    def make(size):
        as_it_is = garments.scene(garment, "arms")
        if as_it_is is None:
            return None
        count = {MIDDLE: 4, LARGE: 16}.get(size, 1) * len(as_it_is.cloth.positions)
        last = QUICK_FRAMES[0] if size == QUICK else WORN[0]
        return garments.scene(garment, "arms", count, last)

    return make


ALL = (
    Kind("swing", "A sheet that swings", swing, 36, 0, woven=True, rests=False),
    Kind("sphere", "A sheet that falls on a sphere", sphere, 24, 24, woven=True),
    Kind("tshirt", "A worn t-shirt", _worn("tshirt_sym"), *WORN),
    Kind(
        "jacket", "A worn jacket with self-contact", _worn("jacket_open_sym"), *WORN, layered=True
    ),
)
KINDS = {kind.name: kind for kind in ALL}

# --- ways to solve ---------------------------------------------------------------------------------

FEW_ROUNDS = {MIDDLE: (1, 2, 4, 8), LARGE: (1, 4), QUICK: (1, 4)}
FEW_SWEEPS = 8
# Newton's method, each step solved to a tenth. On the t-shirt it comes as near to forty steps solved to a hundredth as
# twenty do, in half their time.
NEWTON = {"iterations": 10, "pcg_tolerance": 0.1, "pcg_limit": 1500}
# Where nothing is met: 0.0004 of the size from Newton's method on the swing of 4,225 vertices, in a tenth of the time.
MANY_ROUNDS = {"scheme": "two_level", "iterations": 400}
SHORT, QUICK_SHORT = 12, 4  # frames of what takes seconds a frame, the converged run among them
CONVERGED = "converged"
AGAIN = "converged, started a micrometre beside"
MINUTES = "takes minutes at this size"
# With self-contact; the conventional one takes longer than its converged run, which is there.
SLOW_LAYERED = {"conventional": (MIDDLE,), "modifier": (LARGE,)}
CHOICE = "left out at this size to keep the run short"


@dataclass(frozen=True)
class Way:
    """One point of the chart.

    family  the line that it is on
    point   how it is named along that line
    model   whose converged run it is compared with
    short   sizes at which it takes seconds a frame, and gets few of them
    rests   False: only while the cloth is moved, since what follows would take as long again
    absent  at a size, why it is not measured there
    rival   one of Blender's own solvers, and settings are its effort
    """

    family: str
    point: str
    settings: dict
    model: str = "triangle"
    short: tuple = ()
    rests: bool = True
    absent: dict = field(default_factory=dict)
    rival: str = None

    def reason(self, stage):
        """Why it cannot be measured on a stage, or None."""
        if self.model == "threads" and not stage.kind.woven:
            return "only ropes and grids of quads have threads"
        if stage.kind.layered and stage.size in SLOW_LAYERED.get(self.family, ()):
            return MINUTES
        return self.absent.get(stage.size)

    def frames(self, stage):
        """How many it gets."""
        if stage.size in self.short:
            return QUICK_SHORT if stage.size == QUICK else min(SHORT, stage.moving)
        return stage.frames if self.rests else stage.moving


def _left_out(*sizes):
    return {size: CHOICE for size in sizes}


def _ours():
    for scheme, name in (("plain", "plain"), ("two_level", "two-level")):
        for count in range(1, 9):
            absent = _left_out(*(size for size, few in FEW_ROUNDS.items() if count not in few))
            yield Way(name, str(count), {"scheme": scheme, "iterations": count}, absent=absent)
    for quality in ("draft", "fit", "final"):
        first, settings = quality == "draft", {"quality": quality}
        rare = {} if first else _left_out(QUICK)
        yield Way("quality", quality, settings, short=() if first else (LARGE,), absent=rare)
        never = _left_out(MIDDLE, LARGE) if quality == "final" else _left_out(LARGE)
        yield Way("edges", quality, {**settings, "model": "edge"}, "edge", absent=rare | never)
        late = {} if first else _left_out(LARGE)
        yield Way("mirrored", quality, {**settings, "mirror": "exact"}, absent=rare | late)
    for count in (2, FEW_SWEEPS, 32):
        absent = {} if count == FEW_SWEEPS else _left_out(LARGE, QUICK)
        yield Way("sweeps", str(count), {"solver": "sweep", "sweeps": count}, absent=absent)
    dear = {"short": (MIDDLE, QUICK), "rests": False, "absent": {LARGE: MINUTES}}
    yield Way("threads", "1", {"solver": "threads", "iterations": 1}, "threads", **dear)
    yield Way("conventional", "1", {"solver": "implicit", "iterations": 1}, **dear)


def _rivals():
    """As Blender has them, and with four times the effort where that does not take minutes."""
    often = _left_out(MIDDLE, LARGE, QUICK)
    for rival in ("modifier", "nodes"):
        yield Way(rival, "5", 5, short=(LARGE,), rival=rival)
        yield Way(rival, "20", 20, rests=False, absent=often, rival=rival)


WAYS = (*_ours(), *_rivals())


def references(stage):
    """The converged runs of a stage, triangles first: (way, frames). At the large size Newton's method takes minutes: final
    stands in."""
    frames = stage.moving if stage.size == SMALL else min(SHORT, stage.moving)
    models = ["triangle", "edge"] if stage.size in (SMALL, MIDDLE) else ["triangle"]
    found = [_converged(stage, model) for model in models]
    if stage.kind.woven and stage.size == SMALL:
        found.append(Way("threads", CONVERGED, {"solver": "threads", **NEWTON}, "threads"))
    return [(way, frames) for way in found]


def _converged(stage, model):
    if not stage.scene.bodies:
        return Way("two-level", CONVERGED, {**MANY_ROUNDS, "model": model}, model)
    if stage.size == LARGE:
        return Way("quality", "final", {"quality": "final", "model": model}, model)
    newton = {"solver": "implicit", **NEWTON, "model": model}
    return Way("conventional", CONVERGED, newton, model)


# --- one way on one stage under the clock ----------------------------------------------------------

COLUMNS = ("scene", "size", "vertices", "family", "point", "ms", "ms_least", "frames", "distance")
COLUMNS += ("stretch_p99", "stretch_max", "inside", "body_piercings", "self_piercings")
COLUMNS += ("trembling", "fastest_at_rest", "why")
THREADS = os.cpu_count()
SKIPPED = 2  # frames before the clock starts: the first ones factor and warm up
JUDGED = 12  # frames from one that is judged for piercings to the next
LAST = 6  # frames at the end in which rest is looked at
TORN = 100.0  # m from the origin: no cloth any more


def play(stage, settings, frames):
    """(track, ms of each frame, why it ended early or None). Backward Euler throughout: qualities choose other
    integrators where nothing is met, and their motion would be another one."""
    common = {"quads": True, "uvs": True, "fabric": {}, "threads": THREADS, "integrator": "euler"}
    why = None
    with Play(stage.scene, self_contact=stage.kind.layered, **common, **settings) as run:
        try:
            for _ in range(frames):
                here = run.step()
                if not np.abs(here).max() < TORN:
                    why = f"torn to pieces in frame {run.frame}"
                    break
        except MuslinError as error:
            why = f"frame {run.frame}: {error}"
    return np.array(run.track), [1e3 * seconds for seconds in run.frame_seconds], why


def distance(stage, model, track):
    """The largest RMS distance to the converged run of the model, over the size; None where there is none."""
    if model not in stage.references:
        return None
    return max(distances(stage.scene, track[: stage.moving + 1], stage.references[model]))


def trembling(track):
    """mm/s that the worst vertex goes to and fro from frame to frame, at the end.

    Third differences of places: smooth motion has next to none, one by a to either side has 8 a, and goes 2 a a frame.
    """
    third = np.diff(track[-LAST - 3 :].astype(float), 3, axis=0)
    shaken = np.sqrt((third**2).sum(-1).mean(0)).max()
    return float(1e3 * FRAMES_PER_SECOND * shaken / 4)


def fastest(track):
    """mm/s of the fastest vertex, mean of the last frames."""
    ways = np.linalg.norm(np.diff(track[-LAST - 1 :].astype(float), axis=0), axis=2)
    return float(1e3 * FRAMES_PER_SECOND * ways.max(1).mean())


def record(stage, way, **found):
    named = {"scene": stage.kind.name, "size": stage.size, "vertices": stage.vertices}
    named |= {"family": way.family, "point": way.point, **found}
    return {column: named.get(column) for column in COLUMNS}


def judged(stage, way, track, milliseconds, why=None):
    """The row of a run; of one that ended early only what it is called, its time and why."""
    timed = milliseconds[SKIPPED : stage.moving] or milliseconds
    times = {"ms": median(timed), "ms_least": min(timed), "frames": len(track) - 1}
    if why is None and not (np.isfinite(track).all() and np.abs(track).max() < TORN):
        why = "torn to pieces"
    if why is not None:
        return record(stage, way, **times, why=why)
    layered = stage.kind.layered and way.rival != "nodes"
    found = {**times, "distance": distance(stage, way.model, track)}
    found |= quality_of(stage.scene, track, layered, JUDGED)
    if len(track) > max(stage.frames, 3):
        found["trembling"] = trembling(track)
        found["fastest_at_rest"] = fastest(track) if stage.kind.rests else None
    return record(stage, way, **found)


def measure(stage, way, solvers):
    """The row of a way; solvers: Blender's own."""
    why = way.reason(stage)
    if why is None and way.rival and not solvers.is_there():
        why = "this Blender is not there"
    if why is not None:
        return record(stage, way, why=why)
    frames = way.frames(stage)
    if not way.rival:
        return judged(stage, way, *play(stage, way.settings, frames))
    layered = stage.kind.layered and way.rival == "modifier"
    asked = stage.scene, way.rival, frames + 1, layered, way.settings
    track, milliseconds, _ = solvers.run(*asked)
    return judged(stage, way, track, milliseconds[1:])


def beside(stage):
    """The same stage whose cloth starts within a micrometre of where it is."""
    places = stage.scene.cloth.positions
    moved = np.random.default_rng(1).uniform(-1e-6, 1e-6, places.shape)
    cloth = replace(stage.scene.cloth, positions=(places + moved).astype(np.float32))
    return replace(stage, scene=replace(stage.scene, cloth=cloth))


def rows_of(stage, solvers):
    """The converged runs first: all others are compared with them."""
    wanted = references(stage)
    for way, frames in wanted:
        track, milliseconds, why = play(stage, way.settings, frames)
        stage.references[way.model] = track
        if way.model == "triangle":
            yield judged(stage, way, track, milliseconds, why) | {"distance": None}
    if stage.size == SMALL:
        way, frames = wanted[0]
        track = play(beside(stage), way.settings, frames)
        yield judged(stage, replace(way, point=AGAIN), *track)
    done = {(way.family, way.point) for way, _ in wanted}
    for way in WAYS:
        if (way.family, way.point) not in done:
            yield measure(stage, way, solvers)


def part(kind):
    """A part of the bench: a scene at every size, each made when it is its turn."""

    def measure_kind(results, quick):
        heading(f"Quality against milliseconds: {kind.title.lower()}")
        solvers = OwnSolvers(f"chart_{kind.name}")
        frames = QUICK_FRAMES if quick else (kind.moving, kind.resting)
        for size in (QUICK,) if quick else SIDES:
            scene = kind.make(size)
            if scene is None:
                note(f"Skipped: {kind.name}. Its garment or body is not in shared/data.")
                return
            rows = list(rows_of(Stage(kind, size, scene, *frames), solvers))
            there = [row for row in rows if row["ms"] is not None]
            left_out = [row for row in rows if row["ms"] is None]
            results.table("chart", there, " ".join(COLUMNS[2:]))
            for row in left_out:
                results.row("chart", **row)
                note(f"Not there: {row['family']} {row['point']}: {row['why']}.")

    return measure_kind


PARTS = {f"chart_{kind.name}": part(kind) for kind in ALL}

# --- the chart of a scene: four measures of quality over milliseconds, a column for each size ------

TITLES = {
    "plain": "plain, 1 to 8 iterations",
    "two-level": "two levels, 1 to 8 iterations",
    "quality": "draft, fit, final",
    "edges": "the same with edges",
    "mirrored": "the same mirrored",
    "sweeps": "2, 8, 32 sweeps",
    "threads": "along threads",
    "conventional": "conventional",
    "modifier": "Blender's Cloth modifier",
    "nodes": "Blender's Cloth Dynamics",
}
PIERCINGS = charts.Row("piercings", 0.5)


def through(row):
    """Edges through faces and vertices inside, all together."""
    if row["inside"] is None:
        return None
    return row["inside"] + row["body_piercings"] + (row["self_piercings"] or 0)


def percent(value, less=0):
    return None if value is None else 100 * (value - less)


# What is drawn upward; all of them are better further down.
MEASURES = (
    (charts.Row("distance, %"), lambda row: percent(row["distance"])),
    (charts.Row("most stretch, %"), lambda row: percent(row["stretch_max"], 1)),
    (PIERCINGS, through),
    (charts.Row("trembling, mm/s"), lambda row: row["trembling"]),
)


def draw(results, folder):
    for kind in ALL:
        write(results.of("chart"), kind, folder)


def write(rows, kind, folder):
    """Writes which_SCENE.svg; its path, or None where nothing of this scene was measured."""
    rows = [row for row in rows if row["scene"] == kind.name and row["ms"] is not None]
    sizes = {row["size"]: row["vertices"] for row in rows}
    if not sizes:
        return None
    # Of a swing that meets nothing, nothing is pierced.
    measures = [m for m in MEASURES if kind.rests or m[0] is not PIERCINGS]
    lines = {
        (column, index): _lines([row for row in rows if row["size"] == size], number)
        for column, size in enumerate(sizes)
        for index, (_, number) in enumerate(measures)
    }
    path = os.path.join(folder, f"which_{kind.name}.svg")
    names = [f"{count:,} vertices" for count in sizes.values()]
    title = f"{kind.title}: quality against milliseconds a frame"
    heads, order = [row for row, _ in measures], tuple(TITLES.values())
    charts.write_panels(path, title, "milliseconds a frame", names, heads, lines, order)
    return path


def _lines(rows, number):
    """Without the converged run: it is the measure itself."""
    found = []
    for family, title in TITLES.items():
        points = [
            (row["ms"], number(row))
            for row in rows
            if row["family"] == family and number(row) is not None
            if not row["point"].startswith(CONVERGED)
        ]
        found.append(charts.Line(title, tuple(points), family in ("modifier", "nodes")))
    return [line for line in found if line.points]


# --- the table of docs/how_it_works/which_solver.md, and the sentence after it ----------------------

WORN_SCENES = ("tshirt", "jacket")


def tell(results):
    """Where a run has the middle size."""
    rows = [row for row in results.of("chart") if row["ms"] is not None]
    if any(row["size"] == MIDDLE for row in rows):
        heading(
            "Every way at the middle size: ms and distance; the worse garment; trembling at rest"
        )
        print_table(summary(rows))
        note(f"Converged runs a micrometre beside each other end apart by {apart(rows)}.")


def summary(rows):
    """Rows of ways: of each scene milliseconds and distance, then the worst of what is worn, and of what rests."""
    rows, found = [row for row in rows if row["size"] == MIDDLE], []
    for family, point in dict.fromkeys((row["family"], row["point"]) for row in rows):
        mine = {r["scene"]: r for r in rows if (r["family"], r["point"]) == (family, point)}
        # few frames do not tell the worst
        worn = [mine[s] for s in WORN_SCENES if s in mine and mine[s]["frames"] > SHORT]
        resting = [row for scene, row in mine.items() if KINDS[scene].rests]
        cells = {scene: _pair(mine[scene]) if scene in mine else None for scene in KINDS}
        stretch = _worst(worn, lambda row: percent(row["stretch_max"], 1))
        row = {"way": f"{family} {point}", **cells, "most_stretch_percent": stretch}
        row |= {"through": _worst(worn, through)}
        found.append({**row, "trembling": _worst(resting, lambda row: row["trembling"])})
    return found


def _pair(row):
    off = "" if row["distance"] is None else f", {percent(row['distance']):.1f} %"
    return f"{row['ms']:.1f} ms{off}" if row["ms"] < 10 else f"{row['ms']:,.0f} ms{off}"


def _worst(rows, number):
    return max((number(row) for row in rows if number(row) is not None), default=None)


def apart(rows):
    """What two converged runs differ by, at the small size: smaller differences mean nothing."""
    found = [row for row in rows if row["point"] == AGAIN and row["distance"] is not None]
    return ", ".join(f"{percent(row['distance']):.1f} % ({row['scene']})" for row in found)

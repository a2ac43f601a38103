# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast everything is: solve, iteration, step, frame, set-up and growth, as ratios with their quality."""

import os
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import median
from time import perf_counter

import numpy as np
from blender_cases import race
from blender_cases.session import open_sessions
from common import charts
from common.bench import Bench, figures_of, heading, note
from common.measure import Run, close, cloth_of, largest, means, program, program_rows
from common.measure import run_interleaved
from muslin import Cloth
from test_scenes.contact.catalogue import make
from test_scenes.contact.judge import Judge
from test_scenes.contact.play import Play, mesh_of
from test_scenes.fabric import REFERENCE
from test_scenes.mesh import Mesh
from test_scenes.patterns import swing_square
from test_scenes.sheets import grid

QUICK_HELP = "small meshes, few steps, one Blender; the same figures of other sizes"
# What to reach is another machine's.
FIGURES = """
solve_speedup_{1t,2t}_{20k,100k} | - | CHOLMOD's best solve over ours, by our threads and the size
solve_speedup_{1t,2t}_{20k,100k}_least | - | ratio of the least times
solve_error_{1t,2t}_{20k,100k} | - | relative error of our answer
solve_speedup_eigen_1t_{20k,100k} | - | Eigen's solve over ours, one thread
solve_over_floor{,_1t}_100k | - | our solve over reading the factor twice, two threads or one
iteration_over_cholmod_solve{,_1t} | - | an iteration over CHOLMOD's best solve, 20k, two threads or one
step_speedup_pcg{,_draft} | - | conventional PCG step over ours, one iteration or draft
step_response_pcg{,_draft} | - | its response
step_largest_strain{,_draft} | - | its largest strain
vs_builtin_free_20k{,_draft} | - | Blender's own frame over ours, free, fixed rounds or draft, worst
free_response | - | its lowest response
free_largest_stretch | - | its largest edge stretch
vs_builtin_sphere_20k{,_draft} | - | the same on a sphere
sphere_response{,_draft} | - | its lowest response
sphere_largest_stretch | - | its largest edge stretch
sphere_deepest_mm | - | its deepest vertex in the sphere, mm
numbering_elimination | - | a step with vertices as the factor eliminates them, over rows, 100k
numbering_random | - | the same, numbered at random
frame_ms_100k{,_least} | - | frame of a worn 100k t-shirt, two threads, draft or least, ms
frame_deepest_mm_100k | - | its deepest vertex in the body at the end, mm
frame_largest_strain_100k{,_least} | - | its largest strain
setup_s_100k{,_1t} | - | from nothing to the first prepared step, two threads or one, s
setup_{ordering,analysis,factor,rest}_s_100k | - | of it, two threads
refactor_s_100k{,_1t} | - | another stretch, prepared, s
growth_exponent{,_draft} | - | step, one iteration or draft, 5k to 200k vertices
{plain,draft}_bytes_per_vertex_200k | - | memory, one iteration or draft, bytes per vertex
scaling_{2,16}{,_draft} | - | so many threads over one, whole step, one iteration or draft, 100k
scaling_same_bytes | - | 1: the same positions for any number of threads
"""

# --- how large and how long everything is measured -------------------------------------------------

LABELS = ("1k", "5k", "20k", "50k", "100k", "200k")  # of the sizes, in keys


def sizes(*sides):
    """Vertices along the side of a sheet, by label."""
    return dict(zip(LABELS, sides))


def full_sizes():
    return sizes(35, 74, 141, 224, 316, 447)


@dataclass(frozen=True)
class Effort:
    """The defaults are the full run. A side is vertices along the edge of a square sheet."""

    quick: bool = False
    sides: dict = field(default_factory=full_sizes)
    solve_turns: dict = field(default_factory=lambda: sizes(60, 40, 20, 10, 8, 6))
    repeats: int = 3  # of what is measured in processes of its own, and of set-ups
    skipped: int = 4  # steps before the clock starts
    timed: int = 12
    pcg_vertices: int = 5472
    pcg_timed: int = 20
    pcg_steps: tuple = (1, 3)  # skipped, timed, at every size
    garment: dict = field(default_factory=lambda: {"spacing": 0.00303})
    garment_frames: tuple = (4, 8)  # skipped, timed
    builtin_sides: dict = field(default_factory=full_sizes)

    def steps(self):
        """Skipped, timed, and after how many the drop is read."""
        return self.skipped, self.timed, self.skipped + self.timed


FULL = Effort()
QUICK = Effort(
    quick=True,
    sides=sizes(20, 35, 50, 74, 100, 141),
    solve_turns=sizes(10, 10, 10, 6, 6, 6),
    repeats=1,
    skipped=2,
    timed=4,
    pcg_vertices=1245,
    pcg_timed=6,
    pcg_steps=(1, 2),
    garment={"spacing": 0.02, "body_spacing": 0.02},
    garment_frames=(2, 4),
    builtin_sides=sizes(10, 15, 20, 25, 30, 35),
)

# --- square sheets hung by two corners -------------------------------------------------------------

FRAME_SECONDS, SUBSTEP_SECONDS = 1 / 24, 1 / 48
# One local and one global step a substep, as in the thesis; and the quality that artists start with.
METHODS = {"plain": {"scheme": "plain", "iterations": 1}, "draft": {"quality": "draft"}}
TITLES = {"plain": "plain, one iteration", "draft": "draft"}
ENDINGS = {"plain": "", "draft": "_draft"}


@lru_cache(maxsize=None)
def sheet(side):
    """(mesh of 1 m in the plane z = 0, its pins)."""
    return grid(side, side, 1.0), np.array([side * (side - 1), side * side - 1], np.int32)


def start(method, side, **settings):
    return Run(method, cloth_of(*sheet(side), **METHODS[method], **settings))


# --- the solve alone, beside what the program native/bench/rivals prints ---------------------------

FIELDS = {"vertices": int, "factor_entries": int, "packed_bytes": int, "bits": int, "name": str}
FIELDS |= {"threads": int, "ms": float, "least_ms": float, "error": float}
CHOLMOD = ("simplicial", "supernodal")
WHY = {
    "supernodal": "CHOLMOD's supernodal solve is left out: no BLAS and LAPACK to build it with",
    "eigen": "Eigen's SimplicialLLT is left out: Eigen is not installed",
}


def parse(lines):
    """Records of the contenders, by (name, threads)."""
    rows = [{n: FIELDS[n](word) for n, word in zip(FIELDS, words)} for words in lines]
    return {(row["name"], row["threads"]): row for row in rows}


def contenders(turns, side):
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # for a BLAS that would take more by itself
    return parse(program_rows("rivals", turns, side))


def best_cholmod(found, column="ms"):
    """The faster of CHOLMOD's own solves, as many as there are."""
    return min(found[name, 1][column] for name in CHOLMOD if (name, 1) in found)


def solve(results, effort):
    heading("The solve alone, three right-hand sides")
    note(
        "Square sheets, the same matrix in the same order for all, in turn, medians. CHOLMOD in double precision and Eigen on "
        "one thread. Reading: going through as many bytes as the packed factor has, forward and backward. Error: "
        "relative to the refined answer, the worst right-hand side."
    )
    rows, missing = [], set()
    for label, side in effort.sides.items():
        found = contenders(effort.solve_turns[label], side)
        missing |= {name for name in WHY if (name, 1) not in found}
        mine = [{"label": label, **_ratios(found, row)} for row in found.values()]
        rows += mine
        if label in ("20k", "100k"):
            for row in mine:
                if row["name"] == "ours":
                    _solve_figures(results, found, row)
    results.table("solve", rows, "vertices name threads ms least_ms error faster over_floor")
    for name in sorted(missing):
        note(WHY[name])
    if "supernodal" not in missing:
        note(f"The supernodal solve's BLAS: {program('rivals', 'blas').strip()}")


def _ratios(found, row):
    if row["name"] == "reading":
        return {**row, "faster": None, "faster_eigen": None, "over_floor": None}
    eigen = found.get(("eigen", 1))
    over = row["ms"] / found["reading", row["threads"]]["ms"]
    ratio = eigen and eigen["ms"] / row["ms"]
    faster = best_cholmod(found) / row["ms"]
    return {**row, "faster": faster, "faster_eigen": ratio, "over_floor": over}


def _solve_figures(results, found, row):
    threads, label = row["threads"], row["label"]
    least = best_cholmod(found, "least_ms") / row["least_ms"]
    ending = "" if threads == 2 else "_1t"
    results.number(f"solve_speedup_{threads}t_{label}", row["faster"])
    results.number(f"solve_speedup_{threads}t_{label}_least", least)
    results.number(f"solve_error_{threads}t_{label}", row["error"])
    results.number(f"solve_over_floor{ending}_{label}", row["over_floor"])
    results.number(f"solve_speedup_eigen_{threads}t_{label}", row["faster_eigen"])


def iteration(results, effort):
    """One local and global iteration against CHOLMOD's solve alone; steps and solves take turns."""
    heading("One iteration, local and global step, against cholmod_solve2 alone, 20k")
    side, parts = effort.sides["20k"], ("force", "assemble", "solve")
    runs = {threads: start("plain", side, threads=threads) for threads in (1, 2)}
    cholmod = []
    for _ in range(effort.repeats):
        run_interleaved(runs.values(), FRAME_SECONDS, *effort.steps())
        cholmod.append(best_cholmod(contenders(effort.solve_turns["20k"], side)) / 1e3)
    rows = []
    for threads, run in runs.items():
        stages = run.stage_seconds(*parts)
        ratio = sum(stages.values()) / median(cholmod)
        ending = "" if threads == 2 else "_1t"
        results.number(f"iteration_over_cholmod_solve{ending}", ratio)
        row = {"threads": threads, "vertices": side * side, **stages}
        row["cholmod_seconds"] = median(cholmod)
        rows.append({**row, "ratio": ratio, **run.quality()})
    results.table("iteration", rows)
    close(runs.values())


# --- the whole step --------------------------------------------------------------------------------

PCG = {"solver": "implicit", "iterations": 1, "pcg_tolerance": 1e-3}


def conventional(results, effort):
    """Against our own conventional step, Newton by preconditioned conjugate gradients."""
    heading("The whole step against our conventional one, no contact")
    note("Response: mean drop over that of the conventional run. An irregular square; then sheets.")
    steps = effort.skipped, effort.pcg_timed, min(20, effort.skipped + effort.pcg_timed)
    rows = _race(swing_square(effort.pcg_vertices), 1, steps)
    results.table("conventional", rows)
    for row in rows[1:]:
        ending = ENDINGS[row["method"]]
        results.number(f"step_speedup_pcg{ending}", row["faster"])
        results.number(f"step_response_pcg{ending}", row["response"])
        results.number(f"step_largest_strain{ending}", row["largest_strain"])
    rows, steps = [], (*effort.pcg_steps, sum(effort.pcg_steps))
    for label, side in effort.sides.items():
        for threads in (1, 2):
            rows += _race(sheet(side), threads, steps)
            results.number(f"step_speedup_pcg_{threads}t_{label}", rows[-2]["faster"])
    results.table("conventional_size", rows)


def _race(square, threads, steps):
    """Rows of the conventional step, one iteration and draft, in turn."""
    runs = [
        Run(method, cloth_of(*square, threads=threads, **settings))
        for method, settings in {"conventional": PCG, **METHODS}.items()
    ]
    run_interleaved(runs, SUBSTEP_SECONDS, *steps)
    rows, theirs = [], runs[0]
    for run in runs:
        row = {"method": run.name, "vertices": run.cloth.vertex_count, "threads": threads}
        row |= {"seconds": run.middle, "faster": theirs.middle / run.middle}
        row |= {"response": run.drop / theirs.drop, **run.quality()}
        rows.append({**row, "pcg_iterations": run.iterations})
    close(runs)
    return rows


def dissected(positions, spacing, leaf=12):
    """The vertices of a sheet by halves: one side of a line, the other, the two rows along it last."""

    def cut(chosen):
        places = positions[chosen, :2]
        axis = int(np.argmax(np.ptp(places, 0)))
        beside = places[:, axis] - np.median(places[:, axis])
        line = np.abs(beside) < 1.01 * spacing
        below, above = chosen[(beside < 0) & ~line], chosen[(beside > 0) & ~line]
        if len(chosen) <= leaf or not len(below) or not len(above):
            return [chosen]
        return [*cut(below), *cut(above), chosen[line]]

    return np.concatenate(cut(np.arange(len(positions))))


def numbered(side, order):
    """The sheet and its pins, vertex order[k] of the old as number k."""
    mesh, pins = sheet(side)
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return Mesh(mesh.positions[order], number[np.asarray(mesh.faces)]), number[pins]


def numbering(results, effort):
    heading("The order of the vertices: by rows, as the factor takes them, at random; draft, 100k")
    side = effort.sides["100k"]
    orders = {
        "rows": np.arange(side * side),
        "elimination": dissected(sheet(side)[0].positions, 1 / (side - 1)),
        "random": np.random.default_rng(1).permutation(side * side),
    }
    draft = METHODS["draft"]
    runs = [Run(name, cloth_of(*numbered(side, order), **draft)) for name, order in orders.items()]
    run_interleaved(runs, FRAME_SECONDS, *effort.steps())
    rows = []
    for run in runs:
        row = {"order": run.name, "step_seconds": run.middle, "ratio": run.middle / runs[0].middle}
        row |= run.stage_seconds("force", "assemble", "solve")
        rows.append({**row, **run.quality("solves")})
        if run is not runs[0]:
            results.number(f"numbering_{run.name}", row["ratio"])
    results.table("numbering", rows)
    close(runs)


LEAST = {"quality": "custom", "scheme": "plain", "iterations": 1, "substeps": 1}


def garment(results, effort):
    """At draft, and with the least that a step can do, to see what a frame costs at all."""
    heading("A t-shirt of 100k on a moving body, contact with the body, two threads")
    skipped, timed = effort.garment_frames
    scene, rows = make("tshirt", **effort.garment), []
    for method, ending, settings in (("draft", "", METHODS["draft"]), ("least", "_least", LEAST)):
        with Play(scene, self_contact=False, kept=False, threads=2, **settings) as play:
            play.run(skipped + timed)
        history = play.history[skipped:]
        row = {"method": method, "vertices": len(scene.cloth.positions)}
        row["frame_seconds"] = median(play.frame_seconds[skipped:])
        deepest = 1e3 * float(Judge(scene).depths(play.positions(), play.frame).max())
        for stage in ("contact", "force", "solve", "coarse"):
            name = f"{stage}_seconds"
            row[name] = median(getattr(stats, name) for stats in history)
        row["solve_seconds"] = median(s.solve_seconds - s.coarse_seconds for s in history)
        row |= {**means(history, "solves touching"), "deepest_mm": deepest}
        rows.append({**row, "largest_strain": largest(history, "largest_strain")})
        results.number(f"frame_ms_100k{ending}", 1e3 * row["frame_seconds"])
        results.number(f"frame_deepest_mm_100k{ending}", deepest)
        results.number(f"frame_largest_strain_100k{ending}", rows[-1]["largest_strain"])
    results.table("garment", rows)


# --- setting up ------------------------------------------------------------------------------------

SETUP = ("ordering", "analysis", "factor")


def setup(results, effort):
    """Medians of setting up a large cloth at draft, and of factoring it anew after a change of its fabric."""
    heading("Setting up, quality draft, 100k: from Cloth() to the first prepared step, s")
    side, rows = effort.sides["100k"], []
    taken = {1: [], 2: []}
    for _ in range(effort.repeats):
        for threads, turns in taken.items():
            turns.append(_set_up(side, threads))
    for threads, turns in taken.items():
        found = {name: median(turn[name] for turn in turns) for name in turns[0]}
        rows.append({"threads": threads, "vertices": side * side, **found})
        ending = "" if threads == 2 else "_1t"
        results.number(f"setup_s_100k{ending}", found["total"])
        results.number(f"refactor_s_100k{ending}", found["anew"])
        for part in (*SETUP, "rest"):
            results.number(f"setup_{part}_s_100k{ending}", found[part])
    results.table("setup", rows)


def _set_up(side, threads):
    """Seconds and sizes of one cloth from nothing."""
    scene, pins = sheet(side)
    mesh = mesh_of(scene)
    begin = perf_counter()
    with Cloth(mesh, substeps=1, threads=threads, **REFERENCE, **METHODS["draft"]) as cloth:
        cloth.set_pins(pins)
        cloth.prepare(FRAME_SECONDS)
        total, report = perf_counter() - begin, cloth.report()
        parts = {part: getattr(report, f"{part}_seconds") for part in SETUP}
        stretch = {name: 1.5 * cloth.settings[name] for name in ("stretch_warp", "stretch_weft")}
        begin = perf_counter()
        cloth.set_material(**stretch)
        cloth.prepare(FRAME_SECONDS)
        anew = perf_counter() - begin
        if cloth.report().factor_count <= report.factor_count:
            raise RuntimeError("the change of the fabric made no new factor")
        cloth.step(FRAME_SECONDS)
        found = {"residual": cloth.stats().residual, "largest_strain": cloth.stats().largest_strain}
    found |= {"entries": report.factor_nonzeros, "memory": report.memory_bytes, "anew": anew}
    return {"total": total, **parts, "rest": total - sum(parts.values()), **found}


# --- growth, and more threads ----------------------------------------------------------------------


def growth(results, effort):
    heading("How a step grows with the sheet, no contact, one thread; all sizes take turns")
    runs = {
        (method, label): start(method, side)
        for label, side in effort.sides.items()
        for method in METHODS
        if label != "1k"
    }
    run_interleaved(runs.values(), FRAME_SECONDS, *effort.steps(), block=3)
    rows = []
    for (method, label), run in runs.items():
        count, memory = run.cloth.vertex_count, run.cloth.report().memory_bytes
        row = {"method": method, "vertices": count, "seconds": run.middle}
        row |= {"bytes_per_vertex": memory / count, **run.quality("solves")}
        rows.append(row)
        results.number(f"{method}_bytes_per_vertex_{label}", memory / count)
        results.number(f"{method}_step_ms_{label}", 1e3 * run.middle)
    results.table("growth", rows)
    for method, ending in ENDINGS.items():
        points = [(row["vertices"], row["seconds"]) for row in rows if row["method"] == method]
        results.number(f"growth_exponent{ending}", exponent(*zip(*points)))
    close(runs.values())
    _scaling(results, effort)


def exponent(sizes, seconds):
    """The slope of a straight line through the logarithms: 1 for a time in proportion."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def thread_counts(cores):
    """1, 2, 4 and so on, and as many as there are."""
    counts = [1]
    while 2 * counts[-1] <= cores:
        counts.append(2 * counts[-1])
    return counts if counts[-1] == cores else [*counts, cores]


def _scaling(results, effort):
    heading("More threads, no contact, 100k")
    side, counts, rows = effort.sides["100k"], thread_counts(os.cpu_count()), []
    for method, ending in ENDINGS.items():
        runs = [start(method, side, threads=threads) for threads in counts]
        run_interleaved(runs, FRAME_SECONDS, *effort.steps(), block=3)
        alone = runs[0].cloth.positions().tobytes()
        for run, threads in zip(runs, counts):
            row = {"method": method, "threads": threads, "seconds": run.middle}
            row |= {"scaling": runs[0].middle / run.middle, **run.quality()}
            rows.append({**row, "same": run.cloth.positions().tobytes() == alone})
            if threads > 1:
                results.number(f"scaling_{threads}{ending}", row["scaling"])
        close(runs)
    results.table("scaling", rows, scaling_same_bytes=int(all(row["same"] for row in rows)))


def builtin(results, effort):
    """Whole frames against Blender's own cloth, in the Blenders of this machine."""
    sessions = open_sessions()
    if not sessions:
        note("No Blender: the comparison with its own cloth is left out.")
        return
    sessions = sessions[-1:] if effort.quick else sessions
    race.free(results, sessions, effort.quick)
    race.one_size(results, race.SCENES[1], sessions, effort.quick)
    race.every_size(results, sessions, effort.builtin_sides)


# --- plots -----------------------------------------------------------------------------------------

SOLVES = {
    ("ours", 1): "Muslin, one thread",
    ("ours", 2): "Muslin, two threads",
    ("simplicial", 1): "CHOLMOD, simplicial",
    ("supernodal", 1): "CHOLMOD, supernodal",
    ("eigen", 1): "Eigen SimplicialLLT",
    ("reading", 1): "reading the factor",
    ("reading", 2): "reading, two threads",
}
FRAMES = {
    ("free", "Blender's own"): "Blender, free",
    ("free", "Muslin, fixed rounds"): "Muslin, free",
    ("sphere", "Blender's own"): "Blender, on a sphere",
    ("sphere", "Muslin, fixed rounds"): "Muslin, on a sphere",
}


def plots(results, folder):
    """Those that there are points for."""

    def line(name, rows, x, y, dashed=False):
        points = [(r[x], 1e3 * r["seconds"] if y == "ms" and y not in r else r[y]) for r in rows]
        return charts.Line(name, tuple(points), dashed)

    solves = [
        line(name, results.of("solve", name=who, threads=n), "vertices", "ms", who == "reading")
        for (who, n), name in SOLVES.items()
    ]

    def by_method(table, x, y):
        return [line(TITLES[m], results.of(table, method=m), x, y) for m in METHODS]

    scaling = by_method("scaling", "threads", "scaling")
    counts = sorted({x for one in scaling for x, _ in one.points})
    scaling.append(charts.Line("in proportion", tuple((x, x) for x in counts), True))
    steps, memory = (by_method("growth", "vertices", y) for y in ("ms", "bytes_per_vertex"))
    for name, title, x, y, lines in (
        ("solve", "A solve of three right-hand sides", "vertices", "ms", solves),
        ("step", "A whole step, one thread, no contact", "vertices", "ms", steps),
        ("frame", "A frame of a bake, two threads", "vertices", "ms", frames(results)),
        ("memory", "Memory of a cloth", "vertices", "bytes per vertex", memory),
        ("scaling", "A whole step with more threads", "threads", "times faster than one", scaling),
    ):
        if any(one.points for one in lines):
            charts.write(os.path.join(folder, f"speed_{name}.svg"), title, x, y, lines)


def frames(results):
    """Of the newest Blender."""
    versions = {row["version"] for row in results.rows if "version" in row}
    newest = max(versions, key=lambda v: [int(part) for part in v.split(".")], default=None)
    wanted = {"version": newest, "threads": 2}
    return [
        charts.Line(
            name,
            tuple(
                (row["vertices"], row["ms_per_frame"])
                for row in results.of(f"{scene}_size", method=method, **wanted)
            ),
        )
        for (scene, method), name in FRAMES.items()
    ]


# --- the bench -------------------------------------------------------------------------------------


def sized(part):
    """A part at the sizes of a full or a quick run."""
    return lambda results, quick: part(results, QUICK if quick else FULL)


def last(results):
    """What this machine cannot tell is there, as nothing."""
    for key in (*figures_of(FIGURES), *race.keys(LABELS)):
        results.numbers.setdefault(key, None)


ALL = (solve, iteration, conventional, numbering, garment, setup, growth, builtin)
PARTS = {part.__name__: sized(part) for part in ALL}
BENCH = Bench("speed", __doc__, QUICK_HELP, PARTS, FIGURES, last=last, plots=plots)

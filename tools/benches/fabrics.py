# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabrics: measured materials against their own numbers."""

import csv
import math
import os
import tempfile
from collections import namedtuple

import numpy as np
from common.bench import Bench, heading, note
from common.measure import Run, close, run_interleaved
from fabric_cases import strips, upsampling
from muslin import Cloth, Mesh, fabric, fabric_surface
from muslin.measured.fabric_fit import MEMBRANE, fit, samples_of
from muslin.measured.hanging import STILL_AIR
from muslin.measured.measurements import COLUMNS, read_measurements
from muslin.measured.strips import ANGLES, strip_of
from test_scenes.contact.play import mesh_of, rms
from test_scenes.image import contact_sheet, write_png, write_text
from test_scenes.laboratory import measured
from test_scenes.raster import rasterise
from test_scenes.render import Part, frame_camera, render
from test_scenes.sheets import grid
from test_scenes.solids import uv_sphere
from test_scenes.swatches import COLOURS
from truth_cases.rig import BARE

QUICK_HELP = "few fabrics and meshes of each kind"
FIGURES = """
strip_error | <= 0.02 | force of measured strips along warp, weft and bias
fabric_speedup | >= 10 | conventional solver over ours, at the same distance
fabric_cost | <= 1.6 | a frame of a measured fabric over one of triangles
strip_error_between | - | likewise at 22.5 and 67.5 degrees
strip_bend_degrees | <= 1.5 | Peirce's angle of measured strips, farthest from theory
fit_error | <= 0.02 | numbers of a fabric fitted to simulated measurements
curve_fit_error | <= 0.02 | force of strips of curves fitted to simulated measurements
refinement_distance | <= 0.015 | drapes on 2k and 8k vertices from 32k, over the size
upsample_speedup | >= 10 | a frame of 32k vertices over one of 4k that is up-sampled
upsample_speedup_layered | - | likewise with self-contact in both
upsample_error_ratio | <= 0.6 | distance from the 32k run over that of the embedded garment
upsample_tracking_ratio | - | likewise of wrinkles, where the fine run tracks the coarse one
upsample_pierced | <= 0 | edges of the up-sampled t-shirt through the body
upsample_ms | - | up-sampling a frame, ms
"""
STEP = 1 / 24

# --- what a measured fabric costs: against today's triangles, and against the conventional solver ---

# Newton steps of the conventional solver, and what is asked of each of its linear solves.
EFFORTS = ((1, 1e-1), (1, 1e-2), (2, 1e-2), (3, 1e-3), (6, 1e-4))
# Rounds until nothing changes any more; the conventional solver's own limit is 1 to 2 mm from it, 15 times as slow.
CONVERGED = {"quality": "custom", "iterations": 400, "integrator": "euler"}


def speed(results, quick):
    heading("A measured fabric: a frame of a square that falls, held at two corners, two threads")
    note("The conventional solver with the least effort that ends as near to the converged run.")
    rows = []
    for name in strips.measured(("11oz-black-denim", "gray-interlock")):
        rows.append({"fabric": name, **_cost(40 if quick else 100, strips.path_of(name))})
    results.table("speed", rows)
    if rows:
        results.number("fabric_cost", max(row["cost"] for row in rows))
        gains = [row["gain"] for row in rows]
        results.number("fabric_speedup", None if None in gains else min(gains))


def _cost(side, path):
    ours = {**fabric(str(path)), "model": "membrane"}
    plain = {key: value for key, value in ours.items() if not key.endswith("_samples")}
    cases = [{"quality": "fit", **plain, "model": "triangle"}, {"quality": "fit", **ours}]
    (_, triangles), (places, seconds) = _in_turn(side, cases)
    ((reference, _),) = _in_turn(side, [{**CONVERGED, **ours}])
    row = {"triangle_seconds": triangles, "measured_seconds": seconds}
    row |= {"cost": seconds / triangles, "distance_mm": 1e3 * rms(places, reference)}
    for iterations, tolerance in EFFORTS:
        effort = {"solver": "implicit", "iterations": iterations, "pcg_tolerance": tolerance}
        ((theirs, taken),) = _in_turn(side, [{**effort, **ours}])
        apart = 1e3 * rms(theirs, reference)
        if apart <= row["distance_mm"]:
            row |= {"conventional_seconds": taken, "conventional_mm": apart}
            return {**row, "gain": taken / seconds}
    return {**row, "gain": None}


def _in_turn(side, cases):
    """(positions, seconds of a middling frame) of each case, a frame of each in turn."""
    mesh, runs = mesh_of(grid(side, side, 1.0, "quads")), []
    for settings in cases:
        runs.append(Run("", Cloth(mesh, **{**BARE, "threads": 2, **settings})))
        runs[-1].cloth.set_pins([0, side - 1])
    run_interleaved(runs, STEP, 0, 24, 0, block=1)
    found = [(run.cloth.positions(), run.middle) for run in runs]
    close(runs)
    return found


# --- fabrics whose strips are hung, measured and fitted: do their numbers come back? ----------------

# Woven, knitted, soft and stiff; with bending that differs between warp, weft and bias in all but two.
FITTED = ("poplin", "satin", "jersey", "tulle", "leather", "neoprene")
# Stiffness of warp, weft and shear when slack (N/m), and at a strain of 1/6 over that: a knit that locks, and one that
# gives way along the weft.
CURVED = {"locking": ((600, 400, 120), (3, 2.5, 1.8)), "giving": ((900, 500, 200), (1.5, 0.6, 0.8))}
# In parts of the largest, which strains by so much.
WEIGHTS, LOADED = (0.1, 0.25, 0.5, 0.75, 1.0), 0.12
STRAINS = (0.01, 0.02, 0.04, 0.08, 0.12)


def fitted(results, quick):
    """fit_error, of any number of any fabric; curve_fit_error, of the force of a strip at any strain: both relative."""
    heading("Fabrics fitted to measurements of simulated strips, as tools/muslin fit-fabric does")
    rows = []
    for name in ("tulle", "neoprene") if quick else FITTED:
        wanted = fabric(name)
        found = _through_file(measured(wanted))
        off = {key: value / wanted[key] - 1 for key, value in found.items()}
        rows.append({"fabric": name, **off})
    results.table("fitted", rows)
    errors = [abs(value) for row in rows for value in row.values() if not isinstance(value, str)]
    results.number("fit_error", max(errors))
    rows = []
    for name, (slack, growth) in list(CURVED.items())[: 1 if quick else None]:
        logs = [math.log(number) for number in slack] + [math.log(g - 0.5) for g in growth]
        wanted = {**fabric("jersey"), "model": MEMBRANE, "stretch_samples": samples_of(logs)}
        found = _through_file(measured(wanted, WEIGHTS, LOADED))
        for direction in ANGLES:
            theirs, ours = strip_of(wanted, direction), strip_of(found, direction)
            off = {f"at_{s:g}": ours.pulled(s) / theirs.pulled(s) - 1 for s in STRAINS}
            rows.append({"fabric": name, "direction": str(direction), **off})
    results.table("curve", rows)
    errors = [abs(value) for row in rows for value in row.values() if not isinstance(value, str)]
    results.number("curve_fit_error", max(errors))


def _through_file(rows):
    """The material fitted to measurements that were written into a file and read."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
        file.flush()
        return fit(read_measurements(file.name)).material


# --- the same fabric on coarse and fine meshes: does it drape alike? --------------------------------

# Cells along a side: 2,025, 7,921 and 31,329 vertices, those of each among those of the next.
SIDES = (44, 88, 176)
# scene: on a ball, or hung by two corners. size: of the square, m. figure: whether refinement_distance counts it.
Case = namedtuple("Case", "fabric scene size sides figure")
# 2k vertices have cells of 9 mm on 40 cm: half of cotton's bending length, nearly all of silk's.
CASES = (
    Case("cotton", "ball", 0.4, SIDES, True),
    Case("denim", "ball", 0.4, SIDES, True),
    Case("silk", "ball", 0.4, SIDES, False),
    Case("silk", "ball", 0.22, SIDES[:2], False),
    Case("cotton", "hung", 0.4, SIDES[:2], False),
)
DRAWN = 3  # of the cases
LOOK, CALM = 8, 3  # steps between looks, and looks in a row at what is slow
SLOW, LONGEST = 3e-4, 1600  # m/s; steps at most
BALL, GAP = 0.25, 0.012  # its radius, of the size; m, between it and the sheet at the start
# Of the size at the start; of the dents, by which a second start differs.
DENTS, NUDGE = 0.004, 1e-5
PIXELS = 800  # of shadows
NEARER, MOVED = 0.85, 24  # how far apart the two corners end, of the size, and after how many steps


def refinement(results, quick):
    """refinement_distance: of vertices from where the finest mesh has them, mean over the size, the worst case."""
    heading("The same fabric on 2k, 8k and 32k vertices, at rest")
    note(
        "Nudged: of the coarsest mesh from itself when its start is moved by some 10 nm, which is what chance makes of folds. "
        "Shadow: seen from above, over the square. The figure is of cotton and denim on the ball."
    )
    rows, drawn = [], {}
    for case in CASES[:1] if quick else CASES:
        case = case._replace(sides=SIDES[:2]) if quick else case
        rests = drawn[case] = {side: _rest(case, side) for side in case.sides}
        first, finest = rests[case.sides[0]], rests[case.sides[-1]]
        rows += [_apart(case, f"{(s + 1) ** 2:,}", rests[s], finest) for s in case.sides]
        nudged = _rest(case, case.sides[0], NUDGE)
        rows.append({**_apart(case, "nudged", nudged, first), "figure": False})
    results.table("refinement", rows, "fabric scene what size mean most shadow")
    worst = max(row["mean"] for row in rows if row["figure"])
    results.number("refinement_distance", worst)
    _draw(dict(list(drawn.items())[:DRAWN]))


def _apart(case, what, coarse, fine):
    """Distances of vertices from where a finer mesh has the same, over the size."""
    every = (len(fine) - 1) // (len(coarse) - 1)
    apart = np.linalg.norm(coarse - fine[::every, ::every], axis=2) / case.size
    row = {"fabric": case.fabric, "scene": case.scene, "what": what, "size": case.size}
    row |= {"mean": float(apart.mean()), "most": float(apart.max()), "figure": case.figure}
    return {**row, "shadow": _shadow(coarse, case.size)}


def _shadow(places, size):
    """The area that is seen from above, over that of the square."""
    points = places.reshape(-1, 3)
    scale = PIXELS / (1.5 * size)
    screen = scale * (points[:, :2] - points[:, :2].mean(0)) + PIXELS / 2
    faces = grid(*places.shape[:2], size).triangles()
    owner, _ = rasterise(screen, np.ones(len(points)), faces, PIXELS, PIXELS)
    return float((owner >= 0).sum()) / (scale * size) ** 2


def _rest(case, side, nudge=0.0):
    """Where a square of so many cells comes to rest: its vertices as rows and columns."""
    flat = grid(side + 1, side + 1, case.size)
    faces = flat.triangles()
    corners = faces.ravel()
    mesh = Mesh(flat.positions, np.full(len(faces), 3), corners, uvs=flat.uvs, uv_indices=corners)
    settings = {**fabric(case.fabric), **STILL_AIR, "damping": 6.0, "quality": "fit", "substeps": 1}
    x, y = flat.positions[:, :2].astype(float).T
    # The same dents in each, so that no fold is left to chance.
    dents = np.cos(9.4 * np.pi * x + 0.3) + np.cos(12.6 * np.pi * y + 0.7)
    dents += nudge * np.cos(5 * np.pi * x * y / case.size**2 + 5 * x)
    with Cloth(mesh, **settings, threads=2) as cloth:
        cloth.set_state(np.column_stack([x, y, DENTS * case.size * dents]))
        (_put_on_ball if case.scene == "ball" else _hang)(cloth, case)
        calm = 0
        for count in range(LONGEST):  # a fold may wait before it falls
            cloth.step(STEP)
            if count % LOOK == 0:
                calm = calm + 1 if np.abs(cloth.state()[1]).max() < SLOW else 0
                if calm == CALM:
                    break
        return cloth.positions().astype(float).reshape(side + 1, side + 1, 3)


def _put_on_ball(cloth, case):
    ball = uv_sphere(BALL * case.size, (0, 0, -BALL * case.size - GAP), 32, 64)
    cloth.add_body((ball.positions, ball.faces), **fabric_surface(case.fabric))


def _hang(cloth, case):
    """Two corners are held and brought nearer while the rest falls."""
    places = cloth.positions().astype(float)
    back = places[:, 1] > case.size / 2 - 1e-6
    corners = np.flatnonzero(back & (np.abs(places[:, 0]) > case.size / 2 - 1e-6))
    cloth.set_pins(corners)
    for count in range(1, MOVED + 1):
        cloth.move_pins(places[corners] * (1 + (NEARER - 1) * count / MOVED, 1, 1))
        cloth.step(STEP)


SIZE, SAMPLES = (232, 178), 3  # pixels of a view
SHADES = {"cotton": (0.42, 0.36, 0.27)}  # folds of white cloth hardly show


def _draw(rests):
    """refinement.png beside the bench's programs: a row for each fabric, the coarsest mesh at the left."""
    everything = np.concatenate([p.reshape(-1, 3) for s in rests.values() for p in s.values()])
    camera, ground = frame_camera(everything, *SIZE, 28, 20), float(everything[:, 2].min())
    views = []
    for case, sides in rests.items():
        for side, places in sides.items():
            faces = grid(side + 1, side + 1, case.size).triangles()
            shade = SHADES.get(case.fabric, COLOURS[case.fabric])
            part = Part(places.reshape(-1, 3), faces, shade)
            views.append(render([part], camera, *SIZE, ground, SAMPLES))
            write_text(views[-1], f"{case.fabric} {(side + 1) ** 2}", 8, SIZE[1] - 14, scale=1)
    path = os.path.join(os.environ["MUSLIN_BENCH_PROGRAMS"], "refinement.png")
    write_png(path, contact_sheet(views, len(next(iter(rests.values())))))
    note(f"{path}: from coarse to fine, from left to right")


PARTS = {"stretching": strips.stretching, "speed": speed, "bending": strips.bending}
PARTS |= {"fitted": fitted, "refinement": refinement, "upsampling": upsampling.measure}
BENCH = Bench("fabrics", __doc__, QUICK_HELP, PARTS, FIGURES)

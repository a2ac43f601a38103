# SPDX-License-Identifier: GPL-3.0-or-later
"""What a measured fabric costs: against today's triangles, and against the conventional solver."""

import time

import numpy as np
from common.report import digits, heading, milliseconds, note, table, times
from fabric_cases import files
from muslin import Cloth, Mesh
from muslin.fabrics import fabric
from truth_cases.rig import BARE

SIDE, QUICK_SIDE = 100, 40  # vertices
STEP = 1 / 24
FRAMES = 24
CHOSEN = ("11oz-black-denim", "gray-interlock")
# Newton steps of the conventional solver, and what is asked of each of its linear solves.
EFFORTS = ((1, 1e-1), (1, 1e-2), (2, 1e-2), (3, 1e-3), (6, 1e-4))
# Rounds until nothing changes any more; the conventional solver's own limit is 1 to 2 mm from it, 15 times as slow.
CONVERGED = {"quality": "custom", "iterations": 400, "integrator": "euler"}


def sheet(side):
    u, v = np.meshgrid(np.linspace(0, 1, side), np.linspace(0, 1, side))
    a = np.arange(side * (side - 1)).reshape(side - 1, side)[:, :-1].ravel()
    faces = np.column_stack([a, a + 1, a + side + 1, a + side]).astype(np.int32)
    positions = np.column_stack([u.ravel(), v.ravel(), 0 * u.ravel()]).astype(np.float32)
    return Mesh(positions, np.full(len(faces), 4, np.int32), faces.ravel())


class Run:
    """A square that falls from the horizontal, held at two corners."""

    def __init__(self, side, settings):
        self.cloth = Cloth(sheet(side), **{**BARE, "threads": 2, **settings})
        self.cloth.set_pins([0, side - 1])
        self.cloth.prepare(STEP)
        self.seconds = []

    def step(self):
        begin = time.perf_counter()
        self.cloth.step(STEP)
        self.seconds.append(time.perf_counter() - begin)

    def finish(self):
        """Positions, and the seconds of a middling frame."""
        positions = self.cloth.positions().astype(float)
        self.cloth.close()
        return positions, float(np.median(self.seconds))


def run_all(side, cases):
    """All cases side by side, a frame of each in turn."""
    runs = [Run(side, settings) for settings in cases]
    for _ in range(FRAMES):
        for run in runs:
            run.step()
    return [run.finish() for run in runs]


def distance(positions, reference):
    return float(np.sqrt(((positions - reference) ** 2).sum(1).mean()))


def conventional(side, name, measured, reference, bound, results):
    """Seconds and distance of the least effort that ends within the bound; None where none does."""
    for iterations, tolerance in EFFORTS:
        effort = {"solver": "implicit", "iterations": iterations, "pcg_tolerance": tolerance}
        ((places, seconds),) = run_all(side, [{**effort, **measured}])
        apart = distance(places, reference)
        results.row(
            "conventional",
            fabric=name,
            iterations=iterations,
            tolerance=tolerance,
            seconds=seconds,
            distance=apart,
        )
        if apart <= bound:
            return seconds, apart
    return None


def compare(side, name, results):
    """Of one fabric: cost over triangles, gain over the conventional solver, and the row of the table."""
    measured = {**fabric(str(files.path_of(name))), "model": "membrane"}
    plain = {key: value for key, value in measured.items() if not key.endswith("_samples")}
    cases = [{"quality": "fit", **plain, "model": "triangle"}, {"quality": "fit", **measured}]
    (_, triangle_s), (ours, ours_s) = run_all(side, cases)
    ((reference, _),) = run_all(side, [{**CONVERGED, **measured}])
    own = distance(ours, reference)
    found = conventional(side, name, measured, reference, own, results)
    cost, gain = ours_s / triangle_s, found[0] / ours_s if found else float("nan")
    cells = [name, milliseconds(triangle_s, 1), milliseconds(ours_s, 1), times(cost)]
    cells.append(digits(1000 * own, 1))
    cells += [milliseconds(found[0], 1), digits(1000 * found[1], 1)] if found else ["-", "-"]
    return cost, gain, (*cells, times(gain))


def measure(results, quick):
    side = QUICK_SIDE if quick else SIDE
    names = [name for name in CHOSEN if files.path_of(name).is_file()]
    if not names:
        files.measured(True)
        return
    heading(f"A measured fabric of {side * side} vertices: what a frame costs")
    costs, gains, rows = zip(*(compare(side, name, results) for name in names))
    heads = ("triangles|ms", "measured|ms", "cost", "from converged|mm")
    table(("fabric", *heads, "conventional|ms", "from converged|mm", "gain"), rows)
    note("The conventional solver with the least effort that ends as near to the converged run.")
    results.number("fabric_cost", max(costs))
    results.number("fabric_speedup", min(gains))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Setting up a large cloth, and factoring it anew after a change of its fabric."""

from statistics import median
from time import perf_counter

from common.report import Rows, heading, note, whole
from muslin import Cloth, Mesh
from speed_cases.sheets import DRAFT, FRAME_SECONDS, sheet
from test_scenes.fabric import REFERENCE

PARTS = ("ordering", "analysis", "factor")
STIFFER = 1.5  # times the reference fabric's stretch
THREADS = (1, 2)
COLUMNS = "threads total ordering analysis factor rest anew entries memory residual largest_strain"


def measure(results, effort):
    side = effort.sides["100k"]
    heading("Setting up, quality draft")
    note(
        f"{whole(side * side)} vertices. From Cloth() to where the first step is prepared; ordering, "
        "analysis and factor are those of the fine matrix as the library reports them, the rest is all "
        f"else. Anew: a stretch of x{STIFFER:g}, then prepared. A step after that shows that it works. "
        f"Medians of {effort.repeats}."
    )
    taken = {threads: [] for threads in THREADS}
    for _ in range(effort.repeats):
        for threads in THREADS:
            taken[threads].append(_once(side, threads))
    rows = Rows(results, "setup", COLUMNS)
    for threads, runs in taken.items():
        found = {name: median(run[name] for run in runs) for name in runs[0]}
        rows.add(vertices=side * side, threads=threads, **found)
        _figures(results, found, "" if threads == 2 else "_1t")
    rows.show()


def _figures(results, found, ending):
    results.number(f"setup_s_100k{ending}", found["total"])
    results.number(f"refactor_s_100k{ending}", found["anew"])
    for part in (*PARTS, "rest"):
        results.number(f"setup_{part}_s_100k{ending}", found[part])


def _once(side, threads):
    """Seconds and sizes of one cloth from nothing."""
    scene, pins = sheet(side)
    mesh = Mesh.from_faces(scene.positions, scene.faces)
    begin = perf_counter()
    with Cloth(mesh, substeps=1, threads=threads, **REFERENCE, **DRAFT) as cloth:
        cloth.set_pins(pins)
        cloth.prepare(FRAME_SECONDS)
        total, report = perf_counter() - begin, cloth.report()
        found = {part: getattr(report, f"{part}_seconds") for part in PARTS}
        fabric = cloth.settings
        begin = perf_counter()
        cloth.set_material(
            **{name: STIFFER * fabric[name] for name in ("stretch_warp", "stretch_weft")}
        )
        cloth.prepare(FRAME_SECONDS)
        anew, later = perf_counter() - begin, cloth.report()
        if later.factor_count <= report.factor_count:
            raise RuntimeError("the change of the fabric made no new factor")
        cloth.step(FRAME_SECONDS)
        stats = cloth.stats()
    return {
        "total": total,
        **found,
        "rest": total - sum(found.values()),
        "anew": anew,
        "entries": report.factor_nonzeros,
        "memory": report.memory_bytes,
        "residual": stats.residual,
        "largest_strain": stats.largest_strain,
    }

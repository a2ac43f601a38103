# SPDX-License-Identifier: GPL-3.0-or-later
"""Every way to solve: the sources' own figures measured again, and what each way gives for its time."""

import os
from dataclasses import replace
from math import isfinite
from statistics import median
from time import perf_counter

import mirror
import numpy as np
from common import garments
from common.bench import Bench, heading, note
from common.measure import NEWTON, cloth_of, program_rows
from contact import QUICK_CONVERGED
from research.cases import chart, published, rope
from research.cases.published import STEP_SECONDS, matching_scale, scaled_fabric
from research.cases.published import square, swing_square
from test_scenes.contact import draw as views
from test_scenes.contact import falls, mirrored
from test_scenes.contact.play import FRAME_SECONDS, Play, rms
from test_scenes.contact.quality import stretches
from test_scenes.image import contact_sheet, write_png
from test_scenes.mesh import boundary_loops, evened
from test_scenes.patterns import RESOLUTION_SQUARES, bodice_back, bodice_front, skirt_panel

QUICK_HELP = "small meshes, few frames; the same figures of other sizes"
FIGURES = """
kim6_speedup | >= 6 | converged implicit step over six sweeps, stiff sheet of 6,400 masses
compact_product_speedup | >= 1.5 | product with an assembled matrix over one along threads
pattern_miscount | 0 | entries of L, the library's count less NumPy's
vibration_{edge,triangle}_reference_{rotation,translation} | - | third differences over way, by guess
threads_jacobian_error | - | the slides' G against the derivative, stretch 1.1
threads_least_eigenvalue | - | of the slides' matrix, links 1 % too short
threads_dominant_rows | - | of it that are diagonally dominant, stretch 1.001
threads_{area,bending}_part | - | the slides' area or bending force over minus its energy's derivative
threads_response_{rope,cloth} | - | drop by one Newton step a step over the converged one
sphere_triangle_c_{2,20} | - | linear IVT, 1/48 s or 1/480 s: drop over the conventional
sphere_triangle_d_2 | - | the same, 1/48 s, two levels at fit
first_frame_ratio | < 1 | first frame of a new 20k garment on a body, sweeps over draft
first_frame_ratio_fit | < 1 | the same over fit, the library's default
first_frame_ratio_{hung,self} | < 1 | the first one, hung, nothing to meet; with self-contact
"""
PLAIN = {"scheme": "plain", "iterations": 1}

# --- figures 3 and 4 of the scalable semi-implicit method [Kim 2006], with its constants -----------

COMPARED = 100  # steps after which drops and distances are compared
WARM = 5  # steps that are not timed
# Name, method, sweeps, what the paper says of it.
SWEEPS = (
    ("Kim, 1 sweep", "kim", 1, "stable"),
    ("Kim, 2 sweeps", "kim", 2, "stable"),
    ("Kim, 4 sweeps", "kim", 4, "stable, near the implicit step"),
    ("Choi and Ko, implicit", "choi-ko", 1, "stable"),
    ("Kang 2, 1 sweep", "kang2", 1, "poor"),
    ("Kang 2, 2 sweeps", "kang2", 2, "breaks at the held corners (figure 2)"),
    ("Kang 2, 3 sweeps", "kang2", 3, "poor"),
    ("Kang 2, 4 sweeps", "kang2", 4, "a little behind Kim"),
    ("Kang 1", "kang1", 1, "severely damped"),
    ("Desbrun", "desbrun", 1, "damped across"),
    ("symplectic Euler", "symplectic", 1, "unstable"),
)


def semi_implicit(results, quick):
    """`build/bench/sweeps` prints, for each step, s of the method and of the implicit step, both drops, the distance in
    edges, and both energies; what diverges is not finite."""
    side, steps = (30, 150) if quick else (80, 1000)
    heading(f"Figure 4 of the scalable method: {side} x {side} masses, springs 50, one thread")
    rows = []
    for name, method, sweeps, paper in SWEEPS:
        run = _sweeps(method, sweeps, side, steps, 50)
        row = {"name": name, "paper": paper, "step_seconds": median(run[WARM:, 0])}
        row["diverged"] = 0 if len(run) == steps else len(run) + 1
        at = run[COMPARED - 1] if len(run) >= COMPARED else None
        row["of_implicit"] = None if at is None else at[2] / at[3]
        row["distance"] = None if at is None else at[4]
        rows.append(row)
    results.table("semi_implicit", rows)
    run = _sweeps("kim", 6, side, 20 if quick else 60, 1000)
    sweep, implicit = (median(run[WARM:, column]) for column in (0, 1))
    results.number("kim6_speedup", implicit / sweep)
    note(f"Figure 3, springs 1000: {1e3 * implicit:.2f}, {1e3 * sweep:.2f} ms, paper 200 and 45.")


def _sweeps(*arguments):
    rows = [[float(word) for word in words] for words in program_rows("sweeps", *arguments)]
    return np.array([row for row in rows if all(map(isfinite, row))])


COMPACT = ("vertices", "blocks", "matrix_ms", "threads_ms", "difference")
COMPACT += ("matrix_bytes", "compact_bytes")


def compact(results, quick):
    """compact_product_speedup: how many times faster the compact product is, the least over all sizes."""
    heading("A product along threads against one with an assembled matrix, woven squares, in turn")
    rows = []
    for threads, ending in ((1, ""), (2, "_2t")):
        lines = program_rows("compact", threads, 20, *((32, 64) if quick else (64, 128, 200)))
        mine = [{"threads": threads, **dict(zip(COMPACT, map(float, line)))} for line in lines]
        rows += mine
        least = min(row["matrix_ms"] / row["threads_ms"] for row in mine)
        results.number(f"compact_product_speedup{ending}", least)
    results.table("compact", rows)


# --- figures 6.1 and 7.1 to 7.6 of the thesis: where matrix and factor have entries -----------------
#
# Written apart from the library: pattern, Cuthill-McKee's order and symbolic factor are found anew in NumPy, so that the
# library's own counts can be compared with them.


def thesis_meshes(quick):
    meshes = [*map(square, RESOLUTION_SQUARES), bodice_front(), bodice_back(), skirt_panel()]
    numbered = [(f"7.{k + 1}", mesh) for k, mesh in enumerate(meshes)]
    return [pair for pair in numbered if not quick or len(pair[1].positions) < 1200]


def patterns(results, quick):
    heading("Figures 7.1 to 7.6: entries of matrix and factor, natural and by Cuthill-McKee")
    rows = []
    for figure, mesh in thesis_meshes(quick):
        pattern = pattern_of(mesh)
        ordered = permuted(pattern, cuthill_mckee(pattern))
        natural, reordered = (sum(map(len, factor(each))) for each in (pattern, ordered))
        with cloth_of(mesh, [], ordering="natural", bending="hinge") as cloth:
            cloth.prepare(STEP_SECONDS)
            library = cloth.report().factor_nonzeros
        row = {"figure": figure, "vertices": len(pattern), "natural": natural}
        row |= {"library_natural": library, "reordered": reordered}
        theirs = published.FILL.get(len(pattern), (None, None, None))[2]
        rows.append({**row, "thesis_reordered": theirs, "kept_share": reordered / natural})
    results.table("patterns", rows)
    miscounts = [abs(row["library_natural"] - row["natural"]) for row in rows]
    results.number("pattern_miscount", max(miscounts))


def pattern_of(mesh):
    """With which others each vertex of a cloth has an entry, sorted: those of its triangles, and those of two triangles
    that share an edge."""
    neighbours, opposite = [set() for _ in mesh.positions], {}
    for corners in np.asarray(mesh.faces).tolist():
        for k in range(3):
            a, b, c = corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]
            edge = (min(a, b), max(a, b))
            for one, other in (edge, (c, opposite.get(edge, c))):
                neighbours[one].add(other)
                neighbours[other].add(one)
            opposite[edge] = c
    return [np.array(sorted(rows - {k}), int) for k, rows in enumerate(neighbours)]


def permuted(pattern, order):
    """The same with vertex order[k] as the k-th."""
    place = np.empty(len(pattern), int)
    place[order] = np.arange(len(pattern))
    return [np.sort(place[pattern[vertex]]) for vertex in order]


def cuthill_mckee(pattern):
    """Level by level from a vertex of least degree, neighbours by their degrees [Cuthill and McKee 1969]."""
    degree = np.array([len(rows) for rows in pattern])
    seen, order, done = np.zeros(len(pattern), bool), [], 0
    for start in np.argsort(degree, kind="stable"):
        if not seen[start]:
            seen[start] = True
            order.append(int(start))
        while done < len(order):
            fresh = [v for v in pattern[order[done]] if not seen[v]]
            fresh.sort(key=lambda v: degree[v])
            seen[fresh] = True
            order += map(int, fresh)
            done += 1
    return np.array(order)


def factor(pattern):
    """Rows of each column of L, the diagonal among them: those of A, and of columns whose parent it is in the
    elimination tree [Davis 2006, chapter 4]."""
    children, columns = [[] for _ in pattern], []
    for k, rows in enumerate(pattern):
        below = rows[rows > k]
        for child in children[k]:
            below = np.union1d(below, columns[child][columns[child] > k])
        columns.append(np.concatenate([[k], below]).astype(int))
        if len(below):
            children[int(below[0])].append(k)
    return columns


# --- how much linear cloth vibrates ----------------------------------------------------------------
#
# The thesis says of its guesses by rotation that they "occasionally produce vibratory results", of those by translation
# that it is less, and gives no figure. A vertex that flies smoothly has small third differences of its places; one that
# shakes from step to step has eight times its amplitude.

VIBRATING = {
    "rotation": {**PLAIN, "estimate": "rotation", "order": 1},
    "rotation_2": {**PLAIN, "estimate": "rotation", "order": 2},
    "translation": {**PLAIN, "estimate": "translation", "order": 1},
    "translation_2": {**PLAIN, "estimate": "translation", "order": 2},
    "conventional": {"solver": "implicit", "iterations": 1},
    "converged": NEWTON,
}
COUNT = 1245
NO_AIR = {"air_drag": 0, "normal_drag": 0, "tangent_drag": 0}


def vibration(results, quick):
    heading("How much the swing test vibrates: third differences of places over the way in a step")
    rows = []
    for model in ("edge", "triangle"):
        with cloth_of(*swing_square(COUNT), model=model) as cloth:
            soft = matching_scale(cloth, published.EIGENVALUES[model][1])
        for fabric, scale in (("reference", 1.0), ("soft", soft)):
            for method, settings in VIBRATING.items():
                settings = {**scaled_fabric(scale), "model": model, **settings, **NO_AIR}
                found = _vibration(60 if quick else 200, settings)
                row = {"model": model, "fabric": fabric, "method": method, "vibration": found}
                rows.append(row)
                results.number(f"vibration_{model}_{fabric}_{method}", found)
    results.table("vibration", rows)


def _vibration(steps, settings, skipped=10):
    """Root mean squares over all vertices and steps."""
    track = []
    with cloth_of(*swing_square(COUNT), **settings) as cloth:
        for _ in range(skipped + steps):
            cloth.step(STEP_SECONDS)
            track.append(cloth.positions().astype(np.float64))
    track = track[skipped:]
    third, first = ((np.diff(track, order, axis=0) ** 2).sum(-1).mean() for order in (3, 1))
    return float(np.sqrt(third / first))


# --- figures 7.8 and 7.9 of the thesis: cloth that is draped on a sphere and slips down -------------
#
# (a) the conventional step, (b) linear cloth guessed by rotation (IER, IAR), (c) by translation (IVT), one round each. The
# thesis says that they "look almost similar"; it gives neither sizes nor fabric nor step. (d) is the library's default.

SPHERE_FRAMES = (6, 12, 18, 24)
SPHERE = {
    "a": {"solver": "implicit", "iterations": 1, "pcg_tolerance": 0.01},
    "b": {**PLAIN, "estimate": "rotation"},
    "c": {**PLAIN, "estimate": "translation"},
    "d": {"quality": "fit"},
}


def sphere_scene(count):
    """The scenes' own sphere above a smaller floor, under an irregular square."""
    scene, cloth = falls.sphere(), square(count)
    cloth = replace(cloth, positions=cloth.positions + scene.cloth.positions.mean(0))
    return replace(scene, cloth=cloth, bodies=[scene.bodies[0], falls.floor(1.5)])


def sphere(results, quick):
    heading("Figures 7.8 and 7.9: the sphere test, (a) conventional, (b, c) linear, (d) two levels")
    note("Drop: the mean one at frame 6 over that of (a). Distance: from (a) at frame 24, RMS.")
    scene, rows = sphere_scene(166 if quick else 1098), []
    for figure, model in (("7.8", "edge"), ("7.9", "triangle")):
        # steps a frame: as in the tables, and so short that the thesis says there is no side effect
        for substeps in (2,) if quick else (2, 20):
            tracks = []
            for letter, settings in SPHERE.items():
                with Play(scene, model=model, substeps=substeps, **settings) as play:
                    tracks.append(play.run(SPHERE_FRAMES[-1]).track)
                heights = [float(places[:, 2].mean()) for places in tracks[-1]]
                first = tracks[0]
                share = (heights[6] - heights[0]) / float((first[6] - first[0])[:, 2].mean())
                row = {"figure": figure, "method": letter, "substeps": substeps, "drop": share}
                row |= {f"height_{frame}": heights[frame] for frame in SPHERE_FRAMES}
                row["distance"] = rms(tracks[-1][-1], first[-1])
                rows.append({**row, "mean_strain": play.history[-1].mean_strain})
                results.number(f"sphere_{model}_{letter}_{substeps}", share)
            seen = [[track[frame] for frame in SPHERE_FRAMES] for track in tracks]
            results.kept["sphere", figure, substeps] = scene, seen
    results.table("sphere", rows)


def draw_sphere(results, folder):
    """A sheet for each figure and step: a row for each method, a column for each frame."""
    for key, kept in results.kept.items():
        if key[0] == "sphere":
            scene, tracks = kept
            look = {"size": (300, 260), "azimuth": 25, "elevation": 12}
            drawn = [views.draw(scene, SPHERE_FRAMES, track, **look) for track in tracks]
            name = f"sphere_{key[1]}_step_{round(key[2] / FRAME_SECONDS)}.png"
            write_png(os.path.join(folder, name), contact_sheet(drawn, 1))


# --- tables 5.1 to 5.3 of the thesis on mirroring [Jang 2019] -------

# Table, scene of ours, seconds of a frame, whole and by half: solver, detection, response, total. Tables 5.1 and 5.2 are
# printed with the same numbers. Table 5.3 has detection and response in one.
JANG = (0.055149, 0.750213, 0.309153, 1.674535), (0.01452, 0.710525, 0.14459, 1.1455)
MIRRORED = (
    ("5.1", lambda: mirrored.tshirt(0.065), JANG),
    ("5.2", mirrored.jacket, JANG),
    (
        "5.3 coarse",
        mirrored.coarse_jacket,
        ((0.0008, 0.0498, None, 0.2575), (0.0004, 0.0586, None, 0.2133)),
    ),
    (
        "5.3 dense",
        mirrored.jacket,
        ((0.0625, 0.3880, None, 2.8104), (0.0282, 0.2250, None, 1.9570)),
    ),
)


def mirroring(results, quick):
    heading("Tables 5.1 to 5.3 of the thesis on mirroring: a garment by half")
    note("Medians of frames taken in turn, one thread. Its meshes are not public.")
    rows = []
    for table, make, (whole, half) in MIRRORED:
        for method, (settings, _) in (("implicit", mirror.IMPLICIT), ("linear", mirror.PLAIN)):
            with mirror.Pair(make(), settings).run(6 if quick else 24) as pair:
                for k, stage in enumerate(("solver", "detection", "response", "total")):
                    row = {"thesis_table": table, "method": method, "stage": stage}
                    row |= pair.compared(mirror.seconds_of(stage))
                    row["thesis_speedup"] = whole[k] / half[k] if whole[k] else None
                    rows.append(row)
    columns = "thesis_table method stage vertices whole_seconds half_seconds speedup thesis_speedup"
    results.table("mirroring", rows, columns)


# --- the first frame after an edit: by sweeps, which need no ordering, factor and coarse level ------

EDITS, QUICK_EDITS = {"2k": 2000, "20k": 20_000, "80k": 80_000}, {"2k": 2000}
# By the end of a key; sweeps as the library has them by itself, of the others fit is its default.
FIRST = {"sweep": {"solver": "sweep"}, "draft": {"quality": "draft"}, "fit": {"quality": "fit"}}
SITUATIONS = {
    "hung": {"meets": False, "self_contact": False},
    "body": {"self_contact": False},
    "self": {"self_contact": True},
}
PHASES = ("create_seconds", "prepare_seconds", "step_seconds")


def first_frame(results, quick):
    """first_frame_ratio: sweeps over the constant matrix, from arrays to positions; of 20k on a body over draft."""
    heading("The first frame after an edit, two threads, each phase the least of three turns")
    note("A garment of which one face was deleted; way and distance to the converged frame: RMS.")
    rows = []
    for size, count in (QUICK_EDITS if quick else EDITS).items():
        scene = garments.scene("longsleeve", "arms", count)
        scene = _edited(scene or garments.scene("own_tshirt", garments.OWN_MOTION, count))
        for situation, plays in SITUATIONS.items():
            worn = _hung(scene) if situation == "hung" else scene
            found = _first_frames(worn, plays, 1 if quick else 3, size == "2k")
            rows += [{"size": size, "situation": situation, **row} for row in found]
            for row in found[-2:]:
                parts = [size] if size != ("2k" if quick else "20k") else []
                parts += [situation] if situation != "body" else []
                parts += [row["method"]] if row["method"] != "draft" else []
                key = "_".join(["first_frame_ratio", *parts])
                results.number(key, row["sweeps_over_it"])
    columns = f"size situation method vertices {' '.join(PHASES)} sweeps_over_it way distance"
    results.table("first_frame", rows, f"{columns} stretch_p99 stretch_max")


def _first_frames(scene, plays, turns, converged):
    """Rows of the methods, the converged run first where it does not take minutes."""
    best = {}
    for _ in range(turns):
        for name, settings in FIRST.items():
            seconds, places = _first_frame(scene, {**plays, **settings})
            before = best.get(name, (seconds, None))[0]
            best[name] = np.minimum(before, seconds), places
    if converged:
        settings = {**plays, **QUICK_CONVERGED, "iterations": 40}
        best = {"converged": _first_frame(scene, settings), **best}
    rows, start = [], scene.cloth.positions
    for name, (seconds, places) in best.items():
        row = {"method": name, "vertices": len(start), **dict(zip(PHASES, seconds.tolist()))}
        row["sweeps_over_it"] = float(best["sweep"][0].sum() / seconds.sum())
        row["way"] = rms(places, start)
        row["distance"] = rms(places, best["converged"][1]) if converged else None
        p99, most = stretches(scene, [places])
        rows.append({**row, "stretch_p99": p99, "stretch_max": most})
    return rows


def _edited(scene):
    """The same without one face; it tells warp and weft by its mesh."""
    faces = list(scene.cloth.faces)
    del faces[len(faces) // 2]
    cloth = replace(scene.cloth, faces=evened(faces), uvs=None, face_uvs=None)
    return replace(scene, cloth=cloth)


def _hung(scene):
    """Held by its highest border where there is no body that carries it."""
    loops, points = boundary_loops(scene.cloth.faces), scene.cloth.positions
    upper = max(loops, key=lambda loop: points[loop, 2].mean())
    return replace(scene, pins=np.array(upper, np.int32), place_pins=None)


def _first_frame(scene, settings):
    """The seconds of each phase, and where the cloth is."""
    clock = [perf_counter()]
    with Play(scene, quads=True, fabric={}, **{"threads": 2, **settings}) as play:
        clock.append(perf_counter())
        play.cloth.prepare(FRAME_SECONDS)
        clock.append(perf_counter())
        places = play.step()
        clock.append(perf_counter())
    return np.diff(clock), places


# --- the bench -------------------------------------------------------------------------------------


def plots(results, folder):
    """Of the parts that were measured."""
    for draw in (draw_sphere, chart.draw):
        draw(results, folder)


PARTS = {
    "semi_implicit": semi_implicit,
    "threads": rope.measure,
    "compact": compact,
    "patterns": patterns,
    "vibration": vibration,
    "sphere": sphere,
    "mirroring": mirroring,
    "first_frame": first_frame,
    **chart.PARTS,
}
BENCH = Bench("methods", __doc__, QUICK_HELP, PARTS, FIGURES, last=chart.tell, plots=plots)

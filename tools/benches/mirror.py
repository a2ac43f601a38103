# SPDX-License-Identifier: GPL-3.0-or-later
"""Half a garment for both: how much faster, how near to the whole run, closures, and what is not symmetric."""

from statistics import mean, median

import numpy as np
from common.bench import Bench, heading, note
from common.measure import largest
from muslin.inspection.intersections import count_between
from test_scenes.contact import mirrored
from test_scenes.contact.judge import distance as distance_to
from test_scenes.contact.mirrored import MIRROR
from test_scenes.contact.play import FRAME_SECONDS, Play, size_of
from test_scenes.mesh import Mesh, fan
from test_scenes.mirror import mirror_pairs

QUICK_HELP = "coarse meshes and fewer frames; the same figures of other sizes"
FIGURES = """
solver_speedup_{329,1934,20k} | - | solver without contacts: t-shirt, open jacket, fine t-shirt
solver_speedup_{329,1934,20k}_implicit | - | the same, conventional
step_speedup_20k{,_draft,_fit} | - | whole step with body contact: linear rounds, draft, fit
frame_speedup_20k | - | linear rounds, body and positions handed over, too
factor_speedup_20k | - | a factorisation
factor_{memory,nonzeros}_ratio_20k | - | bytes taken for the factor, entries of L, whole over half
memory_ratio_20k | - | all bytes of the cloth, whole over half
hanging_distance{,_implicit,_fit} | - | to the whole run over size, 100 frames: linear, conventional, fit
hanging_fit_{whole,half}_to_implicit | - | at fit to whole conventional
worn_distance{,_100} | - | 20,000 vertices on the moving body, frame 10, 100
worn_uneven{,_100} | - | the whole run's own asymmetry then
worn_uncertainty{,_100} | - | two whole runs that start 1 um apart, then
worn_distance_jacket{,_implicit} | - | the jacket, frame 10, linear or conventional
worn_uncertainty_jacket | - | two whole runs of it that start 1 um apart
asymmetry | 0 | of all mirrored outputs, m
halve_distance | - | sides cut differently: to the whole run's surface, over size
front_piercings{,_end} | 0 | between closed fronts, every 10th frame, at the end
front_piercings_closing | - | the most while they close
closed_end_speed | - | largest of a closed jacket at the end, m/s
extra_piercings | 0 | of a pocket through the shirt
switch_jump_ratio | - | way in the frame of a switch over that of frames before
"""

# --- the same garment solved whole and by half, a frame of each in turn ----------------------------

# What a garment is solved with: settings, and what is added to a key.
PLAIN = {"scheme": "plain", "iterations": 4}, ""
IMPLICIT = {"solver": "implicit", "iterations": 1, "pcg_tolerance": 0.01}, "_implicit"
LOOSE = {"solver": "implicit", "iterations": 1}, "_implicit"
DRAFT, FIT = ({"quality": "draft"}, "_draft"), ({"quality": "fit"}, "_fit")
SKIPPED = 2  # frames that are not timed: the first factors, and the caches are cold
COARSE = {"spacing": 0.03, "body_spacing": 0.02}
WHOLE = {"quads": True, "kept": False}


class Pair:
    """A whole and a half run of a scene; `distances` and `uneven` have one number a frame.

    distances  the largest distance of a vertex of the half run from the whole one, over the size
    uneven     how far the whole run is from its own mirror image, likewise
    asymmetry  the same of the half run over all frames, m
    """

    def __init__(self, scene, settings):
        self.scene, self.size = scene, size_of(scene)
        self.whole = Play(scene, **WHOLE, **settings)
        self.half = Play(scene, mirror="exact", **WHOLE, **settings)
        self.partner = mirror_pairs(scene.cloth)
        self.distances, self.uneven, self.asymmetry = [], [], 0.0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.whole.cloth.close()
        self.half.cloth.close()

    def run(self, frames):
        for _ in range(frames):
            whole, half = self.whole.step(), self.half.step()
            self.distances.append(apart(whole, half) / self.size)
            self.uneven.append(asymmetry_of(whole, self.partner) / self.size)
            self.asymmetry = max(self.asymmetry, asymmetry_of(half, self.partner))
        return self

    def compared(self, seconds):
        """Fields of a row. seconds: of a play, those of every frame."""
        whole, half = (median(seconds(play)[SKIPPED:]) for play in (self.whole, self.half))
        return {
            "scene": self.scene.name,
            "vertices": len(self.partner),
            "half_vertices": self.half.cloth.mirror().half_vertex_count,
            "whole_seconds": whole,
            "half_seconds": half,
            "speedup": whole / half,
            "distance": self.distances[-1],
            "whole_strain": largest(self.whole.history, "largest_strain"),
            "half_strain": largest(self.half.history, "largest_strain"),
            "iterations": mean(s.pcg_iterations + s.solves for s in self.half.history),
            "asymmetry": self.asymmetry,
        }


def apart(one, other):
    """The largest distance of two vertices of the same number, m."""
    return float(np.sqrt(((one.astype(float) - other) ** 2).sum(1)).max())


def asymmetry_of(positions, partner):
    """Largest |x - image of the partner|, m; 0 where both are the same bits but for the sign of 0."""
    return apart(positions, positions[partner] * MIRROR)


def stage_seconds(stats):
    """A frame's seconds by stage; the solver's are what contacts do not take."""
    detection, response = stats.detection_seconds, stats.response_seconds
    found = {"solver": stats.total_seconds - detection - response, "detection": detection}
    return {**found, "response": response, "total": stats.total_seconds}


def seconds_of(stage):
    return lambda play: [stage_seconds(stats)[stage] for stats in play.history]


def fine(quick):
    """The t-shirt of 20,000 vertices, or a coarse one."""
    return mirrored.tshirt(**(COARSE if quick else {"spacing": 0.0069}))


def jacket(quick, **more):
    return mirrored.jacket(**(COARSE if quick else {}), **more)


# --- speed -----------------------------------------------------------------------------------------

# Key, scene, frames with the linear rounds, with the conventional solver: while the arms rise. When they come down,
# they catch coarse cloth, and the two runs are no longer of the same motion.
GARMENTS = (
    ("329", lambda quick: mirrored.tshirt(0.065), 24, 20),
    ("1934", jacket, 24, 10),
    ("20k", fine, 22, 6),
)
QUICK_FRAMES = (8, 5)


def speed(results, quick):
    heading("The solver alone, one thread: a step less finding contacts and answering them")
    note("Medians of frames in turn, whole and half, on a body that raises both arms.")
    rows = []
    for key, make, *frames in GARMENTS:
        scene = make(quick)
        for method, count in zip((PLAIN, IMPLICIT), QUICK_FRAMES if quick else frames):
            with Pair(scene, method[0]).run(count) as pair:
                rows.append({"key": f"{key}{method[1]}", **pair.compared(seconds_of("solver"))})
                results.number(f"solver_speedup_{key}{method[1]}", rows[-1]["speedup"])
    results.table("solver", rows)
    heading("The whole step with body contact, one thread; the frame has handing over, too")
    rows, scene = [], fine(quick)
    for method in (PLAIN, DRAFT, FIT):
        with Pair(scene, method[0]).run(QUICK_FRAMES[0] if quick else 10) as pair:
            rows.append({"key": f"step{method[1]}", **pair.compared(seconds_of("total"))})
            results.number(f"step_speedup_20k{method[1]}", rows[-1]["speedup"])
            if method is PLAIN:
                rows.append({"key": "frame", **pair.compared(lambda play: play.frame_seconds)})
                results.number("frame_speedup_20k", rows[-1]["speedup"])
    results.table("step", rows)
    _factor(results, quick)


def _factor(results, quick):
    """Another step length every time makes a new factor; the order and the analysis are kept."""
    heading("The factor, one thread; bytes taken for it: memory after it less that before")
    scene = fine(quick)
    plays = [Play(scene, meets=False, mirror=mirror, **PLAIN[0]) for mirror in ("off", "exact")]
    cloths = [play.cloth for play in plays]
    before = [cloth.report().memory_bytes for cloth in cloths]
    for cloth in cloths:
        cloth.prepare(FRAME_SECONDS)
    taken = [cloth.report().memory_bytes - start for cloth, start in zip(cloths, before)]
    seconds = [[], []]
    for count in range(3 if quick else 8):
        for spent, cloth in zip(seconds, cloths):
            cloth.prepare(FRAME_SECONDS * (1 + 0.01 * (count % 2 + 1)))
            spent.append(cloth.report().factor_seconds)
    rows = [
        {
            "mirror": str(cloth.mirror().mode),
            "factor_seconds": mean(spent),
            "factor_nonzeros": cloth.report().factor_nonzeros,
            "factor_bytes": bytes_taken,
            "memory_bytes": cloth.report().memory_bytes,
        }
        for cloth, spent, bytes_taken in zip(cloths, seconds, taken)
    ]
    results.table("factor", rows)
    ratios = {"factor_speedup": "factor_seconds", "factor_memory_ratio": "factor_bytes"}
    ratios |= {"factor_nonzeros_ratio": "factor_nonzeros", "memory_ratio": "memory_bytes"}
    for key, column in ratios.items():
        results.number(f"{key}_20k", rows[0][column] / rows[1][column])
    for cloth in cloths:
        cloth.close()


# --- distance to the whole run ---------------------------------------------------------------------

EARLY = 10  # frames on the moving body, before folds decide for themselves
APART = 1e-6  # m: how far the other whole run starts from the first


def distance(results, quick):
    heading("Distance to the whole run: the largest of a vertex, over the size")
    note(
        "Beside it how far the whole run is from its own mirror image, and how far two whole runs are from each other that "
        "start a micrometre apart; at frame 10, and at the end."
    )
    rows, ends, scene = [], [], mirrored.hanging(25 if quick else 51)
    for method in (PLAIN, LOOSE, FIT):
        with Pair(scene, method[0]).run(20 if quick else 100) as pair:
            rows.append(_distances(pair, method))
            results.number(f"hanging_distance{method[1]}", pair.distances[-1])
            ends.append((pair.whole.positions(), pair.half.positions()))
    for which, end in zip(("whole", "half"), ends[2]):
        key = f"hanging_fit_{which}_to_implicit"
        results.number(key, apart(end, ends[1][0]) / size_of(scene))
    for scene, suffix in ((fine(quick), ""), (jacket(quick), "_jacket")):
        with Pair(scene, PLAIN[0]) as pair, _started_apart(scene) as other:
            chance = []
            for _ in range(12 if quick else 100):
                pair.run(1)
                chance.append(apart(other.step(), pair.whole.positions()) / pair.size)
        rows.append(_distances(pair, PLAIN, chance))
        found = {"distance": pair.distances, "uneven": pair.uneven, "uncertainty": chance}
        for key, values in found.items():
            results.number(f"worn_{key}{suffix}", values[EARLY - 1])
            results.number(f"worn_{key}_100{suffix}", values[-1])
    with Pair(scene, LOOSE[0]).run(EARLY) as pair:
        rows.append(_distances(pair, LOOSE))
        results.number("worn_distance_jacket_implicit", pair.distances[-1])
    results.table("distance", rows)


def _started_apart(scene):
    """A whole run whose vertices start a micrometre from where they are."""
    play = Play(scene, **WHOLE, **PLAIN[0])
    away = np.random.default_rng(1).normal(size=scene.cloth.positions.shape)
    away *= APART / np.linalg.norm(away, axis=1)[:, None]
    play.cloth.set_state(scene.cloth.positions + away.astype(np.float32))
    return play


def _distances(pair, method, chance=None):
    row = {"scene": pair.scene.name, "method": method[1] or "_linear", "frames": pair.half.frame}
    series = {"distance": pair.distances, "uneven": pair.uneven, "uncertainty": chance}
    for when, k in (("early", EARLY - 1), ("last", -1)):
        row |= {f"{when}_{name}": values and values[k] for name, values in series.items()}
    return {**row, "asymmetry": pair.asymmetry}


# --- what is not symmetric -------------------------------------------------------------------------

BEFORE = 5  # frames that a switch is compared with


def uneven(results, quick):
    options, frames = (COARSE, 8) if quick else ({}, 24)
    _halved(results, mirrored.two_triangulations(**options), frames)
    _pocket(results, mirrored.pocketed(**options), frames)
    _switch(results, mirrored.uneven_tshirt(**options), 30 if quick else 72)


def _surface_distance(points, surface, faces):
    """Distances of points to the nearest place of a surface, m."""
    corners = np.asarray(surface, float)[fan(faces)]
    return np.array([distance_to(point, corners) for point in np.asarray(points, float)])


def _halved(results, scene, frames):
    heading("Sides that are triangulated differently, mode halve, linear rounds")
    note("Distance of every vertex to the surface of the whole run, over the size of the garment.")
    rows, common = [], {**WHOLE, **PLAIN[0]}
    with Play(scene, **common) as whole, Play(scene, mirror="halve", **common) as half:
        for frame in range(frames + 1):
            if frame:
                whole.step(), half.step()
            if frame in (0, 1, min(10, frames), frames):
                here = half.cloth.positions(), whole.positions(), scene.cloth.faces
                off = _surface_distance(*here) / size_of(scene)
                rms = float(np.sqrt((off**2).mean()))
                rows.append({"frame": frame, "largest": float(off.max()), "rms": rms})
    results.table("halve", rows, halve_distance=rows[-1]["largest"])


def _pocket(results, scene, frames):
    heading("A pocket on one side only, mode exact, linear rounds")
    places = scene.cloth.positions
    count = len(places) - mirrored.POCKET**2
    shirt, pocket = (scene.cloth.faces[(scene.cloth.faces >= count).any(1) == k] for k in (0, 1))
    partner = mirror_pairs(Mesh(places[:count], shirt))
    asymmetry = strain = 0.0
    with Play(scene, mirror="exact", **WHOLE, **PLAIN[0]) as play:
        start = _surface_distance(play.cloth.positions()[count:], places, shirt).max()
        for _ in range(frames):
            here = play.step()
            asymmetry = max(asymmetry, asymmetry_of(here[:count], partner))
            strain = max(strain, _strain(places, here, pocket))
    row = {"vertices": len(places) - count, "frames": frames, "start_distance": float(start)}
    row["end_distance"] = float(_surface_distance(here[count:], here, shirt).max())
    row |= {"largest_strain": strain, "asymmetry": asymmetry}
    row["piercings"] = sum(count_between(here, pocket, here, shirt))
    results.table("extra", [row], extra_piercings=row["piercings"])


def _strain(rest, here, faces):
    """Largest change of length of the sides of faces, over the rest length."""
    before, now = (
        np.linalg.norm(points[faces].astype(float) - points[np.roll(faces, 1, 1)], axis=2)
        for points in (rest, here)
    )
    return float(np.abs(now / before - 1).max())


def _switch(results, scene, frames):
    heading("One arm goes its own way: solved whole while it does, linear rounds")
    note(f"Way: the largest of any vertex within a frame; before: of the {BEFORE} before a switch.")
    settings = {"mirror": "exact", "asymmetric_body": "whole", "quads": True}
    wholes, ways = [0], [0.0]
    with Play(scene, **settings, **PLAIN[0]) as play:
        for _ in range(frames):
            ways.append(apart(play.track[-1], play.step()))
            wholes.append(play.cloth.mirror().solved_whole)
    rows = [
        {
            "frame": frame,
            "towards": "whole" if wholes[frame] else "half",
            "way": ways[frame],
            "way_before": max(ways[frame - BEFORE : frame]),
        }
        for frame in range(BEFORE + 2, frames + 1)
        if wholes[frame] != wholes[frame - 1]
    ]
    results.table("switch", rows)
    ratios = [row["way"] / row["way_before"] for row in rows]
    results.number("switch_jump_ratio", max(ratios, default=0.0))


# --- an open jacket that is zipped or buttoned -----------------------------------------------------

STILL = 48  # the body moves for so many frames
CLOSING, LOOK = 12, 10  # frames until the fronts are together; between two counts afterwards


def closures(results, quick):
    frames, still = (30, 15) if quick else (300, STILL)
    scene = jacket(quick, last=still)
    heading("Closures of an open jacket, exact, quality draft, self-contact on")
    note("Piercings between the fronts, both ways. A button's front is lifted: not mirrored.")
    rows = [_closed(scene, closure, frames) for closure in ("zip", "button")]
    results.table("closures", rows, front_piercings=sum(row["piercings"] for row in rows))
    results.number("front_piercings_closing", max(row["closing_piercings"] for row in rows))
    results.number("front_piercings_end", sum(row["end_piercings"] for row in rows))
    results.number("closed_end_speed", max(row["end_speed"] for row in rows))


def _closed(scene, closure, frames):
    left, right = mirrored.fronts(scene.cloth)
    partner = mirror_pairs(scene.cloth)
    asymmetry, closing, later = 0.0, [], []
    settings = {"mirror": "exact", "closure": closure, "self_contact": True, **WHOLE, **DRAFT[0]}
    with Play(scene, **settings) as play:
        for frame in range(1, frames + 1):
            here = play.step()
            asymmetry = max(asymmetry, asymmetry_of(here, partner))
            if frame <= CLOSING or frame % LOOK == 0 or frame == frames:
                counts = closing if frame <= CLOSING else later
                counts.append(sum(count_between(here, left, here, right)))
        gaps = 2 * here[mirrored.front_edge(scene.cloth), 0]
        return {
            "closure": closure,
            "closing_piercings": max(closing),
            "piercings": sum(later),
            "end_piercings": later[-1],
            "least_gap": float(gaps.min()),
            "largest_gap": float(gaps.max()),
            "end_speed": play.largest_speed(),
            "mean_end_speed": play.mean_speed(),
            "largest_strain": largest(play.history, "largest_strain"),
            "asymmetry": asymmetry if closure != "button" else None,
            "frame_seconds": mean(play.seconds),
        }


def last(results):
    outputs = [row["asymmetry"] for row in results.rows if row.get("asymmetry") is not None]
    if outputs:
        results.number("asymmetry", max(outputs))


PARTS = {"speed": speed, "distance": distance, "uneven": uneven, "closures": closures}
BENCH = Bench("mirror", __doc__, QUICK_HELP, PARTS, FIGURES, last=last)

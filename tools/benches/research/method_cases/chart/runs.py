# SPDX-License-Identifier: GPL-3.0-or-later
"""One way on one stage under the clock: its row, with time and quality, or the reason why there is none."""

import os
from dataclasses import replace
from statistics import median

import numpy as np
from muslin import MuslinError
from test_scenes.contact.play import Play, rms, size_of
from test_scenes.contact.scene import FRAMES_PER_SECOND
from test_scenes.contact.quality import quality_of
from worn_cases.rows import SKIPPED

COLUMNS = (
    "scene",
    "size",
    "vertices",
    "family",
    "point",
    "ms",
    "ms_least",
    "frames",
    "distance",
    "stretch_p99",
    "stretch_max",
    "inside",
    "body_piercings",
    "self_piercings",
    "trembling",
    "fastest_at_rest",
    "why",
)
THREADS = os.cpu_count()
JUDGED = 12  # frames from one that is judged for piercings to the next
LAST = 6  # frames at the end in which rest is looked at
TORN = 100.0  # m from the origin: no cloth any more


def play(stage, settings, frames):
    """(track, seconds of each frame, why it ended early or None). Backward Euler throughout: qualities choose other
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
    return np.array(run.track), run.frame_seconds, why


def distance(stage, model, track):
    """The largest RMS distance to the converged run of the model, over the size; None where there is none."""
    if model not in stage.references:
        return None
    pairs = zip(track[1 : stage.moving + 1], stage.references[model][1:])
    return max(rms(a, b) for a, b in pairs) / size_of(stage.scene)


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
    named |= {"family": way.family, "point": way.point}
    return {column: {**named, **found}.get(column) for column in COLUMNS}


def judged(stage, way, track, milliseconds, why=None):
    """The row of a run; of one that ended early only what it is called, its time and why."""
    timed = milliseconds[SKIPPED : stage.moving] or milliseconds
    times = {"ms": median(timed), "ms_least": min(timed), "frames": len(track) - 1}
    if why is None and not (np.isfinite(track).all() and np.abs(track).max() < TORN):
        why = "torn to pieces"
    if why is not None:
        return record(stage, way, **times, why=why)
    layered = stage.kind.layered and way.rival != "nodes"
    whole = len(track) > max(stage.frames, 3)
    return record(
        stage,
        way,
        **times,
        distance=distance(stage, way.model, track),
        **quality_of(stage.scene, track, layered, JUDGED),
        trembling=trembling(track) if whole else None,
        fastest_at_rest=fastest(track) if whole and stage.kind.rests else None,
    )


def measure(stage, way, solvers):
    """The row of a way; solvers: Blender's own."""
    why = way.reason(stage)
    if why is None and way.rival and not solvers.is_there():
        why = "this Blender is not there"
    if why is not None:
        return record(stage, way, why=why)
    frames = way.frames(stage)
    if way.rival:
        layered = stage.kind.layered and way.rival == "modifier"
        track, milliseconds, _ = solvers.run(
            stage.scene, way.rival, frames + 1, layered, way.settings
        )
        return judged(stage, way, track, milliseconds[1:])
    track, seconds, why = play(stage, way.settings, frames)
    return judged(stage, way, track, [1e3 * second for second in seconds], why)


def beside(stage):
    """The same stage whose cloth starts within a micrometre of where it is."""
    moved = np.random.default_rng(1).uniform(-1e-6, 1e-6, stage.scene.cloth.positions.shape)
    cloth = replace(
        stage.scene.cloth, positions=(stage.scene.cloth.positions + moved).astype(np.float32)
    )
    return replace(stage, scene=replace(stage.scene, cloth=cloth))

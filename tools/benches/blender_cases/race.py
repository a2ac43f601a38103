# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene that Muslin bakes and Blender's own cloth simulates: how long each takes, and how well each falls."""

import os
from dataclasses import dataclass, field
from statistics import mean

import numpy as np
from common.measure import cloth_of
from common.report import digits
from lively_cases.scenes import FRAME_SECONDS, closeness
from test_scenes.sheets import grid

LOOKED_AT = (5, 10, 20)
METHODS = {"draft": "Muslin, draft", "fixed": "Muslin, fixed rounds", "builtin": "Blender's own"}


@dataclass(frozen=True)
class Scene:
    """A sheet of 1 m and what it meets.

    rounds  a step of the method "fixed"
    options what the case inside is told beside size and frames
    follow  (answer of the case, side, frames): every frame of the same cloth, converged
    more    of a track: fields of the record that only this scene has
    """

    name: str
    rounds: int
    follow: object
    options: dict = field(default_factory=dict)
    more: object = lambda track: {}

    def ask(self, session, side, frames, threads=0):
        """What the case inside answers; threads for both, 0 for as many as each wants."""
        return session.run(
            self.name, threads=threads, side=side, frames=frames, rounds=self.rounds, **self.options
        )

    def records(self, answer, side, reference):
        """By method, the times and the quality. A ratio is of Blender's own time over ours."""
        runs, found = answer["runs"], {}
        times = {key: mean(sum((run["frames"] for run in runs[key]), [])) for key in METHODS}
        for key, title in METHODS.items():
            track = np.load(answer["tracks"][key])
            largest, last, middle = stretches(track, side)
            shares = responses(track, reference)
            found[key] = {
                "method": title,
                "vertices": side * side,
                "ms_per_frame": times[key],
                "whole_ms": mean(run["whole"] for run in runs[key]),
                "faster": None if key == "builtin" else times["builtin"] / times[key],
                **{f"response_{frame}": share for frame, share in shares.items()},
                "largest_stretch": largest,
                "last_largest_stretch": last,
                "mean_stretch": middle,
                **self.more(track),
            }
        return found


def play(side, frames, pins, settings, meet=lambda cloth: None):
    """Every frame of a sheet with the settings of a bake, stepped without Blender."""
    wanted = {**settings, "quality": "custom", "threads": os.cpu_count()}
    with cloth_of(grid(side, side, 1.0, "quads"), pins, **wanted) as cloth:
        meet(cloth)
        track = [cloth.positions()]
        for _ in range(frames - 1):
            cloth.step(FRAME_SECONDS)
            track.append(cloth.positions())
        return np.array(track)


def responses(track, reference):
    """Mean drop over that of the reference, by frame, where the tracks are as long."""
    drops = [each[:, :, 2].mean(1, dtype=np.float64) for each in (track, reference)]
    frames = [frame for frame in LOOKED_AT if frame < len(reference)]
    return {frame: float(drops[0][frame] / drops[1][frame]) for frame in frames}


def response(record):
    """The worst of a record: too much motion counts like too little."""
    return min(closeness(value) for key, value in record.items() if key.startswith("response_"))


def stretches(track, side):
    """(largest of all frames, largest at the end, mean at the end): length of edges over rest."""
    numbers = np.arange(side * side).reshape(side, side)
    along = np.column_stack([numbers[:, :-1].ravel(), numbers[:, 1:].ravel()])
    across = np.column_stack([numbers[:-1].ravel(), numbers[1:].ravel()])
    first, second = np.concatenate([along, across]).T
    lengths = [np.linalg.norm(x[first] - x[second], axis=1) for x in track.astype(np.float64)]
    ratios = [length / lengths[0] for length in lengths]
    return max(float(r.max()) for r in ratios), float(ratios[-1].max()), float(ratios[-1].mean())


def shown(record):
    """What the tables have in common: method, ms per frame, ratio, whole time, responses, stretches."""
    shares = [value for key, value in record.items() if key.startswith("response_")]
    return (
        record["method"],
        digits(record["ms_per_frame"], 1),
        digits(record["faster"], 1),
        digits(record["whole_ms"] / 1e3, 2),
        *(digits(share) for share in shares),
        digits(record["largest_stretch"]),
        digits(record["last_largest_stretch"]),
    )


def header(frames):
    """Of those columns, in a run of so many frames."""
    looked_at = [frame for frame in LOOKED_AT if frame < frames]
    names = [f"response|frame {looked_at[0]}", *(f"|{frame}" for frame in looked_at[1:])]
    return ("method", "ms per|frame", "faster", "whole|s", *names, "largest|stretch", "|at the end")


def figures(results, scene, found):
    """The worst of all Blenders; found: by version, the records of the methods.

    The figure proper is of fixed rounds that keep the quality asked for; draft beside it.
    """
    for key, ending in (("fixed", ""), ("draft", "_draft")):
        records = [each[key] for each in found.values()]
        results.number(f"vs_builtin_{scene}_20k{ending}", min(each["faster"] for each in records))
        results.number(f"{scene}_response{ending}", min(response(each) for each in records))
        stretched = max(each["largest_stretch"] for each in records)
        results.number(f"{scene}_largest_stretch{ending}", stretched)
    for version, each in found.items():
        results.number(f"vs_builtin_{scene}_20k_{version}", each["fixed"]["faster"])

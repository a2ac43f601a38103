# SPDX-License-Identifier: GPL-3.0-or-later
"""One garment on one motion under the clock: a row with its time by stage and its quality."""

import os
from dataclasses import dataclass
from statistics import mean, median

import numpy as np
from test_scenes.contact.play import Play, rms, size_of
from worn_cases import garments
from worn_cases.distance import CONVERGED
from test_scenes.contact.quality import EVERY, quality_of
from worn_cases.rivals import Rivals
from worn_cases.rows import COLUMNS, HEAD, LINE, SKIPPED, STAGES, cells, record_of


@dataclass(frozen=True)
class Case:
    """A row of ours.

    count      about so many vertices; None: the garment as it is
    judged     every n-th frame is judged
    still      frames after the motion in which the body stands still, for the speed at rest
    converged  whether its distance to the converged run is asked for
    """

    garment: str
    quality: str = "draft"
    self_contact: bool = True
    count: int = None
    motion: str = "arms"
    mirror: str = "off"
    frames: int = 20
    threads: int = os.cpu_count()
    judged: int = EVERY
    still: int = 0
    converged: bool = False

    def scene(self):
        return garments.scene(self.garment, self.motion, self.count, self.frames)

    def play(self, **settings):
        """With the library's default fabric, the UV map and the body's own quads, as an artist has them."""
        wanted = {"quads": True, "uvs": True, "fabric": {}, "threads": self.threads, **settings}
        return Play(self.scene(), self_contact=self.self_contact, mirror=self.mirror, **wanted)


class Book:
    """Runs every case once, prints its row at once, and keeps it."""

    def __init__(self, results):
        self.results = results
        self.rivals = Rivals(self.add)
        self.records, self.references = {}, {}
        self.begun = False

    def run(self, case):
        """The record of a case, all columns; None where its garment is absent."""
        if case not in self.records:
            self.records[case] = None if case.scene() is None else self._measure(case)
            self.add(self.records[case])
        return self.records[case]

    def add(self, record):
        """Into the results and onto the screen."""
        if record is None:
            return
        assert tuple(record) == COLUMNS
        self.results.row("worn", **record)
        if not self.begun:
            print(LINE.format(*HEAD))
            self.begun = True
        print(LINE.format(*cells(record)).rstrip(), flush=True)

    def _measure(self, case):
        with case.play(quality=case.quality) as play:
            play.run(case.frames)
            moving = list(play.track)
            play.kept = False
            play.run(case.still)
            speed = 1e3 * play.largest_speed() if case.still else None
        track = np.array(moving)
        scene = case.scene()
        return record_of(
            **named(case, len(track[0])),
            **timed(play, case.frames),
            **quality_of(scene, track, case.self_contact, case.judged),
            distance=self._distance(case, track) if case.converged else None,
            fastest_at_rest=speed,
        )

    def _distance(self, case, track):
        """The largest RMS distance to the converged run, of the garment's size."""
        key = (case.garment, case.count, case.motion, case.self_contact, case.frames)
        if key not in self.references:
            with case.play(**CONVERGED) as play:
                self.references[key] = play.run(case.frames).track
        size = size_of(case.scene())
        return max(rms(a, b) / size for a, b in zip(track[1:], self.references[key][1:]))


def named(case, vertices):
    return {
        "garment": case.garment,
        "vertices": vertices,
        "motion": case.motion,
        "self_contact": case.self_contact,
        "method": case.quality,
        "mirror": case.mirror,
        "threads": case.threads,
        "frames": case.frames,
    }


def timed(play, frames):
    """Medians over the frames from the third on, ms: of the whole with handing body and positions over, and of each
    stage; rest is what no stage counts."""
    history, whole = play.history[SKIPPED:frames], play.frame_seconds[SKIPPED:frames]
    stages = {s: [getattr(h, f"{s}_seconds") for h in history] for s in (*STAGES, "coarse")}
    rest = [total - sum(stages[s][k] for s in STAGES) for k, total in enumerate(whole)]
    return {
        "ms": 1e3 * median(whole),
        **{stage: 1e3 * median(seconds) for stage, seconds in stages.items()},
        "rest": 1e3 * median(rest),
        "solves": mean(h.solves for h in history),
    }

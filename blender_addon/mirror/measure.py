# SPDX-License-Identifier: GPL-3.0-or-later
"""Times a few frames of a garment by half and whole, in turn, on simulations made for that alone."""

from statistics import median
from time import perf_counter

from .. import running
from ..jobs import Job
from ..scene.lookup import scene_named
from ..scene.problems import Problem
from ..simulation.members import existing
from ..simulation.simulation import Simulation, depsgraph_of
from . import mirror_plane

MOST = 20  # frames of each
SECONDS = 3.0  # after which no further frame begins


class Measure(Job):
    """simulations: the garment mirrored, and whole."""

    def __init__(self, obj, scene):
        super().__init__(obj, scene)
        self._choice = mirror_plane.choice(obj)
        self._seconds = [[], []]
        self._began = None  # the first frame that counts

    @property
    def progress(self):
        frames = sum(map(len, self._seconds)) / (2.0 * MOST)
        return min(1.0, max(frames, self._elapsed / SECONDS))

    @property
    def _elapsed(self):
        return 0.0 if self._began is None else perf_counter() - self._began

    @property
    def text(self):
        return f"{self.name}: measuring, {len(self._seconds[1])} of at most {MOST} frames"

    def work(self):
        for mirrored in (True, False):
            obj, scene = existing(self.uid, self.name), scene_named(self.scene_name)
            depsgraph = depsgraph_of(scene, obj)
            self.simulations.append(Simulation(obj, scene, depsgraph, mirrored, alone=True))
            yield
        for frame in range(MOST + 1):  # the first has to factor the matrix: it does not count
            if frame == 1:
                self._began = perf_counter()
            for simulation, seconds in zip(self.simulations, self._seconds):
                yield from self._step(simulation)
                if frame:
                    seconds.append(simulation.step_seconds)
            if self._elapsed > SECONDS:
                break
        self.result = words(*map(median, self._seconds))
        running.speeds[self.uid] = self._choice, self.result

    def _step(self, simulation):
        self.at_work = simulation
        simulation.start()
        yield
        if not simulation.collect():
            raise Problem("stopped")
        report = simulation.cloth.mirror()
        is_whole = report.mode == "off" or report.solved_whole
        if simulation is self.simulations[0] and is_whole:
            why = running.solved.get(self.uid, (False, "whole"))[1]
            raise Problem(f"Nothing to compare: {self.name} is solved {why}")


def words(half, whole):
    digits = 0 if min(half, whole) >= 0.01 else 1
    times = f"{half * 1e3:.{digits}f} instead of {whole * 1e3:.{digits}f} ms per frame"
    factor = whole / half
    if factor >= 1.05:
        return f"×{factor:.1f} faster: {times}"
    return f"Not faster here: {times}"

# SPDX-License-Identifier: GPL-3.0-or-later
"""Work in steps beside the window, that is neither a bake nor a preview."""

from time import perf_counter

from ..scene import lookup
from ..scene.problems import Problem
from . import running

PATIENCE = 0.3  # s that a step is awaited: what is drawn meanwhile would slow it down


class Job:
    """See running.job for what others read of it. `error`: why it came to nothing; `result`: what there is to say.

    work(), of the kind of job, is a generator that yields while a step of `at_work`, a Simulation, is under way;
    leave() closes every Simulation in `simulations`.
    """

    def __init__(self, obj, scene):
        self.uid = lookup.ensure_uid(obj)
        self.name = obj.name
        self.scene_name = scene.name
        self.error = self.result = ""
        self.finished = False
        self.simulations = []
        self.at_work = None
        self._work = self._run()
        running.job = self

    def advance(self, seconds):
        """Work for about so long (None: to the end). True while there is more."""
        deadline = None if seconds is None else perf_counter() + seconds
        while not self.finished:
            patience = None if deadline is None else PATIENCE
            if self.at_work is not None and not self.at_work.ready(patience):
                return True
            if deadline is not None and perf_counter() > deadline:
                return True
            if next(self._work, self) is self:
                self.leave()
        return False

    def stop(self):
        """At once."""
        self.error = self.error or "stopped"
        self.leave()

    def leave(self):
        """End, and give all memory back; a step under way is interrupted."""
        self.finished = True
        self._work.close()
        for simulation in self.simulations:
            simulation.close()
        self.simulations = []
        self.at_work = None
        if running.job is self:
            running.job = None

    def _run(self):
        try:
            yield from self.work()
        except Problem as problem:
            self.error = str(problem)

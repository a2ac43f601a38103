# SPDX-License-Identifier: GPL-3.0-or-later
"""How a mirrored garment is solved just now, and since when and why otherwise, for the panel."""

from contextlib import contextmanager

from .. import running
from ..muslin import DetailCode, Outcome
from ..scene.problems import Problem
from ..words import length

# What becomes of a body that is not symmetric; the second has no partners.
TAKEN = {
    Outcome.MEAN_MET: "is treated as symmetric",
    Outcome.KEPT_SIDE_MET: "counts on the positive side only",
}


@contextmanager
def telling(solved):
    """A refusal is shown in the panel of a mirrored garment, too."""
    try:
        yield
    except Problem as problem:
        solved.report(False, str(problem))
        raise


class Solved:
    """The line of one simulation; silent where mirroring is off."""

    def __init__(self, simulation, is_on):
        self._simulation = simulation
        self._is_on = is_on
        self._heard = 0  # messages of the cloth that were read
        self._news = []  # unread ones, which explain the next change
        self._whole = ""  # why and since when all of it is simulated; "" while one half is
        self._mended = ""  # which body was replaced by its mean with its mirror image
        if is_on:
            running.solved.pop(simulation.uid, None)

    def report(self, is_well, text):
        if self._is_on:
            running.solved[self._simulation.uid] = is_well, text

    def look(self):
        """When the cloth is built, and after every step."""
        if not self._is_on:
            return
        report = self._simulation.cloth.mirror()
        details = self._simulation.cloth.details
        self._news += details[self._heard :]
        self._heard = len(details)
        frame = f" (frame {self._simulation.frame})"
        name = self._simulation.feeder.colliders.name_of(report.body) or "the body"
        body = f"{name} is {length(report.body_asymmetry)} from its mirror image"
        for outcome, taken in TAKEN.items():
            if not self._mended and self._news_of(outcome):
                self._mended = f". {body}{frame}, and {taken}"
        if not report.solved_whole:
            self._whole = ""
        elif not self._whole:
            known = report.body >= 0 and report.body_asymmetry > 0.0
            reason = body if known else "the cloth is not symmetric"
            for detail in self._news_of(Outcome.SOLVED_WHOLE):
                if detail.code != DetailCode.BODY_ASYMMETRIC:
                    reason = detail.cause
            self._whole = reason + frame
            self._news.clear()
        if report.mode == "off":
            causes = [detail.cause for detail in self._news_of(Outcome.NOT_MIRRORED)]
            self.report(False, f"whole, since {''.join(causes[:1])}")
        elif self._whole:
            self.report(False, f"whole, since {self._whole}")
        else:
            total = self._simulation.levels.simulated_count
            text = f"half: {report.half_vertex_count:,} of {total:,} vertices"
            self.report(not self._mended, text + self._mended)

    def _news_of(self, outcome):
        return [detail for detail in self._news if detail.outcome == outcome]

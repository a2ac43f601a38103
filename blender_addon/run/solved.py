# SPDX-License-Identifier: GPL-3.0-or-later
"""How a mirrored garment is solved just now, and since when and why otherwise, for the panel."""

from contextlib import contextmanager

from ..scene.problems import Problem
from ..scene.symmetry import length
from . import running

FELL_BACK = (
    "not mirrored, all of the garment is simulated"  # the library, when it is built; then why
)
MEANWHILE = ", so all of the garment is simulated while that lasts"  # and later
# What the library says of a body that is not symmetric, and what that means; the second has no partners.
TAKEN = {
    "so the garment meets the mean of both": "is taken as symmetric",
    "so only what is on the kept side of the mirror plane is met": "counts on the positive side only",
}
OF_BODY = "is not its own mirror image"


@contextmanager
def telling(solved):
    """What is refused is told in the panel of a mirrored garment, too."""
    try:
        yield
    except Problem as problem:
        solved.tell(False, str(problem))
        raise


class Solved:
    """The line of one simulation; silent where mirroring is off."""

    def __init__(self, simulation, is_on):
        self._simulation = simulation
        self._is_on = is_on
        self._heard = 0  # warnings of the cloth that were looked at
        self._news = []  # those that explain what comes
        self._whole = ""  # why and since when all of it is simulated; "" while one half is
        self._mended = ""  # which body was taken for its mean with its mirror image
        if is_on:
            running.solved.pop(simulation.uid, None)

    def tell(self, is_well, text):
        if self._is_on:
            running.solved[self._simulation.uid] = is_well, text

    def look(self):
        """When the cloth is built, and after every step."""
        if not self._is_on:
            return
        report = self._simulation.cloth.mirror()
        warnings = self._simulation.cloth.warnings
        self._news += warnings[self._heard :]
        self._heard = len(warnings)
        frame = f" (frame {self._simulation.frame})"
        for said, taken in TAKEN.items():
            if not self._mended and any(said in text for text in self._news):
                self._mended = f". {self._body(report)}{frame}, and {taken}"
        if not report.solved_whole:
            self._whole = ""
        elif not self._whole:
            self._whole = self._reason(report) + frame
            self._news.clear()
        self._say(report)

    def _reason(self, report):
        others = [text for text in self._news if MEANWHILE in text and OF_BODY not in text]
        if others:
            return others[-1].partition(MEANWHILE)[0]
        if report.body >= 0 and report.body_asymmetry > 0.0:
            return self._body(report)
        return "the cloth is not symmetric"

    def _body(self, report):
        name = self._simulation.feeder.body_name(report.body) or "the body"
        return f"{name} is {length(report.body_asymmetry)} from its mirror image"

    def _say(self, report):
        if report.mode == "off":
            fell = [text.partition(FELL_BACK)[2] for text in self._news if FELL_BACK in text]
            told = [text.partition(": ")[2] for text in fell]  # nothing may be closed, before it
            self.tell(False, f"whole, since {''.join(told[:1])}")
        elif self._whole:
            self.tell(False, f"whole, since {self._whole}")
        else:
            total = self._simulation.vertex_count
            text = f"half: {report.half_vertex_count:,} of {total:,} vertices"
            self.tell(not self._mended, text + self._mended)

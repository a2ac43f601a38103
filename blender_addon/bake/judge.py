# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks a garment's placement while it is baked, and reports at the end what is wrong, and since which frame."""

from dataclasses import replace
from time import perf_counter

from ..bodies import colliders
from ..check import check_start
from ..muslin.inspection.verdict import STRETCHED, Verdict, stretch_text
from ..scene.problems import Finding, speaking_of
from ..words import counted

SHARE = 0.05  # of the steps' time that looking may take


class Judge:
    """findings, words: what there is to say after end()."""

    def __init__(self, obj, simulation):
        self._simulation, self._members = simulation, simulation.members
        self._name = simulation.name
        self_contact = obj.muslin.self_contact or len(self._members) > 1
        meets = bool(colliders.wanted(obj)) or self_contact
        self._verdict = Verdict(meets, self_contact) if meets else None
        self._seconds = self._stepped = 0.0
        self._frame = None  # the last one that was looked at
        self._found = []  # what was wrong in it, as of_placement() gives it
        self.findings, self.words = [], ""

    def watch(self, step_seconds):
        """After a step. The first frame is looked at, and others as far as that costs little."""
        self._stepped += step_seconds
        if self._seconds <= SHARE * self._stepped:
            self._look()

    def _look(self):
        frame = self._simulation.frame
        if self._verdict is not None and frame != self._frame:
            began = perf_counter()
            cloth, verdict = self._simulation.cloth, self._verdict
            with speaking_of(self._name):
                verdict.add(frame, cloth.inspect())
                faults = verdict.last.found & verdict.judged
                self._found = list(check_start.of_placement(cloth, verdict.last, faults))
            self._seconds += perf_counter() - began
            self._frame = frame

    @property
    def numbers(self):
        """The verdict for machines; {} where no one looked."""
        looked = self._verdict is not None and self._verdict.inspections
        return self._verdict.as_numbers() if looked else {}

    def end(self, is_whole):
        """is_whole: the cloth is in the state of its last frame, and not within a step."""
        if is_whole:
            self._look()
        self.findings = [*self._of_placement(), *self._of_steps()]
        problems = counted(len(self.findings), "problem", "problems")
        self.words = f"{problems} found" if self.findings else ""
        if self._frame is not None:
            self.words = self.words or "Nothing penetrates or intersects"
            self.words = f"{self.words}; {stretch_text(self._verdict.last)}"

    def _of_placement(self):
        """In the last frame that was looked at, if any was."""
        if self._frame is not None:
            yield from (self._finding(*found) for found in self._found)
            yield from self._of_stretch()

    def _of_steps(self):
        """Of what every step reports by itself, whatever the cloth meets."""
        for warning in self._simulation.step_warnings.reports():
            text = warning.text[:1].upper() + warning.text[1:]
            yield Finding(warning.kind, text, object_name=self._name, frame=warning.first)

    def _of_stretch(self):
        last = self._verdict.last
        if STRETCHED in self._verdict.since:
            yield self._finding(STRETCHED, stretch_text(last), list(last.stretch_edge))

    def _finding(self, kind, text, vertices):
        since = self._verdict.since[kind]
        text = f"Frame {self._frame}: {text}, since frame {since}"
        return Finding(kind, text, False, self._name, "VERT", vertices, frame=since)

    def findings_of(self, uid):
        """Those of one garment of the cloth, by its own vertices; what concerns no vertex is everyone's."""
        found = []
        for member in self._members:
            if member.uid == uid:
                own = range(member.begin, member.span.stop)
                for each in self.findings:
                    vertices = [v - member.begin for v in each.indices if v in own]
                    if vertices or not each.indices:
                        found.append(replace(each, object_name=member.name, indices=vertices))
        return found

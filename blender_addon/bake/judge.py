# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks a garment's placement while it is baked, and reports at the end what is wrong, and since which frame."""

from dataclasses import replace
from time import perf_counter

from ..bodies import colliders
from ..check import check_start
from ..muslin.inspection.verdict import PIERCED, STRETCHED, Verdict, stretch_text
from ..scene.problems import Finding, speaking_of
from ..words import counted

SHARE = 0.05  # of the steps' time that inspections may take
LOOKS_AT_WORST = 10  # frames that are looked at all the same, each worse than those before


class Judge:
    """findings, words: what there is to say after end(); nothing without begin()."""

    def __init__(self):
        self._simulation = self._verdict = None
        self._members = ()
        self._seconds = self._stepped = 0.0
        self._frame = None  # the last one that was inspected
        self._found = []  # what was wrong in it, as of_placement() gives it
        self._left = LOOKS_AT_WORST
        self._shown = (
            {}
        )  # kind of unclean frames -> (pairs, vertices) of the worst that was looked at
        self.findings, self.words = [], ""

    def begin(self, obj, simulation):
        self._simulation, self._members = simulation, simulation.members
        self_contact = obj.muslin.self_contact or len(self._members) > 1
        collides = bool(colliders.wanted(obj)) or self_contact
        self._verdict = Verdict(collides, self_contact) if collides else None

    @property
    def numbers(self):
        looked = self._verdict is not None and self._verdict.inspections
        return self._verdict.as_numbers() if looked else {}

    @property
    def step_warnings(self):
        return self._simulation.step_warnings.reports() if self._simulation is not None else []

    def watch(self, step_seconds):
        """After a step. The first frame is looked at, and others as far as that costs little; a few that are worse than all before
        in any case."""
        self._stepped += step_seconds
        simulation, verdict = self._simulation, self._verdict
        is_worst = verdict is not None and verdict.count(simulation.frame, simulation.levels)
        self._left -= is_worst
        if self._seconds <= SHARE * self._stepped or (is_worst and self._left >= 0):
            self._look()

    def _look(self):
        frame = self._simulation.frame
        if self._verdict is not None and frame != self._frame:
            began = perf_counter()
            cloth, verdict = self._simulation.cloth, self._verdict
            with speaking_of(self._simulation.name):
                verdict.add(frame, cloth.inspect())
                faults = verdict.last.found & verdict.judged
                self._found = list(check_start.of_placement(cloth, verdict.last, faults))
            self._keep_worst(verdict.last)
            self._seconds += perf_counter() - began
            self._frame = frame

    def _keep_worst(self, inspection):
        """The vertices that a list of unclean frames selects are those of its worst frame, as far as that was looked at."""
        stretch = inspection.largest_stretch
        through = inspection.body_piercings + inspection.cloth_piercings
        own = {word: vertices for word, _, vertices in self._found}
        for kind, number, vertices in (
            (PIERCED, through, own.get(PIERCED, [])),
            (STRETCHED, stretch, list(inspection.stretch_edge)),
        ):
            if number > self._shown.get(kind, (0, []))[0]:
                self._shown[kind] = number, vertices

    def end(self, is_whole):
        """is_whole: the cloth is in the state of its last frame, and not within a step."""
        if self._simulation is None:
            return
        if is_whole:
            self._look()
        self.findings = [*self._in_last_frame(), *self._unclean(), *self._in_steps()]
        if self.findings:
            self.words = f"{counted(len(self.findings), 'problem')} found"
        if self._frame is not None:
            self.words = self.words or "Nothing penetrates or intersects"
            self.words = f"{self.words}; {stretch_text(self._verdict.last)}"

    def _in_last_frame(self):
        if self._frame is None:
            return
        last, found = self._verdict.last, list(self._found)
        if STRETCHED in self._verdict.since:
            found.append((STRETCHED, stretch_text(last), list(last.stretch_edge)))
        for kind, text, vertices in found:
            since = self._verdict.since[kind]
            text = f"Frame {self._frame}: {text}, since frame {since}"
            name = self._simulation.name
            yield Finding(kind, text, False, name, "VERT", vertices, frame=since)

    def _unclean(self):
        """The frames that were not clean, and what to select of the worst."""
        name = self._simulation.name
        for each in self._verdict.unclean() if self._verdict is not None else ():
            _, vertices = self._shown.get(each.kind, (0, []))
            text = each.text[:1].upper() + each.text[1:]
            yield Finding(each.kind, text, False, name, "VERT", vertices, frame=each.worst_frame)

    def _in_steps(self):
        """What every step reports by itself, whatever the cloth collides with."""
        for warning in self.step_warnings:
            text = warning.text[:1].upper() + warning.text[1:]
            name = self._simulation.name
            yield Finding(warning.kind, text, object_name=name, frame=warning.first)

    def findings_of(self, uid):
        """Those of one garment of the cloth, by its own vertices; what concerns no vertex is everyone's."""
        for member in [member for member in self._members if member.uid == uid]:
            own = range(member.begin, member.span.stop)
            for each in self.findings:
                vertices = [v - member.begin for v in each.indices if v in own]
                if vertices or not each.indices:
                    yield replace(each, object_name=member.name, indices=vertices)

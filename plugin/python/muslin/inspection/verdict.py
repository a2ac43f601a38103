# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with the cloth at the start and at the end of a drape, and since when; and the warnings of its steps."""

from collections import namedtuple

from .._enums import Fault, Placement
from ..table import takes
from . import placement

# Of each count of a step: what it means, and what to look for.
WORDS = {
    "curtailed": "there were too many contacts to find all of them: look there for cloth that is crumpled to a knot, or passes "
    "through something",
    "retried": "a step diverged, or tore the cloth, and was repeated with more substeps: the fabric may be too stiff for the solver, or "
    "the step too long",
    "mended": "contact stretched edges to more than one and a half times their length, and they were shortened: check that the cloth "
    "fits the body, and surrounds it at the start",
}


# kind: a name of WORDS. first: the first frame, or step, that had it.
StepWarning = namedtuple("StepWarning", "kind first text")


class StepWarningLog:
    """Collects the warnings of steps, in order, from Stats or LevelReports. unit: what is counted, "frame" or "step"."""

    def __init__(self, unit="frame"):
        self._unit = unit
        self._numbers = {name: [] for name in WORDS}  # of the frames that had it

    def add(self, number, step):
        """number: the frame's; the parts of one frame come with the same number."""
        for name, numbers in self._numbers.items():
            if getattr(step, name) > 0 and number not in numbers[-1:]:
                numbers.append(number)

    def reports(self):
        """A StepWarning of each kind that occurred."""
        found = []
        for name, numbers in self._numbers.items():
            if numbers:
                when = f"{self._unit} {numbers[0]}"
                if len(numbers) > 1:
                    when = f"{len(numbers)} {self._unit}s, first in {when}"
                found.append(StepWarning(name, numbers[0], f"in {when}, {WORDS[name]}"))
        return found


PIERCED, STRETCHED = "body_pierced", "stretched"
# kind: PIERCED or STRETCHED. worst_frame: a frame. worst: its count of pairs, or its stretch. runs: pairs of the
# first and last of frames that follow each other.
Unclean = namedtuple("Unclean", "kind runs worst worst_frame text")

SHOWN = 6  # runs of frames that a sentence names


class FrameLog:
    """Which frames are not clean, in their order: edges through a body, and cloth stretched too far."""

    def __init__(self):
        self._found = {PIERCED: {}, STRETCHED: {}}  # frame -> how much

    def add(self, frame, pierced=0, stretch=1.0):
        """May be given several times for a frame. stretch: 1 where it is not too far. Whether something is worse than in
        all frames before."""
        is_worst = False
        for kind, number, clean in ((PIERCED, pierced, 0), (STRETCHED, stretch, 1.0)):
            known = self._found[kind]
            if number > clean:
                is_worst |= number > max(known.values(), default=clean)
                known[frame] = max(number, known.get(frame, clean))
        return is_worst

    def reports(self):
        """An Unclean of each kind that occurred."""
        for kind, known in self._found.items():
            if known:
                worst = max(known, key=known.get)  # the first of those
                found = Unclean(kind, runs_of(known), known[worst], worst, "")
                yield found._replace(text=unclean_text(found))

    def as_numbers(self):
        return {
            found.kind: {
                "frames": [list(run) for run in found.runs],
                "worst": found.worst,
                "worst_frame": found.worst_frame,
            }
            for found in self.reports()
        }


def joined_frames(several):
    """What as_numbers() gives of several logs as one."""
    joined = {}
    for kind in dict.fromkeys(kind for numbers in several for kind in numbers):
        found = [numbers[kind] for numbers in several if kind in numbers]
        runs = (range(first, last + 1) for one in found for first, last in one["frames"])
        frames = [list(run) for run in runs_of(sorted({frame for run in runs for frame in run}))]
        joined[kind] = {**max(found, key=lambda one: one["worst"]), "frames": frames}
    return joined


def runs_of(frames):
    """Frames in order as pairs of the first and the last of those that follow each other."""
    runs = []
    for frame in frames:
        if runs and frame == runs[-1][1] + 1:
            runs[-1] = runs[-1][0], frame
        else:
            runs.append((frame, frame))
    return runs


def runs_text(runs):
    """ "frames 12-14, 30", with the first few of them."""
    shown = ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs[:SHOWN])
    more = sum(b - a + 1 for a, b in runs[SHOWN:])
    word = "frame" if len(runs) == 1 and runs[0][0] == runs[0][1] else "frames"
    return f"{word} {shown}" + (f" and {more} more" if more else "")


def unclean_text(found):
    """ "frames 12-14, 30: edges through the body, worst 3 in 13"."""
    if found.kind == PIERCED:
        what, worst = "edges through the body", f"{found.worst}"
    else:
        what, worst = "edges stretched", f"{100 * (found.worst - 1):.0f} %"
    return f"{runs_text(found.runs)}: {what}, worst {worst} in {found.worst_frame}"


# Lengths over those at rest that no fabric is meant to be worn with.
LARGEST_STRETCH = 2.0
STRETCH_P99 = 1.25
# What a frame is judged by: its size, and which side is out, are matters of its start.
# it has fallen off
JUDGED = (
    Fault.INSIDE | Fault.BODY_PIERCED | Fault.SELF_PIERCED | Fault.LIMB_OUTSIDE | Fault.NOT_WORN
)
# Qualities whose iterations are enough to come to rest.
RESTFUL = ("fit", "final")


class Verdict:
    """Collects inspections of frames, in their order.

    contact: whether the cloth collides with anything: then every frame is inspected, else the first and last.
    self_contact: False: no one keeps the cloth out of itself, and it is not blamed for that.
    vertex_text: what a vertex is called, of its number.
    """

    def __init__(self, contact, self_contact, vertex_text=placement.vertex_text):
        self.contact = contact
        self.judged = JUDGED if self_contact else JUDGED & ~Fault.SELF_PIERCED
        self.vertex_text = vertex_text
        self.inspections = {}
        self.since = {}
        self.frames = FrameLog()

    def wants(self, frame, frames, embedded):
        """Whether to inspect this frame of so many, both from 1. embedded: in a coarser mesh, for a budget: no time
        to inspect each."""
        return (self.contact and not embedded) or frame in (1, frames)

    def add(self, frame, inspection):
        """Frames count from 1, which is the start."""
        self.inspections[frame] = inspection
        found = self.faults(inspection)
        through = inspection.body_piercings + inspection.cloth_piercings
        stretch = inspection.largest_stretch if STRETCHED in found else 1.0
        self.frames.add(frame, through, stretch)
        self.since = {fault: self.since.get(fault, frame) for fault in found}

    def count(self, frame, step):
        """What the last step to a frame tells by itself: its Stats or LevelReport. Whether no frame before was as bad."""
        return self.contact and self.frames.add(frame, step.body_pierced)

    def unclean(self):
        """An Unclean of each kind, but for what has been so since a frame and is at the end: that is said without it."""
        end = next(reversed(self.inspections), None)
        for found in self.frames.reports():
            if found.runs != [(self.since.get(found.kind), end)]:
                yield found

    @property
    def last(self):
        return next(reversed(self.inspections.values()))

    def faults(self, inspection):
        names = [placement.word(f) for f in Fault if inspection.found & self.judged & f]
        if inspection.largest_stretch > LARGEST_STRETCH or inspection.stretch_p99 > STRETCH_P99:
            names.append(STRETCHED)
        return names

    def _sentences(self, inspection):
        """On all faults, those that are matters of a start among them."""
        faults = ~Fault(0) if self.judged & Fault.SELF_PIERCED else ~Fault.SELF_PIERCED
        return placement.sentences(inspection, faults, self.vertex_text)

    def start(self, inspection):
        """Sentences on what is wrong at the start, to be reported before anything is simulated."""
        found = [f"at the start {text}" for text in self._sentences(inspection)]
        if found and inspection.placement == Placement.BAD:
            found.append(placement.LEVELS[Placement.BAD])
        return found

    def rest(self, inspection):
        """Sentences on what is wrong with a shape at rest."""
        reported = [f"at rest {text}" for text in self._sentences(inspection)]
        if STRETCHED in self.faults(inspection):
            reported.append(f"at rest {stretch_text(inspection)}")
        return reported

    def sentences(self):
        """What is wrong at the end, with the frame since which it has been, and all frames that were not clean."""
        sentences, found = placement.sentences, []
        texts = {placement.word(f): sentences(self.last, f, self.vertex_text) for f in Fault}
        texts[STRETCHED] = [stretch_text(self.last)]
        for fault in [fault for fault in texts if fault in self.since]:
            found += [
                f"at the end {text}, since frame {self.since[fault]}" for text in texts[fault]
            ]
        return [*found, *(unclean.text for unclean in self.unclean())]

    def summary(self):
        """One line, whatever it says."""
        last = self.last
        through = last.body_piercings + last.cloth_piercings
        return (
            f"at the end {last.inside_count} vertices are inside bodies, {through} edges pass "
            f"through between cloth and bodies, {last.self_piercings} through the cloth itself; "
            f"{stretch_text(last)}"
        )

    def as_numbers(self):
        """worst: the largest numbers of any frame that was inspected."""
        looks = list(self.inspections.values())
        faults = [*(placement.word(fault) for fault in Fault if fault & JUDGED), STRETCHED]
        return {
            "worst": {
                "inside_count": max(look.inside_count for look in looks),
                "body_piercings": max(look.body_piercings + look.cloth_piercings for look in looks),
                "self_piercings": max(look.self_piercings for look in looks),
                "largest_stretch": max(look.largest_stretch for look in looks),
            },
            "start": placement.as_numbers(looks[0]),
            "end": placement.as_numbers(looks[-1]),
            "end_frame": next(reversed(self.inspections)),
            "since": {fault: self.since.get(fault) for fault in faults},
            "unclean": self.frames.as_numbers(),
            "good": not self.since,
        }


def restless_text(where, settings):
    """Of a cloth that was settled and did not come to rest. where: when that was."""
    advice = (
        "if it slides, falls or is blown about, pin whatever holds it up, or add the body that does"
    )
    if takes("sweeps", settings["solver"]):
        advice = "the sweep solver may never come to rest, use --solver linear"
    elif takes("quality", settings["solver"]) and settings["quality"] not in RESTFUL:
        advice += "; if it only creeps, it has too few iterations: use --quality fit"
    return f"the cloth did not come to rest {where}, and was stopped: {advice}"


def stretch_text(inspection):
    """Edges shorter than at rest are not stretched."""
    ratios = (inspection.largest_stretch, inspection.stretch_p99)
    largest, most = (max(0.0, 100.0 * (ratio - 1.0)) for ratio in ratios)
    if round(largest) == 0:
        return "no edge is stretched"
    reported = f"edges are stretched by {largest:.0f} % at most"
    if round(most) in (0, round(largest)):
        return reported
    return f"{reported}, and 99 in 100 by no more than {most:.0f} %"

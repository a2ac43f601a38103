# SPDX-License-Identifier: GPL-3.0-or-later
"""Every way that Muslin can solve, and Blender's own two, with the sizes at which each is measured.

A way that is not measured at a size, or cannot be, has a reason in words: nothing is left out in silence.
"""

from dataclasses import dataclass, field

from research.method_cases.chart.stages import LARGE, MIDDLE, QUICK, SMALL

QUALITIES = ("draft", "fit", "final")
ROUNDS = tuple(range(1, 9))
FEW_ROUNDS = {MIDDLE: (1, 2, 4, 8), LARGE: (1, 4), QUICK: (1, 4)}
SWEEPS, FEW_SWEEPS = (2, 8, 32), 8
# Newton's method, each step solved to a tenth. On the t-shirt it comes as near to forty steps solved to a hundredth as
# twenty do, in half their time.
NEWTON = {"iterations": 10, "pcg_tolerance": 0.1, "pcg_limit": 1500}
CONVERGED = {"solver": "implicit", **NEWTON}
# Where nothing is met: 0.0004 of the size from Newton's method on the swing of 4,225 vertices, in a tenth of the time.
MANY_ROUNDS = {"scheme": "two_level", "iterations": 400}
SHORT = 12  # frames of what takes seconds a frame, the converged run among them
QUICK_SHORT = 4
CONVERGED_POINT = "converged"
AGAIN = "converged, started a micrometre beside"
MINUTES = "takes minutes at this size"
# With self-contact; the conventional one takes longer than its converged run, which is there.
SLOW_LAYERED = {"conventional": (MIDDLE,), "modifier": (LARGE,)}
CHOICE = "left out at this size to keep the run short"


@dataclass(frozen=True)
class Way:
    """One point of the chart.

    family  the line that it is on
    point   how it is named along that line
    model   whose converged run it is compared with
    short   sizes at which it takes seconds a frame, and gets few of them
    rests   False: only while the cloth is moved, since what follows would take as long again
    absent  at a size, why it is not measured there
    rival   a method of blender_cases/own, and settings are its effort
    """

    family: str
    point: str
    settings: dict
    model: str = "triangle"
    short: tuple = ()
    rests: bool = True
    absent: dict = field(default_factory=dict)
    rival: str = None

    def reason(self, stage):
        """Why it cannot be measured on a stage, or None."""
        if self.model == "threads" and not stage.kind.woven:
            return "only ropes and grids of quads have threads"
        if stage.kind.layered and stage.size in SLOW_LAYERED.get(self.family, ()):
            return MINUTES
        return self.absent.get(stage.size)

    def frames(self, stage):
        """How many it gets."""
        if stage.size in self.short:
            return QUICK_SHORT if stage.size == QUICK else min(SHORT, stage.moving)
        return stage.frames if self.rests else stage.moving


def _rounds(scheme, name):
    for count in ROUNDS:
        absent = {size: CHOICE for size, few in FEW_ROUNDS.items() if count not in few}
        yield Way(name, str(count), {"scheme": scheme, "iterations": count}, absent=absent)


def _left_out(*sizes):
    return {size: CHOICE for size in sizes}


def _ours():
    yield from _rounds("plain", "plain")
    yield from _rounds("two_level", "two-level")
    for quality in QUALITIES:
        first = quality == "draft"
        rare = {} if first else _left_out(QUICK)
        few = () if first else (LARGE,)
        yield Way("quality", quality, {"quality": quality}, short=few, absent=rare)
        never = _left_out(MIDDLE, LARGE) if quality == "final" else _left_out(LARGE)
        edge = {"quality": quality, "model": "edge"}
        yield Way("edges", quality, edge, "edge", absent=rare | never)
        late = {} if first else _left_out(LARGE)
        mirrored = {"quality": quality, "mirror": "exact"}
        yield Way("mirrored", quality, mirrored, absent=rare | late)
    for count in SWEEPS:
        absent = {} if count == FEW_SWEEPS else _left_out(LARGE, QUICK)
        yield Way("sweeps", str(count), {"solver": "sweep", "sweeps": count}, absent=absent)
    dear = {"short": (MIDDLE, QUICK), "rests": False, "absent": {LARGE: MINUTES}}
    threads = {"solver": "threads", "iterations": 1}
    yield Way("threads", "1", threads, "threads", **dear)
    implicit = {"solver": "implicit", "iterations": 1}
    yield Way("conventional", "1", implicit, **dear)


def _rivals():
    """As Blender has them, and with four times the effort where that does not take minutes."""
    often = _left_out(MIDDLE, LARGE, QUICK)
    for rival in ("modifier", "nodes"):
        yield Way(rival, "5", 5, short=(LARGE,), rival=rival)
        yield Way(rival, "20", 20, rests=False, absent=often, rival=rival)


WAYS = (*_ours(), *_rivals())
FAMILIES = tuple(dict.fromkeys(way.family for way in WAYS))


@dataclass(frozen=True)
class Reference:
    """A converged run: the way that it is, and how many frames it gets."""

    way: Way
    frames: int


def references(stage):
    """The converged runs of a stage, triangles first. At the large size Newton's method takes minutes: final stands in."""
    frames = stage.moving if stage.size == SMALL else min(SHORT, stage.moving)
    models = ["triangle", "edge"] if stage.size in (SMALL, MIDDLE) else ["triangle"]
    found = [_converged(stage, model) for model in models]
    if stage.kind.woven and stage.size == SMALL:
        found.append(Way("threads", CONVERGED_POINT, {"solver": "threads", **NEWTON}, "threads"))
    return [Reference(way, frames) for way in found]


def _converged(stage, model):
    if not stage.scene.bodies:
        return Way("two-level", CONVERGED_POINT, {**MANY_ROUNDS, "model": model}, model)
    if stage.size == LARGE:
        return Way("quality", "final", {"quality": "final", "model": model}, model)
    return Way("conventional", CONVERGED_POINT, {**CONVERGED, "model": model}, model)

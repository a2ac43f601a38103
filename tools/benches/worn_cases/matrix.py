# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows beside the figures: every garment at three sizes, where an hour is enough to measure them; or all."""

from dataclasses import replace
from itertools import product

from blender_cases.own import METHODS
from common.report import heading
from worn_cases import garments
from worn_cases.runs import Case

SIZES = (None, 8000, 30000)
QUALITIES = ("draft", "fit", "final")
STILL = 24  # frames at the end of some rows
LARGE_FRAMES = 10  # of the largest size
CONVERGED = ("tshirt", "longsleeve")  # small enough for the converged run
SYMMETRIC = "_sym"


def measure(book, everything):
    heading("Every garment" if everything else "Every garment, a choice")
    for name in garments.names():
        for case in all_cases(name) if everything else chosen_cases(name):
            book.run(case)
        _race(book, Case(name, motion=garments.motions(name)[0]))


def _race(book, case):
    """Blender's own two as the garment is; they do not know how we carry pins along with the body."""
    scene = case.scene()
    if scene is not None and not len(scene.pins):
        for method in METHODS:
            book.rivals.run(case, method)


def all_cases(name):
    for count, motion, quality, layered in product(
        SIZES, garments.motions(name), QUALITIES, (False, True)
    ):
        frames = LARGE_FRAMES if count == SIZES[-1] else 20
        yield Case(name, quality, layered, count, motion, frames=frames)


def chosen_cases(name):
    """The symmetric ones by half; of the others what tells most for its time."""
    first, *others = garments.motions(name)
    as_it_is = Case(name, motion=first, still=STILL, converged=name in CONVERGED)
    if name.endswith(SYMMETRIC) and name[: -len(SYMMETRIC)] in garments.REAL:
        yield replace(as_it_is, mirror="exact")
        return
    for quality in QUALITIES:
        yield replace(as_it_is, quality=quality)
    yield Case(name, self_contact=False, motion=first)
    for motion in others:
        yield Case(name, motion=motion)
    yield Case(name, count=SIZES[1], motion=first)
    yield Case(name, self_contact=False, count=SIZES[1], motion=first)
    yield Case(name, "fit", count=SIZES[1], motion=first)
    yield Case(name, count=SIZES[2], motion=first, frames=LARGE_FRAMES)

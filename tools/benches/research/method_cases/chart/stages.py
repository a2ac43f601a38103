# SPDX-License-Identifier: GPL-3.0-or-later
"""What is simulated: four scenes that move and then are left alone, each at three sizes.

All are their own mirror image, bodies and motions included, so that one half can be solved for both.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from test_scenes.contact import falls
from test_scenes.contact.scene import ContactScene
from test_scenes.sheets import grid
from worn_cases import garments

SMALL, MIDDLE, LARGE, QUICK = "small", "middle", "large", "quick"
SIDES = {
    SMALL: 33,
    MIDDLE: 65,
    LARGE: 129,
}  # vertices; odd, so that a column lies in the mirror plane
QUICK_SIDE = 21
WORN = (20, 16)  # frames in which the arms rise, and in which the body stands still
QUICK_FRAMES = (8, 4)


@dataclass(frozen=True)
class Kind:
    """One of the four scenes.

    make     a size to its scene; None where a file is absent
    moving   frames that are timed and compared with the converged run
    resting  frames after them in which nothing pushes the cloth any more
    layered  self-contact is on
    woven    a grid of quads, which the thread solver takes
    rests    whether it lies still at the end; the swing never does
    """

    name: str
    title: str
    make: object
    moving: int
    resting: int
    layered: bool = False
    woven: bool = False
    rests: bool = True


@dataclass
class Stage:
    """A scene at one size, and the converged runs of it: (track, from how many frames) by model."""

    kind: Kind
    size: str
    scene: ContactScene
    moving: int
    resting: int
    references: dict = field(default_factory=dict)

    @property
    def vertices(self):
        return len(self.scene.cloth.positions)

    @property
    def frames(self):
        return self.moving + self.resting


def swing(size):
    """A level sheet of 1 m that falls and swings from two of its corners."""
    side = SIDES.get(size, QUICK_SIDE)
    pins = np.array([side * (side - 1), side * side - 1])
    return ContactScene(
        "swing", "a sheet held by two corners", grid(side, side, 1.0, "quads"), pins=pins
    )


def sphere(size):
    """A sheet that falls on a ball and stays on it."""
    side = SIDES.get(size, QUICK_SIDE)
    scene = falls.sphere_centred(side)
    sheet = grid(side, side, 1.0, "quads")
    sheet.positions[:, 2] = scene.cloth.positions[0, 2]
    ball = next(body for body in scene.bodies if body.closed)
    return replace(scene, cloth=sheet, bodies=[ball])


def _worn(garment):
    """A garment as it is, cut finer once, and twice."""
    counts = {MIDDLE: 4, LARGE: 16}

    def make(size):
        as_it_is = garments.scene(garment, "arms")
        if as_it_is is None:
            return None
        count = counts.get(size, 1) * len(as_it_is.cloth.positions)
        last = QUICK_FRAMES[0] if size == QUICK else WORN[0]
        return garments.scene(garment, "arms", count, last)

    return make


KINDS = {
    "swing": Kind("swing", "A sheet that swings", swing, 36, 0, woven=True, rests=False),
    "sphere": Kind("sphere", "A sheet that falls on a sphere", sphere, 24, 24, woven=True),
    "tshirt": Kind("tshirt", "A worn t-shirt", _worn("tshirt_sym"), *WORN),
    "jacket": Kind(
        "jacket", "A worn jacket with self-contact", _worn("jacket_open_sym"), *WORN, layered=True
    ),
}


def stages(kind, quick):
    """Every size that is measured, made when it is its turn; None in place of one whose files are absent."""
    for size in (QUICK,) if quick else SIDES:
        scene = kind.make(size)
        frames = QUICK_FRAMES if quick else (kind.moving, kind.resting)
        yield None if scene is None else Stage(kind, size, scene, *frames)

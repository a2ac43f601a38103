# SPDX-License-Identifier: GPL-3.0-or-later
"""What a scene of contact is: cloth, what holds it, and the bodies it meets, still or moving."""

from dataclasses import dataclass, field
from typing import Callable, Optional

import numpy as np

from test_scenes.mesh import Mesh, fan

FRAMES_PER_SECOND = 24
# Every scene starts with its layers and bodies at least this far apart, in metres, unless its own
# settings say a smaller thickness: the distance that contact keeps.
THICKNESS = 0.004
OUR_OWN = "made by this code, GPL-3.0-or-later"


@dataclass
class Body:
    """A mesh that cloth meets; the same faces at every frame.

    faces   int (f, 3) or (f, 4); the normals of a closed body point outward
    place   positions, float (n, 3), at any frame number, whole or not; from 0, where cloth starts
    closed  False for an open sheet, which cloth may meet from both sides
    moves   False when every frame is the same
    """

    name: str
    faces: np.ndarray
    place: Callable[[float], np.ndarray]
    closed: bool = True
    moves: bool = False

    def positions(self, frame=0.0):
        """Positions at a frame, float32 (n, 3), the caller's own."""
        return np.array(self.place(float(frame)), np.float32).reshape(-1, 3)

    def triangles(self):
        return fan(self.faces)


@dataclass
class ContactScene:
    """Cloth and bodies at frame 0, and how the bodies and the pins go on from there.

    cloth        one mesh, of one or more pieces; the smallest gap to anything is above the thickness
    pins         vertices that are held, none: an empty array
    place_pins   their positions (p, 3) at a frame; None when they stay where the cloth starts
    settings     what the scene needs other than the defaults: friction (a coefficient), thickness
                 (metres), self_contact (True where layers of the cloth meet)
    frames       how long it is worth watching, at FRAMES_PER_SECOND
    description  one line: what is seen, where the meshes come from, their licence
    """

    name: str
    description: str
    cloth: Mesh
    bodies: list = field(default_factory=list)
    pins: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    place_pins: Optional[Callable[[float], np.ndarray]] = None
    settings: dict = field(default_factory=dict)
    frames: int = 60

    def __post_init__(self):
        self.pins = np.ascontiguousarray(self.pins, np.int32)

    def pin_positions(self, frame=0.0):
        """Where the pinned vertices are held at a frame, float32 (p, 3)."""
        if self.place_pins is None:
            return self.cloth.positions[self.pins].copy()
        return np.array(self.place_pins(float(frame)), np.float32).reshape(-1, 3)

    def thickness(self):
        return self.settings.get("thickness", THICKNESS)


def still(mesh, closed=True, name=None):
    """A body that stays where its mesh is."""
    positions = mesh.positions.copy()
    return Body(name or mesh.name, mesh.faces, lambda frame: positions, closed)


def carried(mesh, offset, closed=True, name=None):
    """A body carried without turning: offset(frame) is added to its mesh."""
    positions = mesh.positions.astype(float)
    return Body(
        name or mesh.name, mesh.faces, lambda frame: positions + offset(frame), closed, moves=True
    )


def rise(value, low=0.0, high=1.0):
    """From 0 at `low` to 1 at `high`, with level ends and no jump in the second derivative."""
    t = np.clip((np.asarray(value, float) - low) / (high - low), 0, 1)
    return t * t * t * (10 - 15 * t + 6 * t * t)

# SPDX-License-Identifier: GPL-3.0-or-later
"""What cannot meet does not know of each other: a far sheet changes no byte here, whatever it does, nor does it if it is not
there. What comes near meets."""

import unittest

import numpy as np
from muslin import Cloth, Mesh
from test_physics_slides import FRAME, SETTINGS, THICKNESS, pile, sheet

FRICTION, FRAMES, FAR = 0.2, 4, 3.0  # -, -, m
QUALITIES = ("draft", "fit", "final")
# Of the two far sheets: how high the lower one is above its floor, the upper one above it, m, and how fast, m/s.
PLAYS = {
    "rests": (0.0, THICKNESS, 0.0),
    "falls": (1.0, 0.05, 0.0),
    "lands": (0.01, 0.03, 0.0),
    "crashes": (0.1, 0.05, -10.0),
    "swings": (0.5, 0.05, 0.0),
}


def far_sheets(does):
    lower, apart, speed = PLAYS[does]
    places, triangles = sheet(0.2, 0.2, (0, FAR, THICKNESS + lower))
    above = places + (0.011, 0.007, apart)
    velocities = np.zeros((2 * len(places), 3), np.float32)
    velocities[len(places) :, 2] = speed
    both = np.concatenate([triangles, triangles + len(places)])
    return np.concatenate([places, above]), both, velocities


def add_far_floor(cloth):
    corners = np.float32([[x, FAR + y, z] for z in (-0.2, 0) for y in (-0.5, 1) for x in (-1, 1)])
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    cloth.add_body((corners, np.int32(triangles)), THICKNESS, 1.0)


def play(does, quality, free=False, first=False, threads=1, **settings):
    """States of a pile, frame by frame; far sheets do this or that, or are not there: None. free: nothing holds the pile, and
    it turns. first: the far sheets come before it in the mesh."""
    near, triangles, layers = pile(2)
    far, others, far_velocities = far_sheets(does or "rests")
    velocities = np.zeros((len(near), 3), np.float32)
    if free:
        velocities = np.float32(np.cross((0.5, 2.0, 1.0), near - near.mean(0)))
    parts = [(near, triangles, velocities), (far, others, far_velocities)]
    parts = parts[: 2 if does else 1][:: -1 if first else 1]
    positions = np.float32(np.concatenate([part[0] for part in parts]))
    faces = np.concatenate([part[1] + k * len(parts[0][0]) for k, part in enumerate(parts)])
    own = slice(len(far), None) if first else slice(0, len(near))
    mesh = Mesh(positions, np.full(len(faces), 3, np.int32), np.int32(faces).ravel())
    states = []
    with Cloth(mesh, quality=quality, **{**SETTINGS, "threads": threads, **settings}) as cloth:
        cloth.set_self_contact(True, THICKNESS, FRICTION)
        add_far_floor(cloth)
        pins = [] if free else list(np.flatnonzero(layers == 0) + own.start)
        edge = (0 if first else len(near)) + np.arange(11)
        far_pins = edge if does == "swings" else edge[: 1 if does else 0]
        cloth.set_pins(np.int32([*pins, *far_pins]))
        cloth.set_state(positions, np.concatenate([part[2] for part in parts]))
        for _ in range(FRAMES):
            cloth.step(FRAME)
            states.append(np.concatenate([values[own] for values in cloth.state()]).tobytes())
    return states


class GroupsTest(unittest.TestCase):
    def assert_far_is_far(self, quality, plays=tuple(PLAYS), **how):
        rests = play("rests", quality, **how)
        if not how.get("first"):
            with self.subTest("not there", quality=quality, **how):
                self.assertEqual(play(None, quality, **how), rests)
        for does in plays:
            with self.subTest(quality=quality, does=does, **how):
                self.assertEqual(play(does, quality, **how), rests)

    def test_a_far_sheet_changes_no_byte(self):
        for quality in QUALITIES:
            self.assert_far_is_far(quality)

    def test_nor_if_it_comes_first(self):
        self.assert_far_is_far("fit", first=True)

    def test_nor_of_what_turns_freely(self):
        for quality in QUALITIES:
            self.assert_far_is_far(quality, ("falls", "crashes"), free=True)

    def test_nor_with_stiffness_damping(self):
        for free in (False, True):
            self.assert_far_is_far("fit", ("falls", "crashes"), free=free, stiffness_damping=1e-3)

    def test_any_number_of_threads(self):
        self.assertEqual(play("lands", "fit", threads=3), play("lands", "fit"))

    def test_what_comes_near_meets(self):
        """A sheet falls for 0.45 s onto one that is held; until then they do not know of each other."""
        lower, triangles = sheet(0.3, 0.3, (0, 0, 0))
        upper = lower + (0.013, 0.011, 1.0)
        faces = np.int32(np.concatenate([triangles, triangles + len(lower)]))
        places = np.float32(np.concatenate([lower, upper]))
        mesh = Mesh(places, np.full(len(faces), 3, np.int32), faces.ravel())
        for quality in QUALITIES:
            settings = {**SETTINGS, "gravity": (0, 0, -9.81)}
            with Cloth(mesh, quality=quality, **settings) as cloth:
                cloth.set_self_contact(True, THICKNESS, 0.5)
                cloth.set_pins(np.arange(len(lower), dtype=np.int32))
                for _ in range(16):
                    cloth.step(FRAME)
                height = cloth.positions()[len(lower) :, 2]
                over = cloth.positions()[len(lower) :, :2]
            inside = np.all((over > 0) & (over < 0.3), axis=1)
            self.assertGreater(height[inside].min(), 0.5 * THICKNESS, quality)
            self.assertLess(height[inside].mean(), 0.1, quality)


if __name__ == "__main__":
    unittest.main()

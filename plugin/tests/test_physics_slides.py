# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers slide on layers as Coulomb says: on one that lies on a rough slope of 27 degrees, and on one that is held.

Layers that strike each other lose energy.
"""

import unittest

import numpy as np
from muslin import Cloth, Mesh

THICKNESS, SPACING, FRAME = 2e-3, 0.02, 1 / 24  # m, m, s
ANGLE = np.radians(27)
PAIRS = [(0, 2, True), (0, 2, False), (0.2, 2, False)]  # friction, sheets, is the lowest pinned?
SETTINGS = {
    "density": 0.2,
    "stretch_warp": 2000,
    "stretch_weft": 2000,
    "shear": 500,
    "bend": 1e-5,
    "damping": 0,
    "stiffness_damping": 0,
    "air_drag": 0,
    "normal_drag": 0,
    "tangent_drag": 0,
    "threads": 1,
    "substeps": 2,
    "gravity": (9.81 * np.sin(ANGLE), 0, -9.81 * np.cos(ANGLE)),
}


def sheet(length, width, corner):
    """(positions, triangles) of a level lattice."""
    nx, ny = round(length / SPACING) + 1, round(width / SPACING) + 1
    y, x = np.meshgrid(np.arange(ny) * SPACING, np.arange(nx) * SPACING, indexing="ij")
    level = np.column_stack([x.ravel(), y.ravel(), np.zeros(nx * ny)]) + corner
    first = (np.arange(ny - 1)[:, None] * nx + np.arange(nx - 1)).ravel()
    lower = np.column_stack([first, first + 1, first + nx + 1])
    upper = np.column_stack([first, first + nx + 1, first + nx])
    return level, np.concatenate([lower, upper])


def pile(count):
    """A long sheet and `count` - 1 short ones on it: (positions, triangles, layers)."""
    sheets = [sheet(0.6, 0.16, (0, 0, THICKNESS))]
    for k in range(1, count):
        corner = (0.03 + 0.0073 * k, 0.02 + 0.0047 * k, (k + 1) * THICKNESS)
        sheets.append(sheet(0.16, 0.1, corner))
    sizes = [len(positions) for positions, _ in sheets]
    starts = np.cumsum([0] + sizes)
    triangles = [one[1] + start for one, start in zip(sheets, starts)]
    layers = np.repeat(np.arange(count), sizes)
    return np.concatenate([one[0] for one in sheets]), np.concatenate(triangles), layers


def add_floor(cloth):
    corners = np.float32([[x, y, z] for z in (-0.2, 0) for y in (-2, 2) for x in (-2, 2)])
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    cloth.add_body((corners, np.int32(triangles)), THICKNESS, 0.6)


def slide(friction, count, held, quality, frames=8, fitted=4):
    """(acceleration of the top over Coulomb's, the most that a vertex rises above its layer, m)."""
    positions, triangles, layers = pile(count)
    sizes = np.full(len(triangles), 3, np.int32)
    mesh = Mesh(np.float32(positions), sizes, np.int32(triangles).ravel())
    speeds, lift = [], 0.0
    with Cloth(mesh, quality=quality, **SETTINGS) as cloth:
        cloth.set_self_contact(True, THICKNESS, friction)
        if held:
            cloth.set_pins(np.flatnonzero(layers == 0))
        else:
            add_floor(cloth)
        for _ in range(frames):
            cloth.step(FRAME)
            places, speed = (values.astype(float) for values in cloth.state())
            speeds.append(speed[layers == count - 1, 0].mean())
            lift = max(lift, (places[:, 2] - (layers + 1) * THICKNESS).max())
    gained = np.polyfit(FRAME * np.arange(fitted), speeds[-fitted:], 1)[0]
    return gained / (9.81 * (np.sin(ANGLE) - friction * np.cos(ANGLE))), lift


def strike(speed, seed, quality, frames=4):
    """Most energy gained in a frame by three free sheets, two of which are thrown at the lowest; over that of the throw."""
    chance = np.random.default_rng(seed)
    parts = [
        sheet(0.3, 0.3, (0, 0, 0.01)),
        sheet(0.2, 0.2, (0.04, 0.06, 0.11)),
        sheet(0.2, 0.2, (0.07, 0.03, 0.21)),
    ]
    starts = np.cumsum([0] + [len(positions) for positions, _ in parts])
    places = np.concatenate([positions for positions, _ in parts])
    places[:, :2] += chance.uniform(-0.2, 0.2, (len(places), 2)) * SPACING
    triangles = np.concatenate([one[1] + start for one, start in zip(parts, starts)])
    speeds = np.zeros_like(places)
    speeds[starts[1] :, 2] = -speed
    settings = {**SETTINGS, "gravity": (0, 0, 0), "quality": quality}
    with Cloth(Mesh.from_faces(places, triangles), **settings) as cloth:
        cloth.set_self_contact(True, 3e-3, 0.2)
        cloth.set_state(places, speeds)
        energy = [cloth.stats().kinetic_energy]
        for _ in range(frames):
            cloth.step(FRAME)
            stats = cloth.stats()
            energy.append(stats.kinetic_energy + stats.elastic_energy)
    return max(np.diff(energy)) / energy[0]


class StrikeTest(unittest.TestCase):
    def test_no_energy_is_gained(self):
        for quality in ("draft", "fit", "final"):
            for seed in range(4):
                with self.subTest(quality=quality, seed=seed):
                    self.assertLess(strike(3.0, seed, quality), 0.005)


class SlideTest(unittest.TestCase):
    def check(self, quality, most_off, most_lift, cases=PAIRS):
        for friction, count, held in cases:
            with self.subTest(friction=friction, count=count, held=held):
                ratio, lift = slide(friction, count, held, quality)
                way = "held" if held else "free"
                print(f"\n{quality} {count} {way} {friction}: {ratio:.3f}", end="")
                print(f", lift {1000 * lift:.3f} mm", end="")
                self.assertAlmostEqual(ratio, 1, delta=most_off)
                self.assertLess(lift, most_lift)

    def test_draft(self):
        self.check("draft", 0.1, 1e-3)
        self.check("draft", 0.1, 2.5e-3, [(0.2, 5, False)])

    def test_fit(self):
        self.check("fit", 0.02, 1e-4)


if __name__ == "__main__":
    unittest.main()

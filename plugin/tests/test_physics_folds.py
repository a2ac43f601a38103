# SPDX-License-Identifier: GPL-3.0-or-later
"""Limp cloth folds in time where nothing touches it: the rim of a disc held in its middle, against the conventional solver."""

import unittest

import numpy as np
from muslin import Cloth, Mesh

RADIUS, HELD, SPACING = 0.15, 0.09, 0.015  # m
SECONDS = 0.25
FABRIC = {
    "density": 0.15,
    "stretch_warp": 4000,
    "stretch_weft": 3000,
    "shear": 30,
    "bend": 1e-5,
    "damping": 0,
    "stiffness_damping": 0,
    "air_drag": 0,
    "normal_drag": 0,
    "tangent_drag": 0,
    "threads": 1,
    "substeps": 2,
}


def disc():
    """Rings of vertices around one in the middle, joined by triangles: (positions, triangles, radii)."""
    rings = round(RADIUS / SPACING)
    points, start = [(0.0, 0.0)], [0]
    for ring in range(1, rings + 1):
        start.append(len(points))
        angle = 2 * np.pi * np.arange(6 * ring) / (6 * ring)
        points += list(zip(ring * SPACING * np.cos(angle), ring * SPACING * np.sin(angle)))
    triangles = []
    for ring in range(1, rings + 1):
        inner = max(6 * (ring - 1), 1)
        for k in range(6 * ring):
            a, b = start[ring] + k, start[ring] + (k + 1) % (6 * ring)
            at = (k * (ring - 1)) // ring
            triangles.append((a, b, start[ring - 1] + (at + (k % ring > 0)) % inner))
            if k % ring > 0:
                triangles.append(
                    (a, start[ring - 1] + (at + 1) % inner, start[ring - 1] + at % inner)
                )
    flat = np.array(points)
    return np.column_stack([flat, np.zeros(len(flat))]), triangles, np.hypot(*flat.T)


def drop(**settings):
    """How far the rim has dropped, on average, m."""
    positions, triangles, radii = disc()
    mesh = Mesh(
        positions.astype(np.float32),
        np.full(len(triangles), 3, np.int32),
        np.array(triangles, np.int32).ravel(),
    )
    angle = np.arctan2(positions[:, 1], positions[:, 0])
    begun = positions.copy()
    begun[:, 2] = (
        5e-4 * (np.cos(3 * angle) + np.sin(5 * angle)) * np.maximum(radii - HELD, 0) / 0.06
    )
    with Cloth(mesh, **{**FABRIC, **settings}) as cloth:
        cloth.set_pins(np.flatnonzero(radii < HELD + 1e-6).astype(np.int32))
        cloth.set_state(begun.astype(np.float32))
        for _ in range(round(24 * SECONDS)):
            cloth.step(1 / 24)
        return -float(cloth.positions()[radii > RADIUS - 1e-6, 2].mean(dtype=float))


class Folds(unittest.TestCase):
    def test_a_disc_folds_in_time_at_every_quality(self):
        converged = drop(solver="implicit", iterations=40)
        self.assertGreater(converged, 0.03)
        for quality, least in (("draft", 0.6), ("fit", 0.85), ("final", 0.85)):
            with self.subTest(quality=quality):
                self.assertGreater(drop(quality=quality), least * converged)


if __name__ == "__main__":
    unittest.main()

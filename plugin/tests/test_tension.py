"""What pulls in a cloth's threads: against slopes of the energy, a weight that hangs, and a tight sleeve.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest
from types import SimpleNamespace

import numpy as np

from body_meshes import STEP
from muslin import Cloth, Mesh
from muslin.settings import default_settings
from muslin.tension import cloth_tensions, tensions
from test_scenes import hoop, sheets

GRAVITY = 9.81
STIFFNESS = {"stretch_warp": 900.0, "stretch_weft": 500.0, "shear": 120.0}


def axes(a, b, angle):
    """Warp and weft of such lengths, whose angle is less by `angle` than the right one."""
    return np.array([[a, 0.0], [b * np.sin(angle), b * np.cos(angle)]])


def triangle_energy(s):
    k = STIFFNESS
    longs = (s[0], s[1], (s[0] + s[1]) / np.sqrt(2), (s[0] - s[1]) / np.sqrt(2))
    of = (k["stretch_warp"] - k["shear"], k["stretch_weft"] - k["shear"], *2 * [2 * k["shear"]])
    return sum(0.5 * k * (np.linalg.norm(axis) - 1) ** 2 for k, axis in zip(of, longs))


def membrane_energy(s):
    nu, k = 0.3, STIFFNESS
    e = 0.5 * (s @ s.T - np.eye(2))
    plane = 1 - nu * nu
    both = nu * np.sqrt(k["stretch_warp"] * k["stretch_weft"]) / plane
    square = k["stretch_warp"] * e[0, 0] ** 2 + k["stretch_weft"] * e[1, 1] ** 2
    return square / (2 * plane) + both * e[0, 0] * e[1, 1] + 2 * k["shear"] * e[0, 1] ** 2


class TensionTest(unittest.TestCase):
    def pulls(self, energy, s):
        """By central differences: the slope of the energy with the length of each axis, over the width across it."""
        found, step = [], 1e-6
        area = abs(np.linalg.det(s))
        for row in (0, 1):
            length = np.linalg.norm(s[row])
            change = np.zeros((2, 2))
            change[row] = step * s[row] / length
            slope = (energy(s + change) - energy(s - change)) / (2 * step)
            found.append(slope / (area / length))
        return found

    def test_slopes_of_the_energy(self):
        laws = (
            (triangle_energy, {"model": "triangle"}),
            (membrane_energy, {"model": "membrane", "poisson": 0.3}),
        )
        for energy, chosen in laws:
            for a, b, angle in ((1.1, 1.0, 0.0), (1.2, 0.9, 0.3), (0.97, 1.3, 0.6)):
                fit = SimpleNamespace(
                    warp=np.array([a - 1]), weft=np.array([b - 1]), shear=np.array([angle])
                )
                told = tensions(fit, {**default_settings(), **STIFFNESS, **chosen})
                wanted = self.pulls(energy, axes(a, b, angle))
                np.testing.assert_allclose(np.ravel(told), wanted, rtol=1e-5, atol=1e-4)

    def test_a_strip_bears_what_hangs_on_it(self):
        density, length = 2.0, 0.5  # kg/m2: heavy, so that it is stretched
        scene = sheets.grid(5, 41, (0.05, length))
        flat = scene.positions - scene.positions.min(0)
        upright = np.stack([flat[:, 0], 0 * flat[:, 0], flat[:, 1]], -1)
        mesh = Mesh.from_faces(upright, scene.faces, uvs=flat[:, [1, 0]][scene.faces.ravel()])
        for model in ("triangle", "membrane"):
            settings = {**STIFFNESS, "density": density, "model": model, "damping": 5.0}
            with Cloth(mesh, quality="final", **settings) as cloth:
                cloth.set_pins(np.flatnonzero(upright[:, 2] > length - 1e-6))
                for _ in range(150):
                    cloth.step(STEP)
                fit, worn = cloth.fit(), cloth.positions()
                told = tensions(fit, cloth.settings)[0]
            below = density * GRAVITY * upright[:, 2]  # N for each metre of the pattern's width
            middle = (np.abs(flat[:, 0] - 0.025) < 1e-6) & (abs(flat[:, 1] - 0.25) < 0.15)
            row = [worn[abs(upright[:, 2] - z) < 1e-6, 0] for z in upright[middle, 2]]
            width = np.array([np.ptp(places) for places in row]) / 0.05
            np.testing.assert_allclose(told[middle] * width, below[middle], rtol=0.03)

    def test_a_tight_sleeve(self):
        sleeve = hoop.Sleeve(warp=700.0, weft=1300.0, shear=150.0)
        _, fit = hoop.wear(sleeve)
        settings = {
            **default_settings(),
            "stretch_warp": 700.0,
            "stretch_weft": 1300.0,
            "shear": 150.0,
        }
        told = tensions(fit, settings)[1]
        np.testing.assert_allclose(told, sleeve.told_tension(fit), rtol=1e-4)
        twice = tensions(fit, settings, np.full(len(fit.warp), 2.0, np.float32))[1]
        np.testing.assert_allclose(twice, 2 * told, rtol=1e-6)

    def test_parts_have_their_own_fabrics(self):
        scene = sheets.grid(5, 5, (0.2, 0.2))
        both = np.concatenate([scene.positions, scene.positions + (1, 0, 0)])
        faces = np.concatenate([scene.faces, scene.faces + 25])
        mesh = Mesh.from_faces(both, faces, uvs=both[:, :2][faces.ravel()])
        fabrics = [
            {**STIFFNESS, "shear": 0.0},
            {**STIFFNESS, "stretch_warp": 90.0, "model": "membrane"},
        ]
        with Cloth(mesh, parts=np.repeat([0, 1], 25), materials=fabrics, shear=0.0) as cloth:
            cloth.set_state(mesh.positions * np.float32([1.1, 1, 1]))
            warp = cloth_tensions(cloth, cloth.fit())[0]
        np.testing.assert_allclose(warp[:25], 900 * 0.1, rtol=1e-3)
        np.testing.assert_allclose(warp[25:], 90 * 0.5 * (1.1**2 - 1) * 1.1, rtol=1e-3)

    def test_other_laws_are_not_guessed(self):
        fit = SimpleNamespace(warp=np.zeros(1), weft=np.zeros(1), shear=np.zeros(1))
        samples = (100.0,) * 24
        for other in (
            {"model": "edge"},
            {"solver": "threads"},
            {"tension_only": True},
            {"solver": "implicit", "shear_energy": "product"},
            {"model": "membrane", "stretch_samples": samples},
            {"model": "membrane", "strain_limit": 0.1},
            {"model": "membrane", "strain_measure": "hencky"},
        ):
            self.assertIsNone(tensions(fit, {**default_settings(), **other}), other)


if __name__ == "__main__":
    unittest.main()

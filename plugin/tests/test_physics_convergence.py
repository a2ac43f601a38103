"""What the steps converge to: the non-linear backward Euler step and the static solution, both found
by an independent Newton solver in NumPy, and closed forms for a single spring.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from muslin import Cloth, Mesh
from reference_newton import Reference, single
from test_scenes import sheets

GRAVITY = (0.0, 0.0, -9.81)
MATERIAL = {
    "density": 0.2,
    "stretch_warp": 300,
    "stretch_weft": 200,
    "shear": 50,
    "bend": 1e-4,
    "rope_density": 0.05,
    "rope_stretch": 40,
}
# No wind: its force is taken at the start of a step, which the reference does not do.
PLAIN = {
    "substeps": 1,
    "normal_drag": 0,
    "tangent_drag": 0,
    "bend_rest": "flat",
    "bending": "hinge",
}
MODELS = ("edge", "triangle")


def cloth_of(mesh, **settings):
    return Cloth(mesh, **{**PLAIN, **MATERIAL, "gravity": GRAVITY, **settings})


class OneStep(unittest.TestCase):
    """From a stretched, moving state: the step with many iterations is the converged one."""

    STEP = 1 / 48
    PINS = [0, 5]
    # float32 positions of a sheet of 1 m are known to 6e-8; ten times that.
    EXACT = 6e-7

    def setUp(self):
        rng = np.random.default_rng(5)
        self.sheet = sheets.grid(6, 6, 1.0)
        self.mesh = Mesh.from_faces(self.sheet.positions, self.sheet.faces)
        noise = rng.normal(0, 0.01, self.sheet.positions.shape)
        self.x = (1.03 * self.sheet.positions + noise).astype(np.float32)
        self.v = rng.normal(0, 0.3, self.x.shape).astype(np.float32)

    def reference(self, model, damping=0.0):
        reference = Reference(self.sheet.positions, self.sheet.faces, model=model, **MATERIAL)
        x, v = self.x.astype(float), self.v.astype(float)
        gravity = [single(g) for g in GRAVITY]
        return reference.step(x, v, self.STEP, gravity, self.PINS, single(damping))

    def error(self, wanted, **settings):
        with cloth_of(self.mesh, **settings) as cloth:
            cloth.set_state(self.x, self.v)
            cloth.set_pins(self.PINS)
            cloth.step(self.STEP)
            return np.abs(cloth.positions() - wanted).max()

    def test_linear_converges_geometrically(self):
        for model in MODELS:
            wanted = self.reference(model)
            self.assertGreater(np.abs(wanted - self.x).max(), 0.02)
            for estimate in ("previous", "rotation", "translation"):
                with self.subTest(model=model, estimate=estimate):
                    counts = (1, 64, 128, 256, 512, 2048)
                    errors = [
                        self.error(wanted, model=model, estimate=estimate, iterations=count)
                        for count in counts
                    ]
                    rate = (errors[3] / errors[1]) ** (1 / (counts[3] - counts[1]))
                    print(f"\n{model} {estimate}: rate {rate:.4f}", *[f"{e:.1e}" for e in errors])
                    # The largest out-of-plane mode decides: mu / (1 + mu), 0.985 to 0.990 here.
                    self.assertLess(rate, 0.993)
                    self.assertGreater(rate, 0.9)
                    self.assertTrue(all(np.diff(errors) <= 1e-7), errors)
                    self.assertLess(errors[-1], self.EXACT)

    def test_implicit_converges_fast(self):
        for model in MODELS:
            with self.subTest(model=model):
                wanted = self.reference(model)
                settings = {"model": model, "solver": "implicit", "pcg_tolerance": 1e-7}
                errors = [self.error(wanted, iterations=n, **settings) for n in (1, 2, 4, 30)]
                print(f"\nimplicit {model}:", *[f"{e:.1e}" for e in errors])
                self.assertLess(errors[2], 0.05 * errors[1])
                self.assertLess(errors[3], self.EXACT)

    def test_mass_damping(self):
        wanted = self.reference("triangle", damping=5.0)
        self.assertGreater(np.abs(wanted - self.reference("triangle")).max(), 1e-4)
        settings = {"model": "triangle", "damping": 5.0}
        self.assertLess(self.error(wanted, iterations=2048, **settings), self.EXACT)
        newton = {"solver": "implicit", "iterations": 30, "pcg_tolerance": 1e-7}
        self.assertLess(self.error(wanted, **settings, **newton), self.EXACT)

    def test_one_iteration_is_the_formula(self):
        """With the previous direction: (M + h^2 K) z = M (x + h v + h^2 g) + h^2 g(x), dense."""
        for model in MODELS:
            reference = Reference(self.sheet.positions, self.sheet.faces, model=model, **MATERIAL)
            h, x, v = self.STEP, self.x.astype(float), self.v.astype(float)
            springs, k = reference.springs, reference.stiffness
            matrix = np.diag(reference.mass) + h * h * reference.bending
            matrix += h * h * springs.T @ (k[:, None] * springs)
            axes = springs @ x
            targets = axes * (reference.lengths / np.linalg.norm(axes, axis=1))[:, None]
            # the axis of an edge at a pin is measured with the pin at its target: here, in place
            right = reference.mass[:, None] * (x + h * v + h * h * np.array(GRAVITY))
            right += h * h * springs.T @ (k[:, None] * targets)
            free = np.setdiff1d(np.arange(len(x)), self.PINS)
            wanted = x.copy()
            known = matrix[np.ix_(free, self.PINS)] @ x[self.PINS]
            wanted[free] = np.linalg.solve(matrix[np.ix_(free, free)], right[free] - known)
            error = self.error(wanted, model=model, estimate="previous", iterations=1)
            self.assertLess(error, self.EXACT)


class SingleSpring(unittest.TestCase):
    """A rope of one edge, hung by one end: a mass m under a spring k."""

    LENGTH = 0.5

    def setUp(self):
        below = [[0, 0, 0], [0, 0, -self.LENGTH]]
        self.mesh = Mesh(np.array(below, np.float32), edges=[[0, 1]])
        self.k = single(MATERIAL["rope_stretch"]) / self.LENGTH
        self.m = single(MATERIAL["rope_density"]) * self.LENGTH / 2
        self.sag = self.m * 9.81 / self.k

    def test_static_stretch(self):
        for solver in ("linear", "implicit"):
            with cloth_of(self.mesh, solver=solver, damping=20, pcg_tolerance=1e-7) as cloth:
                cloth.set_pins([0])
                for _ in range(200):
                    cloth.step(1 / 24)
                stretch = -cloth.positions()[1, 2] - self.LENGTH
            self.assertAlmostEqual(stretch, self.sag, delta=1e-7)  # float32 at 0.5 m

    def test_oscillation(self):
        """Backward Euler of x'' = -w^2 x is exactly Re (1 - i w h)^-n; and w = sqrt(k / m)."""
        omega = np.sqrt(self.k / self.m)
        h = 2 * np.pi / omega / 2000
        for solver in ("linear", "implicit"):
            settings = {"solver": solver, "integrator": "euler", "pcg_tolerance": 1e-7}
            with cloth_of(self.mesh, **settings) as cloth:
                cloth.set_pins([0])
                heights = []
                for _ in range(4000):
                    cloth.step(h)
                    heights.append(cloth.positions()[1, 2])
            moved = np.array(heights) + self.LENGTH + self.sag
            steps = np.arange(1, len(moved) + 1)
            wanted = self.sag * np.real((1 - 1j * omega * h) ** -steps.astype(float))
            # The sag is 1.5 mm and positions are rounded to 3e-8: 1e-6 is a thousandth of it.
            np.testing.assert_allclose(moved, wanted, rtol=0, atol=1e-6)
            crossings = np.flatnonzero(np.diff(np.sign(moved)))
            period = 2 * h * np.diff(crossings[[0, -1]])[0] / (len(crossings) - 1)
            self.assertAlmostEqual(period * omega / (2 * np.pi), 1, delta=2e-3)


class Statics(unittest.TestCase):
    """Hanging things come to rest where the conventional model does: within 1 % of their size."""

    STEP = 1 / 24

    def settle(self, mesh, pins, start, frames, **settings):
        with cloth_of(mesh, damping=4, **settings) as cloth:
            cloth.set_state(start)
            cloth.set_pins(pins)
            for _ in range(frames):
                cloth.step(self.STEP)
            return cloth.positions()

    def compare(self, name, wanted, settle, size):
        errors = []
        for iterations in (1, 4, 16, 64):
            got = settle(iterations=iterations)
            errors.append(np.linalg.norm(got - wanted, axis=1).max() / size)
        print(f"\n{name}: largest distance over size", *[f"{e:.1e}" for e in errors])
        self.assertGreater(errors[0], errors[1])
        self.assertGreater(errors[1], errors[2])
        self.assertLess(errors[3], 0.01)
        newton = settle(solver="implicit", iterations=10, pcg_tolerance=1e-5)
        self.assertLess(np.linalg.norm(newton - wanted, axis=1).max() / size, 0.01)

    def test_chain(self):
        count = 16
        x = np.linspace(-0.4, 0.4, count)
        aside = np.column_stack([x, 0.35 * (1 - (x / 0.4) ** 2), 0 * x]).astype(np.float32)
        links = np.column_stack([np.arange(count - 1), np.arange(1, count)])
        mesh, pins = Mesh(aside, edges=links), [0, count - 1]
        reference = Reference(aside, ropes=links, **MATERIAL)
        hung = np.column_stack([aside[:, 0], 0 * x, -aside[:, 1]]).astype(float)
        wanted = reference.rest_under(GRAVITY, pins, hung)
        self.assertLess(wanted[:, 2].min(), -0.3)
        self.compare(
            "chain",
            wanted,
            lambda **settings: self.settle(mesh, pins, aside, 150, **settings),
            1.0,
        )

    def test_sheet(self):
        for model in MODELS:
            with self.subTest(model=model):
                sheet = sheets.grid(8, 8, 0.8)
                flat = sheet.positions.astype(float)
                upright = np.column_stack([flat[:, 0], 0 * flat[:, 0], flat[:, 1] - 0.4])
                mesh = Mesh.from_faces(upright, sheet.faces)
                pins = np.flatnonzero(upright[:, 2] > -1e-6)
                self.assertEqual(len(pins), 8)
                reference = Reference(upright, sheet.faces, model=model, **MATERIAL)
                wanted = reference.rest_under(GRAVITY, pins, upright)
                lifted = np.column_stack([flat[:, 0], 0.8 * upright[:, 2], 0.6 * upright[:, 2]])
                self.compare(
                    f"sheet, {model}",
                    wanted,
                    lambda **settings: self.settle(
                        mesh, pins, lifted.astype(np.float32), 220, model=model, **settings
                    ),
                    0.8,
                )


if __name__ == "__main__":
    unittest.main()

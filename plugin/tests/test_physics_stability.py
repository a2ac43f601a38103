"""Nothing blows up: stiff cloth at long steps, strong wind, jumping pins, changes while it runs.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from muslin import Cloth, Mesh
from test_scenes import sheets
from test_scenes.fabric import REFERENCE

STEP = 1 / 24
SIDE = 12
CORNERS = [0, SIDE - 1]
STIFF = {name: 1e5 * REFERENCE[name] for name in ("stretch_warp", "stretch_weft", "shear", "bend")}
ESTIMATES = [
    ("previous", 1),
    ("rotation", 1),
    ("rotation", 2),
    ("translation", 1),
    ("translation", 2),
]
MODELS = ("edge", "triangle")


def sheet():
    scene = sheets.grid(SIDE, SIDE, 1.0)
    return Mesh.from_faces(scene.positions, scene.faces)


def energy_of(cloth):
    """Kinetic, elastic and gravity's, J. Zero at rest in the first state."""
    stats = cloth.stats()
    return stats.kinetic_energy + stats.elastic_energy + stats.gravity_energy


class StiffTest(unittest.TestCase):
    """1e5 times the reference stiffness, two corners held, 1000 steps from the horizontal.

    Backward Euler only loses energy, and so must these: the sheet starts with none, and all that may
    ever be seen above zero is what an estimate that is off puts in for a moment. 0.2 J is a tenth of
    what the whole sheet has to fall (0.2 kg by 1 m)."""

    LIMIT = 0.2

    def run_stiff(self, steps=1000, **settings):
        mesh = sheet()
        with Cloth(mesh, **{**REFERENCE, **STIFF, "iterations": 1, **settings}) as cloth:
            cloth.set_pins(CORNERS)
            highest = 0.0
            for _ in range(steps):
                cloth.step(STEP)
                highest = max(highest, energy_of(cloth))
            positions = cloth.positions()
        self.assertTrue(np.isfinite(positions).all())
        np.testing.assert_array_equal(positions[CORNERS], mesh.positions[CORNERS])
        self.assertLess(np.abs(positions).max(), 3.0)
        return highest

    def test_linear(self):
        for model in MODELS:
            for estimate, order in ESTIMATES:
                with self.subTest(model=model, estimate=estimate, order=order):
                    highest = self.run_stiff(model=model, estimate=estimate, order=order)
                    print(f"\n{model} {estimate} {order}: highest energy {highest:.1e} J", end="")
                    self.assertLess(highest, self.LIMIT)

    def test_less_stiff(self):
        """The same where the sheet does fall and swing: it may not come out higher than it began."""
        for scale in (1, 100):
            stiffness = {name: scale * 1e-5 * value for name, value in STIFF.items()}
            for model in MODELS:
                for estimate, order in ESTIMATES:
                    with self.subTest(scale=scale, model=model, estimate=estimate, order=order):
                        method = {"model": model, "estimate": estimate, "order": order}
                        highest = self.run_stiff(200, **method, **stiffness)
                        self.assertLess(highest, self.LIMIT)

    def test_tension_only(self):
        for model in MODELS:
            for solver in ("linear", "implicit"):
                with self.subTest(model=model, solver=solver):
                    highest = self.run_stiff(
                        50, model=model, solver=solver, tension_only=True, iterations=2
                    )
                    self.assertLess(highest, self.LIMIT)

    def test_implicit(self):
        for model in MODELS:
            with self.subTest(model=model):
                highest = self.run_stiff(60, model=model, solver="implicit", iterations=3)
                self.assertLess(highest, self.LIMIT)

    def test_rotation_of_second_order_stays_finite(self):
        """It gains energy, see below, but its targets are unit vectors: it cannot fly away."""
        for model in MODELS:
            with self.subTest(model=model):
                self.run_stiff(1000, model=model, estimate="rotation", order=2)


class CalmTest(unittest.TestCase):
    """A sheet disturbed by a millimetre, without forces, must come to rest, not feed on it."""

    def energies(self, **settings):
        still = {"gravity": (0, 0, 0), "normal_drag": 0, "tangent_drag": 0}
        noise = np.random.default_rng(2).normal(0, 1e-3, (SIDE * SIDE, 3))
        mesh = sheet()
        with Cloth(mesh, **{**REFERENCE, **still, "iterations": 1, **settings}) as cloth:
            cloth.set_state(mesh.positions + noise.astype(np.float32))
            first = energy_of(cloth)
            for _ in range(200):
                cloth.step(STEP)
            return first, energy_of(cloth)

    def test_disturbance_dies(self):
        for model in MODELS:
            for estimate, order in ESTIMATES:
                with self.subTest(model=model, estimate=estimate, order=order):
                    first, last = self.energies(model=model, estimate=estimate, order=order)
                    self.assertLess(last, 0.05 * first)

    def test_the_whole_second_order_rotation_is_not_calm(self):
        """2 w(n) - w(n-1) extrapolates by twice what linear stability allows, as (3, -3, 1) does for
        translation: why order 2 takes half of the correction."""
        first, last = self.energies(model="triangle", estimate="rotation", coefficients=(2, -1))
        self.assertGreater(last, first)


class ForcesTest(unittest.TestCase):
    def run_steps(self, steps, settings, before_step=None, pins=CORNERS, **pin_options):
        mesh = sheet()
        with Cloth(mesh, **{**REFERENCE, **settings}) as cloth:
            cloth.set_pins(pins, **pin_options)
            for step in range(steps):
                if before_step:
                    before_step(cloth, step)
                cloth.step(STEP)
            return cloth.state()

    def test_strong_wind(self):
        """A gale with a drag that blows the sheet over in one step: it flies with the wind at most."""
        for model in MODELS:
            for solver in ("linear", "implicit"):
                for pins in ([], CORNERS):
                    with self.subTest(model=model, solver=solver, pins=len(pins)):
                        settings = {
                            "model": model,
                            "solver": solver,
                            "wind": (50, 10, 0),
                            "normal_drag": 100,
                            "tangent_drag": 20,
                        }
                        steps = 60 if pins else 120
                        x, v = self.run_steps(steps, settings, pins=pins)
                        self.assertTrue(np.isfinite(x).all() and np.isfinite(v).all())
                        self.assertLess(np.linalg.norm(v, axis=1).max(), 60)
                        if pins:
                            self.assertLess(np.abs(x).max(), 4.0)
                        else:
                            # 5 s of flight; the drag is far stronger than gravity
                            drift = x.mean(0) / (steps * STEP)
                            np.testing.assert_allclose(drift[:2], (50, 10), rtol=0.02)

    def test_jumping_pins(self):
        """Both pins jump by 1 m every frame, back and forth, and arrive exactly."""
        targets = sheet().positions[CORNERS]

        def jump(cloth, step):
            targets[:, 2] = np.float32(step % 2)
            cloth.move_pins(targets)

        for model in MODELS:
            for estimate, order in ESTIMATES:
                with self.subTest(model=model, estimate=estimate, order=order):
                    settings = {
                        "model": model,
                        "estimate": estimate,
                        "order": order,
                        "iterations": 1,
                    }
                    x, v = self.run_steps(201, settings, jump)
                    np.testing.assert_array_equal(x[CORNERS], targets)
                    self.assertTrue(np.isfinite(v).all())
                    self.assertLess(np.abs(x).max(), 4.0)

    def test_soft_pins(self):
        """Every vertex on a spring of its own: all sink alike, by Hooke's law."""
        mesh = sheet()
        everything = np.arange(mesh.vertex_count)
        settings = {"damping": 5.0}
        x, _ = self.run_steps(
            150, settings, pins=everything, weights=np.full(len(everything), 0.25)
        )
        # k / m = pin_stiffness w / (1 - w) for every vertex: all sink by g over that.
        sink = 9.81 / (REFERENCE["pin_stiffness"] * 0.25 / 0.75)
        np.testing.assert_allclose(x - mesh.positions, np.tile([0, 0, -sink], (144, 1)), atol=2e-5)

    def test_one_step_of_soft_pins(self):
        """All vertices fall together: (1 + h^2 k / m) dz = h^2 g, in one step of either solver."""
        mesh = sheet()
        everything = np.arange(mesh.vertex_count)
        ratio = REFERENCE["pin_stiffness"] * 0.25 / 0.75
        wanted = -9.81 * STEP**2 / (1 + STEP**2 * ratio)
        for solver in ("linear", "implicit"):
            settings = {"solver": solver, "substeps": 1, "normal_drag": 0, "tangent_drag": 0}
            settings.update(pcg_tolerance=1e-7, integrator="euler")
            x, _ = self.run_steps(1, settings, pins=everything, weights=np.full(144, 0.25))
            np.testing.assert_allclose(x[:, 2], wanted, rtol=1e-5)

    def test_flight_with_the_wind(self):
        """Cloth as fast as the wind feels none, so it keeps its speed, however strong the drag."""
        mesh = sheet()
        for solver in ("linear", "implicit"):
            settings = {"wind": (3, 1, 2), "normal_drag": 20, "tangent_drag": 4}
            settings.update(solver=solver, pcg_tolerance=1e-7)
            with Cloth(mesh, gravity=(0, 0, 0), **settings) as cloth:
                cloth.set_state(mesh.positions, np.tile(np.float32([3, 1, 2]), (144, 1)))
                for _ in range(24):
                    cloth.step(STEP)
                x, v = cloth.state()
            np.testing.assert_allclose(v, np.tile([3, 1, 2], (144, 1)), rtol=0, atol=1e-4)
            np.testing.assert_allclose(x - mesh.positions, v, rtol=0, atol=1e-4)

    def test_soft_pins_carry_the_weight(self):
        """At rest two soft pins pull up as much as the whole sheet weighs, by Hooke's law."""
        mesh = sheet()
        triangles = mesh.face_vertices.reshape(-1, 3)
        share = np.bincount(triangles.ravel(), minlength=144)[CORNERS]  # triangles at the corners
        mass = REFERENCE["density"] / len(triangles) / 3 * share
        stiffness = mass * REFERENCE["pin_stiffness"] * 0.9 / 0.1
        for model in MODELS:
            with self.subTest(model=model):
                targets = mesh.positions[CORNERS] + np.float32(0.2)
                settings = {"model": model, "damping": 3.0, "iterations": 4}
                x, _ = self.run_steps(400, settings, weights=[0.9, 0.9], targets=targets)
                pull = stiffness @ (targets - x[CORNERS]).astype(float)
                weight = REFERENCE["density"] * 9.81
                self.assertAlmostEqual(pull[2] / weight, 1, delta=0.02)
                # it hangs evenly between them, so that nothing is left aside
                self.assertLess(np.abs(pull[:2]).max(), 0.02 * weight)


class ChangesTest(unittest.TestCase):
    """Changes while it runs: the analysis is kept, and the result is that of a fresh cloth."""

    def test_stiffness_changes(self):
        mesh = sheet()
        for model in MODELS:
            with self.subTest(model=model), Cloth(mesh, model=model) as cloth:
                cloth.set_pins(CORNERS)
                for step in range(60):
                    scale = 10.0 ** (step % 7 - 3)
                    cloth.set_material(
                        stretch_warp=2000 * scale, stretch_weft=2000 * scale, bend=2e-5 * scale
                    )
                    cloth.step(STEP)
                report = cloth.report()
                self.assertEqual(report.analysis_count, 1)
                self.assertEqual(report.factor_count, 60)
                self.assertTrue(np.isfinite(cloth.positions()).all())

    def test_few_pins_go_by_row_updates(self):
        mesh = sheet()
        for model in MODELS:
            for pins in ([0, 11, 70], [0, 70], [0, 70, 143, 12], [12], []):
                with self.subTest(model=model, pins=pins), Cloth(
                    mesh, model=model, integrator="euler"
                ) as cloth:
                    cloth.set_pins(CORNERS)
                    cloth.step(STEP)
                    snapshot = cloth.snapshot()
                    cloth.set_pins(pins)
                    for _ in range(3):
                        cloth.step(STEP)
                    report = cloth.report()
                    self.assertGreater(report.row_update_count, 0)
                    self.assertEqual((report.analysis_count, report.factor_count), (1, 1))
                    with Cloth(mesh, model=model, integrator="euler") as fresh:
                        fresh.restore(snapshot)
                        fresh.set_pins(pins)
                        for _ in range(3):
                            fresh.step(STEP)
                        self.assertEqual(fresh.report().row_update_count, 0)
                        # Two factors of one matrix by different roads: 1e-10, then float32.
                        np.testing.assert_allclose(
                            cloth.positions(), fresh.positions(), rtol=0, atol=1e-6
                        )

    def test_changed_quality_and_step(self):
        """Other substeps and steps while it runs: the history is made anew, nothing jumps."""
        with Cloth(sheet()) as cloth:
            cloth.set_pins(CORNERS)
            last = cloth.positions()
            for step in range(60):
                cloth.set_iterations(1 + step % 4, 1 + step % 3)
                cloth.step(STEP / (1 + step % 2))
                here = cloth.positions()
                self.assertLess(np.abs(here - last).max(), 0.5)
                last = here
            self.assertEqual(cloth.report().analysis_count, 1)


if __name__ == "__main__":
    unittest.main()

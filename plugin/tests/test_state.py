"""The state of a cloth: snapshots, threads, pins and reports.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import hashlib
import tempfile
import threading
import time
import unittest

import numpy as np

from body_meshes import ball, moved
from muslin import Cloth, MuslinError, Status, default_settings
from scene_meshes import hung_sheet
from test_scenes.levels import long_test

STEP = 1 / 24
METHODS = [
    {"model": model, **solver}
    for solver in ({"solver": "linear"}, {"solver": "implicit", "iterations": 2})
    for model in ("edge", "triangle")
]


def digest(mesh, pins, steps, **settings):
    """A hash over the bytes of every frame."""
    total = hashlib.sha256()
    with Cloth(mesh, **settings) as cloth:
        cloth.set_pins(pins)
        for _ in range(steps):
            cloth.step(STEP)
            total.update(cloth.positions().tobytes())
    return total.hexdigest()


class SnapshotTest(unittest.TestCase):
    def test_continuation_is_the_same_bytes(self):
        mesh, pins = hung_sheet()
        for method in METHODS:
            for order in (1, 2):
                with self.subTest(method, order=order):
                    self.check_continuation(mesh, pins, order=order, **method)

    def check_continuation(self, mesh, pins, **settings):
        with Cloth(mesh, **settings) as cloth, Cloth(mesh, **settings) as other:
            for each in (cloth, other):
                each.set_pins(pins)
            for _ in range(7):
                cloth.step(STEP)
            snapshot = cloth.snapshot()
            frames = self.frames(cloth, 8)
            cloth.restore(snapshot)
            self.assertEqual(frames, self.frames(cloth, 8), "restored into the same cloth")
            other.restore(snapshot)
            self.assertEqual(frames, self.frames(other, 8), "restored into another cloth")

    def test_continuation_with_moving_and_soft_pins(self):
        mesh, pins = hung_sheet()
        held = np.append(pins, 5)
        for method in METHODS:
            with self.subTest(method), Cloth(mesh, **method) as cloth:
                cloth.set_pins(held, [1, 1, 0.5], mesh.positions[held])
                self.frames(cloth, 4, mesh.positions[held])
                snapshot = cloth.snapshot()
                frames = self.frames(cloth, 8, mesh.positions[held])
                cloth.restore(snapshot)
                self.assertEqual(frames, self.frames(cloth, 8, mesh.positions[held]))

    def frames(self, cloth, count, targets=None):
        """The bytes of some frames; pins, if given, move a little in each."""
        collected = []
        for frame in range(count):
            if targets is not None:
                cloth.move_pins(targets + np.float32(0.01 * frame))
            cloth.step(STEP)
            collected.append(b"".join(part.tobytes() for part in cloth.state()))
        return collected

    def test_snapshot_is_all_of_the_state(self):
        mesh, pins = hung_sheet()
        with Cloth(mesh) as cloth:
            cloth.set_pins(pins)
            cloth.step(STEP)
            snapshot = cloth.snapshot()
            self.assertEqual(snapshot, cloth.snapshot())
            cloth.step(STEP)
            self.assertNotEqual(snapshot, cloth.snapshot())
            cloth.restore(snapshot)
            self.assertEqual(snapshot, cloth.snapshot())

    def test_other_bytes_are_refused_and_change_nothing(self):
        mesh, pins = hung_sheet()
        larger, _ = hung_sheet(13)
        with Cloth(mesh) as cloth, Cloth(larger) as other:
            cloth.set_pins(pins)
            cloth.step(STEP)
            good = cloth.snapshot()
            wrong = [b"", b"x", good[:-1], good + b"x", b"\0" * len(good), other.snapshot()]
            for snapshot in wrong:
                with self.assertRaises(MuslinError) as caught:
                    cloth.restore(snapshot)
                self.assertEqual(caught.exception.status, Status.ERROR_SNAPSHOT)
            self.assertEqual(good, cloth.snapshot())


class ThreadTest(unittest.TestCase):
    @long_test
    def test_same_bytes_for_any_thread_count(self):
        mesh, pins = hung_sheet(33)  # large enough to be divided among three
        for method in METHODS:
            with self.subTest(method):
                digests = {
                    digest(mesh, pins, 3, threads=threads, **method) for threads in (1, 2, 3)
                }
                self.assertEqual(len(digests), 1)

    def test_same_bytes_for_the_same_input(self):
        mesh, pins = hung_sheet()
        self.assertEqual(digest(mesh, pins, 20), digest(mesh, pins, 20))

    def test_cancel_from_another_thread(self):
        mesh, pins = hung_sheet(40)
        with Cloth(mesh, substeps=10000) as cloth:
            cloth.set_pins(pins)
            cloth.prepare(STEP)
            raised = []

            def work():
                try:
                    cloth.step(STEP)
                except MuslinError as error:
                    raised.append(error)

            worker = threading.Thread(target=work)
            worker.start()
            while worker.is_alive() and cloth.progress() == 0.0:
                time.sleep(0.01)
            self.assertTrue(0.0 <= cloth.progress() <= 1.0)
            cloth.cancel()
            worker.join(60)
            self.assertFalse(worker.is_alive())
            self.assertEqual([error.status for error in raised], [Status.ERROR_CANCELLED])
            self.assertTrue(np.isfinite(cloth.positions()).all())
            cloth.set_iterations(2, 1)
            cloth.step(STEP)  # the request does not outlive the call that it was meant for

    def test_cancel_before_a_step_holds_for_it(self):
        """With pins and a body on their way: the step after that takes them there as if nothing had been."""
        mesh, pins = hung_sheet()
        shape = ball(middle=mesh.positions.mean(axis=0) - np.float32([0, 0, 0.15]))
        frames = []
        for is_cancelled in (False, True):
            with Cloth(mesh, substeps=3) as cloth:
                cloth.set_pins(pins)
                body = cloth.add_body(shape)
                for frame in range(1, 5):
                    cloth.move_pins(mesh.positions[pins] + np.float32(0.01 * frame))
                    body.move(moved(shape, (0, 0, 0.01 * frame)))
                    if is_cancelled:
                        cloth.cancel()
                        with self.assertRaises(MuslinError) as raised:
                            cloth.step(STEP)
                        self.assertEqual(raised.exception.status, Status.ERROR_CANCELLED)
                        self.assertIn("0 of 3 substeps", str(raised.exception))
                    cloth.step(STEP)
                frames.append(cloth.positions().tobytes())
        self.assertEqual(*frames)


class StateTest(unittest.TestCase):
    def test_first_state_is_the_mesh(self):
        mesh, _ = hung_sheet()
        with Cloth(mesh) as cloth:
            positions, velocities = cloth.state()
        np.testing.assert_array_equal(positions, mesh.positions)
        self.assertFalse(velocities.any())

    def test_state_goes_in_and_comes_out(self):
        mesh, _ = hung_sheet()
        generator = np.random.default_rng(3)
        positions = generator.normal(size=mesh.positions.shape).astype(np.float32)
        velocities = generator.normal(size=mesh.positions.shape).astype(np.float32)
        with Cloth(mesh) as cloth:
            cloth.set_state(positions, velocities)
            for expected, got in zip((positions, velocities), cloth.state()):
                np.testing.assert_array_equal(got, expected)
            cloth.set_state(positions)
            self.assertFalse(cloth.state()[1].any())

    def test_a_step_that_fails_has_never_been(self):
        """The first one, too, of which the second-order integrator takes a trial."""
        mesh, pins = hung_sheet(8)
        for settings in ({}, {"quality": "final"}, {"integrator": "bdf2"}):
            with self.subTest(settings), Cloth(mesh, **settings) as cloth:
                cloth.set_pins(pins)
                cloth.set_forces(gravity=(0, 0, -1e12))
                with self.assertRaises(MuslinError) as raised:
                    cloth.step(STEP)
                self.assertEqual(raised.exception.status, Status.ERROR_DIVERGED)
                cloth.restore(cloth.snapshot())
                cloth.set_forces(gravity=(0, 0, -9.81))
                with Cloth(mesh, **settings) as other:
                    other.set_pins(pins)
                    for one in (cloth, other):
                        for _ in range(3):
                            one.step(STEP)
                    np.testing.assert_array_equal(cloth.positions(), other.positions())

    def test_positions_into_the_callers_array(self):
        mesh, _ = hung_sheet()
        out = np.empty(mesh.positions.size, dtype=np.float32)
        with Cloth(mesh) as cloth:
            self.assertIs(cloth.positions(out), out)
            table = np.empty_like(mesh.positions)
            self.assertIs(cloth.positions(out=table), table)
        np.testing.assert_array_equal(out, mesh.positions.ravel())
        np.testing.assert_array_equal(table, mesh.positions)

    def test_array_that_cannot_be_filled(self):
        mesh, _ = hung_sheet()
        shape = mesh.positions.shape
        frozen = np.zeros(shape, dtype=np.float32)
        frozen.flags.writeable = False
        odd = np.zeros(4 * mesh.positions.size + 1, dtype=np.uint8)[1:].view(np.float32)
        with tempfile.TemporaryFile() as file, Cloth(mesh) as cloth:
            file.write(bytes(4 * mesh.positions.size))
            file.flush()
            cases = {
                "read-only": frozen,
                "is read-only": np.memmap(file, dtype=np.float32, mode="r", shape=shape),
                "float64": np.zeros(shape),
                ">f4": np.zeros(shape, dtype=">f4"),
                "x 4": np.zeros((shape[0], 4), dtype=np.float32),
                "3 x": np.zeros(shape[::-1], dtype=np.float32),
                "contiguous": np.zeros((2 * shape[0], 3), dtype=np.float32)[::2],
                "got": np.zeros(shape, dtype=np.float32, order="F"),
                "four bytes": odd.reshape(shape),
                "NumPy": frozen.tolist(),
                "expected a NumPy array": bytearray(frozen.nbytes),
            }
            for part, out in cases.items():
                with self.subTest(part), self.assertRaises(MuslinError) as caught:
                    cloth.positions(out=out)
                self.assertIn("out: ", str(caught.exception))
                self.assertIn(part, str(caught.exception))
        self.assertFalse(frozen.any())

    def test_closed_cloth_is_an_error(self):
        mesh, _ = hung_sheet()
        cloth = Cloth(mesh)
        cloth.close()
        cloth.close()
        with self.assertRaises(MuslinError) as caught:
            cloth.step(STEP)
        self.assertEqual(caught.exception.status, Status.ERROR_HANDLE)

    def test_settings_are_kept_and_changed(self):
        mesh, _ = hung_sheet()
        with Cloth(
            mesh, model="edge", density=0.5, coefficients=(2, -1), gravity=(0, 0, 0)
        ) as cloth:
            self.assertEqual(cloth.settings["model"], "edge")
            self.assertEqual(cloth.settings["order"], 0)
            self.assertEqual(cloth.settings["coefficients"], (2.0, -1.0))
            cloth.set_material(bend=1.0)
            cloth.set_forces(wind=(1, 2, 3))
            cloth.set_iterations(3, 4)
            changed = {
                "density": 0.5,
                "bend": 1.0,
                "wind": (1, 2, 3),
                "substeps": 3,
                "iterations": 4,
            }
            for name, value in changed.items():
                self.assertEqual(cloth.settings[name], value)
            self.assertEqual(sorted(cloth.settings), sorted(default_settings()))

    def test_defaults_may_be_given_back(self):
        mesh, pins = hung_sheet()
        self.assertEqual(digest(mesh, pins, 3), digest(mesh, pins, 3, **default_settings()))


class PinTest(unittest.TestCase):
    def test_hard_pins_reach_their_targets(self):
        mesh, pins = hung_sheet()
        targets = mesh.positions[pins] + np.float32([0.1, -0.2, 0.3])
        for method in METHODS:
            with self.subTest(method), Cloth(mesh, **method) as cloth:
                cloth.set_pins(pins)
                cloth.step(STEP)
                np.testing.assert_array_equal(cloth.positions()[pins], mesh.positions[pins])
                cloth.move_pins(targets)
                cloth.step(STEP)
                np.testing.assert_array_equal(cloth.positions()[pins], targets)

    def test_soft_pins_pull_and_give(self):
        mesh, pins = hung_sheet()
        sag = []
        for weight in (0.25, 0.5, 0.99):
            with Cloth(mesh) as cloth:
                cloth.set_pins(pins, np.full(len(pins), weight), mesh.positions[pins])
                for _ in range(30):
                    cloth.step(STEP)
                sag.append(float((mesh.positions - cloth.positions())[pins, 2].mean()))
        self.assertGreater(sag[0], sag[1])
        self.assertGreater(sag[1], sag[2])
        self.assertGreater(sag[2], 0)

    def test_released_cloth_falls(self):
        mesh, pins = hung_sheet()
        with Cloth(mesh) as cloth:
            cloth.set_pins(pins)
            cloth.step(STEP)
            cloth.set_pins([])
            before = cloth.positions()[pins, 2]
            for _ in range(5):
                cloth.step(STEP)
            self.assertTrue((cloth.positions()[pins, 2] < before).all())

    def test_pins_and_stiffness_keep_the_analysis(self):
        mesh, pins = hung_sheet()
        with Cloth(mesh) as cloth:
            cloth.prepare(STEP)
            first = cloth.report()
            cloth.set_pins(pins)
            cloth.prepare(STEP)
            cloth.set_material(stretch_warp=1234.0)
            cloth.prepare(STEP)
            last = cloth.report()
        self.assertEqual(first.analysis_count, last.analysis_count)
        self.assertGreater(last.factor_count + last.row_update_count, first.factor_count)
        self.assertEqual(last.pinned_count, len(pins))


class ReportTest(unittest.TestCase):
    def test_report_of_a_prepared_cloth(self):
        mesh, pins = hung_sheet()
        with Cloth(mesh, ordering="amd") as cloth:
            cloth.set_pins(pins)
            cloth.prepare(STEP)
            report = cloth.report()
        self.assertEqual(report.vertex_count, mesh.vertex_count)
        self.assertEqual(report.triangle_count, len(mesh.face_sizes))
        self.assertEqual(report.component_count, 1)
        self.assertGreater(report.factor_nonzeros, report.matrix_nonzeros // 2)
        self.assertGreater(report.memory_bytes, 0)

    def test_stats_of_a_step(self):
        mesh, pins = hung_sheet()
        with Cloth(mesh, substeps=3) as cloth:
            cloth.set_pins(pins)
            cloth.step(STEP)
            stats = cloth.stats()
        self.assertEqual(stats.substeps, 3)
        self.assertGreater(stats.kinetic_energy, 0)
        self.assertLess(stats.gravity_energy, 0)
        self.assertGreaterEqual(stats.largest_strain, stats.mean_strain)
        self.assertGreater(stats.total_seconds, 0)
        self.assertLessEqual(stats.solve_seconds, stats.total_seconds)

    def test_strain_is_what_the_positions_say(self):
        mesh, pins = hung_sheet()
        with Cloth(mesh) as cloth:
            cloth.set_pins(pins)
            for _ in range(5):
                cloth.step(STEP)
            positions, stats = cloth.positions().astype(float), cloth.stats()
        one, other = stats.largest_strain_edge
        rest = np.linalg.norm(mesh.positions[one].astype(float) - mesh.positions[other])
        length = np.linalg.norm(positions[one] - positions[other])
        self.assertAlmostEqual(stats.largest_strain, abs(length / rest - 1), places=4)

    def test_bare_solve_is_linear(self):
        mesh, pins = hung_sheet()
        generator = np.random.default_rng(5)
        one, two = generator.normal(size=(2, *mesh.positions.shape))
        with Cloth(mesh) as cloth:
            cloth.set_pins(pins)
            cloth.prepare(STEP)
            sum_of_both, seconds = cloth.solve(one + 2 * two)
            each = cloth.solve(one)[0] + 2 * cloth.solve(two, iterations=1)[0]
        np.testing.assert_allclose(sum_of_both, each, rtol=1e-9, atol=1e-12)
        self.assertGreaterEqual(seconds, 0)

    def test_eigenvalues_are_positive(self):
        mesh, pins = hung_sheet()
        with Cloth(mesh) as cloth:
            cloth.set_pins(pins)
            cloth.prepare(STEP)
            smallest, largest = cloth.eigenvalues()
        self.assertGreater(smallest, 0)
        self.assertGreater(largest, smallest)


if __name__ == "__main__":
    unittest.main()

"""Bodies under a mirrored cloth: symmetric ones, and what is done about the others.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import hashlib
import threading
import time
import unittest

import numpy as np

from mirror_meshes import STEP, image, partners, roof
from muslin import Cloth, Mesh, MuslinError, Status
from test_scenes import solids

FAR = np.float32([0, 0, -3])


def ball(x=0.0, z=-0.15, radius=0.12):
    scene = solids.uv_sphere(radius, (x, 0, z), rings=12, sides=24)
    return Mesh.from_faces(scene.positions, scene.faces)


def run(cloth, frames):
    collected = []
    for _ in range(frames):
        cloth.step(STEP)
        state = np.concatenate(cloth.state()).tobytes()
        collected.append(hashlib.sha256(state).hexdigest()[:16])
    return collected


def block(width, x=0.0):
    """Its top just below z = 0."""
    scene = solids.box((width, 0.8, 0.5), (x, 0, -0.26))
    return Mesh.from_faces(scene.positions, scene.faces)


class SymmetricTest(unittest.TestCase):
    def test_cloth_lies_on_it_mirrored_to_the_bit(self):
        mesh = roof(17, 13)
        for method in ({}, {"solver": "implicit", "iterations": 1}):
            with self.subTest(method), Cloth(mesh, mirror="exact", **method) as cloth:
                cloth.add_body(ball())
                cloth.set_self_contact(True)
                run(cloth, 15)
                self.assertGreater(cloth.stats().contacts, 0)
                positions = cloth.positions()
                np.testing.assert_array_equal(positions, image(positions, partners(17, 13)))
                outside = np.linalg.norm(positions - [0, 0, -0.15], axis=1)
                self.assertGreater(outside.min(), 0.119)
                self.assertGreater(
                    positions[:, 2].max(), -0.05
                )  # it lies there, and has not fallen
                report = cloth.mirror()
                self.assertEqual((report.body, report.solved_whole), (0, 0))
                self.assertLess(report.body_asymmetry, 1e-6)
                self.assertEqual(cloth.warnings, [])

    def test_bodies_that_fly_apart_do_not_tear_it(self):
        """What is torn is put back to where the half was beside its plane, however far all of it has gone."""
        limp = {"stretch_warp": 0.05, "stretch_weft": 0.05, "shear": 0.01}
        blocks = {0: block(0.2), -1: block(0.4, -0.4), 1: block(0.4, 0.4)}
        sheet = solids.sheet((1.2, 0.6), cells=(20, 10))
        mesh = Mesh.from_faces(sheet.positions, sheet.faces)
        for outward, upward in ((0.5, 0.75), (0.65, 0.6)):  # m a frame; more would be a jump
            with self.subTest(outward), Cloth(mesh, mirror="exact", **limp) as cloth:
                bodies = {side: cloth.add_body(shape) for side, shape in blocks.items()}
                mended = 0
                for frame in range(1, 7):
                    for side in (-1, 1):
                        way = np.float32([outward * side, 0, upward]) * frame
                        bodies[side].move(blocks[side].positions + way)
                    cloth.step(STEP)
                    mended += cloth.stats().mended
                    self.assertLess(cloth.inspect().largest_stretch, 3)
                self.assertGreater(mended, 0)

    def test_half_a_body_is_enough(self):
        """A box that ends in the plane holds both sides of the cloth, as the whole box does."""
        whole = solids.box((0.6, 0.8, 0.1), (0, 0, -0.1), cells=(6, 4, 1))
        half = solids.box((0.3, 0.8, 0.1), (0.15, 0, -0.1), cells=(3, 4, 1))
        plain = solids.box((0.3, 0.8, 0.1), (0.15, 0, -0.1))
        for box in (whole, half, plain):
            with Cloth(roof(), mirror="exact") as cloth:
                cloth.add_body(Mesh.from_faces(box.positions, box.faces))
                run(cloth, 12)
                self.assertEqual((cloth.warnings, cloth.mirror().body_asymmetry), ([], 0))
                x, _, z = cloth.positions().T
                self.assertGreater(z[np.abs(x) < 0.28].min(), -0.05)
                self.assertLess(z.max(), 0.1)  # it came down from 0.15 m

    def test_numbers_of_bodies(self):
        with Cloth(roof(), mirror="exact") as cloth:
            first, second = cloth.add_body(ball()), cloth.add_body(ball(z=-0.6))
            self.assertEqual((first.number, second.number), (0, 1))
            first.remove()
            for call in (first.remove, lambda: first.move(ball().positions)):
                with self.assertRaises(MuslinError) as caught:
                    call()
                self.assertEqual(caught.exception.status, Status.ERROR_BODY)
            self.assertEqual(cloth.add_body(ball()).number, 2)
            second.replace(Mesh.from_faces(roof().positions + FAR, roof().faces()))
            self.assertEqual(cloth.warnings, [])
            second.set_surface(thickness=0.01)
            with self.assertRaises(MuslinError):
                second.move(ball().positions)
            run(cloth, 1)


class SymmetriseTest(unittest.TestCase):
    def test_body_to_one_side(self):
        """The cloth stays symmetric, and the report tells how far the body is from that."""
        with Cloth(roof(17, 13), mirror="exact") as cloth:
            mesh = ball()
            body = cloth.add_body(mesh)
            run(cloth, 4)
            for shift in (0.01, 0.02):
                body.move(mesh.positions + np.float32([shift, 0, 0]))
                run(cloth, 4)
            positions = cloth.positions()
            np.testing.assert_array_equal(positions, image(positions, partners(17, 13)))
            report = cloth.mirror()
            self.assertEqual((report.body, report.solved_whole, report.whole_steps), (0, 0, 0))
            self.assertAlmostEqual(report.body_asymmetry, 0.04, delta=1e-6)
            self.assertEqual(len(cloth.warnings), 1)
            for word in ("body 0", "is 0.02 m off", "mean"):
                self.assertIn(word, cloth.warnings[0])
            body.move(mesh.positions)
            self.assertLess(cloth.mirror().body_asymmetry, 1e-6)

    def test_mean_is_what_is_met(self):
        """A ball that is shifted to the side is met in the middle, where its mean with its image is."""
        with Cloth(roof(17, 13), mirror="exact") as cloth:
            mesh = ball()
            body = cloth.add_body(mesh)
            body.place(mesh.positions + np.float32([0.05, 0, 0]))
            for _ in range(8):
                run(cloth, 1)
                distance = np.linalg.norm(cloth.positions() - [0, 0, -0.15], axis=1)
                self.assertGreater(distance.min(), 0.119)
            self.assertGreater(cloth.stats().contacts, 0)
            self.assertLess(distance.min(), 0.13)

    def test_least_symmetric_body_is_reported(self):
        with Cloth(roof(), mirror="exact") as cloth:
            mesh = ball()
            for shift in (0, 0.03, 0.01):
                body = cloth.add_body(mesh)
                body.place(mesh.positions + FAR + np.float32([shift, 0, 0]))
            self.assertEqual(cloth.mirror().body, 1)
            self.assertAlmostEqual(cloth.mirror().body_asymmetry, 0.06, delta=1e-6)

    def test_body_that_is_given_in_a_pose(self):
        """With few partners it is met as it is, on the kept side: the mean of a few would tear it."""
        mesh = ball()
        mesh.positions[:, 1] += 2 * mesh.positions[:, 0] ** 2 * np.sign(mesh.positions[:, 0])
        with Cloth(roof(17, 13), mirror="exact") as cloth:
            cloth.add_body(mesh)
            self.assertIn("not its own mirror image", cloth.warnings[0])
            self.assertGreater(cloth.mirror().body_asymmetry, 0.005)
            for _ in range(10):
                run(cloth, 1)
                x, y, z = cloth.positions()[cloth.positions()[:, 0] > 0.02].T.astype(float)
                straight = np.stack([x, y - 2 * x**2, z + 0.15])  # the ball as it was
                distance = np.linalg.norm(straight, axis=0)
                self.assertGreater(distance.min(), 0.119)
            self.assertGreater(cloth.stats().contacts, 0)
            self.assertLess(distance.min(), 0.13)

    def test_half_a_body_that_leaves_its_side(self):
        mesh = ball(x=0.3)
        with Cloth(roof(), mirror="exact") as cloth:
            body = cloth.add_body(mesh)
            run(cloth, 1)
            self.assertEqual((cloth.warnings, cloth.mirror().body_asymmetry), ([], 0))
            body.move(mesh.positions - np.float32([0.5, 0, 0]))
            self.assertIn("collide with the kept side", cloth.warnings[0])
            self.assertAlmostEqual(cloth.mirror().body_asymmetry, 0.32, delta=0.002)
            body.move(mesh.positions)
            self.assertEqual(cloth.mirror().body_asymmetry, 0)

    def test_body_without_partners_beyond_the_plane(self):
        with Cloth(roof(), mirror="exact") as cloth:
            cloth.add_body(ball(x=-0.5))
            self.assertIn("not its own mirror image", cloth.warnings[0])
            self.assertIn("collide with the kept side", cloth.warnings[0])
            self.assertNotIn("mean", cloth.warnings[0])
            self.assertGreater(cloth.mirror().body_asymmetry, 0.5)
            run(cloth, 1)


class WholeTest(unittest.TestCase):
    settings = {"mirror": "exact", "asymmetric_body": "whole"}

    def test_cancelled_on_the_way(self):
        """Where a cancelled step left a body asymmetric, the next one starts with it."""

        def cancel_underway(cloth):
            while not 0 < cloth.progress() < 1:
                time.sleep(0)
            cloth.cancel()

        mesh = ball()
        with Cloth(roof(), substeps=400, **self.settings) as cloth:
            body = cloth.add_body(mesh)
            body.move(mesh.positions + np.float32([0.3, 0, 0]))
            thread = threading.Thread(target=cancel_underway, args=(cloth,))
            thread.start()
            with self.assertRaises(MuslinError) as caught:
                cloth.step(STEP)
            thread.join()
            self.assertEqual(caught.exception.status, Status.ERROR_CANCELLED)
            body.move(mesh.positions)  # symmetric again, but not where it is
            cloth.set_state(roof().positions)
            cloth.step(STEP)
            self.assertEqual(cloth.mirror().solved_whole, 1)
            cloth.set_state(roof().positions)
            cloth.step(STEP)
            self.assertEqual(cloth.mirror().solved_whole, 0)

    def test_half_body_is_solved_whole(self):
        with Cloth(roof(), **self.settings) as cloth:
            cloth.add_body(ball(x=0.5))
            self.assertIn("all of the garment is simulated", cloth.warnings[0])
            run(cloth, 1)
            self.assertEqual(cloth.mirror().solved_whole, 1)

    def test_there_and_back_without_a_jump(self):
        """The body is far below and only asymmetric: what is solved changes, what is seen does not."""
        settings = {"scheme": "plain", "iterations": 200}
        mesh = ball()
        with Cloth(roof(), **self.settings, **settings) as cloth, Cloth(
            roof(), mirror="exact", **settings
        ) as other:
            for each in (cloth, other):
                each.set_pins([0, 8])
            body = cloth.add_body(Mesh(mesh.positions + FAR, mesh.face_sizes, mesh.face_vertices))
            wholes = []
            for frame in range(12):
                shift = 0.05 if 4 <= frame < 7 else 0
                body.move(mesh.positions + FAR + np.float32([shift, 0, 0]))
                run(cloth, 1)
                run(other, 1)
                wholes.append(cloth.mirror().solved_whole)
                difference = np.abs(cloth.positions() - other.positions()).max()
                self.assertLess(difference, 2e-4, frame)
            # whole on the way there, and on the way back
            self.assertEqual(wholes, [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0])
            self.assertEqual(cloth.mirror().whole_steps, 4)
            self.assertEqual(len(cloth.warnings), 1)

    def test_contact_goes_on(self):
        """The cloth lies on a ball that begins to roll away: it does not jump, nor fall into it."""
        mesh = ball()
        with Cloth(roof(17, 13), **self.settings) as cloth:
            body = cloth.add_body(mesh)
            run(cloth, 15)
            self.assertGreater(cloth.stats().contacts, 0)
            before = cloth.positions()
            body.move(mesh.positions + np.float32([0.0005, 0, 0]))
            cloth.step(1e-6)
            self.assertEqual(cloth.mirror().solved_whole, 1)
            self.assertLess(np.abs(cloth.positions() - before).max(), 2e-3)
            for frame in range(1, 5):
                shift = np.float32([0.004 * frame, 0, 0])
                body.move(mesh.positions + shift)
                run(cloth, 1)
                middle = np.float32([0, 0, -0.15]) + shift
                self.assertGreater(np.linalg.norm(cloth.positions() - middle, axis=1).min(), 0.119)
            self.assertEqual(cloth.mirror().whole_steps, 5)

    def test_each_cloth_knows_where_bodies_are(self):
        """A ball that moved while one of the two cloths was idle is where it is when that goes on."""
        mesh = ball(z=-0.6)
        cloth = Cloth(roof(17, 13), mirror="auto", asymmetric_body="whole", normal_drag=0.5)
        body = cloth.add_body(mesh)
        for lift, wind, whole in ((0.1, 0, 0), (0.2, 1e-3, 1), (0.3, 0, 0), (0.35, 1e-3, 1)):
            places = mesh.positions + np.float32([0, 0, lift])
            body.move(places)
            run(cloth, 1)
            cloth.set_state(roof(17, 13).positions)
            cloth.set_forces(wind=(wind, 0, 0))
            for _ in range(9):
                run(cloth, 1)
                middle = [0, 0, -0.6 + lift]
                distance = np.linalg.norm(cloth.positions() - middle, axis=1).min()
                self.assertGreater(distance, 0.119, lift)
            self.assertEqual(cloth.mirror().solved_whole, whole)
        self.assertLess(distance, 0.13)
        cloth.close()

    def test_bodies_come_and_go_while_the_whole_is_solved(self):
        mesh = ball()
        with Cloth(roof(), **self.settings) as cloth:
            table = cloth.add_body(ball(x=0.4))
            run(cloth, 2)
            lower = cloth.add_body(ball(z=-0.5))
            lower.move(mesh.positions + FAR)
            table.remove()
            lower.set_surface(friction=0.9)
            run(cloth, 2)
            self.assertEqual(lower.number, 1)
            cloth.set_state(roof().positions)
            run(cloth, 1)
            self.assertEqual(cloth.mirror().solved_whole, 0)
            table = cloth.add_body(ball(x=0.4))
            run(cloth, 1)
            self.assertEqual((table.number, cloth.mirror().solved_whole), (2, 1))

    def test_snapshot(self):
        mesh = ball()

        def make():
            cloth = Cloth(roof(17, 13), **self.settings)
            return cloth, cloth.add_body(mesh)

        (cloth, body), (other, again) = make(), make()
        shifted = mesh.positions + np.float32([0.01, 0, 0])
        run(cloth, 10)
        body.move(shifted)
        run(cloth, 2)
        snapshot = cloth.snapshot()
        frames = run(cloth, 3)
        again.place(shifted)
        for each in (cloth, other):
            each.restore(snapshot)
            self.assertEqual(run(each, 3), frames)
            self.assertEqual(each.mirror().solved_whole, 1)
            each.close()


if __name__ == "__main__":
    unittest.main()

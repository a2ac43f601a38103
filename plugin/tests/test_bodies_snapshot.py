"""Going back to a snapshot of a cloth that touches a body: what follows is the same, to the bit.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

from body_meshes import ball, fall, moved, sheet
from muslin import Cloth
from test_bodies import METHODS


class SnapshotTest(unittest.TestCase):
    def test_continuation_from_a_snapshot(self):
        for method in METHODS:
            with self.subTest(method), Cloth(sheet(), **method) as cloth:
                cloth.add_body(ball(middle=(0, 0, -0.1)))
                fall(cloth, 8)
                self.assertGreater(cloth.stats().contacts, 0)
                snapshot = cloth.snapshot()
                frames = fall(cloth, 6)
                cloth.restore(snapshot)
                self.assertEqual(fall(cloth, 6), frames)

    def test_continuation_from_a_snapshot_in_another_cloth(self):
        with Cloth(sheet()) as cloth, Cloth(sheet()) as other:
            for each in (cloth, other):
                each.add_body(ball(middle=(0, 0, -0.1)))
            fall(cloth, 8)
            other.restore(cloth.snapshot())
            self.assertEqual(fall(other, 6), fall(cloth, 6))

    def test_continuation_with_a_moving_body(self):
        """The body is no part of the snapshot: replace() puts it where it was."""
        mesh = ball(middle=(0, 0, -0.1))

        def run(cloth, body, frames):
            collected = []
            for frame in frames:
                body.move(moved(mesh, (0, 0, 0.01 * frame)))
                collected += fall(cloth, 1)
            return collected

        with Cloth(sheet()) as cloth:
            body = cloth.add_body(mesh)
            run(cloth, body, range(1, 9))
            snapshot = cloth.snapshot()
            frames = run(cloth, body, range(9, 15))
            cloth.restore(snapshot)
            body.replace((moved(mesh, (0, 0, 0.08)), mesh.faces()))
            self.assertEqual(run(cloth, body, range(9, 15)), frames)

    def test_body_that_stands_elsewhere(self):
        """Whether it is put there before the cloth goes back or after makes no difference."""
        mesh = ball(middle=(0, 0, -0.1))

        def go_back(cloth, body, snapshot, order):
            for act in order:
                if act == "place":
                    body.place(moved(mesh, (0, 0, 0.05)))
                else:
                    cloth.restore(snapshot)
            return fall(cloth, 3)

        with Cloth(sheet()) as cloth:
            body = cloth.add_body(mesh)
            fall(cloth, 8)
            snapshot = cloth.snapshot()
            after = go_back(cloth, body, snapshot, ("restore", "place"))
            self.assertEqual(go_back(cloth, body, snapshot, ("place", "restore")), after)


if __name__ == "__main__":
    unittest.main()

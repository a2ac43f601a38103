"""Seams, tacks and elastics: they close, hold as one piece, keep momentum, let go, and refuse what they cannot have.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from body_meshes import ball, moved
from muslin import Cloth, Mesh, MuslinError, Status, links, nearest
from muslin.inspection.intersections import count_self
from sewn_meshes import grid, one_strip, two_strips

STEP = 1 / 24
STILL = {"gravity": (0.0, 0.0, 0.0), "normal_drag": 0.0, "tangent_drag": 0.0}
# Strips of 0.2 m that sink by a third of that.
COLUMNS, ROWS, SPACING = 15, 7, 0.0075
SOLVED = {"scheme": "plain", "iterations": 400, "substeps": 4}
STIFF = {"density": 0.2, "bend": 5e-3, "bend_twist": 1.0, "quality": "final"}


def momenta(cloth, masses):
    """Linear and angular momentum about the origin."""
    positions, velocities = (values.astype(float) for values in cloth.state())
    linear = (masses[:, None] * velocities).sum(axis=0)
    return linear, np.cross(positions, masses[:, None] * velocities).sum(axis=0)


def vertex_masses(mesh, density):
    """A third of the area of its triangles to each vertex, kg."""
    corners = mesh.face_vertices.reshape(-1, 3)
    sides = mesh.positions[corners].astype(float)
    areas = 0.5 * np.linalg.norm(
        np.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0]), axis=1
    )
    masses = np.zeros(mesh.vertex_count)
    np.add.at(masses, corners.ravel(), np.repeat(density * areas / 3, 3))
    return masses


class SeamTest(unittest.TestCase):
    def test_a_seam_closes_at_its_speed_and_holds(self):
        mesh, pairs = two_strips(6, 5, 0.02, apart=0.2)
        with Cloth(mesh, gravity=(0, 0, 0)) as cloth:
            cloth.sew(pairs, speed=0.4)
            gaps = [cloth.link_report().largest_gap]
            for _ in range(24):
                cloth.step(STEP)
                gaps.append(cloth.link_report().largest_gap)
            self.assertAlmostEqual(gaps[0], 0.2, delta=1e-6)
            self.assertLess(np.max(-np.diff(gaps)), 0.4 * STEP * 1.3)  # no faster than it may
            self.assertLess(gaps[-1], 1e-5)
            report = cloth.link_report()
            self.assertEqual((report.count, report.closing, report.released), (5, 0, 0))

    def test_a_closed_seam_is_one_line(self):
        """To the bit, also where it is pulled and folded: its faces would pass through each other else."""
        mesh, pairs = two_strips(8, 5, 0.02, apart=0.005)
        for self_contact in (False, True):
            with self.subTest(self_contact=self_contact), Cloth(mesh, bend=1e-6) as cloth:
                if self_contact:
                    cloth.set_self_contact(True, thickness=0.002)
                cloth.set_pins([0])
                cloth.sew(pairs)
                for frame in range(12):
                    cloth.step(STEP)
                    apart = np.ptp(cloth.positions()[pairs], axis=1).max()
                    if frame > 2:
                        self.assertEqual(apart, 0)
                faces = mesh.face_vertices.reshape(-1, 3)
                self.assertEqual(count_self(cloth.positions(), list(faces)), 0)

    def test_closing_keeps_momentum(self):
        """Pieces that turn and fly while they are drawn together: nothing acts from outside."""
        mesh, pairs = two_strips(5, 5, 0.03, apart=0.15)
        masses = vertex_masses(mesh, 0.2)
        for solver in ({"quality": "final"}, {"solver": "implicit", "iterations": 8}):
            with self.subTest(solver), Cloth(mesh, density=0.2, **STILL, **solver) as cloth:
                spin = np.cross([0.3, -0.5, 0.8], mesh.positions - mesh.positions.mean(axis=0))
                cloth.set_state(mesh.positions, spin + [0.2, -0.1, 0.3])
                cloth.sew(pairs, speed=0.5)
                before = momenta(cloth, masses)
                for _ in range(16):
                    cloth.step(STEP)
                self.assertLess(cloth.link_report().largest_gap, 1e-3)
                drift = [
                    np.linalg.norm(after - one) / np.linalg.norm(one)
                    for one, after in zip(before, momenta(cloth, masses))
                ]
                # Conjugate gradients stop short, and an implicit step loses of a turn what goes with its
                # length: final quality mends both.
                balanced = "quality" in solver
                self.assertLess(drift[0], 1e-5 if balanced else 6e-3)
                self.assertLess(drift[1], 1e-3 if balanced else 0.1)

    def test_a_button_keeps_momentum(self):
        """Its pull turns the pieces while they close, as a hand does; from then on nothing turns them."""
        mesh, pairs = two_strips(5, 5, 0.03, apart=0.05)
        masses = vertex_masses(mesh, 0.2)
        with Cloth(mesh, density=0.2, **STILL, quality="final") as cloth:
            cloth.set_state(mesh.positions, np.tile([0.2, -0.1, 0.3], (len(masses), 1)))
            facing = [[pairs[0, 1], pairs[0, 1] + 1, pairs[-1, 1]]] * len(pairs)
            cloth.add_links([links.button(pairs, facing, 0.005)])
            found = []
            for _ in range(24):
                cloth.step(STEP)
                if cloth.link_report().closing == 0:
                    found.append(momenta(cloth, masses))
            way = (cloth.positions()[pairs[:, 0]] - cloth.positions()[pairs[:, 1]]).astype(float)
        self.assertGreater(len(found), 12)
        np.testing.assert_allclose(np.linalg.norm(way, axis=1), 0.005, atol=1e-4)
        linear, angular = (np.array(each) for each in zip(*found))
        size = masses.sum() * np.linalg.norm([0.2, -0.1, 0.3])
        self.assertLess(np.ptp(linear, axis=0).max(), 1e-5 * size)
        self.assertLess(np.ptp(angular, axis=0).max(), 1e-3 * np.linalg.norm(angular[0]))

    def test_pieces_that_let_go_keep_their_own_momentum(self):
        """One shakes, beside another that rests: only where a link holds does that feel it."""
        mesh, pairs = two_strips(6, 6, 0.03, apart=0.05)
        masses = vertex_masses(mesh, 0.2)[36:]
        velocities = np.zeros((72, 3))
        velocities[36:] = np.random.default_rng(2).normal(0.0, 2.0, (36, 3))
        with Cloth(mesh, density=0.2, **STILL, quality="final") as cloth:
            cloth.release(cloth.tack(pairs[:1, 0], pairs[:1, 1], length=None))
            cloth.set_state(mesh.positions, velocities)
            for _ in range(10):
                cloth.step(STEP)
            positions, after = cloth.state()
        before = (masses[:, None] * velocities[36:]).sum(axis=0)
        drift = (masses[:, None] * after[36:]).sum(axis=0) - before
        self.assertLess(np.linalg.norm(drift) / np.linalg.norm(before), 1e-4)
        self.assertLess(np.abs(positions[:36] - mesh.positions[:36]).max(), 1e-6)

    def sunk(self, mesh, hold=None):
        """Clamped at one end, how far the other end of a strip is below it at rest, m."""
        with Cloth(mesh, **STIFF) as cloth:
            if hold is not None:
                hold(cloth)
            cloth.set_pins(np.flatnonzero(mesh.positions[:, 0] < 2.5 * SPACING))
            while not cloth.settle().settled:
                pass
            self.assertLess(cloth.link_report().largest_gap, 1e-4)
            tip = mesh.positions[:, 0] > mesh.positions[:, 0].max() - 1e-6
            return -float(cloth.positions()[tip, 2].mean())

    def test_two_sewn_strips_hang_as_one(self):
        """Their weight is against bending, across the seam, too; only tacked they hang like a chain."""
        mesh, pairs = two_strips(COLUMNS, ROWS, SPACING)
        whole = self.sunk(one_strip(COLUMNS, ROWS, SPACING))
        sewn = self.sunk(mesh, lambda cloth: cloth.sew(pairs))
        tacked = self.sunk(mesh, lambda cloth: cloth.tack(pairs[:, 0], pairs[:, 1]))
        self.assertGreater(whole, 0.02)
        self.assertLess(whole, 0.1)
        self.assertAlmostEqual(sewn / whole, 1.0, delta=0.02)
        self.assertGreater(tacked, 1.3 * whole)

    def test_gravity_waits(self):
        mesh, pairs = two_strips(5, 4, 0.03, apart=0.2)
        fallen = {}
        for weightless in (True, False):
            with Cloth(mesh) as cloth:
                cloth.set_links([links.seam(pairs, speed=0.5)], weightless=weightless)
                for _ in range(6):
                    cloth.step(STEP)
                fallen[weightless] = -float(cloth.positions()[:, 2].mean())
                for _ in range(18):
                    cloth.step(STEP)
                self.assertLess(float(cloth.positions()[:, 2].mean()), -0.5)
        self.assertLess(abs(fallen[True]), 1e-4)
        self.assertGreater(fallen[False], 0.2)


class HoldTest(unittest.TestCase):
    def test_a_tack_stretches_by_what_hangs_on_it(self):
        """Closed form: a sheet on one link of stiffness k to a held vertex sags by m g / k."""
        places, faces = grid(4, 4, 0.03)
        held = [[0.09, 0.09, 0.05], [0.1, 0.09, 0.05], [0.09, 0.1, 0.05]]
        mesh = Mesh.from_faces(np.concatenate([places, held]), [*faces.tolist(), [16, 17, 18]])
        weight = 9.81 * 0.2 * 0.09**2
        with Cloth(mesh, density=0.2, damping=2.0, quality="final") as cloth:
            cloth.set_pins([16, 17, 18])
            cloth.tack([15], [16], length=None, stiffness=5.0)
            while not cloth.settle().settled:
                pass
            gap = cloth.link_report().largest_gap
        self.assertAlmostEqual(gap, weight / 5.0, delta=0.02 * weight / 5.0)

    def test_an_elastic_shortens_its_edges(self):
        places, faces = grid(12, 4, 0.02)
        mesh = Mesh.from_faces(places, faces)
        row = np.arange(11)
        with Cloth(mesh, gravity=(0, 0, 0), damping=5.0) as cloth:
            cloth.set_pins([47])
            cloth.elastic(np.column_stack([row, row + 1]), 0.6, stiffness=50.0)
            for _ in range(60):
                cloth.step(STEP)
            positions = cloth.positions().astype(float)
        steps = np.linalg.norm(np.diff(positions[:12], axis=0), axis=1)
        self.assertLess(steps.sum(), 0.85 * 0.22)
        self.assertGreater(steps.sum(), 0.55 * 0.22)

    def test_a_tack_follows_a_body(self):
        body = ball(0.1)
        places, faces = grid(3, 3, 0.03, (0.15, -0.03, 0.0))
        mesh = Mesh.from_faces(places, faces)
        with Cloth(mesh, damping=2.0) as cloth:
            solid = cloth.add_body(body)
            corners, weights = nearest.nearest_places(mesh.positions[:1], body)
            cloth.set_links([links.tack_to_body([0], solid, corners, weights, length=0.01)])
            for frame in range(1, 25):
                solid.move(moved(body, (0.0, 0.0, 0.01 * frame)))
                cloth.step(STEP)
            place = weights[0] @ moved(body, (0.0, 0.0, 0.24))[corners[0]]
            held = cloth.positions()[0]
            self.assertAlmostEqual(float(np.linalg.norm(held - place)), 0.01, delta=2e-3)
            cloth.release(0)
            for _ in range(24):
                cloth.step(STEP)
            self.assertLess(cloth.positions()[0, 2], -0.5)

    def test_what_is_released_falls(self):
        mesh, pairs = two_strips(4, 4, 0.03)
        with Cloth(mesh) as cloth:
            cloth.set_pins(np.arange(16))
            number = cloth.sew(pairs)
            other = cloth.tack([0], [1], length=None)
            for _ in range(6):
                cloth.step(STEP)
            self.assertLess(cloth.link_report(number).largest_gap, 1e-3)
            cloth.release(number)
            for _ in range(12):
                cloth.step(STEP)
            self.assertGreater(np.ptp(cloth.positions()[[0, 31], 2]), 0.3)
            self.assertEqual(cloth.link_report(number).released, 4)
            self.assertEqual(cloth.link_report(other).released, 0)


class StateTest(unittest.TestCase):
    def run_through(self, threads, steps=16, snapshot_at=None):
        mesh, pairs = two_strips(9, 9, 0.02, apart=0.15)
        frames = []
        with Cloth(mesh, threads=threads) as cloth:
            cloth.set_self_contact(True)
            cloth.set_pins([0, 8])
            cloth.sew(pairs, speed=0.5)
            for step in range(steps):
                if step == snapshot_at:
                    snapshot = cloth.snapshot()
                    for _ in range(3):
                        cloth.step(STEP)
                    cloth.restore(snapshot)
                cloth.step(STEP)
                frames.append(cloth.positions().tobytes())
        return frames

    def test_same_bytes_for_any_number_of_threads(self):
        once = self.run_through(1)
        for threads in (2, 3):
            self.assertEqual(once, self.run_through(threads))

    def test_a_snapshot_has_how_far_they_have_come(self):
        once = self.run_through(1)
        for at in (2, 8):  # while it closes, and once it holds
            self.assertEqual(once, self.run_through(1, snapshot_at=at))

    def test_a_snapshot_has_how_long_gravity_may_wait(self):
        """It comes back though the way was another one when the cloth was put elsewhere."""
        mesh, pairs = two_strips(5, 5, 0.02, apart=0.15)
        with Cloth(mesh) as cloth:
            cloth.sew(pairs, speed=0.3)
            cloth.step(STEP)
            snapshot, frames = cloth.snapshot(), []
            for _ in range(2):
                for _ in range(10):
                    cloth.step(STEP)
                frames.append(cloth.positions().tobytes())
                nearer = mesh.positions.copy()
                nearer[25:, 0] -= 0.14
                cloth.set_state(nearer)
                cloth.restore(snapshot)
        self.assertEqual(*frames)

    def test_a_snapshot_of_an_unsewn_cloth_is_refused(self):
        mesh, pairs = two_strips(3, 3, 0.02)
        with Cloth(mesh) as cloth:
            snapshot = cloth.snapshot()
            cloth.sew(pairs)
            sewn = cloth.snapshot()
            for before, text in ((snapshot, "with 0 links, but this one has 3"),
                                 (sewn, "with 3 links, but this one has 4")):  # fmt: skip
                with self.assertRaisesRegex(MuslinError, text) as caught:
                    cloth.restore(before)
                self.assertEqual(caught.exception.status, Status.ERROR_SNAPSHOT)
                cloth.tack(pairs[:1, 0], pairs[:1, 1])
            cloth.set_links([])
            with self.assertRaisesRegex(MuslinError, "with 3 links, but this one has 0"):
                cloth.restore(sewn)

    def test_without_links_nothing_changes(self):
        mesh, pairs = two_strips(5, 5, 0.02)
        frames = []
        for links_given in (False, True):
            with Cloth(mesh) as cloth:
                cloth.set_pins([0])
                if links_given:
                    cloth.sew(pairs)
                    cloth.set_links([])
                for _ in range(6):
                    cloth.step(STEP)
                frames.append(cloth.positions().tobytes())
        self.assertEqual(*frames)

    def test_what_was_set_stays(self):
        """Building the matrix anew forgets nothing that was set."""
        mesh, pairs = two_strips(5, 5, 0.02)
        shape, frames = (mesh.vertex_count, 3), []
        for early in (False, True):
            with Cloth(mesh) as cloth:
                if early:
                    cloth.sew(pairs)
                cloth.set_maps(mass=np.linspace(1, 3, mesh.vertex_count))
                cloth.set_material(bend=2e-5)
                cloth.set_forces(gravity=(0, 0, -5))
                cloth.set_fields(wind=np.full(shape, 2.0), traction=np.full(shape, 0.3))
                cloth.set_pins([0, 7], [1.0, 0.5])
                if not early:
                    cloth.sew(pairs)
                for _ in range(6):
                    cloth.step(STEP)
                frames.append(cloth.positions().tobytes())
        self.assertEqual(*frames)


class SelfContactTest(unittest.TestCase):
    def test_a_seam_closes_against_self_contact(self):
        """The two sides end in one place, nearer than layers keep from each other."""
        mesh, pairs = two_strips(6, 6, 0.03, apart=0.1)
        with Cloth(mesh, gravity=(0, 0, 0)) as cloth:
            cloth.set_self_contact(True, thickness=0.006)
            cloth.sew(pairs, speed=0.5)
            for _ in range(24):
                cloth.step(STEP)
            self.assertLess(cloth.link_report().largest_gap, 1e-4)
            self.assertLess(np.abs(cloth.positions()[:, 2]).max(), 1e-3)  # it was not pushed away


class RefusalTest(unittest.TestCase):
    def refused(self, cloth, array, status=Status.ERROR_ARGUMENT):
        with self.assertRaises(MuslinError) as caught:
            cloth.set_links([array])
        self.assertEqual(caught.exception.status, status)
        return caught.exception

    def test_bad_links(self):
        mesh, pairs = two_strips(3, 3, 0.02)
        with Cloth(mesh) as cloth:
            for field, value in (
                ("vertices", 99),
                ("vertices", -3),
                ("places", 1.5),
                ("length", np.nan),
                ("length", 1001),
                ("stiffness", -1),
                ("speed", 0),
            ):
                with self.subTest(field=field, value=value):
                    array = links.seam(pairs)
                    array[field][0] = value
                    self.refused(cloth, array)
            array = links.tack([0], [1])
            array["body"] = 3
            self.refused(cloth, array, Status.ERROR_BODY)
            self.refused(cloth, links.elastic([[0, 1]], 0.0))
            self.refused(cloth, links.elastic([[0, 1]], 1e6))
            for facing, length in (([0, 1, 99], 0.005), ([0, 1, 1], 0.005), ([0, 1, 2], -1.0)):
                self.refused(cloth, links.button(pairs[:1], [facing], length))
            with self.assertRaises(MuslinError):
                cloth.release(0)

    def test_threads_have_no_seams(self):
        mesh = Mesh.from_faces(*quads(5, 5))
        with Cloth(mesh, solver="threads") as cloth:
            self.assertIn("thread solver", str(self.refused(cloth, links.seam([[0, 4]]))))

    def test_a_mirrored_cloth_is_simulated_whole(self):
        places, faces = quads(5, 5)
        both = np.concatenate([places + [0.01, 0, 0], (places + [0.01, 0, 0]) * [-1, 1, 1]])
        mesh = Mesh.from_faces(both, [*faces.tolist(), *(faces[:, ::-1] + 25).tolist()])
        pairs = [[0, 26]]  # not its own image, as [0, 25] is: a half closes that
        with Cloth(mesh, mirror="exact") as cloth:
            self.assertIn("mirror is exact", str(self.refused(cloth, links.seam(pairs))))
        with Cloth(mesh, mirror="auto") as cloth:
            cloth.sew(pairs)
            self.assertIn("a whole garment", cloth.warnings[-1])
            cloth.step(STEP)
            self.assertTrue(cloth.mirror().solved_whole)

    def test_a_half_has_the_links_of_both_sides(self):
        """Seams on both sides and an elastic in the plane: closed, let go and held, half and whole agree."""
        mesh, sets = three_panels()
        paths, reports = [], []
        for mirror in ("off", "exact"):
            with Cloth(mesh, mirror=mirror, **SOLVED) as cloth:
                cloth.set_pins([42, 48])
                cloth.set_links(sets)
                paths.append([])
                for change in (None, cloth.release, cloth.hold):
                    if change:
                        change(0)
                    for _ in range(3):
                        cloth.step(STEP)
                        paths[-1].append(cloth.positions())
                    reports.append(cloth.link_report())
                self.assertFalse(cloth.mirror().solved_whole)
        whole, half = np.array(paths)
        self.assertLess(np.abs(half - whole).max(), 1e-6 * np.abs(whole - mesh.positions).max())
        self.assertGreater(np.abs(whole[-1] - mesh.positions).max(), 0.05)
        for told, again in zip(reports[:3], reports[3:]):
            self.assertEqual(
                (told.count, told.closing, told.released),
                (again.count, again.closing, again.released),
            )
            self.assertLess(abs(told.largest_gap - again.largest_gap), 1e-6)

    def test_links_of_a_half_go_with_it_to_the_whole_and_back(self):
        mesh, sets = three_panels()
        with Cloth(mesh, mirror="auto", **SOLVED) as cloth:
            cloth.set_pins([42, 48])
            cloth.set_links(sets)
            cloth.step(STEP)
            cloth.release(1)
            cloth.step(STEP)
            told, snapshot = cloth.link_report(), cloth.snapshot()
            cloth.step(STEP)
            expected = cloth.positions()
            self.assertEqual((told.count, told.closing, told.released), (20, 0, 6))
            cloth.set_pins([42])
            cloth.step(STEP)
            self.assertTrue(cloth.mirror().solved_whole)
            self.assertEqual(cloth.link_report().released, 6)
            cloth.restore(snapshot)
            cloth.set_pins([42, 48])
            cloth.step(STEP)
            self.assertFalse(cloth.mirror().solved_whole)
            np.testing.assert_array_equal(cloth.positions(), expected)
            cloth.sew([[0, 5]])
            self.assertIn("across the mirror plane", cloth.warnings[-1])
            cloth.step(STEP)
            self.assertTrue(cloth.mirror().solved_whole)
            self.assertEqual(cloth.link_report().count, 21)
            cloth.set_links(sets[:1])
            cloth.step(STEP)
            self.assertEqual(cloth.link_report().count, 14)

    def test_links_of_one_side_are_of_whole_garments(self):
        mesh, (seams, elastics) = three_panels()
        with Cloth(mesh, mirror="exact") as cloth:
            for array in (seams[:7], np.delete(seams, 3), links.tack([0], [50])):
                self.refused(cloth, array)
            cloth.set_links([elastics])


def three_panels():
    """A panel across x = 0, one on each side, 5 mm from it and 8 mm in front, and what sews and gathers them."""
    middle, faces = quads(7, 7)
    middle = np.round(middle - [0.06, 0, 0], 6)
    side, side_faces = quads(4, 7)
    side = side + [0.06 + 0.005, 0, 0.008]
    mesh = Mesh.from_faces(
        np.concatenate([middle, side, side * [-1, 1, 1]]),
        [*faces.tolist(), *(side_faces + 49).tolist(), *(side_faces[:, ::-1] + 77).tolist()],
    )
    row = np.arange(7)
    right = np.column_stack([row * 7 + 6, 49 + row * 4])
    left = np.column_stack([77 + row * 4, row * 7])  # the points in another order
    middle_line = np.column_stack([row[:-1] * 7 + 3, row[1:] * 7 + 3])
    return mesh, [links.seam(np.concatenate([right, left])), links.elastic(middle_line, 0.7)]


def quads(columns, rows):
    places, _ = grid(columns, rows, 0.02)
    low = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    return places, np.column_stack([low, low + 1, low + columns + 1, low + columns])


if __name__ == "__main__":
    unittest.main()

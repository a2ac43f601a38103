"""Several fabrics in one cloth: each part moves as it does alone.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from detail_checks import DetailTest, refused
from mirror_meshes import STEP as MIRROR_STEP
from mirror_meshes import roof, uneven
from muslin import Cloth, DetailCode, Element, Mesh, MuslinError, recording
from parts_meshes import BEND, FELT, MEASURED, SILK, STEP, Sheets, run
from recorded_calls import RecordingTest
from test_scenes.levels import long_test

MIXED = (SILK, MEASURED, {**FELT, "model": "edge"})
# Schemes in which nothing couples parts that do not touch: they move as alone, to the bit.
APART = (
    {"scheme": "plain", "iterations": 6},
    {"solver": "sweep", "sweeps": 40},
    {"scheme": "plain", "iterations": 4, "bending": "hinge"},
    {"scheme": "plain", "iterations": 4, "bending": "spring"},
)


class AsAloneTest(unittest.TestCase):
    def compare(self, materials, frames=12, tolerance=0.0, **settings):
        sheets = Sheets()
        with sheets.cloth(materials, **settings) as cloth:
            together = sheets.split(run(cloth, frames))
            energy = cloth.stats().elastic_energy
        alone = 0.0
        for cloth, moved in zip(sheets.each(materials, **settings), together):
            np.testing.assert_allclose(moved, run(cloth, frames), rtol=0, atol=tolerance)
            alone += cloth.stats().elastic_energy
        return energy, alone

    def test_to_the_bit(self):
        for settings in APART:
            with self.subTest(**settings):
                energy, alone = self.compare(MIXED, **settings)
                self.assertAlmostEqual(energy / alone, 1, delta=1e-9)

    def test_fold_memory(self):
        """Each part keeps its own folds, at its own vertices."""
        materials = [{**SILK, "fold_memory": 40}, FELT, {**MEASURED, "fold_memory": 90}]
        self.compare(materials, scheme="plain", iterations=6)

    def test_air_and_damping(self):
        materials = [{**SILK, "air_drag": 2}, {**SILK, "damping": 3}, {**SILK, "damping": 0.5}]
        self.compare(materials, scheme="plain", iterations=6, wind=(1, 2, 0))

    def test_soft_pins(self):
        sheets = Sheets()
        materials = [{**SILK, "pin_stiffness": stiffness} for stiffness in (500, 2000, 9000)]
        settings = {"scheme": "plain", "iterations": 6}
        weights = np.full(2, 0.5)
        with sheets.cloth(materials, **settings) as cloth:
            cloth.set_pins(sheets.pins, np.full(len(sheets.pins), 0.5))
            together = sheets.split(run(cloth, 12))
        for one, pins, moved in zip(sheets.each(materials, **settings), sheets.own_pins, together):
            one.set_pins(pins, weights)
            np.testing.assert_array_equal(moved, run(one, 12))

    @long_test
    def test_converged(self):
        exact = {"solver": "implicit", "iterations": 60, "pcg_tolerance": 1e-8}
        self.compare(MIXED, frames=6, tolerance=1e-4, **exact)

    def test_qualities(self):
        """The whole cloth decides when it is solved: parts fall as far as alone, to what a quality leaves unsolved."""
        sheets = Sheets()
        materials = [{**material, "damping": 2} for material in MIXED]
        for quality, left in (("draft", 0.08), ("fit", 0.05), ("final", 0.02)):
            with sheets.cloth(materials, quality=quality) as cloth:
                together = sheets.split(run(cloth, 6))
            each = sheets.each(materials, quality=quality)
            for one, moved, (start, _) in zip(each, together, sheets.alone):
                drop, alone = ((start - places)[:, 2].mean() for places in (moved, run(one, 6)))
                self.assertGreater(alone, 0.1)
                self.assertAlmostEqual(drop / alone, 1, delta=left, msg=quality)

    def test_one_part_is_as_none(self):
        sheets = Sheets((9,))
        plain = {key: value for key, value in SILK.items() if key != "model"}
        with sheets.cloth([{}], **plain) as one, sheets.each([plain])[0] as none:
            np.testing.assert_array_equal(run(one, 6), run(none, 6))
            self.assertEqual(one.part_count, 1)
            self.assertEqual(one.materials, none.materials)


class RunningTest(unittest.TestCase):
    def setUp(self):
        self.sheets = Sheets()

    def cloth(self, materials=MIXED, **settings):
        cloth = self.sheets.cloth(materials, **settings)
        self.addCleanup(cloth.close)
        return cloth

    def test_other_material_for_one(self):
        plain = {"scheme": "plain", "iterations": 6}
        cloth, alone = self.cloth(**plain), self.sheets.each(MIXED, **plain)
        run(cloth, 3)
        changes = {"density": 0.4, "stiffness_damping": 0.004}
        cloth.set_material(part=1, **changes)
        self.assertAlmostEqual(cloth.materials[1]["density"], 0.4, places=6)
        self.assertAlmostEqual(cloth.materials[0]["density"], SILK["density"], places=6)
        for one in alone:
            run(one, 3)
        alone[1].set_material(**changes)
        for one, moved in zip(alone, self.sheets.split(run(cloth, 5))):
            np.testing.assert_array_equal(moved, run(one, 5))

    def test_one_number_for_all(self):
        cloth = self.cloth()
        cloth.set_material(damping=1.5)
        self.assertEqual([one["damping"] for one in cloth.materials], [1.5] * 3)
        with self.assertRaises(MuslinError):  # threads of silk were not made for it
            cloth.set_material(bend_samples=BEND)
        self.assertEqual(sum(cloth.materials[0]["bend_samples"]), 0)
        self.assertGreater(sum(cloth.materials[1]["bend_samples"]), 0)

    def test_any_number_of_threads(self):
        found = [run(self.cloth(threads=threads), 8).tobytes() for threads in (1, 2, 5)]
        self.assertEqual(len(set(found)), 1)

    def test_snapshot(self):
        materials = [{**material, "fold_memory": 50} for material in (SILK, FELT, MEASURED)]
        cloth = self.cloth(materials)
        run(cloth, 3)
        snapshot = cloth.snapshot()
        first = run(cloth, 4)
        cloth.restore(snapshot)
        np.testing.assert_array_equal(run(cloth, 4), first)

    def settled(self, cloth):
        for _ in range(200):
            if cloth.settle().settled:
                return cloth.positions()
        self.fail("it did not settle")

    @long_test
    def test_settle(self):
        """Materials come back as they were: settling damps all of them alike."""
        together = self.sheets.split(self.settled(self.cloth()))
        for one, moved in zip(self.sheets.each(MIXED), together):
            np.testing.assert_allclose(self.settled(one), moved, rtol=0, atol=0.02)
        cloth = self.cloth(scheme="plain", iterations=6)
        self.settled(cloth)
        start = cloth.state()
        other = self.cloth(scheme="plain", iterations=6)
        for one in (cloth, other):
            one.set_state(*start)
        np.testing.assert_array_equal(run(cloth, 3), run(other, 3))

    @long_test
    def test_levels(self):
        """A coarser level has the same parts: the soft one is stretched by its weight as it is alone."""
        stiff = {"model": "triangle", "stretch_warp": 3000, "stretch_weft": 3000, "damping": 4}
        soft = {**stiff, "stretch_warp": 20, "stretch_weft": 20, "shear": 10}
        sheets = Sheets((24, 24))
        with sheets.cloth([stiff, soft], budget_ms=1000) as cloth:
            cloth.hold_level(1)
            run(cloth, 30)
            self.assertEqual(cloth.levels().level, 1)
            lows = [part[:, 2].min() for part in sheets.split(cloth.positions())]
        self.assertLess(lows[1], lows[0] - 0.02)
        for low, one in zip(lows, sheets.each([stiff, soft], budget_ms=1000)):
            one.hold_level(1)
            self.assertAlmostEqual(run(one, 30)[:, 2].min(), low, delta=0.01)


def two_roofs(mesh):
    """Two of them, one above the other, and the part of each vertex."""
    count = mesh.vertex_count
    faces = [list(face) for face in mesh.faces()]
    again = [[vertex + count for vertex in face] for face in faces]
    places = np.concatenate([mesh.positions, mesh.positions + np.float32([0, 0, 1])])
    return Mesh.from_faces(places, faces + again), np.repeat([0, 1], count)


class MirrorTest(DetailTest):
    MATERIALS = ({**SILK, "damping": 1}, {**FELT, "damping": 30})

    def fallen(self, mesh, parts, **settings):
        with Cloth(mesh, parts=parts, materials=self.MATERIALS, **settings) as cloth:
            cloth.set_pins(np.arange(2 * 63).reshape(2, 7, 9)[:, -1].ravel())
            for _ in range(8):
                cloth.step(MIRROR_STEP)
            return cloth.positions(), cloth.mirror()

    def test_half(self):
        mesh, parts = two_roofs(roof())
        exact = {"scheme": "plain", "iterations": 30}
        whole, _ = self.fallen(mesh, parts, **exact)
        half, report = self.fallen(mesh, parts, mirror="exact", **exact)
        self.assertEqual(report.mode, "exact")
        np.testing.assert_allclose(half, whole, rtol=0, atol=1e-3)

    def test_cut(self):
        """The other side, whose mesh is another one, has the parts, too: one falls more slowly."""
        mesh, parts = two_roofs(uneven())
        halved, report = self.fallen(mesh, parts, mirror="halve")
        whole, _ = self.fallen(mesh, parts)
        self.assertEqual(report.mode, "halve")
        drops = [(mesh.positions - places)[:, 2].reshape(2, 63) for places in (halved, whole)]
        left = mesh.positions[:63, 0] < 0
        for side in (left, ~left):
            (fast, slow), expected = (drop[:, side].mean(axis=1) for drop in drops)
            self.assertGreater(fast, 1.5 * slow)
            np.testing.assert_allclose([fast, slow], expected, rtol=0.1)

    def test_sides_of_different_fabrics(self):
        mesh = roof()
        left = mesh.positions[:, 0] < -0.05
        right = mesh.positions[:, 0] > 0.05
        faces = [face for face in mesh.faces() if left[list(face)].all() or right[list(face)].all()]
        parted = Mesh.from_faces(mesh.positions, faces)
        settings = {"parts": right.astype(int), "materials": self.MATERIALS}
        details = refused(Cloth, parted, mirror="exact", **settings)
        self.check(
            details,
            DetailCode.CONFLICT,
            name="vertex_parts",
            element=Element.VERTEX,
            elements=[0],
        )
        with Cloth(parted, mirror="auto", **settings) as cloth:
            self.assertEqual(cloth.mirror().mode, "off")


class RefusalTest(DetailTest):
    def setUp(self):
        self.sheets = Sheets()

    def refused(self, **changes):
        given = {"parts": self.sheets.parts, "materials": MIXED, **changes}
        return refused(Cloth, self.sheets.mesh, **given)

    def test_face_across(self):
        parts = self.sheets.parts.copy()
        parts[40] = 2
        first = next(f for f, face in enumerate(self.sheets.mesh.faces()) if 40 in face)
        self.check(
            self.refused(parts=parts),
            DetailCode.CONFLICT,
            name="vertex_parts",
            element=Element.FACE,
            elements=[first],
        )

    def test_edge_across(self):
        mesh = Mesh([[0, 0, 0], [1, 0, 0]], edges=[[0, 1]])
        details = refused(Cloth, mesh, parts=[0, 1], materials=[{}, {}])
        self.check(
            details, DetailCode.CONFLICT, name="vertex_parts", element=Element.EDGE, elements=[0]
        )

    def test_model_names_the_part(self):
        with self.assertRaisesRegex(MuslinError, "part 1: stretch_samples is given, but the edge"):
            Cloth(
                self.sheets.mesh,
                parts=self.sheets.parts,
                materials=[SILK, {**MEASURED, "model": "edge"}, FELT],
            )
        with self.assertRaisesRegex(MuslinError, "part 2: density"):
            Cloth(
                self.sheets.mesh, parts=self.sheets.parts, materials=[SILK, FELT, {"density": -1}]
            )

    def test_numbers(self):
        self.check(
            self.refused(parts=self.sheets.parts + 1),
            DetailCode.INDEX_RANGE,
            name="vertex_parts",
            element=Element.VERTEX,
            elements=[self.sheets.starts[2]],
            value=3,
        )
        self.check(self.refused(materials=[]), DetailCode.RANGE, name="part_count")
        self.check(self.refused(materials=[{}] * 17), DetailCode.RANGE, name="part_count")
        self.check(self.refused(solver="threads"), DetailCode.CONFLICT, name="part_count")
        for changes in ({"parts": None}, {"materials": None}, {"parts": [0]}):
            with self.assertRaises(MuslinError):
                Cloth(
                    self.sheets.mesh,
                    **{"parts": self.sheets.parts, "materials": MIXED, **changes},
                )

    def test_running(self):
        with self.sheets.cloth(MIXED) as cloth:
            with self.assertRaisesRegex(MuslinError, "part"):
                cloth.set_material(part=3, density=1)
            with self.assertRaisesRegex(MuslinError, "part 1: density"):
                cloth.set_material(part=1, density=-1)
            with self.assertRaisesRegex(MuslinError, "bend_samples is given for part 0"):
                cloth.set_material(part=0, bend_samples=BEND)
            cloth.step(STEP)


class RecordedTest(RecordingTest):
    def test_same_bytes(self):
        recording.start(self.file)
        with Sheets((6, 5, 4)).cloth(MIXED) as cloth:
            run(cloth, 2)
            cloth.set_material(part=2, density=0.4)
            run(cloth, 2)
        recording.stop()
        self.assertEqual(recording.problem(), "")
        self.assert_same()


if __name__ == "__main__":
    unittest.main()

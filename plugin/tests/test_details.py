"""What messages are about, in codes and numbers: meshes, bodies, pins and mirrored cloth.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

import mirror_meshes as meshes
from body_meshes import ball, sheet, table
from detail_checks import NAN, SIDE, SQUARE, DetailTest, refused, warned
from mirror_meshes import roof
from muslin import Cloth, Defect, DetailCode, Element, Mesh, Outcome, find_symmetry, links


class MeshTest(DetailTest):
    def test_defects(self):
        faces = [[0, 1, 2], [0, 2, 3]]
        cases = {
            Defect.REPEATED_VERTEX: Mesh.from_faces(SQUARE, [*faces, [0, 1, 1]]),
            Defect.DUPLICATE_FACE: Mesh.from_faces(SQUARE, [*faces, [2, 1, 0]]),
            Defect.ISOLATED: Mesh.from_faces([*SQUARE, (5, 5, 5)], faces),
            Defect.FLIPPED: Mesh.from_faces(SQUARE, [[0, 1, 2], [0, 3, 2]]),
            Defect.SLIVER: Mesh.from_faces(SQUARE * np.float32([1, 0.001, 1]), faces),
        }
        for kind, mesh in cases.items():
            with self.subTest(kind):
                found = [detail for detail in warned(mesh) if detail.code == DetailCode.DEFECT]
                self.assertIn(kind, [detail.defect for detail in found])
                for detail in found:
                    self.has(detail, defect=detail.defect, count=2 if kind == Defect.SLIVER else 1)

    def test_several_at_once(self):
        """Each sentence is there once, in order, and together they are the message."""
        mesh = Mesh.from_faces([*SQUARE, (5, 5, 5)], [[0, 1, 2], [0, 2, 3], [0, 1, 1]])
        with Cloth(mesh) as cloth:
            reported = cloth.warnings[0]
            self.assertEqual(
                [d.defect for d in reported.details], [Defect.REPEATED_VERTEX, Defect.ISOLATED]
            )
            self.assertEqual("; ".join(reported.details), reported)
            self.assertEqual(reported.sentences, reported.details)

    def test_errors(self):
        broken = Mesh.from_faces(SQUARE.copy(), [[0, 1, 2]])
        broken.positions[2:, 1] = NAN
        self.check(
            refused(Cloth, broken),
            DetailCode.DEFECT,
            defect=Defect.NOT_FINITE,
            element=Element.VERTEX,
            elements=[2],
            count=2,
        )
        numbers = {"defect": Defect.INDEX_RANGE, "count": 1, "value": 9.0, "limit": 3.0}
        outside = Mesh.from_faces(SQUARE, [[0, 1, 2], [0, 1, 9]])
        self.check(
            refused(Cloth, outside),
            DetailCode.DEFECT,
            element=Element.FACE,
            elements=[1],
            **numbers,
        )
        outside = Mesh.from_faces(SQUARE, [[0, 1, 2]], edges=[(2, 9)])
        self.check(
            refused(Cloth, outside),
            DetailCode.DEFECT,
            element=Element.EDGE,
            elements=[0],
            **numbers,
        )

    def test_threads_without_a_grid(self):
        triangles = Mesh.from_faces(SQUARE, [[0, 1, 2], [0, 2, 3]])
        details = refused(Cloth, triangles, solver="threads")
        self.check(details, DetailCode.NO_GRID, element=Element.FACE, elements=[0], count=1)

    def test_shear_that_a_model_cannot_have(self):
        triangles = Mesh.from_faces(SQUARE, [[0, 1, 2], [0, 2, 3]])
        self.check(warned(triangles, model="edge", shear=40), DetailCode.NO_SHEAR, value=40.0)
        with Cloth(triangles, stretch_warp=900, stretch_weft=800, shear=20) as cloth:
            self.assertEqual(cloth.warnings, [])
            cloth.set_material(shear=850)
            self.check(cloth.details, DetailCode.SHEAR_STIFF, value=850.0, limit=800.0)
        for mesh, settings in (
            (triangles, {"model": "edge", "shear": 0}),
            (Mesh.from_faces(SQUARE, [[0, 1, 2, 3]]), {"model": "edge", "shear": 40}),
        ):
            with Cloth(mesh, **settings) as cloth:
                self.assertEqual(cloth.warnings, [])

    def test_stiffness_beyond_all_precision(self):
        with Cloth(Mesh.from_faces(SQUARE, [[0, 1, 2, 3]]), stretch_warp=9e12) as cloth:
            self.assertEqual(cloth.warnings, [])
            cloth.set_material(stretch_warp=1e13)
            self.check(
                cloth.details,
                DetailCode.TOO_STIFF,
                name="stretch_warp",
                value=float(np.float32(1e13)),
                limit=float(np.float32(1e13)),
            )

    def test_pattern(self):
        faces = [[0, 1, 2], [0, 2, 3]]
        uvs = 10 * SQUARE[[0, 1, 2, 0, 2, 3], :2]
        self.check(
            warned(Mesh.from_faces(SQUARE, faces, uvs=uvs), pattern="uv"),
            DetailCode.PATTERN_AREA,
            value=100.0,
            limit=0.1,
        )
        self.check(
            refused(Cloth, Mesh.from_faces(SQUARE, faces, uvs=0.025 * uvs), pattern="uv"),
            DetailCode.PATTERN_AREA,
            value=0.0625,
            limit=4.0,
        )
        uvs[:3] = 0
        flat = warned(Mesh.from_faces(SQUARE, faces, uvs=0.1 * uvs), pattern="uv")
        self.assertIn(DetailCode.PATTERN_FLAT, [detail.code for detail in flat])
        for detail in flat:
            if detail.code == DetailCode.PATTERN_FLAT:
                self.has(detail, count=1)
        uvs[0] = NAN
        self.check(
            refused(Cloth, Mesh.from_faces(SQUARE, faces, uvs=uvs), pattern="uv"),
            DetailCode.DEFECT,
            defect=Defect.BAD_UV,
            count=1,
        )

    def test_thin_hinges(self):
        points = [(0, 0, 0), (1, 0, 0), (0.5, -5e-5, 0), (0.5, 1, 0)]
        details = warned(Mesh.from_faces(points, [[0, 2, 1], [0, 1, 3]]))
        found = [detail for detail in details if detail.code == DetailCode.THIN_HINGES]
        self.check(found, DetailCode.THIN_HINGES, count=1)


class BodyTest(DetailTest):
    def setUp(self):
        self.cloth = Cloth(sheet())
        self.addCleanup(self.cloth.close)

    def test_no_such_body(self):
        body = self.cloth.add_body(table())
        body.remove()
        for function in (body.remove, lambda: body.move(table().positions)):
            self.check(refused(function), DetailCode.NO_BODY, body=0)

    def test_replaced(self):
        self.cloth.add_body(table())
        body = self.cloth.add_body(table())
        body.replace(ball())
        self.assertEqual(self.cloth.details, [])
        self.check(
            refused(body.move, table().positions),
            DetailCode.COUNT,
            body=1,
            name="positions",
            value=float(table().vertex_count),
            limit=float(ball().vertex_count),
        )

    def test_defects(self):
        self.cloth.add_body(table())
        points = [(0, 0, -1), (1, 0, -1), (0, 1, -1), (0, 2, -1)]
        bad = (points, [[0, 1, 2], [0, 0, 1], [0, 2, 3]])
        body = self.cloth.add_body(bad)
        codes = DetailCode.BODY_REPEATED_VERTEX, DetailCode.BODY_FLAT
        for detail, code in zip(self.cloth.details, codes):
            self.check([detail], code, body=1, count=1)
        self.cloth.warnings.clear()
        body.replace(bad)
        self.assertEqual(
            [(detail.code, detail.body) for detail in self.cloth.details],
            [(code, 1) for code in codes],
        )

    def test_turned(self):
        inside_out = ball()
        faces = inside_out.face_vertices.reshape(len(inside_out.face_sizes), -1)[:, ::-1]
        self.cloth.add_body((inside_out.positions, np.ascontiguousarray(faces)))
        self.check(self.cloth.details, DetailCode.BODY_TURNED, body=0, count=1)

    def test_tacks_without_a_place(self):
        body = self.cloth.add_body(ball())
        last = ball().vertex_count - 1
        tacks = links.tack_to_body([0, 1], body, [[last] * 3, [0, 1, 2]], [[1, 0, 0]] * 2)
        self.cloth.set_links([tacks])
        body.replace((SQUARE, [[0, 1, 2, 3]]))
        self.check(self.cloth.details[-1:], DetailCode.BODY_TACKS, body=0, count=1)

    def test_jumped(self):
        mesh = ball()
        size = float(np.linalg.norm(np.ptp(sheet().positions, axis=0)))
        body = self.cloth.add_body(mesh)
        body.move(mesh.positions + np.float32([0, 3, 0]))
        limit = max(0.5 * size, float(np.linalg.norm(np.ptp(mesh.positions, axis=0))))
        jumped = {"body": 0, "value": 3.0, "limit": limit, "count": 0}
        self.check(self.cloth.details, DetailCode.BODY_JUMPED, **jumped)

    def test_asymmetric(self):
        odd = Mesh.from_faces(SQUARE - np.float32([3, 0, 3]), [[0, 1, 2, 3]])
        even = roof()
        even.positions[3] += np.float32([0, 0, 0.01])
        cases = (
            (even, "symmetrise", Outcome.MEAN_MET),
            (odd, "symmetrise", Outcome.KEPT_SIDE_MET),
            (even, "whole", Outcome.SOLVED_WHOLE),
        )
        for mesh, choice, outcome in cases:
            with self.subTest(outcome), Cloth(
                roof(), mirror="auto", asymmetric_body=choice
            ) as cloth:
                body = cloth.add_body(mesh)
                report = cloth.mirror()
                self.check(
                    cloth.details,
                    DetailCode.BODY_ASYMMETRIC,
                    outcome=outcome,
                    body=body.number,
                    element=Element.BODY_VERTEX,
                    elements=[report.body_vertex],
                    value=report.body_asymmetry,
                )
                self.assertEqual(cloth.details[0].vertex, report.body_vertex)
                self.assertGreater(cloth.details[0].value, cloth.details[0].limit)


class PinTest(DetailTest):
    def test_whole_cloth(self):
        with Cloth(sheet()) as cloth:
            count = cloth.vertex_count
            self.check(
                refused(cloth.set_pins, [2, 2]),
                DetailCode.PINNED_TWICE,
                element=Element.VERTEX,
                elements=[2],
            )
            self.check(
                refused(cloth.set_pins, [1, count]),
                DetailCode.INDEX_RANGE,
                name="vertices",
                element=Element.PIN,
                elements=[1],
                value=float(count),
                limit=count - 1.0,
            )
            for weight, limit in ((-1.0, 0.0), (2.0, 1.0)):
                self.check(
                    refused(cloth.set_pins, [1, 3], [1, weight]),
                    DetailCode.RANGE,
                    name="weights",
                    element=Element.VERTEX,
                    elements=[3],
                    value=weight,
                    limit=limit,
                )
            for details in (
                refused(cloth.set_pins, np.zeros(count + 1, int)),
                refused(cloth.move_pins, SQUARE),
            ):
                self.check(details, DetailCode.COUNT, name="count", value=details[0].value)
            cloth.set_pins(np.arange(count))
            self.check(cloth.details, DetailCode.ALL_PINNED, count=count)

    def test_mirrored(self):
        for mode, outcome in (("exact", Outcome.NONE), ("auto", Outcome.SOLVED_WHOLE)):
            with Cloth(roof(), mirror=mode) as cloth:
                if mode == "exact":
                    details = refused(cloth.set_pins, [0, 1, 2, 3, 4])
                else:
                    cloth.set_pins([0, 1, 2, 3, 4])
                    details = cloth.details
                self.check(
                    details,
                    DetailCode.PINS_ASYMMETRIC,
                    outcome=outcome,
                    element=Element.VERTEX,
                    elements=[0, 1, 2],
                    count=4,
                )
                self.assertTrue(details[0].startswith(details[0].cause + ", "))
                self.check(
                    refused(cloth.set_pins, [0, 8, 0]),
                    DetailCode.PINNED_TWICE,
                    element=Element.VERTEX,
                    elements=[0],
                )
        with Cloth(roof(), mirror="halve") as cloth:
            cloth.set_pins([0])
            self.check(cloth.details, DetailCode.PINS_NOT_KEPT, count=1)
        with Cloth(meshes.jacket(), mirror="exact", closure="button") as cloth:
            cloth.set_pins([12, 0, 24, 25, 49])
            self.check(
                cloth.details,
                DetailCode.PINS_ON_STRIP,
                element=Element.VERTEX,
                elements=[0, 24, 25],
                count=4,
            )


class MirrorTest(DetailTest):
    def both(self, mesh, code, **wanted):
        """exact refuses; auto never mirrors, and its cause is what exact says."""
        settings = wanted.pop("settings", {})
        details = refused(Cloth, mesh, mirror="exact", **settings)
        self.check(details, code, **wanted)
        reported = warned(mesh, mirror="auto", **settings)
        self.has(reported[0], outcome=Outcome.NOT_MIRRORED, **wanted)
        self.assertEqual(reported[0].cause, str(details[0]))
        self.assertNotEqual(reported[0], reported[0].cause)

    def test_meshes(self):
        vertex = {"element": Element.VERTEX}
        face = {"element": Element.FACE}
        self.both(meshes.with_hole(), DetailCode.NO_IMAGE, elements=[1], **vertex)
        slanted = refused(Cloth, meshes.slanted(), mirror="exact")[0]
        self.both(
            meshes.slanted(), slanted.code, elements=slanted.elements, count=slanted.count, **vertex
        )
        lonely = Mesh.from_faces([(0, 0, 0), (1, 0, 0), (0.3, 1, 0)], [[0, 1, 2]])
        self.both(lonely, DetailCode.NOTHING_SYMMETRIC, elements=[1, 2], **vertex)
        self.both(meshes.doubled(), DetailCode.COPIES, elements=[0, 63], count=126, **vertex)
        across = [3, 10, 17]
        self.both(meshes.strip_across(), DetailCode.ACROSS_PLANE, elements=across, count=6, **face)
        self.both(
            roof(), DetailCode.PLANE_MISSES, count=63, value=2.6, settings={"mirror_plane": SIDE}
        )
        x, y = np.meshgrid(np.arange(4), np.arange(-2, 3))
        grid = np.float32(0.1) * np.stack([x, y, 0 * x], axis=-1).reshape(-1, 3)
        upright = {"mirror_plane": ((0, 0, 0), (0, 1, 0))}
        mesh = Mesh.from_faces(grid, meshes.quads(4, 5).tolist())
        self.both(mesh, DetailCode.CUT_DIFFERS, elements=[1], count=4, settings=upright, **face)
        plane = meshes.places() * np.float32([0, 1, 1])
        plane[:, 2] = meshes.places()[:, 0]
        faces = meshes.triangles(9, 7)
        self.both(
            Mesh.from_faces(plane, faces),
            DetailCode.IN_PLANE,
            elements=[0, 1, 2],
            count=len(faces),
            **face,
        )

    def test_nothing_on_the_kept_side(self):
        mesh = Mesh.from_faces(SQUARE - np.float32([1, 0, 0]), [[0, 1, 2, 3]])
        details = refused(Cloth, mesh, mirror="halve")
        self.check(details, DetailCode.NOTHING_KEPT, count=1)

    def test_sides_that_differ(self):
        details = refused(Cloth, meshes.slanted(), mirror="halve")
        self.check(details, DetailCode.SIDES_DIFFER, element=Element.VERTEX, elements=[60], count=1)

    def test_closures(self):
        details = warned(roof(), mirror="exact", closure="zip")
        self.check(details, DetailCode.NO_FRONT)
        details = refused(
            Cloth, meshes.jacket(), mirror="exact", closure="zip", asymmetric_body="whole"
        )
        self.check(details, DetailCode.CONFLICT, name="asymmetric_body")

    def test_symmetry(self):
        still = Mesh.from_faces(np.zeros((3, 3)), [[0, 1, 2]])
        self.check(refused(find_symmetry, still), DetailCode.NO_SIZE, count=3)
        details = refused(Cloth, roof(), mirror="exact", mirror_tolerance=5)
        self.check(details, DetailCode.RANGE, name="tolerance", value=5.0, limit=details[0].limit)
        self.assertLess(details[0].limit, 0.5)

    def test_forces(self):
        cases = (
            ({"gravity": (-3, 0, -4)}, DetailCode.GRAVITY_ASYMMETRIC, 3.0),
            ({"wind": (2, 1, 0), "normal_drag": 1}, DetailCode.WIND_ASYMMETRIC, 2.0),
        )
        for forces, code, value in cases:
            for mode, outcome in (
                ("exact", Outcome.NONE),
                ("auto", Outcome.SOLVED_WHOLE),
                ("halve", Outcome.LEFT_OUT),
            ):
                with self.subTest(code, mode=mode), Cloth(roof(), mirror=mode) as cloth:
                    if mode == "exact":
                        details = refused(cloth.set_forces, **forces)
                    else:
                        cloth.set_forces(**forces)
                        details = cloth.details
                    self.check(details, code, outcome=outcome, value=value)

    def test_maps_and_state(self):
        heavy = np.ones(63)
        heavy[:9] = np.linspace(1, 2, 9)
        wanted = {"element": Element.VERTEX, "elements": [0, 1, 2]}
        with Cloth(roof(), mirror="exact") as cloth:
            details = refused(cloth.set_maps, mass=heavy)
            self.check(details, DetailCode.MAPS_ASYMMETRIC, count=4, **wanted)
            details = refused(cloth.set_state, roof().positions + np.float32([0.01, 0, 0]))
            self.check(details, DetailCode.STATE_ASYMMETRIC, count=details[0].count, **wanted)


if __name__ == "__main__":
    unittest.main()

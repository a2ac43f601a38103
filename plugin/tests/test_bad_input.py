"""Bad input through the binding: a status, and a message that names the vertex or the parameter.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from muslin import (
    Cloth,
    Defect,
    DetailCode,
    Mesh,
    MuslinError,
    Status,
    check_mesh,
    default_settings,
)
from muslin.table import SETTINGS

ORIGIN = (0, 0, 0)
NAN, INFINITY = float("nan"), float("inf")
STEP = 1 / 24
SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=np.float32)
FACES = [[0, 1, 2], [0, 2, 3]]


def square(extra=(), faces=FACES, edges=()):
    """A unit square of two triangles, with more vertices if wanted."""
    return Mesh.from_faces([*SQUARE.tolist(), *extra], faces, edges)


def beyond(setting):
    """Values that a setting does not take."""
    if setting.enum:
        values = [choice.value for choice in setting.enum.choices]
        return (min(values) - 1, max(values) + 1)
    least = () if setting.least is None else (setting.least - 1,)
    most = () if setting.most is None else (setting.most + 1,)
    if setting.type != "float":
        return (*least, *most)
    most = [one + 1e-3 * abs(one) for one in most]  # a number that float32 tells from the end
    numbers = (*least, *most, NAN, INFINITY)
    return tuple([number] * setting.length for number in numbers) if setting.length > 1 else numbers


class BindingTest(unittest.TestCase):
    def refused(self, status, parts, function, *arguments, **settings):
        """The call must raise this status, with a message that holds the parts."""
        with self.assertRaises(MuslinError) as caught:
            function(*arguments, **settings)
        self.assertEqual(caught.exception.status, status, str(caught.exception))
        for part in parts:
            self.assertIn(part, str(caught.exception))


class MeshTest(BindingTest):
    def test_not_finite_coordinates(self):
        for bad in (NAN, INFINITY, -INFINITY, 1e300, 1.001e9):
            mesh = square(extra=[[0, bad, 0]], faces=[*FACES, [0, 1, 4]])
            self.refused(Status.ERROR_MESH, ["vertex 4"], Cloth, mesh)
            check = check_mesh(mesh)
            self.assertEqual(check.status, Status.ERROR_MESH)
            self.assertEqual(check.report.defects[Defect.NOT_FINITE], 1)
            self.assertEqual(
                (check.findings[0].kind, check.findings[0].element), (Defect.NOT_FINITE, 4)
            )

    def test_empty_mesh(self):
        mesh = Mesh(np.zeros((0, 3)))
        self.refused(Status.ERROR_MESH, ["vert"], Cloth, mesh)
        self.assertEqual(check_mesh(mesh).status, Status.ERROR_MESH)

    def test_no_faces_and_no_edges(self):
        mesh = Mesh(SQUARE)
        self.refused(Status.ERROR_MESH, ["face", "edge"], Cloth, mesh)
        self.assertEqual(check_mesh(mesh).status, Status.ERROR_MESH)

    def test_indices_out_of_range(self):
        for bad in (4, -1, 2**31 - 1, -(2**31)):
            for mesh in (square(faces=[[0, 1, bad]]), square(edges=[[0, bad]])):
                self.refused(Status.ERROR_MESH, [str(bad)], Cloth, mesh)
                self.assertEqual(check_mesh(mesh).report.defects[Defect.INDEX_RANGE], 1)

    def test_indices_that_int32_cannot_hold(self):
        self.refused(Status.ERROR_ARGUMENT, ["face_vertices"], square, faces=[[0, 1, 2**31]])
        self.refused(Status.ERROR_ARGUMENT, ["edges"], square, edges=[[0, 2**40]])

    def test_faces_too_small(self):
        for size in (-3, 0, 1, 2):
            mesh = Mesh(SQUARE, [3, size], [0, 1, 2] + [0] * max(size, 0))
            self.refused(Status.ERROR_MESH, ["face"], Cloth, mesh)

    def test_arrays_that_do_not_fit(self):
        argument = Status.ERROR_ARGUMENT
        self.refused(argument, ["positions"], Mesh, [[0, 0], [1, 1]])
        self.refused(argument, ["positions"], Mesh, "text")
        self.refused(argument, ["face_vertices"], Mesh, SQUARE, [3], [0, 1])
        self.refused(argument, ["face_vertices"], Mesh, SQUARE, [3], [0.5, 1, 2])
        self.refused(argument, ["edges"], Mesh, SQUARE, [], [], [[0, 1, 2]])
        uvs = np.zeros((2, 2))
        self.refused(argument, ["uv_indices"], Mesh, SQUARE, [3], [0, 1, 2], (), uvs)
        self.refused(argument, ["uv_indices"], Mesh, SQUARE, [3], [0, 1, 2], (), uvs, [0, 1, 2])

    def simulates_with_warning(self, mesh, kind, count=1):
        """A defect that is counted, warned about and lived with."""
        check = check_mesh(mesh)
        self.assertEqual(check.report.defects[kind], count)
        self.assertEqual(sum(finding.kind == kind for finding in check.findings), count)
        with Cloth(mesh) as cloth:
            if check.status > 0:
                self.assertEqual(len(cloth.warnings), 1)
                self.assertIn(str(count), cloth.warnings[0])
            cloth.set_pins([0])
            for _ in range(10):
                cloth.step(STEP)
            self.assertTrue(np.isfinite(cloth.positions()).all())
            return cloth.positions()

    def test_zero_area(self):
        flat = square(extra=[[2, 0, 0]], faces=[*FACES, [0, 1, 4]])
        self.simulates_with_warning(flat, Defect.ZERO_AREA)
        point = square(extra=[[0, 0, 0], [0, 0, 0]], faces=[*FACES, [0, 4, 5]])
        self.simulates_with_warning(point, Defect.ZERO_AREA)

    def test_sliver(self):
        mesh = square(extra=[[0.5, -0.001, 0]], faces=[*FACES, [0, 4, 1]])
        self.simulates_with_warning(mesh, Defect.SLIVER)

    def test_duplicate_face(self):
        self.simulates_with_warning(square(faces=[*FACES, [1, 2, 0]]), Defect.DUPLICATE_FACE)

    def test_repeated_vertex(self):
        self.simulates_with_warning(square(faces=[*FACES, [1, 1, 2]]), Defect.REPEATED_VERTEX)
        self.simulates_with_warning(square(edges=[[2, 2]]), Defect.REPEATED_VERTEX)
        for faces, edges, words in (
            ([*FACES, [1, 1, 2]], (), "1 face naming"),
            (FACES, [[2, 2]], "1 loose edge naming"),
            ([*FACES, [1, 1, 2]], [[2, 2]], "2 elements naming"),
        ):
            self.assertIn(words, check_mesh(square(faces=faces, edges=edges)).message)

    def test_who_names_a_vertex_that_is_not_there(self):
        self.assertIn(
            "face 1 names vertex 9", check_mesh(square(faces=[[0, 1, 2], [0, 2, 9]])).message
        )
        self.assertIn("loose edge 1 names", check_mesh(square(edges=[[0, 2], [0, 4]])).message)

    def test_texture_coordinates_that_are_not_finite(self):
        """Ignored, unless they are the pattern."""
        uvs = SQUARE[[0, 1, 2, 0, 2, 3], :2].copy()
        uvs[4, 1] = NAN
        mesh = Mesh.from_faces(SQUARE, FACES, uvs=uvs)
        self.simulates_with_warning(mesh, Defect.BAD_UV)
        self.assertEqual(check_mesh(mesh).findings[0].element, 1)
        self.refused(Status.ERROR_MESH, ["UV"], Cloth, mesh, pattern="uv")

    def test_isolated_vertices_stay_where_they_are(self):
        mesh = square(extra=[[5, 6, 7], [8, 9, 10]])
        positions = self.simulates_with_warning(mesh, Defect.ISOLATED, 2)
        np.testing.assert_array_equal(positions[4:], mesh.positions[4:])

    def test_non_manifold_edge(self):
        mesh = square(extra=[[1, 0, 1]], faces=[*FACES, [0, 2, 4]])
        self.simulates_with_warning(mesh, Defect.NON_MANIFOLD)

    def test_flipped_face(self):
        self.simulates_with_warning(square(faces=[[0, 1, 2], [0, 3, 2]]), Defect.FLIPPED)

    def test_doubled_vertex(self):
        extra = [[1, 1, 0], [2, 1, 0], [2, 2, 0]]
        mesh = square(extra=extra, faces=[*FACES, [4, 5, 6]])
        self.simulates_with_warning(mesh, Defect.DOUBLED_VERTEX)

    def test_clean_mesh(self):
        check = check_mesh(square())
        self.assertEqual((check.status, check.findings), (Status.OK, []))
        self.assertAlmostEqual(check.report.area, 1.0, places=5)
        with Cloth(square()) as cloth:
            self.assertEqual(cloth.warnings, [])


class SettingTest(BindingTest):
    # Each setting with values that the library must refuse by the setting's name.
    OUT_OF_RANGE = {
        "density": (0, -1, NAN, INFINITY),
        "stretch_warp": (-1, NAN, INFINITY),
        "stretch_weft": (-1, NAN, INFINITY),
        "shear": (-1, NAN, INFINITY),
        "bend": (-1e-6, NAN, INFINITY),
        "rope_density": (0, -1, NAN, INFINITY),
        "rope_stretch": (-1, NAN, INFINITY),
        "damping": (-1, NAN, INFINITY),
        "stiffness_damping": (-1, NAN, INFINITY),
        "air_drag": (-1, NAN, INFINITY),
        "pin_stiffness": (0, -1, NAN, INFINITY),
        "gravity": ((0, 0, NAN), (INFINITY, 0, 0)),
        "wind": ((0, NAN, 0), (0, 0, -INFINITY)),
        "normal_drag": (-1, NAN, INFINITY),
        "tangent_drag": (-1, NAN, INFINITY),
        "solver": (-1, 4),
        "sweep_method": (-1, 6),
        "sweeps": (0, -1, 1001),
        "scheme": (-1, 3),
        "quality": (-1, 4),
        "integrator": (-1, 3),
        "model": (-1, 3),
        "estimate": (-1, 3),
        "order": (-1, 3),
        "shear_axes": (-1, 2),
        "shear_energy": (-1, 2),
        "tension_only": (-1, 2),
        "bend_rest": (-1, 2),
        "pattern": (-1, 2),
        "uv_scale": (0, -1, NAN, INFINITY),
        "ordering": (-1, 7),
        "precision": (-1, 3),
        "substeps": (-1, 10001),
        "iterations": (0, -1),
        "pcg_tolerance": (0, 1, -1, NAN),
        "pcg_limit": (0, -1),
        "threads": (0, -1),
        "coefficients": ((), (NAN,), (0.5, INFINITY), (0.5, 0.2)),
        "mirror": (-1, 4),
        "mirror_plane": (
            ((0, NAN, 0), (1, 0, 0)),
            ((0, 0, 0), (0, 0, 0)),
            (ORIGIN, (INFINITY, 0, 0)),
        ),
        "mirror_tolerance": (-1, NAN, INFINITY),
        "closure": (-1, 3, "zip"),  # the last one since nothing is mirrored
        "overlap": (0, -1, 1.5, NAN),
        "over": (0, 2),
        "asymmetric_body": (-1, 2),
    }
    # How messages name them, where not by the setting's name.
    WORDS = {"coefficients": "coefficient", "mirror_plane": "mirror_normal"}
    # Values of the wrong type, refused before the library is called.
    WRONG_TYPE = {
        "density": ("thick", None, [1]),
        "gravity": (1.0, (1, 2), (1, 2, 3, 4), "down"),
        "model": ("knit", 0.5, None),
        "substeps": (1.5, "two", 2**31, None),
        "mirror": ("yes", 0.5, None),
        "mirror_plane": ("x", 1, (0, 0, 0), ((0, 0), (1, 0)), (ORIGIN, "x")),
        "coefficients": ((1, 2, 3, 4, 5), ("a",), None, 1.0, "12", np.array(1.0)),
    }

    @classmethod
    def setUpClass(cls):
        """Those above, and of any other setting what the table of settings keeps out."""
        others = {name: beyond(SETTINGS[name]) for name in default_settings() if name in SETTINGS}
        cls.cases = {**others, **cls.OUT_OF_RANGE}

    def test_every_setting_is_tested(self):
        self.assertEqual(sorted(self.cases), sorted(default_settings()))
        for name, values in self.cases.items():
            self.assertTrue(values, name)

    def test_out_of_range(self):
        for name, values in self.cases.items():
            for value in values:
                with self.subTest(name, value=value):
                    word = self.WORDS.get(name, name)
                    self.refused(Status.ERROR_ARGUMENT, [word], Cloth, square(), **{name: value})

    def test_wrong_type(self):
        for name, values in self.WRONG_TYPE.items():
            for value in values:
                with self.subTest(name, value=value):
                    self.refused(Status.ERROR_ARGUMENT, [name], Cloth, square(), **{name: value})

    def test_what_is_no_mesh(self):
        for value in ("x", None, SQUARE):
            self.refused(Status.ERROR_ARGUMENT, ["mesh", "muslin.Mesh"], Cloth, value)
            self.refused(Status.ERROR_ARGUMENT, ["mesh", "muslin.Mesh"], check_mesh, value)

    def test_unknown_setting(self):
        parts = ["densty", "density"]
        self.refused(Status.ERROR_ARGUMENT, parts, Cloth, square(), densty=1)

    def test_refused_change_changes_nothing(self):
        with Cloth(square()) as cloth:
            before = cloth.settings
            self.refused(Status.ERROR_ARGUMENT, ["density"], cloth.set_material, density=-1)
            self.refused(Status.ERROR_ARGUMENT, ["wind"], cloth.set_forces, wind=(NAN, 0, 0))
            self.refused(Status.ERROR_ARGUMENT, ["substeps"], cloth.set_iterations, -1, 1)
            self.refused(Status.ERROR_ARGUMENT, ["iterations"], cloth.set_iterations, 1, 0)
            self.refused(Status.ERROR_ARGUMENT, ["gravity"], cloth.set_material, gravity=(0, 0, 0))
            self.assertEqual(cloth.settings, before)

    def test_uv_pattern_without_uvs(self):
        with self.assertRaises(MuslinError) as caught:
            Cloth(square(), pattern="uv")
        self.assertIn("uv", str(caught.exception).lower())


class CallTest(BindingTest):
    def setUp(self):
        self.cloth = Cloth(square())
        self.addCleanup(self.cloth.close)

    def test_length_of_a_step(self):
        for seconds in (0, -1, NAN, INFINITY, 1e-300, 9e-10):
            for function in (self.cloth.step, self.cloth.prepare):
                self.refused(Status.ERROR_ARGUMENT, ["step is"], function, seconds)
                self.refused(Status.ERROR_ARGUMENT, ["is 10.0000001 s"], function, 10.0000001)
        self.refused(Status.ERROR_ARGUMENT, ["second"], self.cloth.step, "soon")

    def test_pin_out_of_range(self):
        for vertex in (4, -1, 2**31 - 1):
            self.refused(Status.ERROR_ARGUMENT, [str(vertex)], self.cloth.set_pins, [0, vertex])
        self.refused(Status.ERROR_ARGUMENT, ["vertices"], self.cloth.set_pins, [2**31])

    def test_pin_twice(self):
        self.refused(Status.ERROR_ARGUMENT, ["1"], self.cloth.set_pins, [1, 0, 1])

    def test_pin_weights_and_targets(self):
        for weight in (-0.1, 1.1, NAN):
            self.refused(Status.ERROR_ARGUMENT, ["weight"], self.cloth.set_pins, [0], [weight])
        targets = [[0, NAN, 0]]
        self.refused(Status.ERROR_ARGUMENT, ["target"], self.cloth.set_pins, [0], None, targets)
        self.refused(Status.ERROR_ARGUMENT, ["weights"], self.cloth.set_pins, [0, 1], [1])
        self.refused(
            Status.ERROR_ARGUMENT, ["targets"], self.cloth.set_pins, [0, 1], None, [[0, 0, 0]]
        )

    def test_moving_other_pins_than_there_are(self):
        self.cloth.set_pins([0, 1])
        self.refused(Status.ERROR_ARGUMENT, ["2"], self.cloth.move_pins, [[0, 0, 0]])
        self.refused(
            Status.ERROR_ARGUMENT, ["target"], self.cloth.move_pins, [[0, 0, 0], [NAN, 0, 0]]
        )

    def test_all_vertices_pinned(self):
        self.cloth.set_pins(range(4))
        for _ in range(3):
            self.cloth.step(STEP)
        self.assertEqual(len(self.cloth.warnings), 1)
        self.assertIn("pinned", self.cloth.warnings[0])
        np.testing.assert_array_equal(self.cloth.positions(), SQUARE)
        self.cloth.move_pins(SQUARE + np.float32(0.5))
        self.cloth.step(STEP)
        np.testing.assert_array_equal(self.cloth.positions(), SQUARE + np.float32(0.5))

    def test_scales(self):
        for name, values in {"mass": (0, -1, NAN), "stretch": (-1, NAN), "bend": (-1, NAN)}.items():
            for value in values:
                scale = [1, 1, value, 1]
                self.refused(
                    Status.ERROR_ARGUMENT, [name, "2"], self.cloth.set_maps, **{name: scale}
                )
        self.refused(Status.ERROR_ARGUMENT, ["bend"], self.cloth.set_maps, bend=[1, 1])

    def test_one_bad_map_of_several_leaves_all_as_before(self):
        """The cloth goes on as one that never heard of the call."""
        good, bad = {"mass": [3, 1, 1, 1], "bend": [1, 2, 1, 1]}, {"stretch": [1, -1, 1, 1]}
        ways = []
        for tries in (False, True):
            with Cloth(square(), gravity=(1, 2, 3)) as cloth:
                cloth.set_pins([0])
                cloth.set_maps(bend=[1, 1, 5, 1], size=[1, 1, 1, 0.9])
                for given in ({**good, **bad}, {**good, "size": [1, 1]}) if tries else ():
                    self.refused(Status.ERROR_ARGUMENT, [list(given)[-1]], cloth.set_maps, **given)
                for _ in range(3):
                    cloth.step(STEP)
                ways.append(cloth.positions().tobytes())
        self.assertEqual(*ways)

    def test_stiffer_than_a_factor_bears(self):
        """The limit is borne by free cloth of frames of 1/24 s, and beyond it the setting is named, not the matrix."""
        for name in ("stretch_warp", "stretch_weft", "shear"):
            most = SETTINGS[name].most
            self.refused(
                Status.ERROR_ARGUMENT, [name, "1e+20", f"{most:g}"], Cloth, square(), **{name: 1e20}
            )
            self.refused(Status.ERROR_ARGUMENT, [name], self.cloth.set_material, **{name: 1e20})
            self.assertLess(self.cloth.settings[name], most)
            with Cloth(square(), **{name: most}) as stiff:
                stiff.prepare(STEP)

    def test_state_that_is_not_finite_or_too_far(self):
        bad, argument = SQUARE.copy(), Status.ERROR_ARGUMENT

        def set_targets(pins, targets):
            self.cloth.set_pins(pins, targets=targets)

        for number in (NAN, INFINITY, -1.001e9, 1e30):
            bad[2, 1] = number
            self.refused(argument, ["position of vertex 2"], self.cloth.set_state, bad)
            self.refused(argument, ["velocity of vertex 2"], self.cloth.set_state, SQUARE, bad)
            self.refused(argument, ["target of pin 2"], set_targets, range(4), bad)
        np.testing.assert_array_equal(self.cloth.positions(), SQUARE)

    def test_what_is_no_snapshot(self):
        for value in ("x", None, 5, [1, 2]):
            self.refused(Status.ERROR_ARGUMENT, ["snapshot"], self.cloth.restore, value)
        for value in (b"", b"x", bytearray(100)):
            self.refused(Status.ERROR_SNAPSHOT, [], self.cloth.restore, value)
        self.cloth.restore(memoryview(self.cloth.snapshot()))

    def test_a_warning_is_reported_once(self):
        for _ in range(2):
            self.cloth.set_pins(range(4))
        self.cloth.add_body((SQUARE, [[0, 1, 2], [0, 1, 1]]))
        self.assertEqual(len(self.cloth.warnings), 2)
        self.assertEqual(
            [detail.code for detail in self.cloth.details],
            [DetailCode.ALL_PINNED, DetailCode.BODY_REPEATED_VERTEX],
        )

    def test_solve_and_eigenvalues(self):
        self.cloth.prepare(STEP)
        self.refused(Status.ERROR_ARGUMENT, ["iterations"], self.cloth.solve, SQUARE, iterations=0)
        self.refused(Status.ERROR_ARGUMENT, ["right_hand_side"], self.cloth.solve, SQUARE[:2])

    def test_eigenvalues_of_nothing(self):
        self.cloth.set_pins(range(4))
        self.cloth.prepare(STEP)
        self.refused(Status.ERROR_ARGUMENT, ["all vertices are pinned"], self.cloth.eigenvalues)

    def test_divergence_keeps_the_state(self):
        """A vertex may not go farther than 1e9 m; the cloth then stays as it was."""
        fast = np.full((4, 3), 1e9, dtype=np.float32)
        with Cloth(square(), normal_drag=0, tangent_drag=0) as cloth:
            cloth.set_iterations(1, 1)
            cloth.set_state(SQUARE, fast)
            self.refused(Status.ERROR_DIVERGED, ["vertex"], cloth.step, 10)
            for expected, got in zip((SQUARE, fast), cloth.state()):
                np.testing.assert_array_equal(got, expected)


if __name__ == "__main__":
    unittest.main()

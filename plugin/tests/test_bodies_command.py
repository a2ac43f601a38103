"""`muslin drape` with bodies, still and moving, and with several garments.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json

import numpy as np

from body_meshes import STEP, ball, moved, sheet, table
from muslin import Cloth, Mesh, Pc2Writer, read_obj, read_pc2, write_obj
from test_command import CommandTest as Command


class BodyCommandTest(Command):
    def setUp(self):
        super().setUp()
        self.cloth = sheet()
        self.write(self.garment, self.cloth)
        self.body = self.folder / "body.obj"
        self.motion = self.folder / "body.pc2"
        self.stats = self.folder / "stats.json"

    def write(self, path, mesh):
        write_obj(path, mesh.positions, mesh.faces())

    def write_motion(self, mesh, offsets, path=None):
        with Pc2Writer(path or self.motion, mesh.vertex_count) as writer:
            for offset in offsets:
                writer.write(moved(mesh, offset))

    def frame_statistics(self):
        return json.loads(self.stats.read_text())["frames"]


class JumpTest(BodyCommandTest):
    """A sheet on a ball that is elsewhere from one frame to the next."""

    def setUp(self):
        super().setUp()
        self.ball = ball(0.2, (0, 0, -0.21))
        self.write(self.body, self.ball)
        self.arguments = "--frames", 8, "--body", f"{self.motion}:{self.body}"

    def write_jump(self, after):
        with Pc2Writer(self.motion, self.ball.vertex_count) as writer:
            for frame in range(8):
                writer.write(self.ball.positions if frame < 5 else np.float32(after))

    def test_what_is_worn_is_carried_along(self):
        self.write_jump(moved(self.ball, (3, 1, 0)))
        result = self.drape(*self.arguments)
        self.assertIn("frame 6: body 0 jumped 3.16 m", result.stderr)
        self.assertIn("frame 6: the cloth was carried along", result.stderr)
        frames = self.frames()
        self.assertEqual(len(frames), 8)
        np.testing.assert_allclose((frames[5] - frames[4]).mean(axis=0), (3, 1, 0), atol=0.05)

    def test_into_another_pose_ends_it(self):
        """With all frames before it."""
        self.write_jump(moved(self.ball, (3, 1, 0)) * np.float32([4, 1, 0.1]))
        result = self.drape(*self.arguments, code=1)
        self.assertRegex(result.stderr, "frame 6 of 8 failed: a body .* jumped .* m")
        self.assertIn("frames 1 to 5 are in", result.stderr)


class StillBodyTest(BodyCommandTest):
    def test_sheet_stays_on_a_table(self):
        self.write(self.body, table())
        result = self.drape("--frames", 20, "--body", self.body, "--stats", self.stats)
        self.assertEqual((result.stdout, result.stderr), ("", ""))
        self.assertGreater(self.frames()[:, :, 2].min(), 0)
        last = self.frame_statistics()[-1]
        self.assertGreater(last["contacts"], 0)
        self.assertGreaterEqual(last["deepest"], 0)
        self.assertGreater(last["detection_seconds"], 0)
        self.assertGreater(last["response_seconds"], 0)
        for name in ("self_piercings", "body_piercings", "cloth_piercings"):
            self.assertEqual([frame[name] for frame in self.frame_statistics()], [0] * 20)

    def test_frames_are_those_of_the_binding(self):
        self.write(self.body, table())
        self.drape("--frames", 8, "--body", self.body, "--thickness", 0.01, "--friction", 0.6)
        with Cloth(read_obj(self.garment)) as cloth:
            cloth.add_body(read_obj(self.body), thickness=0.01, friction=0.6)
            for frame in self.frames()[1:]:
                cloth.step(STEP)
                np.testing.assert_array_equal(cloth.positions(), frame)

    def test_piercings_are_counted(self):
        """Pins hold the cloth across the table: it passes through, and the judge sees it."""
        upright = sheet()
        upright.positions = upright.positions[:, [0, 2, 1]].copy()
        self.write(self.garment, upright)
        self.write(self.body, table())
        pins = f"0-{upright.vertex_count - 1}"
        self.drape("--frames", 2, "--pin", pins, "--body", self.body, "--stats", self.stats)
        for frame in self.frame_statistics():
            self.assertGreater(frame["body_piercings"], 10)
            self.assertEqual(frame["self_piercings"], 0)

    def test_piercings_are_not_counted_unasked(self):
        self.drape("--frames", 2, "--stats", self.stats)
        for frame in self.frame_statistics():
            self.assertIsNone(frame["self_piercings"])
            self.assertIsNone(frame["body_piercings"])

    def test_settings_tell_of_bodies(self):
        self.write(self.body, table())
        arguments = ("--body", self.body, "--thickness", 0.006, "--self-contact")
        self.drape("--frames", 2, *arguments, "--stats", self.stats)
        settings = json.loads(self.stats.read_text())["settings"]
        self.assertEqual(settings["bodies"], [{"mesh": str(self.body), "motion": None}])
        self.assertEqual(settings["thickness"], 0.006)
        self.assertAlmostEqual(settings["friction"], 0.3, places=6)
        self.assertTrue(settings["self_contact"])

    def test_defects_of_a_body_are_reported_with_its_path(self):
        mesh = table()
        write_obj(self.body, mesh.positions, [face[::-1] for face in mesh.faces()])
        result = self.drape("--frames", 2, "--body", self.body)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertIn(f"warning: {self.body}: ", result.stderr)
        self.assertIn("inside out", result.stderr)

    def test_thickness_without_a_body(self):
        result = self.drape("--frames", 2, "--thickness", 0.01)
        self.assertIn("--thickness does nothing", result.stderr)


class MovingBodyTest(BodyCommandTest):
    def test_sphere_lifts_the_sheet(self):
        mesh = ball()
        self.write(self.body, mesh)
        self.write_motion(mesh, [(0, 0, 0.02 * frame) for frame in range(20)])
        self.drape("--frames", 20, "--body", f"{self.motion}:{self.body}")
        with Cloth(read_obj(self.garment)) as cloth:
            body = cloth.add_body(mesh)
            for frame in range(1, 20):
                body.move(moved(mesh, (0, 0, 0.02 * frame)))
                cloth.step(STEP)
                np.testing.assert_array_equal(cloth.positions(), self.frames()[frame])
        # Which part of the sheet ends on the top is chance: runs that start a micrometre apart differ.
        heights, top = self.frames()[-1][:, 2], mesh.positions[:, 2].max() + 0.02 * 19
        self.assertGreater(heights.max(), top)
        self.assertLess(np.quantile(heights, 0.9), top)  # a fold may stand up, the sheet hangs
        self.assertLess(heights.max(), top + 0.1)
        self.assertGreater(heights.mean(), 0)

    def test_first_frame_is_where_it_starts(self):
        """Not where the OBJ file has it."""
        mesh = table()
        self.write(self.body, mesh)
        self.write_motion(mesh, [(0, 0, -1)] * 12)
        self.drape("--frames", 12, "--body", f"{self.motion}:{self.body}")
        self.assertLess(self.frames()[-1][:, 2].min(), -0.3)

    def test_fewer_frames_stand_still(self):
        mesh = table()
        self.write(self.body, mesh)
        self.write_motion(mesh, [(0, 0, 0.02 * frame) for frame in range(4)])
        result = self.drape("--frames", 20, "--body", f"{self.motion}:{self.body}")
        self.assertIn(f"{self.motion} has 4 frames of 20", result.stderr)
        self.assertIn("stands still", result.stderr)
        self.assertGreater(self.frames()[-1][:, 2].min(), 0.06)
        self.assertLess(self.frames()[-1][:, 2].min(), 0.08)

    def test_more_frames_are_not_used(self):
        mesh = table()
        self.write(self.body, mesh)
        self.write_motion(mesh, [(0, 0, 0)] * 5 + [(0, 0, np.nan)])
        result = self.drape("--frames", 5, "--body", f"{self.motion}:{self.body}")
        self.assertEqual(result.stderr, "")

    def test_paths_with_colons(self):
        folder = self.folder / "a:b"
        folder.mkdir()
        mesh = table()
        self.write(folder / "t.obj", mesh)
        self.write_motion(mesh, [(0, 0, 0)] * 3, folder / "t.PC2")
        self.drape("--frames", 3, "--body", folder / "t.obj")
        self.drape("--frames", 3, "--body", f"{folder / 't.PC2'}:{folder / 't.obj'}")


class BadBodyCommandTest(BodyCommandTest):
    def refused(self, *arguments, parts=()):
        result = self.drape("--frames", 3, *arguments, code=2)
        self.assertNotIn("Traceback", result.stderr)
        for part in parts:
            self.assertIn(str(part), result.stderr)
        self.assertFalse(self.output.exists())

    def test_other_number_of_points(self):
        self.write(self.body, table())
        self.write_motion(ball(), [(0, 0, 0)] * 3)
        parts = (self.motion, ball().vertex_count, self.body, table().vertex_count)
        self.refused("--body", f"{self.motion}:{self.body}", parts=parts)

    def test_no_frames(self):
        self.write(self.body, table())
        self.write_motion(table(), [(0, 0, 0)])
        content = bytearray(self.motion.read_bytes())
        content[28:32] = bytes(4)
        self.motion.write_bytes(content[:32])
        self.refused("--body", f"{self.motion}:{self.body}", parts=(self.motion, "no frames"))

    def test_place_that_is_not_a_number(self):
        self.write(self.body, table())
        self.write_motion(table(), [(0, 0, 0), (0, np.nan, 0)])
        parts = (self.motion, "frame 2", "vertex 0")
        self.refused("--body", f"{self.motion}:{self.body}", parts=parts)

    def test_files_that_are_no_body(self):
        self.refused("--body", self.folder / "missing.obj", parts=("missing.obj",))
        self.body.write_text("v 0 0 0\nv 1 0 0\nl 1 2\n")
        self.refused("--body", self.body, parts=(self.body, "no faces"))
        self.body.write_text("v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n")
        self.refused("--body", self.body, parts=(self.body, "vertex 1"))
        self.refused("--body", "b.pc2", parts=("--body", "B.pc2:B.obj"))
        self.refused("--body", "b.pc2:", parts=("--body", "names no mesh"))

    def test_values(self):
        self.write(self.body, table())
        cases = {"--thickness": ("0", "-1", "nan", "0.2"), "--friction": ("-1", "inf", "11", "x")}
        for option, values in cases.items():
            for value in values:
                self.refused("--body", self.body, option, value, parts=(option,))

    def test_output_over_a_body(self):
        self.write(self.body, table())
        parts = ("--last-frame and --body are the same file",)
        self.refused("--body", self.body, "--last-frame", self.body, parts=parts)


class GarmentsTest(BodyCommandTest):
    def setUp(self):
        super().setUp()
        self.second = self.folder / "second.obj"
        self.second_output = self.folder / "second.pc2"
        self.upper = sheet(9, 0.5, 0.1)
        self.write(self.second, self.upper)

    def two(self, *arguments, code=0):
        second = ("--garment", self.second, "-o", self.second_output)
        return self.drape("--frames", 8, *second, *arguments, code=code)

    def test_each_has_its_point_cache(self):
        lasts = self.folder / "a.obj", self.folder / "b.obj"
        self.write(self.body, table())
        self.two("--body", self.body, "--last-frame", lasts[0], "--last-frame", lasts[1])
        caches = read_pc2(self.output).positions, read_pc2(self.second_output).positions
        for cache, mesh, last in zip(caches, (self.cloth, self.upper), lasts):
            self.assertEqual(cache.shape, (8, mesh.vertex_count, 3))
            np.testing.assert_array_equal(cache[0], mesh.positions)
            np.testing.assert_array_equal(read_obj(last).positions, cache[-1])
            self.assertEqual(read_obj(last).faces(), mesh.faces())
            self.assertGreater(cache[:, :, 2].min(), 0)

    def test_pins_maps_and_motion_count_from_zero_in_each(self):
        maps = [self.folder / "one.txt", self.folder / "two.txt"]
        motions = [self.folder / "one.pc2", self.folder / "two.pc2"]
        arguments = ["--pin", "0,3-5", "--pin", "2"]
        for mesh, text, motion in zip((self.cloth, self.upper), maps, motions):
            text.write_text("2\n" * mesh.vertex_count)
            self.write_motion(mesh, [(0.01 * frame, 0, 0) for frame in range(8)], motion)
            arguments += ["--mass-map", text, "--pin-motion", motion]
        self.two(*arguments)
        for path, mesh, pins in (
            (self.output, self.cloth, [0, 3, 4, 5]),
            (self.second_output, self.upper, [2]),
        ):
            frames = read_pc2(path).positions
            for frame in (1, 7):
                wanted = moved(mesh, (0.01 * frame, 0, 0))
                held = (frames[frame] == wanted).all(axis=1)
                np.testing.assert_array_equal(np.flatnonzero(held), pins)

    def test_no_pins_in_one_of_them(self):
        self.two("--pin", "none", "--pin", "0-80")
        self.assertLess(self.frames()[-1][:, 2].max(), 0)
        still = read_pc2(self.second_output).positions
        np.testing.assert_array_equal(still[-1], still[0])

    def test_counts_that_differ(self):
        result = self.drape("--garment", self.second, code=2)
        self.assertIn("--output is given once, but there are 2 garments", result.stderr)
        result = self.two("--pin", 0, code=2)
        self.assertIn("--pin is given once, but there are 2 garments", result.stderr)

    def test_refusals_and_verdict_count_as_each_file_does(self):
        corners = np.arange(81).reshape(9, 9)
        quads = np.stack([corners[:-1, :-1], corners[:-1, 1:], corners[1:, 1:], corners[1:, :-1]])
        faces = quads.reshape(4, -1).T.tolist()
        a, b, c, d = faces[5]
        self.write(self.garment, Mesh.from_faces(sheet(9, 0.5, 0).positions, faces))
        cut = [*faces[:5], [a, b, c], [a, c, d], *faces[6:]]
        self.write(self.second, Mesh.from_faces(self.upper.positions, cut))
        result = self.two("--solver", "threads", code=2)
        self.assertIn(
            f"{self.second}: threads need a grid of quads, but face 5 has 3", result.stderr
        )
        self.write(self.second, self.upper)
        self.write(self.body, ball(0.08, (0, 0, 0.1)))  # around the middle of the upper sheet
        result = self.two("--body", self.body)
        self.assertRegex(result.stderr, rf"vertex \d+ of {self.second}, by")

    def test_pin_out_of_range_names_the_file(self):
        result = self.two("--pin", 0, "--pin", 81, code=2)
        self.assertIn(f"--pin 81: {self.second} has only the vertices 0 to 80", result.stderr)

    def test_outputs_must_differ(self):
        self.drape("--garment", self.second, "-o", self.output, code=2)

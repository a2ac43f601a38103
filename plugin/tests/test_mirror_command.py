"""`muslin drape --mirror`: options, warnings with their frames, statistics, refusals.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json

import numpy as np

from body_meshes import STEP
from mirror_meshes import image, jacket, partners, roof, slanted, turned
from muslin import Cloth, read_obj
from test_bodies_command import BodyCommandTest
from test_mirror_bodies import ball


class MirrorCommandTest(BodyCommandTest):
    def setUp(self):
        super().setUp()
        self.write(self.garment, roof())

    def statistics(self):
        return json.loads(self.stats.read_text())

    def refused(self, *arguments, parts):
        self.output.unlink(missing_ok=True)
        result = self.drape("--frames", 3, *arguments, code=2)
        self.assertNotIn("Traceback", result.stderr)
        self.assertFalse(self.output.exists())
        for part in parts:
            self.assertIn(part, result.stderr)

    def test_frames_are_mirrored_and_those_of_the_binding(self):
        result = self.drape("--frames", 5, "--mirror", "exact", "--pin", "0,8")
        self.assertEqual((result.stdout, result.stderr), ("", ""))
        with Cloth(read_obj(self.garment), mirror="exact") as cloth:
            cloth.set_pins([0, 8])
            for frame in self.frames()[1:]:
                cloth.step(STEP)
                np.testing.assert_array_equal(cloth.positions(), frame)
                np.testing.assert_array_equal(frame, image(frame, partners()))

    def test_planes(self):
        quarter = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
        self.write(self.garment, turned(roof(), quarter, (0, 0, 0)))
        for plane in ("y", "find", "1,0,2,0,-3,0"):
            arguments = ("--frames", 2, "--mirror", "exact", "--mirror-plane", plane)
            self.drape(*arguments, "--stats", self.stats)
            report = self.statistics()["mirror"]
            self.assertEqual((report["mode"], report["unpaired"]), ("exact", 0), plane)
            self.assertEqual(np.abs(report["normal"]).tolist(), [0, 1, 0])
        self.refused("--mirror", "exact", parts=["mirror image"])  # in x = 0

    def test_parts_without_a_mirror_image(self):
        """A garment that is not symmetric beside one that is: nothing refuses it, so it is reported."""
        other = self.folder / "other.obj"
        self.write(other, turned(slanted(), np.eye(3), (0.05, 0, 1)))
        more = ("--garment", other, "-o", self.folder / "other.pc2")
        result = self.drape("--frames", 2, "--mirror", "auto", *more)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn("63 vertices belong to parts without a mirror image", result.stderr)

    def test_statistics(self):
        mesh = ball()
        self.write(self.body, mesh)
        offsets = [(0, 0, 0), (0, 0, 0), (0.03, 0, 0), (0.03, 0, 0)]
        self.write_motion(mesh, offsets)
        for option, wholes in (("symmetrise", [False] * 4), ("whole", [False, False, True, True])):
            body = ("--body", f"{self.motion}:{self.body}", "--asymmetric-body", option)
            result = self.drape("--frames", 4, "--mirror", "exact", *body, "--stats", self.stats)
            frames = self.frame_statistics()
            self.assertEqual([frame["solved_whole"] for frame in frames], wholes)
            asymmetry = [frame["body_asymmetry"] for frame in frames]
            np.testing.assert_allclose(asymmetry, [0, 0, 0.06, 0.06], atol=1e-6)
            # The mean of a body and its image is met: how the cloth then lies on the body is reported, too.
            lines = [line for line in result.stderr.splitlines() if "at the end" not in line]
            self.assertEqual(len(lines), 1, result.stderr)
            self.assertIn("frame 3: body 0 is not its own mirror image", lines[0])
            self.assertEqual(self.statistics()["settings"]["asymmetric_body"], option)

    def test_body_that_is_asymmetric_from_the_start(self):
        self.write(self.body, ball(x=-0.5))
        result = self.drape("--frames", 3, "--mirror", "exact", "--body", self.body)
        self.assertEqual(result.stderr.count("not its own mirror image"), 1)
        self.assertIn(str(self.body), result.stderr)

    def test_auto(self):
        result = self.drape("--frames", 3, "--mirror", "auto", "--pin", "0", "--stats", self.stats)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertIn("1 pin has no mirror image", result.stderr)
        frames = self.frame_statistics()
        self.assertEqual([frame["solved_whole"] for frame in frames], [False, True, True])
        self.write(self.garment, slanted())
        result = self.drape("--frames", 3, "--mirror", "auto", "--stats", self.stats)
        self.assertIn("not mirrored, all of the garment is simulated", result.stderr)
        self.assertEqual(self.statistics()["mirror"]["mode"], "off")

    def test_closures(self):
        self.write(self.garment, jacket())
        common = ("--frames", 14, "--mirror", "exact", "--gravity", "0,0,0")
        gaps = {}
        for name, arguments in {
            "free": (),
            "zip": ("--closure", "zip"),
            "over": ("--closure", "button", "--overlap", 0.04),
            "under": ("--closure", "button", "--overlap", 0.04, "--over", "other"),
        }.items():
            result = self.drape(*common, *arguments, "--stats", self.stats)
            self.assertEqual(result.stderr, "")
            self.assertEqual(self.statistics()["mirror"]["front_count"] > 0, name != "free")
            front = self.frames()[-1].reshape(15, 25, 3)[7]
            gaps[name] = front[-1] - front[0]
        self.assertGreater(gaps["free"][0], 0.05)
        self.assertEqual(gaps["zip"].tolist(), [0, 0, 0])
        self.assertAlmostEqual(gaps["over"][0], -0.04, delta=0.01)
        self.assertGreater(gaps["over"][1], 0.0005)
        self.assertLess(gaps["under"][1], -0.0005)

    def test_a_zip_of_all_of_the_garment(self):
        mesh = jacket()
        mesh.positions[:, 2] += 0.05 * mesh.positions[:, 0]  # no mirror plane
        self.write(self.garment, mesh)
        for tacks in (
            (),
            ("--tack", "180=192@2"),
        ):  # what else holds, and lets go, is no part of the zip
            with self.subTest(tacks):
                result = self.drape(
                    *("--frames", 14, "--closure", "zip", "--gravity", "0,0,0", *tacks)
                )
                self.assertEqual(result.stderr, "")
                front = self.frames()[-1].reshape(15, 25, 3)[7]
                self.assertLess(np.linalg.norm(front[-1] - front[0]), 1e-3)
        self.write(self.garment, slanted())
        result = self.drape("--frames", 2, "--closure", "zip")
        self.assertIn("no open front was found", result.stderr)

    def test_buttons_of_all_of_the_garment(self):
        mesh = jacket()
        mesh.positions[:, 2] += 0.05 * mesh.positions[:, 0]  # no mirror plane
        self.write(self.garment, mesh)
        back = ",".join(str(25 * row + column) for row in range(15) for column in (11, 12, 13))
        common = ("--frames", 20, "--self-contact", "--gravity", "0,0,0", "--pin", back)
        for side, sign in (("kept", 1), ("other", -1)):
            result = self.drape(*common, "--closure", "button", "--overlap", 0.04, "--over", side)
            self.assertEqual(result.stderr, "")
            front = self.frames()[-1].reshape(15, 25, 3)[7].astype(float)
            across, inward = front[-1] - front[0], front[1] - front[0]
            self.assertAlmostEqual(np.linalg.norm(across), 0.04, delta=0.01)
            self.assertGreater(across @ inward, 0)
            outward = np.cross(
                inward, [0, 0, 1]
            )  # the first columns go left at the front, which is at +y
            self.assertGreater(sign * (across @ outward), 0)
        self.write(self.garment, slanted())
        result = self.drape("--frames", 2, "--closure", "button")
        self.assertIn("--closure button: no open front was found", result.stderr)

    def test_fill_is_that_of_the_half(self):
        fills = []
        for mode in ("off", "exact"):
            self.drape("--frames", 2, "--mirror", mode, "--stats", self.stats)
            setup = self.statistics()["setup"]
            self.assertEqual(setup["vertex_count"], 63)
            fills.append(setup["fill"])
        self.assertGreaterEqual(fills[1], 1)
        self.assertLess(fills[1], 2 * fills[0])

    def test_refusals(self):
        for arguments, part in (
            (("--mirror", "exact", "--pin", "0"), "1 pin has no mirror image"),
            (("--mirror", "exact", "--wind", "3,0,0"), "across the mirror plane"),
            (("--mirror", "both"), "--mirror"),
            (("--mirror", "auto", "--mirror-plane", "w"), "'w' is not find, x, y, z"),
            (("--mirror", "auto", "--mirror-plane", "1,2,3"), "--mirror-plane"),
            (("--mirror", "auto", "--mirror-plane", "0,0,0,0,0,0"), "length zero"),
            (("--mirror", "auto", "--mirror-tolerance", "0"), "--mirror-tolerance"),
            (("--mirror", "exact", "--mirror-tolerance", "3"), "mean length"),
            (("--mirror", "auto", "--closure", "tape"), "--closure"),
            (("--mirror", "auto", "--overlap", "0"), "--overlap"),
            (("--mirror", "auto", "--overlap", "2"), "more than 1 m"),
            (("--mirror", "auto", "--over", "left"), "--over"),
            (("--mirror", "auto", "--asymmetric-body", "ignore"), "--asymmetric-body"),
            (("--closure", "zip", "--overlap", "0.02"), "--overlap does nothing without --mirror"),
            (("--mirror", "off", "--mirror-plane", "y"), "--mirror-plane does nothing"),
            (("--over", "other"), "--over does nothing"),
        ):
            with self.subTest(arguments):
                self.refused(*arguments, parts=[part])

"""How a garment lies: against the judge, on starts made wrong, on those of the scenes, and in commands.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import unittest
from types import SimpleNamespace

import numpy as np
from body_meshes import STEP, ball, moved, sheet
from file_command import FileCommandTest
from in_process import run_in_process
from muslin import Cloth, Mesh, MuslinError
from muslin._enums import Fault, PlaceKind, Placement
from muslin.inspection.placement import millimetres
from muslin.inspection.verdict import Verdict, joined_frames, runs_of, runs_text, stretch_text
from muslin.inspection.intersections import count_between, count_self
from muslin.obj import write_obj
from test_scenes.contact import catalogue, figures
from test_scenes.contact.wrong import KINDS, wrong_start
from test_scenes.levels import long_test


def lists(faces):
    return [[int(vertex) for vertex in face] for face in faces]


def inspected(scene, positions=None, faces=None, **settings):
    """How the scene's cloth, or another start of it, lies on its bodies."""
    positions = scene.cloth.positions if positions is None else positions
    faces = scene.cloth.faces if faces is None else faces
    with Cloth(Mesh.from_faces(positions, lists(faces)), **settings) as cloth:
        for body in scene.bodies:
            cloth.add_body(Mesh.from_faces(body.positions(), lists(body.faces)))
        return cloth.inspect()


class StartTest(unittest.TestCase):
    def test_good_starts_are_left_in_peace(self):
        for name, make in catalogue.SCENES.items():
            with self.subTest(name):
                found = inspected(make())
                self.assertEqual(
                    (found.placement, found.found, found.places), (Placement.CLEAN, 0, ())
                )

    def check_wrong_starts(self, seeds):
        meant = {
            "limb outside": Fault.LIMB_OUTSIDE,
            "inside out": Fault.INSIDE_OUT,
            "tangled": Fault.SELF_PIERCED,
        }
        for scene in (figures.tshirt(spacing=0.03), figures.skirt()):
            for kind in KINDS:
                for seed in seeds:
                    with self.subTest(scene=scene.name, kind=kind, seed=seed):
                        start = wrong_start(kind, scene.cloth.positions, scene.cloth.faces, seed)
                        found = inspected(scene, *start)
                        self.assertEqual(found.placement, Placement.BAD, found)
                        self.assertTrue(found.found & meant.get(kind, ~Fault(0)), found.found)

    def test_wrong_starts_are_reported(self):
        self.check_wrong_starts(range(2))

    @long_test
    def test_more_wrong_starts_are_reported(self):
        self.check_wrong_starts(range(2, 6))

    @long_test
    def test_the_judge_counts_as_many(self):
        scene = figures.tshirt(spacing=0.03)
        body = scene.bodies[0]
        for kind in ("shifted", "tangled"):
            for seed in range(3):
                x, faces = wrong_start(kind, scene.cloth.positions, scene.cloth.faces, seed)
                found = inspected(scene, x, faces)
                between = count_between(x, lists(faces), body.positions(), lists(body.faces))
                # Places in doubt, exactly on an edge, are settled otherwise.
                self.assertAlmostEqual(found.body_piercings, between[0], delta=2)
                self.assertAlmostEqual(found.cloth_piercings, between[1], delta=2)
                selves = count_self(x, lists(faces))
                self.assertAlmostEqual(found.self_piercings, selves, delta=2 + 0.002 * selves)

    def test_mirrored_and_with_a_budget(self):
        """Whatever is simulated, it is the caller's mesh that is looked at."""
        scene = figures.tshirt(spacing=0.03)
        small = scene.cloth.positions * np.float32(0.9)
        plain = inspected(scene, small)
        self.assertGreater(plain.inside_count, 100)
        self.assertEqual(inspected(scene, small, budget_ms=1), plain)
        half = inspected(scene, small, mirror="exact")
        self.assertEqual((half.placement, half.found), (plain.placement, plain.found))
        self.assertEqual(half.inside_count, plain.inside_count)
        self.assertAlmostEqual(half.deepest, plain.deepest, places=6)


class CallTest(unittest.TestCase):
    def test_a_ball_that_moves_into_a_sheet(self):
        mesh, body_mesh = sheet(12), ball(radius=0.08, middle=(0, 0, -0.2))
        with Cloth(mesh, gravity=(0, 0, 0)) as cloth:
            cloth.set_pins(np.arange(mesh.vertex_count))
            body = cloth.add_body(body_mesh)
            self.assertEqual(cloth.inspect().placement, Placement.CLEAN)
            middle = mesh.positions.mean(axis=0) - (0, 0, 0.05)
            there = moved(body_mesh, middle - (0, 0, -0.2))
            body.move(there)  # at the end of the next step
            self.assertEqual(cloth.inspect().inside_count, 0)
            cloth.step(STEP)
            found = cloth.inspect()
            depth = 0.08 - np.linalg.norm(mesh.positions - middle, axis=1)
            self.assertAlmostEqual(found.deepest, depth.max(), delta=0.002)
            self.assertGreater(found.inside_count, 0)
            deepest = found.places[0]
            self.assertEqual((deepest.kind, deepest.body), (PlaceKind.INSIDE, 0))
            self.assertEqual(deepest.vertices, (found.deepest_vertex,))
            body.place(body_mesh.positions)  # at once
            self.assertEqual(cloth.inspect().inside_count, 0)
            body.replace(Mesh(there, body_mesh.face_sizes, body_mesh.face_vertices))
            self.assertEqual(cloth.inspect().inside_count, found.inside_count)
            body.remove()
            self.assertEqual(cloth.inspect().placement, Placement.CLEAN)
        with self.assertRaises(MuslinError):
            cloth.inspect()

    def test_ropes_are_judged(self):
        points = np.float32([[0.1 * k, 0, 0] for k in range(6)])
        rope = Mesh.from_faces(points, [], edges=[(k, k + 1) for k in range(5)])
        with Cloth(rope) as cloth:
            cloth.set_state(points * np.float32([3, 1, 1]))
            found = cloth.inspect()
        self.assertAlmostEqual(found.largest_stretch, 3, places=5)
        self.assertEqual(Verdict(False, False).faults(found), ["stretched"])

    def test_stretch(self):
        mesh = sheet(9)
        with Cloth(mesh) as cloth:
            x = mesh.positions * np.float32(1.5)
            cloth.set_state(x)
            found = cloth.inspect()
            self.assertAlmostEqual(found.largest_stretch, 1.5, places=5)
            self.assertAlmostEqual(found.stretch_p99, 1.5, places=5)
            x[0] -= (0.1, 0, 0)
            cloth.set_state(x)
            self.assertIn(0, cloth.inspect().stretch_edge)
            self.assertGreater(cloth.inspect().largest_stretch, 1.6)
            self.assertAlmostEqual(cloth.inspect().stretch_p99, 1.5, places=5)

    def test_words_for_stretch(self):
        mesh = sheet(9, size=0.4)
        with Cloth(mesh) as cloth:
            self.assertEqual(stretch_text(cloth.inspect()), "no edge is stretched")
            cloth.set_state(mesh.positions * np.float32(1.25))
            reported = stretch_text(cloth.inspect())
            self.assertEqual(reported, "edges are stretched by 25 % at most")
            uneven = mesh.positions * np.float32(1.25)
            uneven[0] *= np.float32(1.1)
            cloth.set_state(uneven)
            self.assertRegex(
                stretch_text(cloth.inspect()), "by .* at most, and 99 in 100 by no more than 25 %"
            )


class VerdictTest(unittest.TestCase):
    def test_since_when(self):
        """The frame from which on something has been wrong without a pause."""
        mesh, pillow = sheet(12), ball(radius=0.08, middle=(0, 0, 0))
        verdict = Verdict(True, False)
        middle = mesh.positions.mean(axis=0)
        with Cloth(mesh) as cloth:
            body = cloth.add_body(pillow)
            for frame, height in enumerate((-0.3, -0.02, -0.3, -0.02, -0.03), 1):
                body.place(moved(pillow, middle + (0, 0, height)))
                verdict.add(frame, cloth.inspect())
        self.assertEqual(verdict.since["inside"], 4)
        numbers = verdict.as_numbers()
        self.assertEqual((numbers["since"]["inside"], numbers["since"]["stretched"]), (4, None))
        self.assertFalse(numbers["good"])
        self.assertIn("since frame 4", verdict.sentences()[0])
        json.dumps(numbers)

    def test_frames_that_are_not_clean(self):
        """They are named as runs, with the worst; what is so to the end is said once."""
        mesh, pillow = sheet(12), ball(radius=0.08, middle=(0, 0, 0))
        verdict = Verdict(True, False)
        middle = mesh.positions.mean(axis=0)
        step = SimpleNamespace(body_pierced=0)
        with Cloth(mesh) as cloth:
            body = cloth.add_body(pillow)
            heights = (-0.3, -0.02, -0.03, -0.3, -0.02, -0.3)
            for frame, height in enumerate(heights, 1):
                body.place(moved(pillow, middle + (0, 0, height)))
                verdict.count(frame, step)
                verdict.add(frame, cloth.inspect())
            step.body_pierced = 999
            self.assertTrue(verdict.count(8, step))
            self.assertFalse(verdict.count(9, SimpleNamespace(body_pierced=3)))
            (found,) = verdict.as_numbers()["unclean"].values()
            self.assertEqual(found["frames"], [[2, 3], [5, 5], [8, 9]])
            self.assertEqual((found["worst"], found["worst_frame"]), (999, 8))
            text = "frames 2-3, 5, 8-9: edges through the body, worst 999 in 8"
            self.assertEqual(verdict.sentences(), [text])
            body.place(moved(pillow, middle + (0, 0, -0.02)))
            other = Verdict(True, False)
            other.add(1, cloth.inspect())
            self.assertEqual(list(other.unclean()), [])
            json.dumps(verdict.as_numbers())

    def test_runs_of_frames(self):
        self.assertEqual(runs_text(runs_of([7])), "frame 7")
        self.assertEqual(runs_text(runs_of([1, 2, 4])), "frames 1-2, 4")
        many = runs_of(range(1, 40, 2))
        self.assertEqual(runs_text(many), "frames 1, 3, 5, 7, 9, 11 and 14 more")
        one = {"body_pierced": {"frames": [[2, 3]], "worst": 4, "worst_frame": 3}}
        two = {"body_pierced": {"frames": [[3, 5], [9, 9]], "worst": 7, "worst_frame": 9}}
        wanted = {"frames": [[2, 5], [9, 9]], "worst": 7, "worst_frame": 9}
        self.assertEqual(joined_frames([one, two, {}]), {"body_pierced": wanted})

    def test_what_falls_off_is_reported(self):
        scene = figures.tshirt(spacing=0.03)
        verdict = Verdict(True, False)
        for frame, height in enumerate((0, 3), 1):  # m
            verdict.add(frame, inspected(scene, scene.cloth.positions + (0, 0, height)))
        self.assertEqual(verdict.as_numbers()["since"]["not_worn"], 2)
        self.assertIn("it touches none", verdict.sentences()[0])

    def test_depths_of_small_garments(self):
        depths = (0.0, 0.0213, 0.00012, 0.0000123)  # m
        found = [millimetres(depth) for depth in depths]
        self.assertEqual(found, ["0.0 mm", "21.3 mm", "0.1 mm", "0.01 mm"])


class CommandTest(FileCommandTest):
    command = "check"

    def setUp(self):
        super().setUp()
        scene = figures.tshirt(spacing=0.03)
        self.body = self.folder / "body.obj"
        self.good, self.bad = self.folder / "good.obj", self.folder / "bad.obj"
        body = scene.bodies[0]
        write_obj(self.body, body.positions(), lists(body.faces))
        write_obj(self.good, scene.cloth.positions, lists(scene.cloth.faces))
        start = wrong_start("limb outside", scene.cloth.positions, scene.cloth.faces, 1)
        write_obj(self.bad, start[0], lists(start[1]))

    def test_check(self):
        result = self.run_command(self.good, "--body", self.body, "--fail")
        self.assertIn("Nothing is wrong with the starting position.", result.stdout)
        result = self.run_command(self.bad, "--body", self.body, "--fail", code=1)
        self.assertIn("right through the cloth", result.stdout)
        result = self.run_command(self.bad, "--body", self.body, "--json")
        start = json.loads(result.stdout)["start"]
        self.assertEqual(start["placement"], "bad")
        self.assertIn("limb_outside", start["found"])
        self.assertIn("limb", [place["kind"] for place in start["places"]])

    def test_drape_says_how_it_began_and_ended(self):
        stats, out = self.folder / "stats.json", self.folder / "out.pc2"
        common = ("--body", self.body, "--frames", "3", "-o", out, "--stats", stats)
        result = run_in_process("drape", "--garment", self.bad, *common)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("at the start 1 limb passes right through the cloth", result.stderr)
        self.assertIn("at the end 1 limb passes right through the cloth", result.stderr)
        self.assertIn("since frame 1", result.stderr)
        content = json.loads(stats.read_text())
        verdict = content["verdict"]
        self.assertEqual((verdict["since"]["limb_outside"], verdict["good"]), (1, False))
        self.assertEqual(verdict["start"]["placement"], "bad")
        self.assertEqual(len([frame["inspection"] for frame in content["frames"]]), 3)
        result = run_in_process("drape", "--garment", self.good, *common)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        verdict = json.loads(stats.read_text())["verdict"]
        self.assertTrue(verdict["good"], verdict)
        self.assertEqual((verdict["end_frame"], verdict["end"]["inside_count"]), (3, 0))


if __name__ == "__main__":
    unittest.main()

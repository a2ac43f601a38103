"""The quality of a cloth, and the options of the command line that choose how it is computed.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import os
import pty
import subprocess
import unittest

import numpy as np

from muslin import Cloth, Mesh, MuslinError
from test_command import STEP, CommandTest as Command
from test_scenes import sheets, solids
from test_scenes.levels import long_test

LEVELS = ("draft", "fit", "final")


def solves_of(quality, stiffness, step_seconds, model="triangle", shake=0.0):
    """The solves of 10 frames of a sheet of 25 x 25 vertices that falls from two corners."""
    scene = sheets.grid(25, 25, 1.0)
    stretch = {
        "stretch_warp": 1.15 * stiffness,
        "stretch_weft": 1.15 * stiffness,
        "shear": 0.15 * stiffness,
    }
    mesh = Mesh.from_faces(scene.positions, scene.faces)
    with Cloth(mesh, quality=quality, model=model, **stretch) as cloth:
        cloth.set_pins([0, 24])
        solves = 0
        for frame in range(10):
            away = shake * np.sin(0.5 * (frame + 1))
            cloth.move_pins(mesh.positions[[0, 24]] + np.array([0, away, 0], np.float32))
            cloth.step(step_seconds)
            solves += cloth.stats().solves
        return solves


class RoundsTest(unittest.TestCase):
    STIFFNESS = (1e2, 1e4, 1e5, 1e6)

    def check_growing(self, rounds):
        """Or fewer by a sixth at most: fit may take some solves more than final, whose substeps are of second order."""
        self.assertGreaterEqual(rounds[0], 1)
        for worse, better in zip(rounds, rounds[1:]):
            self.assertGreater(better, 5 / 6 * worse)

    @long_test
    def test_a_better_quality_takes_no_fewer_rounds(self):
        for model in ("edge", "triangle"):
            for stiffness in self.STIFFNESS:
                with self.subTest(model=model, stiffness=stiffness):
                    self.check_growing([solves_of(each, stiffness, STEP, model) for each in LEVELS])

    def test_stiff_cloth_and_large_steps_take_more(self):
        for quality in ("fit", "final"):
            with self.subTest(quality):
                hard = solves_of(quality, 1e5, STEP)
                self.assertGreater(hard, 1.2 * solves_of(quality, 1e2, STEP))
                self.assertGreater(hard, solves_of(quality, 1e5, 1 / 2000))

    def test_iterations_grow_with_what_drives_the_cloth(self):
        self.assertGreater(
            solves_of("fit", 1e4, STEP, shake=0.1), 1.5 * solves_of("fit", 1e4, STEP)
        )

    def test_cloth_at_rest_takes_the_fewest(self):
        """Two rounds to see that nothing changes, and the solve that comes last."""
        scene = sheets.grid(25, 25, 1.0)
        mesh = Mesh.from_faces(scene.positions, scene.faces)
        for quality in LEVELS:
            with self.subTest(quality), Cloth(mesh, quality=quality, gravity=(0, 0, 0)) as cloth:
                cloth.set_pins([0, 24])
                cloth.step(STEP)  # of second order, this has an additional substep to begin with
                cloth.step(STEP)
                self.assertEqual(cloth.stats().solves, 3 * cloth.stats().substeps)

    def test_quality_changes_while_it_runs(self):
        scene, pins = sheets.hung_cloth(12)
        mesh = Mesh.from_faces(scene.positions, scene.faces)
        with Cloth(mesh, stretch_warp=1e6, stretch_weft=1e6) as cloth:
            cloth.set_pins(pins)
            rounds = []
            for quality in LEVELS:
                cloth.set_quality(quality)
                self.assertEqual(cloth.settings["quality"], quality)
                cloth.step(STEP)
                rounds.append(cloth.stats().solves)
            self.check_growing(rounds)
            self.assertGreater(rounds[-1], rounds[0])
            cloth.set_iterations(2, 3)
            cloth.step(STEP)
            self.assertEqual((cloth.settings["quality"], cloth.report().iterations), ("custom", 3))
            with self.assertRaises(MuslinError):
                cloth.set_quality("splendid")
            self.assertEqual(cloth.settings["quality"], "custom")

    def test_a_better_quality_is_that_of_a_new_cloth_on_a_body(self):
        """Qualities that take Newton steps need more memory: a cloth that began without it gets it."""
        scene = sheets.grid(13, 13, 1.0)
        mesh = Mesh.from_faces(scene.positions, scene.faces)
        ball = solids.uv_sphere(0.3, (0, 0, -0.32), rings=12, sides=16)
        body = Mesh.from_faces(ball.positions, ball.faces)
        with Cloth(mesh, quality="draft") as cloth:
            cloth.add_body(body)
            for _ in range(4):
                cloth.step(STEP)
            snapshot = cloth.snapshot()
            cloth.set_quality("fit")
            cloth.step(STEP)
            self.assertGreater(cloth.stats().contacts, 0)
            with Cloth(mesh, quality="fit") as other:
                other.add_body(body)
                other.restore(snapshot)
                other.step(STEP)
                self.assertTrue(np.array_equal(other.positions(), cloth.positions()))


class SettingsTest(unittest.TestCase):
    def test_only_the_two_level_scheme_has_levels(self):
        mesh = Mesh.from_faces(np.eye(3, dtype=np.float32), [[0, 1, 2]])
        for settings in ({"scheme": "plain"}, {"solver": "implicit"}):
            with self.subTest(settings), Cloth(mesh, **settings) as cloth:
                before = cloth.settings
                with self.assertRaisesRegex(MuslinError, "two-level"):
                    cloth.set_quality("draft")
                self.assertEqual(cloth.settings, before)

    def test_what_is_named_decides_the_scheme(self):
        cases = [
            ({}, "two_level", "fit"),
            ({"quality": "draft"}, "two_level", "draft"),
            ({"iterations": 4}, "plain", "custom"),
            ({"estimate": "rotation"}, "plain", "custom"),
            ({"order": 1}, "plain", "custom"),
            ({"coefficients": (2, -1)}, "plain", "custom"),
            ({"iterations": 4, "scheme": "two_level"}, "two_level", "custom"),
            ({"iterations": 4, "scheme": "anderson"}, "anderson", "custom"),
            ({"scheme": "plain"}, "plain", "custom"),
        ]
        mesh = Mesh.from_faces(np.eye(3, dtype=np.float32), [[0, 1, 2]])
        for settings, scheme, quality in cases:
            with self.subTest(settings), Cloth(mesh, **settings) as cloth:
                got = cloth.settings
                self.assertEqual((got["scheme"], got["quality"]), (scheme, quality))


class CommandTest(Command):
    def content(self, *arguments):
        stats = self.folder / "stats.json"
        result = self.drape(
            "--frames", 4, "--pin", self.pin_list, "--stats", stats, "--stretch", 1e5, *arguments
        )
        self.assertEqual((result.stdout, result.stderr), ("", ""))
        self.assertTrue(np.isfinite(self.frames()).all())
        return json.loads(stats.read_text())

    def test_levels(self):
        solves = []
        for quality in LEVELS:
            content = self.content("--quality", quality)
            self.assertEqual(content["settings"]["quality"], quality)
            self.assertEqual(content["settings"]["scheme"], "two_level")
            solves.append(sum(frame["solves"] for frame in content["frames"]))
        self.assertEqual(solves, sorted(solves))
        self.assertGreater(solves[-1], solves[0])

    def test_the_default_is_fit(self):
        self.content()
        expected = self.output.read_bytes()
        self.content("--quality", "fit")
        self.assertEqual(self.output.read_bytes(), expected)

    def test_statistics(self):
        content = self.content("--substeps", 3, "--scheme", "two-level", "--iterations", 5)
        setup, frames = content["setup"], content["frames"]
        self.assertEqual(setup["iterations"], 5)
        self.assertGreater(setup["coarse_unknowns"], 0)
        for frame in frames[1:]:
            self.assertEqual((frame["solves"], frame["corrections"]), (15, 15))
            self.assertGreaterEqual(frame["rejected"], 0)
            self.assertLessEqual(frame["rejected"], frame["corrections"])
            self.assertGreater(frame["coarse_seconds"], 0)
            self.assertLessEqual(frame["coarse_seconds"], frame["solve_seconds"])

    def test_schemes(self):
        for options, scheme in (
            (("--iterations", 3), "plain"),
            (("--estimate", "rotation"), "plain"),
            (("--order", 1), "plain"),
            (("--coefficients", "2,-1"), "plain"),
            (("--scheme", "plain"), "plain"),
            (("--scheme", "two-level", "--iterations", 3), "two_level"),
            (("--scheme", "anderson", "--iterations", 3), "anderson"),
        ):
            with self.subTest(options):
                content = self.content(*options)
                settings = content["settings"]
                self.assertEqual((settings["scheme"], settings["quality"]), (scheme, "custom"))
                self.assertEqual(content["setup"]["coarse_unknowns"] > 0, scheme == "two_level")
                self.assertEqual(content["setup"]["iterations"], settings["iterations"])
        both = self.content("--scheme", "two-level", "--quality", "draft", "--estimate", "rotation")
        self.assertEqual(both["settings"]["quality"], "draft")

    def test_integrators(self):
        frames = {}
        for integrator in ("euler", "bdf2"):
            content = self.content("--integrator", integrator)
            self.assertEqual(content["settings"]["integrator"], integrator)
            frames[integrator] = np.array(self.frames())
        self.assertGreater(np.abs(frames["euler"] - frames["bdf2"]).max(), 1e-4)

    def test_contradictions_are_refused(self):
        for options, parts in (
            (("--quality", "fit", "--iterations", 3), ("--quality", "--iterations")),
            (("--quality", "fit", "--solver", "implicit"), ("--quality", "--solver implicit")),
            (("--quality", "fit", "--scheme", "plain"), ("--quality", "--scheme plain")),
            (("--quality", "fit", "--scheme", "anderson"), ("--quality", "--scheme anderson")),
            (("--scheme", "plain", "--solver", "implicit"), ("--scheme", "--solver implicit")),
            (("--sweeps", 4), ("--sweeps", "without --solver sweep")),
            (("--sweep-method", "kim"), ("--sweep-method", "without --solver sweep")),
            (("--area-stiffness", 4), ("--area-stiffness", "without --solver threads")),
            (("--rope-bend", 1), ("--rope-bend", "without --solver threads")),
            (("--rope-bend", 1, "--solver", "sweep"), ("without --solver threads",)),
            *(
                (("--solver", "sweep", "--sweep-method", name, "--sweeps", 4), ("--sweeps", name))
                for name in ("kang1", "choi-ko", "desbrun", "symplectic")
            ),
            (("--quality", "custom"), ("--quality", "draft", "fit", "final")),
            (("--scheme", "two_level"), ("--scheme", "two-level")),
            (("--integrator", "luck"), ("--integrator", "bdf2")),
        ):
            with self.subTest(options):
                result = self.drape(*options, code=2)
                self.assertNotIn("Traceback", result.stderr)
                for part in parts:
                    self.assertIn(part, result.stderr)
                self.assertFalse(self.output.exists())

    def test_help(self):
        text = " ".join(self.run_command("drape", "--help").stdout.split())
        for part in (
            "draft: fastest, shows where the cloth falls: at least 80 % of the converged motion, 70 % in folds",
            "95 % of the converged motion, 90 % in folds; final:",
            "not together with --iterations (default fit)",
            "Naming --iterations, --estimate, --order or --coefficients without --scheme",
            "means plain (default two-level)",
            "bdf2: second order: swings longer, bounces more;",
            "auto: BDF2 for each piece of cloth that touches nothing,",
            "otherwise backward Euler (default auto)",
        ):
            self.assertIn(part, text)

    def test_last_line_on_a_terminal_tells_the_work(self):
        try:
            master, slave = pty.openpty()
        except OSError:
            self.skipTest("this machine has no pseudo-terminals")
        command = self.command(*self.drape_arguments("--frames", 2, "--quality", "draft"))
        subprocess.run(command, stderr=slave, timeout=60, check=True)
        os.close(slave)
        shown = os.read(master, 4096).decode()
        os.close(master)
        self.assertRegex(shown, r"2 frames in .* \(draft: \d+\.\d solves per substep\)")


del Command  # its name here would run it once more


if __name__ == "__main__":
    unittest.main()

"""The command line as a user or a pipeline runs it: files, options, numbers and help.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

from in_process import run_in_process
from muslin import Cloth, Pc2Writer, read_obj, read_pc2, write_obj
from test_scenes import sheets

TOOL = Path(__file__).resolve().parents[2] / "tools" / "muslin"
STEP = 1 / 24


def write_scene(path, scene, order=None):
    """A scene of test_scenes as an OBJ file; `order` gives each vertex a new number."""
    faces = np.asarray(scene.faces)
    order = np.arange(len(scene.positions)) if order is None else order
    positions = np.empty_like(scene.positions)
    positions[order] = scene.positions
    write_obj(path, positions, order[faces].tolist(), None, scene.uvs, faces.tolist())


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.garment = self.folder / "garment.obj"
        self.output = self.folder / "out.pc2"
        self.scene, self.pins = sheets.hung_cloth(10)
        write_scene(self.garment, self.scene)
        self.pin_list = ",".join(map(str, self.pins))

    def command(self, *arguments):
        """The line for a process of its own."""
        return [sys.executable, "-m", "muslin", *map(str, arguments)]

    def run_command(self, *arguments, code=0):
        result = run_in_process(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def drape_arguments(self, *arguments):
        return "drape", "--garment", self.garment, "-o", self.output, *arguments

    def drape(self, *arguments, code=0):
        return self.run_command(*self.drape_arguments(*arguments), code=code)

    def frames(self):
        return read_pc2(self.output).positions[:]


class DrapeTest(CommandTest):
    def test_frames_are_those_of_the_binding(self):
        result = self.drape(
            *("--frames", 8, "--pin", self.pin_list),
            *("--model", "edge", "--bend", 0.001, "--shear", 0),
        )
        self.assertEqual((result.stdout, result.stderr), ("", ""), "quiet in a pipe")
        cache = read_pc2(self.output)
        self.assertEqual(cache.positions.shape, (8, self.scene.positions.shape[0], 3))
        self.assertEqual((cache.start, cache.sampling), (1.0, 1.0))
        mesh = read_obj(self.garment)
        np.testing.assert_array_equal(cache.positions[0], mesh.positions)
        with Cloth(mesh, model="edge", bend=0.001, shear=0) as cloth:
            cloth.set_pins(self.pins)
            for frame in cache.positions[1:]:
                cloth.step(STEP)
                np.testing.assert_array_equal(cloth.positions(), frame)

    def test_defaults(self):
        self.drape("--pin", self.pin_list)
        self.assertEqual(len(self.frames()), 60)

    def test_order_of_vertices_is_that_of_the_file(self):
        order = np.random.default_rng(4).permutation(len(self.scene.positions))
        pins = ",".join(str(order[pin]) for pin in self.pins)
        self.drape("--frames", 6, "--pin", self.pin_list)
        expected = np.array(self.frames())
        write_scene(self.garment, self.scene, order)
        self.drape("--frames", 6, "--pin", pins)
        np.testing.assert_array_equal(self.frames()[0][order], expected[0])
        # the order decides where patches of Newton steps end, and with it what they leave open
        np.testing.assert_allclose(self.frames()[-1][order], expected[-1], atol=1e-3)

    def test_last_frame_is_the_mesh_at_its_end(self):
        last = self.folder / "last.obj"
        self.drape("--frames", 4, "--pin", self.pin_list, "--last-frame", last)
        before, after = read_obj(self.garment), read_obj(last)
        np.testing.assert_array_equal(after.positions, self.frames()[-1])
        self.assertEqual(after.faces(), before.faces())
        np.testing.assert_array_equal(after.uvs, before.uvs)
        np.testing.assert_array_equal(after.uv_indices, before.uv_indices)

    def test_loose_edges_and_components(self):
        self.garment.write_text(
            "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"
            "v 3 0 0\nv 3 0 -1\nv 4 0 0\nv 5 0 0\nl 5 6\nl 3 7 8\n"
        )
        last = self.folder / "last.obj"
        self.drape("--frames", 5, "--pin", "0,4", "--last-frame", last)
        self.assertEqual(read_obj(last).edges.tolist(), [[4, 5], [2, 6], [6, 7]])
        self.assertTrue(np.isfinite(self.frames()).all())
        self.assertLess(self.frames()[-1][7, 2], -0.01)

    def test_pin_above_and_below(self):
        positions = read_obj(self.garment).positions
        middle = float(np.median(positions[:, 2]))
        for axis, held in (
            (f"z:{middle}", positions[:, 2] >= middle),
            ("-x:0", positions[:, 0] <= 0),
        ):
            self.drape("--frames", 3, "--pin-above", axis)
            still = (self.frames() == positions).all(axis=(0, 2))
            np.testing.assert_array_equal(still, held)

    def test_pin_above_twice_and_with_pins(self):
        positions = read_obj(self.garment).positions
        top, left = positions[:, 2].max(), positions[:, 0].min()
        self.drape(
            "--frames", 2, "--pin", 5, "--pin-above", f"z:{top}", "--pin-above", f"-x:{left}"
        )
        held = (positions[:, 2] >= top) | (positions[:, 0] <= left)
        held[5] = True
        np.testing.assert_array_equal((self.frames() == positions).all(axis=(0, 2)), held)

    def test_pin_above_that_finds_nothing(self):
        result = self.drape("--frames", 2, "--pin-above", "z:99")
        self.assertIn("--pin-above z:99 pins nothing", result.stderr)

    def test_soft_pins(self):
        self.drape("--frames", 10, "--pin", self.pin_list, "--pin-weight", 0.5)
        self.assertGreater(np.abs(self.frames()[-1] - self.frames()[0])[self.pins].max(), 1e-4)

    def test_pins_follow_a_point_cache(self):
        motion = self.folder / "motion.pc2"
        with Pc2Writer(motion, len(self.scene.positions)) as writer:
            for frame in range(4):
                writer.write(self.scene.positions + np.float32(0.01 * frame))
        result = self.drape("--frames", 6, "--pin", self.pin_list, "--pin-motion", motion)
        self.assertIn("has 4 frames of 6", result.stderr)
        targets = read_pc2(motion).positions[:, self.pins]
        np.testing.assert_array_equal(self.frames()[:4, self.pins], targets)
        np.testing.assert_array_equal(self.frames()[5, self.pins], targets[3])

    def test_motion_of_another_mesh(self):
        motion = self.folder / "motion.pc2"
        with Pc2Writer(motion, 3) as writer:
            writer.write(np.zeros((3, 3)))
        result = self.drape("--pin", 0, "--pin-motion", motion, code=2)
        self.assertIn(str(motion), result.stderr)

    def test_maps_from_text_and_npy(self):
        count = len(self.scene.positions)
        text, array = self.folder / "mass.txt", self.folder / "bend.npy"
        text.write_text("2\n" * count)
        np.save(array, np.full(count, 3.0))
        size = self.folder / "size.txt"
        size.write_text("0.9\n" * count)
        maps = ("--mass-map", text, "--bend-map", array, "--stretch-map", text, "--size-map", size)
        self.drape("--frames", 5, "--pin", self.pin_list, *maps)
        with_maps = np.array(self.frames())
        with Cloth(read_obj(self.garment)) as cloth:
            cloth.set_maps(
                mass=np.full(count, 2),
                stretch=np.full(count, 2),
                bend=np.full(count, 3),
                size=np.full(count, 0.9),
            )
            cloth.set_pins(self.pins)
            for _ in range(4):
                cloth.step(STEP)
            np.testing.assert_array_equal(cloth.positions(), with_maps[-1])

    def test_negative_values_after_a_space(self):
        self.drape(
            "--frames", 3, "--gravity", "-1,0,0", "--wind", "-.5,0,0", "--pin", self.pin_list
        )
        self.assertLess(self.frames()[-1][:, 0].mean(), self.frames()[0][:, 0].mean())

    def test_turbulence_blows_with_the_wind_alone(self):
        """The same gusts in every run; none without wind, which is said."""
        ends = {}
        for wind in ("3,0,0", "0,0,0"):
            for share in ("0", "0.3", "0.3"):
                result = self.drape(
                    "--frames", 6, "--wind", wind, "--turbulence", share, "--pin", self.pin_list
                )
                words = "--turbulence does nothing without a wind: add --wind X,Y,Z"
                self.assertEqual((wind, share) == ("0,0,0", "0.3"), words in result.stderr)
                ends.setdefault((wind, share), []).append(self.frames()[-1])
        blown = ends["3,0,0", "0.3"]
        np.testing.assert_array_equal(*blown)
        self.assertGreater(np.abs(blown[0] - ends["3,0,0", "0"][0]).max(), 1e-3)
        np.testing.assert_array_equal(ends["0,0,0", "0.3"][0], ends["0,0,0", "0"][0])

    def test_every_option_is_taken(self):
        stats = self.folder / "stats.json"
        options = (
            "--frames 3 --fps 30 --substeps 3 --iterations 2 --model triangle --estimate rotation "
            "--coefficients 1 --solver linear --ordering rcm --density 0.3 --stretch 900,800 "
            "--shear 70 "
            "--bend 2e-5 --damping 0.1 --stiffness-damping 0.001 --wind 1,2,3 --air-drag 0.01 "
            "--normal-drag 0.2 --tangent-drag 0.1 --rope-density 0.02 --rope-stretch 300 "
            "--threads 1 --shear-axes derived --shear-energy product --tension-only "
            "--bend-rest flat --pattern uv --uv-scale 1.5 --pcg-tolerance 0.25 --pcg-limit 77 "
            "--pin-stiffness 1234"
        )
        self.drape(*options.split(), "--pin", self.pin_list, "--stats", stats)
        settings = json.loads(stats.read_text())["settings"]
        wanted = {
            "substeps": 3,
            "iterations": 2,
            "estimate": "rotation",
            "order": 0,
            "coefficients": [1],
            "ordering": "reverse_cuthill_mckee",
            "stretch_warp": 900,
            "stretch_weft": 800,
            "shear": 70,
            "wind": [1, 2, 3],
            "shear_axes": "derived",
            "shear_energy": "product",
            "tension_only": True,
            "bend_rest": "flat",
            "pattern": "uv",
            "uv_scale": 1.5,
            "pcg_tolerance": 0.25,
            "pcg_limit": 77,
            "pin_stiffness": 1234,
            "threads": 1,
            "fps": 30,
        }
        self.assertEqual({name: settings[name] for name in wanted}, wanted)
        self.assertAlmostEqual(settings["normal_drag"], 0.2, places=6)

    def test_solvers_models_and_orderings(self):
        for ordering in ("auto", "natural", "cm", "rcm", "amd", "metis", "dissection"):
            self.drape("--frames", 2, "--ordering", ordering)
        for solver in ("linear", "implicit", "sweep"):
            for model in ("edge", "triangle"):
                self.drape(
                    "--frames", 3, "--solver", solver, "--model", model, "--pin", self.pin_list
                )
                self.assertTrue(np.isfinite(self.frames()).all())

    def test_threads_do_not_change_the_bytes(self):
        contents = set()
        for threads in (1, 2):
            self.drape("--frames", 10, "--pin", self.pin_list, "--threads", threads)
            contents.add(self.output.read_bytes())
        self.assertEqual(len(contents), 1)

    def test_one_frame_is_the_garment(self):
        self.drape("--frames", 1)
        np.testing.assert_array_equal(self.frames()[0], self.scene.positions)

    def test_wrong_units_are_told_once_and_it_still_runs(self):
        for scale in (0.01, 100):
            with self.subTest(scale=scale):
                self.scene.positions *= np.float32(scale)
                write_scene(self.garment, self.scene)
                self.scene.positions /= np.float32(scale)
                result = self.drape("--frames", 4, "--pin", self.pin_list)
                self.assertEqual(result.stderr.count("its units look wrong"), 1)
                self.assertEqual(len(self.frames()), 4)


class StatisticsTest(CommandTest):
    def test_content(self):
        stats = self.folder / "stats.json"
        self.drape("--frames", 5, "--pin", self.pin_list, "--stats", stats, "--ordering", "amd")
        content = json.loads(stats.read_text())
        self.assertEqual(
            sorted(content),
            ["frames", "mirror", "peak_memory_bytes", "settings", "setup", "verdict"],
        )
        self.assertEqual([frame["frame"] for frame in content["frames"]], [1, 2, 3, 4, 5])
        last = content["frames"][-1]
        for name in ("force", "assemble", "solve", "contact", "total"):
            self.assertGreaterEqual(last[f"{name}_seconds"], 0)
        self.assertGreater(last["total_seconds"], 0)
        self.assertGreaterEqual(last["largest_strain"], last["mean_strain"])
        energies = last["elastic_energy"] + last["gravity_energy"]
        self.assertAlmostEqual(last["potential_energy"], energies)
        self.assertGreater(last["kinetic_energy"], 0)
        setup = content["setup"]
        self.assertEqual(setup["ordering"], "amd")
        self.assertGreater(setup["factor_nonzeros"], 0)
        self.assertGreaterEqual(setup["fill"], 1)
        self.assertGreater(setup["matrix_nonzeros"], 0)
        self.assertGreater(setup["factor_flops"], 0)
        self.assertGreaterEqual(setup["seconds"], 0)
        self.assertGreater(content["peak_memory_bytes"], 1e6)

    def content(self, *arguments):
        stats = self.folder / "stats.json"
        result = self.drape("--frames", 5, "--stats", stats, *arguments)
        return json.loads(stats.read_text()), result.stderr

    def test_settings_tell_what_was_used(self):
        text, motion = self.folder / "map.txt", self.folder / "motion.pc2"
        text.write_text("1\n" * len(self.scene.positions))
        with Pc2Writer(motion, len(self.scene.positions)) as writer:
            for _ in range(5):
                writer.write(self.scene.positions)
        files = ("--mass-map", text, "--pin-motion", motion)
        settings = self.content("--pin", "4,9,30-33,32-40", "--pin-weight", 0.5, *files)[0][
            "settings"
        ]
        self.assertEqual((settings["pin_count"], settings["pins"]), (13, "4,9,30-40"))
        self.assertEqual(settings["pin_weight"], 0.5)
        self.assertNotIn("coefficients", settings)
        paths = {"garment": self.garment, "mass_map": text, "pin_motion": motion}
        for name, path in paths.items():
            self.assertEqual(settings[name], str(path))
        self.assertIsNone(settings["bend_map"])
        settings = self.content("--coefficients", "1.5,-0.5")[0]["settings"]
        self.assertEqual((settings["order"], settings["coefficients"]), (0, [1.5, -0.5]))
        self.assertEqual((settings["pin_count"], settings["pins"]), (0, ""))

    def test_an_explicit_run_that_fails_is_not_good(self):
        stats = self.folder / "stats.json"
        explicit = ("--solver", "sweep", "--sweep-method", "symplectic", "--substeps", 1)
        arguments = ("--frames", 200, "--pin", self.pin_list, "--stats", stats, *explicit)
        result = self.drape(*arguments, code=1)
        self.assertIn("of 200 failed: ", result.stderr)
        self.assertIn("give more --substeps", result.stderr)
        self.assertIs(json.loads(stats.read_text())["verdict"]["good"], False)

    def test_implicit_solver_that_gives_up(self):
        arguments = ("--pin", self.pin_list, "--solver", "implicit")
        content, errors = self.content(*arguments)
        self.assertEqual(errors, "")
        for frame in content["frames"][1:]:
            self.assertEqual(frame["pcg_stopped"], 0)
            self.assertGreater(frame["pcg_iterations"], 0)
            self.assertGreater(frame["newton_iterations"], 0)
            self.assertLessEqual(frame["pcg_residual"], 1e-3 * (1 + 1e-6))
        content, errors = self.content(*arguments, "--pcg-limit", 2)
        self.assertTrue(all(frame["pcg_stopped"] > 0 for frame in content["frames"][1:]))
        worst = max(frame["pcg_residual"] for frame in content["frames"])
        self.assertEqual(len(errors.splitlines()), 1, errors)
        for part in ("warning: in 4 frames", f"{worst:.2g}", "--pcg-limit", "--solver linear"):
            self.assertIn(part, errors)

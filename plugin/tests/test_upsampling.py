"""What is learnt from pairs of runs: that it is learnt, turns with the garment, and is kept in files that are checked.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import tempfile
import unittest
from functools import lru_cache
from pathlib import Path

import numpy as np

from body_meshes import sheet
from muslin import FileError, MuslinError
from muslin.upsampling import Upsampling, train
from muslin.upsampling.operator import FORMAT

SIDE = 40
FRAMES = 30
MODES = 6


def coarse_run(mesh, seed, scale=0.02):
    """A sheet that moves in a few large waves, whose heights are drawn by lot."""
    places = mesh.positions.astype(float)
    waves = np.random.default_rng(0).normal(size=(MODES, 2)) * 2
    shapes = np.sin(places[:, :2] @ waves.T + np.arange(MODES))
    heights = np.random.default_rng(seed).normal(size=(FRAMES, MODES, 3)) * scale
    return (places + np.einsum("nm,fmi->fni", shapes, heights)).astype(np.float32)


def fine_run(mesh, coarse):
    """Everything goes on by a third of how far it has moved from the middle vertex, and droops by its height above."""
    moved = coarse - mesh.positions
    middle = moved[:, mesh.vertex_count // 2 + SIDE // 2][:, None]
    ways = (moved - middle) / 3
    ways[:, :, 2] -= 0.2 * (moved - middle)[:, :, 0]
    return coarse + ways


def pair(mesh, seed, **more):
    coarse = coarse_run(mesh, seed, **more)
    return coarse, fine_run(mesh, coarse)


@lru_cache(maxsize=1)
def learnt():
    mesh = sheet(SIDE)
    return mesh, train(mesh, [pair(mesh, 1), pair(mesh, 2)], level=1)


def rms(one, other):
    return float(np.sqrt(((one - other) ** 2).sum(-1).mean()))


class LearningTest(unittest.TestCase):
    def test_what_is_linear_is_learnt_and_holds_for_other_runs(self):
        mesh, training = learnt()
        coarse, fine = pair(mesh, 3)
        found = np.array([training.operator.apply(frame) for frame in coarse])
        self.assertLess(rms(found, fine), 0.2 * rms(coarse, fine))
        self.assertLess(training.left_out, 0.2)
        self.assertLessEqual(training.fitted, training.left_out)

    def test_noise_is_not_learnt(self):
        mesh = sheet(SIDE)
        lot = np.random.default_rng(7)
        runs = []
        for seed in (1, 2):
            coarse = coarse_run(mesh, seed)
            runs.append((coarse, coarse + lot.normal(size=coarse.shape, scale=0.01)))
        self.assertGreater(train(mesh, runs, level=1).left_out, 0.97)

    def test_one_run_is_tried_on_its_second_half(self):
        mesh = sheet(SIDE)
        self.assertLess(train(mesh, [pair(mesh, 1)], level=1).left_out, 0.5)

    def test_rest_shape_stays(self):
        mesh, training = learnt()
        found = training.operator.apply(mesh.positions)
        self.assertLess(np.abs(found - mesh.positions).max(), 1e-6)

    def test_turns_about_the_vertical_and_shifts_with_the_garment(self):
        mesh, training = learnt()
        turn = np.array([[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]])
        here = pair(mesh, 4)[0][0]
        shift = np.array([0.3, -0.2, 0.5])
        there = training.operator.apply(here @ turn.T + shift)
        expected = training.operator.apply(here) @ turn.T + shift
        self.assertLess(np.abs(there - expected).max(), 2e-5)
        self.assertGreater(np.abs(expected - (here @ turn.T + shift)).max(), 1e-3)

    def test_never_goes_much_further_than_it_has_seen(self):
        mesh, training = learnt()
        far = coarse_run(mesh, 5, scale=2.0)[0]
        ways = np.linalg.norm(training.operator.apply(far) - far, axis=1)
        self.assertLess(ways.max(), 1.01 * training.operator.limits.max())

    def test_runs_that_do_not_belong_together(self):
        mesh = sheet(SIDE)
        coarse, fine = pair(mesh, 1)
        broken = fine.copy()
        broken[4, 7, 1] = np.nan
        for runs, words in (
            ([], "none"),
            ([(coarse, fine[:-1])], "30 frames, but a fine one of 29"),
            ([(coarse[:, 1:], fine)], "coarse run: expected frames of 1600 vertices"),
            ([(coarse, broken)], "fine run: frame 5"),
        ):
            with self.assertRaisesRegex(MuslinError, words):
                train(mesh, runs, level=1)


class FileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "op.npz"
        self.mesh, training = learnt()
        self.operator = training.operator
        self.operator.save(self.path)

    def refused(self, words, mesh=None):
        with self.assertRaisesRegex(FileError, words) as caught:
            Upsampling.load(self.path, mesh)
        self.assertIn(str(self.path), str(caught.exception))

    def rewrite(self, **changes):
        with np.load(self.path) as file:
            arrays = dict(file)
        for name, array in changes.items():
            if array is None:
                del arrays[name]
            else:
                arrays[name] = array
        np.savez(self.path, **arrays)

    def test_comes_back_the_same(self):
        again = Upsampling.load(self.path, self.mesh)
        here = pair(self.mesh, 3)[0][0]
        self.assertEqual(again.apply(here).tobytes(), self.operator.apply(here).tobytes())
        self.assertEqual(again.level, 1)

    def test_another_garment(self):
        self.refused("1600 vertices, this one has 1521", sheet(SIDE - 1))
        other = sheet(SIDE)
        other.face_vertices = other.face_vertices[::-1].copy()
        self.refused("other faces", other)

    def test_broken_files(self):
        whole = self.path.read_bytes()
        for data in (b"", b"nonsense", whole[: len(whole) // 2], whole[:-30]):
            self.path.write_bytes(data)
            self.refused("operator|cut short")
        self.path.unlink()
        self.refused("cannot be read")

    def test_nothing_in_a_file_is_executed(self):
        self.rewrite(maps=np.array([{"a": 1}], dtype=object))
        self.refused("operator")

    def test_wrong_arrays(self):
        operator = self.operator
        maps, far, owners = (operator.maps.copy(), operator.far.copy(), operator.owners.copy())
        maps[3, 1, 2] = np.inf
        far[0, 0] = len(operator.nodes)
        owners[5, 0] = -1
        for name, array, words in (
            ("maps", maps, "maps: a number is not finite"),
            ("maps", operator.maps[:-1], "maps: its shape"),
            ("maps", operator.maps[:, :, :-1].copy(), "maps: .* columns"),
            ("maps", operator.maps.astype(np.float64), "maps: expected float32"),
            ("far", far, f"far: there is no number {len(operator.nodes)}"),
            ("owners", owners, "owners: there is no number -1"),
            ("limits", -operator.limits, "limits: a number is negative"),
            ("shapes", operator.shapes[:, :, :2].copy(), "shapes: its shape"),
            ("shapes", None, "it has no shapes"),
            ("header", np.array([99, 1, 0]), "format"),
            ("header", np.array([FORMAT, 0, 0]), "level 0"),
        ):
            with self.subTest(name=name, words=words):
                operator.save(self.path)
                self.rewrite(**{name: array})
                self.refused(words)


if __name__ == "__main__":
    unittest.main()

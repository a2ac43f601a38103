# SPDX-License-Identifier: GPL-3.0-or-later
"""The renderer draws what is there, nearest first, and its files are PNG."""

import contextlib
import io
import json
import struct
import tempfile
import unittest
import zlib
from pathlib import Path

import muslin
import numpy as np

from test_scenes import film, heat, image, picture, sheets
from test_scenes.objfile import write_obj
from test_scenes.raster import rasterise
from test_scenes.render import Part, frame_camera, render

try:
    from PIL import Image, ImageSequence
except ImportError:
    Image = None


class RasterTest(unittest.TestCase):
    def test_the_nearer_triangle_wins_whatever_its_size(self):
        screen = np.array([(0, 0), (64, 0), (0, 64), (4, 4), (20, 4), (4, 20)], float)
        nearness = np.array([1, 1, 1, 2, 2, 2], float)
        owner, near = rasterise(screen, nearness, np.array([(0, 1, 2), (3, 4, 5)]), 64, 64)
        self.assertEqual((owner[6, 6], owner[30, 10], owner[60, 60]), (1, 0, -1))
        self.assertEqual(near[6, 6], 2)

    def test_neighbours_leave_no_gap(self):
        mesh = sheets.grid(40, 40)
        screen = mesh.positions[:, :2] * 99.3 + 50
        owner, _ = rasterise(screen, np.ones(1600), mesh.faces, 100, 100)
        self.assertTrue((owner[1:99, 1:99] >= 0).all())


def write_pc2(path, frames):
    with muslin.Pc2Writer(path, frames.shape[1], start=1.0) as writer:
        for frame in frames:
            writer.write(frame.astype(np.float32))


def read_png(path):
    """The pixels (height, width, 3) of a file."""
    with Image.open(path) as picture:
        return np.array(picture.convert("RGB"))


def read_gif(path):
    """All pictures (n, height, width, 3) of a GIF, as a viewer shows them."""
    with Image.open(path) as film:
        pictures = [picture.convert("RGB") for picture in ImageSequence.Iterator(film)]
    return np.stack([np.array(picture, int) for picture in pictures])


@unittest.skipUnless(Image, film.MISSING)
class PictureTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.mesh, _ = sheets.hung_cloth(12)
        write_obj(self.folder / "cloth.obj", self.mesh)
        frames = np.stack([self.mesh.positions + (0, 0.1 * k, 0) for k in range(3)])
        write_pc2(self.folder / "cloth.pc2", frames)

    def draw(self, *options):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return picture.main(
                [str(self.folder / "cloth.obj"), "-o", str(self.folder / "out.png"), *options]
            )

    def test_a_film_is_a_gif_of_all_frames(self):
        first = round(muslin.read_pc2(self.folder / "cloth.pc2").start)
        cache = "--cache", str(self.folder / "cloth.pc2"), "--size", "96x64"
        gif = str(self.folder / "film.gif")
        self.assertEqual(self.draw(*cache, "--frames", f"{first}-{first + 2}", "-o", gif), 0)
        shown = read_gif(gif)
        self.assertEqual(shown.shape, (3, 64, 96, 3))
        self.assertGreater(np.abs(shown[0] - shown[2]).max(), 50)  # it moves
        red = shown[..., 0] - shown[..., 2] > 30
        self.assertGreater(red.mean(), 0.1)

    def test_a_gif_of_noise_has_every_pixel(self):
        """More codes than the compression's table holds, so that it begins anew; and sizes of codes that grow."""
        rng = np.random.default_rng(7)
        pictures = rng.choice([4, 84, 164, 244], (3, 70, 90, 3)).astype(np.uint8)
        film.write_gif(self.folder / "noise.gif", pictures)
        shown = read_gif(self.folder / "noise.gif")
        self.assertLessEqual(np.abs(shown - pictures.astype(int)).max(), 4)

    def test_close_leaves_the_body_out_of_the_framing(self):
        write_obj(self.folder / "body.obj", sheets.grid(2, 2, 9.0))
        shares = []
        for options in ((), ("--close",)):
            self.draw("--body", str(self.folder / "body.obj"), "--size", "120x120", *options)
            image = read_png(self.folder / "out.png").astype(int)
            shares.append(float((image[..., 0] - image[..., 2] > 30).mean()))
        self.assertLess(shares[0], 0.03)
        self.assertGreater(shares[1], 0.1)

    def test_closed_stitches_are_not_drawn(self):
        camera = frame_camera(self.mesh.positions, 60, 45)
        stitches = np.array([[3, 3], [5, 5]])
        plain, sewn = (
            render([Part(self.mesh.positions, self.mesh.faces, edges=edges)], camera, 60, 45)
            for edges in (None, stitches)
        )
        self.assertTrue((plain == sewn).all())

    def test_cloth_is_seen_in_the_middle_and_fits(self):
        camera = frame_camera(self.mesh.positions, 120, 90)
        image = render([Part(self.mesh.positions, self.mesh.faces)], camera, 120, 90, 0.0)
        red = image[:, :, 0].astype(int) - image[:, :, 2] > 30
        self.assertTrue(red[45, 60])
        self.assertFalse(red[:1].any() or red[-1:].any() or red[:, :1].any() or red[:, -1:].any())

    def test_a_contact_sheet_is_a_png_of_the_right_size(self):
        options = [
            "--cache",
            str(self.folder / "cloth.pc2"),
            "--frames",
            "1,2,3",
            "--size",
            "60x50",
        ]
        self.assertEqual(self.draw(*options, "--columns", "2", "--wire"), 0)
        data = (self.folder / "out.png").read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", data[16:24]), (120, 100))
        start = data.index(b"IDAT")
        length = struct.unpack(">I", data[start - 4 : start])[0]
        pixels = zlib.decompress(data[start + 4 : start + 4 + length])
        self.assertEqual(len(pixels), 100 * (120 * 3 + 1))

    def test_captions_take_the_place_of_numbers(self):
        drawn = []
        for options in ((), ("--captions", "frame 1,frame 2"), ("--captions", "coarse,fine")):
            line = ("--cache", str(self.folder / "cloth.pc2"), "--frames", "1,2", "--size", "90x60")
            self.assertEqual(self.draw(*line, *options), 0)
            drawn.append(read_png(self.folder / "out.png"))
        np.testing.assert_array_equal(drawn[0], drawn[1])
        self.assertTrue((drawn[0] != drawn[2]).any())
        self.assertEqual(self.draw(*line, "--captions", "coarse"), 1)
        self.assertEqual(self.draw(*line, "--captions", "coarse,~"), 1)

    def test_a_fit_report_colours_the_cloth(self):
        """Red on the side where it presses; of gaps, where there is none."""
        right = self.mesh.positions[:, 0] > 0
        for kind, most, tight in (("pressure", 100.0, right), ("gap", 0.02, ~right)):
            values = np.where(right, most, 0.0).tolist()
            report = {"garments": [{"garment": "cloth", "arrays": {kind: values}}]}
            (self.folder / "fit.json").write_text(json.dumps(report))
            options = ("--fit", str(self.folder / "fit.json"), "--show", kind, "--size", "120x130")
            self.assertEqual(self.draw(*options, "--azimuth", "0"), 0)
            image = read_png(self.folder / "out.png").astype(int)[:80]
            red = (image[..., 0] - image[..., 1] > 30).sum(0)
            sides = red[:60].sum(), red[60:].sum()
            self.assertGreater(max(sides), 3 * min(sides))
            self.assertEqual(sides[1] > sides[0], bool(tight[right].all()))
        self.assertEqual(self.draw("--fit", str(self.folder / "none.json")), 1)

    def test_scales_can_be_read(self):
        """The font has every letter of the captions and units."""
        for kind in heat.KINDS.values():
            self.assertLessEqual(set(kind.caption + kind.unit), set(image.GLYPHS))

    def test_wrong_requests_are_refused_in_words(self):
        cache = ["--cache", str(self.folder / "cloth.pc2")]
        self.assertEqual(self.draw(*cache, "--frames", "9"), 1)
        write_pc2(self.folder / "other.pc2", np.zeros((1, 5, 3)))
        self.assertEqual(self.draw("--cache", str(self.folder / "other.pc2")), 1)
        (self.folder / "short.pc2").write_bytes(b"POINTCACHE2")
        self.assertEqual(self.draw("--cache", str(self.folder / "short.pc2")), 1)


if __name__ == "__main__":
    unittest.main()

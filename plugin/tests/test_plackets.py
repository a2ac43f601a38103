"""Buttoned fronts of whole garments: one side comes to lie over the other, by its overlap, through nothing.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import unittest

import numpy as np

from muslin import Cloth, Mesh, links, read_obj
from muslin.sewing.plackets import front_buttons, front_links, open_fronts
from sewn_meshes import grid
from test_scenes import garments
from test_scenes.contact import real
from test_scenes.levels import long_test

STEP = 1 / 24
OVERLAP = 0.04


def bent_jacket(turned_in=0.0):
    """Without a mirror plane. turned_in: m by which a row of faces is added to its fronts, towards the body."""
    scene = garments.jacket(0.05, opening=0.06)
    places = scene.positions + 0.02 * np.sin(7 * scene.positions[:, [1, 2, 0]])
    faces = [list(face) for face in scene.faces]
    for chain in open_fronts(Mesh.from_faces(places, faces))[0] if turned_in else ():
        rim = np.arange(len(places), len(places) + len(chain))
        faces += np.column_stack([chain[:-1], chain[1:], rim[1:], rim[:-1]]).tolist()
        places = np.concatenate([places, places[chain] + (0, turned_in, 0)])
    return Mesh.from_faces(places, faces)


def sides(mesh, over):
    """Vertices of the front that lies over the other, and of the other."""
    first, second = open_fronts(mesh)[0]
    left = mesh.positions[first, 0].mean() > mesh.positions[second, 0].mean()
    return (first, second) if left == (over == "kept") else (second, first)


def points(found, side, positions):
    """Where one of the two points of each link is."""
    ends, at = found["vertices"][:, 2 * side :][:, :2], found["places"][:, [side]]
    return positions[ends[:, 0]] * (1 - at) + positions[ends[:, 1]] * at


def directions(found, positions):
    """Normals of the cloth below."""
    corners = positions[found["below"]]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return normals / np.linalg.norm(normals, axis=1)[:, None]


class FindTest(unittest.TestCase):
    def test_each_front_is_held_an_overlap_behind_the_other(self):
        mesh = bent_jacket()
        found = front_buttons(mesh, OVERLAP)
        upper, lower = (mesh.positions[chain] for chain in sides(mesh, "kept"))
        self.assertGreater(len(found), len(upper))
        for point, chain in ((0, upper), (1, lower)):
            places = points(found, point, mesh.positions)
            steps = np.linspace(0, 1, 50)[:, None, None]
            dense = (chain[:-1] * (1 - steps) + chain[1:] * steps).reshape(-1, 3)
            away = np.linalg.norm(places[:, None] - dense, axis=2).min(axis=1)
            on_front = away < 1e-3
            np.testing.assert_allclose(away[~on_front], OVERLAP, rtol=0.1)
            self.assertGreater(min(on_front.sum(), (~on_front).sum()), 5)

    def test_over_is_outwards_however_faces_are_wound(self):
        mesh = bent_jacket()
        other_way = Mesh.from_faces(mesh.positions, [face[::-1] for face in mesh.faces()])
        for each in (mesh, other_way):
            over = directions(front_buttons(each, OVERLAP), each.positions)
            self.assertTrue((over[:, 1] < 0).all())  # the figure looks along -y

    def test_what_is_closed_has_none(self):
        scene = garments.tshirt(0.04)
        mesh = Mesh.from_faces(scene.positions, scene.faces)
        for closure in ("free", "zip", "button"):
            self.assertIsNone(front_links(mesh, closure))

    def test_no_cloth_behind_the_front(self):
        self.assertIsNone(front_buttons(bent_jacket(), 5.0))


class CloseTest(unittest.TestCase):
    def closed(self, mesh, over, frames=24):
        """Positions of a jacket that is held at its shoulders; nothing is pierced on the way."""
        with Cloth(mesh) as cloth:
            cloth.set_self_contact(True)
            shoulders = (mesh.positions[:, 2] > 1.3) & (np.abs(mesh.positions[:, 0]) > 0.12)
            cloth.set_pins(np.flatnonzero(shoulders))
            cloth.add_links([front_buttons(mesh, OVERLAP, over)])
            for frame in range(frames):
                cloth.step(STEP)
                self.assertEqual(cloth.inspect().self_piercings, 0, frame)
            self.assertEqual(cloth.link_report().closing, 0)
            return cloth.positions()

    def test_one_side_lies_over_the_other(self):
        mesh = bent_jacket()
        for over, sign in (("kept", -1), ("other", 1)):
            with self.subTest(over):
                upper, lower = sides(mesh, over)
                now = self.closed(mesh, over, frames=48)  # by then the fronts have swung out
                across = sign * (now[upper] - now[lower])[:, 0]
                # between the links friction decides where a front that swung out comes to rest
                np.testing.assert_allclose(across.mean(), OVERLAP, atol=0.2 * OVERLAP)
                np.testing.assert_allclose(across, OVERLAP, atol=0.75 * OVERLAP)
                found = front_buttons(mesh, OVERLAP, over)
                ways = points(found, 0, now) - points(found, 1, now)
                heights = (ways * directions(found, now)).sum(axis=1)
                self.assertTrue((heights > 0).all(), heights)

    def test_the_links_of_a_half_are_its_strips(self):
        """It moves as with strips alone, and stays closed when the garment has to be simulated whole."""
        scene = garments.jacket(0.05, opening=0.06)
        mesh = Mesh.from_faces(scene.positions, scene.faces)
        upper, lower = sides(mesh, "kept")
        shoulders = (mesh.positions[:, 2] > 1.3) & (np.abs(mesh.positions[:, 0]) > 0.12)
        shoulders = np.flatnonzero(shoulders)
        halves, across = [], []
        for found in (None, front_buttons(mesh, OVERLAP)):
            with Cloth(mesh, mirror="auto", closure="button", overlap=OVERLAP) as cloth:
                cloth.set_self_contact(True)
                cloth.set_pins(shoulders)
                if found is not None:
                    cloth.add_links([found])
                    report = cloth.link_report()
                    self.assertEqual((report.count, report.closing), (len(found), 0))
                for _ in range(14):
                    cloth.step(STEP)
                self.assertFalse(cloth.mirror().solved_whole)
                halves.append(cloth.positions())
                cloth.set_pins(shoulders[mesh.positions[shoulders, 0] > -0.14])
                for _ in range(14):
                    cloth.step(STEP)
                self.assertTrue(cloth.mirror().solved_whole)
                now = cloth.positions()
                across.append((now[lower] - now[upper])[:, 0].mean())
                self.assertEqual(cloth.inspect().self_piercings, 0)
        np.testing.assert_array_equal(*halves)
        np.testing.assert_allclose(across[1], OVERLAP, atol=0.2 * OVERLAP)
        self.assertGreater(abs(across[0] - OVERLAP), 2 * abs(across[1] - OVERLAP))

    def test_the_links_alone_make_the_strips_of_a_half(self):
        """No closure is named: the overlap, and which side lies over the other, are those of the links."""
        scene = garments.jacket(0.05, opening=0.06)
        mesh = Mesh.from_faces(scene.positions, scene.faces)
        shoulders = (mesh.positions[:, 2] > 1.3) & (np.abs(mesh.positions[:, 0]) > 0.12)
        halves = []
        for closure in ("button", "free"):
            named = {"closure": closure, "overlap": OVERLAP, "over": "other"}
            with Cloth(mesh, mirror="exact", **named) as cloth:
                cloth.set_self_contact(True)
                cloth.set_pins(np.flatnonzero(shoulders))
                cloth.add_links([front_buttons(mesh, OVERLAP, "other")])
                for _ in range(14):
                    cloth.step(STEP)
                report = cloth.mirror()
                self.assertFalse(report.solved_whole)
                self.assertEqual(cloth.inspect().self_piercings, 0)
                halves.append((cloth.positions(), report.front_count))
        self.assertEqual(halves[0][1], halves[1][1])
        np.testing.assert_allclose(halves[0][0], halves[1][0], atol=0.02 * OVERLAP)

    def test_a_front_that_is_turned_in(self):
        mesh = bent_jacket(turned_in=0.008)
        self.closed(mesh, "kept")


@unittest.skipUnless((real.FOLDER / "jacket_open.obj").is_file(), "no folder of modelled garments")
class RealJacketTest(unittest.TestCase):
    @long_test
    def test_it_closes_on_a_body(self):
        mesh, body = (read_obj(real.FOLDER / name) for name in ("jacket_open.obj", "body.obj"))
        with Cloth(mesh, quality="draft") as cloth:
            cloth.add_body(body)
            cloth.set_self_contact(True)
            cloth.add_links([front_buttons(mesh, 0.03)])
            for _ in range(24):
                cloth.step(STEP)
                self.assertEqual(cloth.inspect().self_piercings, 0)
            report, lies = cloth.link_report(), cloth.inspect()
        self.assertEqual((report.closing, lies.inside_count, lies.body_piercings), (0, 0, 0))
        self.assertLess(report.largest_gap, 1e-3)

    def test_a_button_that_cannot_close_holds_from_above_alone(self):
        """Held 20 mm over or under its place, it gives up after a while, but never from the wrong side."""
        for height, closing in ((0.02, 0), (-0.02, 1)):
            sheet, corners = grid(3, 3, 0.02)
            places = np.concatenate([sheet, sheet + [0, 0, height]])
            mesh = Mesh.from_faces(places, np.concatenate([corners, corners + 9]))
            with self.subTest(height), Cloth(mesh, gravity=(0, 0, 0)) as cloth:
                cloth.set_pins(np.arange(18))
                cloth.set_links([links.button([[9, 0]], corners[:1], 0.002)])
                for _ in range(12):
                    cloth.step(STEP)
                self.assertEqual(cloth.link_report().closing, closing)


if __name__ == "__main__":
    unittest.main()

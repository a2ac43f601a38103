"""The library is let go when nobody works with it, and loaded again when somebody does.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import threading
import time
import unittest
from pathlib import Path

import muslin
from muslin import library
from test_scenes import sheets


def is_loaded():
    """Whether the library's code is in this process."""
    path = str(library.find())
    return any(line.endswith(path) for line in Path("/proc/self/maps").read_text().splitlines())


def new_cloth():
    scene, pins = sheets.hung_cloth(6)
    faces = [[int(vertex) for vertex in face] for face in scene.faces]
    cloth = muslin.Cloth(muslin.Mesh.from_faces(scene.positions, faces), threads=2)
    cloth.set_pins(pins)
    return cloth


class Unload(unittest.TestCase):
    def test_an_open_cloth_keeps_it(self):
        with new_cloth() as cloth:
            self.assertFalse(library.unload())
            cloth.step(1 / 24)
        self.assertTrue(library.unload())
        self.assertFalse(is_loaded())

    def test_it_is_loaded_again_and_gives_the_same(self):
        found = []
        for _ in range(2):
            with new_cloth() as cloth:
                cloth.step(1 / 24)
                found.append(cloth.positions().tobytes())
            self.assertTrue(is_loaded())
            self.assertTrue(library.unload())
            self.assertFalse(is_loaded())
        self.assertEqual(*found)

    def test_a_cloth_that_was_refused_or_dropped_keeps_nothing(self):
        with self.assertRaises(muslin.MuslinError):
            muslin.Cloth(muslin.Mesh.from_faces([[0, 0, 0]] * 3, [[0, 1, 2]]), density=-1)
        cloth = new_cloth()
        del cloth
        self.assertTrue(library.unload())
        self.assertTrue(library.unload(), "nothing to do is no fault")

    def test_calls_beside_it(self):
        """Of a thread without a cloth: none of them loses the code that it runs."""
        scene, _ = sheets.hung_cloth(40)
        mesh = muslin.Mesh.from_faces(scene.positions, [list(map(int, f)) for f in scene.faces])
        end, calls = threading.Event(), [0]

        def work():
            while not end.wait(0.001):
                muslin.check_mesh(mesh)
                muslin.find_symmetry(mesh)
                library.version()
                calls[0] += 1

        thread = threading.Thread(target=work)
        thread.start()
        unloaded, latest = 0, time.monotonic() + 60
        while (calls[0] < 20 or unloaded < 5) and time.monotonic() < latest:
            unloaded += library.unload()
        end.set()
        thread.join()
        self.assertGreaterEqual(min(unloaded, calls[0]), 5)

    def test_a_thread_that_used_it_may_end_later(self):
        """It has a message of its own there, which the library frees when the thread ends."""
        used, end, statuses = threading.Event(), threading.Event(), []

        def work():
            statuses.append(library.get().muslin_cloth_step(0, 1.0))  # refused, with a message
            used.set()
            end.wait(60)

        thread = threading.Thread(target=work)
        thread.start()
        self.assertTrue(used.wait(60))
        self.assertEqual(statuses, [muslin.Status.ERROR_HANDLE])
        self.assertTrue(library.unload())
        end.set()
        thread.join()
        self.assertEqual(library.version(), muslin.__version__)


if __name__ == "__main__":
    unittest.main()

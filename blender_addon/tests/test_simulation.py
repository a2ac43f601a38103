# SPDX-License-Identifier: GPL-3.0-or-later
"""One garment under simulation: a step that is stopped, and when a new matrix is needed."""

import threading
import unittest

import bpy
import numpy as np

import scenes
from support import addon


class InterruptTest(unittest.TestCase):
    """One step, stopped or not, and the one after it."""

    def setUp(self):
        scene, obj = scenes.empty_scene(), scenes.garment()
        depsgraph = bpy.context.evaluated_depsgraph_get()
        kind = addon("simulation.simulation").Simulation
        self.simulation, self.other = (kind(obj, scene, depsgraph) for _ in range(2))
        self.addCleanup(self.simulation.close)
        self.addCleanup(self.other.close)

    def after_a_step(self, simulation):
        simulation.start()
        self.assertTrue(simulation.collect())
        return simulation.positions_world().tobytes()

    def test_stopped_before_it_starts(self):
        """The worker gets to the step only when it has been asked to stop."""
        gate = threading.Event()
        before, step = self.simulation.positions_world().tobytes(), self.simulation.step

        def late():
            gate.wait()
            step()

        self.simulation.step = late
        self.simulation.start()
        cancel = self.simulation.cloth.cancel
        self.simulation.cloth.cancel = lambda: (cancel(), gate.set())
        self.simulation.interrupt()
        self.assertFalse(self.simulation.collect())
        self.assertEqual(self.simulation.positions_world().tobytes(), before)
        self.assertEqual(self.after_a_step(self.simulation), self.after_a_step(self.other))

    def test_asked_too_late(self):
        """The step was over when it was asked to stop: the next one runs all the same."""
        self.after_a_step(self.simulation)
        self.simulation.cloth.cancel()
        self.after_a_step(self.other)
        self.assertEqual(self.after_a_step(self.simulation), self.after_a_step(self.other))


class SameClothTest(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty_scene()

    def preview(self, obj):
        return scenes.running().previews[obj.muslin.uid]

    def test_another_pattern_is_another_cloth(self):
        """Beginning anew sees a UV map that was moved, taken away or added."""
        obj = scenes.garment()
        obj.data.uv_layers.new(name="Pattern")
        uvs = np.zeros(2 * len(obj.data.loops), np.float32)
        for corner, loop in enumerate(obj.data.loops):
            uvs[2 * corner : 2 * corner + 2] = obj.data.vertices[loop.vertex_index].co[:2]
        obj.data.uv_layers[0].data.foreach_set("uv", uvs)
        obj.muslin.rest = "uv"
        bpy.ops.muslin.preview()

        def begins_anew():
            """Whether with a new matrix, and how low the middle hangs then."""
            before = self.preview(obj).cloth
            for frame in (2, 3, 1):
                low = scenes.seen(obj)[40, 2]
                self.scene.frame_set(frame)
            return self.preview(obj).cloth is not before, low

        is_new, low = begins_anew()
        self.assertFalse(is_new)
        obj.data.uv_layers[0].data.foreach_set("uv", np.float32(0.9) * uvs)
        is_new, _ = begins_anew()
        self.assertTrue(is_new)
        is_new, tight = begins_anew()
        self.assertFalse(is_new)
        self.assertNotEqual(tight, low)
        obj.muslin.rest = "mesh"
        begins_anew()
        obj.data.uv_layers.remove(obj.data.uv_layers[0])  # warp and weft turn with it
        self.assertTrue(begins_anew()[0])

    def test_the_same_corners_in_other_faces_are_another_cloth(self):
        """A pentagon beside a triangle, and two quads: as many of everything, in the same order."""
        simulation, mesh = addon("simulation.simulation"), addon("muslin").Mesh
        read = addon("garment.garment_data").GarmentData
        places = np.random.default_rng(1).random((8, 3))
        none, free = np.zeros(0, np.int32), dict.fromkeys(("mass", "stretch", "bend"))
        one, other, again = (
            read(mesh(places, sizes, range(8)), places, none, none, free, {})
            for sizes in ((5, 3), (4, 4), (5, 3))
        )
        self.assertTrue(simulation.same_cloth(one, again))
        self.assertFalse(simulation.same_cloth(one, other))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""What scripts call, by the example of the manual; and how what they get plays in geometry nodes and motion blur."""

import os
import re
import unittest
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import blur_scenes as made
import bpy
import numpy as np
import scenes
from feed_scenes import through
from fit_scenes import maps
from output_support import OutputTest, bake
from support import addon

MANUAL = Path(__file__).resolve().parents[2] / "docs" / "guide" / "scripting.md"
SPEED = 0.2  # units a frame
FRAMES_PER_SECOND = 24


class ScriptTest(unittest.TestCase):
    def setUp(self):
        self.scene = scenes.empty_scene()
        self.scene.frame_end = 6
        self.addCleanup(lambda: scenes.running().stop_everything())

    def worn(self):
        ball = scenes.ball()
        obj = scenes.garment(pins=False, height=0.52)
        obj.muslin.colliders.add().object = ball
        obj.muslin.settle_first = False
        return obj

    def test_the_manuals_example_gives_what_a_bake_gives(self):
        obj = self.worn()
        code = re.findall(r"```python\n(.*?)```", MANUAL.read_text("utf-8"), re.DOTALL)
        self.assertEqual(len(code), 1)
        reported, names = StringIO(), {}
        before = scenes.modelled(obj)
        with redirect_stdout(reported):
            exec(code[0], names)
        self.assertEqual(reported.getvalue().count("lowest"), 5)
        self.assertEqual((names["run"].frame, scenes.modelled(obj)), (6, before))
        self.assertEqual([m.name for m in obj.modifiers], [])
        bpy.ops.muslin.bake()
        np.testing.assert_array_equal(names["positions"], scenes.cached(obj)[-1])

    def test_what_is_seen_between_steps(self):
        obj = self.worn()
        obj.muslin.fit.enabled = True
        run = addon("api").start(obj)
        positions = run.step()
        np.testing.assert_array_equal(scenes.seen(obj), positions)
        self.assertIn("ease", maps(obj))
        run.stop()
        run.stop()
        self.assertEqual(maps(obj), {})
        with self.assertRaisesRegex(Exception, "was stopped"):
            run.step()

    def test_refusals(self):
        obj = self.worn()
        run = addon("api").start(obj)
        bpy.data.objects.remove(obj)
        with self.assertRaisesRegex(Exception, "Sheet was deleted"):
            run.step()
        run.stop()
        with self.assertRaisesRegex(Exception, "Ball is not a garment"):
            addon("api").start(bpy.data.objects["Ball"])


class BlurTest(OutputTest):
    """A sheet that moves evenly, in pictures by Cycles."""

    def setUp(self):
        super().setUp()
        self.scene = bpy.context.scene
        self.scene.render.fps = FRAMES_PER_SECOND
        made.stage(self.scene)

    def baked(self, kind, fit=False):
        obj, places = made.moving_sheet(self.scene)
        ways = [np.float32([SPEED * (frame - 4), 0, 0]) for frame in range(1, 8)]
        obj.muslin.fit.enabled = fit
        path = bake(obj, np.stack([places + way for way in ways]))
        addon("output.results").present(obj, self.scene, path, kind)
        self.assertEqual(obj.muslin.baked.kind, kind)
        return obj

    def blurred(self, length):
        found, middle = made.blur(self.scene, 4, os.path.join(self.folder, "blur.png"))
        pixel = made.VIEW / made.WIDTH
        self.assertAlmostEqual(found, length, delta=1.5 * pixel if not length else 0.6 * pixel)
        self.assertAlmostEqual(middle, 0.0, delta=0.006)

    def test_every_output_is_blurred_as_it_moves(self):
        for kind in ("pc2", "mdd", "keys", "relative"):
            obj = self.baked(kind)
            self.blurred(SPEED * made.SHUTTER)
            bpy.data.objects.remove(obj)
        made.moving_sheet(self.scene)
        self.blurred(0.0)

    def test_velocity(self):
        obj = self.baked("pc2", fit=True)
        for frame in (1, 4, 7):
            self.scene.frame_set(frame)
            layer = obj.data.attributes["muslin_velocity"]
            found = np.array([tuple(each.vector) for each in layer.data])
            wanted = np.tile([SPEED * FRAMES_PER_SECOND, 0.0, 0.0], (4, 1))
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
        self.blurred(SPEED * made.SHUTTER)

    def test_nodes_read_it_and_may_blur_by_it(self):
        """Twice as much, to see that it is this that Cycles reads."""
        obj = self.baked("pc2", fit=True)
        store_velocity(obj, 2.0)
        self.blurred(2.0 * SPEED * made.SHUTTER)


def store_velocity(obj, factor):
    """Nodes after the cloth: muslin_velocity times a factor becomes velocity."""
    tree = bpy.data.node_groups.new("Blur", "GeometryNodeTree")
    store = through(tree, "GeometryNodeStoreNamedAttribute")
    store.data_type, store.domain = "FLOAT_VECTOR", "POINT"
    store.inputs["Name"].default_value = "velocity"
    read, times = (
        tree.nodes.new(k) for k in ("GeometryNodeInputNamedAttribute", "ShaderNodeVectorMath")
    )
    read.data_type = "FLOAT_VECTOR"
    read.inputs["Name"].default_value = "muslin_velocity"
    times.operation = "SCALE"
    times.inputs["Scale"].default_value = factor
    tree.links.new(vector_of(read.outputs), times.inputs[0])
    tree.links.new(times.outputs[0], vector_of(store.inputs))
    obj.modifiers.new("Blur", "NODES").node_group = tree


def vector_of(sockets):
    return next(socket for socket in sockets if socket.type == "VECTOR" and socket.enabled)

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of output have in common: a small sheet, frames that are hard to round, and a look
at what Blender shows."""

import os
import shutil
import subprocess
import tempfile
import unittest

import bpy
import numpy as np

from support import addon

SIDE = 5
VERTICES = SIDE * SIDE


def sheet(name="Sheet", side=SIDE):
    """A new sheet in the scene, some metres off the origin."""
    points = [(0.3 + x / 7, y / 7 - 0.2, 1.1) for y in range(side) for x in range(side)]
    faces = [
        (y * side + x, y * side + x + 1, y * side + side + x + 1, y * side + side + x)
        for y in range(side - 1)
        for x in range(side - 1)
    ]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    mesh.update()
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    return obj


def frames(count=6, vertices=VERTICES, seed=1):
    """Positions from 1e-9 to 100: whatever rounds on the way shows."""
    random = np.random.default_rng(seed)
    scale = 10.0 ** random.integers(-9, 3, size=(count, vertices, 3))
    return (random.normal(size=(count, vertices, 3)) * scale).astype(np.float32)


def coordinates(vertices):
    flat = np.empty(3 * len(vertices), dtype=np.float32)
    vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3)


def shown(obj, frame=None):
    """What Blender shows at a frame, or now."""
    if frame is not None:
        bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    return coordinates(obj.evaluated_get(graph).data.vertices)


def different(obj, positions, start):
    """Numbers that differ from these in any frame."""
    return sum(
        int((shown(obj, start + index) != frame).sum()) for index, frame in enumerate(positions)
    )


def bake(obj, positions, start=1, folder=None, continue_from=None, state=None):
    """Write positions as a bake does; the path of the cache."""
    cache = addon("output.cache")
    folder = obj.muslin.cache_folder if folder is None else folder
    writer = cache.CacheWriter(obj, folder, positions.shape[1], start, continue_from)
    for frame in positions:
        writer.append(frame)
    if state is not None:
        writer.state(state, writer.frame_start + writer.frames - 1)
    return writer.finish()


def other_blender(script):
    """What a script prints in a Blender without add-ons."""
    command = [bpy.app.binary_path or "blender", "-b", "--factory-startup"]
    command += ["--python-exit-code", "1", "--python-expr", script]
    found = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if found.returncode:
        raise AssertionError(found.stdout + found.stderr)
    return found.stdout


class OutputTest(unittest.TestCase):
    """An empty file, saved in a folder of its own."""

    saved = True

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="muslin-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=False)
        addon("output.results")
        if self.saved:
            self.save("shot.blend")

    def save(self, name):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        bpy.ops.wm.save_as_mainfile(filepath=path)
        return path

    def caches(self):
        place = os.path.join(self.folder, "muslin")
        return sorted(os.listdir(place)) if os.path.isdir(place) else []

# SPDX-License-Identifier: GPL-3.0-or-later
"""Small scenes for tests: a sheet that hangs or falls, and a ball that moves below it."""

import bpy
import numpy as np

from support import addon, package


def empty_scene():
    """A new file with nothing in it. The preferences stay: the add-on is on, and its cloths have one thread each."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    package()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 10
    scene.frame_set(1)
    return scene


def grid(name, size=9, side=1.0, height=1.0):
    """A square sheet of size x size vertices, side metres wide."""
    line = np.linspace(-0.5 * side, 0.5 * side, size)
    points = [(x, y, height) for y in line for x in line]
    faces = [
        (row * size + column, row * size + column + 1, (row + 1) * size + column + 1,
         (row + 1) * size + column)
        for row in range(size - 1)
        for column in range(size - 1)
    ]  # fmt: skip
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    mesh.update()
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def garment(name="Sheet", size=9, pins=True, **where):
    """A garment, active and selected, held at two corners unless told otherwise."""
    obj = grid(name, size, **where)
    if pins:
        group = obj.vertex_groups.new(name="Pins")
        group.add([0, size - 1], 1.0, "REPLACE")
        obj.muslin.pin_group = "Pins"
    select(obj)
    bpy.ops.muslin.add()
    obj.muslin.output = "pc2"
    bpy.context.view_layer.update()
    return obj


def ball(name="Ball", radius=0.3, moving=True):
    """A ball that rises from frame 1 to 10."""
    bpy.ops.mesh.primitive_uv_sphere_add(radius=radius, segments=16, ring_count=8)
    obj = bpy.context.active_object
    obj.name = name
    if moving:
        obj.location.z = 0.2
        obj.keyframe_insert("location", frame=1)
        obj.location.z = 0.6
        obj.keyframe_insert("location", frame=10)
    return obj


def select(obj):
    bpy.context.view_layer.update()  # a new object is in the layer from then on
    for each in bpy.context.view_layer.objects:
        each.select_set(each == obj)
    bpy.context.view_layer.objects.active = obj


def modelled(obj):
    """The vertices of the mesh itself, as bytes."""
    out = np.empty(3 * len(obj.data.vertices), dtype=np.float32)
    obj.data.vertices.foreach_get("co", out)
    return out.tobytes()


def seen(obj):
    """The evaluated vertices, n x 3, as the view shows them."""
    bpy.context.view_layer.update()
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    out = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", out)
    return out.reshape(-1, 3)


def running():
    return addon("running")


def cached(obj):
    """Frames x vertices x 3 of the finished cache."""
    cache = addon("output.cache")
    return cache.read(cache.locate(obj)).positions[:]


def refine(preview, most=400):
    """The timeline stands still for long enough. Gives how far that moves the cloth shown, m."""
    moving = np.array(preview.shown)
    for _ in range(most):
        preview._followed = 0.0
        preview.pause()
        preview._simulation.ready(None)
        if preview.settled:
            break
    preview.pause()
    return np.abs(preview.shown - moving).max()

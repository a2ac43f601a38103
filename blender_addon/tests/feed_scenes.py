# SPDX-License-Identifier: GPL-3.0-or-later
"""Small scenes for the tests of what is read: each starts from an empty file."""

import json

import bpy
import numpy as np


def empty():
    """A new scene without any object; gives the scene."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return bpy.context.scene


def mesh_object(name, positions, faces=(), edges=()):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([tuple(map(float, p)) for p in positions], list(edges), list(faces))
    mesh.update()
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def grid(name="Cloth", cells=4, size=1.0, height=0.0):
    """A square of quads around the origin, in its own coordinates."""
    side = np.linspace(-size / 2, size / 2, cells + 1)
    places = [(x, y, height) for y in side for x in side]
    step = cells + 1
    faces = [
        (r * step + c, r * step + c + 1, (r + 1) * step + c + 1, (r + 1) * step + c)
        for r in range(cells)
        for c in range(cells)
    ]
    return mesh_object(name, places, faces)


def garment(name="Cloth", **given):
    """A grid that Muslin simulates."""
    obj = grid(name, **given)
    obj.muslin.enabled = True
    return obj


def group(obj, name, weights):
    """A vertex group of {vertex: weight}."""
    made = obj.vertex_groups.new(name=name)
    for vertex, weight in weights.items():
        made.add([vertex], weight, "REPLACE")
    return made


def cube(name="Body", size=2.0):
    half = size / 2
    places = [(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return mesh_object(name, places, faces)


def collide(obj, *others):
    """Others become colliders of a garment; gives the last item."""
    item = None
    for other in others:
        item = obj.muslin.colliders.add()
        item.object = other
    return item


def through(tree, kind):
    """Makes a tree of geometry nodes that passes the mesh through one node; gives the node."""
    if hasattr(tree, "interface"):
        for direction in ("INPUT", "OUTPUT"):
            tree.interface.new_socket(
                "Geometry", in_out=direction, socket_type="NodeSocketGeometry"
            )
    else:  # 3.4
        tree.inputs.new("NodeSocketGeometry", "Geometry")
        tree.outputs.new("NodeSocketGeometry", "Geometry")
    start, node, end = (tree.nodes.new(k) for k in ("NodeGroupInput", kind, "NodeGroupOutput"))
    tree.links.new(start.outputs[0], node.inputs[0])
    tree.links.new(node.outputs[0], end.inputs[0])
    return node


def record_keys(obj, absolute):
    """Says that Muslin made the keys "Muslin 0", "Muslin 1" ..., as a bake would."""
    keys = obj.data.shape_keys
    names = [block.name for block in keys.key_blocks if block.name[-1].isdigit()]
    keys["muslin"] = json.dumps({"absolute": absolute, "names": names})


def local(obj):
    return np.array([tuple(v.co) for v in obj.data.vertices])


def placed(points, matrix):
    """Points through a matrix, one by one, by Blender's own arithmetic."""
    import mathutils

    return np.array([tuple(matrix @ mathutils.Vector(p)) for p in points])


def depsgraph():
    return bpy.context.evaluated_depsgraph_get()

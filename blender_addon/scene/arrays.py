# SPDX-License-Identifier: GPL-3.0-or-later
"""A Blender mesh as arrays. Only float32 and int32 are quick: Blender copies them in one go."""

from contextlib import contextmanager

import bmesh
import bpy
import numpy as np

from .problems import not_finite


def positions(mesh, out=None):
    """Of the vertices in the object's own coordinates, n x 3; `out` is filled if it fits."""
    count = len(mesh.vertices)
    if out is None or len(out) != count:
        out = np.empty((count, 3), dtype=np.float32)
    if not count:
        return out
    stored = mesh.attributes.get("position")  # since 3.5, and fifty times as quick there
    if stored is not None and len(stored.data) == count:
        stored.data.foreach_get("vector", out.ravel())
    else:
        mesh.vertices.foreach_get("co", out.ravel())
    return out


def key_positions(block):
    out = np.empty((len(block.data), 3), dtype=np.float32)
    block.data.foreach_get("co", out.ravel())
    return out


def modelled_positions(mesh):
    """With shape keys, their reference, whatever key is edited."""
    keys = mesh.shape_keys
    if keys is not None and len(keys.reference_key.data) == len(mesh.vertices):
        return key_positions(keys.reference_key)
    return positions(mesh)


def corners(mesh):
    """The vertex of each corner of the faces, int32."""
    return _whole_numbers(mesh, ".corner_vert", mesh.loops, "vertex_index")  # stored since 3.6


def has_quick_corners(mesh):
    return mesh.attributes.get(".corner_vert") is not None


def face_sizes(mesh):
    return _whole_numbers(mesh, "", mesh.polygons, "loop_total")


def edges(mesh):
    return _whole_numbers(mesh, ".edge_verts", mesh.edges, "vertices", 2)  # stored since 4.0


def corner_edges(mesh):
    """The edge from each corner of the faces to the next, int32."""
    return _whole_numbers(mesh, ".corner_edge", mesh.loops, "edge_index")  # stored since 3.6


def _whole_numbers(mesh, attribute, elements, name, width=1):
    """int32, one or `width` for each element: from the attribute where this Blender stores it."""
    out = np.empty(len(elements) * width, dtype=np.int32)
    stored = mesh.attributes.get(attribute) if attribute and len(elements) else None
    if stored is not None:
        stored.data.foreach_get("value", out)
    else:
        elements.foreach_get(name, out)
    return out if width == 1 else out.reshape(-1, width)


def triangles(mesh):
    """Vertices of the triangles that Blender draws, n x 3, int32."""
    if not len(mesh.loop_triangles):
        mesh.calc_loop_triangles()
    found = np.empty((len(mesh.loop_triangles), 3), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", found.ravel())
    return found


def pair_keys(first, second):
    """One number for two vertices, the same in either order."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    return low.astype(np.int64) << 32 | high


def loose_edges(mesh, sizes, vertices):
    """Edges of no face, m x 2. Blender's own mark for them is not always up to date."""
    found = edges(mesh)
    if not len(vertices) or not len(found):
        return found
    ends = np.cumsum(sizes)
    following = np.arange(1, len(vertices) + 1)
    following[ends - 1] = ends - sizes
    sides = pair_keys(vertices, vertices[following])
    keys = pair_keys(found[:, 0], found[:, 1])
    named = corner_edges(mesh).clip(0, len(found) - 1)
    if np.array_equal(keys[named], sides):
        is_side = np.zeros(len(found), dtype=bool)
        is_side[named] = True
        return found[~is_side]
    return found[~np.isin(keys, sides)]  # a mesh whose corners do not know their edges


def corner_uvs(layer, count):
    """The UV pair of each of `count` corners, or None where the map has none."""
    out = np.empty((count, 2), dtype=np.float32)
    if hasattr(layer, "uv") and len(layer.uv) == count:  # since 3.5
        layer.uv.foreach_get("vector", out.ravel())
    elif len(layer.data) == count:
        layer.data.foreach_get("uv", out.ravel())
    else:
        return None
    return out


def is_edited(obj):
    """Whether its mesh is in Edit Mode, through this object or another one that shares it."""
    return obj.mode == "EDIT" or getattr(obj.data, "is_editmode", False)


@contextmanager
def readable(mesh):
    """The mesh for reading; in Edit Mode a copy, which is removed again. The mesh itself is not updated: what is written into it
    outside of an undo step is there after an undo, too."""
    if not mesh.is_editmode:
        yield mesh
        return
    copy = bpy.data.meshes.new("Muslin Edited")
    try:
        bmesh.from_edit_mesh(mesh).to_mesh(copy)
        yield copy
    finally:
        bpy.data.meshes.remove(copy, do_unlink=False)  # no one has it, so nothing is redrawn


def counts(mesh):
    """Vertices, edges and faces, in Edit Mode, too; quick."""
    if mesh.is_editmode:
        edited = bmesh.from_edit_mesh(mesh)
        return len(edited.verts), len(edited.edges), len(edited.faces)
    return len(mesh.vertices), len(mesh.edges), len(mesh.polygons)


def edited_positions(obj, copy, block=None):
    """As modelled_positions() in Edit Mode, or the positions of a shape key there. copy: what readable() gives."""
    keys = obj.data.shape_keys
    if block is None and keys is not None:
        block = keys.reference_key
    if block is None or block == obj.active_shape_key:
        return positions(copy)
    vertices = bmesh.from_edit_mesh(obj.data).verts
    layer = vertices.layers.shape[block.name]
    return np.array([vertex[layer] for vertex in vertices], dtype=np.float32).reshape(-1, 3)


@contextmanager
def evaluated_mesh(evaluated):
    """The mesh of an evaluated object of any kind, for reading; None where it has none."""
    # where the window's graphics card subdivides, the evaluated mesh is only its cage
    on_card = not bpy.app.background and bpy.context.preferences.system.use_gpu_subdivision
    subdivided = (m.type == "SUBSURF" and m.show_viewport for m in evaluated.modifiers)
    if evaluated.type == "MESH" and not (on_card and any(subdivided)):
        yield evaluated.data
        return
    try:
        mesh = evaluated.to_mesh()
    except RuntimeError:  # a curve without any surface, a metaball of another family
        mesh = None
    try:
        yield mesh
    finally:
        if mesh is not None:
            evaluated.to_mesh_clear()


def refuse_not_finite(name, positions, numbers=None, of="vertex"):
    """A Problem where a coordinate is no number. numbers: those of the vertices, where these are not all of a mesh."""
    if not np.isfinite(positions.sum(dtype=np.float64)):
        wrong = np.flatnonzero(~np.isfinite(positions).all(axis=1))
        if len(wrong):
            raise not_finite(name, wrong if numbers is None else numbers[wrong], of)


def same(one, other):
    """Whether two arrays have the same numbers, or are both none."""
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


def write_shape(mesh, positions):
    """positions: n x 3, in the object's own space."""
    flat = np.ascontiguousarray(positions, dtype=np.float32).ravel()
    stored = mesh.attributes.get("position")
    if stored is not None:
        stored.data.foreach_set("vector", flat)
    else:
        mesh.vertices.foreach_set("co", flat)
    mesh.update()

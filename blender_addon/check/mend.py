# SPDX-License-Identifier: GPL-3.0-or-later
"""What the button beside a finding does: one function for each kind that can be mended.

Meshes are changed through bmesh, which keeps shape keys, groups and UV maps.
"""

from contextlib import contextmanager

import bpy

from ..scene.lookup import is_in


@contextmanager
def _mesh_of(obj):
    """The mesh as a BMesh that is written back at the end."""
    import bmesh

    made = bmesh.new()
    try:
        made.from_mesh(obj.data)
        for elements in (made.verts, made.edges, made.faces):
            elements.ensure_lookup_table()
        yield made, bmesh.ops
        made.to_mesh(obj.data)
        obj.data.update()
    finally:
        made.free()


def delete_vertices(obj, finding):
    with _mesh_of(obj) as (mesh, ops):
        ops.delete(mesh, geom=[mesh.verts[i] for i in finding.indices], context="VERTS")


def delete_faces(obj, finding):
    """With the edges and vertices of no other face: as loose edges they would become ropes."""
    with _mesh_of(obj) as (mesh, ops):
        ops.delete(mesh, geom=[mesh.faces[i] for i in finding.indices], context="FACES")


def dissolve(obj, finding):
    """Faces without area and edges without length."""
    with _mesh_of(obj) as (mesh, ops):
        edges = {edge for i in finding.indices for edge in mesh.faces[i].edges}
        ops.dissolve_degenerate(mesh, dist=_tiny(obj), edges=list(edges))


def recalculate_normals(obj, _finding):
    with _mesh_of(obj) as (mesh, ops):
        ops.recalc_face_normals(mesh, faces=mesh.faces[:])


def merge(obj, finding):
    with _mesh_of(obj) as (mesh, ops):
        doubled = [mesh.verts[i] for i in finding.indices]
        ops.remove_doubles(mesh, verts=doubled, dist=_tiny(obj))


def _tiny(obj):
    """A distance that is nothing for an object of this size, in its own coordinates."""
    corners = [tuple(corner) for corner in obj.bound_box]
    sizes = [max(axis) - min(axis) for axis in zip(*corners)]
    return 1e-6 * max(max(sizes), 1e-6)


def show(_obj, finding):
    hidden = bpy.data.objects.get(finding.object_name)  # it may be gone since
    if hidden is not None:
        hidden.hide_viewport = False


def clear_setting(obj, finding):
    setattr(obj.muslin, finding.detail, "")


def move_below(obj, finding):
    """A modifier to just after Muslin's own."""
    from ..output import modifier
    from ..scene import place

    start = obj.modifiers.find(finding.detail)
    # The last of Muslin's; taking the other one out from before it moves it up by one.
    own = [i for i, each in enumerate(obj.modifiers) if place.is_own_modifier(each)]
    end = max(own, default=-1)
    if 0 <= start < end:
        modifier.move(obj, finding.detail, end)


def disable_modifier(obj, finding):
    modifier = obj.modifiers.get(finding.detail)
    if modifier is not None:
        modifier.show_viewport = modifier.show_render = False


def remove_gone(obj, _finding):
    scene = bpy.context.scene
    _remove_colliders(obj, lambda other: other is None or not is_in(other, scene))


def remove_own(obj, _finding):
    _remove_colliders(obj, lambda other: other == obj)


def _remove_colliders(obj, unwanted):
    items = obj.muslin.colliders
    for index in reversed(range(len(items))):
        if unwanted(items[index].object):
            items.remove(index)


def make_thinner(obj, finding):
    """Half as thick as the cloth's edges are long: bodies with a surface of their own, too."""
    most = 0.5 * float(finding.detail)
    for owner in (obj.muslin, *obj.muslin.colliders):
        owner.thickness = min(owner.thickness, most)


def close_nothing(obj, _finding):
    obj.muslin.mirror.closure = "free"


def free_bake(obj, _finding):
    from ..output import results

    results.free(obj)


CHANGES_MESH = {
    "not_finite": delete_vertices,
    "isolated": delete_vertices,
    "repeated_vertex": delete_faces,
    "duplicate_face": delete_faces,
    "zero_area": dissolve,
    "flipped": recalculate_normals,
    "doubled_vertex": merge,
}
CHANGES_SCENE = {
    "hidden": show,
    "hidden_collider": show,
    "missing_group": clear_setting,
    "early": move_below,
    "other_cloth": disable_modifier,
    "gone": remove_gone,
    "own_collider": remove_own,
    "thickness": make_thinner,
    "closes_nothing": close_nothing,
    "cache_gone": free_bake,
    "bake_of_other_mesh": free_bake,
}


def mend(obj, finding):
    """Do what a finding's button says; whether there was anything to do."""
    work = {**CHANGES_MESH, **CHANGES_SCENE}.get(finding.kind)
    if not finding.fix or work is None:
        return False
    work(obj, finding)
    return True

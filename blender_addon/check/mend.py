# SPDX-License-Identifier: GPL-3.0-or-later
"""What the button beside a finding does: one function for each kind that can be mended.

Meshes are changed through bmesh, which keeps shape keys, groups and UV maps.
"""

import bmesh
import bpy

from ..scene.lookup import is_in


def delete_vertices(mesh, indices, _tiny):
    bmesh.ops.delete(mesh, geom=[mesh.verts[i] for i in indices], context="VERTS")


def delete_faces(mesh, indices, _tiny):
    """With the edges and vertices of no other face: as loose edges they would become ropes."""
    bmesh.ops.delete(mesh, geom=[mesh.faces[i] for i in indices], context="FACES")


def dissolve(mesh, indices, tiny):
    """Faces without area and edges without length."""
    edges = {edge for i in indices for edge in mesh.faces[i].edges}
    bmesh.ops.dissolve_degenerate(mesh, dist=tiny, edges=list(edges))


def recalculate_normals(mesh, _indices, _tiny):
    bmesh.ops.recalc_face_normals(mesh, faces=mesh.faces[:])


def merge(mesh, indices, tiny):
    bmesh.ops.remove_doubles(mesh, verts=[mesh.verts[i] for i in indices], dist=tiny)


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
    # the last of Muslin's; taking the other one out from before it moves it up by one
    own = [i for i, each in enumerate(obj.modifiers) if place.is_own_modifier(each)]
    end = max(own, default=-1)
    if 0 <= start < end:
        modifier.move(obj, finding.detail, end)


def disable_modifier(obj, finding):
    modifier = obj.modifiers.get(finding.detail)
    if modifier is not None:
        modifier.show_viewport = modifier.show_render = False


def remove_collider(obj, finding):
    """Those that are gone, or the garment itself."""
    items, scene = obj.muslin.colliders, bpy.context.scene
    for index in reversed(range(len(items))):
        other = items[index].object
        is_gone = other is None or not is_in(other, scene)
        if is_gone if finding.kind == "gone" else other == obj:
            items.remove(index)


def make_thinner(obj, finding):
    """Half as thick as the cloth's edges are long: bodies with a surface of their own, too."""
    most = 0.5 * float(finding.detail)
    for owner in (obj.muslin, *obj.muslin.colliders):
        owner.thickness = min(owner.thickness, most)


def close_nothing(obj, _finding):
    obj.muslin.mirror.closure = "free"


def settle_first(obj, _finding):
    obj.muslin.settle_first = True


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
    "gone": remove_collider,
    "own_collider": remove_collider,
    "thickness": make_thinner,
    "closes_nothing": close_nothing,
    "inside": settle_first,
    "body_pierced": settle_first,
    "self_pierced": settle_first,
    "cache_gone": free_bake,
    "bake_of_other_mesh": free_bake,
}


def mend(obj, finding):
    """Do what a finding's button says; whether there was anything to do."""
    if not finding.fix:
        return False
    if finding.kind in CHANGES_SCENE:
        CHANGES_SCENE[finding.kind](obj, finding)
    elif finding.kind in CHANGES_MESH:
        change_mesh(obj, finding)
    else:
        return False
    return True


def change_mesh(obj, finding):
    mesh = bmesh.new()
    try:
        mesh.from_mesh(obj.data)
        for elements in (mesh.verts, mesh.edges, mesh.faces):
            elements.ensure_lookup_table()
        sizes = [max(axis) - min(axis) for axis in zip(*map(tuple, obj.bound_box))]
        tiny = 1e-6 * max(*sizes, 1e-6)  # a distance that is nothing for an object of this size
        CHANGES_MESH[finding.kind](mesh, finding.indices, tiny)
        mesh.to_mesh(obj.data)
        obj.data.update()
    finally:
        mesh.free()

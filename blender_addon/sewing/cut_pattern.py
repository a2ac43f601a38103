# SPDX-License-Identifier: GPL-3.0-or-later
"""A garment taken apart into the panels of its UV map, as an object of its own."""

import bpy
import numpy as np

from ..bodies.modelled_poses import world_mesh
from ..garment import vertex_groups
from ..garment.garment_data import before_cloth, modelled_mesh
from ..muslin.sewing import pattern
from ..scene import lookup, place
from ..scene.problems import Problem


def cut_out(obj, scene, depsgraph):
    """A new garment with the panels of this one, around its first collider; and how many panels there are."""
    unit = place.unit_of(scene)
    modelled = modelled_mesh(obj)
    if modelled.uvs is None:
        raise Problem(f"{obj.name} has no UV map to use as its sewing pattern; unwrap it")
    positions, matrix = before_cloth(obj, depsgraph)
    whole = modelled.replaced(positions=place.to_world(positions, matrix, unit))
    used = [item.object for item in obj.muslin.colliders if item.enabled]
    body = next((other for other in used if other is not None and other.type == "MESH"), None)
    around = None if body is None else world_mesh(body, depsgraph, unit)
    made = pattern.cut(whole, obj.muslin.uv_scale, around)
    if not len(made.stitches):
        raise Problem(f"The UV map of {obj.name} is in one piece; mark seams and unwrap it")
    return new_object(obj, made, scene), int(made.panels.max()) + 1


def new_object(obj, made, scene):
    """A garment with the same settings, in the world's own coordinates; its UV map is in metres."""
    panels = made.mesh
    name = f"{obj.name} Panels"
    mesh = bpy.data.meshes.new(name)
    points = (panels.positions / np.float32(place.unit_of(scene))).tolist()
    mesh.from_pydata(points, panels.edges.tolist(), panels.faces())
    layer = mesh.uv_layers.new(name="Pattern")
    layer.data.foreach_set("uv", panels.corner_uvs.ravel())
    mesh.update()
    found = lookup.own_copy(obj)
    found.name, found.data, found.parent = name, mesh, None
    found.animation_data_clear()
    found.constraints.clear()
    found.modifiers.clear()
    found.vertex_groups.clear()
    found.matrix_world.identity()
    settings = found.muslin
    settings.uid = ""
    settings.rest, settings.rest_uv, settings.uv_scale = "uv", "", 1.0
    for group in vertex_groups.PURPOSES:
        setattr(settings, group, "")
    settings.sewing.tacks.clear()
    settings.sewing.elastics.clear()
    settings.sewing.enabled = True
    settings.baked.forget()
    own = obj.users_collection
    local = [one for one in own if one.library is None and one.override_library is None]
    for collection in local or [scene.collection]:
        collection.objects.link(found)
    return found

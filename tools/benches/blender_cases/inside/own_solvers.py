# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth, mostly a garment on a moving body, simulated by one of Blender's own two solvers, every frame timed.

The Cloth modifier meets an object with the Collision modifier. The nodes "Cloth Dynamics" of 5.2 come from Blender's
own asset file; they meet the objects of a collection that carry the nodes "Collider", and know no self-collision.
"""

import os
from pathlib import Path
from time import perf_counter

import bpy
import numpy as np
import scenes

ASSETS = ("assets", "nodes", "geometry_nodes_dynamics_assets.blend")
PINS = "Pins"
CLOTH_NODES, COLLIDER_NODES = "Cloth Dynamics", "Collider"


def _use_modifier(garment, body, frames, distance, friction, self_collision, effort):
    if body is not None:
        body.modifiers.new("Collision", "COLLISION")
        body.collision.thickness_outer = distance
    modifier = garment.modifiers.new("Cloth", "CLOTH")
    if PINS in garment.vertex_groups:
        modifier.settings.vertex_group_mass = PINS
    if effort is not None:
        modifier.settings.quality = effort
    collision = modifier.collision_settings
    collision.use_collision = body is not None
    collision.distance_min = distance
    collision.use_self_collision = self_collision
    collision.self_distance_min = distance
    modifier.point_cache.frame_start, modifier.point_cache.frame_end = 1, frames


def _add_nodes(obj, group, **values):
    modifier = obj.modifiers.new(group.name, "NODES")
    modifier.node_group = group
    names = {}
    for item in group.interface.items_tree:
        if item.item_type == "SOCKET" and item.in_out == "INPUT":
            names.setdefault(item.name, item.identifier)
    for name, value in values.items():
        getattr(modifier.properties.inputs, names[name.replace("_", " ")]).value = value
    return {name: getattr(modifier.properties.inputs, key) for name, key in names.items()}


def _use_nodes(garment, body, frames, distance, friction, self_collision, effort):
    path = os.path.join(bpy.utils.system_resource("DATAFILES"), *ASSETS)
    with bpy.data.libraries.load(path) as (there, here):
        wanted = (CLOTH_NODES, COLLIDER_NODES)
        here.node_groups = [name for name in there.node_groups if name.split(" (")[0] in wanted]
    groups = {group.name.split(" (")[0]: group for group in bpy.data.node_groups}
    colliders = bpy.data.collections.new("Colliders")
    bpy.context.scene.collection.children.link(colliders)
    if body is not None:
        colliders.objects.link(body)
        _add_nodes(body, groups[COLLIDER_NODES], Deforming=True, Friction=friction)
    inputs = _add_nodes(
        garment,
        groups[CLOTH_NODES],
        Effectors_Collection=colliders,
        Collision_Radius=distance,
        Friction=friction,
        **({} if effort is None else {"Substeps": effort}),
    )
    if PINS in garment.vertex_groups:
        inputs["Pin Group"].type, inputs["Pin Group"].attribute_name = "ATTRIBUTE", PINS


METHODS = {"modifier": _use_modifier, "nodes": _use_nodes}


def worn(folder, garment, body, motion, method, frames, pins, **how):
    """garment, body: .npz files with positions, sizes and corners of faces; motion: a point cache of the body, whose
    first frame is Blender's first; no body, no motion. pins: vertices that are held. how: distance, friction,
    self_collision, and effort in quality steps or substeps. Milliseconds of every frame, and where its track is.
    """
    scene = scenes.empty(frames)
    worn, wearer = scenes.mesh_object("Garment", **np.load(garment)), None
    if pins:
        worn.vertex_groups.new(name=PINS).add(pins, 1.0, "REPLACE")
    if body is not None:
        wearer = scenes.mesh_object("Body", **np.load(body))
        scenes.move(wearer, motion)
    METHODS[method](worn, wearer, frames, **how)
    track, milliseconds = _play(scene, worn, frames)
    path = str(Path(folder) / f"{method}.npy")
    np.save(path, track)
    return {"frames": milliseconds, "track": path, "version": bpy.app.version_string}


def _play(scene, worn, frames):
    """(positions of every frame, what each took, ms)"""
    track = np.empty((frames, len(worn.data.vertices), 3), np.float32)
    milliseconds = []
    for index in range(frames):
        begin = perf_counter()
        scene.frame_set(index + 1)
        seen = worn.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        if len(seen.vertices) != track.shape[1]:
            raise RuntimeError(f"{len(seen.vertices)} vertices of {track.shape[1]} at {index + 1}")
        seen.vertices.foreach_get("co", track[index].reshape(-1))
        milliseconds.append(1e3 * (perf_counter() - begin))
    return track, milliseconds

# SPDX-License-Identifier: GPL-3.0-or-later
"""A garment as plain arrays in metres: its rest shape, how it starts, what holds it."""

from dataclasses import dataclass, field

import numpy as np

from ..muslin import Mesh
from . import arrays, maps, mirror, place, settings
from .forces import forces
from .problems import Problem, not_finite
from .shown import why_absent


@dataclass
class GarmentData:
    """What a cloth is built from. Positions are float32, n x 3, metres.

    mesh: the rest shape in the size that it has in the world, around the object's origin.
    start: where the vertices are now, in the world. pin_vertices, pin_weights: what is held.
    scales: factors on mass, stretch, bending, an array or None each. settings: for Cloth().
    linked_mesh: the mesh comes from a library file, so it can have no shape keys of ours;
    linked_object: nor can the object have a modifier. shared_mesh: other objects use it, too.
    """

    mesh: Mesh
    start: np.ndarray
    pin_vertices: np.ndarray
    pin_weights: np.ndarray
    scales: tuple
    settings: dict
    linked_mesh: bool = False
    linked_object: bool = False
    shared_mesh: bool = False
    notes: list = field(default_factory=list)

    @property
    def vertex_count(self):
        return self.mesh.vertex_count


def refuse_state(obj, depsgraph):
    """Problems that are seen without looking at the mesh."""
    name = obj.name
    if obj.type != "MESH":
        raise Problem(f"{name} is not a mesh; only meshes can be cloth", name)
    if arrays.is_edited(obj):
        raise Problem(f"{name} is in edit mode; leave it first", name)
    why = why_absent(obj, depsgraph)
    if why:
        raise Problem(f"{name} {why}; a garment has to be shown", name)


def refuse_matrix(obj, matrix):
    """A flattened object has no way back from the world to its own coordinates."""
    if place.is_flat(matrix):
        scale = ", ".join(f"{part:g}" for part in obj.scale)
        raise Problem(
            f"{obj.name} is flattened: its scale is {scale}, or that of a parent is zero or lost; "
            "give it a size along all axes",
            obj.name,
        )


def refuse_modifiers(obj):
    """The cloth has the vertices of the mesh, so nothing before it may change them."""
    wrong = place.changes_vertices(obj)
    if wrong:
        names = ", ".join(modifier.name for modifier in wrong)
        raise Problem(
            f"{obj.name}: {names} changes the vertices before the cloth; move it below the "
            "Muslin modifier, or apply it",
            obj.name,
        )


def refuse_not_finite(obj, positions):
    if not np.isfinite(positions.sum(dtype=np.float64)):
        wrong = np.flatnonzero(~np.isfinite(positions).all(axis=1))
        if len(wrong):
            raise not_finite(obj.name, wrong)


def uv_layer(obj):
    """The UV map that is the pattern, or that tells warp from weft; None without any."""
    layers, wanted = obj.data.uv_layers, obj.muslin.rest_uv
    is_pattern = obj.muslin.rest == "uv"
    if is_pattern and not len(layers):
        raise Problem(f"{obj.name} has no UV map to be its sewing pattern; unwrap it", obj.name)
    found = layers.get(wanted) if wanted else layers.active
    if is_pattern and wanted and found is None:
        raise Problem(f"{obj.name} has no UV map '{wanted}'; choose another", obj.name)
    return found or layers.active


def rest_positions(obj):
    """The cloth as it was cut, in the object's own coordinates."""
    if obj.muslin.rest != "key":
        return arrays.modelled_positions(obj.data)
    wanted, keys = obj.muslin.rest_key, obj.data.shape_keys
    block = keys.key_blocks.get(wanted) if keys is not None else None
    if block is None:
        what = f"no shape key '{wanted}'" if wanted else "no shape key chosen"
        raise Problem(f"{obj.name} has {what} to be its rest shape; choose one", obj.name)
    return arrays.key_positions(block)


def rest_mesh(obj, matrix, unit):
    """The rest shape as the library takes it: polygons as they are, loose edges as ropes."""
    data = obj.data
    sizes, vertices = arrays.face_sizes(data), arrays.corners(data)
    loose = arrays.loose_edges(data, sizes, vertices)
    if not len(sizes) and not len(loose):
        raise Problem(f"{obj.name} has no face and no edge; there is nothing to simulate", obj.name)
    positions = rest_positions(obj)
    refuse_not_finite(obj, positions)
    layer = uv_layer(obj)
    uvs = None if layer is None else arrays.corner_uvs(layer, len(vertices))
    if uvs is not None and not len(uvs):
        uvs = None
    return Mesh(place.to_size(positions, matrix, unit), sizes, vertices, loose, uvs=uvs)


def before_cloth(obj, depsgraph):
    """The mesh as it comes to the cloth, in its own coordinates, and its matrix to the world.

    Everything before the cloth has acted on it exactly once. A mesh that nothing bends is read
    without any evaluation.
    """
    if not place.is_deformed(obj):
        matrix = place.as_matrix(obj.evaluated_get(depsgraph).matrix_world)
        return arrays.modelled_positions(obj.data), matrix
    with place.quiet(obj, depsgraph.view_layer):
        evaluated = obj.evaluated_get(depsgraph)
        with arrays.evaluated_mesh(evaluated) as mesh:
            positions = arrays.positions(mesh)
        matrix = place.as_matrix(evaluated.matrix_world)
    if len(positions) != len(obj.data.vertices):
        raise Problem(
            f"{obj.name}: a modifier before the cloth makes {len(positions)} vertices of "
            f"{len(obj.data.vertices)}; move it below the Muslin modifier, or apply it",
            obj.name,
        )
    return positions, matrix


def all_settings(obj, scene, depsgraph):
    found = settings.definition(obj)
    found.update(settings.material(obj))
    found.update(forces(obj, scene, depsgraph))
    return found


def read_garment(obj, scene, depsgraph, mirrored=True):
    """Everything about a garment as it is now; what cannot be simulated is a Problem.

    mirrored: False takes it whole, whatever the artist has chosen.
    """
    refuse_state(obj, depsgraph)
    unit = place.unit_of(scene)
    refuse_matrix(obj, obj.evaluated_get(depsgraph).matrix_world)
    refuse_modifiers(obj)
    positions, matrix = before_cloth(obj, depsgraph)
    mesh = rest_mesh(obj, matrix, unit)
    refuse_not_finite(obj, positions)
    chosen = all_settings(obj, scene, depsgraph)
    if mirrored and obj.muslin.mirror.enabled:
        mesh, plane = mirror.in_place(obj, mesh, matrix, unit)
        chosen.update(mirror.wanted(obj), mirror_plane=plane)
    vertices, held = maps.pins(obj)
    found = GarmentData(
        mesh=mesh,
        start=place.to_world(positions, matrix, unit),
        pin_vertices=vertices,
        pin_weights=held,
        scales=maps.scales(obj),
        settings=chosen,
        linked_mesh=obj.data.library is not None,
        linked_object=obj.library is not None,
        shared_mesh=obj.data.users > 1,
    )
    if obj.muslin.pin_group and not len(vertices):
        found.notes.append(f"{obj.name}: the pin group '{obj.muslin.pin_group}' is empty")
    return found

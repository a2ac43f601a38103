# SPDX-License-Identifier: GPL-3.0-or-later
"""A garment as plain arrays in metres: its rest shape, how it starts, what holds it."""

from dataclasses import dataclass, field

import numpy as np

from ..forces.forces import forces
from ..mirror import mirror_plane
from ..muslin import Mesh
from ..scene import arrays, place
from ..scene.lookup import why_absent
from ..scene.problems import Problem
from ..sewing import seams
from . import garment_settings, vertex_groups


@dataclass
class GarmentData:
    """What a cloth is built from. Positions are float32, n x 3, metres. mesh: the rest shape in the size that it has in the world,
    around the object's origin; modelled: in the object's own coordinates, which stay when it is moved. start: where the vertices
    are now, in the world. maps, settings, links: for Cloth. closing: arrays of links that close its front where it is simulated whole.
    """

    mesh: Mesh
    start: np.ndarray
    pin_vertices: np.ndarray
    pin_weights: np.ndarray
    maps: dict
    settings: dict
    modelled: Mesh = None
    closing: list = ()
    links: list = field(default_factory=list)
    notes: list = field(default_factory=list)

    @property
    def vertex_count(self):
        return self.mesh.vertex_count


def refuse_matrix(obj, matrix):
    """A flattened object has no way back from the world to its own coordinates."""
    if place.is_flat(matrix):
        scale = ", ".join(f"{part:g}" for part in obj.scale)
        raise Problem(
            f"{obj.name} is flattened: its scale is {scale}, or that of a parent is zero or lost; "
            "give it a size along all axes"
        )


def uv_layer(obj, data=None):
    """The UV map that is the pattern, or that tells warp from weft; None without any. data: a readable() copy of its mesh, if that
    is not its own."""
    layers, wanted = (data or obj.data).uv_layers, obj.muslin.rest_uv
    is_pattern = obj.muslin.rest == "uv"
    if is_pattern and not len(layers):
        raise Problem(f"{obj.name} has no UV map to use as its sewing pattern; unwrap it")
    found = layers.get(wanted) if wanted else layers.active
    if is_pattern and wanted and found is None:
        raise Problem(f"{obj.name} has no UV map '{wanted}'; choose another")
    return found or layers.active


def rest_positions(obj, data=None):
    """The cloth as it was cut, in the object's own coordinates. data: as uv_layer() has it."""
    data = data or obj.data
    block = rest_key(obj) if obj.muslin.rest == "key" else None
    if arrays.is_edited(obj):
        return arrays.edited_positions(obj, data, block)
    return arrays.modelled_positions(data) if block is None else arrays.key_positions(block)


def rest_key(obj):
    wanted, keys = obj.muslin.rest_key, obj.data.shape_keys
    block = keys.key_blocks.get(wanted) if keys is not None else None
    if block is None:
        what = f"no shape key '{wanted}'" if wanted else "no shape key chosen"
        raise Problem(f"{obj.name} has {what} to use as its rest shape; choose one")
    return block


def modelled_mesh(obj):
    """The rest shape in the object's own coordinates: polygons as they are, loose edges as ropes."""
    with arrays.readable(obj.data) as data:
        sizes, vertices = arrays.face_sizes(data), arrays.corners(data)
        loose = arrays.loose_edges(data, sizes, vertices)
        if not len(sizes) and not len(loose):
            nothing = "has no faces and no edges: there is nothing to simulate"
            raise Problem(f"{obj.name} {nothing}")
        positions = rest_positions(obj, data)
        arrays.refuse_not_finite(obj.name, positions)
        layer = uv_layer(obj, data)
        uvs = None if layer is None else arrays.corner_uvs(layer, len(vertices))
    if uvs is not None and not len(uvs):
        uvs = None
    return Mesh(positions, sizes, vertices, loose, uvs=uvs)


def sized(modelled, matrix, unit):
    return modelled.replaced(positions=place.to_size(modelled.positions, matrix, unit))


def rest_mesh(obj, matrix, unit):
    """The rest shape in the size that it has in the world, around the object's origin."""
    return sized(modelled_mesh(obj), matrix, unit)


def before_cloth(obj, depsgraph):
    """The mesh before the cloth, in its own coordinates, and its matrix to the world. Everything before the cloth has acted on it
    exactly once. A mesh that nothing bends, or in Edit Mode, is read without any evaluation."""
    matrix = place.as_matrix(obj.evaluated_get(depsgraph).matrix_world)
    if arrays.is_edited(obj):
        with arrays.readable(obj.data) as data:
            return arrays.edited_positions(obj, data), matrix
    if not place.is_deformed(obj):
        return arrays.modelled_positions(obj.data), matrix
    with place.quiet(obj, depsgraph.view_layer):
        evaluated = obj.evaluated_get(depsgraph)
        with arrays.evaluated_mesh(evaluated) as mesh:
            positions = arrays.positions(mesh)
        matrix = place.as_matrix(evaluated.matrix_world)
    if len(positions) != len(obj.data.vertices):
        raise Problem(
            f"{obj.name}: a modifier before the cloth makes {len(positions)} vertices of "
            f"{len(obj.data.vertices)}; move it below the Muslin modifier, or apply it"
        )
    return positions, matrix


def read_garment(obj, scene, depsgraph, mirrored=True, edited=False, sweeping=False):
    """Everything about a garment as it is now; what cannot be simulated is a Problem. mirrored: False takes it whole. edited: True
    takes it in Edit Mode, too. sweeping: True solves by sweeps what has a factor otherwise."""
    if obj.type != "MESH":
        raise Problem(f"{obj.name} is not a mesh; only meshes can be cloth")
    if arrays.is_edited(obj) and not edited:
        raise Problem(f"{obj.name} is in Edit Mode; leave it first")
    why = why_absent(obj, depsgraph)
    if why:
        raise Problem(f"{obj.name} {why}; a garment must be visible")
    refuse_matrix(obj, obj.evaluated_get(depsgraph).matrix_world)
    wrong = ", ".join(modifier.name for modifier in place.changes_vertices(obj))
    if wrong:
        raise Problem(
            f"{obj.name}: {wrong} changes the mesh topology before the cloth; move it below the "
            "Muslin modifier, or apply it"
        )
    unit = place.unit_of(scene)
    positions, matrix = before_cloth(obj, depsgraph)
    modelled = modelled_mesh(obj)
    mesh = sized(modelled, matrix, unit)
    arrays.refuse_not_finite(obj.name, positions)
    chosen = {
        **garment_settings.definition(obj, sweeping),
        **garment_settings.material(obj, sweeping),
        **forces(obj, scene, depsgraph),
    }
    mesh, links = seams.taken_apart(obj, mesh, chosen["pattern"])
    if mirrored and obj.muslin.mirror.enabled:
        mesh, plane = mirror_plane.in_place(obj, mesh, matrix, unit)
        chosen.update(mirror_plane.wanted(obj), mirror_plane=plane)
    vertices, held = vertex_groups.pins(obj)
    found = GarmentData(
        mesh=mesh,
        start=place.to_world(positions, matrix, unit),
        pin_vertices=vertices,
        pin_weights=held,
        maps=vertex_groups.maps(obj),
        settings=chosen,
        modelled=modelled,
        links=links,
    )
    if obj.muslin.pin_group and not len(vertices):
        found.notes.append(f"{obj.name}: the pin group '{obj.muslin.pin_group}' is empty")
    return found

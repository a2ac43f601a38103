# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks for everything that would stop a garment or make it drape badly; and what is wrong with a bake that was made before."""

import numpy as np

from ..bodies import colliders
from ..forces import effectors
from ..forces.forces import has_field
from ..garment import garment_data, vertex_groups
from ..muslin import Mesh, check_mesh
from ..output.find_cache import locate
from ..output.output_kinds import is_keys
from ..scene import arrays, place
from ..scene.lookup import is_in, why_absent
from ..scene.problems import DEFECTS, Finding, Problem, numbers, of_defect, speaking_of
from ..words import counted
from . import check_mirror, check_start


def check(obj, scene, depsgraph, start=True):
    """All findings about a garment, those that stop it first. start: how it lies, too, which takes longest."""
    if arrays.is_edited(obj):
        obj.update_from_editmode()
    found = [*object_findings(obj, depsgraph), *setting_findings(obj)]
    with speaking_of(obj.name):
        found.extend(mesh_findings(obj, scene))
    found.extend(modifier_findings(obj))
    found.extend(collider_findings(obj, depsgraph))
    found.extend(field_findings(obj, scene))
    if obj.muslin.mirror.enabled and not any(finding.stops for finding in found):
        found.extend(check_mirror.findings(obj, scene, depsgraph))
    elif not any(finding.stops for finding in found):
        found.extend(check_mirror.closure_findings(obj, scene))
    if start and not any(finding.stops for finding in found):
        found.extend(start_findings(obj, scene, depsgraph))
    return sorted(found, key=lambda finding: not finding.stops)  # stable


def start_findings(obj, scene, depsgraph):
    """How the garment lies; what cannot be built is reported as what stops it."""
    try:
        return check_start.findings(obj, scene, depsgraph)
    except Problem as problem:
        return [Finding("refused", str(problem), True, obj.name, problem.element, problem.indices)]


def refusal(kind, obj, look, *given, **more):
    """What a reader refuses, as a list of at most one finding."""
    try:
        look(obj, *given)
    except Problem as problem:
        where = obj.name, problem.element, problem.indices
        return [Finding(kind, str(problem), True, *where, **more)]
    return []


def object_findings(obj, depsgraph):
    """Hidden, flattened, linked."""
    why = why_absent(obj, depsgraph)
    if why:
        fix = "Show" if obj.hide_viewport else ""
        yield Finding("hidden", f"{obj.name} {why}", True, obj.name, fix=fix)
    yield from refusal("flattened", obj, garment_data.refuse_matrix, obj.matrix_world)
    if obj.library is not None:
        text = f"{obj.name} is linked from another file and cannot show a result: make it local"
        yield Finding("linked_object", text, True, obj.name)
    elif obj.data.library is not None:
        text = f"The mesh of {obj.name} is linked from another file: a cache can show the result, "
        text += "shape keys cannot"
        yield Finding("linked_mesh", text, False, obj.name)


def setting_findings(obj):
    """Groups, UV maps and shape keys that settings name but the object does not have."""
    for setting in vertex_groups.PURPOSES:
        more = {"fix": "Clear", "detail": setting}
        yield from refusal("missing_group", obj, vertex_groups.group_of, setting, **more)
    yield from refusal("missing_uv", obj, garment_data.uv_layer)
    yield from refusal("missing_key", obj, garment_data.rest_positions)
    name = obj.muslin.pin_group
    if name in obj.vertex_groups and not len(vertex_groups.pins(obj)[0]):
        text = f"No vertex has a weight in the pin group '{name}': nothing is pinned"
        yield Finding("empty_pins", text, False, obj.name)


# The mesh


def mesh_findings(obj, scene):
    """What the library says about the mesh, in the size that it has in the world."""
    data = obj.data
    sizes, vertices = arrays.face_sizes(data), arrays.corners(data)
    loose = arrays.loose_edges(data, sizes, vertices)
    if not len(sizes) and not len(loose):
        text = f"{obj.name} has no faces and no edges: there is nothing to simulate"
        return [Finding("no_face", text, True, obj.name)]
    positions = modelled(obj)
    matrix = np.identity(4) if place.is_flat(obj.matrix_world) else obj.matrix_world
    positions = place.to_size(positions, matrix, place.unit_of(scene))
    report = check_mesh(Mesh(positions, sizes, vertices, loose, uvs=pattern(obj, len(vertices))))
    if not np.isfinite(positions).all():  # then the library looks no further
        wrong = np.flatnonzero(~np.isfinite(positions).all(axis=1)).tolist()
        return [of_defect("NOT_FINITE", len(wrong), wrong, obj.name)]
    return [
        of_defect(name, *elements_of(data, name, report.findings), obj.name)
        for name in DEFECTS
        if any(item.kind.name == name for item in report.findings)
    ]


def modelled(obj):
    """The rest shape; the mesh itself where the one that is chosen is missing."""
    try:
        return garment_data.rest_positions(obj)
    except Problem:
        return arrays.modelled_positions(obj.data)


def pattern(obj, corners):
    try:
        layer = garment_data.uv_layer(obj)
    except Problem:
        return None
    return arrays.corner_uvs(layer, corners) if layer is not None and corners else None


def elements_of(data, name, findings):
    """How many there are of a defect, and Blender's indices of what to select."""
    chosen = [item for item in findings if item.kind.name == name]
    kind = DEFECTS[name][0]
    if kind == "EDGE":
        indices = edge_indices(data, [item.vertices for item in chosen if len(item.vertices) == 2])
    elif kind == "VERT":
        indices = {vertex for item in chosen for vertex in item.vertices}
    else:
        indices = {item.element for item in chosen}
    return len(chosen), sorted(int(index) for index in indices)


def edge_indices(data, pairs):
    """Blender's edges between pairs of vertices. A cut through a polygon is none of them."""
    if not pairs:
        return []
    edges, pairs = arrays.edges(data), np.array(pairs)
    wanted = arrays.pair_keys(pairs[:, 0], pairs[:, 1])
    return np.flatnonzero(np.isin(arrays.pair_keys(edges[:, 0], edges[:, 1]), wanted))


# What is around


def modifier_findings(obj):
    """Modifiers in a wrong place, and another cloth."""
    for modifier in place.changes_vertices(obj):
        text = f"The modifier {modifier.name} changes the mesh topology before the cloth"
        yield Finding("early", text, True, obj.name, fix="Move Below", detail=modifier.name)
    later = [m for m in list(obj.modifiers)[place.cloth_place(obj) :] if m.show_viewport]
    for modifier in later:
        if modifier.type in {"ARMATURE", "HOOK", "LATTICE", "MESH_DEFORM", "SURFACE_DEFORM"}:
            text = f"The modifier {modifier.name} comes after the cloth: "
            text += "it moves the result, not the pins"
            yield Finding("late", text, False, obj.name, detail=modifier.name)
    for modifier in obj.modifiers:
        if modifier.type in {"CLOTH", "SOFT_BODY"} and modifier.show_viewport:
            text = f"The modifier {modifier.name} also simulates this object"
            yield Finding("other_cloth", text, False, obj.name, fix="Disable", detail=modifier.name)


def collider_findings(obj, depsgraph):
    """Colliders that are gone, hidden or have nothing to touch."""
    items = obj.muslin.colliders
    scene = depsgraph.scene
    gone = [item for item in items if item.object is None or not is_in(item.object, scene)]
    if gone:
        text = f"{counted(len(gone), 'collider')} without an object in this scene"
        yield Finding("gone", text, False, obj.name, fix="Remove")
    if any(item.object == obj for item in items):
        text = f"{obj.name} is its own collider, which is ignored; use Self-Contact instead"
        yield Finding("own_collider", text, False, obj.name, fix="Remove")
    for other, _ in colliders.wanted(obj).values():
        if is_in(other, scene):
            yield from one_collider(other, depsgraph)


def one_collider(other, depsgraph):
    name = other.name
    why = why_absent(other, depsgraph)
    if why:
        text = f"The collider {name} {why}: the cloth does not collide with it"
        fix = "Show" if other.hide_viewport else ""
        return [Finding("hidden_collider", text, False, name, fix=fix, detail=name)]
    with arrays.evaluated_mesh(other.evaluated_get(depsgraph)) as mesh:
        if mesh is None or not len(mesh.polygons):
            text = f"The collider {name} has no faces: the cloth does not collide with it"
            return [Finding("bare_collider", text, False, name)]
        wrong = np.flatnonzero(~np.isfinite(arrays.positions(mesh)).all(axis=1)).tolist()
    if not wrong:
        return []
    text = f"The collider {name} has {counted(len(wrong), 'vertex', 'vertices')} "
    text += f"({numbers(wrong)}) with invalid coordinates"
    # With modifiers, these must not be the vertices that can be selected.
    element = "VERT" if other.type == "MESH" and not len(other.modifiers) else ""
    return [Finding("broken_collider", text, True, name, element, wrong)]


def field_findings(obj, scene):
    """Force fields of the scene that are not felt, or not wholly."""
    if not obj.muslin.use_force_fields:
        return
    fields = [(each.name, each.field) for each in scene.objects if has_field(each)]
    known = [(name, field) for name, field in fields if effectors.is_known(field)]
    seen_through = [name for name, field in known if field.use_absorption]
    other = [name for name, field in fields if not effectors.is_known(field)]
    if seen_through:
        text = f"Absorption of the force fields {', '.join(seen_through)} is ignored"
        yield Finding("partly_felt", text, False, obj.name)
    if other:
        text = f"The force fields {', '.join(other)} have no effect: unsupported type or shape, or Location is off"
        yield Finding("not_felt", text, False, obj.name)


def bake_findings(obj):
    baked = obj.muslin.baked
    if not baked.kind:
        return
    if not is_keys(baked.kind) and locate(obj) is None:
        text = f"The cache of {obj.name} is missing: {baked.path or baked.absolute}. "
        text += "Restore the file, or free the bake and bake again"
        yield Finding("cache_gone", text, False, obj.name, fix="Free")
    now = len(obj.data.vertices)
    if baked.vertex_count and baked.vertex_count != now:
        text = f"{obj.name} was baked with {counted(baked.vertex_count, 'vertex', 'vertices')} and "
        text += f"has {now} now: the mesh has changed. Free the bake and bake again"
        yield Finding("bake_of_other_mesh", text, False, obj.name, fix="Free")

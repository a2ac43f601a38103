# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks for everything that would stop a garment or make it drape badly; and what is wrong with a bake that was made before."""

from contextlib import suppress

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


POSING = {"ARMATURE", "HOOK", "LATTICE", "MESH_DEFORM", "SURFACE_DEFORM"}  # modifiers


def check(obj, scene, depsgraph, start=True):
    """All findings about a garment, those that stop it first. start: also its initial placement, which takes longest."""
    if arrays.is_edited(obj):
        obj.update_from_editmode()
    found = [*object_findings(obj, depsgraph), *setting_findings(obj)]
    with speaking_of(obj.name):
        found.extend(mesh_findings(obj, scene))
    found.extend(modifier_findings(obj))
    found.extend(collider_findings(obj, depsgraph))
    found.extend(field_findings(obj, scene))
    if not any(finding.stops for finding in found):
        if obj.muslin.mirror.enabled:
            found.extend(check_mirror.findings(obj, scene, depsgraph))
        else:
            found.extend(check_mirror.closure_findings(obj, scene))
    if start and not any(finding.stops for finding in found):
        try:
            found.extend(check_start.findings(obj, scene, depsgraph))
        except Problem as problem:  # it cannot be built
            found.append(of_problem("refused", obj, problem))
    return sorted(found, key=lambda finding: not finding.stops)  # stable


def of_problem(kind, obj, problem, **more):
    where = obj.name, problem.element, problem.indices
    return Finding(kind, str(problem), True, *where, **more)


def refusal(kind, obj, look, *given, **more):
    try:
        look(obj, *given)
    except Problem as problem:
        return [of_problem(kind, obj, problem, **more)]
    return []


def object_findings(obj, depsgraph):
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


def mesh_findings(obj, scene):
    """The library's defects of the mesh, in the size that it has in the world."""
    data = obj.data
    sizes, vertices = arrays.face_sizes(data), arrays.corners(data)
    loose = arrays.loose_edges(data, sizes, vertices)
    if not len(sizes) and not len(loose):
        text = f"{obj.name} has no faces and no edges: there is nothing to simulate"
        return [Finding("no_face", text, True, obj.name)]
    try:
        positions = garment_data.rest_positions(obj)
    except Problem:  # the rest shape that is chosen is missing
        positions = arrays.modelled_positions(data)
    uvs = None
    with suppress(Problem):  # the UV map may be missing, too
        layer = garment_data.uv_layer(obj)
        if layer is not None and len(vertices):
            uvs = arrays.corner_uvs(layer, len(vertices))
    matrix = np.identity(4) if place.is_flat(obj.matrix_world) else obj.matrix_world
    positions = place.to_size(positions, matrix, place.unit_of(scene))
    report = check_mesh(Mesh(positions, sizes, vertices, loose, uvs=uvs))
    if not np.isfinite(positions).all():  # then the library looks no further
        wrong = np.flatnonzero(~np.isfinite(positions).all(axis=1)).tolist()
        return [of_defect("NOT_FINITE", len(wrong), wrong, obj.name)]
    return [
        of_defect(name, *elements_of(data, name, report.findings), obj.name)
        for name in DEFECTS
        if any(item.kind.name == name for item in report.findings)
    ]


def elements_of(data, name, findings):
    """How many there are of a defect, and Blender's indices of what to select."""
    chosen = [item for item in findings if item.kind.name == name]
    kind = DEFECTS[name][0]
    if kind == "EDGE":
        pairs = [item.vertices for item in chosen if len(item.vertices) == 2]
        wanted = arrays.pair_keys(*np.array(pairs, dtype=int).reshape(-1, 2).T)
        edges = arrays.pair_keys(*arrays.edges(data).T)
        indices = np.flatnonzero(np.isin(edges, wanted))  # a cut through a polygon is none of them
    elif kind == "VERT":
        indices = {vertex for item in chosen for vertex in item.vertices}
    else:
        indices = {item.element for item in chosen}
    return len(chosen), sorted(int(index) for index in indices)


def modifier_findings(obj):
    def found(kind, modifier, what, stops=False, fix=""):
        text = f"The modifier {modifier.name} {what}"
        return Finding(kind, text, stops, obj.name, fix=fix, detail=modifier.name)

    first = place.cloth_place(obj)
    for modifier in place.changes_vertices(obj):
        what = "changes the mesh topology before the cloth"
        yield found("early", modifier, what, stops=True, fix="Move Below")
    for index, modifier in enumerate(obj.modifiers):
        if index >= first and modifier.show_viewport and modifier.type in POSING:
            what = "comes after the cloth: it moves the result, not the pins"
            yield found("late", modifier, what)
    for modifier in obj.modifiers:
        if modifier.show_viewport and modifier.type in {"CLOTH", "SOFT_BODY"}:
            yield found("other_cloth", modifier, "also simulates this object", fix="Disable")


def collider_findings(obj, depsgraph):
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
    # With modifiers, these may not be the vertices that can be selected.
    element = "VERT" if other.type == "MESH" and not len(other.modifiers) else ""
    return [Finding("broken_collider", text, True, name, element, wrong)]


def field_findings(obj, scene):
    """Force fields of the scene that have no effect, or not all of it."""
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

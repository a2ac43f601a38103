# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps a garment from being simulated by one half: its mesh, pins, maps, wind, bodies."""

from ..bodies.colliders import Colliders
from ..forces import forces
from ..garment import garment_data, vertex_groups
from ..mirror import mirror_plane, symmetry
from ..muslin import Cloth, DetailCode, MuslinError
from ..muslin.sewing import plackets
from ..scene import arrays, place
from ..scene.problems import Finding, Problem, of_library
from ..sewing.seams import CLOSURES, front_links
from ..words import length

THEN = {
    "symmetrise": "the garment collides with the average of both",
    "whole": "the whole garment is simulated",
}


def findings(obj, scene, depsgraph):
    """At most one of each kind. The library itself is asked, with a cloth that is never stepped."""
    try:
        report = symmetry.look(obj, scene, depsgraph)
        if not report.is_symmetric:
            return [of_mesh(obj, report)]
        # a garment that is cut in halves accepts anything
        found = [] if report.cut else of_rest(obj, scene, depsgraph)
        if report.cut and report.doubt:  # no obstacle, but the artist should know before the bake
            text = f"{obj.name} is cut in halves, but {report.doubt}"
            where = obj.name, "VERT", list(report.farthest)
            found.append(Finding("mirror_sides", text, False, *where))
        return [*found, *of_surroundings(obj, scene, depsgraph)]
    except Problem as problem:
        return [finding(obj, "mirror", str(problem), problem.element, problem.indices)]


def finding(obj, kind, text, element="", indices=()):
    """ "exact" refuses, "auto" simulates the whole."""
    stops = obj.muslin.mirror.method != "auto"
    tail = "it cannot be mirrored" if stops else "the whole garment is simulated"
    return Finding(kind, f"{text}: {tail}", stops, obj.name, element, list(indices))


def of_mesh(obj, report):
    if report.cut:
        vertices, what = report.farthest, "cannot be cut in halves"
    else:
        vertices, what = report.unpaired, "is not symmetric"
    faces = () if report.cut or vertices else report.faces
    element = "VERT" if vertices else "FACE" if faces else ""
    text = f"{obj.name} {what} ({report.refusal})"
    return finding(obj, "mirror_mesh", text, element, vertices or faces)


def bare_cloth(obj, scene, depsgraph, **more):
    """A mirrored cloth before any force, pin or body."""
    unit = place.unit_of(scene)
    matrix = place.as_matrix(obj.evaluated_get(depsgraph).matrix_world)
    mesh = garment_data.rest_mesh(obj, matrix, unit)
    mesh, plane = mirror_plane.in_place(obj, mesh, matrix, unit)
    settings = {**mirror_plane.wanted(obj), "mirror_plane": plane, "gravity": (0.0, 0.0, 0.0)}
    return Cloth(mesh, **{**settings, **more})


def of_rest(obj, scene, depsgraph):
    """Start, maps, pins and forces, each tried by itself."""
    if arrays.is_edited(obj):  # Blender evaluates no modifiers there
        positions, matrix = arrays.modelled_positions(obj.data), obj.matrix_world
    else:
        positions, matrix = garment_data.before_cloth(obj, depsgraph)
    start = place.to_world(positions, matrix, place.unit_of(scene))
    vertices, weights = vertex_groups.pins(obj)
    pushed = forces.forces(obj, scene, depsgraph)
    found = []
    with bare_cloth(obj, scene, depsgraph, mirror="exact") as cloth:
        trials = (
            ("mirror_start", lambda: cloth.set_state(start)),
            ("mirror_maps", lambda: cloth.set_maps(**vertex_groups.maps(obj))),
            ("mirror_pins", lambda: cloth.set_pins(vertices, weights, start[vertices])),
            ("mirror_forces", lambda: cloth.set_forces(**pushed)),
            ("mirror_forces", lambda: forces.Fields().push(cloth, obj, scene, depsgraph)),
        )
        for kind, trial in trials:
            try:
                trial()
            except MuslinError as error:
                # the cause, not that "exact" refuses it
                causes = [detail.cause for detail in error.details] or [str(error)]
                problem = of_library(error, obj.name, text=causes[0])
                found.append(finding(obj, kind, str(problem), problem.element, problem.indices))
    return found


def of_surroundings(obj, scene, depsgraph):
    known = Colliders()
    with bare_cloth(obj, scene, depsgraph) as cloth:
        known.begin(cloth, obj, scene, depsgraph)
        report, then = cloth.mirror(), THEN[cloth.settings["asymmetric_body"]]
        details = cloth.details
    codes = {detail.code for detail in details}
    found = of_closure(obj, report, details)
    if DetailCode.BODY_ASYMMETRIC not in codes:
        return found
    off = length(report.body_asymmetry)
    text = f"{known.name_of(report.body)} is {off} from its mirror image: {then}"
    return [*found, Finding("mirror_body", text, False, obj.name)]


def of_closure(obj, report, details):
    """Fronts are borders along the mirror plane that are each other's image."""
    closure = obj.muslin.mirror.closure
    if closure == "free" or report.front_count > 0:
        return []
    why = f"{obj.name} has no open front along the mirror plane"
    if any(detail.code == DetailCode.NO_FRONT and detail.count for detail in details):
        why = f"all faces along the open front of {obj.name} reach the mirror plane"
    return [closes_nothing(obj, why)]


def closes_nothing(obj, why):
    text = f"{CLOSURES[obj.muslin.mirror.closure]} closes nothing: {why}"
    return Finding("closes_nothing", text, False, obj.name, fix="Set to Free")


def closure_findings(obj, scene):
    """Of a garment that is not mirrored."""
    closure = obj.muslin.mirror.closure
    if closure == "free":
        return []
    mesh = garment_data.rest_mesh(obj, obj.matrix_world, place.unit_of(scene))
    if front_links(obj, mesh):
        return []
    is_narrow = closure == "button" and plackets.open_fronts(mesh)
    more = " that is wider than Overlap" if is_narrow else ""
    return [closes_nothing(obj, f"{obj.name} has no open front{more}")]

# SPDX-License-Identifier: GPL-3.0-or-later
"""The initial placement of a garment, as findings: inside bodies, through them or itself, off its limbs; and whether its size fits."""

import numpy as np

from ..bodies import colliders
from ..garment.feed import Feed
from ..muslin import Cloth, Fault, PlaceKind, Placement
from ..muslin.inspection import placement
from ..scene import arrays
from ..scene.problems import Finding, speaking_of
from ..words import length

SIZES = 0.02, 20.0  # m: a garment outside of this has the wrong scale
# Where what is wrong can be seen; what is not here concerns the garment as a whole.
PLACES = {
    Fault.BODY_PIERCED: (PlaceKind.THROUGH_BODY, PlaceKind.THROUGH_CLOTH),
    Fault.SELF_PIERCED: (PlaceKind.THROUGH_SELF,),
    Fault.LIMB_OUTSIDE: (PlaceKind.LIMB, PlaceKind.EMPTY),
}


def findings(obj, scene, depsgraph):
    """At the start of the garment. The library itself is asked, with a cloth that is never stepped."""
    if arrays.is_edited(obj):  # Blender evaluates no modifiers there
        return []
    with speaking_of(obj.name):
        feed = Feed(obj, scene, depsgraph, mirrored=False)
        found = list(of_size(obj, feed.garment.mesh))
        with Cloth(feed.garment.mesh, **feed.garment.settings) as cloth:
            feed.begin(cloth, obj, scene, depsgraph)
            return found + of_start(obj, cloth, scene)


def of_size(obj, mesh):
    """mesh: the rest shape, m."""
    size = float(np.linalg.norm(np.ptp(mesh.positions, axis=0)))
    if not SIZES[0] <= size <= SIZES[1]:
        text = f"{obj.name} is {length(size)} across. Cloth depends on real-world size: scale the scene, or "
        text += "set Unit Scale in the scene's properties"
        yield Finding("scale", text, False, obj.name)
    ends = mesh.positions[mesh.corner_sides()] if len(mesh.face_sizes) else np.zeros((1, 2, 3))
    edge = float(np.median(np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)))  # m, of faces
    surfaces = [surface for _, surface in colliders.wanted(obj).values()]
    own = obj.muslin.thickness if obj.muslin.self_contact else 0.0
    thickest = max([own, *(thickness for thickness, _ in surfaces)])  # 0 without collisions
    if 0.0 < edge < thickest:
        text = f"The thickness is {length(thickest)}, but the edges of the cloth are only "
        text += f"{length(edge)} long: it stands off and is stiff. Reduce Thickness"
        fix = "Reduce Thickness"
        yield Finding("thickness", text, False, obj.name, fix=fix, detail=f"{edge:g}")


def of_start(obj, cloth, scene):
    inspection = cloth.inspect()
    faults = ~Fault(0) if obj.muslin.self_contact else ~Fault.SELF_PIERCED
    level = placement.LEVELS[Placement(inspection.placement)]
    if obj.muslin.settle_first and inspection.placement == Placement.BAD:
        met = [other for other, _ in colliders.wanted(obj).values()]
        if any(modifier.type == "ARMATURE" for body in met for modifier in body.modifiers):
            level = "unless it was modelled on the body's rest pose, from which a bake starts"
    first = obj.muslin.frames(scene)[0]
    when = "At the start" if scene.frame_current == first else f"In frame {scene.frame_current}"
    settles = "Settle First" if placement.settles(inspection) else ""
    fix = "" if obj.muslin.settle_first else settles
    return [
        Finding(kind, f"{when}, {text}: {level}", False, obj.name, "VERT", indices, fix)
        for kind, text, indices in of_placement(cloth, inspection, faults)
    ]


def of_placement(cloth, inspection, faults):
    """(kind, sentence, vertices to select) of each of these faults, the worst first."""
    for fault in placement.SENTENCES:
        if inspection.found & faults & fault:
            (text,) = placement.sentences(inspection, fault)
            yield placement.word(fault), text, vertices(cloth, inspection, fault)


def vertices(cloth, inspection, fault):
    """The vertices of the garment that a fault concerns."""
    if fault == Fault.INSIDE:
        return np.flatnonzero(cloth.fit().gap < 0.0).tolist()
    found = set()
    for item in inspection.places:
        if item.kind in PLACES.get(fault, ()):
            # then the vertices are the body's, and the triangle is the cloth's
            is_of_body = item.kind == PlaceKind.THROUGH_CLOTH
            of_triangle = is_of_body or item.kind == PlaceKind.LIMB
            found.update(item.corners if of_triangle else item.vertices)
    return sorted(found)

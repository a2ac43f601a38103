# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells garments from the body among the meshes that an artist has selected, in any order, and chooses how a suit is
simulated: by one half where its mesh allows that, and with its front closed."""

from itertools import product

import numpy as np

from .. import words
from ..check import check_mirror
from ..garment.feed import Feed
from ..layers import partners
from ..mirror import symmetry
from ..muslin import Cloth, MuslinError
from ..scene import arrays, place
from ..scene.problems import Problem, speaking_of
from ..sewing import seams

# Length of the open borders over the root of the area: real garments have 0.5 (a bodysuit) to 4, a body cut off at its
# neck 0.3.
OPEN = 0.4


def sort_out(objects, scene):
    """(garments, bodies). What is cloth already stays a garment, what something collides with stays a body."""
    meshes = [obj for obj in objects if obj.type == "MESH" and len(obj.data.polygons)]
    if len(meshes) < 2:
        raise Problem("Select the garment and the body, in any order")
    garments = [obj for obj in meshes if obj.muslin.enabled]
    met = {item.object for obj in garments for item in obj.muslin.colliders}
    others = [obj for obj in meshes if not obj.muslin.enabled]
    opened = [obj for obj in others if obj not in met and openness(obj, scene) > OPEN]
    closed = [obj for obj in others if obj not in opened]
    # garments modelled with a thickness; or a body that ends at the neck and the wrists
    if not closed or not (garments or opened):
        *opened, body = sorted(others, key=height) or [None]
        closed = [body] if body else []
    if not closed:
        raise Problem("All selected objects are garments: select the body, too")
    return garments + opened, closed


def order(garments, scene, depsgraph):
    """Set the layers of garments: the farther from the bodies, the farther outside. Garments that are simulated together
    already keep the layers that the artist has chosen."""
    if len(garments) < 2 or all(obj.muslin.together for obj in garments):
        return
    away = {obj: distance(obj, scene, depsgraph) for obj in garments}
    for layer, obj in enumerate(sorted(garments, key=away.get), start=1):
        obj.muslin.together, obj.muslin.layer = True, layer


def distance(obj, scene, depsgraph):
    """Mean distance of a garment from its colliders, m; inside them is 0."""
    feed = Feed(obj, scene, depsgraph, mirrored=False)
    with speaking_of(obj.name), Cloth(feed.garment.mesh, **feed.garment.settings) as cloth:
        feed.begin(cloth, obj, scene, depsgraph)
        return float(np.maximum(cloth.fit().gap, 0.0).mean())


def height(obj):
    """The longest side of its box: a body is taller than what it wears, also lying down."""
    corners = place.to_world(np.array(obj.bound_box), obj.matrix_world)
    return float(np.ptp(corners, axis=0).max())


def openness(obj, scene):
    """Length of the borders over the root of the area."""
    mesh = obj.data
    positions = arrays.modelled_positions(mesh)
    positions = place.to_size(positions, obj.matrix_world, place.unit_of(scene)).astype(np.float64)
    edges, sides = arrays.edges(mesh), arrays.corner_edges(mesh)
    border = edges[np.bincount(sides, minlength=len(edges)) == 1]
    around = np.linalg.norm(positions[border[:, 0]] - positions[border[:, 1]], axis=1).sum()
    a, b, c = np.moveaxis(positions[arrays.triangles(mesh)], 1, 0)
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
    return float(around / np.sqrt(max(area, 1e-12)))


PLANES = ("x", "found")  # clothes are modelled left and right of the first
WAYS = ("auto", "halve")  # partners first: what is cut in halves shows one side twice
BUTTON = "button"  # kept: only the artist chooses it
CLOSURE = "zip"  # of an open front, unless the artist has chosen another


def choose_mirroring(obj, scene, depsgraph):
    """Sets the garment's mirroring; a sentence on what was chosen, and why not more."""
    chosen = obj.muslin.mirror
    others = [other.name for other in partners.partners(obj, scene) if other != obj]
    if others:
        chosen.enabled = False
        why = f"it is simulated together with {words.listed(others)}"
        return f"the whole garment is simulated{_sew(obj, scene)}, since {why}"
    before, refusals = (chosen.method, chosen.plane), []
    chosen.enabled = True
    for way, plane in product(WAYS, PLANES):
        chosen.method, chosen.plane = way, plane
        try:
            report = symmetry.look(obj, scene, depsgraph)
        except Problem as problem:
            refusals.append(str(problem))
            continue
        if not report.refusal and not report.doubt:
            half = f"{report.half:,} of {report.vertices:,} vertices"

            def has_front():
                with check_mirror.bare_cloth(obj, scene, depsgraph) as cloth:
                    return cloth.mirror().front_count > 0

            return f"one half is simulated, {half}{_close(obj, has_front)}"
        refusals.append(report.refusal or report.doubt)
    chosen.enabled = False
    chosen.method, chosen.plane = before
    return f"the whole garment is simulated{_sew(obj, scene)}, since {refusals[0]}"


def _sew(obj, scene):
    """Closes the open front of a whole garment; what to add to the sentence."""
    return _close(obj, lambda: not check_mirror.closure_findings(obj, scene))


def _close(obj, has_front):
    """Closes an open front; what to add to the sentence. has_front: asked with the closure that is chosen."""
    chosen, why = obj.muslin.mirror, ""
    if chosen.closure == "free":
        chosen.closure = CLOSURE
    try:
        if has_front():
            return f", its front closed: {seams.CLOSURES[chosen.closure]}"
    except MuslinError as error:
        why = f", open in front: {error}"
    if chosen.closure != BUTTON:
        chosen.closure = "free"
    return why

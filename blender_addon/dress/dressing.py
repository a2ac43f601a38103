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
    if not garments and not opened:  # garments modelled with an inside, too
        closed.sort(key=height)
        opened, closed = closed[:-1], closed[-1:]
    elif not closed:  # a body that ends at the neck and the wrists
        opened.sort(key=height)
        opened, closed = opened[:-1], opened[-1:]
    if not closed:
        raise Problem("All selected objects are garments: select the body, too")
    return garments + opened, closed


def order(garments, scene, depsgraph):
    """Gives garments their layers: what is farther from the bodies is worn over what is nearer.

    Those that are simulated together already keep what the artist has chosen.
    """
    if len(garments) < 2 or all(obj.muslin.together for obj in garments):
        return
    away = {obj: distance(obj, scene, depsgraph) for obj in garments}
    for layer, obj in enumerate(sorted(garments, key=away.get), start=1):
        obj.muslin.together, obj.muslin.layer = True, layer


def distance(obj, scene, depsgraph):
    """m from the colliders of a garment, on average; what is inside them counts as touching."""
    feed = Feed(obj, scene, depsgraph, mirrored=False)
    with speaking_of(obj.name), Cloth(feed.garment.mesh, **feed.garment.settings) as cloth:
        feed.begin(cloth, obj, scene, depsgraph)
        return float(np.maximum(cloth.fit().gap, 0.0).mean())


def height(obj):
    """Of the box around it, along the longest side: a body is taller than what it wears, also lying down."""
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
    return float(around / np.sqrt(max(area(mesh, positions), 1e-12)))


def area(mesh, positions):
    """m2, of all faces, as fans."""
    sizes, corners = arrays.face_sizes(mesh), arrays.corners(mesh)
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    place_in_face = np.arange(len(corners)) - first
    inner = (place_in_face >= 1) & (place_in_face < np.repeat(sizes, sizes) - 1)
    at = np.flatnonzero(inner)
    a, b, c = positions[corners[first[at]]], positions[corners[at]], positions[corners[at + 1]]
    return float(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


PLANES = ("x", "found")  # clothes are modelled left and right of the first
WAYS = ("auto", "halve")  # partners first: what is cut in halves shows one side twice
BUTTON = "button"  # the artist's choice, which stays
CLOSURE = "zip"  # of an open front, as long as the artist has chosen no other


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
        half, refusal = _half(obj, scene, depsgraph)
        if half:
            closed = _close(obj, scene, depsgraph)
            return f"one half is simulated, {half}{closed}"
        refusals.append(refusal)
    chosen.enabled = False
    chosen.method, chosen.plane = before
    return f"the whole garment is simulated{_sew(obj, scene)}, since {refusals[0]}"


def _half(obj, scene, depsgraph):
    """("1,178 of 2,352 vertices", ""), or ("", why one half cannot stand for both)."""
    try:
        report = symmetry.look(obj, scene, depsgraph)
    except Problem as problem:
        return "", str(problem)
    if report.refusal or report.doubt:
        return "", report.refusal or report.doubt
    return f"{report.half:,} of {report.vertices:,} vertices", ""


def _sew(obj, scene):
    """Closes the open front of a whole garment; what to add to the sentence."""
    chosen = obj.muslin.mirror
    if chosen.closure == "free":
        chosen.closure = CLOSURE
    if not check_mirror.closure_findings(obj, scene):
        return f", its front closed: {seams.CLOSURES[chosen.closure]}"
    if chosen.closure != BUTTON:
        chosen.closure = "free"
    return ""


def _close(obj, scene, depsgraph):
    """Closes an open front; what to add to the sentence."""
    chosen = obj.muslin.mirror
    if chosen.closure == "free":
        chosen.closure = CLOSURE
    try:
        with check_mirror.bare_cloth(obj, scene, depsgraph) as cloth:
            is_open, why = cloth.mirror().front_count > 0, ""
    except MuslinError as error:
        is_open, why = False, f", open in front: {error}"
    if is_open:
        return f", its front closed: {seams.CLOSURES[chosen.closure]}"
    if chosen.closure != BUTTON:
        chosen.closure = "free"
    return why

"""Where a garment is tight, by region and at its worst places, from Cloth.fit().

SPDX-License-Identifier: GPL-3.0-or-later
"""

import os

import numpy as np

from .regions import regions_of
from .surface import surface

UNITS = {
    "area": "m2",
    "warp": "strain: length over that in the pattern, minus 1",
    "weft": "strain: length over that in the pattern, minus 1",
    "shear": "rad by which the angle of warp and weft is not the right one",
    "pressure": "Pa on the body",
    "gap": "m from the middle of the cloth to the body, negative inside",
    "touching": "share of the area that presses on the body",
    "position": "m",
    "speed": "m/s of the fastest vertex",
}
WORST_COUNT = 5  # places of each kind
APART = 0.03  # of the garments' diagonal: two of the worst places are further from each other
# What is worse: more of it or less.
WORST = {"warp": 1, "weft": 1, "shear": 1, "pressure": 1, "gap": -1}
OF_FACES = ("warp", "weft", "shear", "pressure")  # what a rope has none of
LEAST_PRESSURE = 1.0  # Pa, that counts as touching: a tenth of a millimetre of water


def make_report(meshes, names, cloth):
    """Everything about the fit of garments that are simulated as one cloth, as a dictionary.

    meshes, names: of each garment, in the order of the cloth's vertices.
    """
    fit = cloth.fit()
    positions, velocities = cloth.state()
    up = upward(cloth.settings["gravity"])
    garments, regions, of_vertex = [], [], []
    firsts = np.cumsum([0] + [mesh.vertex_count for mesh in meshes])
    for mesh, name, first, end in zip(meshes, unlike(names), firsts[:-1], firsts[1:]):
        worn = surface(positions[first:end], mesh.face_sizes, mesh.face_vertices, mesh.edges)
        own = type(fit)(*(values[first:end].astype(float) for values in fit))
        area = vertex_areas(worn)
        region_names, inside = regions_of(mesh, worn, up)
        of_vertex += [len(regions) + int(which) for which in inside]
        for which, region in enumerate(region_names):
            numbers = region_numbers(own, area, inside == which)
            regions.append({"garment": name, "region": region, **numbers})
        whole = region_numbers(own, area, np.ones(len(area), bool))
        arrays = {kind: values.tolist() for kind, values in zip(fit._fields, own)}
        garments.append({"garment": name, **whole, "arrays": arrays})
    places = {"garments": garments, "firsts": firsts, "regions": regions, "of_vertex": of_vertex}
    return {
        "units": UNITS,
        "speed": float(np.linalg.norm(velocities, axis=1).max(initial=0.0)),
        "garments": garments,
        "regions": regions,
        "worst": {kind: worst_places(kind, fit, positions, places) for kind in WORST},
    }


def upward(gravity):
    """Against gravity; z where there is none."""
    gravity = np.asarray(gravity, float)
    length = np.linalg.norm(gravity)
    return -gravity / length if length > 0 else np.array([0.0, 0.0, 1.0])


def unlike(names):
    """Names of garments without their folders; a second one of the same name is numbered."""
    stems = [os.path.splitext(os.path.basename(str(name)))[0] for name in names]
    counts = [stems[:place].count(stem) for place, stem in enumerate(stems)]
    return [f"{stem} ({count + 1})" if count else stem for stem, count in zip(stems, counts)]


def vertex_areas(worn):
    """A third of the faces around each vertex, m2."""
    a, b, c = worn.points[worn.triangles].transpose(1, 0, 2)
    each = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6
    return np.bincount(worn.triangles.ravel(), np.repeat(each, 3), len(worn.points))


def region_numbers(fit, area, inside):
    """Means by the area, and the ends of the ranges."""
    area = area[inside]
    weights = area if area.sum() > 0 else np.ones(len(area))
    numbers = {"vertices": int(inside.sum()), "area": float(area.sum())}
    for kind, values in zip(fit._fields, fit):
        values = values[inside]
        if not np.isfinite(values).all() or (area.sum() == 0 and kind in OF_FACES):
            numbers[kind] = None  # no body, or nothing but ropes
            continue
        mean = float(np.average(values, weights=weights)) if len(values) else 0.0
        least, most = float(values.min(initial=np.inf)), float(values.max(initial=-np.inf))
        numbers[kind] = {"mean": mean, "least": least, "most": most}
    touching = fit.pressure[inside] >= LEAST_PRESSURE
    numbers["touching"] = float(weights[touching].sum() / weights.sum()) if len(weights) else 0.0
    numbers["force"] = float((fit.pressure[inside] * area).sum())  # N
    return numbers


def worst_places(kind, fit, positions, places):
    """The worst vertices of one kind, each the worst around itself. Vertices count as in their file."""
    values = getattr(fit, kind).astype(float) * WORST[kind]
    left = np.isfinite(values)
    if kind in OF_FACES:  # ropes have zeros
        left &= values > 0
    apart = APART * np.linalg.norm(np.ptp(positions, axis=0))
    found = []
    while left.any() and len(found) < WORST_COUNT:
        vertex = int(np.argmax(np.where(left, values, -np.inf)))
        found.append(place_of(vertex, fit, positions, places))
        left &= np.linalg.norm(positions - positions[vertex], axis=1) > apart
    return found


def place_of(vertex, fit, positions, places):
    garment = int(np.searchsorted(places["firsts"], vertex, side="right")) - 1
    region = places["regions"][places["of_vertex"][vertex]]
    return {
        "garment": places["garments"][garment]["garment"],
        "region": region["region"],
        "vertex": vertex - int(places["firsts"][garment]),
        "position": [float(part) for part in positions[vertex]],
        **{kind: float(values[vertex]) for kind, values in zip(fit._fields, fit)},
    }

# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a garment is tight, by region and at its worst places. Regions are its file's groups of faces, else bands of
height."""

import os

import numpy as np

from .surface import components, surface

BANDS = 10  # of a garment's height, at most
EDGES = 2  # that fit into a band's height, at least: else it falls apart by itself
FEW = 0.05  # of a band's vertices: a side that has fewer is none
SIDES = {1: "left", 0: "middle", -1: "right"}
MIDDLE = 0.1  # of a garment's width: what is less far from its middle is on neither side


def regions_of(mesh, surface, up):
    """Names, and which of them each vertex has (n): that of most of its faces. surface: the mesh where it is worn;
    up: unit."""
    if mesh.face_names is None:
        return bands(surface, up)
    names, of_face = mesh.face_names
    counts = np.zeros((mesh.vertex_count, len(names)), dtype=np.int32)
    np.add.at(counts, (mesh.face_vertices, np.repeat(of_face, mesh.face_sizes)), 1)
    return list(names), np.argmax(counts, axis=1)


def bands(surface, up):
    """From top to bottom; of one band left, middle, right."""
    heights = surface.points @ up
    ends = surface.points[surface.edges]
    lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    width = band_width(np.ptp(heights), np.median(lengths)) if len(lengths) else 1.0
    band = np.floor(heights / width).astype(int)
    same = band[surface.edges[:, 0]] == band[surface.edges[:, 1]]
    side = sides(surface.points, components(len(heights), surface.edges[same]), up)
    names, of_vertex = [], np.zeros(len(heights), dtype=int)
    for level in sorted(set(band.tolist()), reverse=True):
        inside = np.flatnonzero(band == level)
        own = without_few(side[inside])
        text = f"{level * width:.{decimals(width)}f} to {(level + 1) * width:.{decimals(width)}f} m"
        kinds = np.unique(own)[::-1].tolist()
        for which in kinds:
            of_vertex[inside[own == which]] = len(names)
            names.append(f"{text}, {SIDES[which]}" if len(kinds) > 1 else text)
    return names, of_vertex


def without_few(side):
    """Sides of a band; what hardly any vertex has goes with the most: the tip of a sleeve, say."""
    kinds, counts = np.unique(side, return_counts=True)
    few = kinds[counts < FEW * len(side)]
    return np.where(np.isin(side, few), kinds[np.argmax(counts)], side)


def band_width(height, edge):
    """1, 2 or 5 times a power of ten, m: no more than BANDS of them, and none that edges skip."""
    least = max(height / BANDS, EDGES * edge, 1e-4)
    power = 10.0 ** np.floor(np.log10(least))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least * (1 - 1e-9))


def decimals(width):
    return max(0, -int(np.floor(np.log10(width * (1 + 1e-9)))))


def sides(points, labels, up):
    """Per vertex, of its connected component: 1 on the left, which is +x of who faces -y (z up) or +z (y up)."""
    across = 1 if abs(up[0]) > 0.5 else 0
    x = points[:, across]
    middle, width = (x.min() + x.max()) / 2, np.ptp(x)
    mean = np.bincount(labels, x) / np.maximum(np.bincount(labels), 1)
    offset = (mean - middle)[labels]
    return np.where(np.abs(offset) <= MIDDLE * width, 0, np.sign(offset)).astype(int)


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
    """The fit of garments that are simulated as one cloth, as a dictionary. meshes, names: in the order of the
    cloth's vertices."""
    fit = cloth.fit()
    positions, velocities = cloth.state()
    up = upward(cloth.settings["gravity"])
    garments, regions, of_vertex = [], [], []
    firsts = np.cumsum([0] + [mesh.vertex_count for mesh in meshes])
    for mesh, name, first, end in zip(meshes, unlike(names), firsts[:-1], firsts[1:]):
        worn = surface(positions[first:end], mesh.face_sizes, mesh.face_vertices, mesh.edges)
        own = type(fit)(*(values[first:end].astype(float) for values in fit))
        area = worn.vertex_areas()
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

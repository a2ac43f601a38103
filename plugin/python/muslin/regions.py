"""Regions of a garment, for tables that people read: as its file names its faces, else by height.

Where the file has several groups, objects or materials, those are the regions. Else the garment is
cut into level bands; where a band falls apart, as at the sleeves or the legs, what lies on the
wearer's left, in the middle and on the right are regions of their own.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import numpy as np

BANDS = 10  # of a garment's height, at most
EDGES = 2  # that fit into a band's height, at least: else it falls apart by itself
FEW = 0.05  # of a band's vertices: a side that has fewer is none
SIDES = {1: "left", 0: "middle", -1: "right"}
MIDDLE = 0.1  # of a garment's width: what is less far from its middle is on neither side


def regions_of(mesh, surface, up):
    """Names, and which of them each vertex has (n). surface: the mesh where it is worn; up: unit."""
    if mesh.face_names is not None:
        return named_regions(mesh)
    return bands(surface, up)


def named_regions(mesh):
    """A vertex belongs to the name that most of its faces have, of several the first."""
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
        for which in np.unique(own)[::-1].tolist():
            of_vertex[inside[own == which]] = len(names)
            split = len(set(own.tolist())) > 1
            names.append(f"{text}, {SIDES[which]}" if split else text)
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
    """Per vertex, of all that it hangs together with: 1 on the left, which is +x of who faces -y (z up) or +z (y up)."""
    across = 1 if abs(up[0]) > 0.5 else 0
    x = points[:, across]
    middle, width = (x.min() + x.max()) / 2, np.ptp(x)
    mean = np.bincount(labels, x) / np.maximum(np.bincount(labels), 1)
    offset = (mean - middle)[labels]
    return np.where(np.abs(offset) <= MIDDLE * width, 0, np.sign(offset)).astype(int)


def components(count, edges):
    """Per vertex the number of what it hangs together with by these edges, the least vertex there."""
    label = np.arange(count)
    while True:
        one, other = label[edges[:, 0]], label[edges[:, 1]]
        if np.array_equal(one, other):
            return label
        np.minimum.at(label, np.maximum(one, other), np.minimum(one, other))
        while True:  # everybody to the end of his chain
            further = label[label]
            if np.array_equal(further, label):
                break
            label = further

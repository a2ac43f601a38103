# SPDX-License-Identifier: GPL-3.0-or-later
"""A garment whose UV map is its sewing pattern, taken apart: panels laid flat around a body, and their seams."""

from dataclasses import dataclass

import numpy as np

from .. import arrays
from ..inspection.surface import components, edge_keys
from ..mesh import Mesh

TURN = 0.75  # of a panel that is sewn to itself: so much of a circle is it rolled to
GAP = 0.01  # m between a panel and the body that it is laid around
SAME = 1e-6  # UV units: coordinates no further apart are one


@dataclass(frozen=True)
class Pattern:
    """Panels and how they are sewn.

    mesh: the panels, with stitches as loose edges after those that it had. stitches: these (n x 2).
    origins: per vertex, the one of the garment that it is a copy of. panels: per vertex, its panel.
    """

    mesh: Mesh
    stitches: np.ndarray
    origins: np.ndarray
    panels: np.ndarray


def cut(mesh, uv_scale=1.0, body=None, gap=GAP):
    """Cut a garment where its UV map is cut, and lay each panel flat where it is.

    Panels get the size that they have in the UV map, times uv_scale, m. One that is sewn to itself, such as a
    sleeve, is rolled to three quarters of a circle around its middle. With a `body`, that is around the limb there,
    and flat panels are moved off it, each along its own normal, until they are `gap` away from what is below them.
    """
    if mesh.uvs is None:
        arrays.refuse("mesh: it has no UV map for every face, and so no pattern")
    corners, origins, uvs = split_vertices(mesh)
    stitches = stitch_pairs(mesh, corners)
    panels = panel_numbers(mesh, corners, len(origins))
    positions = mesh.positions[origins].astype(float)
    flat = uv_scale * uvs
    for panel in range(panels.max(initial=-1) + 1):
        own = np.flatnonzero(panels == panel)
        frame = Frame(positions[own], flat[own], np.isin(own, stitches))
        to_itself = stitches[np.isin(stitches, own).all(axis=1)]
        if len(to_itself):
            gaps = flat[to_itself[:, 1]] - flat[to_itself[:, 0]]
            positions[own] = frame.roll(flat[own], gaps, body)
        else:
            placed = frame.place(flat[own])
            lift = 0.0 if body is None else frame.lift(body, placed, gap)
            positions[own] = placed + lift * frame.normal
    loose = np.concatenate([renumbered(mesh.edges, origins), stitches])
    made = Mesh(positions, mesh.face_sizes, corners, loose, flat, corners)
    made.face_names = mesh.face_names
    return Pattern(made, stitches, origins, panels)


def split_vertices(mesh):
    """Vertices cut apart: those of the corners, whose copies they are, and their UV coordinates."""
    cells = np.floor(mesh.corner_uvs.astype(float) / SAME + 0.5).astype(np.int64)
    keys = np.column_stack([mesh.face_vertices.astype(np.int64), cells])
    _, first, corners = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    origins = mesh.face_vertices[first]
    return (
        corners.reshape(-1).astype(np.int32),
        origins.astype(np.int32),
        mesh.corner_uvs[first].astype(float),
    )


def stitch_pairs(mesh, corners):
    """Copies of one vertex at the ends of sides that two faces had in common, and have no more."""
    before, after = mesh.corner_sides(), mesh.corner_sides(corners)
    turned = before[:, 0] > before[:, 1]
    after[turned] = after[turned][:, ::-1]
    order = np.argsort(edge_keys(before), kind="stable")
    keys = edge_keys(before)[order]
    pairs = [np.zeros((0, 2), np.int64)]
    for one, other in zip(order[:-1][keys[1:] == keys[:-1]], order[1:][keys[1:] == keys[:-1]]):
        apart = after[one] != after[other]
        pairs.append(np.column_stack([after[one], after[other]])[apart])
    return np.unique(np.sort(np.concatenate(pairs), axis=1), axis=0).astype(np.int32)


def panel_numbers(mesh, corners, count):
    """Which panel each vertex belongs to, numbered in the order of their first vertices."""
    label = components(count, mesh.corner_sides(corners))
    return np.unique(label, return_inverse=True)[1].reshape(-1)


def renumbered(edges, origins):
    """Loose edges of the garment between the first copies of their ends; edges of no face are lost."""
    first = {}
    for copy, origin in enumerate(origins.tolist()):
        first.setdefault(origin, copy)
    kept = [[first[a], first[b]] for a, b in edges.tolist() if a in first and b in first]
    return np.array(kept, dtype=np.int32).reshape(-1, 2)


class Frame:
    """The plane in which a panel comes nearest to its vertices in the garment.

    axes: 3 x 2, unit; normal: away from what the panel wraps around, since sewn borders are bent to that.
    """

    def __init__(self, places, flat, sewn):
        self.middle, self.flat_middle = places.mean(axis=0), flat.mean(axis=0)
        left, _, right = np.linalg.svd((places - self.middle).T @ (flat - self.flat_middle))
        self.axes = left[:, :2] @ right
        normal = np.cross(self.axes[:, 0], self.axes[:, 1])
        heights = (places - self.middle) @ normal
        inner = heights[~sewn].mean() if (~sewn).any() else 0.0
        outer = heights[sewn].mean() if sewn.any() else 0.0
        self.normal = normal if inner >= outer else -normal

    def place(self, flat):
        return self.middle + (flat - self.flat_middle) @ self.axes.T

    def roll(self, flat, gaps, body=None):
        """On a cylinder around the middle, or around the limb of a body that is there, open along the seam.

        gaps: from one end of each stitch of the panel to itself to the other, in the pattern.
        """
        towards = gaps * np.where(gaps @ gaps[0] < 0, -1.0, 1.0)[:, None]
        across = towards.sum(axis=0) / np.linalg.norm(towards.sum(axis=0))
        along = np.array([-across[1], across[0]])
        own = flat - self.flat_middle
        radius = np.ptp(own @ across) / (2 * np.pi * TURN)
        angle = (own @ across) / radius
        axis, middle = self.axes @ along, self.middle
        if body is not None:
            axis, middle = along_limb(body.positions, axis, middle, own @ along, radius)
        up = self.normal - (self.normal @ axis) * axis
        up /= np.linalg.norm(up)
        side = np.cross(axis, up)
        side *= np.sign(side @ (self.axes @ across))
        return (
            middle
            + np.outer(own @ along, axis)
            + np.outer(radius * np.sin(angle), side)
            + np.outer(radius * np.cos(angle), up)
        )

    def lift(self, body, placed, gap):
        """How far the panel has to go along its normal to be `gap` off what of a body is below or above it."""
        seen = (body.positions.astype(float) - self.middle) @ self.axes
        own = (placed - self.middle) @ self.axes
        below = (seen >= own.min(axis=0)).all(axis=1) & (seen <= own.max(axis=0)).all(axis=1)
        near = within(seen[below], own)
        heights = ((body.positions[below][near] - self.middle) @ self.normal).astype(float)
        return max(heights.max(initial=-np.inf) + gap, 0.0)


def within(points, panel, reach=0.03):
    """Which points are no further than `reach` from a vertex of a panel, all in its plane, m."""
    found = np.zeros(len(points), dtype=bool)
    for vertex in panel:
        found |= ((points - vertex) ** 2).sum(axis=1) <= reach * reach
    return found


def along_limb(points, axis, middle, extent, radius, rounds=4):
    """The line through what of a body is inside of a cylinder: its direction, and its point beside `middle`.

    extent: how far the cylinder reaches along its axis from the middle, m, as numbers of which it has the range.
    """
    points = points.astype(float)
    axis, start = axis.copy(), middle.copy()
    for _ in range(rounds):
        way = points - start
        along = way @ axis
        off = np.linalg.norm(way - np.outer(along, axis), axis=1)
        inside = (along >= extent.min()) & (along <= extent.max()) & (off <= 1.2 * radius)
        if inside.sum() < 10:
            break
        held, at = points[inside], along[inside]
        slope = ((at - at.mean())[:, None] * held).sum(axis=0) / ((at - at.mean()) ** 2).sum()
        axis = slope / np.linalg.norm(slope)
        start = held.mean(axis=0) + ((middle - held.mean(axis=0)) @ axis) * axis
    return axis, start

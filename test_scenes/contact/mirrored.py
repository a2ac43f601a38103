# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes that are their own mirror image in x = 0 to the bit, bodies in motion included; and some that are not.

For simulating one half for both. All our own code.
"""

from dataclasses import replace

import numpy as np

from test_scenes import garments
from test_scenes.contact.figures import figure
from test_scenes.contact.rig import turning
from test_scenes.contact.scene import OUR_OWN, Body, ContactScene, rise
from test_scenes.mesh import Mesh, boundary_loops
from test_scenes.mirror import mirror_pairs
from test_scenes.sheets import grid, hung_cloth

MIRROR = np.float32([-1, 1, 1])
POCKET = 6  # vertices along a side of the pocket
SURFACE = {"friction": 0.3, "self_contact": False}


def even_arms_pose(frame, cycle=48.0, lift=50.0, sway=5.0):
    """(turns, shift): both arms rise and fall once a `cycle`, the chest bows forward and back."""
    raised = lift * (1 - np.cos(2 * np.pi * frame / cycle)) / 2
    bow = sway * np.sin(2 * np.pi * frame / cycle) * rise(frame, 0, 12)
    turns = {
        "chest": turning("x", bow),
        "left_arm": turning("y", -raised),
        "right_arm": turning("y", raised),
    }
    return turns, np.zeros(3)


def uneven_arms_pose(frame, begin=20.0, end=50.0, lift=40.0):
    """even_arms_pose, and on top the left arm alone goes up and down between two frames."""
    turns, shift = even_arms_pose(frame)
    middle = (begin + end) / 2
    alone = lift * rise(frame, begin, middle) * (1 - rise(frame, middle, end))
    turns["left_arm"] = turns["left_arm"] @ turning("y", -alone)
    return turns, shift


def mirrored_figure(pose, spacing=0.014):
    """The mannequin moved by a symmetric pose; its right side is the image of its left, to the bit."""
    one = figure(pose, spacing)
    start = one.positions(0)
    partner = mirror_pairs(Mesh(start, one.faces))
    right, middle = start[:, 0] < 0, start[:, 0] == 0

    def place(frame):
        moved = np.float32(one.place(frame))
        moved[middle, 0] = 0
        moved[right] = moved[partner[right]] * MIRROR
        return moved

    return Body("mannequin", one.faces, place, moves=True)


def tshirt(spacing=0.02, body_spacing=0.014):
    """The t-shirt on a mannequin that raises and lowers both arms and bows."""
    return _worn("even_tshirt", "t-shirt", garments.tshirt(spacing), body_spacing)


def jacket(spacing=0.026, body_spacing=0.014, last=np.inf):
    """The open jacket on the same mannequin, which stands still from frame `last` on."""
    return _worn("even_jacket", "open jacket", garments.jacket(spacing), body_spacing, last)


def coarse_jacket(body_spacing=0.014):
    """The same of 61 vertices, as few as make a jacket."""
    cloth = garments.jacket(0.4, least=garments.Least(2, 1, 2))
    return _worn("coarse_jacket", "coarse open jacket", cloth, body_spacing)


def fronts(mesh, width=0.1):
    """Faces (left, right) of an open front within `width` of the mirror plane; no vertex is in both."""
    middles = mesh.positions[mesh.faces].mean(1)
    front = (np.abs(middles[:, 0]) < width) & (middles[:, 1] < 0)
    return [mesh.faces[front & (side * middles[:, 0] > 0)] for side in (1, -1)]


def front_edge(mesh):
    """Vertices of the left edge of an open front, from the neck's end to the hem."""
    rims = {vertex for loop in boundary_loops(mesh.faces) for vertex in loop}
    x, y, _ = mesh.positions.T
    near = np.flatnonzero((x > 0) & (y < 0) & np.isin(np.arange(len(x)), list(rims)))
    return near[x[near] < 0.02]


def hanging(count=51, slack=0.12):
    """A square sheet of count by count vertices hung by its upper corners, a little together.

    `count` is odd: a column of vertices is in the plane, and no row of quads is in the middle.
    """
    if count % 2 == 0:
        raise ValueError(f"{count} vertices along a side leave none in the middle")
    bent, pins = hung_cloth(count, slack=slack)
    places = bent.positions.reshape(count, count, 3).copy()
    half = count // 2
    places[:, half, 0] = 0
    places[:, :half] = places[:, :half:-1] * MIRROR
    sheet = Mesh(places, grid(count, count, diagonals="quads").faces, name="hanging sheet")
    return ContactScene(
        "hanging", f"a sheet hung by its two upper corners; {OUR_OWN}", sheet, pins=pins, frames=100
    )


def uneven_tshirt(spacing=0.02, body_spacing=0.014):
    """The t-shirt on a mannequin whose left arm goes its own way for a while."""
    scene = tshirt(spacing, body_spacing)
    return replace(scene, name="uneven", bodies=[figure(uneven_arms_pose, body_spacing)], frames=72)


def two_triangulations(spacing=0.02, body_spacing=0.014):
    """The t-shirt, quads on its left; on its right four triangles a quad around a vertex of its own."""
    scene = tshirt(spacing, body_spacing)
    points, quads = scene.cloth.positions, scene.cloth.faces
    left = points[quads, 0].min(1) >= 0
    split = quads[~left]
    middles = points[split].mean(1)
    tips = len(points) + np.arange(len(split))
    triangles = [np.column_stack([split[:, k], split[:, (k + 1) % 4], tips]) for k in range(4)]
    faces = [*map(tuple, quads[left].tolist()), *map(tuple, np.concatenate(triangles).tolist())]
    cloth = Mesh(np.concatenate([points, middles]), faces, name="t-shirt cut in two ways")
    return replace(scene, name="two_triangulations", cloth=cloth)


def pocketed(spacing=0.02, body_spacing=0.014):
    """The t-shirt with a pocket before its left breast: a part without an image, its vertices last."""
    scene = tshirt(spacing, body_spacing)
    shirt = scene.cloth
    x, z = np.meshgrid(np.linspace(0.04, 0.14, POCKET), np.linspace(1.16, 1.28, POCKET))
    front = np.flatnonzero(shirt.positions[:, 1] < 0)
    gaps = np.hypot(
        shirt.positions[front, 0] - x.reshape(-1, 1), shirt.positions[front, 2] - z.reshape(-1, 1)
    )
    near = np.argsort(gaps, axis=1)[:, :3]
    y = shirt.positions[front][near, 1].min(1) - 0.008
    count = len(shirt.positions)
    pocket = np.column_stack([x.ravel(), y, z.ravel()])
    faces = np.concatenate([shirt.faces, count + grid(POCKET, POCKET, diagonals="quads").faces])
    cloth = Mesh(np.concatenate([shirt.positions, pocket]), faces, name="t-shirt with a pocket")
    return replace(scene, name="pocketed", cloth=cloth)


def _worn(name, what, cloth, body_spacing, last=np.inf):
    def pose(frame):
        return even_arms_pose(min(frame, last))

    return ContactScene(
        name,
        f"{what} on a mannequin that raises both arms alike and bows; {OUR_OWN}",
        cloth,
        [mirrored_figure(pose, body_spacing)],
        settings=SURFACE,
    )

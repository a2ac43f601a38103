"""Cloths, bodies and bounds that the tests of the physics of contact share.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import numpy as np

from muslin.inspection.intersections import count_between, count_self
from test_scenes.contact.falls import floor, square
from test_scenes.contact.scene import ContactScene, carried, still
from test_scenes.mesh import Mesh

STEP = 1 / 24
NO_DRAG = {
    "air_drag": 0,
    "damping": 0,
    "stiffness_damping": 0,
    "normal_drag": 0,
    "tangent_drag": 0,
}


def scene_of(cloth, bodies, frames=60, pins=(), **settings):
    """A scene made on the spot."""
    pins = np.array(pins, np.int32)
    return ContactScene("test", "test", cloth, list(bodies), pins, settings=settings, frames=frames)


def joined(*meshes, edges=None):
    """Several meshes as one cloth of several pieces; `edges` are ropes of the last one."""
    starts = np.cumsum([0] + [len(mesh.positions) for mesh in meshes])
    faces = [mesh.faces + start for mesh, start in zip(meshes, starts) if len(mesh.faces)]
    ropes = None if edges is None else np.asarray(edges) + starts[-2]
    positions = np.concatenate([mesh.positions for mesh in meshes])
    return Mesh(positions, np.concatenate(faces), edges=ropes)


def self_piercings(play, positions=None):
    cloth = play.scene.cloth
    here = play.positions() if positions is None else positions
    return count_self(here, cloth.faces, () if cloth.edges is None else cloth.edges)


def body_piercings(play):
    """Cloth through bodies and bodies through cloth where the play is now, all together."""
    cloth = play.scene.cloth
    edges = () if cloth.edges is None else cloth.edges
    return sum(
        sum(
            count_between(
                play.positions(), cloth.faces, body.positions(play.frame), body.triangles(), edges
            )
        )
        for body in play.scene.bodies
    )


def fastest(play, frames):
    """Steps on; the largest speed of any vertex at the end of any frame, m/s."""
    speeds = []
    for _ in range(frames):
        play.step()
        speeds.append(play.largest_speed())
    return max(speeds)


def largest_strain(play):
    return max(stats.largest_strain for stats in play.history)


__all__ = [
    "NO_DRAG",
    "STEP",
    "body_piercings",
    "carried",
    "fastest",
    "floor",
    "joined",
    "largest_strain",
    "scene_of",
    "self_piercings",
    "square",
    "still",
]

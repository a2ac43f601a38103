# SPDX-License-Identifier: GPL-3.0-or-later
"""Garments on a body in the pose that they were made for."""

import os
from dataclasses import dataclass

from muslin import Cloth, Mesh, read_obj
from test_scenes.contact import real
from worn_cases import garments


@dataclass
class Worn:
    """mesh and body: as modelled. scene: the garment on the moving body."""

    mesh: Mesh
    body: Mesh
    scene: object


def made_for(name, count=None, motion=None):
    """None where a file is absent."""
    own = name in garments.OWN
    scene = garments.scene(name, garments.OWN_MOTION if own else motion or "arms", count)
    if scene is None:
        return None
    mesh = Mesh.from_faces(scene.cloth.positions, scene.cloth.faces)
    moving = scene.bodies[0]
    body = Mesh.from_faces(moving.positions(0), moving.faces)
    if not own:
        body = read_obj(real.FOLDER / "body.obj")
    return Worn(mesh, body, scene)


def cloth_of(worn, **settings):
    """The cloth and its body. Nothing is pinned: what is worn stays up by itself, or is seen to fall."""
    cloth = Cloth(worn.mesh, threads=os.cpu_count(), **settings)
    body = cloth.add_body(worn.body, friction=worn.scene.settings.get("friction"))
    cloth.set_self_contact(True)
    return cloth, body

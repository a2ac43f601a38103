"""Scenes of test_scenes as meshes of the binding, for the tests that simulate them.

SPDX-License-Identifier: GPL-3.0-or-later
"""

from muslin import Mesh
from test_scenes import sheets


def mesh_of(scene):
    """A scene of test_scenes as the binding's mesh; its UVs belong to vertices."""
    faces = [[int(vertex) for vertex in face] for face in scene.faces]
    corners = [vertex for face in faces for vertex in face]
    return Mesh.from_faces(scene.positions, faces, uvs=scene.uvs, uv_indices=corners)


def hung_sheet(count=12):
    """A sheet held at two corners, rolled a little so that it has no flat direction."""
    scene, pins = sheets.hung_cloth(count)
    return mesh_of(scene), pins

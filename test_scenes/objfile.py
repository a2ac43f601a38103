# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes as OBJ files, by the binding's own reader and writer."""

import muslin
import numpy as np

from test_scenes.mesh import Mesh


def write_obj(path, mesh):
    """Positions with all the digits a float32 has, so that reading gives the same bits."""
    face_uvs = mesh.faces if mesh.face_uvs is None else mesh.face_uvs
    muslin.write_obj(path, mesh.positions, mesh.faces, mesh.edges, mesh.uvs, face_uvs)


def read_obj(path):
    """Positions, faces and loose edges of an OBJ file."""
    read = muslin.read_obj(path)
    faces = read.faces()
    if len({len(face) for face in faces}) == 1:
        faces = np.array(faces, np.int32)
    edges = read.edges if len(read.edges) else None
    return Mesh(read.positions, faces, edges=edges, name=str(path))

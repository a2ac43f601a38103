# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes as OBJ files, by the binding's own reader and writer."""

import muslin

from test_scenes.mesh import Mesh, evened


def write_obj(path, mesh):
    """Positions with all the digits a float32 has, so that reading gives the same bits."""
    face_uvs = mesh.faces if mesh.face_uvs is None else mesh.face_uvs
    muslin.write_obj(path, mesh.positions, mesh.faces, mesh.edges, mesh.uvs, face_uvs)


def read_obj(path, uvs=False):
    """Positions, faces and loose edges of an OBJ file; its UV map, too, if it has one and is asked for."""
    read = muslin.read_obj(path)
    edges = read.edges if len(read.edges) else None
    found = Mesh(read.positions, evened(read.faces()), edges=edges, name=str(path))
    if uvs and read.uvs is not None:
        found.uvs, found.face_uvs = read.uvs, evened(read.faces(read.uv_indices))
    return found

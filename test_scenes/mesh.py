# SPDX-License-Identifier: GPL-3.0-or-later
"""The one mesh type every scene returns, and the few questions tests and tools ask of it."""

import hashlib
from dataclasses import dataclass
from typing import Optional

import numpy as np


@dataclass
class Mesh:
    """A polygon mesh in metres, Z up, facing -Y; the mirror plane of symmetric scenes is x = 0.

    positions  float32 (n, 3)
    faces      int array (f, arity), or a list of index tuples where the arity varies
    uvs        float32 (m, 2), material or texture coordinates
    face_uvs   like faces, indices into uvs; None means that uvs has one entry a vertex
    edges      int array (e, 2) of loose edges: ropes
    name       what a person calls it
    """

    positions: np.ndarray
    faces: object
    uvs: Optional[np.ndarray] = None
    face_uvs: object = None
    edges: Optional[np.ndarray] = None
    name: str = ""

    def __post_init__(self):
        self.positions = np.ascontiguousarray(self.positions, np.float32).reshape(-1, 3)
        if self.uvs is not None:
            self.uvs = np.ascontiguousarray(self.uvs, np.float32).reshape(-1, 2)
        if self.edges is not None:
            self.edges = np.ascontiguousarray(self.edges, np.int32).reshape(-1, 2)

    def triangles(self):
        """Faces as an int32 (t, 3) array; polygons are split as fans from their first corner."""
        return fan(self.faces)

    def digest(self):
        """A hash of everything that matters, equal only when the meshes are equal to the bit."""
        parts = [self.positions.tobytes(), repr([tuple(map(int, f)) for f in self.faces]).encode()]
        for extra in (self.uvs, self.edges):
            parts.append(b"none" if extra is None else extra.tobytes())
        return hashlib.sha256(b"|".join(parts)).hexdigest()


def fan(faces):
    """Splits polygons into triangles, each polygon as a fan from its first corner."""
    if isinstance(faces, np.ndarray) and faces.ndim == 2:
        count = faces.shape[1]
        if count < 3:
            return np.zeros((0, 3), np.int32)
        pieces = [faces[:, [0, k, k + 1]] for k in range(1, count - 1)]
        return np.stack(pieces, 1).reshape(-1, 3).astype(np.int32)
    triangles = [(f[0], f[k], f[k + 1]) for f in faces for k in range(1, len(f) - 1)]
    return np.array(triangles, np.int32).reshape(-1, 3)


def evened(faces):
    """Faces as an array where all have as many corners; else as they are."""
    return np.array(faces, np.int32) if len({len(face) for face in faces}) == 1 else faces


def directed_edges(faces):
    """Every side of every face as (from, to) rows, in face order."""
    if isinstance(faces, np.ndarray) and faces.ndim == 2:
        return np.stack([faces, np.roll(faces, -1, 1)], 2).reshape(-1, 2).astype(np.int64)
    sides = [(f[k], f[(k + 1) % len(f)]) for f in faces for k in range(len(f))]
    return np.array(sides, np.int64).reshape(-1, 2)


def unique_edges(faces):
    """Undirected edges (e, 2) of the faces and how many faces use each."""
    sides = np.sort(directed_edges(faces), 1)
    return np.unique(sides, axis=0, return_counts=True)


def boundary_loops(faces):
    """The open borders as lists of vertices, each in the direction of its faces."""
    sides = directed_edges(faces)
    known = {(int(a), int(b)) for a, b in sides}
    following = {a: b for a, b in known if (b, a) not in known}
    loops = []
    while following:
        start = min(following)
        loop = [start]
        current = following.pop(start)
        while current != start:
            loop.append(current)
            current = following.pop(current)
        loops.append(loop)
    return loops


def triangle_angles(points, triangles):
    """The three corner angles of each triangle, in degrees (t, 3)."""
    corners = np.asarray(points, float)[triangles]
    angles = np.empty((len(triangles), 3))
    for k in range(3):
        first = corners[:, (k + 1) % 3] - corners[:, k]
        second = corners[:, (k + 2) % 3] - corners[:, k]
        lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
        cosine = (first * second).sum(1) / np.maximum(lengths, 1e-300)
        angles[:, k] = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
    return angles

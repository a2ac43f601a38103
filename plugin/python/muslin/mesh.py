# SPDX-License-Identifier: GPL-3.0-or-later
"""A polygon mesh as flat arrays, and what the library finds wrong with it."""

import ctypes
from collections import namedtuple
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from . import _abi, _enums, arrays
from .calls import call, dataclass_of, kind_of, message, new_struct, to_dataclass
from .errors import MuslinError
from .inspection.surface import edge_keys

MeshReport = dataclass_of(_abi.MeshReport, "Counts and sizes of a mesh, SI units.")


class Mesh:
    """Vertices, polygons, loose edges and an optional UV map. Arrays that fit are kept, not copied.

    positions: n x 3 float32, m.
    face_sizes: corners of each face; face_vertices: their vertices, face after face.
    edges: m x 2 vertices of loose edges (ropes).
    uvs: k x 2 texture coordinates; uv_indices: the one of each corner. Without uv_indices there is
    one pair for each corner, in the order of face_vertices.
    notes: sentences about what a reader left out, for the user.
    face_names: names, and which of them each face has; None where a file does not tell faces apart.
    """

    def __init__(
        self, positions, face_sizes=(), face_vertices=(), edges=(), uvs=None, uv_indices=None
    ):
        self.positions = arrays.floats("positions", positions, (-1, 3))
        self.face_sizes = arrays.indices("face_sizes", face_sizes)
        self.face_vertices = arrays.indices("face_vertices", face_vertices)
        self.edges = arrays.indices("edges", edges, columns=2)
        self.notes = []
        self.face_names = None
        # The library reads as many corners as the sizes say, so the sizes must be true.
        corners = int(np.maximum(self.face_sizes, 0).sum(dtype=np.int64))
        if corners != len(self.face_vertices):
            given = len(self.face_vertices)
            arrays.refuse(f"face_vertices: {given} corners, but face_sizes adds to {corners}")
        self.uvs = None if uvs is None else arrays.floats("uvs", uvs, (-1, 2))
        self.uv_indices = self._uv_indices(uv_indices)

    @classmethod
    def from_faces(cls, positions, faces, edges=(), **uv):
        """A mesh from a list of faces, each a sequence of vertices."""
        sizes = [len(face) for face in faces]
        return cls(positions, sizes, [vertex for face in faces for vertex in face], edges, **uv)

    def _uv_indices(self, given):
        if self.uvs is None:
            return None
        corners = len(self.face_vertices)
        chosen = arrays.indices("uv_indices", np.arange(corners) if given is None else given)
        if len(chosen) != corners:
            arrays.refuse(f"uv_indices: {len(chosen)} given, but the faces have {corners} corners")
        if corners and (chosen.min() < 0 or chosen.max() >= len(self.uvs)):
            arrays.refuse(f"uv_indices: out of range, there are {len(self.uvs)} UV pairs")
        return chosen

    @property
    def vertex_count(self):
        return len(self.positions)

    @property
    def corner_uvs(self):
        """UV pair of each face corner, or None."""
        return None if self.uvs is None else np.ascontiguousarray(self.uvs[self.uv_indices])

    @cached_property
    def corner_starts(self):
        """Index in face_vertices of each face's first corner."""
        return np.cumsum(self.face_sizes, dtype=np.int64) - self.face_sizes

    def vertices_of(self, face):
        """Those of one face."""
        start = self.corner_starts[face]
        return self.face_vertices[start : start + self.face_sizes[face]].tolist()

    def faces(self, corners=None):
        """Faces as lists of vertices, or of `corners` (such as uv_indices)."""
        flat = (self.face_vertices if corners is None else corners).tolist()
        ends = np.cumsum(self.face_sizes).tolist()
        return [flat[end - size : end] for end, size in zip(ends, self.face_sizes.tolist())]

    @cached_property
    def next_corners(self):
        """For each corner of a face the index of the next one of that face."""
        following = np.arange(1, len(self.face_vertices) + 1)
        following[self.corner_starts + self.face_sizes - 1] = self.corner_starts
        return following

    def corner_sides(self, corners=None):
        """The side of its face that each corner begins (k x 2), as vertices, or as other numbers of the corners."""
        corners = (self.face_vertices if corners is None else corners).astype(np.int64)
        return np.column_stack([corners, corners[self.next_corners]])

    def sides(self):
        """Both ends of every side of every face (k x 2), the lower first, ascending, each once."""
        keys = np.unique(edge_keys(self.corner_sides()))
        return np.column_stack([keys >> 32, keys & 0xFFFFFFFF])

    def replaced(self, **arrays):
        """The same mesh with other positions, edges, uvs or faces."""
        names = ("positions", "face_sizes", "face_vertices", "edges", "uvs", "uv_indices")
        found = Mesh(**{name: arrays.get(name, getattr(self, name)) for name in names})
        found.notes, found.face_names = self.notes, self.face_names
        return found

    def to_struct(self):
        """The C struct and what keeps its arrays alive; keep both until the call is over."""
        uvs = self.corner_uvs
        struct = new_struct(
            _abi.Mesh,
            vertex_count=self.vertex_count,
            face_count=len(self.face_sizes),
            edge_count=len(self.edges),
            positions=arrays.pointer(self.positions),
            face_sizes=arrays.pointer(self.face_sizes),
            face_vertices=arrays.pointer(self.face_vertices),
            edges=arrays.pointer(self.edges),
            corner_uvs=arrays.pointer(uvs),
        )
        return struct, (self, uvs)


# One defect: its kind (a Defect), the index of the vertex, face or edge, and the vertices that it concerns: of a face the
# first, of an index out of range that index.
Finding = namedtuple("Finding", "kind element vertices")


@dataclass(frozen=True)
class MeshCheck:
    """What the library says about a mesh. `status` is negative when it cannot be simulated."""

    status: int
    message: str
    report: MeshReport
    findings: list = field(default_factory=list)

    @property
    def can_simulate(self):
        return self.status >= 0


def check_mesh(mesh):
    """Look at a mesh without simulating it. Defects are the result, never an exception."""
    if not isinstance(mesh, Mesh):
        arrays.refuse(f"mesh: wanted a muslin.Mesh, got {kind_of(mesh)}")
    struct, keep = mesh.to_struct()
    report = new_struct(_abi.MeshReport)
    found = ctypes.c_int32(0)
    status, text = _check(struct, report, None, 0, found)
    findings = (_abi.Finding * max(found.value, 1))()
    if found.value:
        _check(struct, report, findings, found.value, found)
    del keep
    listed = []
    for item in findings[: found.value]:
        first, second = item.vertices  # an unused one is -1
        vertices = (first,) if second < 0 else (first, second)
        listed.append(Finding(_enums.Defect(item.kind), item.element, vertices))
    return MeshCheck(status, text, to_dataclass(MeshReport, report), listed)


def _check(struct, report, findings, capacity, found):
    """One call of muslin_mesh_get_report: its status and message. A wrong call still raises."""
    try:
        arguments = struct, report, findings, capacity, ctypes.byref(found)
        status = call("muslin_mesh_get_report", *arguments)
        return status, message() if status > 0 else ""
    except MuslinError as error:
        if error.status != _enums.Status.ERROR_MESH:
            raise
        return error.status, error.message

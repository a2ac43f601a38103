# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a mesh is its own mirror image: the plane, and the partner of every vertex and face."""

from dataclasses import dataclass

import numpy as np

from . import _abi, arrays
from .calls import call, dataclass_of, kind_of, new_struct, to_dataclass
from .mesh import Mesh

SymmetryReport = dataclass_of(_abi.Symmetry, "As in muslin.h.", without=("size", "find"))


@dataclass(frozen=True)
class Symmetry(SymmetryReport):
    """What find_symmetry() found, m; as MuslinSymmetry in muslin.h, with the partner of each vertex (itself on the
    plane, -1 without) and of each face (-2 for faces that a simulation leaves out)."""

    partners: np.ndarray
    face_partners: np.ndarray

    @property
    def has_all_partners(self):
        """Every vertex, face and loose edge has a mirror image, and not all lie on the plane."""
        missing = self.unpaired + self.faces_without + self.edges_without
        return self.paired > 0 and missing == 0

    @property
    def is_symmetric(self):
        """Likewise, and every face is cut into triangles as its image is."""
        return self.has_all_partners and self.differing_cuts == 0


def find_symmetry(mesh, plane=None, tolerance=None):
    """The mirror image of every vertex and face of a Mesh, as a Symmetry. plane: (point, normal); None: the one that
    fits best. tolerance: m; None: 1e-4 of the mesh's diagonal, and at most a quarter of its mean edge.
    """
    if not isinstance(mesh, Mesh):
        arrays.refuse(f"mesh: wanted a muslin.Mesh, got {kind_of(mesh)}")
    struct = new_struct(_abi.Symmetry, find=plane is None)
    if plane is not None:
        struct.point[:], struct.normal[:] = plane_numbers(plane)
    if tolerance is not None:
        struct.tolerance = tolerance_number(tolerance)
    partners = np.full(mesh.vertex_count, -1, np.int32)
    face_partners = np.full(len(mesh.face_sizes), -1, np.int32)
    mesh_struct, keep = mesh.to_struct()
    pointers = arrays.pointer(partners), arrays.pointer(face_partners)
    call("muslin_mesh_get_symmetry", mesh_struct, struct, *pointers)
    del keep
    found = vars(to_dataclass(SymmetryReport, struct))
    return Symmetry(**found, partners=partners, face_partners=face_partners)


def plane_numbers(plane):
    """Point and normal as lists; the library judges their values."""
    try:
        numbers = np.array(plane, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.shape != (2, 3):
        arrays.refuse(f"plane: expected a point and a normal of three numbers each, got {plane!r}")
    return numbers.tolist()


def tolerance_number(tolerance):
    """As a float. Zero means "choose" to the library only, so it is refused here."""
    try:
        value = float(tolerance)
    except (TypeError, ValueError):
        arrays.refuse(f"tolerance: expected a number, got {kind_of(tolerance)}")
    if not value > 0:
        arrays.refuse(f"tolerance is {value:g} m, but must be above 0")
    return value

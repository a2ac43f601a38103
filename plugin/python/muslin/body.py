# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that a cloth collides with: a mesh that the caller moves. Made by Cloth.add_body()."""

import ctypes

import numpy as np

from . import _abi, arrays
from ._enums import DetailCode
from .calls import call, kind_of, new_struct
from .mesh import Mesh
from .settings import number


class BodySurface:
    """How thick (m) and rough (Coulomb's coefficient) a surface is; None: the library's default."""

    def __init__(self, thickness=None, friction=None):
        default = new_struct(_abi.Body)
        call("muslin_default_body", ctypes.byref(default))
        self.thickness = number("thickness", default.thickness if thickness is None else thickness)
        self.friction = number("friction", default.friction if friction is None else friction)


def mesh_of(given):
    """A Mesh, or one made of a pair (positions, faces)."""
    if isinstance(given, Mesh):
        return given
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        arrays.refuse(f"mesh: wanted a muslin.Mesh or (positions, faces), got {kind_of(given)}")
    positions, faces = given
    if isinstance(faces, np.ndarray) and faces.ndim == 2:
        count, corners = faces.shape
        return Mesh(positions, np.full(count, corners, dtype=np.int32), faces.ravel())
    try:
        return Mesh.from_faces(positions, faces)
    except TypeError:
        arrays.refuse("faces: not a list of faces, each a list of vertices")


def struct_of(mesh, surface):
    """The C struct of a body and the arrays that it points to; keep both during the call."""
    struct = new_struct(
        _abi.Body,
        vertex_count=mesh.vertex_count,
        face_count=len(mesh.face_sizes),
        positions=arrays.pointer(mesh.positions),
        face_sizes=arrays.pointer(mesh.face_sizes),
        face_vertices=arrays.pointer(mesh.face_vertices),
        thickness=surface.thickness,
        friction=surface.friction,
    )
    return struct, mesh


class Body:
    """A body of a cloth: closed parts are solid, others two-sided sheets. number: of the library. thickness (m) and
    friction as they are now."""

    def __init__(self, cloth, mesh, thickness=None, friction=None):
        self._cloth = cloth
        self._surface = BodySurface(thickness, friction)
        found = ctypes.c_int32(-1)
        struct, keep = struct_of(mesh_of(mesh), self._surface)
        cloth._call("muslin_cloth_add_body", struct, ctypes.byref(found))
        del keep
        self.number = found.value

    @property
    def thickness(self):
        return self._surface.thickness

    @property
    def friction(self):
        return self._surface.friction

    def move(self, positions):
        """Where it shall be at the end of the next step, n x 3, m; it goes there evenly. What is too far for that is a
        jump: it is placed there, and the Detail that says so is returned, see `jumps`; else None.
        """
        reported = self._put("muslin_cloth_move_body", positions)
        jumped = (
            d for d in reported.sentences if getattr(d, "code", None) == DetailCode.BODY_JUMPED
        )
        return next(jumped, None)

    def place(self, positions):
        """Where it is now, n x 3, m, without sweeping anything up on the way."""
        self._put("muslin_cloth_place_body", positions)

    def _put(self, how, positions):
        positions = arrays.floats("positions", positions, (-1, 3))
        return self._cloth._call(how, self.number, len(positions), arrays.pointer(positions))

    def replace(self, mesh):
        """Another mesh, at once, with any number of vertices; it stands still during the next step unless it is moved."""
        struct, keep = struct_of(mesh_of(mesh), self._surface)
        self._cloth._call("muslin_cloth_replace_body", self.number, struct)
        del keep

    def set_surface(self, thickness=None, friction=None):
        """Change thickness, m, or friction; what is not named stays."""
        thickness = self.thickness if thickness is None else thickness
        surface = BodySurface(thickness, self.friction if friction is None else friction)
        numbers = surface.thickness, surface.friction
        self._cloth._call("muslin_cloth_set_body_surface", self.number, *numbers)
        self._surface = surface

    def remove(self):
        """Take it away. Any later call is an error."""
        self._cloth._call("muslin_cloth_remove_body", self.number)

"""Muslin: cloth on a constant matrix. The Python binding of the native library, without Blender.

    from muslin import Cloth, read_obj

    mesh = read_obj("shirt.obj")
    with Cloth(mesh, density=0.2) as cloth:
        cloth.set_pins([0, 24])
        cloth.step(1 / 24)
        positions = cloth.positions()

The native library is loaded on the first call that needs it, not on import.

SPDX-License-Identifier: GPL-3.0-or-later
"""

from ._abi import Defect, Status
from .cloth import Cloth
from .errors import FileError, LibraryError, MuslinError
from .mesh import Finding, Mesh, check_mesh
from .obj import read_obj, write_obj
from .pc2 import Pc2Writer, read_pc2
from .settings import default_settings

__version__ = "0.1.0"

__all__ = [
    "Cloth",
    "Defect",
    "FileError",
    "Finding",
    "LibraryError",
    "Mesh",
    "MuslinError",
    "Pc2Writer",
    "Status",
    "check_mesh",
    "default_settings",
    "read_obj",
    "read_pc2",
    "write_obj",
]

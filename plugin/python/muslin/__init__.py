# SPDX-License-Identifier: GPL-3.0-or-later
"""Muslin: cloth on a constant matrix. The Python binding of the native library, without Blender.

    from muslin import Cloth, read_obj

    mesh = read_obj("shirt.obj")
    with Cloth(mesh, density=0.2) as cloth:
        cloth.set_pins([0, 24])
        cloth.step(1 / 24)
        positions = cloth.positions()

The native library is loaded on the first call that needs it, not on import. The modules are
imported when one of the names is first used: `python -m muslin` imports this file before its own
code can look after Ctrl-C, and take the current folder off Python's path.
"""

import os
from importlib import import_module

__version__ = "0.1.0"

RECORD_VARIABLE = "MUSLIN_RECORD"

# The public names by the module that they live in, and modules that are of use as such: links.seam.
_MODULES = {
    "_enums": "Defect DetailCode Element Fault Outcome PlaceKind Placement Status SubstepsReason",
    "body": "Body",
    "calls": "Detail Message",
    "cloth": "Cloth",
    "fabrics": "fabric fabric_surface",
    "errors": "FileError LibraryError MuslinError",
    "mesh": "Finding Mesh check_mesh",
    "obj": "read_obj write_obj",
    "pc2": "Pc2Writer read_pc2",
    "settings": "default_settings",
    "symmetry": "Symmetry find_symmetry",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}
_PUBLIC_MODULES = {
    "edited": "edited",
    "intersections": "inspection.intersections",
    "links": "sewing.links",
    "placement": "inspection.placement",
    "nearest": "sewing.nearest",
    "pattern": "sewing.pattern",
    "recording": "recording",
    "runs": "sewing.runs",
    "seams": "sewing.seams",
    "upsampling": "upsampling",
}

__all__ = sorted(_HOMES)


def __getattr__(name):
    """Called for a name that is not here yet: a public one, or a module of the package."""
    if name in _HOMES:
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    elif name in _PUBLIC_MODULES:
        value = import_module(f".{_PUBLIC_MODULES[name]}", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})


def recorder_by_environment(loaded):
    """What records every call of the library that was just loaded, where the environment asks for it; else None."""
    path = os.environ.get(RECORD_VARIABLE)
    if not path:
        return None
    return import_module(".recording", __name__).start_by_environment(loaded, path)

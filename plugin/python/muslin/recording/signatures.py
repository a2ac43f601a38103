# SPDX-License-Identifier: GPL-3.0-or-later
"""What each argument of the C functions is: a number, a struct or an array, which way it goes, and how long it is.

_abi.py has the types, which do not say that. Functions that return no status have no effect and are not recorded.
"""

import ctypes
from collections import namedtuple
from functools import lru_cache

from .. import _abi
from .._abi import FUNCTIONS

VERTICES = "vertices"  # of the cloth that the call is about
CORNERS = "corners"  # of all faces of the struct's mesh
ONE = "one"

# An array: `width` elements for each of what `count` counts, which is the position of a number among
# the arguments, (position, field) of a struct, or VERTICES. is_input: it is read; is_output: it is written.
Array = namedtuple("Array", "name count width is_input is_output")


# Functions that report on the last call, of a cloth or, with the handle 0, of the thread.
SPEAKERS = ("muslin_get_message", "muslin_get_detail_count", "muslin_get_detail")

# Of each array its position, whether it goes in or out, its name, what counts it, and its width unless that is 1.
# Any other pointer is to one number or struct, read and written.
ARRAYS = {
    "muslin_get_message": "1 out text 2",
    "muslin_mesh_get_report": "2 out findings 3",
    "muslin_mesh_get_symmetry": "2 out partners 0.vertex_count, 3 out face_partners 0.face_count",
    "muslin_mesh_get_fronts": "1 out fronts 0.vertex_count",
    "muslin_cloth_create_parts": "2 in vertex_parts 0.vertex_count, 4 in materials 3, 5 in models 3",
    "muslin_cloth_get_inspection": "2 out places 3",
    "muslin_cloth_set_pins": "2 in vertices 1, 3 in weights 1, 4 in targets 1 3",
    "muslin_cloth_move_pins": "2 in targets 1 3",
    "muslin_cloth_move_body": "3 in positions 2 3",
    "muslin_cloth_place_body": "3 in positions 2 3",
    "muslin_cloth_set_map": "2 in values vertices",
    "muslin_cloth_set_fields": "1 in wind vertices 3, 2 in traction vertices 3",
    "muslin_cloth_get_state": "1 out positions vertices 3, 2 out velocities vertices 3",
    "muslin_cloth_set_state": "1 in positions vertices 3, 2 in velocities vertices 3",
    "muslin_cloth_get_snapshot": "1 out bytes 2",
    "muslin_cloth_restore": "1 in bytes 2",
    "muslin_cloth_put_outside": "3 in-out points 2 3",
    "muslin_cloth_get_fit": "1 out warp vertices, 2 out weft vertices, 3 out shear vertices, "
    "4 out pressure vertices, 5 out gap vertices",
    "muslin_cloth_get_tension": "1 out warp vertices, 2 out weft vertices",
    "muslin_debug_solve": "1 in-out right_hand_side vertices 3",
}

# Arrays that a struct points to, in the order of its fields: what counts them, and their width.
MEMBERS = {
    "Mesh": {
        "positions": ("vertex_count", 3),
        "face_sizes": ("face_count", 1),
        "face_vertices": (CORNERS, 1),
        "edges": ("edge_count", 2),
        "corner_uvs": (CORNERS, 2),
    },
    "Links": {
        name: (f"{name[:-1]}_count", 1) for name in ("seams", "tacks", "elastics", "buttons")
    },
    "ClothDef": {"material": (ONE, 1), "forces": (ONE, 1)},
    "Body": {
        "positions": ("vertex_count", 3),
        "face_sizes": ("face_count", 1),
        "face_vertices": (CORNERS, 1),
    },
}

# What makes a cloth: the position of its handle among the arguments; that of its mesh is 0.
CREATED = {"muslin_cloth_create": 2, "muslin_cloth_create_parts": 6}
# Seconds, and how far a call was: never the same twice.
UNREPEATABLE = {("muslin_debug_solve", 3), ("muslin_cloth_get_progress", 1)}


def arrays_of(function):
    """The arrays of a function by position."""
    found = {}
    for row in filter(None, ARRAYS.get(function, "").split(", ")):
        position, way, name, count, *width = row.split()
        owner, _, field = count.partition(".")
        counted = (int(owner), field) if field else int(count) if count.isdigit() else count
        width = int(width[0]) if width else 1
        found[int(position)] = Array(name, counted, width, way != "out", way != "in")
    return found


class Argument:
    """One argument. pointed: the type that it points to, None for a number."""

    def __init__(self, function, position, kind, array):
        self.kind = kind
        self.array = array
        self.pointed = pointed_type(kind)
        self.struct = self.pointed is not None and issubclass(self.pointed, ctypes.Structure)
        self.is_output = self.array.is_output if self.array else self.pointed is not None
        self.is_input = self.array.is_input if self.array else True
        created = CREATED.get(function) == position
        self.compared = self.is_output and not created and (function, position) not in UNREPEATABLE
        self.name = self.array.name if self.array else "number"
        if self.struct and not self.array:
            self.name = self.pointed.__name__


class Signature:
    """One function. takes_handle: its first argument is a cloth."""

    def __init__(self, name, kinds):
        self.name = name
        arrays = arrays_of(name)
        self.arguments = [Argument(name, at, kind, arrays.get(at)) for at, kind in enumerate(kinds)]
        about_cloth = name.startswith(("muslin_cloth_", "muslin_debug_")) and name not in CREATED
        self.takes_handle = about_cloth or name in SPEAKERS
        # for the file's header: a reader compares this with its own
        self.text = " ".join(map(type_code, kinds))


def pointed_type(kind):
    """What a pointer type points to: bytes where C says char or void; None if it is no pointer."""
    if kind in (ctypes.c_char_p, ctypes.c_void_p):
        return ctypes.c_char
    return getattr(kind, "_type_") if issubclass(kind, ctypes._Pointer) else None


def type_code(kind):
    """A short name of a type that is the same on every platform of 64 bits."""
    pointed = pointed_type(kind)
    if pointed is not None:
        return "*" + type_code(pointed)
    if issubclass(kind, ctypes.Structure):
        return kind.__name__
    letter = {"f": "float", "d": "double", "c": "char"}.get(kind._type_)
    return letter or f"{'int' if kind(-1).value < 0 else 'uint'}{8 * ctypes.sizeof(kind)}"


RECORDED = {name: kinds for name, (result, kinds) in FUNCTIONS.items() if result is ctypes.c_int32}
SIGNATURES = {name: Signature(name, kinds) for name, kinds in RECORDED.items()}


@lru_cache(maxsize=None)
def members(struct):
    """The pointers in a struct: (field, offset, element type, what counts it, width)."""
    found = []
    for field, kind, *_ in struct._fields_:
        is_plain = not issubclass(kind, (ctypes.Structure, ctypes.Array))
        pointed = pointed_type(kind) if is_plain else None
        if pointed is not None:
            count, width = MEMBERS[struct.__name__][field]
            found.append((field, getattr(struct, field).offset, pointed, count, width))
    return found


@lru_cache(maxsize=None)
def comparable_parts(struct, start=0):
    """(offset, bytes) of a struct's fields that are the same in every run, whatever the machine's speed and the
    number of threads."""
    parts = []
    for field, kind, *_ in struct._fields_:
        offset = start + getattr(struct, field).offset
        if issubclass(kind, ctypes.Structure):
            parts += comparable_parts(kind, offset)
        elif issubclass(kind, ctypes.Array) or pointed_type(kind) is None:
            if not field.endswith("seconds") and field not in ("memory_bytes", "threads"):
                parts.append((offset, ctypes.sizeof(kind)))
    return parts


STRUCT_SIZES = {kind.__name__: ctypes.sizeof(kind) for kind in _abi.STRUCTS.values()}

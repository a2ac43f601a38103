# SPDX-License-Identifier: GPL-3.0-or-later
"""What stops a simulation, in words for the artist: which object, which vertices, what to do."""

from contextlib import contextmanager

SHOWN = 5  # so many elements are named in a sentence; all of them are in `indices`


class Problem(Exception):
    """A refusal. `element` is "VERT", "EDGE", "FACE" or "", `indices` are the mesh's."""

    def __init__(self, message, object_name="", element="", indices=()):
        super().__init__(message)
        self.message = message
        self.object_name = object_name
        self.element = element
        self.indices = [int(index) for index in indices]

    def __str__(self):
        return self.message


def refuse_linked(obj):
    """Nothing can be set, nor shown, in what belongs to another file."""
    if obj.library is not None:
        raise Problem(
            f"{obj.name} is linked from another file: make it local or make a library override first",
            obj.name,
        )


def remove_line(obj, lines, index):
    """Out of one of a garment's lists; a library override cannot do without those that are linked."""
    try:
        lines.remove(index)
    except TypeError:
        raise Problem(
            f"{obj.name} has this line from the file that it is linked from: remove it there",
            obj.name,
        ) from None


def numbers(indices):
    """The first few of them, in words: "3, 8 and 12 more"."""
    shown = ", ".join(str(index) for index in list(indices)[:SHOWN])
    rest = len(indices) - SHOWN
    return f"{shown} and {rest} more" if rest > 0 else shown


def counted(count, one, many=None):
    """A number with its noun: "1 vertex", "3 vertices"."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def not_finite(name, indices, of="vertex"):
    """The problem of coordinates that are no numbers."""
    vertices = counted(len(indices), of, "vertices")
    place = f"{vertices} ({numbers(indices)}) without a finite position"
    return Problem(f"{name} has {place}; delete or move what is there", name, "VERT", indices)


@contextmanager
def speaking_of(name):
    """Turns what the native library refuses into a Problem that names the object."""
    from ..muslin import MuslinError

    try:
        yield
    except MuslinError as error:
        raise of_library(error, name) from error


def of_library(error, name, is_body=False):
    """The library's error as a Problem of the object: a garment, or a body that it meets."""
    return of_cause(error, str(error), name, is_body)


def of_cause(error, text, name, is_body=False):
    """Likewise with other words. Edges that the library numbers are loose ones, which Blender's are not."""
    from ..muslin import Element

    elements = {Element.VERTEX: "VERT", Element.FACE: "FACE"}
    if is_body:
        elements = {Element.BODY_VERTEX: "VERT", Element.BODY_FACE: "FACE"}
    for detail in error.details:
        if detail.element in elements:
            element = elements[detail.element]
            return Problem(f"{name}: {text}", name, element, detail.elements)
    return Problem(f"{name}: {text}", name)

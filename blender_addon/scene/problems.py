# SPDX-License-Identifier: GPL-3.0-or-later
"""What stops a simulation, and what a check found: plain data in words for the artist: which object, which vertices, what to do."""

from contextlib import contextmanager
from dataclasses import dataclass, field

from ..words import counted

SHOWN = 5  # so many elements are named in a sentence; all of them are in `indices`


class Problem(Exception):
    """A refusal. `element` is "VERT", "EDGE", "FACE" or "", `indices` are the mesh's of `object_name`, where that is known."""

    def __init__(self, message, element="", indices=(), object_name=""):
        super().__init__(message)
        self.element, self.object_name = element, object_name
        self.indices = [int(index) for index in indices]


def refuse_linked(obj):
    if obj.library is not None:
        todo = "make it local or make a library override first"
        raise Problem(f"{obj.name} is linked from another file: {todo}")


def refuse_linked_mesh(obj):
    if obj.data.library is not None:
        raise Problem(f"The mesh of {obj.name} is linked and cannot be edited")


def remove_line(obj, lines, index):
    """From a garment's list; a library override keeps the lines that are linked."""
    try:
        lines.remove(index)
    except TypeError:
        where = "from the file that it is linked from"
        raise Problem(f"{obj.name} has this line {where}: remove it there") from None


def numbers(indices):
    """The first few of them: "3, 8 and 12 more"."""
    shown, rest = ", ".join(map(str, list(indices)[:SHOWN])), len(indices) - SHOWN
    return f"{shown} and {rest} more" if rest > 0 else shown


def not_finite(name, indices, of="vertex"):
    vertices = counted(len(indices), of, "vertices")
    place = f"{vertices} ({numbers(indices)}) with invalid coordinates"
    return Problem(f"{name} has {place}; delete or move what is there", "VERT", indices, name)


@contextmanager
def reported(trouble):
    """An OSError within it becomes a Problem: this trouble, and why."""
    try:
        yield
    except OSError as error:
        raise Problem(f"{trouble}: {error.strerror}") from None


@contextmanager
def speaking_of(name):
    """Turns what the native library refuses into a Problem that names the object."""
    from ..muslin import MuslinError

    try:
        yield
    except MuslinError as error:
        raise of_library(error, name) from error


def of_library(error, name, is_body=False, text=None):
    """The library's error as a Problem of the object: a garment, or one of its colliders. text: in other words than its own.
    Edges that the library numbers are loose ones, which Blender's are not."""
    from ..muslin import Element

    text = str(error) if text is None else text
    elements = {Element.VERTEX: "VERT", Element.FACE: "FACE"}
    if is_body:
        elements = {Element.BODY_VERTEX: "VERT", Element.BODY_FACE: "FACE"}
    for detail in error.details:
        if detail.element in elements:
            return Problem(f"{name}: {text}", elements[detail.element], detail.elements, name)
    return Problem(f"{name}: {text}")


@dataclass
class Finding:
    """One kind of problem. `element` ("VERT", "EDGE", "FACE" or "") says what `indices` count."""

    kind: str
    text: str
    stops: bool = False  # the garment cannot be simulated like this
    object_name: str = ""
    element: str = ""
    indices: list = field(default_factory=list)
    fix: str = ""  # what the button says; empty where only the artist can mend it
    detail: str = ""  # what the fix needs to know: a setting, the name of a modifier or object
    frame: int | None = None  # of a bake: since when it has been so

    @property
    def icon(self):
        return "ERROR" if self.stops else "INFO"

    @property
    def selectable(self):
        return bool(self.element and self.indices)


def ended_by(problem, name):
    """The Finding that a Problem is, which ended a run of this garment."""
    meant = problem.object_name or name
    return Finding("ended", str(problem), True, meant, problem.element, problem.indices)


# Of the library's defects: element, one, many, what that means, what the fix is called.
DEFECTS = {
    "NOT_FINITE": ("VERT", "vertex has", "vertices have", "no finite position", "Delete"),
    "REPEATED_VERTEX": ("FACE", "face uses", "faces use", "a vertex twice and is left out", "Delete Faces"),
    "ZERO_AREA": ("FACE", "face has", "faces have", "no area, so nothing holds it in shape", "Dissolve"),
    "SLIVER": ("FACE", "face is", "faces are", "very thin, which makes the cloth stiff there", ""),
    "DUPLICATE_FACE": ("FACE", "face has", "faces have", "the same corners as another and is left out", "Delete Faces"),
    "ISOLATED": ("VERT", "vertex belongs", "vertices belong", "to no face or edge and will not move", "Delete"),
    "NON_MANIFOLD": ("EDGE", "edge has", "edges have", "three faces or more, and bends between them in turn", ""),
    "FLIPPED": ("EDGE", "edge lies", "edges lie", "between faces that point opposite ways", "Recalculate Normals"),
    "DOUBLED_VERTEX": ("VERT", "vertex lies", "vertices lie", "exactly on others: the cloth comes apart there", "Merge"),
    "BAD_UV": ("FACE", "face has", "faces have", "invalid UV coordinates", ""),
}  # fmt: skip
STOPPING = {"NOT_FINITE", "INDEX_RANGE"}


def of_defect(name, count, indices, object_name):
    """A finding of the library's mesh check; `count` is how often it was found."""
    element, one, many, meaning, fix = DEFECTS[name]
    if count > 1:
        for single, several in (
            ("is left", "are left"),
            ("holds it", "holds them"),
            ("bends", "bend"),
        ):
            meaning = meaning.replace(single, several)
    text = f"{count} {one if count == 1 else many} {meaning}"
    return Finding(name.lower(), text, name in STOPPING, object_name, element, indices, fix)

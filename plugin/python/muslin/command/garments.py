# SPDX-License-Identifier: GPL-3.0-or-later
"""The garments of `muslin drape`: one or several files, simulated as one cloth of several pieces.

Whatever belongs to the vertices of one garment - its output, its pins, its maps - is given once for
each garment, in the same order, and counts vertices as that garment's file does.
"""

import numpy as np

from .._enums import Element
from ..errors import FileError, MuslinError, refuse
from ..files import is_taken, unfinished_place
from ..layers import first_vertices, joined
from ..pc2 import Pc2Writer
from ..table import MAP_OPTIONS
from .inputs import read_mesh
from .progress import warn
from .values import spelled

# What the library numbers of garments; the rest is of bodies.
ELEMENTS = {Element.VERTEX: "vertex", Element.FACE: "face", Element.EDGE: "loose edge"}
# Options that are given once for each garment, or not at all.
PER_GARMENT = ("pin", "pin_motion", "last_frame", *MAP_OPTIONS)


def check_counts(options):
    """Refuse options that do not come once for each garment."""
    garments = len(options.garment)
    for name in ("output", *PER_GARMENT):
        given = len(getattr(options, name) or ())
        if given != garments and (given or name == "output"):
            refuse_count(name, given, garments)


def refuse_count(name, given, garments):
    times = "once" if given == 1 else f"{given} times"
    are = "is 1 garment" if garments == 1 else f"are {garments} garments"
    refuse(
        f"{spelled(name)} is given {times}, but there {are}: give it once for each, in the same order"
    )


class Garments:
    """The meshes of the files, and `mesh`, which is all of them one after the other."""

    def __init__(self, paths):
        self.paths = paths
        self.meshes = [read_mesh(path) for path in paths]
        self.starts = first_vertices(self.meshes)
        self._firsts = {
            Element.VERTEX: self.starts,
            Element.FACE: np.cumsum([0] + [len(mesh.face_sizes) for mesh in self.meshes]),
            Element.EDGE: np.cumsum([0] + [len(mesh.edges) for mesh in self.meshes]),
        }
        self.mesh = self.meshes[0] if len(paths) == 1 else joined(self.meshes)
        if self.mesh.uvs is None and any(mesh.uvs is not None for mesh in self.meshes):
            warn(f"{self.without_uvs()} has no UV map: those of the other garments are not used")

    def without_uvs(self):
        """The path of the first garment without a UV map, or None."""
        found = (path for path, mesh in zip(self.paths, self.meshes) if mesh.uvs is None)
        return next(found, None)

    def owner(self, element, number):
        """Which garment an element of the whole is of, and its number there."""
        firsts = self._firsts[element]
        at = min(int(np.searchsorted(firsts, number, side="right")), len(self.paths)) - 1
        return at, number - int(firsts[at])

    def element_text(self, element, number):
        """An element of the whole as its garment's file numbers it, with that file's name if there are several."""
        at, own = self.owner(element, number)
        of = f" of {self.paths[at]}" if len(self.paths) > 1 else ""
        return f"{ELEMENTS[element]} {own}{of}"

    def vertex_text(self, vertex):
        return self.element_text(Element.VERTEX, vertex)

    def renumbered(self, sentence):
        """A sentence of the library, which counts through all garments, with what their files call what it lists."""
        listed = getattr(sentence, "elements", ()) if len(self.paths) > 1 else ()
        if not listed or sentence.element not in ELEMENTS:
            return sentence
        names = ", ".join(self.element_text(sentence.element, number) for number in listed)
        return f"{sentence} (counted through all garments: {names})"

    def make(self, create):
        """create(mesh) of the whole. What is refused of one garment is reported of that one, as its file numbers it."""
        try:
            return create(self.mesh)
        except MuslinError as error:
            detail = next((each for each in error.details if each.element in ELEMENTS), None)
            if len(self.paths) == 1 or detail is None or not detail.elements:
                raise
            at, _ = self.owner(detail.element, detail.elements[0])
            try:
                create(self.meshes[at]).close()
            except MuslinError as own:
                raise own.speaking_of(self.paths[at]) from error
            raise  # by itself it would do

    def parts(self, values):
        """Per-vertex values of the whole, cut into those of each garment."""
        return np.split(values, self.starts[1:-1])


class GarmentWriter:
    """A point cache for each garment, with the methods of a Pc2Writer."""

    def __init__(self, paths, garments, start):
        self.garments = garments
        self.writers = []
        try:
            for path, mesh in zip(paths, garments.meshes):
                self.writers.append(Pc2Writer(path, mesh.vertex_count, start=start))
        except MuslinError:
            self.discard()
            raise

    @property
    def frames(self):
        """Frames that all of them have: a disk may fill up between two."""
        return min(writer.frames for writer in self.writers)

    def write(self, positions):
        for writer, part in zip(self.writers, self.garments.parts(positions)):
            writer.write(part)

    def finish(self, complete):
        """Name the files; gives their paths."""
        frames, problems = self.frames, []
        older = not complete and any(is_taken(one.path) for one in self.writers)
        for writer in self.writers:
            writer.frames = frames
            try:
                writer.finish(unfinished_place(writer.path) if older else None)
            except FileError as error:  # the others get their names
                problems.append(error)
        if problems:
            raise problems[0]
        return [writer.path for writer in self.writers]

    def discard(self):
        for writer in self.writers:
            writer.discard()

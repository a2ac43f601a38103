"""The garments of `muslin drape`: one or several files, simulated as one cloth of several pieces.

Whatever belongs to the vertices of one garment - its output, its pins, its maps - is given once for
each garment, in the same order, and counts vertices as that garment's file does.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import numpy as np

from ..errors import MuslinError
from ..mesh import Mesh
from ..obj import read_obj
from ..pc2 import Pc2Writer

# Options that are given once for each garment, or not at all.
PER_GARMENT = ("pin", "pin_motion", "last_frame", "mass_map", "stretch_map", "bend_map")


def check_counts(options):
    """Refuse options that do not come once for each garment."""
    garments = len(options.garment)
    for name in ("output", *PER_GARMENT):
        given = len(getattr(options, name) or ())
        if given != garments and (given or name == "output"):
            option = "--" + name.replace("_", "-")
            raise MuslinError(
                None,
                f"{option} is given {times(given)}, but there {are(garments)}: "
                "give it once for each, in the same order",
            )


def times(count):
    return "once" if count == 1 else f"{count} times"


def are(count):
    return "is 1 garment" if count == 1 else f"are {count} garments"


class Garments:
    """The meshes of the files, and `mesh`, which is all of them one after the other."""

    def __init__(self, paths, warn):
        self.paths = paths
        self.meshes = [read_obj(path) for path in paths]
        for mesh in self.meshes:
            for note in mesh.notes:
                warn(note)
        counts = [mesh.vertex_count for mesh in self.meshes]
        self.starts = np.concatenate([[0], np.cumsum(counts)])
        self.mesh = self.meshes[0] if len(paths) == 1 else self._joined(warn)

    def _joined(self, warn):
        shifted = list(zip(self.meshes, self.starts))
        uvs = uv_indices = None
        if all(mesh.uvs is not None for mesh in self.meshes):
            uvs = np.concatenate([mesh.uvs for mesh in self.meshes])
            firsts = np.cumsum([0] + [len(mesh.uvs) for mesh in self.meshes])
            uv_indices = np.concatenate(
                [mesh.uv_indices + first for mesh, first in zip(self.meshes, firsts)]
            )
        elif any(mesh.uvs is not None for mesh in self.meshes):
            warn(f"{self.without_uvs()} has no UV map: those of the other garments are not used")
        return Mesh(
            np.concatenate([mesh.positions for mesh in self.meshes]),
            np.concatenate([mesh.face_sizes for mesh in self.meshes]),
            np.concatenate([mesh.face_vertices + first for mesh, first in shifted]),
            np.concatenate([mesh.edges + first for mesh, first in shifted]),
            uvs,
            uv_indices,
        )

    def without_uvs(self):
        """The path of the first garment without a UV map, or None."""
        found = (path for path, mesh in zip(self.paths, self.meshes) if mesh.uvs is None)
        return next(found, None)

    def parts(self, values):
        """Per-vertex values of the whole, cut into those of each garment."""
        return np.split(values, self.starts[1:-1])


class GarmentWriter:
    """A point cache for each garment; the same methods as Pc2Writer has."""

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

    def finish(self):
        frames = self.frames
        for writer in self.writers:
            writer.frames = frames
            writer.finish()

    def discard(self):
        for writer in self.writers:
            writer.discard()

"""The operator that adds what a fine run would have to a garment that rides on a coarser level.

Each node sees where a few other nodes are, as the garment is turned. A linear map, learnt from runs, makes of that the
way from where the node rides to where a fine run would have it; other vertices go with the nodes around them. So the
operator shifts with the garment and turns with it about the vertical, and takes a few sparse products.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import io
import zipfile
import zlib
from dataclasses import dataclass, fields

import numpy as np

from ..arrays import floats
from ..errors import FileError
from ..files import write_atomic
from .heading import heading

FORMAT = 1
LARGEST_BYTES = 2**31
SMOOTHINGS = 2  # of the ways of nodes, each of which was learnt by itself
# Arrays of the file: type, and shape in vertices n, nodes p, sources k of a node, a nodes around it and owners m of a
# vertex.
ARRAYS = {
    "nodes": (np.int32, "p"),
    "rest": (np.float32, "p3"),
    "sources": (np.int32, "pk"),
    "around": (np.int32, "pa"),
    "maps": (np.float32, "p3v"),
    "limits": (np.float32, "p"),
    "owners": (np.int32, "nm"),
    "weights": (np.float32, "nm"),
}


def topology_of(mesh):
    """A checksum of what hangs together how in a mesh; positions do not count."""
    parts = (mesh.face_sizes, mesh.face_vertices, mesh.edges)
    return zlib.crc32(b"".join(np.ascontiguousarray(part, "<i4").tobytes() for part in parts))


def views_of(moved, nodes, sources):
    """How much further than its node each source (a row for each node) has moved from the rest shape: p x 3k, m."""
    return (moved[sources] - moved[nodes][:, None]).reshape(len(sources), -1)


@dataclass(frozen=True)
class Upsampling:
    """What was learnt for one mesh and one level of it.

    nodes: p vertices; rest: where they are at rest, m; sources: p x k nodes that each sees.
    maps: p x 3 x 3k: from what is seen, relative to the rest shape, to the way of the node.
    limits: p, m: no way is longer. around: p x a nodes, itself first, whose ways are made even. owners: n x m nodes that carry each vertex, by weights.
    """

    level: int
    topology: int
    nodes: np.ndarray
    rest: np.ndarray
    sources: np.ndarray
    around: np.ndarray
    maps: np.ndarray
    limits: np.ndarray
    owners: np.ndarray
    weights: np.ndarray

    @property
    def vertex_count(self):
        return len(self.owners)

    def apply(self, positions):
        """Positions (n x 3, m) that ride on the level, with what the fine run would add; a new array."""
        positions = floats("positions", positions, (self.vertex_count, 3))
        places = positions[self.nodes]
        turn = heading(places, self.rest)
        seen = views_of(places @ turn - self.rest, slice(None), self.sources)
        ways = np.matmul(self.maps, seen[:, :, None])[:, :, 0]
        lengths = np.sqrt((ways * ways).sum(axis=1))
        ways *= np.minimum(1, self.limits / np.maximum(lengths, 1e-20))[:, None]
        for _ in range(SMOOTHINGS):
            ways = ways[self.around].mean(axis=1)
        ways = ways @ turn.T
        return positions + np.einsum("nm,nmi->ni", self.weights, ways[self.owners])

    def save(self, path):
        """Write it to a .npz file, all at once or not at all."""
        data = io.BytesIO()
        header = np.array([FORMAT, self.level, self.topology], dtype=np.int64)
        np.savez(data, header=header, **{name: getattr(self, name) for name in ARRAYS})
        write_atomic(path, data.getvalue())

    @classmethod
    def load(cls, path, mesh=None):
        """Read one; a FileError names what is wrong with it, or that it was learnt for another mesh than `mesh`."""
        arrays = read_arrays(path)
        header = arrays.pop("header")
        if header.shape != (3,) or header.dtype.kind != "i" or header[0] != FORMAT:
            raise FileError(path, f"wanted an up-sampling operator of format {FORMAT}")
        if header[1] < 1:
            raise FileError(path, f"it was learnt for level {header[1]}, wanted 1 or more")
        check_arrays(path, arrays)
        found = cls(int(header[1]), int(header[2]), **arrays)
        if mesh is not None and found.vertex_count != mesh.vertex_count:
            raise FileError(
                path,
                f"it was learnt for a garment of {found.vertex_count} vertices, "
                f"this one has {mesh.vertex_count}",
            )
        if mesh is not None and found.topology != topology_of(mesh):
            raise FileError(path, "it was learnt for a garment with other faces")
        return found


def read_arrays(path):
    """The arrays of the file by their names, of the right types; nothing of it is executed."""
    names = ("header", *ARRAYS)
    try:
        with zipfile.ZipFile(path) as packed:
            if sum(entry.file_size for entry in packed.infolist()) > LARGEST_BYTES:
                raise FileError(path, "it is larger than any operator can be")
        with np.load(path, allow_pickle=False) as file:
            missing = [name for name in names if name not in file.files]
            if missing:
                raise FileError(path, f"not an up-sampling operator: it has no {missing[0]}")
            return {name: file[name] for name in names}
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror or 'cut short'}") from None
    except (ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error):
        raise FileError(path, "not an up-sampling operator, or a broken one") from None


def check_arrays(path, arrays):
    """Refuse arrays that do not fit each other, numbers that are not finite, and vertices that there are not."""
    sizes = {"3": 3}
    for name, (kind, shape) in ARRAYS.items():
        array = arrays[name]
        if array.dtype != kind or array.ndim != len(shape):
            raise FileError(path, f"{name}: wanted {np.dtype(kind)} in {len(shape)} dimensions")
        for letter, size in zip(shape, array.shape):
            if size != sizes.setdefault(letter, size) or size == 0:
                raise FileError(path, f"{name}: its shape {array.shape} does not fit the others")
        if kind == np.float32 and not np.isfinite(array).all():
            raise FileError(path, f"{name}: a number is not finite")
    if sizes["v"] != 3 * sizes["k"]:
        raise FileError(path, f"maps: {sizes['v']} columns for {sizes['k']} sources")
    for name in ("nodes", "sources", "around", "owners"):
        most = sizes["n"] if name == "nodes" else sizes["p"]
        wrong = (arrays[name] < 0) | (arrays[name] >= most)
        if wrong.any():
            raise FileError(path, f"{name}: there is no number {arrays[name][wrong][0]}")
    for name in ("limits", "weights"):
        if (arrays[name] < 0).any():
            raise FileError(path, f"{name}: a number is negative")


assert {field.name for field in fields(Upsampling)} == {"level", "topology", *ARRAYS}

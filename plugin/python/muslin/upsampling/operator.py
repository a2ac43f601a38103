# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator that adds what a fine run would have to a garment that follows a coarser level.

A node's input is the strain and bending of the cloth around it, in its own frame, and the places of other parts of the
garment. A linear map reduces it to a few numbers, the weights of shapes that displace the vertices around the node. Maps
and shapes are learnt from runs. The operator moves with the garment, turns with it about the vertical, and takes a few
sparse products.
"""

import io
import zipfile
import zlib
from collections import namedtuple
from functools import cached_property

import numpy as np

from ..arrays import floats
from ..errors import FileError
from ..files import open_ordinary, write_atomic
from .nodes import frames_of, heading

FORMAT = 2
LARGEST_BYTES = 2**31
# Arrays of the file: type, and shape in vertices n, nodes p, spokes s of a node, nodes a near it and b far from it, the
# numbers v that it sees and the r shapes that it makes of them, owners m of a vertex.
ARRAYS = {
    "nodes": (np.int32, "p"),
    "rest": (np.float32, "p3"),
    "spokes": (np.int32, "ps"),
    "slopes": (np.float32, "p2s"),
    "near": (np.int32, "pa"),
    "far": (np.int32, "pb"),
    "maps": (np.float32, "prv"),
    "owners": (np.int32, "nm"),
    "shapes": (np.float32, "nm3r"),
    "limits": (np.float32, "n"),
}
NODES_IN = ("spokes", "near", "far", "owners")  # arrays that number nodes


def topology_of(mesh):
    """A checksum of the topology of a mesh; positions do not count."""
    parts = (mesh.face_sizes, mesh.face_vertices, mesh.edges)
    return zlib.crc32(b"".join(np.ascontiguousarray(part, "<i4").tobytes() for part in parts))


class View:
    """What nodes see: p x 3 (a + b) numbers, m, all 0 at rest. Of the nodes `chosen`, or of all."""

    def __init__(self, rest, spokes, slopes, near, far, chosen=slice(None)):
        self.rest, self.spokes, self.slopes = rest, spokes, slopes
        self.near, self.far, self.chosen = near[chosen], far[chosen], chosen
        self.near_rest = self._ways(rest, frames_of(rest, spokes, slopes)[chosen])

    def _ways(self, places, frames):
        """From nodes to those near them, in the frames."""
        return (places[self.near] - places[self.chosen][:, None]) @ frames

    def __call__(self, places):
        """What is seen where the nodes are at `places` (p x 3, m), and the frames of all nodes."""
        frames = frames_of(places, self.spokes, self.slopes)
        strained = self._ways(places, frames[self.chosen]) - self.near_rest
        moved = places @ heading(places, self.rest) - self.rest
        carried = moved[self.far] - moved[self.chosen][:, None]
        count = len(self.near)
        return np.hstack([strained.reshape(count, -1), carried.reshape(count, -1)]), frames


class Upsampling(namedtuple("Upsampling", ("level", "topology", *ARRAYS))):
    """What was learnt for one mesh and one level of it.

    nodes: p vertices; rest: where they are at rest, m. spokes, slopes: of what their frames are made. near, far: the
    nodes that each sees. maps: p x r x 3 (a + b): from what is seen to how much of each shape there is. owners: n x m
    nodes that carry each vertex, and its part in their shapes, m. limits: n, m: no vertex goes further.
    """

    @cached_property
    def view(self):
        return View(self.rest, self.spokes, self.slopes, self.near, self.far)

    @property
    def vertex_count(self):
        return len(self.owners)

    def apply(self, positions):
        """Positions (n x 3, m) embedded in the level, with what the fine run would add; a new array."""
        positions = floats("positions", positions, (self.vertex_count, 3))
        seen, frames = self.view(positions[self.nodes])
        amounts = np.matmul(self.maps, seen[:, :, None])[:, :, 0]
        ways = np.zeros_like(positions)
        for owners, shapes in zip(self.owners.T, self.shapes.swapaxes(0, 1)):
            local = np.einsum("nir,nr->ni", shapes, amounts[owners])
            ways += np.einsum("nij,nj->ni", frames[owners], local)
        lengths = np.sqrt((ways * ways).sum(axis=1))
        ways *= np.minimum(1, self.limits / np.maximum(lengths, 1e-20))[:, None]
        return positions + ways

    def save(self, path):
        """Write it to a .npz file, all at once or not at all."""
        data = io.BytesIO()
        header = np.array([FORMAT, self.level, self.topology], dtype=np.int64)
        np.savez(data, header=header, **{name: getattr(self, name) for name in ARRAYS})
        write_atomic(path, data.getvalue())

    @classmethod
    def load(cls, path, mesh=None):
        """Read one; a FileError names what is wrong with it, or that it was learnt for another mesh than `mesh`."""
        with open_ordinary(path) as file:
            arrays = unpacked(path, file)
        header = arrays.pop("header")
        if header.shape != (3,) or header.dtype.kind != "i" or header[0] != FORMAT:
            raise FileError(path, f"expected an up-sampling operator of format {FORMAT}")
        if header[1] < 1:
            raise FileError(path, f"it was learnt for level {header[1]}, expected 1 or more")
        check_arrays(path, arrays)
        found = cls(int(header[1]), int(header[2]), **arrays)
        if mesh is not None and found.vertex_count != mesh.vertex_count:
            given = f"it was learnt for a garment of {found.vertex_count} vertices"
            raise FileError(path, f"{given}, this one has {mesh.vertex_count}")
        if mesh is not None and found.topology != topology_of(mesh):
            raise FileError(path, "it was learnt for a garment with other faces")
        return found


# NotImplementedError: a packing that Python does not know. RuntimeError: a password is wanted.
UNPACKING = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError)


def unpacked(path, operator):
    """The arrays of the open file by their names, of the right types; nothing of it is executed."""
    names = ("header", *ARRAYS)
    try:
        with zipfile.ZipFile(operator) as packed:
            if sum(entry.file_size for entry in packed.infolist()) > LARGEST_BYTES:
                raise FileError(path, "it is larger than any operator can be")
        with np.load(operator, allow_pickle=False) as file:
            missing = [name for name in names if name not in file.files]
            if missing:
                raise FileError(path, f"not an up-sampling operator: it has no {missing[0]}")
            return {name: file[name] for name in names}
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror or 'cut short'}") from None
    except (ValueError, EOFError, KeyError, OverflowError, MemoryError, *UNPACKING):
        raise FileError(path, "not an up-sampling operator, or a broken one") from None


def check_arrays(path, arrays):
    """Refuse arrays that do not fit each other, numbers that are not finite, and vertices that there are not."""
    sizes = {"2": 2, "3": 3}
    for name, (kind, shape) in ARRAYS.items():
        array = arrays[name]
        if array.dtype != kind or array.ndim != len(shape):
            raise FileError(path, f"{name}: expected {np.dtype(kind)} in {len(shape)} dimensions")
        for letter, size in zip(shape, array.shape):
            if size != sizes.setdefault(letter, size) or size == 0:
                raise FileError(path, f"{name}: its shape {array.shape} does not fit the others")
        if kind == np.float32 and not np.isfinite(array).all():
            raise FileError(path, f"{name}: a number is not finite")
    if sizes["v"] != 3 * (sizes["a"] + sizes["b"]):
        raise FileError(path, f"maps: {sizes['v']} columns for {sizes['a'] + sizes['b']} places")
    for name in ("nodes", *NODES_IN):
        most = sizes["n"] if name == "nodes" else sizes["p"]
        wrong = (arrays[name] < 0) | (arrays[name] >= most)
        if wrong.any():
            raise FileError(path, f"{name}: there is no number {arrays[name][wrong][0]}")
    if (arrays["limits"] < 0).any():
        raise FileError(path, "limits: a number is negative")


# m: embedded vertices may already be inside by so much, between the vertices that are simulated
DIP = 0.002
DEEPEST = 0.05  # m


def put_before_bodies(cloth, embedded, positions):
    """Positions (n x 3, m) that were made from embedded ones, as they are before the bodies of `cloth`; a new array."""
    # Embedded vertices are outside, so that nothing is deeper inside than it was moved. A search takes longer the further it goes.
    moved = float(np.sqrt(((positions - embedded) ** 2).sum(axis=1).max()))
    return cloth.put_outside(positions, min(moved + DIP, DEEPEST))

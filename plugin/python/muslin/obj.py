# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading and writing Wavefront OBJ files. Vertices keep the file's order.

Read are vertices, UVs, faces, polylines and the names of faces; other statements of the format are skipped. What is
no OBJ statement is refused: a vertex that goes missing shifts all that follow.
"""

from itertools import chain

import numpy as np

from .errors import FileError
from .files import read_ordinary, write_atomic
from .inspection.surface import edge_keys
from .mesh import Mesh

# Statements of the format that say nothing about the shape of a polygon mesh.
SKIPPED = frozenset(
    b"vn vp p s mg mtllib maplib usemap cstype deg bmat step curv curv2 surf parm "
    b"trim hole scrv sp end con bevel c_interp d_interp lod shadow_obj trace_obj ctech stech call "
    b"csh".split()
)

# Statements that name the faces after them, in the order in which they are looked at.
NAMING = (b"g", b"o", b"usemtl")

# What completes a face corner of the forms v, v/vt and v/vt/vn to three numbers; 0 stands for none.
PADDING = {0: b"/0/0", 1: b"/0", 2: b""}


class Statements:
    """All lines of one kind, split at white space with the keyword first, and their numbers."""

    def __init__(self, path):
        self.path = path
        self.rows = []
        self.numbers = []

    def refuse(self, index, problem):
        raise FileError(self.path, problem, self.numbers[index])

    def parse(self, parse, values, what):
        """What `parse` makes of the tokens of all rows; `values` is the slice that counts."""
        try:
            return parse(list(chain.from_iterable(row[values] for row in self.rows)))
        except (ValueError, OverflowError):
            self.find_bad_token(parse, values, what)
            raise

    def find_bad_token(self, parse, values, what):
        """The slow second look that gives an error its line."""
        for index, row in enumerate(self.rows):
            for token in row[values]:
                try:
                    parse([token])
                except (ValueError, OverflowError):
                    self.refuse(index, f"'{readable(token)}' is not {what}")


def readable(token):
    """Bytes of a file for a message: short, and harmless on a terminal."""
    text = token[:40].decode("ascii", "backslashreplace")
    plain = "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in text)
    return plain + ("..." if len(token) > 40 else "")


def read_obj(path):
    """Read an OBJ file into a Mesh; a FileError names the path and the line. Edges of `l` statements that no face has
    become loose edges. UVs are kept when every face has them."""
    statements = split_statements(path, read_bytes(path))
    vertices, uvs, faces, lines = (statements[keyword] for keyword in (b"v", b"vt", b"f", b"l"))
    if not vertices.rows:
        raise FileError(path, "no vertices; is this an OBJ file?")
    positions = numbers_of(vertices, 3, "a vertex needs three coordinates")
    problem = "a face needs three or more corners"
    corners, face_sizes = corners_of(faces, 3, problem, "a face corner")
    face_vertices = resolve(faces, face_sizes, corners[:, 0], vertices, "vertex")
    # Coordinates beyond float32 become infinite there, which the mesh check reports.
    mesh = Mesh(positions, face_sizes, face_vertices)
    edges = edges_of(lines, vertices, mesh)
    uv_arguments, notes = uvs_of(uvs, faces, face_sizes, corners[:, 1])
    mesh = mesh.replaced(edges=edges, **uv_arguments)
    mesh.notes.extend(notes)
    mesh.face_names = names_of(faces, statements)
    return mesh


def read_bytes(path):
    """The file's bytes; refuses what is clearly not text."""
    data = read_ordinary(path)
    if b"\0" in data:
        raise FileError(path, "not an OBJ file: it holds binary data")
    if not data.strip():
        raise FileError(path, "the file is empty")
    return data[3:] if data.startswith(b"\xef\xbb\xbf") else data


def numbered_lines(data):
    """Lines with their numbers from 1; a line that ends with a backslash takes in the next one."""
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    if b"\\" not in data:
        yield from enumerate(lines, 1)
        return
    start, parts = 1, []
    for number, line in enumerate(lines, 1):
        if not parts:
            start = number
        stripped = line.rstrip()
        # A comment may end with the path of a Windows folder: it never goes on.
        comment = not parts and line.lstrip().startswith(b"#")
        if stripped.endswith(b"\\") and not comment:
            parts.append(stripped[:-1])
            continue
        yield start, b" ".join(parts + [line])
        parts = []
    if parts:
        yield start, b" ".join(parts)


def split_statements(path, data):
    """The vertex, UV, face, polyline and naming statements of a file, by keyword."""
    wanted = {keyword: Statements(path) for keyword in (b"v", b"vt", b"f", b"l", *NAMING)}
    wanted[b"fo"] = wanted[b"f"]  # the same statement in old files
    for number, line in numbered_lines(data):
        row = line.partition(b"#")[0].split()
        statements = wanted.get(row[0]) if row else None
        if statements is not None:
            statements.rows.append(row)
            statements.numbers.append(number)
        elif row and row[0] not in SKIPPED:
            problem = f"'{readable(row[0])}' is not an OBJ statement; is this an OBJ file?"
            raise FileError(path, problem, number)
    return wanted


def parse_numbers(tokens):
    refuse_underscores(tokens)
    return np.fromiter(map(float, tokens), dtype=np.float64, count=len(tokens))


def parse_corners(tokens):
    """Vertex and UV index of tokens v, v/vt, v//vn or v/vt/vn (k x 2); 0 for a missing UV."""
    refuse_underscores(tokens)
    try:
        padded = b" ".join([token + PADDING[token.count(b"/")] for token in tokens])
    except KeyError:
        raise ValueError from None
    numbers = padded.replace(b"//", b"/0/").replace(b"/", b" ").split()
    if len(numbers) != 3 * len(tokens):  # each has two slashes, so an empty place shows here
        raise ValueError
    indices = np.fromiter(map(int, numbers), dtype=np.int64, count=len(numbers))
    return indices.reshape(-1, 3)[:, :2]


def refuse_underscores(tokens):
    """Python would take 1_000 for a number."""
    if b"_" in b" ".join(tokens):
        raise ValueError


def require_length(statements, least, problem):
    lengths = np.fromiter(map(len, statements.rows), dtype=np.int64, count=len(statements.rows)) - 1
    short = np.flatnonzero(lengths < least)
    if len(short):
        statements.refuse(short[0], f"{problem}, this one has {lengths[short[0]]}")
    return lengths


def numbers_of(statements, count, problem):
    """The first `count` numbers of each statement; a weight or a colour may follow."""
    require_length(statements, count, problem)
    flat = statements.parse(parse_numbers, slice(1, count + 1), "a number")
    return flat.reshape(-1, count)


def corners_of(statements, least, problem, what):
    """Vertex and UV index of all corners (k x 2), and the number of corners of each statement."""
    sizes = require_length(statements, least, problem)
    return statements.parse(parse_corners, slice(1, None), what), sizes


def resolve(statements, sizes, indices, targets, what):
    """Indices from 0. Negative ones count back from the last target before the statement."""
    before = np.searchsorted(targets.numbers, statements.numbers)
    absolute = np.where(indices < 0, np.repeat(before, sizes) + indices, indices - 1)
    total = len(targets.rows)
    outside = np.flatnonzero((absolute < 0) | (absolute >= total))
    if len(outside):
        statement = int(np.searchsorted(np.cumsum(sizes), outside[0], side="right"))
        problem = f"{what} {indices[outside[0]]} does not exist, the file has {total}"
        statements.refuse(statement, problem)
    return absolute


def uvs_of(uvs, faces, face_sizes, indices):
    """Arguments of Mesh for the UV map, and notes for the user. Every face needs UVs."""
    missing = int((indices == 0).sum())
    if missing == len(indices):
        return {}, []
    if missing:
        bare = np.add.reduceat(indices == 0, np.cumsum(face_sizes) - face_sizes) > 0
        return {}, [f"the UV map is not used: {int(bare.sum())} of {len(bare)} faces have no UVs"]
    require_length(uvs, 1, "a UV needs two coordinates")
    for row in uvs.rows:
        if len(row) == 2:  # a texture of one dimension has no v
            row.append(b"0")
    pairs = numbers_of(uvs, 2, "a UV needs two coordinates")
    return {"uvs": pairs, "uv_indices": resolve(faces, face_sizes, indices, uvs, "UV")}, []


def names_of(faces, statements):
    """The names that faces go by, and which one each has: of groups, else of objects, else of materials,
    whichever first tells faces apart; None where nothing does."""
    for keyword in NAMING:
        naming = statements[keyword]
        texts = ["unnamed"] + [b" ".join(row[1:]).decode("utf-8", "replace") for row in naming.rows]
        texts = [text or "unnamed" for text in texts]
        before = np.searchsorted(naming.numbers, faces.numbers)
        names = list(dict.fromkeys(texts[at] for at in np.unique(before)))
        if len(names) > 1:
            places = {name: place for place, name in enumerate(names)}
            own = np.array([places.get(text, 0) for text in texts], dtype=np.int32)
            return names, own[before]
    return None


def edges_of(lines, vertices, mesh):
    """Loose edges: each pair of neighbours in a polyline once, without those that a face has."""
    corners, sizes = corners_of(lines, 2, "a line needs two or more vertices", "a vertex of a line")
    chain_vertices = resolve(lines, sizes, corners[:, 0], vertices, "vertex")
    last = np.cumsum(sizes) - 1
    first = np.delete(np.arange(len(chain_vertices)), last)
    edges = np.column_stack([chain_vertices[first], chain_vertices[first + 1]]).reshape(-1, 2)
    if len(edges) == 0:
        return edges
    keys = edge_keys(edges)
    kept = np.zeros(len(edges), dtype=bool)
    kept[np.unique(keys, return_index=True)[1]] = True
    return edges[kept & ~np.isin(keys, edge_keys(mesh.corner_sides()))]


def write_obj(path, positions, faces, edges=None, uvs=None, face_uvs=None):
    """Write an OBJ file, all of it or nothing.

    positions: n x 3, m. faces: sequences of vertices from 0. edges: pairs of vertices.
    uvs: k x 2 with face_uvs: for each face, the UV index of each corner.
    """
    positions = np.asarray(positions)
    # Nine digits bring every float32 back exactly.
    text = ["v %.9g %.9g %.9g\n" * len(positions) % tuple(positions.ravel().tolist())]
    if uvs is None or face_uvs is None:
        corners = ([str(vertex + 1) for vertex in face] for face in faces)
    else:
        uvs = np.asarray(uvs)
        text.append("vt %.9g %.9g\n" * len(uvs) % tuple(uvs.ravel().tolist()))
        pairs = (zip(*each) for each in zip(faces, face_uvs))
        corners = ([f"{vertex + 1}/{uv + 1}" for vertex, uv in face] for face in pairs)
    text.extend(f"f {' '.join(face)}\n" for face in corners)
    text.extend(f"l {one + 1} {other + 1}\n" for one, other in (() if edges is None else edges))
    write_atomic(path, "".join(text).encode("ascii"))


def write_mesh(path, mesh, positions=None):
    """Write a Mesh, at other positions if given."""
    positions = mesh.positions if positions is None else positions
    face_uvs = None if mesh.uvs is None else mesh.faces(mesh.uv_indices)
    write_obj(path, positions, mesh.faces(), mesh.edges.tolist(), mesh.uvs, face_uvs)

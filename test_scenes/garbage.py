# SPDX-License-Identifier: GPL-3.0-or-later
"""Garments as they come out of other people's files: a sound one with something wrong, by a seed.

Each function of DEFECTS spoils a worn garment in place, by a generator of random numbers.
"""

from dataclasses import dataclass, field

import numpy as np

from test_scenes.mesh import Mesh, unique_edges

FAR = 1.0  # m
SCALES = (1e-3, 1e-2, 1 / 39.37, 39.37, 100.0, 1e3)  # metres taken for other units
NOT_NUMBERS = (np.nan, np.inf, -np.inf, 3e38)


@dataclass
class Worn:
    """A garment and the body in it, both Meshes. motion: how far the body goes in each frame, m. settings: of a Cloth."""

    cloth: Mesh
    body: Mesh
    motion: tuple = (0.0, 0.0, 0.0)
    settings: dict = field(default_factory=dict)


def faces_of(mesh):
    return [tuple(map(int, face)) for face in mesh.faces]


def some(random, count, share):
    """Numbers below count: about so many of them, at least one."""
    return random.choice(count, min(count, max(1, int(share * count))), replace=False)


def spread(random):
    """A part of a mesh, from a few elements to a third."""
    return 10.0 ** random.uniform(-3, -0.5)


def edge_length(mesh):
    edges, _ = unique_edges(mesh.faces)
    ends = mesh.positions[edges]
    return float(np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1).mean())


def set_faces(mesh, faces):
    """UVs of corners belong to faces: what is cut up has none any more."""
    mesh.faces = faces
    mesh.uvs = mesh.face_uvs = None


# --- where vertices are -------------------------------------------------------------------------


def wrong_unit(worn, random):
    """The garment is in inches, centimetres or kilometres, the body in metres."""
    worn.cloth.positions *= np.float32(random.choice(SCALES))


def both_in_wrong_unit(worn, random):
    """Garment and body are in the same wrong unit."""
    scale = np.float32(random.choice(SCALES))
    worn.cloth.positions *= scale
    worn.body.positions *= scale


def wrong_pattern(worn, random):
    """A texture atlas is taken for the sewing pattern."""
    worn.settings.update(pattern="uv", uv_scale=float(10.0 ** random.uniform(-1.5, 1.5)))


def in_one_place(worn, random):
    """Some vertices, or all, lie in one place."""
    chosen = some(random, len(worn.cloth.positions), random.choice([0.05, 0.5, 1.0]))
    worn.cloth.positions[chosen] = worn.cloth.positions[chosen[0]]


def flattened(worn, random):
    """Exported with one axis lost."""
    worn.cloth.positions[:, random.integers(3)] *= np.float32(random.choice([0.0, 1e-3, 0.1]))


def noisy(worn, random):
    """Every vertex is off by about an edge."""
    size = edge_length(worn.cloth) * 10.0 ** random.uniform(-1, 0.5)
    worn.cloth.positions += random.normal(0, size, worn.cloth.positions.shape).astype(np.float32)


def spikes(worn, random):
    """Single vertices are far away."""
    chosen = some(random, len(worn.cloth.positions), 0.1 * spread(random))
    way = random.normal(0, FAR, (len(chosen), 3))
    worn.cloth.positions[chosen] += way.astype(np.float32)


def shuffled(worn, random):
    """Vertices have each other's places, as where an exporter changed their order."""
    chosen = some(random, len(worn.cloth.positions), spread(random))
    worn.cloth.positions[chosen] = worn.cloth.positions[random.permutation(chosen)]


def slivers(worn, random):
    """Vertices slid along an edge until almost nothing of it is left."""
    edges, _ = unique_edges(worn.cloth.faces)
    left = np.float32(10.0 ** random.uniform(-8, -3))
    for first, second in edges[some(random, len(edges), spread(random))]:
        here = worn.cloth.positions[second]
        worn.cloth.positions[first] = here + left * (worn.cloth.positions[first] - here)


def not_numbers(worn, random):
    """Coordinates that are none."""
    chosen = some(random, len(worn.cloth.positions), 0.1 * spread(random))
    worn.cloth.positions[chosen, random.integers(3)] = random.choice(NOT_NUMBERS)


def far_away(worn, random):
    """All of it is modelled far from the origin, where single precision is coarse."""
    way = (random.normal(0, 1, 3) * 10.0 ** random.uniform(2, 5)).astype(np.float32)
    worn.cloth.positions += way
    worn.body.positions += way


# --- how it lies --------------------------------------------------------------------------------


def beside_body(worn, random):
    """Worn some centimetres beside of where it belongs: half of it is inside."""
    way = random.normal(0, 1, 3) * 10.0 ** random.uniform(-2, -0.5)
    worn.cloth.positions += way.astype(np.float32)


def inside_body(worn, random):
    """Shrunk to its middle, until it is inside of the body."""
    middle = worn.cloth.positions.mean(0)
    worn.cloth.positions[:] = middle + np.float32(random.uniform(0.2, 0.9)) * (
        worn.cloth.positions - middle
    )


def turned(worn, random):
    """Another axis points up."""
    middle = worn.cloth.positions.mean(0)
    order = np.array([[1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2]])[random.integers(4)]
    signs = random.choice([-1.0, 1.0], 3).astype(np.float32)
    worn.cloth.positions[:] = middle + ((worn.cloth.positions - middle) * signs)[:, order]


def through_itself(worn, random):
    """One side is folded over through the other."""
    axis = random.integers(3)
    at = worn.cloth.positions[:, axis]
    middle = np.float32(np.quantile(at, random.uniform(0.3, 0.7)))
    worn.cloth.positions[:, axis] = np.where(at > middle, 2 * middle - at, at)


def wrong_pose(worn, random):
    """The body jumps after the first frame, by up to metres."""
    worn.motion = tuple((random.normal(0, 1, 3) * 10.0 ** random.uniform(-1, 0.7)).tolist())


# --- what hangs together ------------------------------------------------------------------------


def unwelded(worn, random):
    """Faces have corners of their own, as from a format without shared vertices."""
    faces = faces_of(worn.cloth)
    chosen = set(some(random, len(faces), random.choice([0.02, 0.3, 1.0])).tolist())
    positions, cut = list(worn.cloth.positions), []
    for number, face in enumerate(faces):
        if number in chosen:
            new = tuple(range(len(positions), len(positions) + len(face)))
            positions += [worn.cloth.positions[v] for v in face]
            face = new
        cut.append(face)
    worn.cloth.positions = np.array(positions, np.float32)
    set_faces(worn.cloth, cut)


def doubled(worn, random):
    """All of it is given twice, in one place or almost."""
    count = len(worn.cloth.positions)
    off = random.normal(0, random.choice([0.0, 1e-6, 1e-3]), (count, 3)).astype(np.float32)
    faces = faces_of(worn.cloth)
    worn.cloth.positions = np.concatenate([worn.cloth.positions, worn.cloth.positions + off])
    set_faces(worn.cloth, faces + [tuple(v + count for v in face) for face in faces])


def doubled_faces(worn, random):
    """Faces are listed twice, some of these the other way round."""
    faces = faces_of(worn.cloth)
    more = [faces[f][:: random.choice([-1, 1])] for f in some(random, len(faces), spread(random))]
    set_faces(worn.cloth, faces + more)


def flipped(worn, random):
    """Faces run the other way round than their neighbours."""
    faces = faces_of(worn.cloth)
    for f in some(random, len(faces), random.choice([0.01, 0.5])):
        faces[f] = faces[f][::-1]
    set_faces(worn.cloth, faces)


def holes(worn, random):
    """Faces are missing: islands, points that hang by nothing."""
    faces = faces_of(worn.cloth)
    gone = set(some(random, len(faces), random.choice([0.02, 0.3, 0.8])).tolist())
    set_faces(worn.cloth, [face for f, face in enumerate(faces) if f not in gone])


def fins(worn, random):
    """Faces between vertices that have nothing to do with each other: edges of three and more faces."""
    faces = faces_of(worn.cloth)
    for f in some(random, len(faces), 0.1 * spread(random)):
        faces.append((faces[f][0], faces[f][1], int(random.integers(len(worn.cloth.positions)))))
    set_faces(worn.cloth, faces)


def repeated_corners(worn, random):
    """Faces name a vertex twice."""
    faces = faces_of(worn.cloth)
    for f in some(random, len(faces), spread(random)):
        face = list(faces[f])
        face[random.integers(len(face))] = face[random.integers(len(face))]
        faces[f] = tuple(face)
    set_faces(worn.cloth, faces)


def wrong_indices(worn, random):
    """Faces name vertices that are not there."""
    faces = faces_of(worn.cloth)
    for f in some(random, len(faces), 0.1 * spread(random)):
        wrong = int(random.choice([-1, len(worn.cloth.positions), 2**31 - 1]))
        faces[f] = (wrong, *faces[f][1:])
    set_faces(worn.cloth, faces)


def large_faces(worn, random):
    """Faces of many corners, anywhere."""
    faces = faces_of(worn.cloth)
    for f in some(random, len(faces), 0.1 * spread(random)):
        faces[f] = tuple(some(random, len(worn.cloth.positions), 0.02).tolist())
    set_faces(worn.cloth, [face for face in faces if len(face) > 2])


def loose_ends(worn, random):
    """Edges without faces, between any vertices: ropes that nobody meant."""
    count = len(worn.cloth.positions)
    worn.cloth.edges = random.integers(0, count, (max(1, int(0.1 * spread(random) * count)), 2))
    worn.cloth.edges = worn.cloth.edges[worn.cloth.edges[:, 0] != worn.cloth.edges[:, 1]].astype(
        np.int32
    )


# --- the body -----------------------------------------------------------------------------------


def body_inside_out(worn, random):
    """Faces of the body are flipped: all, or some, so that it has no inside."""
    faces = faces_of(worn.body)
    for f in some(random, len(faces), random.choice([0.01, 0.5, 1.0])):
        faces[f] = faces[f][::-1]
    set_faces(worn.body, faces)


def body_torn(worn, random):
    """Faces of the body are missing."""
    faces = faces_of(worn.body)
    gone = set(some(random, len(faces), random.choice([0.01, 0.3])).tolist())
    set_faces(worn.body, [face for f, face in enumerate(faces) if f not in gone])


def body_noisy(worn, random):
    """The body is a hedgehog."""
    size = edge_length(worn.body) * 10.0 ** random.uniform(-1, 0.3)
    worn.body.positions += random.normal(0, size, worn.body.positions.shape).astype(np.float32)


DEFECTS = {
    function.__name__: function
    for function in (
        wrong_unit,
        both_in_wrong_unit,
        wrong_pattern,
        in_one_place,
        flattened,
        noisy,
        spikes,
        shuffled,
        slivers,
        not_numbers,
        far_away,
        beside_body,
        inside_body,
        turned,
        through_itself,
        wrong_pose,
        unwelded,
        doubled,
        doubled_faces,
        flipped,
        holes,
        fins,
        repeated_corners,
        wrong_indices,
        large_faces,
        loose_ends,
        body_inside_out,
        body_torn,
        body_noisy,
    )
}


def copy_of(mesh):
    return Mesh(
        mesh.positions.copy(), mesh.faces, mesh.uvs, mesh.face_uvs, edges=mesh.edges, name=mesh.name
    )


def spoiled(cloth, body, defect, seed):
    """A Worn of copies of the two meshes, with one of DEFECTS; the same for the same seed."""
    worn = Worn(copy_of(cloth), copy_of(body))
    DEFECTS[defect](worn, np.random.default_rng([seed, sorted(DEFECTS).index(defect)]))
    return worn

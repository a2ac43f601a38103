# SPDX-License-Identifier: GPL-3.0-or-later
"""A polygon mesh as the triangles and edges that a judge of intersections looks at.

It cuts polygons by itself, in double precision, and shares nothing with the native library: what
judges a simulation must not repeat its mistakes.
"""

from dataclasses import dataclass

import numpy as np

from .. import arrays


@dataclass(frozen=True)
class Surface:
    """Triangles and edges, in the vertices of the mesh they came from.

    points: n x 3 float64, m. triangles: t x 3 vertices; face_of: the face that each was cut from.
    edges: e x 2 vertices, lower first, ascending, each once: sides and cuts of faces, loose edges.
    """

    points: np.ndarray
    triangles: np.ndarray
    face_of: np.ndarray
    edges: np.ndarray

    @property
    def mean_edge(self):
        """Its length, m."""
        ends = self.points[self.edges]
        return float(np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1).mean())

    def vertex_areas(self):
        """A third of the faces around each vertex, m2."""
        a, b, c = self.points[self.triangles].transpose(1, 0, 2)
        each = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6
        return np.bincount(self.triangles.ravel(), np.repeat(each, 3), len(self.points))

    def faces_with(self, edges):
        """The faces that have one of these edges (vertex pairs) as a side or a cut, ascending."""
        sides = edge_keys(sides_of(self.triangles))
        hit = np.isin(sides, edge_keys(edges)).reshape(-1, 3).any(axis=1)
        return np.unique(self.face_of[hit])


def surface_of(mesh, weld=False):
    """The surface of a Mesh. With `weld`, vertices at exactly one place count as one vertex."""
    return surface(mesh.positions, mesh.face_sizes, mesh.face_vertices, mesh.edges, weld)


def surface_of_faces(positions, faces, edges=(), weld=False):
    """The surface of faces given as an array (t x corners) or as sequences of vertices."""
    sizes = np.array([len(face) for face in faces], dtype=np.int64)
    is_table = isinstance(faces, np.ndarray) and faces.ndim == 2
    corners = faces.ravel() if is_table else [vertex for face in faces for vertex in face]
    return surface(positions, sizes, corners, edges, weld)


def surface(positions, face_sizes, face_vertices, edges=(), weld=False):
    """The surface of flat arrays, as Mesh has them; a MuslinError names what cannot be used."""
    points = arrays.floats("positions", positions, (-1, 3), np.float64)
    wrong = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(wrong):
        arrays.refuse(f"vertex {wrong[0]} has a coordinate that is not a finite number")
    sizes = arrays.indices("face_sizes", face_sizes).astype(np.int64)
    corners = arrays.indices("face_vertices", face_vertices).astype(np.int64)
    loose = arrays.indices("edges", edges, columns=2).astype(np.int64)
    for name, vertices in (("faces", corners), ("edges", loose.ravel())):
        outside = (vertices < 0) | (vertices >= len(points))
        if outside.any():
            arrays.refuse(f"{name}: there is no vertex {vertices[outside][0]}")
    if weld:
        first = first_at_place(points)
        corners, loose = first[corners], first[loose]
    triangles, face_of = cut_faces(points, sizes, corners)
    every = np.concatenate([sides_of(triangles), loose])
    keys = np.unique(edge_keys(every[every[:, 0] != every[:, 1]]))
    unique_edges = np.column_stack([keys >> 32, keys & 0xFFFFFFFF])
    return Surface(points, triangles, face_of, unique_edges)


def first_at_place(points):
    """For each vertex the lowest one at exactly its place, mostly itself."""
    order = np.lexsort(points.T)  # stable: the lowest number comes first
    new = np.ones(len(points), dtype=bool)
    new[1:] = (points[order[1:]] != points[order[:-1]]).any(axis=1)
    first = np.empty(len(points), dtype=np.int64)
    first[order] = order[new][np.cumsum(new) - 1]
    return first


def sides_of(triangles):
    return triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)


def edge_keys(edges):
    """One number for an edge, the same in both directions."""
    return (edges.min(axis=1) << 32) | edges.max(axis=1)


def cut_faces(points, sizes, corners):
    """Triangles of all faces, in the order of the faces, and the face of each."""
    starts = np.cumsum(sizes) - sizes
    triangles, face_of = [np.zeros((0, 3), np.int64)], [np.zeros(0, np.int64)]
    for size in np.unique(sizes[sizes >= 3]):
        chosen = np.flatnonzero(sizes == size)
        polygons = corners[starts[chosen][:, None] + np.arange(size)]
        triangles.append(cut_polygons(points, polygons))
        face_of.append(np.repeat(chosen, size - 2))
    triangles, face_of = np.concatenate(triangles), np.concatenate(face_of)
    order = np.argsort(face_of, kind="stable")
    return triangles[order], face_of[order]


def cut_polygons(points, polygons):
    """Polygons of one size (rows of vertices) as triangles, the ones of a polygon together."""
    size = polygons.shape[1]
    if size == 3:
        return polygons
    places = points[polygons]
    arms = places[:, 1:] - places[:, :1]
    normals = np.cross(arms[:, :-1], arms[:, 1:]).sum(axis=1)
    if size == 4:
        second = quad_takes_second_diagonal(places, normals)
        polygons = np.where(second[:, None], np.roll(polygons, -1, axis=1), polygons)
        return fans(polygons).reshape(-1, 3)
    triangles = fans(polygons)
    for index in np.flatnonzero(~fan_is_inside(places, normals)):
        ears = cut_by_ears(places[index], normals[index])
        triangles[index] = polygons[index][ears]
    return triangles.reshape(-1, 3)


def fans(polygons):
    """Each polygon as a fan around its first corner."""
    return np.stack([polygons[:, [0, k, k + 1]] for k in range(1, polygons.shape[1] - 1)], axis=1)


def fan_is_inside(places, normals):
    """Do all triangles of the fan around the first corner face as the polygon does?"""
    arms = places[:, 1:] - places[:, :1]
    areas = np.einsum("pki,pi->pk", np.cross(arms[:, :-1], arms[:, 1:]), normals)
    return (areas > -1e-9 * np.einsum("pi,pi->p", normals, normals)[:, None]).all(axis=1)


def quad_takes_second_diagonal(places, normals):
    """The diagonal that lies inside; where both do, the shorter one; of equal ones the first."""
    first_inside = fan_is_inside(places, normals)
    second_inside = fan_is_inside(np.roll(places, -1, axis=1), normals)
    first = ((places[:, 2] - places[:, 0]) ** 2).sum(axis=1)
    second = ((places[:, 3] - places[:, 1]) ** 2).sum(axis=1)
    shorter = second < first * (1 - 1e-5)  # the squares of rounded float32 are no better
    return np.where(first_inside == second_inside, shorter, second_inside)


def cut_by_ears(places, normal):
    """One concave polygon as triangles of its corners' numbers, the shortest cut first."""
    axis = int(np.argmax(np.abs(normal)))  # look along it: the polygon seen in two coordinates
    flat = np.delete(places, axis, axis=1)
    if (normal[axis] < 0) != (axis == 1):  # without its middle, a right-handed frame is left-handed
        flat = flat[:, ::-1]
    ring, triangles = list(range(len(places))), []
    while len(ring) > 3:
        at = best_ear(flat, ring)
        triangles.append([ring[at - 1], ring[at], ring[(at + 1) % len(ring)]])
        del ring[at]
    return np.array([*triangles, ring])


def best_ear(flat, ring):
    """Place in the ring of the ear with the shortest cut; 0 where a twisted polygon has none."""
    now, before, after = flat[ring], flat[np.roll(ring, 1)], flat[np.roll(ring, -1)]
    areas = twice_area(before, now, after)
    lengths = ((after - before) ** 2).sum(axis=1)
    for at in np.argsort(lengths, kind="stable"):
        corners = before[at], now[at], after[at]
        others = np.delete(now, [at, at - 1, (at + 1) % len(ring)], axis=0)
        sides = [twice_area(corners[k - 1], corners[k], others) >= 0 for k in range(3)]
        if areas[at] > 0 and not np.all(sides, axis=0).any():
            return int(at)
    return 0


def twice_area(a, b, c):
    first, second = b - a, c - a
    return first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]


def components(count, edges):
    """Per vertex the number of its connected component by these edges, the least vertex there."""
    label = np.arange(count)
    while True:
        one, other = label[edges[:, 0]], label[edges[:, 1]]
        if np.array_equal(one, other):
            return label
        np.minimum.at(label, np.maximum(one, other), np.minimum(one, other))
        while True:  # everyone to the end of his chain
            further = label[label]
            if np.array_equal(further, label):
                break
            label = further

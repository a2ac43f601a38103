# SPDX-License-Identifier: GPL-3.0-or-later
"""Several garments in one cloth: their meshes one after the other, and dressing in their order.

    whole = Cloth(joined([shirt, jacket]))
    for text in dress([alone(shirt), alone(jacket)], [shirt, jacket]):
        print(text)

Contact keeps layers in the order in which they begin, which garments that were modelled one by one do not have: they
pass through each other. So the innermost comes to rest on the body, and the next meets it as a solid with closed
openings.
"""

import numpy as np

from .inspection.surface import edge_keys
from .mesh import Mesh

MOST_STEPS = 24  # damped ones of 1/12 s, for a garment to get outside of those below
# of these steps without a gain: what is left are fans, which nothing has to keep away from
PATIENCE = 4


def joined(meshes):
    """One Mesh of several. It has UV maps where all of them have."""

    def chained(name, starts=None):
        parts = [getattr(mesh, name) for mesh in meshes]
        if starts is not None:
            parts = [part + start for part, start in zip(parts, starts)]
        return np.concatenate(parts)

    starts, uvs = first_vertices(meshes), {}
    if all(mesh.uvs is not None for mesh in meshes):
        firsts = np.cumsum([0] + [len(mesh.uvs) for mesh in meshes])
        uvs = {"uvs": chained("uvs"), "uv_indices": chained("uv_indices", firsts)}
    faces = chained("face_sizes"), chained("face_vertices", starts)
    return Mesh(chained("positions"), *faces, chained("edges", starts), **uvs)


def first_vertices(meshes):
    """Where each mesh begins in the joined one, and at last where that ends."""
    return np.concatenate([[0], np.cumsum([mesh.vertex_count for mesh in meshes])])


def closed(mesh, positions):
    """The Mesh at these positions with a fan of triangles, around its middle, in each of its openings."""
    places = np.asarray(positions, dtype=np.float32)
    middles, fans = [], []
    for ring in openings(mesh):
        middle = np.full(len(ring), len(places) + len(middles))
        middles.append(places[ring].mean(axis=0, dtype=np.float64))
        fans.append(np.column_stack([ring, np.roll(ring, -1), middle]))
    if not fans:
        return Mesh(places, mesh.face_sizes, mesh.face_vertices)
    fans = np.concatenate(fans)
    return Mesh(
        np.concatenate([places, middles]),
        np.concatenate([mesh.face_sizes, np.full(len(fans), 3)]),
        np.concatenate([mesh.face_vertices, fans.ravel()]),
    )


def openings(mesh):
    """Rings of vertices around the openings of a mesh, the way round that faces in them have."""
    sides = mesh.corner_sides()
    _, where, counts = np.unique(edge_keys(sides), return_inverse=True, return_counts=True)
    border = sides[counts[where.reshape(-1)] == 1].tolist()
    # a face in the opening has the side the other way
    after = {end: begin for begin, end in border}
    rings = []
    while after:
        first, vertex = after.popitem()
        ring = [first]
        while vertex != first and vertex in after:
            ring.append(vertex)
            vertex = after.pop(vertex)
        if len(ring) > 2:
            rings.append(np.array(ring))
    return rings


def is_in_order(cloths, meshes):
    """Whether no garment begins inside one below it, or passes through it. As dress() has them."""
    for number, cloth in enumerate(cloths[1:], start=1):
        before = count_faults(cloth)
        bodies = [cloth.add_body(each) for each in solids(cloths[:number], meshes)]
        is_worse = count_faults(cloth) > before
        for body in bodies:
            body.remove()
        if is_worse:
            return False
    return True


def dress(cloths, meshes, thickness=None):
    """Puts garments on one after the other, innermost first; gives a line of text for each step, so that the caller may
    stop.

    cloths: one of each garment alone, with all that it collides with; meshes: theirs. thickness: between garments, m.
    """
    for number, cloth in enumerate(cloths):
        for solid in solids(cloths[:number], meshes):
            cloth.add_body(solid, thickness)
        least, last = count_faults(cloth), PATIENCE
        for step in range(MOST_STEPS):
            if not least or step > last:
                break
            report = cloth.settle()
            yield f"putting on garment {number + 1} of {len(cloths)}: {1e3 * report.mean:.3g} mm/s"
            now = count_faults(cloth)
            if now < least:
                least, last = now, step + PATIENCE
            if report.settled:
                break


def solids(cloths, meshes):
    """Garments as they are now, as bodies for the next one."""
    return [closed(mesh, cloth.positions()) for cloth, mesh in zip(cloths, meshes)]


def count_faults(cloth):
    """How many places of a garment are inside bodies, or pass through them."""
    found = cloth.inspect()
    return found.inside_count + found.body_piercings + found.cloth_piercings

# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives a mesh the positions of a result."""

import numpy as np


def write_shape(mesh, positions):
    """positions: n x 3, in the object's own space."""
    flat = np.ascontiguousarray(positions, dtype=np.float32).ravel()
    stored = mesh.attributes.get("position")
    if stored is not None:
        stored.data.foreach_set("vector", flat)
    else:
        mesh.vertices.foreach_set("co", flat)
    mesh.update()

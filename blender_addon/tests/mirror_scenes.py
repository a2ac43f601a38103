# SPDX-License-Identifier: GPL-3.0-or-later
"""Garments that are their own mirror image, and some that are not, for the tests of mirroring."""

from functools import lru_cache

import bpy
import numpy as np
import scenes
from test_scenes import garments, mannequin
from test_scenes.mirror import mirror_pairs

FLIP = np.float32([-1, 1, 1])


def mesh_object(name, positions, faces):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(np.asarray(positions, float).tolist(), [], np.asarray(faces).tolist())
    mesh.update()
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def roof(name="Roof", columns=9, rows=7, height=0.0):
    """A roof whose ridge is on x = 0, of triangles; to the bit symmetric."""
    half = np.linspace(0, 0.4, columns // 2 + 1, dtype=np.float32)
    x = np.concatenate([-half[:0:-1], half])
    y = np.linspace(-0.3, 0.3, rows, dtype=np.float32)
    places = np.stack([*np.meshgrid(x, y), np.zeros((rows, columns))], axis=-1).reshape(-1, 3)
    places[:, 2] = 0.3 * np.abs(places[:, 0]) + 0.1 * places[:, 1] + height
    corners = np.arange(columns * rows).reshape(rows, columns)
    faces = []
    for row in range(rows - 1):
        for column in range(columns - 1):
            a, b = corners[row, column : column + 2]
            d, c = corners[row + 1, column : column + 2]
            left = column < (columns - 1) / 2
            faces += [(a, b, c), (a, c, d)] if left else [(a, b, d), (b, c, d)]
    return mesh_object(name, places, faces)


def slit_sheet(name="Slit", columns=9, rows=9, gap=0.02):
    """Two sheets, mirror images of each other, with a slit along the plane: an open front."""
    x = np.linspace(0.5 * gap, 0.4, columns, dtype=np.float32)
    z = np.linspace(0, 0.5, rows, dtype=np.float32)
    right = np.stack([*np.meshgrid(x, z), np.zeros((rows, columns))], axis=-1).reshape(-1, 3)
    right = right[:, (0, 2, 1)].astype(np.float32)  # upright, in y = 0
    corners = np.arange(columns * rows).reshape(rows, columns)
    parts = corners[:-1, :-1], corners[:-1, 1:], corners[1:, 1:], corners[1:, :-1]
    a, b, c, d = (part.ravel() for part in parts)
    faces = np.concatenate([np.stack((a, b, c), 1), np.stack((a, c, d), 1)])
    both = np.concatenate([right, right * FLIP])
    return mesh_object(name, both, np.concatenate([faces, faces[:, ::-1] + len(right)]))


def mirrored(obj, folder="", **settings):
    """A garment, active, with Mirror on and these settings of it."""
    scenes.select(obj)
    bpy.ops.muslin.add()
    obj.muslin.mirror.enabled = True
    for name, value in settings.items():
        setattr(obj.muslin.mirror, name, value)
    if folder:
        obj.muslin.cache_folder = folder
    bpy.context.view_layer.update()
    return obj


@lru_cache(maxsize=1)
def suit_meshes():
    return garments.tshirt(0.05), mannequin.figure(0.04)


def suit(folder="", **settings):
    """A shirt on a figure, both symmetric to the bit; garment, body and the shirt's partners."""
    shirt, figure = suit_meshes()
    person = mesh_object("Figure", figure.positions, figure.faces)
    obj = mirrored(mesh_object("Shirt", shirt.positions, shirt.faces), folder, **settings)
    obj.muslin.colliders.add().object = person
    return obj, person, mirror_pairs(shirt)


def is_mirrored(positions, partners):
    """To the bit, in x = 0; a zero's sign does not count."""
    return np.array_equal(positions, positions[partners] * FLIP)


def solved(obj):
    """The panel's line, and whether it is a good one."""
    return scenes.running().solved[obj.muslin.uid]

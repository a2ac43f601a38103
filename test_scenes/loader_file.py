"""Writes a scene with contact into a file that test_loader, a C program, plays without Python.

    python run_module.py test_scenes.loader_file NAME OUT [--frames N] [--spacing M]

SPDX-License-Identifier: GPL-3.0-or-later
"""

import argparse
import struct
import sys

import numpy as np

from .contact import catalogue


def write_scene(path, cloth, bodies, frames):
    """As test_loader reads it: counts, then the cloth's arrays and the body's, four bytes a number."""
    sizes, corners = polygons(cloth.faces)
    body_sizes, body_corners = polygons(bodies[0].faces if bodies else [])
    places = [bodies[0].positions(frame) for frame in range(frames + 1)] if bodies else []
    counts = (len(cloth.positions), len(sizes), len(corners))
    counts += (len(places[0]) if bodies else 0, len(body_sizes), len(body_corners))
    arrays = [np.asarray(cloth.positions, "<f4"), sizes, corners, body_sizes, body_corners]
    arrays += [np.asarray(place, "<f4") for place in places]
    with open(path, "wb") as file:
        file.write(struct.pack("<8i", *counts, frames, int(bool(bodies))))
        for array in arrays:
            file.write(array.tobytes())


def polygons(faces):
    """Corner counts and corners, one after the other."""
    sizes = np.array([len(face) for face in faces], "<i4")
    return sizes, np.array([vertex for face in faces for vertex in face], "<i4")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name")
    parser.add_argument("out")
    parser.add_argument("--frames", type=int, default=3)
    parser.add_argument("--spacing", type=float, default=0.05, help="of the cloth's vertices, m")
    options = parser.parse_args()
    scene = catalogue.make(options.name, spacing=options.spacing)
    write_scene(options.out, scene.cloth, scene.bodies, options.frames)
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-3.0-or-later
"""Garments that people modelled, on a moving body, where the folder with them lies beside the checkout.

Nothing of it belongs to the project. MakeHuman assets, CC0, fitted and animated: OBJ files in metres
and point caches of the body. Such garments start a little inside the body in places.
"""

from pathlib import Path

import numpy as np

from test_scenes.contact.scene import Body, ContactScene
from test_scenes.mesh import boundary_loops
from test_scenes.refine import refined

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data"
CARRIERS = 6  # vertices of the body that a held vertex follows
WAISTED = ("skirt", "trousers")  # held at their upper border


def real_scene(garment="tshirt_sym", motion="body_arms", folder=FOLDER, count=None):
    """The garment on the body moved by a point cache; None where one of the files is absent.

    count  subdivided to about so many vertices; None: as it is
    """
    folder = Path(folder)
    paths = [folder / f"{garment}.obj", folder / "body.obj", folder / f"{motion}.pc2"]
    if not all(path.is_file() for path in paths):
        return None
    # Here and not above: the scenes themselves need NumPy alone.
    import muslin

    from test_scenes.objfile import read_obj

    cloth, skin, cache = read_obj(paths[0], uvs=True), read_obj(paths[1]), muslin.read_pc2(paths[2])
    cloth = cloth if count is None else refined(cloth, count)
    track = np.array(cache.positions)
    pins = _upper_border(cloth) if garment.startswith(WAISTED) else np.zeros(0, np.int32)
    held = cloth.positions[pins]
    carriers = [np.linalg.norm(track[0] - point, axis=1).argsort()[:CARRIERS] for point in held]

    def place_pins(frame):
        moved = _between(track, frame) - track[0]
        return [point + moved[near].mean(0) for point, near in zip(held, carriers)]

    return ContactScene(
        f"{garment} on {motion}",
        f"{garment} on a body, {motion}; MakeHuman assets, CC0, beside the checkout",
        cloth,
        [Body("body", skin.faces, lambda frame: _between(track, frame), moves=True)],
        pins,
        place_pins,
        settings={"friction": 0.3, "self_contact": True},
        frames=len(track) - 1,
    )


def _between(track, frame):
    """Positions at a frame counted from 0, evenly between the stored ones; the last one stays."""
    place = min(max(frame, 0.0), len(track) - 1.0)
    low = min(int(place), len(track) - 2)
    share = np.float32(place - low)
    return track[low] * (1 - share) + track[low + 1] * share


def _upper_border(mesh):
    """The vertices of the highest open border: a waist."""
    loops = boundary_loops(mesh.faces)
    return np.array(max(loops, key=lambda loop: mesh.positions[loop, 2].mean()), np.int32)

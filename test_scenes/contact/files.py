# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene of contact as files for the command line: meshes as OBJ, moving bodies with a point cache."""

from pathlib import Path

from muslin import Pc2Writer

from test_scenes.mesh import Mesh
from test_scenes.objfile import write_obj


def write_scene(folder, name, scene, frames):
    """Writes NAME.obj and for each body NAME_BODY.obj, with NAME_BODY.pc2 if it moves; returns the paths.

    Frame 1 of a cache is where the scene starts.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.obj"]
    write_obj(paths[0], scene.cloth)
    for body in scene.bodies:
        start = body.positions(0)
        paths.append(folder / f"{name}_{body.name.replace(' ', '_')}.obj")
        write_obj(paths[-1], Mesh(start, body.faces, name=body.name))
        if body.moves:
            paths.append(paths[-1].with_suffix(".pc2"))
            with Pc2Writer(paths[-1], len(start)) as cache:
                for frame in range(frames):
                    cache.write(body.positions(frame))
    return paths

# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own two solvers in a scene of ours: from the same arrays, with the same distances."""

import os
from pathlib import Path

import numpy as np
from blender_cases.session import Session, is_prepared
from common.report import note
from muslin import Pc2Writer
from test_scenes.contact.play import mesh_of
from test_scenes.mesh import Mesh

VERSION = "5.2"  # the first with both solvers
METHODS = {"modifier": "the Cloth modifier", "nodes": "the Cloth Dynamics nodes"}


class OwnSolvers:
    """A Blender without add-on, opened when it is first asked for; says once that it is not there.

    name  of the folder for what it reads and writes
    """

    def __init__(self, name):
        self.name = name
        self.session = None
        self.there = None

    def is_there(self):
        if self.there is None:
            self.there = is_prepared(VERSION)
            if self.there:
                folder = Path(os.environ["MUSLIN_BENCH_PROGRAMS"]).resolve() / self.name
                self.session = Session(VERSION, folder)
                self.session.make_folder()
            else:
                note(
                    f"Skipped: {' and '.join(METHODS.values())}; Blender {VERSION} is not there, "
                    f"tools/blenders prepare {VERSION} fetches it."
                )
        return self.there

    def run(self, scene, method, frames, self_collision, effort=None):
        """(track, milliseconds of each frame, Blender's version); its first frame is where the cloth starts.

        effort  quality steps of the modifier, substeps of the nodes; None: as Blender has them
        """
        told = _written(scene, self.session.folder, frames)
        told |= {"distance": scene.thickness(), "friction": scene.settings.get("friction", 0.0)}
        told |= {"frames": frames, "effort": effort, "pins": [int(pin) for pin in scene.pins]}
        answer = self.session.run(
            "worn", factory=True, method=method, self_collision=self_collision, **told
        )
        return np.load(answer["track"]), answer["frames"], answer["version"]


def _written(scene, folder, frames):
    """The files that the case inside reads; of bodies the first, if there is one."""
    paths = {"garment": _mesh_file(folder / "garment.npz", scene.cloth)}
    if not scene.bodies:
        return {**paths, "body": None, "motion": None}
    body = scene.bodies[0]
    paths["body"] = _mesh_file(folder / "body.npz", Mesh(body.positions(0), body.faces))
    paths["motion"] = str(folder / "motion.pc2")
    with Pc2Writer(paths["motion"], len(body.positions(0))) as writer:
        for frame in range(frames):
            writer.write(body.positions(frame))
    return paths


def _mesh_file(path, mesh):
    flat = mesh_of(mesh)
    np.savez(path, positions=flat.positions, sizes=flat.face_sizes, corners=flat.face_vertices)
    return str(path)

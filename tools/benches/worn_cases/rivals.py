# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own two solvers on the same garment and body, with the same distances: rows like ours."""

import os
from pathlib import Path
from statistics import median

import numpy as np
from blender_cases.session import Session, is_prepared
from common.report import note
from muslin import Pc2Writer
from test_scenes.contact.play import mesh_of
from test_scenes.mesh import Mesh
from worn_cases.quality import quality_of
from worn_cases.rows import SKIPPED, record_of

VERSION = "5.2"  # the first with both solvers
METHODS = {"modifier": "the Cloth modifier", "nodes": "the Cloth Dynamics nodes"}


class Rivals:
    """Runs each rival once on a case of ours and hands its record to `add`; says once that Blender is not there."""

    def __init__(self, add):
        self.add = add
        self.records = {}
        self.session = None
        self.there = None

    def run(self, case, method):
        """The record of "modifier" or "nodes" in the scene of a case; None where a file or Blender is absent."""
        layered = case.self_contact and method == "modifier"
        key = (case.garment, case.count, case.motion, case.frames, layered, method)
        if key not in self.records:
            known = case.scene() is not None and self._is_there()
            self.records[key] = self._measure(case, method, layered) if known else None
            self.add(self.records[key])
        return self.records[key]

    def _is_there(self):
        if self.there is None:
            self.there = is_prepared(VERSION)
            if self.there:
                folder = Path(os.environ["MUSLIN_BENCH_PROGRAMS"]).resolve() / "worn"
                self.session = Session(VERSION, folder)
                self.session.make_folder()
            else:
                note(
                    f"Skipped: {' and '.join(METHODS.values())}; Blender {VERSION} is not there, "
                    f"tools/blenders prepare {VERSION} fetches it."
                )
        return self.there

    def _measure(self, case, method, layered):
        scene = case.scene()
        frames = case.frames + 1  # its first frame is where the garment starts
        told = {**_written(scene, self.session.folder, frames), "frames": frames}
        told |= {"distance": scene.thickness(), "friction": scene.settings["friction"]}
        answer = self.session.run(
            "worn", factory=True, method=method, self_collision=layered, **told
        )
        track = np.load(answer["track"])
        quality = {}
        if np.isfinite(track).all():
            quality = quality_of(scene, track, layered)
        return record_of(
            garment=case.garment,
            vertices=track.shape[1],
            motion=case.motion,
            self_contact=layered,
            method=method,
            blender=answer["version"],
            frames=case.frames,
            ms=median(answer["frames"][1 + SKIPPED :]),
            **quality,
        )


def _written(scene, folder, frames):
    """The files that the case inside reads."""
    body = scene.bodies[0]
    paths = {name: str(folder / f"{name}.npz") for name in ("garment", "body")}
    for path, mesh in zip(paths.values(), (scene.cloth, Mesh(body.positions(0), body.faces))):
        flat = mesh_of(mesh)
        np.savez(path, positions=flat.positions, sizes=flat.face_sizes, corners=flat.face_vertices)
    motion = str(folder / "motion.pc2")
    with Pc2Writer(motion, len(body.positions(0))) as writer:
        for frame in range(frames):
            writer.write(body.positions(frame))
    return {**paths, "motion": motion}

# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene of contact under simulation: its cloth, bodies and pins, frame after frame.

For tests and benches; the scenes themselves need NumPy alone, this needs the library.
"""

import time

import numpy as np

from muslin import Cloth, Mesh
from test_scenes.contact.scene import FRAMES_PER_SECOND
from test_scenes.fabric import REFERENCE

FRAME_SECONDS = 1 / FRAMES_PER_SECOND


def mesh_of(mesh, uvs=False):
    """A library's mesh of one of test_scenes: faces and ropes, and UVs of corners where they are asked for."""
    edges = () if mesh.edges is None else mesh.edges
    more = {}
    if uvs and mesh.face_uvs is not None:
        more = {"uvs": mesh.uvs, "uv_indices": np.concatenate([list(f) for f in mesh.face_uvs])}
    faces = mesh.faces
    if isinstance(faces, np.ndarray) and faces.ndim == 2:
        sizes = np.full(len(faces), faces.shape[1], np.int32)
        return Mesh(mesh.positions, sizes, faces.ravel(), edges, **more)
    return Mesh.from_faces(mesh.positions, faces, edges, **more)


class Play:
    """One run of a scene. Settings are those of a Cloth, on top of the fabric and one thread.

    self_contact  None: as the scene says
    meets         False leaves the bodies out: for tests that want to see a check fail
    quads         True gives bodies their own faces, which the library cuts alike on both sides of a
                  mirror plane; False cuts them here, as fans
    uvs           True hands the cloth's UV map over, if it has one: it tells warp and weft
    fabric        its settings; an empty one is the library's default
    kept          True: `track` keeps the positions of every frame, the start first
    history       the Stats of every frame
    seconds       of every frame's step; `frame_seconds`, with handing bodies and positions over
    """

    def __init__(
        self,
        scene,
        name="",
        self_contact=None,
        meets=True,
        quads=False,
        kept=True,
        uvs=False,
        fabric=REFERENCE,
        **settings,
    ):
        self.scene, self.name = scene, name
        self.frame, self.kept = 0, kept
        self.seconds, self.frame_seconds, self.history = [], [], []
        self.cloth = Cloth(mesh_of(scene.cloth, uvs), **{**fabric, "threads": 1, **settings})
        self.track = [scene.cloth.positions.copy()]
        if len(scene.pins):
            self.cloth.set_pins(scene.pins)
        surface = {"thickness": scene.thickness(), "friction": scene.settings.get("friction")}
        self.bodies = [
            self.cloth.add_body(
                (body.positions(0), body.faces if quads else body.triangles()), **surface
            )
            for body in (scene.bodies if meets else ())
        ]
        layered = scene.settings.get("self_contact", False)
        if layered if self_contact is None else self_contact:
            self.cloth.set_self_contact(True, **surface)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.cloth.close()

    def step(self):
        """One frame: bodies and pins go to where the scene has them at its end."""
        self.frame += 1
        moved = [
            (body, shape.positions(self.frame))
            for body, shape in zip(self.bodies, self.scene.bodies)
            if shape.moves
        ]
        held = self.scene.pin_positions(self.frame)
        before = time.perf_counter()
        for body, positions in moved:
            body.move(positions)
        if len(held):
            self.cloth.move_pins(held)
        begin = time.perf_counter()
        self.cloth.step(FRAME_SECONDS)
        self.seconds.append(time.perf_counter() - begin)
        here = self.cloth.positions()
        self.frame_seconds.append(time.perf_counter() - before)
        self.history.append(self.cloth.stats())
        self.track = [*self.track, here] if self.kept else [here]
        return here

    def run(self, frames=None):
        """All frames of the scene, or so many; the play itself, for chaining."""
        for _ in range(self.scene.frames if frames is None else frames):
            self.step()
        return self

    def positions(self):
        return self.track[-1]

    def velocities(self):
        """As the library has them, m/s."""
        return self.cloth.state()[1]

    def mean_speed(self):
        """Mean over the vertices, m/s."""
        return float(np.linalg.norm(self.velocities().astype(float), axis=1).mean())

    def largest_speed(self):
        return float(np.linalg.norm(self.velocities().astype(float), axis=1).max())


def rms(one, other):
    """RMS distance of the vertices of two states, m."""
    apart = one.astype(float) - other
    return float(np.sqrt((apart**2).sum(1).mean()))


def size_of(scene):
    """The cloth's largest extent at the start, m."""
    return float(np.ptp(scene.cloth.positions, axis=0).max())


def distances(scene, track, reference):
    """RMS distances of all frames but the start's, over the size of the scene's cloth."""
    return [rms(a, b) / size_of(scene) for a, b in zip(track[1:], reference[1:])]

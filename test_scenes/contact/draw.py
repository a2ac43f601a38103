# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of scenes of contact: the cloth red, the bodies grey."""

import numpy as np

from test_scenes.image import contact_sheet, write_text
from test_scenes.render import SKIN, Part, frame_camera, render


def draw(scene, frames=(0,), track=None, size=(420, 480), azimuth=30, elevation=14, wire=False):
    """One view a frame, side by side, through one camera, as uint8 (height, width, 3).

    `track` holds the cloth's positions (n, 3) at each of the frames; without it the cloth is drawn
    as it starts, its pins carried along.
    """
    poses = [_start(scene, frame) for frame in frames] if track is None else track
    steps = []
    for frame, pose in zip(frames, poses):
        parts = [_faceted(each.positions(frame), each.faces, wire) for each in scene.bodies]
        cloth = scene.cloth
        steps.append(parts + [Part(np.asarray(pose), cloth.faces, edges=cloth.edges, wire=wire)])
    seen = np.concatenate([part.positions for parts in steps for part in parts])
    camera = frame_camera(seen, *size, azimuth, elevation)
    ground = float(seen[:, 2].min()) - 1e-3
    views = []
    for frame, parts in zip(frames, steps):
        views.append(render(parts, camera, *size, ground))
        write_text(views[-1], f"frame {frame:g}", 14, size[1] - 26)
    return contact_sheet(views, min(len(views), 4))


def _start(scene, frame):
    pose = scene.cloth.positions.copy()
    pose[scene.pins] = scene.pin_positions(frame)
    return pose


def _faceted(points, faces, wire):
    """A body whose sharp vertices belong to each face on their own: shading would round them off."""
    sides = [points[faces[:, k]] - points[faces[:, 0]] for k in (1, 2)]
    normals = np.cross(*sides)
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-30)[:, None]
    mean = np.zeros((len(points), 3))
    np.add.at(mean, faces, normals[:, None])
    mean /= np.maximum(np.linalg.norm(mean, axis=1), 1e-30)[:, None]
    sharp = (mean[faces] * normals[:, None]).sum(2) < 0.83
    apart = np.isin(faces, faces[sharp])
    numbers = faces.copy()
    numbers[apart] = len(points) + np.arange(apart.sum())
    return Part(np.concatenate([points, points[faces[apart]]]), numbers, SKIN, wire=wire)

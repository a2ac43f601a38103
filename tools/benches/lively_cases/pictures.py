# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures side by side: the paper's step, ours, the converged one."""

import os

import numpy as np
from common.report import note
from test_scenes.image import contact_sheet, write_png, write_text
from test_scenes.render import Part, frame_camera, render

WIDTH, HEIGHT = 420, 460


def folder():
    """build/bench of the library in use."""
    path = os.environ["MUSLIN_BENCH_PROGRAMS"]
    os.makedirs(path, exist_ok=True)
    return path


def draw(scene, runs, frame, name):
    """Writes lively_NAME.png, one view a run, all through one camera."""
    poses = [run.track[frame - 1].astype(float) for run in runs]
    everything = np.concatenate(poses)
    camera = frame_camera(everything, WIDTH, HEIGHT, 30, 12)
    ground = float(everything[:, 2].min())
    views = [
        render([Part(pose, scene.mesh.faces)], camera, WIDTH, HEIGHT, ground) for pose in poses
    ]
    write_text(views[0], f"frame {frame}", 14, HEIGHT - 26)
    path = os.path.join(folder(), f"lively_{name}.png")
    write_png(path, contact_sheet(views, len(views)))
    note(f"{path}: {', '.join(run.name for run in runs)}, from left to right")

# SPDX-License-Identifier: GPL-3.0-or-later
"""A cloth on an incline: it slides as Coulomb says, or it stays."""

import numpy as np
from common.report import heading, note
from test_scenes.contact.catalogue import make
from test_scenes.contact.play import FRAME_SECONDS, Play

DEGREES = 20.0
SLIDING, STICKING = 0.3, 0.5
FITTED = (12, 40)  # frames between which the speed is fitted by a line
FRAMES = 60
GRAVITY = 9.81
NO_DRAG = {"air_drag": 0, "damping": 0, "stiffness_damping": 0, "normal_drag": 0, "tangent_drag": 0}
METHODS = {
    "draft": {"quality": "draft"},
    "fit": {"quality": "fit"},
    "final": {"quality": "final"},
    "fit, BDF2": {"quality": "fit", "integrator": "bdf2"},
    "implicit, 1 Newton step": {"solver": "implicit", "iterations": 1},
}


def measure(results, quick):
    heading(f"A cloth on a ramp of {DEGREES:g} degrees, all drag and damping off")
    theory = sliding_acceleration(DEGREES, SLIDING)
    note(
        f"At friction {SLIDING:g} theory says {theory:.4f} m/s2; fitted to the mean speed of frames "
        f"{FITTED[0]} to {FITTED[1]}. At {STICKING:g} it stays: the mean way in {FRAMES} frames."
    )
    names = ("fit", "implicit, 1 Newton step") if quick else METHODS
    for name in names:
        ratio = slide(METHODS[name]) / theory
        way = stick(METHODS[name])
        results.row("incline", method=name, acceleration_ratio=ratio, stuck_way=way)
        if name == "fit":
            results.number("incline_ratio", ratio)
            results.number("incline_stick_mm", 1000 * way)
    results.show("incline", "method acceleration_ratio stuck_way")


def sliding_acceleration(degrees, friction):
    angle = np.radians(degrees)
    return GRAVITY * (np.sin(angle) - friction * np.cos(angle))


def slide(settings):
    """Acceleration down the ramp, m/s2."""
    angle = np.radians(DEGREES)
    down = np.array([-np.cos(angle), 0, -np.sin(angle)])
    speeds = []
    with Play(make("incline", degrees=DEGREES, friction=SLIDING), **NO_DRAG, **settings) as play:
        for _ in range(FITTED[1]):
            play.step()
            speeds.append(float((play.velocities().astype(float) @ down).mean()))
    frames = np.arange(FITTED[0], FITTED[1] + 1)
    return np.polyfit(frames * FRAME_SECONDS, np.array(speeds)[frames - 1], 1)[0]


def stick(settings):
    """Mean way of the vertices along the ramp, m."""
    angle = np.radians(DEGREES)
    down = np.array([-np.cos(angle), 0, -np.sin(angle)])
    with Play(make("incline", degrees=DEGREES, friction=STICKING), **NO_DRAG, **settings) as play:
        play.run(FRAMES)
        return float(abs(((play.positions() - play.track[0]).astype(float) @ down).mean()))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets held in five ways and a shirt, the ways to step them, and the runs that are compared."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from statistics import mean

import numpy as np
from common.measure import Run, cloth_of, run_interleaved
from test_scenes.garments import tshirt
from test_scenes.sheets import grid

FRAME_SECONDS = 1 / 24
SUBSTEPS = 2
FRAMES = 20
LOOKED_AT = (5, 10, 20)
SOFT, STIFF = 1e-4, 1e-2
# Twenty Newton steps solved to a tenth: as good as fifty to 1e-4, in a tenth of the time.
NEWTON = {"solver": "implicit", "iterations": 20, "pcg_tolerance": 0.1, "pcg_limit": 500}
# Stiff cloth needs three times as many to settle.
STRICT = {"solver": "implicit", "iterations": 60, "pcg_tolerance": 0.03, "pcg_limit": 2000}
STIFF_FROM = 1e5  # N/m
# For the largest sheet, where Newton would take minutes.
MANY_ROUNDS = {"scheme": "two_level", "iterations": 24}
PAPER = "plain, 1 round"
METHODS = {
    PAPER: {"scheme": "plain", "iterations": 1},
    **{
        f"two-level, {rounds} round{'s' if rounds > 1 else ''}": {
            "scheme": "two_level",
            "iterations": rounds,
        }
        for rounds in (1, 2, 3, 4)
    },
    "draft": {"quality": "draft"},
    "fit": {"quality": "fit"},
    "final": {"quality": "final"},
    "Anderson, 8 rounds": {"scheme": "anderson", "iterations": 8},
    "Anderson, 16 rounds": {"scheme": "anderson", "iterations": 16},
}
TWO_ROUNDS = "two-level, 2 rounds"
HOLDS = ("two pins", "one pin", "edge", "shaken pins", "closing pins")


@dataclass(frozen=True)
class Sizes:
    """Vertices along the side of the three sheets, and the shirt's edge length, m."""

    small: int
    middle: int
    large: int
    shirt: float


FULL_SIZES = Sizes(35, 74, 141, 0.02)
QUICK_SIZES = Sizes(20, 25, 35, 0.04)


@dataclass
class Scene:
    """A mesh of test_scenes, its fabric, and where its pins are at a time."""

    name: str
    mesh: object
    pins: np.ndarray
    targets: object
    fabric: dict

    @property
    def size(self):
        return float(np.ptp(self.mesh.positions, axis=0).max())

    def play(self, name, **settings):
        cloth = cloth_of(self.mesh, self.pins, **{**self.fabric, **settings})
        return Play(name, cloth, targets=self.targets)

    def follow(self, name, frames, settings):
        """A run on its own; safe to call from several threads at once."""
        play = self.play(name, **settings)
        run_interleaved([play], FRAME_SECONDS, 0, frames, 0)
        return play


@dataclass
class Play(Run):
    """A run whose pins move, and that keeps every frame."""

    targets: object = None
    track: list = field(default_factory=list)
    history: list = field(default_factory=list)

    def step(self, length, timed):
        self.cloth.move_pins(self.targets((len(self.track) + 1) * length))
        super().step(length, timed)
        self.track.append(self.cloth.positions())
        self.history.append(self.stats)

    def height_at(self, frame):
        """Mean height, m; the sheets start at zero."""
        return float(self.track[frame - 1][:, 2].mean(dtype=np.float64))

    def distance(self, other, frame):
        """RMS distance of the vertices of two runs, m."""
        apart = self.track[frame - 1].astype(float) - other.track[frame - 1]
        return float(np.sqrt((apart**2).sum(1).mean()))

    def per_frame(self, count):
        return mean(getattr(stats, count) for stats in self.history)

    @property
    def largest_residual(self):
        """The worst force imbalance that a frame ended with: tells whether a reference converged."""
        return max(stats.residual for stats in self.history)

    @property
    def rounds(self):
        return self.cloth.report().rounds

    @property
    def energies(self):
        return np.array(
            [s.kinetic_energy + s.elastic_energy + s.gravity_energy for s in self.history]
        )


def fabric_of(stiffness, bend):
    return {
        "density": 0.3,
        "stretch_warp": 1.15 * stiffness,
        "stretch_weft": 1.15 * stiffness,
        "shear": 0.15 * stiffness,
        "bend": bend,
        "air_drag": 0,
        "damping": 0,
        "stiffness_damping": 0,
        "normal_drag": 0,
        "tangent_drag": 0,
        "substeps": SUBSTEPS,
    }


def sheet(side, hold, stiffness=1e4, bend=SOFT):
    """A horizontal sheet of 1 m, let go at rest."""
    mesh = grid(side, side, 1.0)
    corners = np.array([side * (side - 1), side * side - 1], np.int32)
    pins = {"one pin": corners[:1], "edge": np.arange(corners[0], side * side)}.get(hold, corners)
    start = mesh.positions[pins].astype(float)

    def targets(seconds):
        moved = start.copy()
        if hold == "shaken pins":
            moved[:, 1] += 0.15 * np.sin(4 * np.pi * seconds) * min(1, seconds / 0.25)
        elif hold == "closing pins":
            moved[:, 0] += np.array([0.3, -0.3]) * min(1, seconds)
        return moved

    return Scene(hold, mesh, pins, targets, fabric_of(stiffness, bend))


def shirt(spacing, bend):
    """A shirt, its sleeves and body tubes, hung from shoulders that swing in two directions."""
    mesh = tshirt(spacing)
    height = mesh.positions[:, 2].astype(float)
    pins = np.flatnonzero(height > height.max() - 0.06 * np.ptp(height)).astype(np.int32)
    start = mesh.positions[pins].astype(float)

    def targets(seconds):
        grown = min(1, seconds / 0.25)
        moved = start.copy()
        moved[:, 0] += 0.05 * np.sin(3 * np.pi * seconds) * grown
        moved[:, 1] += 0.10 * np.sin(2 * np.pi * seconds) * grown
        return moved

    return Scene("shirt", mesh, pins, targets, fabric_of(1e4, bend))


def follow_all(jobs):
    """Runs of (scene, name, frames, settings), as many at a time as there are cores: not for times."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = [pool.submit(scene.follow, *rest) for scene, *rest in jobs]
        return [run.result() for run in waiting]


def response(play, converged, frame):
    return play.height_at(frame) / converged.height_at(frame)


def closeness(ratio):
    """A response of which too much motion is as wrong as too little."""
    return min(ratio, 2 - ratio)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The same garment solved whole and by half, a frame of each in turn, and what is asked of the two."""

from statistics import median

import numpy as np
from test_scenes.contact.mirrored import MIRROR
from test_scenes.contact.play import Play, size_of
from test_scenes.mirror import mirror_pairs

# What a garment is solved with: a name, the settings, what is added to a key.
PLAIN = ("linear", {"scheme": "plain", "iterations": 4}, "")
IMPLICIT = ("implicit", {"solver": "implicit", "iterations": 1, "pcg_tolerance": 0.01}, "_implicit")
DRAFT = ("draft", {"quality": "draft"}, "_draft")
FIT = ("fit", {"quality": "fit"}, "_fit")
SKIPPED = 2  # frames that are not timed: the first factors, and the caches are cold


class Pair:
    """A whole and a half run of a scene; `distances` and `uneven` have one number a frame.

    moved      the largest way of a vertex of the half run from where it started, over the size
    distances  the largest distance of a vertex of the half run from the whole one, over the size
    uneven     how far the whole run is from its own mirror image, likewise
    asymmetry  the same of the half run over all frames, m
    """

    def __init__(self, scene, settings, **mirrored):
        self.scene, self.size = scene, size_of(scene)
        common = {"quads": True, "kept": False, **settings}
        self.whole = Play(scene, "whole", **common)
        self.half = Play(scene, "half", **{"mirror": "exact", **mirrored}, **common)
        self.partner = mirror_pairs(scene.cloth)
        self.distances, self.uneven, self.asymmetry = [], [], 0.0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.whole.cloth.close()
        self.half.cloth.close()

    def run(self, frames):
        for _ in range(frames):
            whole, half = self.whole.step(), self.half.step()
            self.distances.append(largest(whole, half) / self.size)
            self.uneven.append(largest(whole, whole[self.partner] * MIRROR) / self.size)
            self.asymmetry = max(self.asymmetry, asymmetry_of(half, self.partner))
        self.moved = largest(half, self.scene.cloth.positions) / self.size
        return self

    def middle(self, seconds):
        """Median over the timed frames of seconds(play), of the whole and of the half."""
        return [median(seconds(play)[SKIPPED:]) for play in (self.whole, self.half)]

    def strain(self):
        """The largest of any frame, of the whole and of the half."""
        return [max(s.largest_strain for s in play.history) for play in (self.whole, self.half)]


def asymmetry_of(positions, partner):
    """Largest |x - image of the partner|, m; 0 where both are the same bits but for the sign of 0."""
    return largest(positions, positions[partner] * MIRROR)


def largest(one, other):
    """The largest distance of two vertices of the same number, m."""
    return float(np.sqrt(((one.astype(float) - other) ** 2).sum(1)).max())


def solver_seconds(play):
    return [s.total_seconds - s.detection_seconds - s.response_seconds for s in play.history]


def step_seconds(play):
    return [s.total_seconds for s in play.history]


def frame_seconds(play):
    return play.frame_seconds

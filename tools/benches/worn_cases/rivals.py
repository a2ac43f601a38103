# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own two solvers on the same garment and body, with the same distances: rows like ours."""

from statistics import median

import numpy as np
from blender_cases.own import OwnSolvers
from test_scenes.contact.quality import quality_of
from worn_cases.rows import SKIPPED, record_of


class Rivals:
    """Runs each rival once on a case of ours and hands its record to `add`."""

    def __init__(self, add):
        self.add = add
        self.records = {}
        self.solvers = OwnSolvers("worn")

    def run(self, case, method):
        """The record of "modifier" or "nodes" in the scene of a case; None where a file or Blender is absent."""
        layered = case.self_contact and method == "modifier"
        key = (case.garment, case.count, case.motion, case.frames, layered, method)
        if key not in self.records:
            known = case.scene() is not None and self.solvers.is_there()
            self.records[key] = self._measure(case, method, layered) if known else None
            self.add(self.records[key])
        return self.records[key]

    def _measure(self, case, method, layered):
        scene = case.scene()
        track, milliseconds, version = self.solvers.run(scene, method, case.frames + 1, layered)
        quality = {}
        if np.isfinite(track).all():
            quality = quality_of(scene, track, layered)
        return record_of(
            garment=case.garment,
            vertices=track.shape[1],
            motion=case.motion,
            self_contact=layered,
            method=method,
            blender=version,
            frames=case.frames,
            ms=median(milliseconds[1 + SKIPPED :]),
            **quality,
        )

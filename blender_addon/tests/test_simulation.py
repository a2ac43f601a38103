# SPDX-License-Identifier: GPL-3.0-or-later
"""One garment under simulation: a step that is stopped, and when a new matrix is needed."""

import threading
import unittest

import bpy
import numpy as np

import scenes
from support import addon


class InterruptTest(unittest.TestCase):
    """One step, stopped or not, and the one after it."""

    def setUp(self):
        scene, obj = scenes.empty_scene(), scenes.garment()
        depsgraph = bpy.context.evaluated_depsgraph_get()
        kind = addon("run.simulation").Simulation
        self.simulation, self.other = (kind(obj, scene, depsgraph) for _ in range(2))
        self.addCleanup(self.simulation.close)
        self.addCleanup(self.other.close)

    def after_a_step(self, simulation):
        simulation.start()
        self.assertTrue(simulation.collect())
        return simulation.positions_world().tobytes()

    def test_stopped_before_it_starts(self):
        """The worker gets to the step only when it has been asked to stop."""
        gate = threading.Event()
        before, step = self.simulation.positions_world().tobytes(), self.simulation.step

        def late():
            gate.wait()
            step()

        self.simulation.step = late
        self.simulation.start()
        cancel = self.simulation.cloth.cancel
        self.simulation.cloth.cancel = lambda: (cancel(), gate.set())
        self.simulation.interrupt()
        self.assertFalse(self.simulation.collect())
        self.assertEqual(self.simulation.positions_world().tobytes(), before)
        self.assertEqual(self.after_a_step(self.simulation), self.after_a_step(self.other))

    def test_asked_too_late(self):
        """The step was over when it was asked to stop: the next one runs all the same."""
        self.after_a_step(self.simulation)
        self.simulation.cloth.cancel()
        self.after_a_step(self.other)
        self.assertEqual(self.after_a_step(self.simulation), self.after_a_step(self.other))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""For scripts: one garment, simulated frame by frame: start(), Run.step(), Run.stop(). Example: docs/guide/scripting.md.

What is refused is raised as a scene.problems.Problem, whose text says what is wrong.
"""

import bpy

from .preview import preview, preview_view
from .scene.lookup import ensure_uid, scene_named
from .scene.problems import Problem, refuse_linked
from .simulation.members import existing
from .simulation.simulation import Simulation, depsgraph_of


def start(obj, scene=None):
    """A Run of a garment from the frame that the scene is at; the garment begins as it is there."""
    return Run(obj, bpy.context.scene if scene is None else scene)


class Run:
    """frame: that it has reached. What is simulated is shown in the views until stop()."""

    def __init__(self, obj, scene):
        if not obj.muslin.enabled:
            raise Problem(f"{obj.name} is not a garment: use Make It Cloth first")
        refuse_linked(obj)
        preview.discard(ensure_uid(obj))
        self._scene_name = scene.name
        self._simulation = Simulation(obj, scene, depsgraph_of(scene, obj), alone=True)
        self.frame = self._simulation.frame

    def step(self, frame=None):
        """Go to a frame, by default the next one, and simulate the time of one frame on the way there.
        Gives the vertices in the object's own space, n x 3 float32."""
        if self._simulation is None:
            raise Problem("This run was stopped")
        scene = scene_named(self._scene_name)
        scene.frame_set(self.frame + 1 if frame is None else frame)
        obj = existing(self._simulation.uid, self._simulation.name)
        self._simulation.feed(obj, scene, depsgraph_of(scene, obj))
        self._simulation.start()
        self._simulation.collect()
        self.frame = self._simulation.frame
        positions = self._simulation.shapes()[self._simulation.uid]
        preview_view.show(obj, positions, self._simulation.fit_maps, self._simulation.rate)
        return positions

    def stop(self):
        """End it and give all memory back; the garment is as it was. A second time does nothing."""
        simulation, self._simulation = self._simulation, None
        if simulation is not None:
            simulation.close()
            preview_view.hide_everywhere(simulation.uid)

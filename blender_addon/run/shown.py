# SPDX-License-Identifier: GPL-3.0-or-later
"""What the view has of a preview: the shapes of its garments, their fit maps and how they move."""

from ..output import preview as view
from ..scene import garment, place


class Shown:
    """The part of a Preview that shows. shapes: uid -> its shape in the view, in the object's space; this is what is kept."""

    def __init__(self):
        self.shapes = {}

    @property
    def shown(self):
        """What the view has of the garment, of several of the innermost; None: as it is in the scene."""
        return self.shapes.get(self.uid)

    def show(self, depsgraph, is_still=False):
        """Relative to where the objects stand now, which may have moved since the step began.

        is_still: this is no frame after the shape before it; it does not move, and the next one comes from here.
        """
        objects = [member.find() for member in self._simulation.members]
        matrices = [place.as_matrix(each.evaluated_get(depsgraph).matrix_world) for each in objects]
        for obj, matrix in zip(objects, matrices):
            garment.refuse_matrix(obj, matrix)  # it may have been flattened during the step
        self.shapes = self._simulation.shapes(matrices)
        if is_still:
            view.begin(self.shapes)
        self._show_shapes(None if self.is_refined else self._simulation.rate)

    def _show_shapes(self, rate):
        """rate: frames a second, None where they are of the frame that is shown."""
        for member in self._simulation.members:
            obj, shape = member.find(), self.shapes.get(member.uid)
            if shape is not None:  # else it has joined the others, and was not simulated yet
                view.show(obj, shape, self._simulation.fit_maps_of(member, obj), rate)

    def _hide(self):
        for member in self._simulation.members:
            view.hide(member.find())

    def tell_fit(self):
        """The fit map was switched on or off; while a step is under way, the next one sees it."""
        if self.shown is not None and self._simulation.ready():
            self._simulation.tell_fit()
            self._show_shapes(None)

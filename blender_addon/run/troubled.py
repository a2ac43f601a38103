# SPDX-License-Identifier: GPL-3.0-or-later
"""What went wrong in the steps of one simulation, for the panel and for the report after a bake."""

from ..muslin.troubles import Troubles


class Troubled:
    """Counts frames; of what drapes, and stays at its frame, steps."""

    def __init__(self, is_draping):
        self._is_draping = is_draping
        self.clear()

    def clear(self):
        """The cloth begins again; no step is under way."""
        self._steps = 0
        self._seen = Troubles("step" if self._is_draping else "frame")

    def look(self, frame, levels):
        """After a step to this frame, which left this LevelReport."""
        self._steps += 1
        self._seen.add(self._steps if self._is_draping else frame, levels)

    def told(self):
        """muslin.troubles.Trouble of each kind."""
        return self._seen.told()

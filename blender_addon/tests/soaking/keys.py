# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets a key's operator do a life's work: its context is the 3D view's own, as under an artist's button.

From a timer every operator would need an overridden context, beside which Blender 3.4 may crash while a thread runs
Python (docs/notes/blenders.md).
"""

import math
from contextlib import contextmanager

import bpy
from events import areas_of_view

KEY = "F19"  # which nothing else uses
GRID = 9  # places in each direction where the key may be pressed


class Piece(bpy.types.Operator):
    """The next piece of what a Hand does."""

    bl_idname = "wm.muslin_soak_piece"
    bl_label = "Soak"
    bl_options = {"INTERNAL"}  # no step of undo of its own
    hand = None

    def execute(self, context):
        if self.hand is not None:
            self.hand.work()
        return {"FINISHED"}


class Hand:
    """Presses the key for each piece of a generator.

    by_clock: whether the timer does what follows the next yield. unheard: keys that never arrived, as while a render has
    locked the interface; the timer has done their pieces.
    """

    def __init__(self):
        self.by_clock = True
        self.unheard = 0
        self._pieces = None
        self._is_due = False
        self._wait = 0.0
        self._error = None

    def do(self, pieces):
        """All pieces of a generator of seconds to wait; a generator of such seconds."""
        self._pieces = pieces
        with _known(self):
            while True:
                self._is_due = True
                if not self.by_clock:
                    yield from self._press()
                self.work()
                if self._error is not None:
                    raise self._error
                if self._wait is None:
                    return
                yield self._wait

    def work(self):
        """The piece that is due, if it was not done already: a key may arrive late."""
        if not self._is_due:
            return
        self._is_due = False
        try:
            self._wait = next(self._pieces, None)
        except Exception as error:  # for the timer's caller; an operator would only print it
            self._error = error

    def _press(self):
        window, area, region = areas_of_view()
        for x, y in _free_places(area, region):
            window.event_simulate(type="MOUSEMOVE", value="NOTHING", x=x, y=y)
            for value in ("PRESS", "RELEASE"):
                window.event_simulate(type=KEY, value=value, x=x, y=y)
            yield 0.0
            if not self._is_due:
                return
        self.unheard += 1


@contextmanager
def _known(hand):
    """Blender knows the key and its operator meanwhile."""
    bpy.utils.register_class(Piece)
    Piece.hand = hand
    keymaps = bpy.context.window_manager.keyconfigs.addon.keymaps
    keymap = keymaps.new("3D View", space_type="VIEW_3D")
    item = keymap.keymap_items.new(Piece.bl_idname, KEY, "PRESS")
    try:
        yield
    finally:
        keymap.keymap_items.remove(item)
        Piece.hand = None
        bpy.utils.unregister_class(Piece)


def _free_places(area, region):
    """Where nothing lies over the view: near its middle, far from that, and between. A menu or an error that has opened
    under the mouse closes when that goes far away.
    """
    others = [other for other in area.regions if other != region]
    middle = region.x + region.width // 2, region.y + region.height // 2
    parts = range(1, GRID + 1)
    places = [
        (region.x + region.width * i // (GRID + 1), region.y + region.height * j // (GRID + 1))
        for i in parts
        for j in parts
    ]
    free = [place for place in places if not any(_covers(other, *place) for other in others)]
    free = sorted(free or [middle], key=lambda place: math.dist(place, middle))
    return free[0], free[-1], free[len(free) // 2]


def _covers(region, x, y):
    return 0 <= x - region.x < region.width and 0 <= y - region.y < region.height

# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of steps, and what they need: `@step(weight)` makes one of a function of a Turn."""

import random
from dataclasses import dataclass
from typing import Callable

import bpy
from events import view

STEPS = {}  # name -> Step


@dataclass(frozen=True)
class Step:
    """may_model: whether it may change a mesh, which is an artist's right and nobody else's.
    pushes: whether a step of undo follows, as after whatever an artist changes; without it Blender itself crashes when
    something is redone over what a script has made.
    by_clock: whether the timer does it, and not the key (see keys).
    """

    weight: float
    work: Callable
    may_model: bool
    pushes: bool
    by_clock: bool


class Failed(Exception):
    """Something happened that must never happen."""


def step(weight, may_model=False, pushes=True, by_clock=False):
    """The function may be a generator of seconds for which Blender lives on."""

    def known(function):
        STEPS[function.__name__] = Step(weight, function, may_model, pushes, by_clock)
        return function

    return known


class Turn:
    """One step: its own random numbers, such that it does the same whatever other steps are left out."""

    def __init__(self, seed, folder):
        self.rng = random.Random(seed)
        self.folder = folder

    def one_of(self, things):
        """One of them, or None where there is none. Things of Blender go by their names: its order is no order."""
        things = sorted(things, key=lambda one: getattr(one, "name", one))
        return self.rng.choice(things) if things else None

    def object(self, *kinds):
        """An object of the view layer, of these kinds where any are given."""
        layer = bpy.context.view_layer
        return self.one_of([o for o in layer.objects if not kinds or o.type in kinds])

    def mesh(self):
        """A mesh object, active and selected alone; None where there is none."""
        obj = self.object("MESH")
        if obj is not None:
            leave_modes()
            select(obj)
        return obj

    def garment(self):
        """A garment, active and selected alone. Mostly the one that is active already: work goes on with it."""
        now = bpy.context.view_layer.objects.active
        if now is not None and is_garment(now) and self.rng.random() < 0.6:
            return now
        obj = self.one_of([o for o in bpy.context.view_layer.objects if is_garment(o)])
        if obj is not None:
            leave_modes()
            select(obj)
        return obj


def is_garment(obj):
    return obj.type == "MESH" and obj.muslin.enabled


def leave_modes():
    obj = bpy.context.view_layer.objects.active
    if obj is not None and obj.mode != "OBJECT":
        press("object.mode_set", mode="OBJECT")


def select(obj):
    for each in bpy.context.view_layer.objects:
        each.select_set(each == obj)
    bpy.context.view_layer.objects.active = obj


def press(operator, how="EXEC_DEFAULT", **options):
    """An operator as its button calls it, with a step of undo. Refusals in words are fine; gives what it says."""
    module, name = operator.split(".")
    function = getattr(getattr(bpy.ops, module), name)
    try:
        with view():
            function(how, True, **options)
    except RuntimeError as error:  # its poll fails, or it refuses
        if "Traceback" in str(error):
            raise Failed(f"{operator}: {error}") from None
        return str(error)
    return ""

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the buttons share: which garments they mean, what they select, and refusals reported in words."""

import functools

import bpy

from . import running
from .scene import lookup
from .scene.problems import Problem, ended_by


def _try(operator, action):
    is_run = getattr(operator, "is_run", False)
    obj = _active() if is_run else None
    if obj is not None:
        running.errors.pop(obj.muslin.uid, None)
    try:
        return action()
    except Problem as problem:
        operator.report({"ERROR"}, str(problem))
        obj = _active() if is_run else None  # it may be a garment only now
        if obj is not None:  # who ended it may know more
            ended = ended_by(problem, obj.name)
            running.errors.setdefault(lookup.ensure_uid(obj), ended)
        return {"CANCELLED"}


def _active():
    """The active garment, or None."""
    obj = bpy.context.active_object
    return obj if is_garment(obj) else None


def reporting(execute):
    """A Problem becomes a report of the operator, never a traceback."""

    @functools.wraps(execute)
    def wrapped(self, context):
        return _try(self, lambda: execute(self, context))

    return wrapped


def ask_library():
    status = running.look_for_library()
    if not status.ready:
        raise Problem(status.message)


def is_garment(obj):
    return obj is not None and obj.type == "MESH" and obj.muslin.enabled


class Button:
    """Base of operators: work(context) does what the button says; a Problem becomes a report, never a traceback.
    asks: functions of the context; the button can be pressed where all of them agree. is_run: it begins a run of the active
    garment, and what refuses that stays in the panel."""

    asks, is_run = (), False

    @classmethod
    def poll(cls, context):
        return all(ask(context) for ask in cls.asks)

    def execute(self, context):
        return _try(self, lambda: self.work(context) or {"FINISHED"})


def has_garment(context):
    return is_garment(context.active_object)


def has_mesh(context):
    return context.active_object is not None and context.active_object.type == "MESH"


class GarmentButton(Button):
    asks = (has_garment,)


def selected_meshes(context):
    chosen = list(context.selected_objects)
    if context.active_object is not None and context.active_object not in chosen:
        chosen.append(context.active_object)
    return [obj for obj in chosen if obj.type == "MESH"]


def active_garment(context):
    """The garment that a button means, or a Problem."""
    obj = context.active_object
    if not is_garment(obj):
        raise Problem("Select a garment first: a mesh with Muslin Cloth enabled")
    return obj


def garments_meant(context, scope):
    """The garments of a scope, see SCOPES in bake_ui.py. Linked ones are left to their own file."""
    if scope == "AUTO":
        alone = is_garment(context.active_object) and not bpy.app.background
        scope = "ACTIVE" if alone else "ALL"
    if scope == "ACTIVE":
        return [active_garment(context)]
    found = lookup.garments(context.scene)
    if not found:
        raise Problem(f"The scene {context.scene.name} has no garments")
    return [obj for obj in found if obj.library is None] or found


def leave_edit_mode(context):
    if context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


def select(context, obj, element, indices):
    """Exactly these elements, in Edit Mode, unhidden."""
    import bmesh

    leave_edit_mode(context)
    for other in context.selected_objects:
        other.select_set(False)
    try:
        obj.select_set(True)
        context.view_layer.objects.active = obj
        modes = [kind == element for kind in ("VERT", "EDGE", "FACE")]
        context.tool_settings.mesh_select_mode = modes
        bpy.ops.object.mode_set(mode="EDIT")
    except RuntimeError as error:
        raise Problem(f"{obj.name} cannot be edited now: {error}") from error
    mesh = bmesh.from_edit_mesh(obj.data)
    for elements in (mesh.verts, mesh.edges, mesh.faces):
        elements.ensure_lookup_table()
        for one in elements:
            one.select_set(False)
    chosen = {"VERT": mesh.verts, "EDGE": mesh.edges, "FACE": mesh.faces}[element]
    for index in indices:
        if index < len(chosen):
            chosen[index].hide_set(False)
            chosen[index].select_set(True)
    mesh.select_flush_mode()
    bmesh.update_edit_mesh(obj.data, loop_triangles=False, destructive=False)


def not_baking(_context=None):
    """Blender's own data must not change under a bake."""
    return running.bake is None

# SPDX-License-Identifier: GPL-3.0-or-later
"""Grab: the mouse takes the cloth while it drapes. Drag pulls, shift-click pins, ctrl-click lets go.

Everything that does not begin on the cloth is Blender's, and so is every tool but those that select. Here are
the mouse, the buttons, the lines of the panel, and the marks of what is pinned and pulled in the 3D view.
"""

import bpy
from bpy_extras import view3d_utils
from mathutils import Vector

from .. import drawing, running
from ..buttons import Button, active_garment, is_garment
from ..drawing import ViewDrawing, in_space_of, shader_for
from ..scene import lookup

GESTURES = "Drag pulls the cloth, Shift-click pins it, Ctrl-click releases it"
NEAR = 25  # pixels at a scale of 1: a click this near to the mark of a pin means it
NAVIGATION = (110, 260)  # pixels at a scale of 1: of Blender's own buttons in the corner of a view


class Mouse:
    """The events of Drape Now's window that concern the cloth."""

    def __init__(self):
        # where the mouse took the cloth: in the window, and in the world
        self._began = None

    def handle(self, context, event, preview):
        """Whether the event was the cloth's; otherwise it is Blender's."""
        for uid in preview.uids:
            if preview.hands_of(uid).pull is not None:
                return self._drag(context, event, preview, preview.hands_of(uid))
        if event.type != "LEFTMOUSE" or event.value not in {"PRESS", "DOUBLE_CLICK"}:
            return False
        if event.alt or event.oskey or (event.shift and event.ctrl) or not is_possible(context):
            return False
        view = view_at(context, event.mouse_x, event.mouse_y)
        if view is None:
            return False
        preview.objects()
        at = event.mouse_x, event.mouse_y
        hits = [(obj, hit_at(context, view, at, preview, obj)) for obj in preview.garments()]
        # at most one: the visible one
        hits = [(obj, hit) for obj, hit in hits if hit is not None]
        if event.ctrl:
            return let_go_nearest(context, view, at, preview, anywhere=bool(hits))
        if not hits:
            return False
        ((obj, (vertex, where)),) = hits[:1]
        if event.shift:
            pin(preview, obj, vertex)
        else:
            take(preview, obj, vertex)
            self._began = *at, where
        return True

    def _drag(self, context, event, preview, hands):
        if event.type in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"}:
            x, y, where = self._began
            view = view_at(context, x, y)
            if view is not None:  # else it was closed meanwhile
                there = view.location(event.mouse_x, event.mouse_y, where)
                unit = context.scene.unit_settings.scale_length
                hands.way = unit * (there - where)
            return True
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            if event.shift:
                preview.objects()
                for obj in preview.garments():
                    if preview.hands_of(obj.muslin.uid) is hands:
                        pin(preview, obj, hands.pull.vertex)
            hands.pull = None
            return True
        if event.type in {"RIGHTMOUSE", "ESC"} and event.value == "PRESS":
            hands.pull = None
            return event.type == "RIGHTMOUSE"
        return False


class View:
    """A 3D view for as long as an event lasts."""

    def __init__(self, region, data):
        self.region, self.data = region, data

    def coordinates(self, x, y):
        return x - self.region.x, y - self.region.y

    def location(self, x, y, depth):
        """The place under the mouse that is as far away as `depth`."""
        at = self.coordinates(x, y)
        return view3d_utils.region_2d_to_location_3d(self.region, self.data, at, depth)


def is_possible(context):
    """Whether the mouse may take cloth now: switched on, in object mode, with a tool that selects."""
    if not running.grab or context.mode != "OBJECT":
        return False
    tool = context.workspace.tools.from_space_view3d_mode("OBJECT", create=False)
    return tool is None or tool.idname.startswith("builtin.select")


def view_at(context, x, y):
    """The View under a place of the window; None where there is none, or one of Blender's regions lies over it."""
    for area in context.window.screen.areas:
        if area.type != "VIEW_3D":
            continue
        over = [
            region
            for region in area.regions
            if min(region.width, region.height) > 1
            and 0 <= x - region.x < region.width
            and 0 <= y - region.y < region.height
        ]
        if len(over) == 1 and over[0].type == "WINDOW" and not _navigates(context, area, x, y):
            space = area.spaces.active
            return View(over[0], over[0].data or space.region_3d)
    return None


def _navigates(context, area, x, y):
    """Whether Blender's buttons for turning the view are there."""
    space = area.spaces.active
    if not (space.show_gizmo and space.show_gizmo_navigate):
        return False
    scale = context.preferences.system.ui_scale or 1.0
    beside = [region for region in area.regions if region.type == "UI" and region.width > 1]
    above = [r for r in area.regions if r.type in {"HEADER", "TOOL_HEADER"} and r.height > 1]
    right = min([region.x for region in beside], default=area.x + area.width)
    top = min([region.y for region in above], default=area.y + area.height)
    return right - NAVIGATION[0] * scale < x <= right and top - NAVIGATION[1] * scale < y <= top


def hit_at(context, view, at, preview, obj):
    """Vertex and place of the cloth under the mouse; None where something else hides it."""
    from ..muslin.grab import first_hit
    from .hands import places

    hands, seen = preview.hands_of(obj.muslin.uid), places(preview, obj)
    if seen is None or not hands.is_ready or len(seen) != len(hands.surface.points):
        return None  # it is still settling, or was just edited
    unit = context.scene.unit_settings.scale_length
    there = view.region, view.data, view.coordinates(*at)
    origin = view3d_utils.region_2d_to_origin_3d(*there)
    direction = view3d_utils.region_2d_to_vector_3d(*there)
    hit = first_hit(seen, hands.surface.triangles, unit * origin, direction)
    if hit is None:
        return None
    distance = hit.distance / unit
    depsgraph, before = context.evaluated_depsgraph_get(), 0.999 * distance
    found, *_, other, _ = context.scene.ray_cast(depsgraph, origin, direction, distance=before)
    if found and other.original != obj and other.display_type not in {"WIRE", "BOUNDS"}:
        return None
    return hit.vertex, origin + distance * direction


def take(preview, obj, vertex):
    from .hands import places

    preview.hands_of(obj.muslin.uid).take(vertex, places(preview, obj))


def pin(preview, obj, vertex):
    from .hands import places

    preview.hands_of(obj.muslin.uid).pin(obj, vertex, places(preview, obj))
    bpy.ops.ed.undo_push(message="Pin Cloth")


def let_go_nearest(context, view, at, preview, anywhere):
    """Release the pin whose mark is nearest on the screen; without `anywhere` only near to it. Whether there was one."""
    here = Vector(view.coordinates(*at))
    ways = {}
    for obj in preview.garments():
        shape = preview.shapes[obj.muslin.uid]
        for index, hold in enumerate(pins_of(obj)):
            seen = obj.matrix_world @ Vector(shape[hold.vertex])
            mark = view3d_utils.location_3d_to_region_2d(view.region, view.data, seen)
            if mark is not None:  # it is not behind the viewer
                ways[obj, index] = (mark - here).length
    nearest = min(ways, key=ways.get, default=None)
    scale = context.preferences.system.ui_scale or 1.0
    if nearest is None or not (anywhere or ways[nearest] <= NEAR * scale):
        return False
    obj, index = nearest
    preview.hands_of(obj.muslin.uid).let_go(obj, index)
    bpy.ops.ed.undo_push(message="Release Cloth")
    return True


class MUSLIN_OT_grab(Button, bpy.types.Operator):
    """Grab the cloth with the mouse while it drapes: drag pulls, Shift-click pins, Ctrl-click releases. In Object Mode, with a selection tool"""

    bl_idname = "muslin.grab"
    bl_label = "Grab"

    def work(self, context):
        running.grab = not running.grab
        running.redraw()


class MUSLIN_OT_let_go(Button, bpy.types.Operator):
    """Release an interactive pin"""

    bl_idname = "muslin.let_go"
    bl_label = "Release Pin"
    bl_options = {"UNDO"}

    index: bpy.props.IntProperty(name="Pin", description="Its number; -1: all", default=-1, min=-1)
    asks = (lambda context: pins_of(context.active_object),)

    def work(self, context):
        obj = active_garment(context)
        index = None if self.index < 0 else self.index
        running.previews[obj.muslin.uid].hands_of(obj.muslin.uid).let_go(obj, index)
        running.redraw()


class MUSLIN_OT_keep_pins(Button, bpy.types.Operator):
    """Add the interactive pins to the pin group. The next run pins them where they are in the mesh: use Keep as Mesh to keep their current places"""

    bl_idname = "muslin.keep_pins"
    bl_label = "Keep Pins"
    bl_options = {"UNDO"}

    asks = (lambda context: pins_of(context.active_object) and context.mode == "OBJECT",)

    def work(self, context):
        from .hands import write_to_group

        obj = active_garment(context)
        pins = pins_of(obj)
        name = write_to_group(obj, pins)
        self.report({"INFO"}, f"{len(pins)} added to the group {name} for the next run")


def pins_of(obj):
    preview = running.previews.get(obj.muslin.uid) if is_garment(obj) else None
    return () if preview is None else preview.hands_of(obj.muslin.uid).pins(obj)


PINS = (1.0, 0.75, 0.1, 1.0)
PULL = (1.0, 1.0, 1.0, 1.0)
POINT_SIZE = 9.0  # pixels at a scale of 1
MOST = 6  # pins that have a line of their own


def draw(layout, context, obj):
    layout.operator("muslin.grab", icon="VIEW_PAN", depress=running.grab)
    pins = pins_of(obj)
    if not pins:
        return
    column = layout.column(align=True)
    for index in range(min(len(pins), MOST)):
        row = column.row()
        row.label(text=f"Pin {index + 1}", icon="PINNED")
        row.operator("muslin.let_go", text="", icon="X").index = index
    if len(pins) > MOST:
        drawing.paragraph(column, context, f"and {len(pins) - MOST} more")
    row = column.row(align=True)
    row.operator("muslin.let_go", text="Release All").index = -1
    row.operator("muslin.keep_pins")


def draw_marks():
    context = bpy.context
    if context.space_data is not None and not context.space_data.overlay.show_overlays:
        return
    scale = context.preferences.system.ui_scale or 1.0
    for uid, preview in running.previews.items():
        obj, shape = lookup.find(uid), preview.shapes.get(uid)
        if obj is None or shape is None or not obj.visible_get():
            continue
        pull = preview.hands_of(uid).pull
        groups = [
            # an edited mesh may not be shown yet
            ([tuple(shape[hold.vertex]) for hold in holds if hold.vertex < len(shape)], colour)
            for holds, colour in ((pins_of(obj), PINS), ([pull] if pull else [], PULL))
        ]
        if any(places for places, _ in groups):
            draw_points(obj, groups, POINT_SIZE * scale)


def draw_points(obj, groups, size):
    from gpu_extras.batch import batch_for_shader

    shader = shader_for("POINTS")
    with in_space_of(obj) as state:
        state.depth_test_set("NONE")  # a pin behind a fold is seen, too
        state.point_size_set(size)
        for places, colour in groups:
            if places:
                shader.bind()
                shader.uniform_float("color", colour)
                batch_for_shader(shader, "POINTS", {"pos": places}).draw(shader)


_drawing = ViewDrawing(POST_VIEW=draw_marks)
register, unregister = _drawing.register, _drawing.unregister

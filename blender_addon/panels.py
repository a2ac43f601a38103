# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels themselves: the same sections in the Physics properties and in the 3D view's sidebar."""

from collections import namedtuple
from importlib import import_module

import bpy

from . import drawing, last_error, preferences, running
from .bake import bake_ui
from .bodies import collider_ui
from .buttons import is_garment
from .check import check_ui
from .drawing import BIG
from .dress.dress_ui import draw_dress, selected
from .fabric import fabric_ui
from .fit_map import fit_map_ui
from .forces import forces_ui
from .garment import garment_ui
from .layers import layers_ui
from .mirror import mirror_ui
from .preview import grab_ui, preview_ui
from .preview.preview_ui import draw_step_warnings
from .sewing import sewing_ui
from .simulation import statistics

Section = namedtuple("Section", "name label draw is_open header", defaults=(None,))
# What is needed with every garment first: that fits into a window of 1280 x 800 without scrolling.
SECTIONS = (
    Section("preview", "Preview", preview_ui.draw_preview, True),
    Section("bake", "Bake", bake_ui.draw_bake, True),
    Section("colliders", "Colliders", collider_ui.draw_colliders, True),
    Section("fabric", "Fabric Properties", fabric_ui.draw_fabric, False),
    Section("fit", "Fit Map", fit_map_ui.draw, False, fit_map_ui.draw_header),
    Section("check", "Check", check_ui.draw_check, False),
    Section("together", "Several Garments", layers_ui.draw, False, layers_ui.draw_header),
    Section("pins", "Pins and Shape", garment_ui.draw_pins, False),
    Section("sewing", "Sewing", sewing_ui.draw, False),
    Section("maps", "Property Maps", garment_ui.draw_maps, False),
    Section("mirror", "Mirror", mirror_ui.draw, False, mirror_ui.draw_header),
    Section("forces", "Gravity and Wind", forces_ui.draw_forces, False),
    Section("pressure", "Pressure", forces_ui.draw_pressure, False),
    Section("statistics", "Statistics", statistics.draw_statistics, False),
    Section("advanced", "Advanced", garment_ui.draw_advanced, False),
)
PLACES = {
    "physics": {"bl_space_type": "PROPERTIES", "bl_region_type": "WINDOW", "bl_context": "physics"},
    "sidebar": {"bl_space_type": "VIEW_3D", "bl_region_type": "UI", "bl_category": "Muslin"},
}


def draw_root(panel, context):
    layout, status = panel.layout, running.library_status()
    if status.tried and not status.ready:  # the rest of the panel goes on working
        preferences.draw_library_error(layout, context, status)
    is_waiting = bpy.app.background or bpy.app.timers.is_registered(warm_up)
    if not status.tried and not is_waiting:
        bpy.app.timers.register(warm_up, first_interval=0.1)
    draw_dress(layout, context)
    if is_garment(context.object):
        draw_running(layout, context, context.object)
        last_error.draw(layout, context, context.object)
        preview_ui.draw_drape(layout, context.object)
        garment_ui.draw_first(layout, context, context.object)
    else:
        draw_invitation(layout, context)


def draw_running(layout, context, obj):
    """Above all sub-panels while something runs, so that stopping is never far."""
    job = running.activity(obj)
    if job is None:
        return
    box = layout.box()
    share = f"{100 * job.progress:.0f} %"
    if job.kind in ("bake", "job") and hasattr(box, "progress"):  # a bar: since Blender 4.0
        box.progress(factor=job.progress, text=share)
        drawing.paragraph(box, context, job.text)
    elif job.kind in ("bake", "job"):
        drawing.paragraph(box, context, f"{share}: {job.text}", icon="TIME")
    else:
        drawing.paragraph(box, context, job.text, icon="PLAY")
    mirror_ui.draw_solved(box, context, obj)
    if job.kind == "drape":
        grab_ui.draw(box, context, obj)
    stop_text = "Stop and Keep Frames" if job.kind == "bake" else "Stop"
    row = box.row()
    row.scale_y = BIG
    row.operator("muslin.stop", text=stop_text, icon="PAUSE")
    draw_step_warnings(box, context, obj)  # below, so that Stop stays where it is


def draw_invitation(layout, context):
    obj = context.object
    if obj is None or obj.type != "MESH":
        drawing.paragraph(layout, context, "Select a garment: any mesh.", icon="INFO")
        return
    several = len(selected(context))
    row = layout.row()
    row.scale_y = 1.0 if several > 1 else 1.8  # Dress This Body is what is wanted then
    text = f"Make {several} Objects Cloth" if several > 1 else "Make It Cloth"
    row.operator("muslin.add", text=text, icon="MOD_CLOTH")


def draw_root_header(panel, context):
    if is_garment(context.object):
        panel.layout.operator("muslin.remove", text="", icon="X", emboss=False)


def warm_up():
    """By Blender's timer, once: what a panel must not wait for while it draws."""
    running.look_for_library()
    for module in ("output.results", "dress.dressing", "check.check_garment", "preview.preview"):
        import_module(f".{module}", __package__)
    running.redraw()


def root_class(place):
    def poll(_cls, context):
        obj = context.object
        return place == "sidebar" or (obj is not None and obj.type == "MESH")

    members = {
        **PLACES[place],
        "bl_idname": f"MUSLIN_PT_{place}",
        "bl_label": "Muslin",
        "poll": classmethod(poll),
        "draw": draw_root,
        "draw_header_preset": draw_root_header,
    }
    return type(members["bl_idname"], (bpy.types.Panel,), members)


def section_class(place, section):
    def draw(panel, context):
        section.draw(panel.layout, context, context.object)

    def draw_header(panel, context):
        section.header(panel.layout, context.object)

    members = {
        **PLACES[place],
        "bl_idname": f"MUSLIN_PT_{place}_{section.name}",
        "bl_label": section.label,
        "bl_parent_id": f"MUSLIN_PT_{place}",
        "bl_options": set() if section.is_open else {"DEFAULT_CLOSED"},
        "poll": classmethod(lambda _cls, context: is_garment(context.object)),
        "draw": draw,
    }
    if section.header is not None:
        members["draw_header"] = draw_header
    return type(members["bl_idname"], (bpy.types.Panel,), members)


CLASSES = []
for _place in PLACES:
    CLASSES += [root_class(_place), *(section_class(_place, section) for section in SECTIONS)]


def unregister():
    if bpy.app.timers.is_registered(warm_up):
        bpy.app.timers.unregister(warm_up)

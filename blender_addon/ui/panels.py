# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels themselves: the same sections in the Physics properties and in the 3D view's sidebar."""

from collections import namedtuple
from importlib import import_module

import bpy

from ..run import library, running
from . import library as shown
from . import fit, live, mirror, pressure, setup, sewing, together, words

Section = namedtuple("Section", "name label draw is_open header", defaults=(None,))
# What is needed with every garment first: that fits into a window of 1280 x 800 without scrolling.
SECTIONS = (
    Section("preview", "Preview", live.draw_preview, True),
    Section("bake", "Bake", live.draw_bake, True),
    Section("colliders", "Colliders", setup.draw_colliders, True),
    Section("fabric", "Fabric's Numbers", setup.draw_fabric, False),
    Section("fit", "Fit Map", fit.draw, False, fit.draw_header),
    Section("check", "Check", live.draw_check, False),
    Section("together", "Several Garments", together.draw, False, together.draw_header),
    Section("pins", "Pins and Shape", setup.draw_pins, False),
    Section("sewing", "Sewing", sewing.draw, False),
    Section("maps", "Vary over the Garment", setup.draw_maps, False),
    Section("mirror", "Mirror", mirror.draw, False, mirror.draw_header),
    Section("forces", "Gravity and Wind", setup.draw_forces, False),
    Section("pressure", "Pressure", pressure.draw, False),
    Section("statistics", "Statistics", live.draw_statistics, False),
    Section("advanced", "Advanced", setup.draw_advanced, False),
)
PLACES = {
    "physics": {
        "bl_space_type": "PROPERTIES",
        "bl_region_type": "WINDOW",
        "bl_context": "physics",
    },
    "sidebar": {"bl_space_type": "VIEW_3D", "bl_region_type": "UI", "bl_category": "Muslin"},
}


def is_garment(context):
    obj = context.object
    return obj is not None and obj.type == "MESH" and obj.muslin.enabled


def shown_in_sidebar(_cls, _context):
    return True


def shown_in_physics(_cls, context):
    return context.object is not None and context.object.type == "MESH"


def draw_root(panel, context):
    """Quality and fabric, or the one button that makes an object cloth."""
    layout = panel.layout
    draw_trouble(layout, context)
    draw_dress(layout, context)
    if is_garment(context):
        live.draw_running(layout, context, context.object)
        live.draw_drape(layout, context.object)
        setup.draw_first(layout, context, context.object)
    else:
        draw_invitation(layout, context)


def draw_dress(layout, context):
    """One button for all that follows, where more than one mesh is selected."""
    if sum(1 for obj in context.selected_objects if obj.type == "MESH") > 1:
        column = layout.column(
            align=True
        )  # side by side their names would be cut off in a narrow sidebar
        row = column.row()
        row.scale_y = 1.8
        row.operator("muslin.dress", icon="MOD_CLOTH")
        column.operator("muslin.fit_suit")


def draw_trouble(layout, context):
    """Says why nothing can be simulated; the rest of the panel goes on working."""
    status = library.status()
    if not status.tried:
        warm_up_soon()
    elif not status.ready:
        shown.draw_trouble(layout, context, status)


def draw_invitation(layout, context):
    obj = context.object
    if obj is None or obj.type != "MESH":
        words.paragraph(layout, context, "Select a garment: any mesh.", icon="INFO")
        return
    several = sum(1 for other in context.selected_objects if other.type == "MESH")
    row = layout.row()
    row.scale_y = 1.0 if several > 1 else 1.8  # Dress This Body is what is wanted then
    text = f"Make {several} Objects Cloth" if several > 1 else "Make It Cloth"
    row.operator("muslin.add", text=text, icon="MOD_CLOTH")


def draw_root_header(panel, context):
    """The cross that takes Muslin off the object again."""
    if is_garment(context):
        panel.layout.operator("muslin.remove", text="", icon="X", emboss=False)


def warm_up_soon():
    """Have done a moment later what a panel must not wait for while it draws."""
    if not bpy.app.background and not bpy.app.timers.is_registered(warm_up):
        bpy.app.timers.register(warm_up, first_interval=0.1)


def warm_up():
    """Called by Blender's clock, once: looks for the library, loads what chooses the output and what the buttons need."""
    library.look()
    for module in ("..output.results", "..scene.dressing", "..scene.check", "..run.preview"):
        import_module(module, __package__)
    running.redraw()


def root_class(place):
    shown = shown_in_physics if place == "physics" else shown_in_sidebar
    members = {
        **PLACES[place],
        "bl_idname": f"MUSLIN_PT_{place}",
        "bl_label": "Muslin",
        "poll": classmethod(shown),
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
        "poll": classmethod(lambda _cls, context: is_garment(context)),
        "draw": draw,
    }
    if section.header is not None:
        members["draw_header"] = draw_header
    return type(members["bl_idname"], (bpy.types.Panel,), members)


PANELS = [
    kind
    for place in PLACES
    for kind in (root_class(place), *(section_class(place, section) for section in SECTIONS))
]
CLASSES = (setup.MUSLIN_UL_colliders, *PANELS)


def unregister():
    if bpy.app.timers.is_registered(warm_up):
        bpy.app.timers.unregister(warm_up)

# SPDX-License-Identifier: GPL-3.0-or-later
"""A layout for panels without a window: refuses what does not exist, remembers what was drawn."""

from types import SimpleNamespace

import bpy

OF_VALUES = ("prop", "name", "operator")  # what is drawn beside labels


class Layout:
    def __init__(self, drawn=None):
        self.drawn = [] if drawn is None else drawn

    def part(self, **_):
        return Layout(self.drawn)

    box = row = column = split = part

    def separator(self):
        pass

    def label(self, text="", icon="NONE"):
        self.drawn.append((icon, text))

    def prop(self, owner, name, text=None, **_):
        assert name in owner.bl_rna.properties, name
        self.drawn.append(("prop", name))
        if text:
            self.drawn.append(("name", text))

    def prop_search(self, owner, name, data, collection, **_):
        assert hasattr(data, collection), collection
        self.prop(owner, name)

    def template_icon_view(self, owner, name, **_):
        self.prop(owner, name)

    def template_list(self, _kind, _id, owner, name, active_owner, active, **_):
        self.prop(owner, name)
        self.prop(active_owner, active)

    def operator(self, name, **_):
        assert hasattr(bpy.types, "MUSLIN_OT_" + name.partition(".")[2]), name
        self.drawn.append(("operator", name))
        return SimpleNamespace()

    def text(self):
        """All labels, as one line."""
        return " ".join(text for kind, text in self.drawn if kind not in OF_VALUES)

    def icons(self):
        return {kind for kind, _ in self.drawn}


def context_of(obj, width=300, region_type="UI"):
    """The context of a panel: in a sidebar, unless another region is named."""
    region = SimpleNamespace(width=width, type=region_type)
    return SimpleNamespace(
        region=region, preferences=bpy.context.preferences, scene=bpy.context.scene, object=obj
    )


def draw(section, obj):
    """Draws a section of the sidebar; the layout, to be asked."""
    layout = Layout()
    context = context_of(obj)
    if section.header is not None:
        section.header(layout, obj)
    section.draw(layout, context, obj)
    return layout

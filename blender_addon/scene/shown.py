# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether Blender evaluates an object frame by frame.

What is disabled in the viewport is not, and keeps the place that it had: reading it would be wrong
without any sign, since an object that another one points to still calls itself evaluated. The eye, of
an object or of its collection, only hides from view.
"""


def is_shown(obj, view_layer):
    """Is it in the view layer and not disabled in the viewport?"""
    if obj.visible_get(view_layer=view_layer):
        return True
    return not obj.hide_viewport and _holds(view_layer.layer_collection, obj)


def is_in(obj, scene):
    """Is it in the scene? What was deleted is not, though a setting that points to it keeps it alive."""
    return _has(scene.objects, obj)


def _has(objects, obj):
    """A linked object and its override have the same name, and a name finds only one of them."""
    found = objects.get(obj.name)
    return found == obj or (found is not None and any(other == obj for other in objects))


def why_absent(obj, depsgraph):
    """Why an object cannot be read, as the end of a sentence; "" where it can."""
    if is_shown(obj, depsgraph.view_layer):
        return ""
    if not is_in(obj, depsgraph.scene):
        return "was deleted, or is in another scene"
    return "is disabled in the viewport, or its collection is"


def _holds(layer, obj):
    """Is the object in this collection or one below that is in use?"""
    if layer.collection.hide_viewport:
        return False
    if not layer.exclude and _has(layer.collection.objects, obj):
        return True
    return any(_holds(child, obj) for child in layer.children)

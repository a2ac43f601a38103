# SPDX-License-Identifier: GPL-3.0-or-later
"""Which garments are simulated in one cloth, and in which order they are worn.

Panels ask at every redraw, so nothing here needs NumPy.
"""

from ..scene.lookup import is_shown

# Settings that one cloth has once, where the innermost garment's apply.
COMMON = (
    "quality budget_ms thickness friction gravity wind use_force_fields normal_drag tangent_drag "
    "drag_law time_scale subframes substeps integrator solver scheme fixed_iterations iterations "
    "sweep_method sweeps estimate bending flat settle_first use_scene_range frame_start frame_end"
).split()


def is_candidate(obj):
    return obj.type == "MESH" and obj.library is None and obj.muslin.enabled and obj.muslin.together


def bodies(obj):
    """What a garment collides with, without garments that may be simulated with it."""
    settings = obj.muslin
    found = {item.object for item in settings.colliders if item.object is not None and item.enabled}
    if settings.collider_collection is not None:
        found.update(settings.collider_collection.all_objects)
    return {other for other in found if not is_candidate(other)}


def partners(obj, scene, view_layer=None):
    """The garments of one cloth with this one, itself included, innermost first: those that want it and share a collider with one
    of them, or have none, as this one. What is disabled in the view layer is left out."""
    if not is_candidate(obj):
        return [obj]
    left = {other: bodies(other) for other in scene.objects if other != obj and is_candidate(other)}
    found, met = [obj], bodies(obj)
    if not met:
        found += [other for other, own in left.items() if not own]
        left = {}
    while True:
        near = [other for other, own in left.items() if own & met]
        if not near:
            break
        for other in near:
            met |= left.pop(other)
        found += near
    if view_layer is not None:
        found = [other for other in found if other == obj or is_shown(other, view_layer)]
    return sorted(found, key=lambda other: (other.muslin.layer, other.name))


def differing(garments):
    """Labels of the common settings that differ from the innermost garment's."""
    labels = garments[0].muslin.bl_rna.properties
    values = {name: [value(each, name) for each in garments] for name in COMMON}
    return [labels[name].name for name, of in values.items() if any(v != of[0] for v in of)]


def share(obj, garments):
    for other in garments:
        if other != obj:
            for name in COMMON:
                setattr(other.muslin, name, getattr(obj.muslin, name))


def value(obj, name):
    found = getattr(obj.muslin, name)
    return tuple(found) if hasattr(found, "__len__") and not isinstance(found, str) else found

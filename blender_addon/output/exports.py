# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of other programs made of a bake: MDD, and Alembic and USD through Blender's own exporters, where this build of
Blender has them."""

import struct
from contextlib import contextmanager

import bpy
import numpy as np

from ..muslin.files import AtomicFile
from ..scene.problems import Problem


def available(kind):
    """Can this Blender make it? Asking for an operator that is not there raises nothing."""
    return not kind.operator or kind.operator in dir(bpy.ops.wm)


def require(kind):
    if not available(kind):
        raise Problem(
            f"This Blender was built without {kind.label}. Choose PC2 Cache, or use a Blender "
            "from blender.org, which has it"
        )


def write(kind, obj, scene, path, frame_start, frame_end):
    """Export this object alone, as it plays now. Selection and frame range are put back."""
    require(kind)
    operator = getattr(bpy.ops.wm, kind.operator)
    wanted = {**kind.options, **dict(zip(kind.span, (frame_start, frame_end)))}
    wanted.update(filepath=path, check_existing=False, as_background_job=False)
    known = operator.get_rna_type().properties.keys()
    with _alone(obj, scene, frame_start, frame_end):
        try:
            result = operator(**{name: wanted[name] for name in wanted if name in known})
        except RuntimeError as error:
            raise Problem(f"{kind.label} could not be written: {error}") from None
    if result != {"FINISHED"}:
        raise Problem(f"{kind.label} could not be written to {path}")


@contextmanager
def _alone(obj, scene, frame_start, frame_end):
    """Only this object is selected, and the scene's range is the bake's."""
    layer = bpy.context.view_layer
    if layer.objects.get(obj.name) != obj:
        where = "the current view layer; switch its collection on to export it"
        raise Problem(f"{obj.name} is not in {where}")
    selected = [other.name for other in layer.objects if other.select_get()]
    active = layer.objects.active.name if layer.objects.active else ""
    span = scene.frame_start, scene.frame_end
    now = scene.frame_current, scene.frame_subframe
    hidden = obj.hide_get()
    try:
        for other in layer.objects:
            other.select_set(False)
        obj.hide_set(False)
        obj.select_set(True)
        layer.objects.active = obj
        scene.frame_start, scene.frame_end = frame_start, frame_end
        yield
    finally:
        scene.frame_start, scene.frame_end = span
        scene.frame_set(now[0], subframe=now[1])
        for other in layer.objects:
            other.select_set(other.name in selected)
        layer.objects.active = layer.objects.get(active)
        obj.hide_set(hidden)


def write_played(path, positions, frame_start, fps):
    """The file of MDD, which a modifier plays: frames x n x 3 positions in Blender's own axes; OSError where that fails."""
    frames, vertices = positions.shape[:2]
    times = (np.arange(frames) + frame_start) / fps
    output = AtomicFile(path)
    try:
        output.write(struct.pack(">ii", frames, vertices))
        output.write(times.astype(">f4").tobytes())
        for frame in positions:
            output.write(frame.astype(">f4").tobytes())
        output.commit()
    finally:
        output.discard()

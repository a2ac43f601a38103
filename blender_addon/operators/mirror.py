# SPDX-License-Identifier: GPL-3.0-or-later
"""Find Symmetry, Select Unpaired, and Measure: how much quicker one half is."""

import bpy

from .job import JobButton
from .reporting import GarmentButton, active_garment, ask_library, reporting


class MUSLIN_OT_find_symmetry(GarmentButton, bpy.types.Operator):
    """Look whether this garment is its own mirror image, and where it is not"""

    bl_idname = "muslin.find_symmetry"
    bl_label = "Find Symmetry"

    @reporting
    def execute(self, context):
        from ..run import running
        from ..scene import lookup, symmetry

        ask_library()
        obj = active_garment(context)
        report = symmetry.look(obj, context.scene, context.evaluated_depsgraph_get())
        running.symmetries[lookup.ensure_uid(obj)] = report
        kind = "INFO" if report.is_symmetric else "WARNING"
        self.report({kind}, f"{obj.name}: {symmetry.summary(report)}")
        running.redraw()
        return {"FINISHED"}


class MUSLIN_OT_select_unpaired(GarmentButton, bpy.types.Operator):
    """Select, in edit mode, the vertices without a partner; where all have one, faces without an image"""

    bl_idname = "muslin.select_unpaired"
    bl_label = "Select Unpaired"
    bl_options = {"REGISTER", "UNDO"}

    @reporting
    def execute(self, context):
        from ..scene.problems import Problem
        from .check import select

        obj = active_garment(context)
        report = self._report(obj)
        if obj.data.library is not None:
            raise Problem(f"The mesh of {obj.name} is linked and cannot be edited", obj.name)
        if not report.unpaired and not report.faces:
            self.report({"INFO"}, f"{obj.name}: every vertex and every face has its mirror image")
            return {"CANCELLED"}
        if report.unpaired:
            select(context, obj, "VERT", report.unpaired)
        else:
            select(context, obj, "FACE", report.faces)
        return {"FINISHED"}

    @staticmethod
    def _report(obj):
        """Of the mesh as it is now, or a Problem."""
        from ..run import running
        from ..scene import symmetry
        from ..scene.problems import Problem

        report = running.symmetries.get(obj.muslin.uid)
        if obj.mode == "EDIT":
            obj.update_from_editmode()
        if report is None or report.asked != symmetry.key(obj):
            raise Problem(f"{obj.name} has changed: press Find Symmetry again", obj.name)
        return report


class MUSLIN_OT_measure_mirror(JobButton, GarmentButton, bpy.types.Operator):
    """Time a few frames with and without mirroring, on a copy that nobody sees; ESC stops"""

    bl_idname = "muslin.measure_mirror"
    bl_label = "Measure"

    def start(self, context):
        from ..run.measure import Measure
        from ..scene.problems import Problem

        obj = active_garment(context)
        if not obj.muslin.mirror.enabled:
            raise Problem(f"{obj.name}: switch Mirror on first", obj.name)
        return Measure(obj, context.scene)


CLASSES = (MUSLIN_OT_find_symmetry, MUSLIN_OT_select_unpaired, MUSLIN_OT_measure_mirror)

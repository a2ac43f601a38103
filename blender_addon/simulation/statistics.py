# SPDX-License-Identifier: GPL-3.0-or-later
"""The statistics of the last step: what is reported of them, and the Statistics section of the panel."""

from .. import drawing, running, words
from ..muslin import SubstepsReason
from ..words import milliseconds

# Why a step had as many substeps as it had, beside their number.
REASONS = {"BODY": ", fast body", "PINS": ", fast pins", "REPEATED": ", repeated"}
RESTLESS = "does not come to rest: it slides or falls; pin whatever holds it up"


def rows(simulation, overhead_seconds=None):
    """[(label, text), ...] about the last step. Call it while no step is under way."""
    stats, report, levels = simulation.cloth.stats(), simulation.cloth.report(), simulation.levels
    found = [
        ("Frame", milliseconds(stats.total_seconds)),
        ("  Forces", milliseconds(stats.force_seconds)),
        ("  Assembly", milliseconds(stats.assemble_seconds)),
        ("  Solve", milliseconds(stats.solve_seconds)),
        ("  Contact", milliseconds(stats.contact_seconds)),
        ("Substeps", substeps_text(stats)),
    ]
    if overhead_seconds is not None:
        found.append(("In Blender", milliseconds(overhead_seconds)))
    found += [
        ("Largest stretch", f"{stats.largest_strain * 100:.1f} %"),
        ("Mean stretch", f"{stats.mean_strain * 100:.2f} %"),
        ("Contacts", f"{stats.contacts:,}"),
        ("  With itself", f"{stats.self_contacts:,}"),
        ("Vertices", f"{report.vertex_count:,}"),
        *([("  Simulated", f"{levels.simulated_count:,}")] if levels.level else []),
        ("Triangles", f"{report.triangle_count:,}"),
        ("Pins", f"{report.pinned_count} firm, {report.soft_count} soft"),
        ("Factor size", f"{report.factor_nonzeros:,}"),
        ("Memory", words.size(report.memory_bytes)),
    ]
    return found


def substeps_text(stats):
    return f"{stats.substeps}{REASONS.get(SubstepsReason(stats.substeps_reason).name, '')}"


def level_text(levels, is_restless):
    """How much is simulated of a garment that is too fine for its budget; "" for others."""
    some = f"{levels.simulated_count:,} of {levels.vertex_count:,} vertices"
    if levels.settled and is_restless:
        return RESTLESS
    if levels.settled:
        return f"refined and at rest: all {levels.vertex_count:,} vertices"
    if levels.refining and levels.level_count > 1:
        return f"refining: {some if levels.level else f'all {levels.vertex_count:,} vertices'}"
    return f"simulating {some}" if levels.level else ""


def draw_statistics(layout, context, obj):
    rows = running.statistics.get(obj.muslin.uid)
    if not rows:
        text = "Nothing has run yet. Drape or bake to see numbers here."
        drawing.paragraph(layout, context, text)
        return
    column = layout.column(align=True)
    column.scale_y = 0.85
    for label, value in rows:
        parts = column.split(factor=0.55)
        parts.label(text=label)
        cell = parts.row()
        cell.alignment = "RIGHT"
        cell.label(text=value)

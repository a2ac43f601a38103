# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers in words: how long something takes, and the statistics that the panel shows."""

from ..scene import amounts

RESTLESS = "does not come to rest: it slides or falls, pin what holds it up"


def duration(seconds):
    """Seconds as a person says them: "8 s", "2 min 5 s", "1 h 10 min"."""
    whole = int(round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def milliseconds(seconds):
    return f"{seconds * 1e3:.1f} ms"


def sentences(*parts):
    """What there is to say, one after the other; a full stop between them, whoever wrote them."""
    return ". ".join(part.rstrip(". ") for part in parts if part)


def simulated(levels):
    """How many vertices are simulated, where that is not all of them."""
    return [("  Simulated", f"{levels.simulated_count:,}")] if levels.level else []


def rows(simulation, overhead_seconds=None):
    """[(label, text), ...] about the last step. Call it while no step is under way."""
    stats, report = simulation.cloth.stats(), simulation.cloth.report()
    found = [
        ("Frame", milliseconds(stats.total_seconds)),
        ("  Forces", milliseconds(stats.force_seconds)),
        ("  Assembly", milliseconds(stats.assemble_seconds)),
        ("  Solve", milliseconds(stats.solve_seconds)),
        ("  Contact", milliseconds(stats.contact_seconds)),
    ]
    if overhead_seconds is not None:
        found.append(("In Blender", milliseconds(overhead_seconds)))
    found += [
        ("Largest stretch", f"{stats.largest_strain * 100:.1f} %"),
        ("Mean stretch", f"{stats.mean_strain * 100:.2f} %"),
        ("Contacts", f"{stats.contacts:,}"),
        ("  With itself", f"{stats.self_contacts:,}"),
        ("Vertices", f"{report.vertex_count:,}"),
        *simulated(simulation.levels),
        ("Triangles", f"{report.triangle_count:,}"),
        ("Pins", f"{report.pinned_count} firm, {report.soft_count} soft"),
        ("Factor size", f"{report.factor_nonzeros:,}"),
        ("Memory", amounts.size(report.memory_bytes)),
    ]
    return found


def level_text(levels, is_restless):
    """What is simulated of a garment that is too fine for its budget; silent for others."""
    some = f"{levels.simulated_count:,} of {levels.vertex_count:,} vertices"
    if levels.settled and is_restless:
        return RESTLESS
    if levels.settled:
        return f"refined and at rest: all {levels.vertex_count:,} vertices"
    if levels.refining and levels.level_count > 1:
        return f"refining: {some if levels.level else f'all {levels.vertex_count:,} vertices'}"
    return f"simulating {some}" if levels.level else ""

# SPDX-License-Identifier: GPL-3.0-or-later
"""The file of --stats: what the simulation took and how the cloth was, frame by frame, as JSON."""

import sys
from dataclasses import asdict

from .. import _enums
from ..files import to_json, write_atomic
from ..inspection.placement import as_numbers
from ..inspection.verdict import StepWarningLog
from ..settings import word


UNCOUNTED = {"self_piercings": None, "body_piercings": None, "cloth_piercings": None}


def peak_memory_bytes():
    """Most memory that this process has used, or None where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def report_numbers(report, matrix_size=None):
    """A Report as a dictionary, with the ordering as a word and the fill: nonzeros of the factor over those of the
    lower triangle. matrix_size: rows of the matrix; None: one per vertex, where nothing is mirrored.
    """
    numbers = asdict(report)
    numbers["ordering"] = word(_enums.Ordering(report.ordering))
    lower = (report.matrix_nonzeros + (matrix_size or report.vertex_count)) / 2
    numbers["fill"] = report.factor_nonzeros / lower if lower > 0 else None
    numbers["seconds"] = report.ordering_seconds + report.analysis_seconds + report.factor_seconds
    return numbers


def frame_numbers(frame, stats, mirror, levels, inspection, piercings):
    """Stats of one frame as a dictionary; frames count from 1. Piercings are null where not counted."""
    return {
        "frame": frame,
        **asdict(stats),
        "substeps_reason": _enums.SubstepsReason(stats.substeps_reason).name.lower(),
        **piercings,
        "inspection": inspection and as_numbers(inspection, places=False),
        "body_asymmetry": mirror.body_asymmetry,
        "solved_whole": bool(mirror.solved_whole),
        "level": levels.level,
        "simulated_vertices": levels.simulated_count,
        "potential_energy": stats.elastic_energy + stats.gravity_energy,
    }


def range_text(vertices):
    """Ascending vertices as --pin takes them, "3,17,40-52"."""
    runs = []
    for vertex in map(int, vertices):
        if runs and vertex == runs[-1][1] + 1:
            runs[-1][1] = vertex
        else:
            runs.append([vertex, vertex])
    return ",".join(f"{first}" if first == last else f"{first}-{last}" for first, last in runs)


def unsolved(statistics):
    """A sentence on the frames whose linear systems were not solved well enough, or None."""
    stopped = [stats for stats in statistics if stats.pcg_stopped > 0]
    if not stopped:
        return None
    worst = max(stats.pcg_residual for stats in stopped)
    frames = "1 frame" if len(stopped) == 1 else f"{len(stopped)} frames"
    return (
        f"in {frames} the implicit solver stopped at its iteration limit (a relative residual "
        f"of {worst:.2g} at worst); raise --pcg-limit, take a softer fabric, or use --solver linear"
    )


def step_warnings(statistics):
    """A sentence on each kind of warning that frames had."""
    seen = StepWarningLog()
    for number, stats in enumerate(statistics, 1):
        seen.add(number, stats)
    return [each.text for each in seen.reports()]


def verdict_numbers(simulation):
    """What is wrong in the frames that were finished."""
    verdict = simulation.verdict.as_numbers()
    if simulation.error is not None and not simulation.stop:  # it did not get to its end
        verdict["good"] = False
    return verdict


def write_statistics(path, simulation, settings):
    """Write the file for the frames that were finished."""
    piercings = simulation.piercings or [UNCOUNTED] * len(simulation.statistics)
    mirrors, levels = simulation.mirrors, simulation.levels
    looks = map(simulation.verdict.inspections.get, range(1, len(piercings) + 1))
    parts = zip(simulation.statistics, mirrors, levels, looks, piercings)
    size = (mirrors[0].half_vertex_count or levels[0].simulated_count) if mirrors else None
    content = {
        "frames": [frame_numbers(number, *part) for number, part in enumerate(parts, 1)],
        "setup": report_numbers(simulation.report, size) if simulation.report else {},
        "mirror": asdict(mirrors[-1]) if mirrors else {},
        "verdict": verdict_numbers(simulation),
        "peak_memory_bytes": peak_memory_bytes(),
        "settings": settings,
    }
    write_atomic(path, to_json(content).encode("utf-8"))

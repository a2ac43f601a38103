# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a drape: its files get their names, reports are written, and one line says how far it came."""

from .. import exits
from .._enums import Status
from ..errors import FileError, MuslinError
from ..files import is_taken, to_json, unfinished_place, write_atomic
from ..obj import write_mesh
from ..table import takes
from .fit_report_file import write_fit_report
from .replay_command import say
from .statistics import verdict_numbers, write_statistics


def finish(options, garments, simulation, settings):
    """Name the files, say what is in them, and give the exit code."""
    writer = simulation.writer
    done = writer.frames
    complete = done == options.frames and simulation.error is None
    try:
        files = ", ".join(writer.finish(complete))
    except FileError:
        if simulation.error is not None and not simulation.stop:
            say(failure_text(garments, simulation, settings))
        raise
    problems = write_reports(options, garments, simulation, settings, complete) if done else []
    if done == 0 and isinstance(simulation.error, MuslinError) and not simulation.stop:
        raise simulation.error
    code = report_outcome(options, garments, simulation, settings, complete, files)
    for problem in problems:  # after what the simulation itself has to say
        say(problem)
    return exits.BAD_INPUT if problems and complete else code


def write_reports(options, garments, simulation, settings, complete):
    """All that is asked for besides the caches; gives what could not be written, as a FileError each."""
    work = []
    if options.last_frame is not None:
        parts = garments.parts(simulation.positions)
        for path, *frame in zip(options.last_frame, garments.meshes, parts):
            work.append((write_mesh, path, *frame))
    if options.stats is not None:
        work.append((write_statistics, options.stats, simulation, settings))
    if options.verdict is not None:
        work.append((write_verdict, options.verdict, simulation))
    if options.fit_report is not None and not simulation.stuck:
        work.append((write_fit_report, options.fit_report, garments, simulation.cloth))
    problems = []
    for write, path, *content in work:
        place = unfinished_place(path) if not complete and is_taken(path) else path
        try:
            write(place, *content)
        except FileError as error:
            problems.append(error)
    return problems


def write_verdict(path, simulation):
    write_atomic(path, to_json(verdict_numbers(simulation)).encode())


def report_outcome(options, garments, simulation, settings, complete, files):
    """One line on how far it came and where that is; gives the exit code."""
    done = simulation.writer.frames
    kept = f"frames 1 to {done} are in {files}" if done else "nothing was written"
    if files != ", ".join(options.output):
        kept += f", and {', '.join(options.output)} as before"
    if not options.keeps_part:
        kept = "none of its frames are kept"
    if complete:
        if simulation.progress.active:
            work = work_text(simulation.statistics, settings)
            say(f"{done} frames in {files}{work}{level_text(simulation.levels)}")
        return exits.OK
    if simulation.stop:
        where = f"at frame {done + 1} of {options.frames}"
        say(f"interrupted {'in the run-up' if simulation.running_up else where}; {kept}")
        return exits.INTERRUPTED
    if not isinstance(simulation.error, MuslinError):
        raise simulation.error
    options.failure = failure_text(garments, simulation, settings)
    say(f"{options.failure}; {kept}")
    return exits.FAILED


def failure_text(garments, simulation, settings):
    error = simulation.error
    reported = getattr(error, "details", ())
    failure = garments.renumbered(reported[0]) if len(reported) == 1 else str(error)
    frame = f"frame {simulation.writer.frames + 1} of {simulation.frames}"
    return f"{frame} failed: {failure}{advice(error, settings)}"


def advice(error, settings):
    """What else to try where an explicit method diverges."""
    explicit = (
        takes("sweep_method", settings["solver"]) and settings["sweep_method"] == "symplectic"
    )
    is_lost = explicit and getattr(error, "status", None) == Status.ERROR_DIVERGED
    return ", symplectic steps must be short: give more --substeps" if is_lost else ""


def work_text(statistics, settings):
    """How much work a quality was, or how many sweeps fit, for the last line. The first frame took none."""
    if takes("sweeps", settings["solver"]) and settings["budget_ms"] > 0 and len(statistics) > 1:
        each = sum(frame.sweeps for frame in statistics[1:]) / (len(statistics) - 1)
        return f" ({each / settings['substeps']:.1f} sweeps per substep)"
    if (
        not takes("quality", settings["solver"])
        or settings["quality"] == "custom"
        or len(statistics) < 2
    ):
        return ""
    solves = sum(frame.solves for frame in statistics[1:])
    each = solves / (len(statistics) - 1) / settings["substeps"]
    return f" ({settings['quality']}: {each:.1f} solves per substep)"


def level_text(levels):
    """How much of a garment was simulated that was too fine for its budget, for the last line."""
    counts = [frame.simulated_count for frame in levels]
    least, most, all_of_it = min(counts), max(counts), levels[-1].vertex_count
    if least == all_of_it:
        return ""
    some = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return f", by {some} of {all_of_it:,} vertices"

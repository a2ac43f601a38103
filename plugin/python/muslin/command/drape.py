# SPDX-License-Identifier: GPL-3.0-or-later
"""`muslin drape`: reads, simulates, writes and reports. What can be refused is refused before simulating."""

import os
import sys

import numpy as np

from .. import exits
from .._enums import Placement, Status
from ..body import BodySurface
from ..cloth import Cloth
from ..errors import FileError, MuslinError
from ..fabrics import has_warp
from ..files import check_writable, is_taken, to_json, unfinished_place, write_atomic
from ..inspection import placement
from ..inspection.verdict import Verdict, restless_text
from ..obj import write_mesh
from ..sewing.plackets import front_links
from ..table import MAP_OPTIONS, takes
from ..turbulence import Turbulence
from . import inputs, sewing_options
from .drape_options import (
    add_parser,
    check_live,
    check_method,
    check_mirror,
    closes_whole,
    settings_from,
)
from .fabric_options import fabrics_of, spread, surface_from
from .fit_report_file import write_fit_report
from .garments import GarmentWriter, Garments, check_counts
from .progress import Progress, say, warn
from .simulation import Simulation, noted_signals
from .statistics import range_text, step_warnings, unsolved, verdict_numbers, write_statistics
from .upsampled import make_additions, make_tracking
from .values import spelled

# Files that are read besides bodies; more than one with several garments.
FILES_READ = ("garment", "pin_motion", *MAP_OPTIONS)
FIRST_FRAME = 1.0  # Blender's first frame


def add_command(commands):
    # keeps_part: frames that are there before an error or a signal stay; a task of a batch keeps all or none
    # failure: why it ended early, once it has
    add_parser(commands).set_defaults(run=drape, keeps_part=True, failure="")


def check_options(options):
    """Refuse what contradicts itself, before any file is read."""
    spread(options)
    check_method(options)
    check_mirror(options)
    check_live(options)
    check_counts(options)


def drape(options):
    """Run the command; gives the exit code."""
    check_options(options)
    check_outputs(options)
    garments = Garments(options.garment)
    additions = make_additions(options, garments.mesh)
    bodies = inputs.read_bodies(options)
    pins = inputs.pinned_vertices(options, garments)
    targets = inputs.pin_targets(options, pins, garments)
    stitches = sewing_options.take_stitches(options, garments)
    cloth = dressed(options, garments, bodies, pins)
    releases = sewing_options.attach(options, cloth, garments, bodies, stitches)
    wind = cloth.settings["wind"]
    gusts = Turbulence(wind, options.turbulence) if options.turbulence and any(wind) else None
    with noted_signals() as stop:  # before a file is there that an exception would leave behind
        writer = GarmentWriter(options.output, garments, FIRST_FRAME)
        try:
            simulation = Simulation(
                cloth,
                Progress(options.frames),
                writer=writer,
                frames=options.frames,
                step_seconds=1.0 / options.fps,
                pins=pins,
                pin_targets=targets,
                pin_start=garments.mesh.positions[pins],
                bodies=[*bodies, *releases],
                judge=inputs.make_judge(options, garments.mesh, bodies),
                refined=options.refine,
                verdict=make_verdict(options, garments),
                run_up=options.run_up,
                additions=additions,
                tracking=make_tracking(options, garments.mesh, pins),
                turbulence=gusts,
            )
            if options.turbulence and gusts is None:
                warn("--turbulence does nothing without a wind: add --wind X,Y,Z, in m/s")
            report_start(options, simulation.verdict, cloth.inspect())
            simulation.run(stop)
            settings = all_settings(options, garments, cloth, pins)
            code = finish(options, garments, simulation, settings)
        finally:
            writer.discard()  # does nothing once the file has its name
    return report_end(garments, simulation, code)


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
        verdict = to_json(verdict_numbers(simulation)).encode()
        work.append((write_atomic, options.verdict, verdict))
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
    diverged = getattr(error, "status", None) == Status.ERROR_DIVERGED
    explicit = (
        takes("sweep_method", settings["solver"]) and settings["sweep_method"] == "symplectic"
    )
    return ", symplectic steps must be short: give more --substeps" if diverged and explicit else ""


def work_text(statistics, settings):
    """How much work a quality was, or how many sweeps fit, for the last line. The first frame took none."""
    frames, solver, quality = statistics[1:], settings["solver"], settings["quality"]
    substeps = sum(frame.substeps for frame in frames)
    if takes("sweeps", solver) and settings["budget_ms"] > 0 and frames:
        each = sum(frame.sweeps for frame in frames) / substeps
        return f" ({each:.1f} sweeps per substep)"
    if not takes("quality", solver) or quality == "custom" or not frames:
        return ""
    each = sum(frame.solves for frame in frames) / substeps
    return f" ({quality}: {each:.1f} solves per substep)"


def level_text(levels):
    """How much of a garment was simulated that was too fine for its budget, for the last line."""
    counts = [frame.simulated_count for frame in levels]
    least, most, all_of_it = min(counts), max(counts), levels[-1].vertex_count
    if least == all_of_it:
        return ""
    some = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return f", by {some} of {all_of_it:,} vertices"


def report_end(garments, simulation, code):
    """Say what is to be said of the whole run, and close the cloth; gives the exit code."""
    cloth = simulation.cloth
    for text in (unsolved(simulation.statistics), *step_warnings(simulation.statistics)):
        if text:
            warn(text)
    if simulation.stuck:  # a call still works on the cloth, and nothing may wait for it
        sys.stderr.flush()
        os._exit(code)
    for frame, text in simulation.warnings:
        for sentence in map(garments.renumbered, text.sentences):
            warn(f"{f'frame {frame}' if frame else 'in the run-up'}: {sentence}")
    if simulation.restless:
        warn(restless_text("in the run-up", cloth.settings))
    verdict = simulation.verdict
    if verdict.inspections:
        for text in verdict.sentences():
            warn(text)
        if simulation.progress.active:
            say(verdict.summary())
    report_seams(cloth)
    cloth.close()
    return code


def make_verdict(options, garments):
    contact = bool(options.body) or options.self_contact
    return Verdict(contact, options.self_contact, garments.vertex_text)


def dressed(options, garments, bodies, pins):
    """The cloth with all that it wears and collides with; what the library says of it is printed."""
    wrong = placement.units_text(garments.mesh.positions)
    if wrong:
        warn(wrong)
    cloth = create_cloth(options, garments, inputs.scale_maps(options, garments), pins)
    reported = report_warnings(garments, cloth, 0)
    # the warp of a fabric that has one, where there is no UV map
    names = dict.fromkeys(one.name for one in fabrics_of(options) if one and has_warp(one))
    if garments.mesh.uvs is None and names:
        warn(
            f"{garments.without_uvs()} has no UV map: the warp of {' and '.join(names)} is assumed to be vertical "
            "on upright cloth, and along y on flat cloth"
        )
    # a pocket may be meant; a second garment that is not symmetric hardly is
    extras = cloth.mirror().extra_count
    if extras:
        warn(
            f"{extras} vertices belong to parts without a mirror image: these are simulated after the "
            "rest, without acting on it, and their borders are sewn to it where they are close"
        )
    surface = surface_from(options).values()
    for body in bodies:
        body.join(cloth, *surface, options.run_up)
    if options.self_contact:
        cloth.set_self_contact(True, *surface)
    report_warnings(garments, cloth, reported)
    return cloth


def report_warnings(garments, cloth, reported):
    """Print the warnings after the first `reported`, a line for each sentence; gives how many there are now."""
    for text in cloth.warnings[reported:]:
        for sentence in text.sentences:
            warn(garments.renumbered(sentence))
    return len(cloth.warnings)


def report_start(options, verdict, inspection):
    """With a run-up, faults that it resolves are not reported."""
    moves = any(body.motion for body in options.body or ())
    if options.run_up and not moves and not options.pin_motion:
        warn(
            "--run-up only settles the cloth before frame 1: no body moves (--body B.pc2:B.obj), and no "
            "pin (--pin-motion)"
        )
    reported = verdict.start(inspection)
    if options.run_up and inspection.placement != Placement.BAD:
        return
    for text in reported:
        warn(text)
    if reported and not options.run_up and moves:
        warn(
            "if the garment was modelled on the pose in the body's OBJ file, --run-up 24 moves the body "
            "from there to its first frame"
        )
    elif reported and not options.run_up and placement.settles(inspection):
        warn("muslin settle brings a garment out of bodies and of itself: drape what it writes")


def report_seams(cloth):
    text = sewing_options.open_text(cloth.link_report())
    if text:
        warn(text)


def check_outputs(options):
    """Refuse outputs that cannot be written, or that would overwrite each other or an input."""
    read = [(spelled(name), getattr(options, name)) for name in FILES_READ]
    read.append(("--upsample", [options.upsample] if options.upsample else []))
    read.append(("--track", [options.track] if options.track else []))
    read.append(("--fabric", [one.path for one in fabrics_of(options) if one]))
    for body in options.body or ():
        read.append(("--body", [path for path in (body.mesh, body.motion) if path]))
    taken = {os.path.realpath(path): name for name, paths in read for path in paths or ()}
    outputs = [("--output", path) for path in options.output]
    outputs += [("--last-frame", path) for path in options.last_frame or ()]
    for name in ("stats", "verdict", "fit_report", "record"):
        path = getattr(options, name)
        outputs += [(spelled(name), path)] if path is not None else []
    for name, path in outputs:
        place = os.path.realpath(path)
        if place in taken:
            raise FileError(path, f"{name} and {taken[place]} are the same file")
        taken[place] = name
        check_writable(path)


def create_cloth(options, garments, scales, pins):
    """The cloth with its maps and pins."""
    settings = settings_from(options, garments)
    if settings.get("pattern") == "uv" and garments.mesh.uvs is None:
        path = garments.without_uvs()
        raise FileError(path, "has no UV map for every face, which --pattern uv needs")
    cloth = garments.make(lambda mesh: Cloth(mesh, **settings))
    if options.level is not None:
        cloth.hold_level(options.level)
    if scales:
        cloth.set_maps(**scales)
    if len(pins):
        cloth.set_pins(pins, np.full(len(pins), options.pin_weight))
    if closes_whole(options):
        found = front_links(garments.mesh, options.closure, options.overlap, options.over)
        if found is not None:
            cloth.add_links([found])
        elif options.closure != "free":
            warn(f"--closure {options.closure}: no open front was found, there is nothing to close")
    return cloth


def all_settings(options, garments, cloth, pins):
    """Everything that decided the result, for the statistics."""
    settings = cloth.settings
    if cloth.part_count > 1:
        settings["materials"] = cloth.materials
    if settings["order"] != 0:  # the estimate is of this order, and uses no coefficients of ours
        del settings["coefficients"]
    names = "frames fps run_up level refine upsample wrinkles track sew sew_speed self_contact"
    settings.update((name, getattr(options, name)) for name in names.split())
    settings.update(turbulence=options.turbulence or 0)
    settings.update(first_vertices=garments.starts[:-1].tolist())  # of each garment in the whole
    settings.update(pin_count=len(pins), pins=range_text(pins), pin_weight=options.pin_weight)
    for name in FILES_READ:
        paths = [os.path.abspath(path) for path in getattr(options, name) or ()]
        settings[name] = None if not paths else paths[0] if len(paths) == 1 else paths
    surface = BodySurface(**surface_from(options))
    settings.update(thickness=surface.thickness, friction=surface.friction)
    for name in ("tack", "elastic", "unpick"):
        settings[name] = [each.text for each in getattr(options, name) or ()]
    settings.update(bodies=[body._asdict() for body in options.body or ()])
    return settings

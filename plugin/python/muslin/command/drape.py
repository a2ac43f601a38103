# SPDX-License-Identifier: GPL-3.0-or-later
"""`muslin drape`: reads, simulates, writes. What can be refused is refused before simulating."""

import os
import sys
from dataclasses import asdict

import numpy as np

from .._enums import Placement
from ..body import BodySurface
from ..cloth import Cloth
from ..errors import FileError
from ..fabrics import has_warp
from ..files import check_writable
from ..inspection.verdict import Verdict, restless_text
from ..sewing.plackets import front_links
from ..table import MAP_OPTIONS
from ..turbulence import Turbulence
from . import inputs, sewing_options
from .drape_end import finish
from .drape_options import (
    add_parser,
    check_live,
    check_method,
    check_mirror,
    closes_whole,
    settings_from,
)
from .draped_bodies import make_judge, read_bodies
from .fabric_options import fabrics_of, spread, surface_from
from .garments import GarmentWriter, Garments, check_counts
from .progress import Progress
from .replay_command import say, warn
from .simulation import Simulation, noted_signals
from .statistics import range_text, step_warnings, unsolved
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
    garments = Garments(options.garment, warn)
    additions = make_additions(options, garments.mesh)
    bodies = read_bodies(options, warn)
    pins = inputs.pinned_vertices(options, garments, warn)
    targets = inputs.pin_targets(options, pins, garments, warn)
    stitches = sewing_options.take_stitches(options, garments)
    cloth = dressed(options, garments, bodies, pins)
    releases = sewing_options.attach(options, cloth, garments, bodies, stitches)
    with noted_signals() as stop:  # before a file is there that an exception would leave behind
        writer = GarmentWriter(options.output, garments, FIRST_FRAME)
        try:
            simulation = Simulation(
                cloth,
                Progress(options.frames),
                writer=writer,
                frames=options.frames,
                step_seconds=1.0 / options.fps,
                pin_targets=targets,
                pin_start=garments.mesh.positions[pins],
                bodies=[*bodies, *releases],
                judge=make_judge(options, garments.mesh, bodies),
                refined=options.refine,
                verdict=make_verdict(options, garments),
                run_up=options.run_up,
                additions=additions,
                tracking=make_tracking(options, garments.mesh, pins),
                turbulence=make_turbulence(options, cloth),
            )
            report_run_up(options)
            report_turbulence(options, cloth)
            report_start(options, simulation.verdict, cloth.inspect())
            simulation.run(stop)
            settings = all_settings(options, garments, cloth, pins)
            code = finish(options, garments, simulation, settings)
        finally:
            writer.discard()  # does nothing once the file has its name
    return report_end(garments, simulation, code)


def report_end(garments, simulation, code):
    """Say what is to be said of the whole run, and close the cloth; gives the exit code."""
    cloth = simulation.cloth
    for text in (unsolved(simulation.statistics), *step_warnings(simulation.statistics)):
        if text:
            warn(text)
    if simulation.stuck:  # a call still works on the cloth, and nothing may wait for it
        sys.stderr.flush()
        os._exit(code)
    report_frames(garments, simulation.warnings)
    if simulation.restless:
        warn(restless_text("in the run-up", cloth.settings))
    report_verdict(simulation)
    report_seams(cloth)
    cloth.close()
    return code


def make_turbulence(options, cloth):
    wind = cloth.settings["wind"]
    return Turbulence(wind, options.turbulence) if options.turbulence and any(wind) else None


def make_verdict(options, garments):
    meets = bool(options.body) or options.self_contact
    return Verdict(meets, options.self_contact, garments.vertex_text)


def dressed(options, garments, bodies, pins):
    """The cloth with all that it wears and meets; what the library says of it is printed."""
    cloth = create_cloth(options, garments, inputs.scale_maps(options, garments), pins)
    reported = report_warnings(garments, cloth, 0)
    report_warp(options, garments)
    report_extras(cloth.mirror().extra_count)
    add_contact(options, cloth, bodies)
    report_warnings(garments, cloth, reported)
    return cloth


def report_warnings(garments, cloth, reported):
    """Print the warnings after the first `reported`; gives how many there are now.

    The library may say several things at once; here each has its line.
    """
    for text in cloth.warnings[reported:]:
        for sentence in text.sentences:
            warn(garments.renumbered(sentence))
    return len(cloth.warnings)


def report_warp(options, garments):
    """Say what is taken for the warp of a fabric that is asked for and has one, where no UV map tells it."""
    names = {one.name: one for one in fabrics_of(options) if one and has_warp(one)}
    if garments.mesh.uvs is not None or not names:
        return
    warn(
        f"{garments.without_uvs()} has no UV map: the warp of {' and '.join(names)} is assumed to be vertical "
        "on upright cloth, and along y on flat cloth"
    )


def report_extras(count):
    """A pocket may be meant; a second garment that is not symmetric hardly is."""
    if count:
        warn(
            f"{count} vertices belong to parts without a mirror image: these are simulated after the "
            "rest, without acting on it, and their borders are sewn to it where they are close"
        )


def report_frames(garments, warnings):
    """Print what the library said while it simulated, with the frame, 0 before the first."""
    for frame, text in warnings:
        for sentence in text.sentences:
            text = garments.renumbered(sentence)
            warn(f"{f'frame {frame}' if frame else 'in the run-up'}: {text}")


def report_run_up(options):
    """Say so where nothing comes from another pose."""
    moves = options.pin_motion or any(body.motion for body in options.body or ())
    if options.run_up and not moves:
        warn(
            "--run-up only settles the cloth before frame 1: no body moves (--body B.pc2:B.obj), and no "
            "pin (--pin-motion)"
        )


def report_turbulence(options, cloth):
    """Say so where no wind carries gusts."""
    if options.turbulence and not any(cloth.settings["wind"]):
        warn("--turbulence does nothing without a wind: add --wind X,Y,Z, in m/s")


def report_start(options, verdict, inspection):
    """With a run-up, faults that it resolves are not reported."""
    reported = verdict.start(inspection)
    if options.run_up and inspection.placement != Placement.BAD:
        return
    for text in reported:
        warn(text)
    if reported and not options.run_up and any(body.motion for body in options.body or ()):
        warn(
            "if the garment was modelled on the pose in the body's OBJ file, --run-up 24 moves the body "
            "from there to its first frame"
        )


def report_verdict(simulation):
    """Print how the cloth lies at the end; what is wrong in any case."""
    verdict = simulation.verdict
    if not verdict.inspections:
        return
    for text in verdict.sentences():
        warn(text)
    if simulation.progress.active:
        say(verdict.summary())


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
        close_fronts(options, cloth, garments.mesh)
    return cloth


def close_fronts(options, cloth, mesh):
    """Of a garment that is simulated whole."""
    found = front_links(mesh, options.closure, options.overlap, options.over)
    if found is not None:
        cloth.add_links([found])
    elif options.closure != "free":
        warn(f"--closure {options.closure}: no open front was found, there is nothing to close")


def add_contact(options, cloth, bodies):
    surface = surface_from(options, fabrics_of(options)).values()
    for body in bodies:
        body.join(cloth, *surface, options.run_up, warn)
    if options.self_contact:
        cloth.set_self_contact(True, *surface)


def all_settings(options, garments, cloth, pins):
    """Everything that decided the result, for the statistics."""
    settings = cloth.settings
    if cloth.part_count > 1:
        settings["materials"] = cloth.materials
    if settings["order"] != 0:  # the estimate is of this order, and uses no coefficients of ours
        del settings["coefficients"]
    settings.update(frames=options.frames, fps=options.fps, run_up=options.run_up)
    settings.update(level=options.level, refine=options.refine, turbulence=options.turbulence or 0)
    settings.update(upsample=options.upsample, wrinkles=options.wrinkles, track=options.track)
    settings.update(first_vertices=garments.starts[:-1].tolist())  # of each garment in the whole
    settings.update(pin_count=len(pins), pins=range_text(pins), pin_weight=options.pin_weight)
    for name in FILES_READ:
        paths = [os.path.abspath(path) for path in getattr(options, name) or ()]
        settings[name] = None if not paths else paths[0] if len(paths) == 1 else paths
    surface = BodySurface(**surface_from(options, fabrics_of(options)))
    settings.update(thickness=surface.thickness, friction=surface.friction)
    settings.update(sew=options.sew, sew_speed=options.sew_speed)
    for name in ("tack", "elastic", "unpick"):
        settings[name] = [each.text for each in getattr(options, name) or ()]
    settings.update(self_contact=options.self_contact, bodies=list(map(asdict, options.body or ())))
    return settings

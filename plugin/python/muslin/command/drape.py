"""`muslin drape`: reads, simulates, writes. What can be refused is refused before simulating.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import sys

import numpy as np

from ..cloth import Cloth
from ..errors import FileError, MuslinError
from ..files import check_writable
from ..obj import read_obj, write_obj
from ..pc2 import Pc2Writer
from . import exits, inputs
from .drape_options import add_parser, check_method, settings_from
from .progress import Progress
from .simulation import Simulation, noted_signals
from .statistics import range_text, unsolved, write_statistics

FIRST_FRAME = 1.0  # Blender's first frame


def add_command(commands):
    add_parser(commands).set_defaults(run=drape)


def warn(text):
    """One line for one warning, whatever the text holds."""
    print("muslin: warning: " + " ".join(text.split()), file=sys.stderr)


def say(text):
    print(f"muslin: {text}", file=sys.stderr)


def drape(options):
    """Run the command; gives the exit code."""
    check_method(options)
    check_outputs(options)
    mesh = read_obj(options.garment)
    for note in mesh.notes:
        warn(note)
    scales = inputs.scale_maps(options, mesh.vertex_count)
    pins = inputs.pinned_vertices(options, mesh, warn)
    targets = None
    if options.pin_motion is not None:
        targets = inputs.pin_targets(
            options.pin_motion, pins, mesh.vertex_count, options.frames, warn
        )
    cloth = create_cloth(options, mesh, scales, pins)
    told = tell(cloth, 0)
    writer = Pc2Writer(options.output, mesh.vertex_count, start=FIRST_FRAME)
    progress = Progress(options.frames)
    simulation = Simulation(
        cloth, writer, options.frames, 1.0 / options.fps, progress, pin_targets=targets
    )
    try:
        with noted_signals() as stop:
            simulation.run(stop)
            code = finish(options, mesh, simulation, all_settings(options, cloth, pins))
    finally:
        writer.discard()  # does nothing once the file has its name
    text = unsolved(simulation.statistics)
    if text:
        warn(text)
    if simulation.stuck:  # a call still works on the cloth, and nothing may wait for it
        sys.stderr.flush()
        os._exit(code)
    tell(cloth, told)
    cloth.close()
    return code


def tell(cloth, told):
    """Print the warnings after the first `told`; gives how many are told now.

    The library tells several at once, with semicolons between them; here each has its line.
    """
    for text in cloth.warnings[told:]:
        for sentence in text.split("; "):
            warn(sentence)
    return len(cloth.warnings)


def check_outputs(options):
    """Refuse outputs that cannot be written, or that would overwrite each other or an input."""
    inputs_read = {"--garment": options.garment, "--pin-motion": options.pin_motion}
    for name in ("mass", "stretch", "bend"):
        inputs_read[f"--{name}-map"] = getattr(options, f"{name}_map")
    outputs = {
        "--output": options.output,
        "--last-frame": options.last_frame,
        "--stats": options.stats,
    }
    taken = {os.path.realpath(path): name for name, path in inputs_read.items() if path}
    for name, path in outputs.items():
        if path is None:
            continue
        place = os.path.realpath(path)
        if place in taken:
            raise FileError(path, f"{name} and {taken[place]} are the same file")
        taken[place] = name
        check_writable(path)


def create_cloth(options, mesh, scales, pins):
    """The cloth with its maps and pins."""
    settings = settings_from(options)
    if settings.get("pattern") == "uv" and mesh.uvs is None:
        raise FileError(options.garment, "has no UV map for every face, which --pattern uv needs")
    cloth = Cloth(mesh, **settings)
    if scales:
        cloth.set_scales(**scales)
    if len(pins):
        cloth.set_pins(pins, np.full(len(pins), options.pin_weight))
    return cloth


def all_settings(options, cloth, pins):
    """Everything that decided the result, for the statistics."""
    settings = cloth.settings
    if settings["order"] != 0:  # the estimate is of this order, and uses no coefficients of ours
        del settings["coefficients"]
    settings.update(frames=options.frames, fps=options.fps)
    settings.update(pin_count=len(pins), pins=range_text(pins), pin_weight=options.pin_weight)
    for name in ("garment", "pin_motion", "mass_map", "stretch_map", "bend_map"):
        path = getattr(options, name)
        settings[name] = None if path is None else os.path.abspath(path)
    return settings


def finish(options, mesh, simulation, settings):
    """Name the files, say what is in them, and give the exit code."""
    writer = simulation.writer
    writer.finish()
    done = writer.frames
    complete = done == options.frames and simulation.error is None
    if done:
        if options.last_frame is not None:
            write_last_frame(options.last_frame, mesh, simulation.positions)
        if options.stats is not None:
            write_statistics(options.stats, simulation, settings)
    if done == 0 and isinstance(simulation.error, MuslinError) and not simulation.stop:
        raise simulation.error
    kept = f"frames 1 to {done} are in {options.output}" if done else "nothing was written"
    if complete:
        if simulation.progress.active:
            work = work_text(simulation.statistics, settings)
            say(f"{done} frames in {options.output}{work}")
        return exits.OK
    if simulation.stop:
        say(f"interrupted at frame {done + 1} of {options.frames}; {kept}")
        return exits.INTERRUPTED
    if not isinstance(simulation.error, MuslinError):
        raise simulation.error
    say(f"frame {done + 1} of {options.frames} failed: {simulation.error}; {kept}")
    return exits.FAILED


def work_text(statistics, settings):
    """How much work a quality was, for the last line. The first frame is the start and took none."""
    if settings["solver"] == "implicit" or settings["quality"] == "custom" or len(statistics) < 2:
        return ""
    solves = sum(frame.solves for frame in statistics[1:])
    each = solves / (len(statistics) - 1) / settings["substeps"]
    return f" ({settings['quality']}: {each:.1f} solves a substep)"


def write_last_frame(path, mesh, positions):
    face_uvs = None if mesh.uvs is None else mesh.faces(mesh.uv_indices)
    write_obj(path, positions, mesh.faces(), mesh.edges.tolist(), mesh.uvs, face_uvs)

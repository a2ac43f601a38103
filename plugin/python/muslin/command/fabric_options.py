# SPDX-License-Identifier: GPL-3.0-or-later
"""`--fabric` of drape, whose numbers other options override; and the materials of several garments, given once for
all or once for each."""

import argparse

import numpy as np

from ..errors import MuslinError, printable, refuse
from ..fabric_file import CONTACT, MEMBRANE, OF_MEMBRANES
from ..fabrics import all_fabrics, find_fabric, settings_of
from ..settings import MATERIAL_FIELDS
from ..table import SETTINGS, section, takes
from .garments import refuse_count

FABRIC_HELP = """the fabric: {}; or the path of a file (muslin fabrics lists them). Other options of
material and contact override its numbers (default: cotton). They may be given once for each garment, like --fabric"""
# Numbers that were measured at many strains or curvatures, and the plain ones that take their place when given.
SAMPLES = {
    "stretch_samples": ("stretch_warp", "stretch_weft", "shear"),
    "bend_samples": ("bend", "bend_weft", "bend_twist"),
}
WORDS = {"stretch_samples": "the measured stretch"}


def add_fabric(group):
    names = printable(", ".join(one.name for one in all_fabrics())).replace("%", "%%")
    group.add_argument(
        "--fabric", action="append", type=fabric, metavar="NAME", help=FABRIC_HELP.format(names)
    )


def fabric(text):
    try:
        return find_fabric(text)
    except MuslinError as error:
        raise argparse.ArgumentTypeError(printable(str(error))) from None


def with_fabric(one, asked_for):
    """The settings of a fabric, or of none, with those on top that are asked for."""
    if one is None:
        return asked_for
    settings = settings_of(one)
    for samples, plain in SAMPLES.items():
        if any(name in asked_for for name in plain):
            settings.pop(samples, None)
    settings.update(asked_for)
    check_together(one, asked_for, settings)
    return settings


def check_together(one, asked_for, settings):
    """Refuse options that would leave out what the fabric's file says, in words of both."""
    model = settings.get("model", SETTINGS["model"].default)
    for name in OF_MEMBRANES:
        if not takes(name, model=model) and name not in asked_for and is_given(settings.get(name)):
            what = WORDS.get(name, name)
            refuse(
                f"--model {model} does not go with {what} of {one.path}, which needs the {MEMBRANE} model"
            )
    if asked_for.get("poisson") and is_given(settings.get("stretch_samples")):
        refuse(
            f"--poisson {asked_for['poisson']:g} does not go with {WORDS['stretch_samples']} of {one.path}, which "
            "says how much narrower a strip gets; --stretch and --shear take its place"
        )


def is_given(value):
    return any(value) if isinstance(value, (list, tuple)) else bool(value)


def surface_from(options):
    """Thickness (m) and friction: what was asked for, else the fabrics' largest and mean, else None, the library's."""
    found = [one.contact for one in fabrics_of(options) if one]
    thickness, friction = ([contact[name] for contact in found] for name in CONTACT)
    of_fabrics = (max(thickness), sum(friction) / len(friction)) if found else (None, None)
    asked_for = [getattr(options, name) for name in CONTACT]
    chosen = [own if own is not None else value for own, value in zip(asked_for, of_fabrics)]
    return dict(zip(CONTACT, chosen))


NAMES = ("fabric", "stretch", *(setting.name for setting in section("material")))


def spread(options):
    """What was given once holds for all garments; the rest is kept in `options.each`, name by name."""
    garments = len(options.garment)
    options.each = {}
    for name in NAMES:
        given = getattr(options, name) or []
        if len(given) not in (0, 1, garments):
            refuse_count(name, len(given), garments)
        if len(given) > 1:
            options.each[name] = given
        setattr(options, name, given[0] if len(given) == 1 else None)


def fabrics_of(options):
    """The fabric of each garment, None for none."""
    return options.each.get("fabric", [options.fabric] * len(options.garment))


def parts_of(options, garments, settings):
    """The parts and materials of a Cloth where garments are of different fabrics, else nothing. settings: those of
    all garments."""
    if not options.each:
        return {}
    parts = np.repeat(np.arange(len(garments.meshes)), np.diff(garments.starts))
    materials = []  # and the model of a garment that has its own
    for number, one in enumerate(fabrics_of(options)):
        asked_for = dict(settings)
        for name, values in options.each.items():
            if name == "stretch":
                asked_for["stretch_warp"], asked_for["stretch_weft"] = values[number]
            elif name != "fabric":
                asked_for[name] = values[number]
        names = (*MATERIAL_FIELDS, "model")
        asked_for = {name: value for name, value in asked_for.items() if name in names}
        found = with_fabric(one, asked_for)
        materials.append({name: value for name, value in found.items() if name in names})
    return {"parts": parts, "materials": materials}

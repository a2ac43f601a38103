# SPDX-License-Identifier: GPL-3.0-or-later
"""The artist's settings in the library's words, for a new cloth and for a running one."""

import os

from ..muslin.table import SETTINGS, parts_of, takes
from ..scene.lookup import addon_preferences
from ..table_properties import MATERIAL

MOST_THREADS = 16


def material(obj, sweeping=False, lead=None):
    """Pressure that the solver cannot have is 0: the panel says so. lead: the garment whose solver is taken, of several in one
    cloth. Numbers in a row as tuples: settings are compared."""
    found = {name: getattr(obj.muslin, name) for name in MATERIAL}
    taken = solver(lead or obj, sweeping)
    air = [name for name in found if SETTINGS[name].panel == "pressure"]
    found.update((name, 0) for name in air if not takes(name, taken))
    return {name: tuple(of) if SETTINGS[name].length > 1 else of for name, of in found.items()}


def has_two_levels(garment):
    return takes("scheme", garment.solver) and garment.scheme == "two_level"


def is_steered(garment):
    """Does the quality decide how many iterations there are? Else `iterations` does."""
    return has_two_levels(garment) and not garment.fixed_iterations


def is_woven(garment):
    """The solver has a model of its own: threads."""
    return not takes("model", garment.solver)


def is_membrane(garment):
    return takes("poisson", garment.solver, garment.model)


def needs_factor(garment):
    return takes("ordering", garment.solver)


def solver(obj, sweeping):
    """sweeping: sweeps stand in for the solver that needs a factor."""
    return "sweep" if sweeping and needs_factor(obj.muslin) else obj.muslin.solver


# Settings that have the same names in the library.
SAME = "scheme integrator model bending estimate uv_scale substeps iterations sweep_method sweeps".split()


def definition(obj, sweeping=False):
    """Everything but material and forces."""
    settings = obj.muslin
    taken = solver(obj, sweeping)
    steered = is_steered(settings) and takes("quality", taken)
    return {
        "solver": taken,
        **{name: getattr(settings, name) for name in SAME},
        "bend_rest": "flat" if settings.flat else "shape",
        "pattern": "uv" if settings.rest == "uv" else "mesh",
        "quality": settings.quality if steered else "custom",
        "threads": threads(),
    }


def threads():
    """The preferences' number; by default all cores, as far as they help."""
    chosen = addon_preferences()
    wanted = chosen.threads if chosen is not None else 0
    return wanted or max(1, min(os.cpu_count() or 1, MOST_THREADS))


def rest_choice(obj):
    settings = obj.muslin
    return settings.rest, settings.rest_key, settings.rest_uv


def push_material(cloth, wanted, now, part=None):
    """now: the material as it is. part: of a cloth of several garments, the number of the garment."""
    changed = {name: value for name, value in wanted.items() if now[name] != value}
    if changed:
        cloth.set_material(part=part, **changed)


def push_method(cloth, obj, sweeping=False):
    now = cloth.settings
    wanted = definition(obj, sweeping)
    is_free = wanted["quality"] == "custom" != now["quality"]  # the quality no longer decides
    if is_free or any(now[name] != wanted[name] for name in ("substeps", "iterations")):
        cloth.set_iterations(wanted["substeps"], wanted["iterations"])
    if wanted["quality"] != "custom" and cloth.settings["quality"] != wanted["quality"]:
        cloth.set_quality(wanted["quality"])


def needs_rebuild(cloth, obj, sweeping=False):
    """Whether only a new cloth can take a change. Threads are left to the next cloth: they change no result."""
    now, wanted = cloth.settings, definition(obj, sweeping)
    if parts_of(material(obj, sweeping)) - parts_of(now):
        return True
    fixed = [name for name in wanted if SETTINGS[name].rebuild and name != "threads"]
    return any(now[name] != wanted[name] for name in fixed)

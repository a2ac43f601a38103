# SPDX-License-Identifier: GPL-3.0-or-later
"""What is worn: every garment of the folder `shared/data` beside the checkout, and the scenes' own on the mannequin."""

from dataclasses import replace
from functools import lru_cache
from math import sqrt

from common.bench import note
from test_scenes.contact import figures, mirrored, real

# What the folder had when the figures were written down; others that lie there are taken, too.
REAL = ("tshirt", "tshirt_sym", "longsleeve", "longsleeve_sym", "jacket_open", "jacket_open_sym")
REAL += ("trousers", "trousers_sym", "skirt_sym", "coverall_8k", "overalls", "bodysuit_sym")
MOTIONS = ("arms", "walk")
# The function that makes the scene, and the spacing (m) that it has by itself.
OWN = {"own_tshirt": (figures.tshirt, 0.02), "own_jacket": (mirrored.jacket, 0.026)}
OWN_MOTION = "own"
BODY, FLAT = "body", "_pattern"  # panels of a pattern are not yet on the body


def data_files(*names):
    """Paths of these files of the folder; None where one is absent, which is said."""
    paths = [real.FOLDER / name for name in names]
    absent = [path.name for path in paths if not path.is_file()]
    if absent:
        note(f"Skipped, since shared/data beside the checkout lacks it: {', '.join(absent)}.")
    return None if absent else paths


def names():
    """Every garment: the folder's, known or not, those that are absent included, and the scenes' own."""
    found = sorted(path.stem for path in real.FOLDER.glob("*.obj")) if real.FOLDER.is_dir() else []
    more = [name for name in found if name not in (*REAL, BODY) and not name.endswith(FLAT)]
    return (*REAL, *more, *OWN)


def motions(name):
    return (OWN_MOTION,) if name in OWN else MOTIONS


def report_skipped():
    """Says by name which garments there are not, and which are flat panels."""
    data_files(*(f"{name}.obj" for name in (*REAL, BODY)), *(f"{BODY}_{m}.pc2" for m in MOTIONS))
    flat = sorted(path.stem for path in real.FOLDER.glob(f"*{FLAT}.obj"))
    if flat:
        note(f"Skipped, since they are flat panels that nobody wears yet: {', '.join(flat)}.")


@lru_cache(maxsize=4)
def scene(name, motion, count=None, last=None):
    """The garment on its moving body; None where a file is absent.

    count  about so many vertices; None: as it is
    last   the body stands still from this frame on
    """
    if name in OWN:
        make, spacing = OWN[name]
        if count is not None:
            spacing *= sqrt(len(make(spacing).cloth.positions) / count)
        found = make(spacing)
    else:
        found = real.real_scene(name, f"body_{motion}", folder=real.FOLDER, count=count)
    return found if found is None or last is None else standing(found, last)


def standing(found, last):
    """The same scene whose body stands still from a frame on."""

    def held(place):
        return lambda frame: place(min(frame, last))

    bodies = [replace(body, place=held(body.place)) for body in found.bodies]
    pins = None if found.place_pins is None else held(found.place_pins)
    return replace(found, bodies=bodies, place_pins=pins)

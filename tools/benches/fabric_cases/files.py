# SPDX-License-Identifier: GPL-3.0-or-later
"""The measured fabrics that stand beside the checkout, read here as plain numbers, not by the library."""

import json
from pathlib import Path

from common.report import note

FOLDER = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "fabrics"
NAMES = (
    "11oz-black-denim",
    "camel-ponte-roma",
    "gray-interlock",
    "ivory-rib-knit",
    "navy-sparkle-sweat",
    "pink-ribbon-brown",
    "royal-target",
    "tango-red-jet-set",
    "white-dots-on-blk",
    "white-swim-solid",
)
QUICK = ("11oz-black-denim", "gray-interlock", "royal-target")


def measured(quick):
    """{name: content} of those that are there; tells which are not."""
    names = QUICK if quick else NAMES
    absent = [name for name in names if not path_of(name).is_file()]
    if absent:
        note(
            "Skipped, since shared/data/fabrics beside the checkout does not have it: "
            f"{', '.join(absent)}."
        )
    return {name: json.loads(path_of(name).read_text()) for name in names if name not in absent}


def path_of(name):
    return FOLDER / f"{name}.json"

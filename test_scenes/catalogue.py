# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenes by name, for the command line, the demo and loops over all of them."""

from functools import partial

import numpy as np

from test_scenes import defects, garments, mannequin, patterns, sheets

SCENES = {
    "response": (sheets.response_sheet, "1 m sheet, 74 by 74 vertices, two corners held"),
    "cloth": (
        partial(sheets.hung_cloth, 100),
        "upright cloth, two upper corners held a little closer",
    ),
    "flag": (sheets.flag, "flag on a pole"),
    "rope": (sheets.rope, "rope of 50 vertices"),
    "cloth_with_rope": (sheets.cloth_with_rope, "cloth that hangs on a rope"),
    "cylinder": (partial(sheets.cylinder_sheet, 40, 40, 0.3), "sheet rolled to a radius of 0.3 m"),
    "tshirt": (garments.tshirt, "short-sleeved t-shirt for the mannequin"),
    "jacket": (garments.jacket, "long-sleeved jacket with an open front for the mannequin"),
    "skirt": (garments.skirt, "flared skirt for the mannequin"),
    "trousers": (garments.trousers, "trousers for the mannequin"),
    "mannequin": (mannequin.figure, "closed, smooth figure"),
    "bodice_front": (patterns.bodice_front, "dress pattern, 1780 vertices"),
    "bodice_back": (patterns.bodice_back, "dress pattern, 918 vertices"),
    "skirt_panel": (patterns.skirt_panel, "dress pattern, 3176 vertices"),
}
SCENES.update(
    {
        f"square_{count}": (partial(patterns.square, count), "irregular 1 m square")
        for count in patterns.RESOLUTION_SQUARES
    }
)
SCENES.update(
    {
        f"swing_{count}": (
            partial(patterns.swing_square, count),
            "irregular 1 m square, corners held",
        )
        for count in patterns.SWING_SQUARES
    }
)
SCENES.update(
    {
        f"bad_{name}": (function, defects.statement(name))
        for name, function in defects.DEFECTS.items()
    }
)


def make(name):
    """The named scene as (mesh, pins); pins are the vertices it is meant to be held by, often none."""
    result = SCENES[name][0]()
    return result if isinstance(result, tuple) else (result, np.zeros(0, np.int32))

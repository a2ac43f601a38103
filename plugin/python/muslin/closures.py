"""What closes the open fronts of a garment that is simulated whole, as links. Halves close in their plane by themselves.

SPDX-License-Identifier: GPL-3.0-or-later
"""

from . import links
from .fronts import front_stitches
from .plackets import front_buttons
from .table import SETTINGS


def front_links(mesh, closure, overlap=None, over=None, normal=(1.0, 0.0, 0.0)):
    """An array for Cloth.add_links(); None where nothing is to be closed, or nothing is open.

    closure: "free", "zip" or "button". overlap (m) and over are read of buttons alone, as front_buttons() explains;
    None: the default.
    """
    if closure == "zip":
        stitches = front_stitches(mesh)
        return None if stitches is None else links.seam(stitches)
    if closure == "button":
        overlap = SETTINGS["overlap"].default if overlap is None else overlap
        over = SETTINGS["over"].default if over is None else over
        return front_buttons(mesh, overlap, over, normal)
    return None
